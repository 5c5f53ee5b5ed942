//! Words that look like others (UTS #39), in text and code, where many scripts are legitimate. Reports only certain
//! cases, or words in code outside of strings and comments.

use std::ops::Range;

use unicode_ident::is_xid_continue;
use unicode_normalization::UnicodeNormalization as _;
use unicode_script::{Script, UnicodeScript as _};

use super::identifier::looks_like;
use super::line::{Context, Line, Written};
use crate::violation::{Violation, ViolationKind};

/// Scripts whose words can look like words in Latin letters.
const ALPHABETS: [Script; 4] = [Script::Armenian, Script::Cherokee, Script::Cyrillic, Script::Greek];

/// The fewest ASCII letters around a Greek letter that make it part of a word and not a symbol.
const MIN_LETTERS_OF_WORD: usize = 4;

/// Reports whether a character can be mistaken for an ASCII one by itself, though it is of no other alphabet.
pub(super) fn may_be_sign(character: char) -> bool {
    is_styled(character) || operator(character).is_some()
}

/// Returns the words that look like others.
pub(super) fn find(line: &Line) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.text.len() {
        let start = at;
        let is_part = |at: &usize| line.text.get(*at).is_some_and(|&(_, c)| is_xid_continue(c));
        at = start + (start..).take_while(is_part).count();
        if at > start {
            found.extend(in_word(line, without_escape(line, start)..at));
        } else {
            at += 1;
            found.extend(in_code(line, start, start));
        }
    }
    found
}

/// Returns the start of a word after a backslash or percent sign, which takes the next letters, as in `\n`.
fn without_escape(line: &Line, start: usize) -> usize {
    let is_sign = start.checked_sub(1).is_some_and(|at| matches!(line.text[at].1, '\\' | '%'));
    let is_ascii = |at: &usize| line.text.get(*at).is_some_and(|&(_, c)| c.is_ascii_alphanumeric());
    if is_sign { start + (start..).take_while(is_ascii).count() } else { start }
}

fn in_word(line: &Line, range: Range<usize>) -> Option<Violation> {
    let word: String = line.text[range.clone()].iter().map(|&(_, character)| character).collect();
    if word.is_ascii() {
        return None;
    }
    let is_code = line.written == Written::Code && line.contexts[range.start] == Context::Open;
    let refused =
        |text| Some(Violation { text: Some(text), ..line.violation(range.clone(), ViolationKind::LookAlike) });
    if word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(is_foreign) {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let is_word = letters > 2 || is_code && !is_next_to(line, &range, |c| c == '-');
        let twin = looks_like(&word).filter(|_| is_word && !has_symbols_only(line, &range));
        return match twin {
            Some(twin) => refused(twin),
            None if is_code && alternates(&word) => Some(line.violation(range.clone(), ViolationKind::MixedScripts)),
            None => None,
        };
    }
    if !is_code {
        return None;
    }
    let styled: String = word.nfkc().collect();
    if word.chars().count() > 1 && styled.is_ascii() && word.chars().any(is_styled) {
        return refused(styled);
    }
    if let Some(violation) = in_code(line, range.end - 1, range.start) {
        return Some(violation);
    }
    let is_name = word.chars().any(|c| is_foreign(c) && !is_symbol(c)) && is_used(line, &range);
    looks_like(&word).filter(|_| is_name).and_then(refused)
}

/// Returns a violation for a character of code that looks like an operator and does not begin a word.
fn in_code(line: &Line, at: usize, start: usize) -> Option<Violation> {
    let sign = operator(line.text[at].1)?;
    let is_greek = || line.text.iter().any(|&(_, c)| c.is_alphabetic() && c.script() == Script::Greek);
    let is_code = line.written == Written::Code && line.contexts[at] == Context::Open;
    let is_likely = if sign == ';' { !is_greek() } else { at > start || !next_is_letter(line, at) };
    let violation = line.violation(at..at + 1, ViolationKind::LookAlike);
    (is_code && is_likely).then(|| Violation { text: Some(sign.into()), ..violation })
}

fn next_is_letter(line: &Line, at: usize) -> bool {
    line.text.get(at + 1).is_some_and(|&(_, c)| c.is_alphabetic())
}

/// Returns the operator that a character looks like: letters for clicks, and the Greek question mark.
fn operator(character: char) -> Option<char> {
    match character {
        '\u{1C0}' => Some('|'),
        '\u{1C3}' => Some('!'),
        '\u{37E}' => Some(';'),
        _ => None,
    }
}

/// Reports whether a character is a letter of another alphabet.
pub(super) fn is_foreign(character: char) -> bool {
    !character.is_ascii() && character.is_alphabetic() && ALPHABETS.contains(&character.script())
}

/// Reports whether a Greek letter is a symbol in formulas. Letters that look like Latin ones are not.
fn is_symbol(character: char) -> bool {
    character.is_lowercase() && character.script() == Script::Greek && character != '\u{3BF}'
}

/// Reports whether a character is a styled form of an ASCII letter, which some languages read as that letter.
fn is_styled(character: char) -> bool {
    matches!(character, '\u{FF21}'..='\u{FF3A}' | '\u{FF41}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}')
}

/// Reports whether all letters of a word that are not Latin are symbols of formulas, as in `dσ` and `σ_max`.
fn has_symbols_only(line: &Line, range: &Range<usize>) -> bool {
    let word = &line.text[range.clone()];
    let is_latin = |at: usize| word.get(at).is_some_and(|&(_, c)| c.is_ascii_alphabetic());
    let is_within = |at: usize| at.checked_sub(1).is_some_and(is_latin) && is_latin(at + 1);
    let is_long = word.iter().filter(|&&(_, c)| c.is_ascii_alphabetic()).count() >= MIN_LETTERS_OF_WORD;
    let is_called = line.text.get(range.end).is_some_and(|&(_, c)| c == '(');
    let mut letters = word.iter().enumerate().filter(|&(_, &(_, c))| is_foreign(c));
    letters.all(|(at, &(_, c))| is_symbol(c) && !(is_long && (is_called || is_within(at))))
}

/// Reports whether ASCII letters and letters of another alphabet alternate more than once.
fn alternates(word: &str) -> bool {
    let letters = word.split(|c: char| !c.is_alphabetic()).map(|part| {
        let scripts: Vec<_> = part.chars().filter(|&c| c.is_ascii() || is_foreign(c)).map(is_foreign).collect();
        let has_symbols_only = part.chars().filter(|&c| is_foreign(c)).all(|c| c.script() == Script::Greek);
        if has_symbols_only { 0 } else { scripts.windows(2).filter(|pair| pair[0] != pair[1]).count() }
    });
    letters.max().is_some_and(|turns| turns > 1)
}

/// Reports whether a word in code is certainly a name: punctuation of code stands next to it, and all non-ASCII letters
/// of its line are in words like it.
fn is_used(line: &Line, range: &Range<usize>) -> bool {
    // A single letter may be part of a table.
    let signs = if range.len() > 1 { "=(){}[].,;:+*/|!%" } else { "=(" };
    let is_alike = |&(_, c): &(Range<usize>, char)| {
        let mut buffer = [0; 4];
        c.is_ascii() || !c.is_alphabetic() || looks_like(c.encode_utf8(&mut buffer)).is_some()
    };
    is_next_to(line, range, |c| signs.contains(c)) && line.text.iter().all(is_alike)
}

/// Reports whether a sign stands before or after a word, apart from spaces.
fn is_next_to(line: &Line, range: &Range<usize>, is_sign: impl Fn(char) -> bool) -> bool {
    let is_first = |mut characters: &mut dyn Iterator<Item = char>| {
        (&mut characters).find(|c| !c.is_whitespace()).is_some_and(&is_sign)
    };
    is_first(&mut line.text[range.end..].iter().map(|&(_, c)| c))
        || is_first(&mut line.text[..range.start].iter().rev().map(|&(_, c)| c))
}
