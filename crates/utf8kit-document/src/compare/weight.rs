//! The kind of damage of a piece, and its weight as evidence for a view.

use std::ops::Range;

use utf8kit_encodings::charset::Codec;

use crate::compare::damage::DamageKind;
use crate::compare::encodings::{UTF8, text_of};
use crate::compare::limits::MIN_WEIGHT_OF_EVIDENCE;
use crate::compare::script::Builder;
use crate::compare::signs::is_question;
use crate::compare::substitutes::Substitute;

impl Builder<'_> {
    /// Returns the weight of a damaged piece as evidence for the view.
    pub(super) fn weight(&self, piece: usize, kind: DamageKind, old: &Range<usize>, certain: bool) -> usize {
        match kind {
            // Programs change these in every encoding.
            DamageKind::LineEnds => return 0,
            DamageKind::Replaced if self.is_question(old) => return 0,
            DamageKind::Removed if !certain => return 0,
            DamageKind::Removed => {}
            // An edit may have made a shift before it unnecessary.
            DamageKind::Recoded if self.view.read.is_stateful() && self.is_ascii(piece) => return 0,
            DamageKind::Replaced if self.view.returns() => {}
            _ => return MIN_WEIGHT_OF_EVIDENCE,
        }
        // A person may have deleted a missing word or symbol, but rarely a single letter of a word.
        let bytes = self.versions.old.get(old.clone()).unwrap_or_default();
        let loses_unencodable = self.view.loses_unencodable();
        let text = text_of(if loses_unencodable { self.view.read } else { UTF8 }, bytes);
        let is_letter = text.as_ref().is_some_and(|text| text.chars().all(char::is_alphabetic));
        let letter = |token: Option<&u32>| {
            token.and_then(|&token| char::from_u32(token)).is_some_and(|scalar| scalar.is_ascii_alphabetic())
        };
        let at = self.old.tokens_of(piece).start;
        let tokens = &self.old.tokens;
        let in_word = letter(at.checked_sub(1).and_then(|at| tokens.get(at))) || letter(tokens.get(at));
        let continues = piece.checked_sub(1).is_some_and(|before| self.is_dropped(before));
        match text.is_none() || self.view.read.is_stateful() || is_letter && in_word {
            // Many encodings lack one character or another that a person removes.
            true if loses_unencodable && kind == DamageKind::Removed => 1,
            true => MIN_WEIGHT_OF_EVIDENCE,
            false if loses_unencodable => usize::from(kind == DamageKind::Replaced),
            false => usize::from(!continues),
        }
    }

    /// Reports whether a person perhaps wrote another question mark.
    fn is_question(&self, old: &Range<usize>) -> bool {
        let bytes = self.versions.old.get(old.clone()).unwrap_or_default();
        let is_one = |codec| text_of(codec, bytes).is_some_and(|text| is_question(&text));
        self.loses(Substitute::Question) && [UTF8, self.versions.codec].into_iter().any(is_one)
    }

    pub(super) fn is_ascii(&self, piece: usize) -> bool {
        let tokens = self.old.tokens.get(self.old.tokens_of(piece)).unwrap_or_default();
        tokens.iter().all(|&token| token <= 0x7F)
    }

    pub(super) fn kind(&self, piece: usize, old: &Range<usize>, new: &Range<usize>) -> DamageKind {
        let tokens = self.old.tokens.get(self.old.tokens_of(piece)).unwrap_or_default();
        if self.old.lost.get(piece) == Some(&true) {
            let is_sign = tokens.iter().all(|&token| self.is_sign_token(token));
            if tokens.is_empty() || self.view.drops() {
                return DamageKind::Removed;
            }
            if is_sign || !self.versions.old_is_utf8 || self.view.read == UTF8 {
                return DamageKind::Replaced;
            }
        }
        if tokens == [u32::from('\n')]
            && self.line_end(old, self.view.read, self.versions.old)
                != self.line_end(new, self.view.write, self.versions.new)
        {
            return DamageKind::LineEnds;
        }
        let read = if self.view.per_line { UTF8 } else { self.view.read };
        let refers = |bytes: &[u8]| self.view.refers() && bytes.starts_with(b"&#");
        if self.versions.new.get(new.clone()).is_some_and(refers) {
            DamageKind::Replaced
        } else if self.versions.old_is_utf8 && read != UTF8 && self.view.write == UTF8 {
            DamageKind::Doubled
        } else if self.view.canonical && self.view.read == self.view.write {
            DamageKind::Normalized
        } else {
            DamageKind::Recoded
        }
    }

    /// Reports whether a line end is CR LF.
    pub(super) fn line_end(&self, range: &Range<usize>, codec: Codec, bytes: &[u8]) -> bool {
        let mut text = String::new();
        let bytes = bytes.get(range.clone()).unwrap_or_default();
        codec.step(utf8kit_encodings::charset::step::Shift::Neutral, bytes, &mut text);
        text == "\r"
    }

    /// Reports whether tokens of the old version are what the view shows in place of what was lost.
    pub(super) fn is_sign(&self, tokens: Range<usize>) -> bool {
        matches!(self.old.tokens.get(tokens), Some(&[token]) if self.is_sign_token(token))
    }

    pub(super) fn is_sign_token(&self, token: u32) -> bool {
        token == u32::from('?') && self.loses(Substitute::Question)
            || token == u32::from(char::REPLACEMENT_CHARACTER) && self.loses(Substitute::Replacement)
    }

    pub(super) fn loses(&self, as_what: Substitute) -> bool {
        [self.view.errors, self.view.lacking].into_iter().flatten().any(|(lost, _)| lost == as_what)
    }
}
