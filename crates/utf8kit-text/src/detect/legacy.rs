//! Which legacy encoding a text is in: chardetng's guess, and what it does not look for.
//!
//! chardetng knows neither what Macintosh had nor Vietnamese without a domain to go by. These are looked for where
//! its guess leaves a text odd: signs within words, capitals behind small letters, letters of two scripts together.

use crate::charset::Legacy;
use crate::charset::legacy::guess;

/// What a guess is weighed against.
const RIVALS: [(&[&str], &str); 3] = [
    (&["windows-1251", "IBM866", "KOI8-U", "ISO-8859-5"], "x-mac-cyrillic"),
    (
        &["windows-1252", "windows-1250", "windows-1254", "windows-1257", "ISO-8859-2", "ISO-8859-4"],
        "macintosh",
    ),
    (
        &["windows-1252", "windows-1250", "windows-1254", "windows-1257", "ISO-8859-2", "ISO-8859-4"],
        "windows-1258",
    ),
];

/// The best guess at the encoding of a text that is not UTF-8. `whole`: the bytes are all of it.
pub(super) fn best(bytes: &[u8], whole: bool) -> Legacy {
    let best = guess(bytes, whole);
    let Some(text) = best.text_of(bytes) else { return readable(bytes).unwrap_or(best) };
    let rivals = RIVALS.iter().filter(|(guesses, _)| guesses.contains(&best.name()));
    let mut least = (oddness(&text), best);
    for rival in rivals.filter_map(|(_, name)| Legacy::labelled(name)) {
        let Some(text) = rival.text_of(bytes) else { continue };
        let oddness = oddness(&text);
        if oddness * 3.0 < least.0 {
            least = (oddness, rival);
        }
    }
    least.1
}

/// Whether sequences of UTF-8 hardly come about by chance in an encoding: not where most bytes beyond ASCII are
/// letters that stand next to each other in any order.
pub(super) fn is_alien(encoding: Legacy) -> bool {
    encoding.is_single_byte() && encoding.name() != "windows-874"
}

/// An encoding of several bytes a character that a text is well formed in.
fn readable(bytes: &[u8]) -> Option<Legacy> {
    let several = ["Shift_JIS", "EUC-JP", "EUC-KR", "Big5", "gb18030"];
    let texts = several.iter().filter_map(|name| Legacy::labelled(name)).filter_map(|legacy| {
        let text = legacy.text_of(bytes)?;
        Some((legacy, text.chars().count()))
    });
    // Of what is read as fewer characters, less is chance.
    texts.min_by_key(|&(_, len)| len).map(|(legacy, _)| legacy)
}

/// How odd a text is that was read in some encoding: oddities per character beyond ASCII.
pub(super) fn oddness(text: &str) -> f64 {
    let (mut odd, mut beyond) = (0.0, 0_u32);
    let mut before: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let after = chars.peek().copied();
        if !c.is_ascii() {
            beyond += 1;
            odd += oddity(before, c, after);
        }
        before = Some(c);
    }
    odd / f64::from(beyond.max(1))
}

fn oddity(before: Option<char>, c: char, after: Option<char>) -> f64 {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    if matches!(c, '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}') {
        return 4.0;
    }
    if is_accent(c) {
        // An accent of its own belongs to a vowel.
        return match before.map(|c| c.to_lowercase().next().unwrap_or(c)) {
            Some('a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'ă' | 'â' | 'ê' | 'ô' | 'ơ' | 'ư') => 0.0,
            _ => 4.0,
        };
    }
    if !c.is_alphabetic() {
        let joins = matches!(c, '\u{A0}' | '\u{AD}' | '·' | '–' | '—' | '’' | '‘' | '…');
        return if is_letter(before) && is_letter(after) && !joins { 2.0 } else { 0.0 };
    }
    let small_before = before.is_some_and(char::is_lowercase);
    let mut odd = 0.0;
    if small_before && c.is_uppercase() {
        odd += 2.0;
    }
    let other_script = |other: Option<char>| other.is_some_and(|other| script(other) + script(c) == 3);
    if other_script(before) || other_script(after) {
        odd += 1.0;
    }
    odd
}

/// 1: Latin, 2: another script with capitals, 4: anything else.
fn script(c: char) -> u8 {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => 1,
        '\u{370}'..='\u{52F}' => 2,
        _ => 4,
    }
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, legacy: Legacy) -> Vec<u8> {
        text.chars().flat_map(|c| legacy.bytes_of(c).unwrap_or_else(|| panic!("{c}"))).collect()
    }

    #[test]
    fn what_chardetng_does_not_look_for() {
        let russian = "Моя земля такая большая, что я её всю никогда не видел. Для меня это тайна.";
        let german = "Die Straße ist für alle da: Füße müssen größer werden, schöne grüne Bäume über Köln.";
        // As windows-1258 writes it: letters with their accents behind them.
        let vietnamese = "Ti\u{EA}\u{301}ng Vi\u{EA}\u{323}t la\u{300} m\u{F4}\u{323}t ng\u{F4}n ng\u{1B0}\u{303} \
                          thu\u{F4}\u{323}c ho\u{323} Nam A\u{301}, \u{111}\u{1B0}\u{1A1}\u{323}c no\u{301}i \
                          chu\u{309} y\u{EA}\u{301}u ta\u{323}i Vi\u{EA}\u{323}t Nam.";
        for (text, name) in [
            (russian, "x-mac-cyrillic"),
            (russian, "windows-1251"),
            (german, "macintosh"),
            (german, "windows-1252"),
            (vietnamese, "windows-1258"),
        ] {
            let legacy = Legacy::labelled(name).expect("a label");
            assert_eq!(best(&encoded(text, legacy), true).name(), name);
        }
    }
}
