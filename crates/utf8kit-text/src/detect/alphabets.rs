//! Words of two alphabets, which are in no language.

use crate::charset::Codec;
use crate::unicode::script;

/// Reports whether an encoding reads bytes as words that are in no language: each that is more than one letter has
/// small letters of ASCII beside Greek, Cyrillic or Hebrew ones, as `crХme` does. Among other words, such a one may be
/// a brand with an ending.
pub(super) fn are_mixed(codec: Codec, bytes: &[u8]) -> bool {
    let Some(text) = codec.text_of(bytes) else { return false };
    let words = || text.split(|scalar: char| !scalar.is_alphabetic()).filter(|word| !word.is_ascii());
    words().any(is_mixed) && words().all(|word| word.chars().nth(1).is_none() || is_mixed(word))
}

fn is_mixed(word: &str) -> bool {
    let mut before = None;
    word.chars().any(|scalar| {
        let beside = before.replace(scalar);
        let either = |test: fn(&char) -> bool| beside.as_ref().is_some_and(test) || test(&scalar);
        beside.is_some() && either(char::is_ascii_lowercase) && either(is_of_another_alphabet)
    })
}

/// Reports whether a letter is in an alphabet that is not mixed with the Latin one. Units are: `kΩ`, `μm`.
fn is_of_another_alphabet(scalar: &char) -> bool {
    !matches!(scalar, 'Ω' | 'μ') && matches!(script(u32::from(*scalar)), "Greek" | "Cyrillic" | "Hebrew")
}
