//! Damage that an earlier program wrote as text: U+FFFD for bytes that it could not decode, and text that was encoded
//! twice.

use utf8kit_detect::mojibake::first_garbled;

use super::line::{Context, Line, Written};
use crate::violation::{Violation, ViolationKind};

/// Words in lines that contain damage on purpose, such as tests of decoders.
const ON_PURPOSE: [&str; 6] = ["fffd", "lossy", "assert", "expect", "mojibake", "\\x"];

/// Two U+FFFD, as UTF-8 decoded in GBK.
const READ_AS_GBK: &str = "锟斤拷";

/// Reports whether a line is damaged, or may be.
pub(super) fn may_be(text: &str) -> bool {
    text.contains('\u{FFFD}') || text.contains(READ_AS_GBK) || first_garbled(text).is_some()
}

/// Returns the damage in a line, in order.
pub(super) fn find(line: &Line) -> Vec<Violation> {
    let text: String = line.text.iter().map(|&(_, character)| character).collect();
    let on_purpose = line.written == Written::Code && is_intended(&text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = (at..line.text.len()).find(|&at| line.text[at].1 == '\u{FFFD}') {
        at = start + 1;
        if line.written == Written::Code {
            let is_same = |at: &usize| line.text.get(*at).is_some_and(|&(_, character)| character == '\u{FFFD}');
            at = (start..).take_while(is_same).count() + start;
            if !is_lost(line, start, at) || on_purpose && line.contexts[start] != Context::Comment {
                continue;
            }
        }
        found.push(line.violation(start..at, ViolationKind::ReplacementCharacter));
    }
    for (start, _) in text.match_indices(READ_AS_GBK).filter(|_| !on_purpose) {
        let at = text.get(..start).map_or(0, |before| before.chars().count());
        found.push(line.violation(at..at + READ_AS_GBK.chars().count(), ViolationKind::ReplacementCharacter));
    }
    found.extend(misdecoded(line, &text).filter(|_| !on_purpose));
    found
}

fn is_intended(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ON_PURPOSE.iter().any(|word| text.contains(word))
}

/// Reports whether the U+FFFD in a line of code replace letters of a word and are not there on purpose.
fn is_lost(line: &Line, start: usize, end: usize) -> bool {
    let character = |at: usize| line.text.get(at).map(|&(_, character)| character);
    let (before, after) = (start.checked_sub(1).and_then(character), character(end));
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let is_edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation());
    let is_word = end - start > 1 && is_edge(before) && is_edge(after) && line.contexts[start] != Context::String;
    line.contexts[start] != Context::Example && (is_letter(before) || is_letter(after) || is_word)
}

/// Returns the first words of a line that were certainly encoded twice.
fn misdecoded(line: &Line, text: &str) -> Option<Violation> {
    let garbled = first_garbled(text)?;
    let (old, new) = (|| text.get(garbled.range.clone()).unwrap_or_default().chars(), || garbled.was.chars());
    let same = old().zip(new()).take_while(|(one, other)| one == other).count();
    let most = old().count().min(new().count()) - same;
    let same_end = old().rev().zip(new().rev()).take(most).take_while(|(one, other)| one == other).count();
    let start = text.get(..garbled.range.start)?.chars().count();
    let range = start + same..start + old().count() - same_end;
    let is_example = line.written == Written::Code && line.contexts.get(range.clone())?.contains(&Context::Example);
    let becomes: String = new().skip(same).take(new().count() - same - same_end).collect();
    // Isolated signs are as rare as their misdecoded forms.
    let is_text = becomes.chars().any(|c| !c.is_ascii() && (c.is_alphabetic() || is_punctuation(c)));
    let violation = line.violation(range, ViolationKind::DoubleEncoding);
    (is_text && !is_example).then_some(Violation { text: Some(becomes), ..violation })
}

/// Reports whether a character is a dash, a quotation mark or other common punctuation.
fn is_punctuation(character: char) -> bool {
    matches!(character, '\u{A0}'..='\u{BF}' | '\u{2010}'..='\u{2044}' | '\u{20AC}')
}
