//! What a reading in an encoding tells by itself: words of two alphabets, which are in no language, or signs alone.

use std::collections::BTreeSet;

use crate::charset::Codec;
use crate::unicode::script;

/// Reports whether an encoding reads bytes as words that are in no language: all of more than one letter have small
/// letters of ASCII beside those of another script, and one has them on both sides, as `crХme` and `pakaｼo` do. Brands
/// with an ending are text, and so are single words of Greek letters in formulas.
pub(super) fn are_mixed(codec: Codec, bytes: &[u8]) -> bool {
    let Some(text) = codec.text_of(bytes) else { return false };
    let words = || text.split(|scalar: char| !scalar.is_alphabetic()).filter(|word| !word.is_ascii());
    let framed: BTreeSet<&str> = words().filter(|word| is_framed(word)).collect();
    let is_greek = |word: &&str| word.chars().any(|scalar| script(u32::from(scalar)) == "Greek");
    (framed.len() > 1 || framed.iter().any(|word| !is_greek(word)))
        && words().all(|word| word.chars().nth(1).is_none() || is_mixed(word))
}

/// Reports whether a word has a small letter of ASCII beside one of another alphabet.
fn is_mixed(word: &str) -> bool {
    let mut beside = word.chars().zip(word.chars().skip(1));
    let is_small = |scalar: char| scalar.is_ascii_lowercase();
    beside.any(|(a, b)| is_small(a) && is_of_another_alphabet(b) || is_of_another_alphabet(a) && is_small(b))
}

/// Reports whether a word has letters of another alphabet between small letters of ASCII.
fn is_framed(word: &str) -> bool {
    let is_small = |scalar: Option<char>| scalar.is_some_and(|scalar| scalar.is_ascii_lowercase());
    word.split(|scalar: char| !is_of_another_alphabet(scalar)).any(|run| {
        let start = run.as_ptr() as usize - word.as_ptr() as usize;
        let (before, behind) = (word.get(..start), word.get(start + run.len()..));
        !run.is_empty()
            && is_small(before.and_then(|before| before.chars().next_back()))
            && is_small(behind.and_then(|behind| behind.chars().next()))
    })
}

/// Reports whether a letter is in a script that is not mixed with the Latin one within words. Units are: `kΩ`, `μm`.
fn is_of_another_alphabet(scalar: char) -> bool {
    const OTHERS: [&str; 6] = ["Greek", "Cyrillic", "Hebrew", "Han", "Katakana", "Hangul"];
    !matches!(scalar, 'Ω' | 'μ') && OTHERS.contains(&script(u32::from(scalar)))
}

/// Reports whether an encoding reads bytes as signs alone, none between letters: they say little about an encoding.
pub(super) fn are_signs(codec: Codec, bytes: &[u8]) -> bool {
    let Some(text) = codec.text_of(bytes) else { return false };
    let is_letter = |scalar: Option<char>| scalar.is_some_and(char::is_alphabetic);
    let mut before = None;
    let mut scalars = text.chars().peekable();
    while let Some(scalar) = scalars.next() {
        let is_within = is_letter(before) && is_letter(scalars.peek().copied());
        if !scalar.is_ascii() && (scalar.is_alphabetic() || is_within) {
            return false;
        }
        before = Some(scalar);
    }
    true
}
