//! Decodes one item at a time, forwards and backwards.

use core::iter::FusedIterator;

use crate::boundary::floor_in;
use crate::encoding::{Codec, Step, Utf8};
use crate::error::{Error, ErrorKind};

/// Returns the scalar value at the start of UTF-8 and its length in bytes; `None` if there are no bytes.
///
/// # Errors
/// The error at the start, with offset 0.
///
/// ```
/// assert_eq!(utf8kit::decode("€!".as_bytes()), Some(Ok(('€', 3))));
/// assert_eq!(utf8kit::decode(b"\xC0\xAF").unwrap().unwrap_err().kind.name(), "overlong");
/// assert_eq!(utf8kit::decode(b""), None);
/// ```
#[doc(alias = "decode_utf8")]
#[must_use]
#[inline]
pub fn decode(bytes: &[u8]) -> Option<Result<(char, usize), Error>> {
    Some(scalar_value(Utf8.decode_step(bytes)?, 0))
}

/// Returns the scalar value at the end of UTF-8 and its length in bytes; `None` if there are no bytes.
///
/// # Errors
/// The error at the end, with its offset.
///
/// ```
/// assert_eq!(utf8kit::decode_last("a€".as_bytes()), Some(Ok(('€', 3))));
/// let error = utf8kit::decode_last(b"a\xE2\x82").unwrap().unwrap_err();
/// assert_eq!((error.offset, error.len), (1, 2));
/// ```
#[doc(alias = "decode_last_utf8")]
#[must_use]
#[inline]
pub fn decode_last(bytes: &[u8]) -> Option<Result<(char, usize), Error>> {
    let step = decode_last_in(Utf8, bytes)?;
    Some(scalar_value(step, bytes.len() - step.len()))
}

#[cfg_attr(not(feature = "any"), inline)]
fn scalar_value(step: Step, offset: usize) -> Result<(char, usize), Error> {
    let error = |kind| Error::new(offset as u64, step.len, kind).incomplete_if(step.incomplete);
    let value = step.result.map_err(error)?;
    // UTF-8's grammar contains only scalar values.
    char::from_u32(value).map(|c| (c, step.len())).ok_or(error(ErrorKind::Surrogate))
}

/// Returns the item at the end of bytes in any encoding.
pub(crate) fn decode_last_in<E: Codec>(encoding: E, bytes: &[u8]) -> Option<Step> {
    let last = bytes.len().checked_sub(1)?;
    encoding.decode_step(&bytes[floor_in(encoding, bytes, last)..])
}

/// An item of a text: a code point, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Item {
    /// Where it begins, in code units.
    pub offset: usize,
    /// Its length in code units.
    pub len: usize,
    /// The code point, or why these units are not one.
    pub result: Result<u32, ErrorKind>,
}

/// Iterates over all items of bytes in any encoding.
pub(crate) fn items<E: Codec>(encoding: E, bytes: &[u8]) -> Items<'_, E> {
    Items { encoding, bytes, unit: 1, front: 0, back: bytes.len() }
}

/// Iterator over items: see [`crate::Encoding::items`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Items<'b, E> {
    encoding: E,
    bytes: &'b [u8],
    /// The size of the unit of offsets and lengths, in bytes.
    unit: usize,
    front: usize,
    back: usize,
}

impl<E> Items<'_, E> {
    /// Returns the same items, with offsets and lengths in units of `unit` bytes.
    pub(crate) fn in_units(self, unit: usize) -> Self {
        Items { unit, ..self }
    }

    #[inline(always)]
    fn item(&self, offset: usize, step: Step) -> Item {
        Item { offset: offset / self.unit, len: step.len() / self.unit, result: step.result }
    }
}

impl<E: Codec> Iterator for Items<'_, E> {
    type Item = Item;

    #[inline]
    fn next(&mut self) -> Option<Item> {
        if self.front >= self.back {
            return None;
        }
        let step = self.encoding.decode_step(&self.bytes[self.front..])?;
        let item = self.item(self.front, step);
        self.front += step.len();
        Some(item)
    }
}

impl<E: Codec> DoubleEndedIterator for Items<'_, E> {
    fn next_back(&mut self) -> Option<Item> {
        if self.front >= self.back {
            return None;
        }
        // Boundaries are computed for the whole input, independent of the back iterator.
        let offset = floor_in(self.encoding, self.bytes, self.back - 1);
        let step = self.encoding.decode_step(&self.bytes[offset..])?;
        self.back = offset;
        Some(self.item(offset, step))
    }
}

impl<E: Codec> FusedIterator for Items<'_, E> {}
