//! What decides between encodings in which a text reads as well: how usual its letters are in a language that is
//! written in the encoding, whether its signs are in their places, and the language of its ASCII words.

use crate::alphabets::{Languages, is_alphabetic, is_sign};
use crate::detect::languages::{are_of, languages_by_words, usual};

/// How much unusual letters and signs count, and those that the language of the ASCII words lacks.
const LETTERS: f64 = 0.04;
const WORDS: f64 = 0.03;

/// The most that a text can be less plausible than another.
pub(in crate::detect) const MOST: f64 = LETTERS + WORDS;

/// The habits of the people who wrote a text.
pub(in crate::detect) struct Habits(Option<Languages>);

impl Habits {
    pub(in crate::detect) fn of(bytes: &[u8]) -> Habits {
        Habits(languages_by_words(bytes))
    }

    /// Returns by how much less plausible a text is than one that is all usual. `served` are the languages
    /// that are written in its encoding.
    pub(in crate::detect) fn doubt(&self, text: &str, served: Languages) -> f64 {
        let (mut number, mut good, mut letters) = (0_u32, 0_u32, Vec::new());
        let is_near = |other: Option<char>| other.is_some_and(|c| c >= 'Ͱ' && is_alphabetic(c));
        let mut before = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let after = chars.peek().copied();
            number += u32::from(!c.is_ascii());
            if c.is_ascii() {
                // Usual everywhere.
            } else if !is_alphabetic(c) || is_sign(c) {
                let is_mark = !is_sign(c) && ('\u{300}'..'\u{2000}').contains(&c);
                let has_other = match c {
                    '¡' => text.contains('!'),
                    '¿' => text.contains('?'),
                    '“' | '”' | '„' | '«' | '»' | '‹' | '›' => {
                        text.chars().filter(|c| "“”„«»‹›".contains(*c)).count() > 1
                    }
                    '‚' => text.contains(['‘', '’']),
                    // In DOS, frequent letters at the ends of words are where it is.
                    '…' => self.0.is_none() || !goes_on(before, chars.clone()),
                    _ => !is_mark || is_near(before),
                };
                good += u32::from(has_other && is_in_place(before, c, after));
            } else if c < 'Ͱ' {
                letters.extend(c.to_lowercase());
            } else {
                // A letter of another script is beside one of it.
                good += u32::from(is_near(before) || is_near(after));
            }
            before = Some(c);
        }
        let share = usual(&letters, served);
        let usual = (f64::from(good) + share * letters.len() as f64) / f64::from(number.max(1));
        let is_own = self.0.is_none_or(|languages| are_of(languages, text));
        LETTERS * (1.0 - usual.min(1.0)) + if is_own { 0.0 } else { WORDS }
    }
}

/// Reports whether a sentence goes on behind a sign at the end of a word.
fn goes_on(before: Option<char>, mut behind: impl Iterator<Item = char>) -> bool {
    before.is_some_and(is_alphabetic)
        && behind.next() == Some(' ')
        && behind.next().is_some_and(char::is_lowercase)
}

/// Reports whether a sign is where it is written.
pub(in crate::detect) fn is_in_place(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(is_alphabetic);
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_word = |c| is_letter(c) || is_digit(c);
    let is_large = |c: Option<char>| c.is_some_and(char::is_uppercase);
    let opens = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let within = is_word(before) && is_word(after);
    match c {
        // What many write for an apostrophe is an accent.
        '’' | '´' => is_word(before),
        '“' | '”' | '«' | '»' | '‹' | '›' => {
            let begins = matches!(before, Some('(' | '[' | '“' | '«' | '‹'));
            let ends = matches!(after, Some(')' | ']' | '.' | ',' | ';' | ':' | '!' | '?' | '”' | '»' | '›'));
            opens(before) != opens(after) || is_space(before) != is_space(after) || begins || ends
        }
        // They join letters of Persian, and of India.
        '\u{200C}' | '\u{200D}' => within,
        '‘' | '‚' | '„' => opens(before) && !opens(after),
        '–' | '—' | '·' => is_word(before) == is_word(after),
        '…' => !is_letter(after),
        '¿' | '¡' => opens(before) && is_letter(after),
        '©' | '®' | '™' => !within,
        '±' | '×' | '÷' => is_digit(after) || opens(before) && opens(after),
        '°' if opens(before) && is_large(after) => true,
        '°' | 'º' | 'ª' | '¼' | '½' | '¾' => {
            is_digit(before) && !is_digit(after)
                || opens(before) && opens(after)
                || is_letter(before) && opens(after)
        }
        '²' | '³' => matches!(before, Some('m' | ' ')) || is_digit(before),
        '‰' => is_digit(before) && !is_digit(after),
        '£' | '€' | '¥' => is_digit(before) != is_digit(after) || opens(before) && opens(after),
        '§' | '¶' | '•' | '†' | '№' => opens(before) && (is_digit(after) || opens(after)),
        'µ' => !is_word(before),
        '\u{A0}' => {
            let stops = matches!(after, Some(':' | ';' | '!' | '?' | '»'));
            is_digit(before) && is_word(after)
                || is_letter(before) && (is_digit(after) || is_large(after) || stops)
        }
        // Marks above and below letters.
        _ => !is_sign(c) && ('\u{300}'..'\u{2000}').contains(&c),
    }
}
