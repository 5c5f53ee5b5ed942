//! Conversions through UTF-8: with a legacy encoding on either side, or with a change of the text.

use std::borrow::Cow;

use utf8kit::{AnyEncoding, Utf8};

use crate::charset::legacy::Encoder;
use crate::charset::{Codec, Legacy, Unmappable};
use crate::convert::error::{ConversionError, ConversionErrorKind};
use crate::convert::plan::{Invalid, Plan};
use crate::convert::reader::SourceDecoder;
use crate::convert::rewrite::{COMPOSES, Transliterator, composed};
use crate::counts::Counts;

/// The number of bytes that are read before they are written.
const BLOCK: usize = 64 * 1024;

/// The number of bytes of text retained from before a block.
const BEFORE: usize = 64;

/// The replacements in order of preference. The first one that the target has is written; the last is SUBSTITUTE.
const REPLACEMENTS: [&str; 3] = ["\u{FFFD}", "?", "\u{1A}"];

/// The characters of escapes.
const ESCAPES: &str = "\\xuU0123456789ABCDEF";

/// Writes a character by its number.
fn escape_of(scalar: char) -> String {
    match u32::from(scalar) {
        value @ ..0x1_0000 => format!("\\u{value:04X}"),
        value => format!("\\U{value:08X}"),
    }
}

/// A running conversion.
pub(super) struct Pivot {
    source: SourceDecoder,
    target: TargetEncoder,
    to: Codec,
    transliterator: Option<Transliterator>,
    /// The policy, which is strict if the target lacks what would be written.
    invalid: Invalid,
    /// A character of that text which the target lacks.
    missing: Option<char>,
    /// The replacement for a place under [`Invalid::Replace`] and [`Invalid::SameLength`].
    replacement: &'static str,
    /// The decoded text of a block.
    text: String,
    /// The end of the text before it, in strict conversions.
    before: String,
}

impl Pivot {
    /// Creates a conversion for the start of the text.
    pub(super) fn new(plan: &Plan) -> Pivot {
        let has = |c: char| plan.to.says(c).is_some();
        let is_same_length = plan.invalid == Invalid::SameLength;
        let mut replacements = REPLACEMENTS.into_iter().filter(|text| !is_same_length || *text == "?");
        let replacement = replacements.find(|text| text.chars().all(has));
        let missing = match plan.invalid {
            Invalid::Replace(_) | Invalid::SameLength if replacement.is_none() => Some('?'),
            Invalid::Escape => ESCAPES.chars().find(|c| !has(*c)),
            _ => None,
        };
        let replacement = replacement.unwrap_or_default();
        let invalid = if missing.is_some() { Invalid::Strict } else { plan.invalid };
        let plan = &Plan { invalid, ..plan.clone() };
        let target = match plan.to {
            Codec::Native(to) => TargetEncoder::Native(to),
            Codec::Legacy(to) => TargetEncoder::Legacy(Encoder::exact(to), to),
        };
        let source = SourceDecoder::new(plan, replacement);
        let transliterator = plan.rewrite.transliterate.then(|| Transliterator::new(plan.to));
        Pivot {
            source,
            target,
            to: plan.to,
            transliterator,
            invalid,
            missing,
            replacement,
            text: String::new(),
            before: String::new(),
        }
    }

    /// Converts a piece, like [`crate::convert::Converter::push`].
    pub(super) fn push(
        &mut self,
        mut input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        loop {
            let (block, rest) = input.split_at(input.len().min(BLOCK));
            self.block(block, last && rest.is_empty(), out, counts)?;
            if rest.is_empty() {
                return Ok(());
            }
            input = rest;
        }
    }

    /// Returns the bytes from which a new conversion can continue, like [`crate::convert::Converter::resumable`].
    pub(super) fn resumable(&self) -> Option<&[u8]> {
        if matches!(self.target, TargetEncoder::Native(_)) { self.source.resumable() } else { None }
    }

    /// Returns approximately how many bytes are held back, like [`crate::convert::Converter::held`].
    pub(super) fn held(&self) -> usize {
        self.source.held()
    }

    fn block(
        &mut self,
        block: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let read = self.source.read(block, last, &mut text, counts);
        // The text before a malformed place comes first, so errors in it are also reported first.
        let written = self.write(&text, last && read.is_ok(), out, counts);
        let error = written.map_err(|lacking| {
            let error = self.source.place(lacking, block);
            match self.target.altered(lacking.scalar).and_then(|text| text.chars().next()) {
                Some(other) => {
                    let kind = ConversionErrorKind::Altered(lacking.scalar.into(), other.into());
                    ConversionError { kind, ..error }
                }
                None if !COMPOSES => error,
                None => {
                    let before = [&*self.before, text.get(..lacking.at).unwrap_or_default()].concat();
                    ConversionError { composed: composed(self.to, &before, lacking.scalar), ..error }
                }
            }
        });
        if COMPOSES && self.invalid == Invalid::Strict {
            let last = utf8kit::ceil_char_boundary(text.as_bytes(), text.len().saturating_sub(BEFORE));
            self.before.push_str(text.get(last..).unwrap_or_default());
            let old = self.before.len().saturating_sub(BEFORE);
            self.before.drain(..utf8kit::ceil_char_boundary(self.before.as_bytes(), old));
        }
        self.text = text;
        error.and(read).map_err(|error| match self.missing {
            Some(missing) => error.unwritten(missing),
            None => error,
        })?;
        self.source.caught_up(block);
        Ok(())
    }

    /// Writes a text. Strict conversions stop at a character that the target lacks.
    fn write(&mut self, text: &str, last: bool, out: &mut Vec<u8>, counts: &mut Counts) -> Result<(), Unmappable> {
        let mut at = 0;
        while let Some(found) = self.target.push(text.get(at..).unwrap_or_default(), last, out) {
            let lacking = Unmappable { at: at + found.at, ..found };
            // If allowed, prefer its other form to losing it.
            let is_allowed = self.transliterator.is_some() || self.invalid.is_lossy();
            if is_allowed && self.target.altered(lacking.scalar).is_some() {
                self.target.put(lacking.scalar, out);
                counts.add_transliterated();
                at = lacking.at + lacking.scalar.len_utf8();
                continue;
            }
            let nearest = self.transliterator.as_mut().and_then(|known| known.nearest(lacking.scalar));
            let written = match (nearest, self.invalid) {
                (Some(nearest), _) => Cow::Borrowed(nearest),
                (None, Invalid::Strict) => return Err(lacking),
                (None, Invalid::Replace(_) | Invalid::SameLength) => Cow::Borrowed(self.replacement),
                (None, Invalid::Remove) => Cow::Borrowed(""),
                (None, Invalid::Escape) => Cow::Owned(escape_of(lacking.scalar)),
            };
            if nearest.is_some() {
                counts.add_transliterated()
            } else {
                counts.add_lacking()
            }
            self.target.write_all(&written, out);
            at = lacking.at + lacking.scalar.len_utf8();
        }
        Ok(())
    }
}

/// The writing half of the conversion.
enum TargetEncoder {
    Native(AnyEncoding),
    /// Characters that do not round-trip count as lacking, and are written only if that is allowed.
    Legacy(Encoder, Legacy),
}

impl TargetEncoder {
    /// Returns the text that a character becomes in a round trip, if it changes.
    fn altered(&self, scalar: char) -> Option<String> {
        match self {
            TargetEncoder::Native(_) => None,
            TargetEncoder::Legacy(_, to) => to.altered(scalar),
        }
    }

    /// Writes a character that does not round-trip.
    fn put(&mut self, scalar: char, out: &mut Vec<u8>) {
        if let TargetEncoder::Legacy(encoder, _) = self {
            encoder.put(scalar, out);
        }
    }

    /// Appends an encoded replacement. The target must have every character of it, perhaps in another form.
    fn write_all(&mut self, text: &str, out: &mut Vec<u8>) {
        let mut rest = text;
        while let Some(found) = self.push(rest, false, out) {
            self.put(found.scalar, out);
            rest = rest.get(found.at + found.scalar.len_utf8()..).unwrap_or_default();
        }
    }

    /// Appends the encoded text, up to its end or to the first character that the target lacks.
    fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
        match self {
            TargetEncoder::Legacy(encoder, _) => encoder.push(text, last, out),
            TargetEncoder::Native(to) => {
                let mut converter = utf8kit::Converter::strict(Utf8, *to);
                let pushed = converter.push(text.as_bytes(), out).and_then(|()| converter.finish(out));
                let at = pushed.err()?.valid_up_to();
                let scalar = text.get(at..)?.chars().next()?;
                Some(Unmappable { at, scalar })
            }
        }
    }
}
