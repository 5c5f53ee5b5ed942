//! Rates how odd decoded text looks, to distinguish a right decoding from a wrong one.

use crate::alphabets::{is_alphabetic, small};

/// The oddness above which a text rarely reads as one.
pub const ODD: f64 = 0.1;

/// A character with what is asked of it again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Character {
    pub(crate) c: char,
    pub(crate) is_alphabetic: bool,
    is_lowercase: bool,
    pub(crate) is_uppercase: bool,
    script: Script,
}

/// What letters of a script may stand beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Latin,
    /// Its letters do not occur in words in Latin letters.
    NotLatin,
    Other,
}

impl Character {
    pub(crate) fn new(c: char) -> Character {
        Character {
            c,
            is_alphabetic: is_alphabetic(c),
            is_lowercase: c.is_lowercase(),
            is_uppercase: c.is_uppercase(),
            script: match c {
                'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
                '\u{370}'..='\u{52F}' | '\u{590}'..='\u{6FF}' | '\u{E01}'..='\u{E4F}' => Script::NotLatin,
                _ => Script::Other,
            },
        }
    }
}

/// Returns the number of oddities per non-ASCII character.
pub fn oddness(text: &str) -> f64 {
    let (mut odd, mut beyond) = (0.0, 0_u32);
    let mut before = None;
    let mut signs = text.chars().map(Character::new).peekable();
    while let Some(sign) = signs.next() {
        if !sign.c.is_ascii() {
            beyond += 1;
            odd += oddity(before, sign, signs.peek().copied());
        }
        before = Some(sign);
    }
    odd / f64::from(beyond.max(1))
}

/// Rates a non-ASCII character between two others.
pub(crate) fn oddity(before: Option<Character>, sign: Character, after: Option<Character>) -> f64 {
    let (c, previous) = (sign.c, before.map(|sign| sign.c));
    if matches!(c, '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}') {
        return 4.0;
    }
    if is_accent(c) {
        // A combining accent belongs to a vowel.
        return match previous.map(|c| c.to_lowercase().next().unwrap_or(c)) {
            Some('a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'ă' | 'â' | 'ê' | 'ô' | 'ơ' | 'ư') => 0.0,
            _ => 4.0,
        };
    }
    if is_thai_mark(c) && !previous.is_some_and(|c| matches!(c, '\u{E01}'..='\u{E2E}') || is_thai_mark(c)) {
        return 2.0;
    }
    // Some vowels are written before their consonant; one of them is often typed twice.
    let is_thai_start = |sign: Character| matches!(sign.c, '\u{E01}'..='\u{E2E}' | '\u{E40}');
    if matches!(c, '\u{E40}'..='\u{E44}') && !after.is_some_and(is_thai_start) {
        return 2.0;
    }
    if sign.is_alphabetic { oddity_of_letter(before, sign, after) } else { oddity_of_sign(before, c, after) }
}

/// Rates what is not a letter.
fn oddity_of_sign(before: Option<Character>, c: char, after: Option<Character>) -> f64 {
    let is_letter = |sign: Option<Character>| sign.is_some_and(|sign| sign.is_alphabetic);
    let letters = (is_letter(before), is_letter(after));
    let lower_after = after.is_some_and(|sign| sign.is_lowercase);
    let (before, after) = (before.map(|sign| sign.c), after.map(|sign| sign.c));
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    if is_hebrew_point(c) && !before.is_some_and(|c| matches!(c, '\u{5D0}'..='\u{5EA}') || is_hebrew_point(c))
    {
        return 2.0;
    }
    // Viramas, nuktas and Thai signs are not letters, but occur between letters in words.
    let is_sign = matches!(c, '\u{900}'..='\u{DFF}' | '\u{E47}'..='\u{E4E}');
    if is_sign
        && !c.is_numeric()
        && !matches!(c, '\u{964}' | '\u{965}')
        && before.is_none_or(|c| c.is_ascii())
    {
        return 2.0;
    }
    let joins = is_sign
        || matches!(c, '\u{A0}' | '\u{AD}' | '\u{200C}' | '\u{200D}' | '–' | '—' | '’' | '´' | '…')
        || is_hebrew_point(c)
        || is_hebrew_mark(c) && before.is_some_and(|c| matches!(c, '\u{5D0}'..='\u{5EA}'))
        || c == '·' && before.is_some_and(|c| matches!(c, 'l' | 'L'));
    match letters {
        (true, true) if !joins => 2.0,
        (true, _) if matches!(c, '¡' | '¿' | '‚' | '„' | '£' | '¥' | '€') => 1.0,
        (true, _) | (_, true) if matches!(c, '¼' | '½' | '¾') => 1.0,
        (_, true) if c == '°' && lower_after => 1.0,
        // Quotation marks stand beside what they quote.
        _ if matches!(c, '‘'..='„') && is_space(before) && is_space(after) => 1.0,
        (true, _) | (_, true) if c == '÷' => 1.0,
        // Marks of direction stand alone.
        _ if is_direction(c) && after.is_some_and(is_direction) => 2.0,
        // What `ÿ` is in other encodings: an accent without its letter.
        _ if c == '˙' => 1.0,
        _ => 0.0,
    }
}

/// Reports whether a character is a mark of direction.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}')
}

/// Rates a letter.
fn oddity_of_letter(before: Option<Character>, sign: Character, after: Option<Character>) -> f64 {
    let is = |sign: Option<Character>, what: fn(Character) -> bool| sign.is_some_and(what);
    let letters = (is(before, |sign| sign.is_alphabetic), is(after, |sign| sign.is_alphabetic));
    let lower_before = is(before, |sign| sign.is_lowercase);
    let Character { c, is_uppercase, script, .. } = sign;
    let mut odd = 0.0;
    if is_uppercase {
        if lower_before {
            odd += 2.0;
        }
        if is(before, |sign| sign.is_uppercase) && is(after, |sign| sign.is_lowercase) {
            odd += 1.0;
        }
    }
    let is_digit = |sign: Option<Character>| is(sign, |sign| sign.c.is_ascii_digit());
    if (is_digit(before) && !letters.1 || is_digit(after) && !letters.0) && !matches!(c, 'º' | 'ª') {
        odd += 1.0;
    }
    let other_script = |other: Option<Character>| match other.map(|other| other.script) {
        Some(Script::Latin) => script == Script::NotLatin,
        Some(Script::NotLatin) => script == Script::Latin,
        _ => false,
    };
    if other_script(before) || other_script(after) {
        odd += 1.0;
    }
    // They stand at the ends of words.
    if letters.1 && matches!(c, 'ª' | 'º' | 'ς' | 'ך' | 'ם' | 'ן' | 'ף' | 'ץ') {
        odd += 1.0;
    }
    // It stands before a unit, not within a word.
    if letters.0 && c == 'µ' {
        odd += 2.0;
    }
    if script == Script::Latin { odd + oddity_of_latin(before, sign, after) } else { odd }
}

/// Rates what only Latin letters can be.
fn oddity_of_latin(before: Option<Character>, sign: Character, after: Option<Character>) -> f64 {
    let is_letter = |sign: Option<Character>| sign.is_some_and(|sign| sign.is_alphabetic);
    let letters = (is_letter(before), is_letter(after));
    let c = sign.c;
    let mut odd = 0.0;
    // A consonant is not a word in a language with Latin letters.
    if letters == (false, false) && small(c).is_some_and(|c| "ßçðñþćčđģğķļłńņňŕřśŝşšţťźżž".contains(c))
    {
        odd += 1.0;
    }
    // Words in Latin letters have some of ASCII among them, capitals above all.
    let is_latin = |sign: Character| !sign.c.is_ascii() && sign.script == Script::Latin;
    if let (Some(before), Some(after)) = (before, after)
        && letters == (true, true)
        && [before, sign, after].into_iter().all(is_latin)
    {
        odd += if after.is_uppercase { 1.0 } else { 0.5 };
    }
    // No word begins with it.
    if c == 'ÿ' && !letters.0 {
        odd += 1.0;
    }
    // Welsh has it between consonants.
    let is_vowel = |sign: Option<Character>| sign.is_some_and(|sign| "aeiou".contains(sign.c));
    if c == 'ŷ' && (is_vowel(before) || is_vowel(after)) {
        odd += 1.0;
    }
    odd
}

/// Reports whether a character is written above or below a Thai consonant.
fn is_thai_mark(c: char) -> bool {
    matches!(c, '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}')
}

fn is_hebrew_point(c: char) -> bool {
    matches!(c, '\u{5B0}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}')
}

/// Reports whether a character is a hyphen, an apostrophe or a sign of an abbreviation of Hebrew, within words.
fn is_hebrew_mark(c: char) -> bool {
    matches!(c, '־' | '׳' | '״')
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thai_marks_follow_consonants() {
        assert_eq!(oddness("นี่คือข้อความภาษาไทย ที่มีหลายบรรทัด และทั้งหมดนี้"), 0.0);
        // Arabic in UTF-8, decoded as windows-874.
        assert!(oddness("ู‡ุฐุง ู†ุต") > 0.5, "{}", oddness("ู‡ุฐุง ู†ุต"));
        // A word of Korean in EUC-KR ends with a vowel that is written before a consonant.
        assert!(oddness("<td>1</td> บธฑโ ") > ODD);
        assert_eq!(oddness("เเละ แก้ไข โปรด ใหม่ ไทย"), 0.0);
    }
}
