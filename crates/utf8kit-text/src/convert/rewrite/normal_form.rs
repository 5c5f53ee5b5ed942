//! Unicode normal forms (UAX #15) of text in pieces.
//!
//! Most characters of most texts are *simple*: starters that are already normalized and do not combine with the
//! preceding character. Runs of simple characters are copied. `unicode-normalization` normalizes each run of other
//! characters, together with the simple character before it, as the run may combine with that.

use std::iter;
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

    fn append(self, text: &str, out: &mut String) {
        match self {
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
}

/// One bit per character of the Basic Multilingual Plane: whether the character is simple.
type Simple = [u64; 0x1_0000 / 64];

/// The most bytes that are held back. A longer run of combining characters is normalized in parts; real texts have
/// none.
const HELD: usize = 1 << 20;

/// The number of bytes that are examined together.
const STEP: usize = 32;

/// Normalizes a text in pieces.
#[derive(Clone, Debug)]
pub(super) struct Normalizer {
    form: NormalForm,
    simple: &'static Simple,
    /// The last simple character of the input and what follows it.
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
        chars.find(|&(_, c)| self.is_simple(c)).map_or(text.len(), |(at, _)| from + at)
    }

    /// Returns the offset of the next character at or after `from` that is not simple, or of the end.
    fn next_other(&self, text: &str, from: usize) -> usize {
        let (bytes, first) = (text.as_bytes(), self.form.first_byte());
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            if byte < first {
                // Continuation bytes are less than `first`, too, so the search may end within a character and resume
                // there.
                let clear = |step: &&[u8]| !step.iter().fold(false, |found, &byte| found | (byte >= first));
                at += 1 + bytes[at + 1..].chunks_exact(STEP).take_while(clear).count() * STEP;
                continue;
            }
            match text[at..].chars().next() {
                Some(c) if self.is_simple(c) => at += c.len_utf8(),
                _ => return at,
            }
        }
        at
    }

    fn is_simple(&self, c: char) -> bool {
        let code = c as usize;
        match self.simple.get(code / 64) {
            Some(bits) => bits >> (code % 64) & 1 == 1,
            None => self.form.finds_simple(c),
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
            let first = others.map(|c| c.encode_utf8(&mut [0; 4]).as_bytes()[0]).min();
            assert_eq!(first, Some(form.first_byte()));
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
