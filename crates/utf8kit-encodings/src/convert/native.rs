//! Conversions between encodings of the library.

use utf8kit::{AnyEncoding, Encoding, ErrorKind, Policy};

use crate::convert::error::{ConversionError, ConversionErrorKind};
use crate::counts::Counts;

/// A converter of the library that counts its changes and reports the bytes of an error.
#[derive(Clone, Debug)]
pub(crate) struct Native<T> {
    from: AnyEncoding,
    converter: utf8kit::Converter<'static, AnyEncoding, T>,
}

impl<T: Encoding> Native<T> {
    /// Creates a converter with a policy; `None` is strict.
    pub(crate) fn new(from: AnyEncoding, to: T, policy: Option<Policy<'static>>) -> Native<T> {
        let converter = match policy {
            Some(policy) => utf8kit::Converter::lossy(from, to, policy),
            None => utf8kit::Converter::strict(from, to),
        };
        Native { from, converter }
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
        pushed.map_err(|error| {
            let before = usize::try_from(error.offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let stream = held.iter().chain(input).copied();
            let bytes: Vec<u8> = stream.skip(before).take(usize::from(error.len)).collect();
            let kind = match self.from.decode(&bytes).map(|step| step.result) {
                Some(Ok(value)) => {
                    ConversionErrorKind::Lacking(value, (!is_scalar(value)).then_some(error.kind))
                }
                _ => ConversionErrorKind::IllFormed(error.kind),
            };
            ConversionError { offset: error.offset, bytes, kind }
        })
    }
}

/// Reports whether the value is a Unicode scalar value.
fn is_scalar(value: u32) -> bool {
    char::from_u32(value).is_some()
}

/// If the byte after `items` decides the kind of their last error, returns the kind that `items` alone suggest and the
/// actual kind, given the bytes `following` them.
pub fn mistaken_kind(
    encoding: AnyEncoding,
    items: &[u8],
    following: &[u8],
) -> Option<(ErrorKind, ErrorKind)> {
    let last = encoding.floor_char_boundary(items, items.len().checked_sub(1)?);
    let kind = |bytes: &[u8]| encoding.decode(bytes)?.result.err();
    let (seeming, real) = (kind(items.get(last..)?)?, kind(following.get(last..)?)?);
    (seeming != real).then_some((seeming, real))
}
