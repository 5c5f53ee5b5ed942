//! Where signs are written.

use crate::alphabets::{is_alphabetic, is_sign};

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
