//! Conversions between encodings of the library.

use utf8kit::{AnyEncoding, Encoding, ErrorKind, Policy, Utf8};

use crate::charset::Codec;
use crate::convert::error::{ConversionError, ConversionErrorKind};
use crate::convert::rewrite::{COMPOSES, composed};
use crate::counts::Counts;

/// A converter of the library that counts its changes and reports the bytes of an error.
#[derive(Clone, Debug)]
pub(crate) struct Native<T> {
    from: AnyEncoding,
    converter: utf8kit::Converter<'static, AnyEncoding, T>,
    /// The last bytes of the text that are processed.
    before: Vec<u8>,
}

impl<T: Encoding> Native<T> {
    /// Creates a converter with a policy; `None` is strict.
    pub(crate) fn new(from: AnyEncoding, to: T, policy: Option<Policy<'static>>) -> Native<T> {
        let converter = match policy {
            Some(policy) => utf8kit::Converter::lossy(from, to, policy),
            None => utf8kit::Converter::strict(from, to),
        };
        Native { from, converter, before: Vec::new() }
    }

    /// Returns the number of bytes of the text that are processed.
    pub(crate) fn offset(&self) -> u64 {
        self.converter.offset()
    }

    /// Returns the bytes of the text that are held back.
    pub(crate) fn pending(&self) -> &[u8] {
        self.converter.pending()
    }

    /// Converts a piece, like [`Converter::push`].
    pub(crate) fn push(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        let start = self.converter.offset();
        let held = self.converter.pending().to_vec();
        let from = self.from;
        // Everything that violates a rule of Unicode has a kind, even if the source encoding allows it.
        let mut count = |change: utf8kit::Change<'_>| {
            let value = from.decode(change.before).and_then(|step| step.result.ok());
            if change.unrepresentable && value.is_some_and(is_scalar) {
                counts.add_lacking();
            } else {
                counts.add(change);
            }
        };
        let mut pushed = self.converter.push_observed(input, out, &mut count);
        if last && pushed.is_ok() {
            pushed = self.converter.finish_observed(out, &mut count);
        }
        let pushed = pushed.map_err(|error| {
            let before = usize::try_from(error.offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let stream = held.iter().chain(input).copied();
            let bytes: Vec<u8> = stream.skip(before).take(usize::from(error.len)).collect();
            let kind = match self.from.decode(&bytes).map(|step| step.result) {
                Some(Ok(value)) => ConversionErrorKind::Lacking(value, (!is_scalar(value)).then_some(error.kind)),
                _ => ConversionErrorKind::IllFormed(error.kind),
            };
            let composed = match kind {
                ConversionErrorKind::Lacking(value, None) if COMPOSES => {
                    char::from_u32(value).and_then(|mark| {
                        let stream = [&*self.before, &*held, input].concat();
                        let text = text_before(from, &stream, self.before.len() + before);
                        // Of these encodings, only Latin-1 lacks characters.
                        composed(Codec::Native(AnyEncoding::Latin1), &text, mark)
                    })
                }
                _ => None,
            };
            ConversionError { offset: error.offset, bytes, kind, composed }
        });
        if !COMPOSES {
            return pushed;
        }
        let processed = (held.len() + input.len()).saturating_sub(self.converter.pending().len());
        let skipped = processed.saturating_sub(BEFORE);
        self.before.extend(held.iter().chain(input).take(processed).skip(skipped));
        self.before.drain(..self.before.len().saturating_sub(BEFORE));
        pushed
    }
}

/// The number of bytes before a place that are kept: whole code units of every encoding.
const BEFORE: usize = 64;

/// Returns the text right before a place.
fn text_before(from: AnyEncoding, stream: &[u8], place: usize) -> String {
    let before = stream.get(..place).unwrap_or_default();
    let near = before.get(before.len().saturating_sub(BEFORE)..).unwrap_or_default();
    // The first bytes may be the end of a character.
    let mut texts = (0..8).filter_map(|cut| utf8kit::convert(from, Utf8, near.get(cut..)?).ok());
    texts.next().and_then(|text| String::from_utf8(text).ok()).unwrap_or_default()
}

/// Reports whether the value is a Unicode scalar value.
fn is_scalar(value: u32) -> bool {
    char::from_u32(value).is_some()
}

/// If the byte after `items` decides the kind of their last error, returns the kind that `items` alone suggest and the
/// actual kind, given the bytes `following` them.
pub fn mistaken_kind(encoding: AnyEncoding, items: &[u8], following: &[u8]) -> Option<(ErrorKind, ErrorKind)> {
    let last = encoding.floor_char_boundary(items, items.len().checked_sub(1)?);
    let kind = |bytes: &[u8]| encoding.decode(bytes)?.result.err();
    let (seeming, real) = (kind(items.get(last..)?)?, kind(following.get(last..)?)?);
    (seeming != real).then_some((seeming, real))
}
