//! Decodes one item at a time, forwards and backwards.

use core::iter::FusedIterator;

use crate::boundary::floor_in;
use crate::encoding::{Encoding, Step, Utf8};
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
    Some(scalar_value(Utf8.decode(bytes)?, 0))
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

fn scalar_value(step: Step, offset: usize) -> Result<(char, usize), Error> {
    let error = |kind| Error::new(offset as u64, step.len, kind).incomplete_if(step.incomplete);
    let value = step.result.map_err(error)?;
    // UTF-8's grammar contains only scalar values.
    char::from_u32(value).map(|c| (c, step.len())).ok_or(error(ErrorKind::Surrogate))
}

/// Returns the item at the start, in any encoding; `None` if there are no bytes. The same as [`Encoding::decode`].
///
/// ```
/// use utf8kit::{Cesu8, decode_in};
/// let step = decode_in(Cesu8, b"\xED\xA0\xBD\xED\xB8\x80!").unwrap();
/// assert_eq!((step.result, step.len), (Ok(0x1F600), 6));
/// ```
#[must_use]
#[inline]
pub fn decode_in<E: Encoding>(encoding: E, bytes: &[u8]) -> Option<Step> {
    encoding.decode(bytes)
}

/// Returns the item at the end, in any encoding; `None` if there are no bytes. This is the last item that decoding
/// forwards would return.
///
/// ```
/// use utf8kit::{Cesu8, decode_last_in};
/// let step = decode_last_in(Cesu8, b"a\xED\xA0\xBD\xED\xB8\x80").unwrap();
/// assert_eq!((step.result, step.len), (Ok(0x1F600), 6));
/// ```
#[must_use]
pub fn decode_last_in<E: Encoding>(encoding: E, bytes: &[u8]) -> Option<Step> {
    let last = bytes.len().checked_sub(1)?;
    encoding.decode(&bytes[floor_in(encoding, bytes, last)..])
}

/// An item of a text: a code point, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Item {
    /// Where it begins, in bytes.
    pub offset: usize,
    /// Its length in bytes.
    pub len: usize,
    /// The code point, or why these bytes are not one.
    pub result: Result<u32, ErrorKind>,
}

/// Iterates over all items, in any encoding. Together they span the input exactly.
///
/// ```
/// use utf8kit::{Utf8, items};
/// let kinds: Vec<_> = items(Utf8, b"a\xE2\x82\xAC\xFF").map(|item| (item.offset, item.result.is_ok())).collect();
/// assert_eq!(kinds, [(0, true), (1, true), (4, false)]);
/// let backwards: Vec<_> = items(Utf8, "ab".as_bytes()).rev().map(|item| item.offset).collect();
/// assert_eq!(backwards, [1, 0]);
/// ```
#[doc(alias = "char_indices")]
pub fn items<E: Encoding>(encoding: E, bytes: &[u8]) -> Items<'_, E> {
    Items { encoding, bytes, front: 0, back: bytes.len() }
}

/// Iterator over items: see [`items`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Items<'b, E> {
    encoding: E,
    bytes: &'b [u8],
    front: usize,
    back: usize,
}

impl<E: Encoding> Iterator for Items<'_, E> {
    type Item = Item;

    #[inline]
    fn next(&mut self) -> Option<Item> {
        if self.front >= self.back {
            return None;
        }
        let step = self.encoding.decode(&self.bytes[self.front..])?;
        let item = Item { offset: self.front, len: step.len(), result: step.result };
        self.front += item.len;
        Some(item)
    }
}

impl<E: Encoding> DoubleEndedIterator for Items<'_, E> {
    fn next_back(&mut self) -> Option<Item> {
        if self.front >= self.back {
            return None;
        }
        // Boundaries are those of the whole input, wherever the back iterator is.
        let offset = floor_in(self.encoding, self.bytes, self.back - 1);
        let step = self.encoding.decode(&self.bytes[offset..])?;
        self.back = offset;
        Some(Item { offset, len: step.len(), result: step.result })
    }
}

impl<E: Encoding> FusedIterator for Items<'_, E> {}
