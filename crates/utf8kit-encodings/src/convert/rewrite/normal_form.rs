//! Unicode normal forms (UAX #15) of text in pieces.
//!
//! Most characters of most texts are *simple*: starters that are already normalized and do not combine with the
//! preceding character. Runs of simple characters are copied. `unicode-normalization` normalizes each run of other
//! characters, together with the simple character before it, because the run may combine with it.

use std::iter;
use std::ops::Range;
use std::sync::OnceLock;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick, is_nfd_quick};

/// A Unicode normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NormalForm {
    /// Composed: `é` is one code point.
    Nfc,
    /// Decomposed: `é` is an `e` followed by a combining accent.
    Nfd,
}

impl NormalForm {
    /// Reports whether a character is simple.
    fn finds_simple(self, c: char) -> bool {
        let check = match self {
            NormalForm::Nfc => is_nfc_quick(iter::once(c)),
            NormalForm::Nfd => is_nfd_quick(iter::once(c)),
        };
        check == IsNormalized::Yes && canonical_combining_class(c) == 0
    }

    /// Appends the normalized text. Most text is normalized already.
    fn append(self, text: &str, out: &mut String) {
        match self {
            NormalForm::Nfc if is_nfc_quick(text.chars()) == IsNormalized::Yes => out.push_str(text),
            NormalForm::Nfd if is_nfd_quick(text.chars()) == IsNormalized::Yes => out.push_str(text),
            NormalForm::Nfc => out.extend(text.nfc()),
            NormalForm::Nfd => out.extend(text.nfd()),
        }
    }

    /// Returns the first byte of the first character that is not simple.
    fn first_byte(self) -> u8 {
        match self {
            NormalForm::Nfc => 0xCC, // U+0300
            NormalForm::Nfd => 0xC3, // U+00C0
        }
    }

    /// Reports whether all characters with this first byte are simple. Continuation bytes count as simple. It has no
    /// branch, so that the compiler tests many bytes at once.
    #[inline(always)]
    fn is_simple_byte(self, byte: u8) -> bool {
        let in_range = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
        match self {
            // Latin up to U+02FF, Cyrillic, Armenian, CJK ideographs and Hangul syllables up to U+CFFF.
            NormalForm::Nfc => {
                !(in_range(0xCC, 0xCF) | (byte == 0xD2) | in_range(0xD6, 0xE3) | (byte == 0xEA) | (byte >= 0xED))
            }
            // ASCII and U+0080 to U+00BF; CJK ideographs.
            NormalForm::Nfd => !(in_range(0xC3, 0xE3) | (byte >= 0xEA)),
        }
    }
}

/// One bit per character of the Basic Multilingual Plane: whether the character is simple.
type Simple = [u64; 0x1_0000 / 64];

/// Characters above the Basic Multilingual Plane that are all simple: emoji and other symbols.
const SIMPLE_ABOVE: Range<u32> = 0x1_F000..0x2_0000;

/// The most bytes that are held back. A longer run of combining characters, which real texts do not contain, is
/// normalized in parts.
const HELD: usize = 1 << 20;

/// The number of bytes that are examined together.
const STEP: usize = 32;

/// Normalizes a text in pieces.
#[derive(Clone, Debug)]
pub(super) struct Normalizer {
    form: NormalForm,
    simple: &'static Simple,
    /// The last simple character of the input and the text after it.
    held: String,
}

impl Normalizer {
    /// Creates a normalizer for the start of a text.
    pub(super) fn new(form: NormalForm) -> Normalizer {
        Normalizer { form, simple: simple(form), held: String::new() }
    }

    /// Returns the end of the input that is held back.
    pub(super) fn held(&self) -> &str {
        &self.held
    }

    /// Appends the normalized piece to `out`. `last` marks the last piece.
    pub(super) fn push(&mut self, text: &str, last: bool, out: &mut String) {
        let mut at = 0;
        if !self.held.is_empty() {
            at = self.next_simple(text, 0);
            self.held.push_str(&text[..at]);
            if at == text.len() && !last && self.held.len() < HELD {
                return;
            }
            self.form.append(&self.held, out);
            self.held.clear();
        }
        while at < text.len() {
            let other = self.next_other(text, at);
            let begin = text[at..other].chars().next_back().map_or(other, |c| other - c.len_utf8());
            out.push_str(&text[at..begin]);
            at = self.next_simple(text, other);
            if at == text.len() && !last {
                self.held.push_str(&text[begin..]);
            } else {
                self.form.append(&text[begin..at], out);
            }
        }
    }

    /// Returns the offset of the next simple character at or after `from`, or of the end.
    fn next_simple(&self, text: &str, from: usize) -> usize {
        let mut chars = text[from..].char_indices();
        chars.find(|&(_, c)| self.is_simple(u32::from(c))).map_or(text.len(), |(at, _)| from + at)
    }

    /// Returns the offset of the next character at or after `from` that is not simple, or of the end.
    fn next_other(&self, text: &str, from: usize) -> usize {
        let (bytes, form, first) = (text.as_bytes(), self.form, self.form.first_byte());
        let mut at = from;
        while at < bytes.len() {
            // The search may end within a character and resume there.
            let clear = |step: &&[u8]| {
                step.iter().fold(true, |all, &byte| all & (byte < first))
                    || step.iter().fold(true, |all, &byte| all & form.is_simple_byte(byte))
            };
            at += bytes[at..].chunks_exact(STEP).take_while(clear).count() * STEP;
            let step = &bytes[at..bytes.len().min(at + STEP)];
            let Some(place) = step.iter().position(|&byte| byte >= first && !form.is_simple_byte(byte)) else {
                at += step.len();
                continue;
            };
            at += place;
            // One at a time, up to ASCII, because the next characters tend to be of the same script.
            let near = bytes.len().min(at + STEP);
            while at < near {
                let (code, len) = match bytes[at..] {
                    [..0x80, ..0x80, ..] => break,
                    [a @ ..0x80, ..] => (u32::from(a), 1),
                    [a @ ..0xE0, b, ..] => (u32::from(a & 0x1F) << 6 | u32::from(b & 0x3F), 2),
                    [a @ ..0xF0, b, c, ..] => {
                        (u32::from(a & 0x0F) << 12 | u32::from(b & 0x3F) << 6 | u32::from(c & 0x3F), 3)
                    }
                    _ => (text[at..].chars().next().map_or(0, u32::from), 4),
                };
                if !self.is_simple(code) {
                    return at;
                }
                at += len;
            }
        }
        at
    }

    fn is_simple(&self, code: u32) -> bool {
        match self.simple.get(code as usize / 64) {
            Some(bits) => bits >> (code % 64) & 1 == 1,
            None if SIMPLE_ABOVE.contains(&code) => true,
            None => char::from_u32(code).is_some_and(|c| self.form.finds_simple(c)),
        }
    }
}

fn simple(form: NormalForm) -> &'static Simple {
    static SIMPLE: [OnceLock<Box<Simple>>; 2] = [OnceLock::new(), OnceLock::new()];
    let [nfc, nfd] = &SIMPLE;
    let table = if form == NormalForm::Nfc { nfc } else { nfd };
    table.get_or_init(|| {
        let mut bits = Box::new([0; 0x1_0000 / 64]);
        for c in '\0'..='\u{FFFF}' {
            if form.finds_simple(c)
                && let Some(word) = bits.get_mut(c as usize / 64)
            {
                *word |= 1 << (c as usize % 64);
            }
        }
        bits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_passed_over_is_simple() {
        for form in [NormalForm::Nfc, NormalForm::Nfd] {
            let others = ('\0'..=char::MAX).filter(|&c| !form.finds_simple(c));
            let firsts: Vec<u8> = others.map(|c| c.encode_utf8(&mut [0; 4]).as_bytes()[0]).collect();
            assert_eq!(firsts.iter().min(), Some(&form.first_byte()));
            for byte in 0..=0xFF {
                let is_simple = form.is_simple_byte(byte);
                assert!(!(is_simple && firsts.contains(&byte)), "{form:?}: {byte:X}");
                assert!(is_simple || byte >= 0xC0, "{form:?}: {byte:X}");
            }
            assert!(SIMPLE_ABOVE.filter_map(char::from_u32).all(|c| form.finds_simple(c)));
        }
    }

    #[test]
    fn every_character_among_others_is_normalized_as_by_the_crate() {
        let around = ["", "plain ASCII text, longer than a step of the search ", "\u{431}\u{432} ", "\u{4E2D}\u{6587}"];
        for form in [NormalForm::Nfc, NormalForm::Nfd] {
            for (i, c) in ('\0'..=char::MAX).enumerate() {
                let text = format!("{}{c}{}{c}e\u{301}", around[i % 4], around[i / 4 % 4]);
                let (mut out, mut expected) = (String::new(), String::new());
                Normalizer::new(form).push(&text, true, &mut out);
                match form {
                    NormalForm::Nfc => expected.extend(text.nfc()),
                    NormalForm::Nfd => expected.extend(text.nfd()),
                }
                assert_eq!(out, expected, "{form:?}: {text:?}");
            }
        }
    }

    #[test]
    fn endless_runs_are_held_in_bounds() {
        let mut normalizer = Normalizer::new(NormalForm::Nfc);
        let (mut out, piece) = (String::new(), "\u{301}".repeat(1000));
        for _ in 0..1000 {
            normalizer.push(&piece, false, &mut out);
            assert!(normalizer.held().len() < HELD);
        }
        normalizer.push("", true, &mut out);
        assert_eq!(out.len(), 2_000_000);
    }
}
