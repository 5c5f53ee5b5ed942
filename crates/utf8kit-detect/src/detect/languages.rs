//! The languages that a text may be in, by its letters, and the scripts of letters.

use crate::alphabets::{ALPHABETS, Languages, is_sign};

/// The number of scripts.
pub(super) const SCRIPTS: usize = 9;

/// The first character of East Asia.
pub(super) const WIDE: char = '\u{2E80}';

/// Returns the number of the script of a non-ASCII letter. Chinese characters and kana are one.
pub(super) fn script(c: char) -> Option<usize> {
    Some(match c {
        _ if c.is_ascii() || !c.is_alphabetic() => return None,
        '\u{80}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => 0,
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => 1,
        '\u{400}'..='\u{52F}' => 2,
        '\u{590}'..='\u{5FF}' => 3,
        '\u{600}'..='\u{6FF}' => 4,
        '\u{E00}'..='\u{E7F}' => 5,
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7A3}' => 6,
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => 7,
        _ => 8,
    })
}

/// From so many bytes on, it takes less time to count each character first.
const LONG: usize = 64 * 1024;

/// Returns the characters of a non-ASCII text, and how often each occurs: those of a short text one by one.
pub(super) fn counted(text: &str) -> Vec<(char, usize)> {
    if text.len() < LONG {
        return text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
    }
    let (mut times, mut others) = (vec![0; 0x1_0000], Vec::new());
    for c in text.chars() {
        match times.get_mut(c as usize) {
            Some(times) => *times += 1,
            None => others.push((c, 1)),
        }
    }
    let found = (0_u32..).zip(times).skip(0x80).filter(|(_, times)| *times > 0);
    found.filter_map(|(c, times)| Some((char::from_u32(c)?, times))).chain(others).collect()
}

/// Returns the languages that a text may be in: those with the most of its non-ASCII letters, and others with nearly as
/// many.
pub(super) fn languages(text: &str) -> Languages {
    languages_of(&counted(text))
}

/// Returns the languages of a text, given its non-ASCII characters.
pub(super) fn languages_of(characters: &[(char, usize)]) -> Languages {
    let (mut all, mut shares) = (0, [0; ALPHABETS.len()]);
    for &(c, times) in characters {
        for letter in letters(c) {
            all += times;
            Languages::with(letter).iter().for_each(|language| shares[language] += 50 * times);
        }
    }
    let most: usize = shares.into_iter().max().unwrap_or_default();
    let near = most - most.min(all);
    let likely = shares.into_iter().enumerate().filter(|(_, share)| *share >= near);
    Languages(likely.fold(0, |bits, (language, _)| bits | 1 << language))
}

/// Reports whether everything in a non-ASCII text is a letter of one of some languages, or a sign of any language.
pub(super) fn are_of(languages: Languages, text: &str) -> bool {
    let signs = text
        .chars()
        .filter(|c| !c.is_ascii() && !c.is_alphabetic())
        .all(|c| is_sign(c) || Languages::with(c).0 & languages.0 != 0);
    signs && text.chars().flat_map(letters).fold(languages.0, |left, c| left & Languages::with(c).0) != 0
}

/// Returns a non-ASCII letter in lowercase, which may be several.
fn letters(c: char) -> impl Iterator<Item = char> {
    let letter = Some(c).filter(|c| !c.is_ascii() && c.is_alphabetic() && !is_sign(*c));
    letter.into_iter().flat_map(char::to_lowercase).filter(|c| !c.is_ascii())
}
