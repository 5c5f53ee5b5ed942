//! Text in a row that people overlook or mistake for something else.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use unicode_ident::{is_xid_continue, is_xid_start};

use super::identifier::looks_like;
use super::line::{Context, Line, lines};
use super::{damage, hidden_text, look_alike};
use crate::rows::{RowFormat, RowSyntax};
use crate::violation::Violation;

pub(super) use super::line::Written;

/// Returns the parts of a row that people overlook or mistake for something else, in order.
pub(super) fn find(syntax: &RowSyntax, row: &[u8], first: bool, written: Written) -> Vec<Violation> {
    let mut found = Vec::new();
    if passes(syntax, row, written) {
        return found;
    }
    let (text, is_plain) = (std::str::from_utf8(row).ok(), are_plain(syntax, row, written));
    for line in lines(syntax, row, first, written) {
        let start = found.len();
        if !is_plain {
            found.extend(hidden_text::find(&line));
        }
        // Text in another encoding has no words.
        if text.is_some() {
            found.extend(damage::find(&line));
        }
        if text.is_some() && !is_plain {
            found.extend(look_alike::find(&line));
        }
        found[start..].sort_by_key(|violation| violation.offset);
    }
    found
}

/// The lines of a row of code.
pub(super) struct Code(Vec<Line>);

impl Code {
    pub(super) fn of(syntax: &RowSyntax, row: &[u8], first: bool) -> Code {
        Code(lines(syntax, row, first, Written::Code).filter(|line| !line.text.is_empty()).collect())
    }

    /// Reports whether a span is part of a name that would be a different name without it, because letters stand on
    /// both sides, or because programs treat the span itself as letters.
    pub(super) fn has_in_name(&self, violation: &Violation) -> bool {
        let span = violation.offset..violation.offset + violation.len;
        // JavaScript allows joiners in names.
        let is_letter = |c: char| is_xid_continue(c) || matches!(c, '\u{200C}' | '\u{200D}');
        let later = self.0.partition_point(|line| line.text[0].0.start <= span.start);
        let Some(line) = later.checked_sub(1).map(|at| &self.0[at]) else { return false };
        let Ok(at) = line.text.binary_search_by_key(&span.start, |(range, _)| range.start) else {
            return false;
        };
        let len = line.text[at..].iter().take_while(|(range, _)| range.start < span.end).count();
        let is_part = |at: usize| line.text.get(at).is_some_and(|&(_, c)| is_letter(c));
        let (before, behind) = (at.checked_sub(1).is_some_and(is_part), is_part(at + len));
        let is_itself = (at..at + len).all(is_part) && (before || behind || is_xid_start(line.text[at].1));
        line.contexts[at] == Context::Open && (before && behind || is_itself)
    }
}

/// Reports whether some rows certainly hide nothing.
pub(super) fn passes(syntax: &RowSyntax, rows: &[u8], written: Written) -> bool {
    are_plain(syntax, rows, written) && are_intact(syntax, rows)
}

/// Reports whether nothing in some rows is damaged. Mojibake is searched for as in a text: of the lines that are odd
/// but have no sequences of UTF-8, only the first are judged.
pub(super) fn are_intact(syntax: &RowSyntax, rows: &[u8]) -> bool {
    let is_intact = |text: &str| syntax.format() == RowFormat::Lines && !damage::may_be(text);
    utf8kit::is_ascii(rows) || std::str::from_utf8(rows).is_ok_and(is_intact)
}

/// What is known of a character, cached on first use because few occur.
const KNOWN: u8 = 1;
/// It is or may be hidden, or looks like an operator or a styled letter.
const SUSPECT: u8 = 2;
/// It is a letter of an alphabet that is mistaken for another.
const FOREIGN: u8 = 4;
/// It is a non-ASCII letter that looks like no ASCII letter.
const UNLIKE: u8 = 8;
/// It is part of a word.
const OF_WORD: u8 = 16;

static CHARACTERS: [AtomicU8; 0x11_0000] = [const { AtomicU8::new(0) }; 0x11_0000];

/// Reports whether rows have no hidden characters, and no words or signs that could be mistaken for others.
pub(super) fn are_plain(syntax: &RowSyntax, rows: &[u8], written: Written) -> bool {
    let has_escapes =
        matches!(syntax.format(), RowFormat::Json | RowFormat::Jsonl) && memchr::memmem::find(rows, b"\\u").is_some();
    let has_controls = || rows.iter().any(|byte| hidden_text::is_alien_control(char::from(*byte)) && byte.is_ascii());
    if has_escapes || has_controls() {
        return false;
    }
    utf8kit::is_ascii(rows)
        || std::str::from_utf8(rows).is_ok_and(|text| {
            // In code, a whole word may be mistaken for another where nothing else of its line is foreign.
            let is_line = written == Written::Text || syntax.format() == RowFormat::Lines;
            is_plain(text, written == Written::Code, is_line)
        })
}

fn is_plain(text: &str, is_code: bool, is_line: bool) -> bool {
    let (mut has_ascii, mut word, mut line) = (false, 0, 0);
    let is_clear = |line: u8| !is_code || line & FOREIGN == 0 || is_line && line & UNLIKE != 0;
    for c in text.chars() {
        if c == '\n' && is_line {
            if !is_clear(line) {
                return false;
            }
            line = 0;
        }
        if c.is_ascii() {
            has_ascii |= c.is_ascii_alphabetic();
            if !c.is_ascii_alphanumeric() && c != '_' {
                (has_ascii, word) = (false, 0);
            }
        } else {
            let known = char_flags(c);
            if known & OF_WORD == 0 {
                (has_ascii, word) = (false, 0);
            }
            word |= known;
            line |= known;
        }
        if word & SUSPECT != 0 || has_ascii && word & FOREIGN != 0 {
            return false;
        }
    }
    is_clear(line)
}

fn char_flags(c: char) -> u8 {
    let Some(cached) = CHARACTERS.get(c as usize) else { return SUSPECT };
    match cached.load(Relaxed) {
        0 => {
            let is_twin = || looks_like(c.encode_utf8(&mut [0; 4])).is_some();
            let mut known = KNOWN;
            for (bit, is) in [
                (SUSPECT, hidden_text::may_hide(c) || look_alike::may_be_sign(c)),
                (FOREIGN, look_alike::is_foreign(c)),
                (UNLIKE, c.is_alphabetic() && !is_twin()),
                (OF_WORD, is_xid_continue(c)),
            ] {
                known |= if is { bit } else { 0 };
            }
            cached.store(known, Relaxed);
            known
        }
        known => known,
    }
}

#[cfg(test)]
mod tests {
    use utf8kit_testing::Random;

    use super::*;
    use crate::targets::tests::{demands, syntax};

    /// Letters that look alike or do not, signs, hidden characters, and what stands between words.
    const CHARACTERS: [char; 28] = [
        'a', 'p', 'Z', '0', '_', ' ', '.', '=', '(', '"', '#', '\'', '\u{430}', '\u{440}', '\u{436}', '\u{41D}',
        '\u{3C3}', '\u{3BF}', '\u{3B1}', '\u{E9}', '\u{37E}', '\u{1C3}', '\u{FF21}', '\u{200B}', '\u{301}', '\u{2014}',
        '\u{5D0}', '\u{4E00}',
    ];

    #[test]
    fn plain_lines_hide_nothing() {
        let (lines_of_text, mut random) = (syntax(RowFormat::Lines), Random::new(7));
        let mut plain = [0; 2];
        for _ in 0..200_000 {
            let len = random.below(9);
            let text: String = (0..len).map(|_| random.pick(&CHARACTERS)).collect();
            for (plain, written) in plain.iter_mut().zip([Written::Text, Written::Code]) {
                if !are_plain(&lines_of_text, text.as_bytes(), written) {
                    continue;
                }
                *plain += 1;
                for line in lines(&lines_of_text, text.as_bytes(), false, written) {
                    assert_eq!(hidden_text::find(&line).next(), None, "{text:?}");
                    assert_eq!(look_alike::find(&line), [], "{text:?} {written:?}");
                }
            }
        }
        assert!(plain.iter().all(|plain| *plain > 10_000), "{plain:?}");
    }

    /// A line of a megabyte is judged in pieces.
    #[test]
    fn what_is_wrong_in_a_long_line_is_found() {
        let prose = "All is well that ends well, they say. ".repeat(10_000);
        let lines = syntax(RowFormat::Lines);
        assert!(demands("text").pass(&lines, prose.as_bytes(), false));
        let garbled = format!("{prose}Un caf\u{C3}\u{A9}, p\u{430}ypal");
        let found = demands("text").find(&lines, garbled.as_bytes(), false);
        let found: Vec<_> = found.iter().map(|one| (one.offset - prose.len(), one.len)).collect();
        assert_eq!(found, [(6, 4), (12, 7)]);
    }
}
