//! Characters in valid text that certainly deceive: controls that change the order of text in Latin letters and are not
//! closed, invisible characters within words, hidden messages, and words that mix alphabets to look like others. The
//! targets `source` and `text` reject more; characters that may be intended are not reported here.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::Codec;
use utf8kit_records::rows::{RowFormat, RowOptions, RowSyntax};
use utf8kit_records::targets::{Demands, ViolationKind};

use super::doubts::Wrong;

/// The number of bytes that are searched for mixed words at once.
const BYTES_PER_CHUNK: usize = 4096;

/// The most bytes of a word on either side of a place, and of the rest of a line.
const MAX_WORD_BYTES: usize = 256;
const MAX_LINE_BYTES: usize = 1 << 16;

/// What text for people refuses, by the rules of `--for text`.
static TEXT: LazyLock<Option<(RowSyntax, Demands)>> = LazyLock::new(|| {
    let syntax = RowSyntax::new(RowOptions::new(RowFormat::Lines), Codec::Native(AnyEncoding::Utf8)).ok()?;
    let mut demands = Demands::default();
    demands.targets = vec!["text".parse().ok()?];
    Some((syntax, demands))
});

/// Returns the findings about deceptive characters in the range `own` of `bytes`, in order. Characters in `allowed` are
/// not reported. `first` means that the file begins with `bytes`.
pub(super) fn of(bytes: &[u8], own: Range<usize>, first: bool, allowed: &[RangeInclusive<char>]) -> Vec<Wrong> {
    let Some(text) = bytes.get(own.clone()) else { return Vec::new() };
    if utf8kit::is_ascii(text) {
        return Vec::new();
    }
    let (mut found, mut line_end) = (Vec::new(), 0);
    for at in memchr_iter(0xE2, text).map(|at| own.start + at) {
        match bytes.get(at + 1..at + 3) {
            Some([0x80, 0x8B | 0x8D] | [0x81, 0xA0]) => found.extend(within_word(bytes, at)),
            Some([0x80, 0xAA..=0xAE] | [0x81, 0xA6..=0xA9]) if at >= line_end => {
                let line = line(bytes, at);
                line_end = line.end;
                found.extend(unclosed(bytes, line));
            }
            _ => {}
        }
    }
    let marks = memmem::find_iter(text, "\u{FEFF}").map(|at| own.start + at);
    found.extend(marks.filter(|at| !first || *at > 0).filter_map(|at| within_word(bytes, at)));
    let mut end = 0;
    for at in memchr_iter(0xF3, text).map(|at| own.start + at) {
        if at >= end && bytes.get(at + 1) == Some(&0xA0) {
            let refused = refused(bytes, at, &[ViolationKind::HiddenText]);
            end = refused.last().map_or(at, |wrong| wrong.range.end);
            found.extend(refused);
        }
    }
    for start in (own.start..own.end).step_by(BYTES_PER_CHUNK) {
        let chunk = start..own.end.min(start + BYTES_PER_CHUNK);
        if mixes(bytes, chunk.clone()) {
            let mut end = 0;
            for at in chunk {
                if at >= end && mixes(bytes, at..at + 1) {
                    let refused = refused(bytes, at, &[ViolationKind::LookAlike]);
                    end = refused.last().map_or(at, |wrong| wrong.range.end);
                    found.extend(refused);
                }
            }
        }
    }
    let is_allowed = |wrong: &Wrong| {
        let span = bytes.get(wrong.range.clone()).and_then(|span| std::str::from_utf8(span).ok());
        let mut non_ascii = span.unwrap_or_default().chars().filter(|c| !c.is_ascii());
        non_ascii.all(|c| allowed.iter().any(|range| range.contains(&c)))
    };
    found.retain(|wrong| own.contains(&wrong.range.start) && !is_allowed(wrong));
    found.sort_by_key(|wrong| (wrong.range.start, wrong.range.end));
    found.dedup_by_key(|wrong| wrong.range.start);
    found
}

/// Reports whether a character belongs to a script that is written from right to left.
fn is_right_to_left(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{8FF}'
            | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFC}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    )
}

/// Reports whether a letter of two bytes that begins in `range` may be Greek, Cyrillic or Armenian and stands next to
/// an ASCII letter. Written without branches, so that compilers use vectors.
fn mixes(bytes: &[u8], range: Range<usize>) -> bool {
    let from = range.start.max(1);
    let shifted = |by: usize| bytes.get(from - 1 + by..).unwrap_or_default();
    let (before, lead, after) = (shifted(0), shifted(1), shifted(3));
    let is_letter = |byte: u8| (byte | 0x20).wrapping_sub(b'a') < 26;
    let is_lead = |byte: u8| byte.wrapping_sub(0xCE) < 9;
    let len = range.end.saturating_sub(from);
    let all = before.iter().zip(lead).zip(after).take(len);
    let inner = all
        .fold(false, |any, ((&before, &lead), &after)| any | (is_lead(lead) & (is_letter(before) | is_letter(after))));
    // The last letter of the text has nothing after it, and the first has nothing before it.
    let at_end = bytes.len().saturating_sub(2);
    let ends = || is_lead(bytes[at_end]) && at_end > 0 && is_letter(bytes[at_end - 1]);
    let begins = || is_lead(bytes[0]) && bytes.get(2).is_some_and(|&byte| is_letter(byte));
    inner || range.contains(&at_end) && bytes.len() >= 2 && ends() || range.contains(&0) && begins()
}

/// Returns the finding about an invisible character at `at`, if it stands between letters of an alphabet that does not
/// need such characters.
fn within_word(bytes: &[u8], at: usize) -> Option<Wrong> {
    let (before, rest) = bytes.split_at_checked(at)?;
    let before = String::from_utf8_lossy(before.get(before.len().saturating_sub(MAX_WORD_BYTES)..)?);
    let rest = String::from_utf8_lossy(rest.get(..MAX_WORD_BYTES).unwrap_or(rest));
    let is_invisible = |c: &char| matches!(c, '\u{200B}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}');
    // A run is one finding.
    if before.chars().next_back().as_ref().is_some_and(is_invisible) {
        return None;
    }
    let hidden: String = rest.chars().take_while(is_invisible).collect();
    let is_word = before.chars().next_back().is_some_and(is_alphabet)
        && rest.chars().nth(hidden.chars().count()).is_some_and(is_alphabet);
    let first = hidden.chars().next().filter(|_| is_word)?;
    let what = format!("an invisible character within a word: U+{:04X}", u32::from(first));
    Some(Wrong { kind: ViolationKind::Invisible.name(), range: at..at + hidden.len(), what })
}

/// Reports whether a character is a letter of the Latin, Greek or Cyrillic alphabet.
fn is_alphabet(c: char) -> bool {
    c.is_alphabetic() && matches!(c, '\0'..='\u{24F}' | '\u{370}'..='\u{52F}' | '\u{1E00}'..='\u{1FFF}')
}

/// Returns the controls of direction that are open at the end of a line, unless the line has letters that are written
/// from right to left. A closing control without an opener has no effect (UAX #9, X6a and X7).
fn unclosed(bytes: &[u8], line: Range<usize>) -> Vec<Wrong> {
    let Some(text) = bytes.get(line.clone()).and_then(|line| std::str::from_utf8(line).ok()) else {
        return Vec::new();
    };
    if text.contains(is_right_to_left) {
        return Vec::new();
    }
    let mut open: Vec<(usize, char)> = Vec::new();
    let is_isolate = |opener: &(usize, char)| opener.1 >= '\u{2066}';
    for (at, c) in text.char_indices() {
        match c {
            '\u{202A}' | '\u{202B}' | '\u{202D}' | '\u{202E}' | '\u{2066}'..='\u{2068}' => open.push((at, c)),
            '\u{202C}' => {
                open.pop_if(|opener| !is_isolate(opener));
            }
            // It also closes what was opened within the isolate.
            '\u{2069}' => open.truncate(open.iter().rposition(is_isolate).unwrap_or(open.len())),
            _ => {}
        }
    }
    let kind = ViolationKind::BidiControl;
    let wrong = |at: usize| {
        let start = line.start + at;
        Wrong { kind: kind.name(), range: start..start + 3, what: format!("{}, and is not closed", kind.about()) }
    };
    open.into_iter().map(|(at, _)| wrong(at)).collect()
}

/// Returns the violations of the target `text` in the word at `at` of these kinds, if the hidden text is known.
fn refused(bytes: &[u8], at: usize, kinds: &[ViolationKind]) -> Vec<Wrong> {
    let Some((syntax, demands)) = &*TEXT else { return Vec::new() };
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let most = at.saturating_sub(MAX_WORD_BYTES);
    let before = bytes.get(most..at).unwrap_or_default();
    let mut start = before.iter().rposition(is_space).map_or(most, |space| most + space + 1);
    let rest = bytes.get(at..bytes.len().min(at + 4 * MAX_WORD_BYTES)).unwrap_or_default();
    let mut end = rest.iter().position(is_space).map_or(at + rest.len(), |space| at + space);
    let is_inner = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    while start < at && is_inner(start) {
        start += 1;
    }
    while end > at && is_inner(end) {
        end -= 1;
    }
    let word = bytes.get(start..end).filter(|word| std::str::from_utf8(word).is_ok()).unwrap_or_default();
    let found = demands.find(syntax, word, false).into_iter();
    // In a set of letters, both alphabets are meant: `^[+1yYаА]` in glibc's locale ab_GE.
    let is_in_set = |at: usize| {
        let before = word.get(..at).unwrap_or_default();
        memrchr(b'[', before) > memrchr(b']', before)
    };
    let digits = |text: &[u8]| text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let wrong = found.filter(|one| kinds.contains(&one.kind) && !is_in_set(one.offset)).filter_map(|one| {
        let text = one.text?;
        // A letter that looks like a digit is a mistake: Serbian `\u{417}oo` in shared-mime-info's x-zoo.xml.
        let own = word.get(one.offset..one.offset + one.len).unwrap_or_default();
        if one.kind == ViolationKind::LookAlike && digits(text.as_bytes()) > digits(own) {
            return None;
        }
        let what = match one.kind {
            ViolationKind::LookAlike => format!("looks like {text:?}, with letters of another alphabet"),
            _ => format!("hidden: {text:?}"),
        };
        let range = start + one.offset..start + one.offset + one.len;
        Some(Wrong { kind: one.kind.name(), range, what })
    });
    wrong.collect()
}

/// Returns the line at `at`, or the part around it if it is long.
fn line(bytes: &[u8], at: usize) -> Range<usize> {
    let least = at.saturating_sub(MAX_LINE_BYTES);
    let start = bytes.get(least..at).and_then(|before| memrchr(b'\n', before)).map_or(least, |feed| least + feed + 1);
    let most = bytes.len().min(at + MAX_LINE_BYTES);
    let end = bytes.get(at..most).and_then(|rest| memchr(b'\n', rest)).map_or(most, |feed| at + feed);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        of(text.as_bytes(), 0..text.len(), true, &[]).iter().map(|wrong| wrong.kind).collect()
    }

    #[test]
    fn attacks_are_found() {
        // CVE-2021-42574, and names of CVE-2021-42694.
        assert_eq!(kinds("/*\u{202E} } \u{2066}if (isAdmin)\u{2069} \u{2066} begin admins only */\n").len(), 2);
        assert_eq!(kinds("ad\u{200B}\u{200B}min a\u{FEFF}b"), ["invisible", "invisible"]);
        assert_eq!(kinds("a p\u{430}ypal \u{440}aypal say\u{41D}ello"), ["look_alike"; 3]);
        let secret: String = "ignore".bytes().filter_map(|byte| char::from_u32(0xE0000 + u32::from(byte))).collect();
        assert_eq!(kinds(&format!("Hi{secret} there")), ["hidden_text"]);
    }

    #[test]
    fn what_may_be_intended_passes() {
        for text in [
            "\u{FEFF}a \u{202A}+1 555\u{202C} \u{2068}name\u{2069}",
            "\u{202B}\u{5E9}\u{5DC}\u{5D5}\u{5DD} abc",
            "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645} \u{915}\u{94D}\u{200D}\u{937}",
            "\u{1797}\u{17B6}\u{200B}\u{1781} \u{1F469}\u{200D}\u{1F469} path/\u{200B}file",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} d\u{3C3}/dx",
            "IP-\u{430}\u{434}\u{440}\u{435}\u{441}",
            "yesexpr \"^[+1yY\u{430}\u{410}]\"",
            "a\u{2069}\n",
            "a\u{202C} \u{2067}\u{202E}b\u{2069}\u{202C}\n",
            "\u{417}oo \u{430}\u{440}\u{445}\u{438}\u{432}\u{430}",
        ] {
            assert_eq!(kinds(text), Vec::<&str>::new(), "{text:?}");
        }
    }
}
