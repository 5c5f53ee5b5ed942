//! Boundaries: where items (code points and errors) begin. They can be found from any byte by looking back at most
//! [`AnyEncoding::longest`] minus one bytes, so input can be split anywhere and its parts processed independently.

use core::ops::Range;

use crate::encoding::{AnyEncoding, Codec, Step, Utf8};
use crate::grammar::{Surrogates, is_continuation};
use crate::reference::decode::{is_high_surrogate, is_low_surrogate};

/// Reports whether an item of UTF-8 begins at `offset`, or the bytes end there. An offset past the end is not a
/// boundary.
///
/// ```
/// let bytes = "a€".as_bytes();
/// let boundaries: Vec<_> = (0..6).filter(|&i| utf8kit::is_char_boundary(bytes, i)).collect();
/// assert_eq!(boundaries, [0, 1, 4]);
/// ```
#[must_use]
#[inline]
pub fn is_char_boundary(bytes: &[u8], offset: usize) -> bool {
    offset <= bytes.len() && floor_char_boundary(bytes, offset) == offset
}

/// Returns the last boundary at or before `offset` (the end, if `offset` is past it).
///
/// ```
/// assert_eq!(utf8kit::floor_char_boundary("a€".as_bytes(), 3), 1);
/// ```
#[must_use]
#[inline]
pub fn floor_char_boundary(bytes: &[u8], offset: usize) -> usize {
    floor_in(Utf8, bytes, offset)
}

/// Returns the last boundary at or before `offset`, in any encoding.
pub(crate) fn floor_in<E: Codec>(encoding: E, bytes: &[u8], offset: usize) -> usize {
    if offset >= bytes.len() {
        return bytes.len();
    }
    around(encoding, bytes, offset).start
}

/// Returns the first boundary at or after `offset` (the end, if `offset` is past it).
///
/// ```
/// assert_eq!(utf8kit::ceil_char_boundary("a€b".as_bytes(), 2), 4);
/// ```
#[must_use]
#[inline]
pub fn ceil_char_boundary(bytes: &[u8], offset: usize) -> usize {
    ceil_in(Utf8, bytes, offset)
}

/// Returns the first boundary at or after `offset`, in any encoding.
pub(crate) fn ceil_in<E: Codec>(encoding: E, bytes: &[u8], offset: usize) -> usize {
    if offset >= bytes.len() {
        return bytes.len();
    }
    let item = around(encoding, bytes, offset);
    if item.start == offset { offset } else { item.end }
}

/// Returns the longest prefix of at most `budget` bytes that splits no item.
///
/// ```
/// assert_eq!(utf8kit::truncate("née".as_bytes(), 2), b"n");
/// ```
#[must_use]
#[inline]
pub fn truncate(bytes: &[u8], budget: usize) -> &[u8] {
    &bytes[..floor_char_boundary(bytes, budget)]
}

/// Returns the text without an incomplete item at its end: the part that can be used while more input is to come.
///
/// ```
/// assert_eq!(utf8kit::trim_partial(b"caf\xC3"), b"caf");
/// assert_eq!(utf8kit::trim_partial(b"caf\xC3\xA9"), "café".as_bytes());
/// assert_eq!(utf8kit::trim_partial(b"caf\xFF"), b"caf\xFF"); // an error, whatever follows
/// ```
#[doc(alias = "trim_partial_utf8")]
#[must_use]
#[cfg_attr(not(feature = "any"), inline)]
pub fn trim_partial(bytes: &[u8]) -> &[u8] {
    trim_partial_in(Utf8, bytes)
}

/// Returns the bytes without an incomplete item at their end, in any encoding.
pub(crate) fn trim_partial_in<E: Codec>(encoding: E, bytes: &[u8]) -> &[u8] {
    let mut cut = bytes.len();
    // Check the last two items: a high surrogate may precede an incomplete unit that becomes its low surrogate.
    let mut end = bytes.len();
    for _ in 0..2 {
        let Some(last) = end.checked_sub(1) else { break };
        end = floor_in(encoding, bytes, last);
        if encoding.decode_step(&bytes[end..]).is_some_and(|step| step.incomplete) {
            cut = end;
        }
    }
    &bytes[..cut]
}

/// Splits the bytes into `n` ranges of nearly equal length that split no item.
pub(crate) fn split_in<E: Codec>(
    encoding: E,
    bytes: &[u8],
    n: usize,
) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
    let cut = move |i: usize| {
        let offset = (bytes.len() as u128 * i as u128 / n.max(1) as u128) as usize;
        floor_in(encoding, bytes, offset)
    };
    (0..n).map(move |i| cut(i)..if i + 1 == n { bytes.len() } else { cut(i + 1) })
}

/// Returns the span of the item that contains the byte at `offset`, which must be less than the length.
fn around<E: Codec>(encoding: E, bytes: &[u8], offset: usize) -> Range<usize> {
    let mut start = sync(encoding, bytes, offset);
    loop {
        let len = encoding.decode_step(&bytes[start..]).map_or(1, Step::len);
        if start + len > offset {
            return start..start + len;
        }
        start += len;
    }
}

/// Returns a position at or before `offset`, at most the longest sequence minus one bytes back, such that decoding from
/// there finds every boundary starting at `offset`.
fn sync<E: Codec>(encoding: E, bytes: &[u8], offset: usize) -> usize {
    let any = encoding.erase();
    if let Some(grammar) = any.grammar() {
        let mut start = offset;
        while is_continuation(bytes[start]) {
            if start == 0 || offset - start == grammar.longest_unit - 1 {
                // No lead reaches this far, so every continuation byte here is an item of its own.
                return offset;
            }
            start -= 1;
        }
        // A low surrogate right after a high one belongs to it.
        let surrogate = |at, nibble| bytes[at] == 0xED && bytes.get(at + 1).is_some_and(|b| b & 0xF0 == nibble);
        if !matches!(grammar.surrogates, Surrogates::Plain)
            && start >= 3
            && surrogate(start, 0xB0)
            && surrogate(start - 3, 0xA0)
            && is_continuation(bytes[start - 1])
        {
            start -= 3;
        }
        return start;
    }
    let start = offset - offset % any.unit();
    let unit = |at: usize| match (any, bytes.get(at..at + 2)) {
        (AnyEncoding::Utf16Le | AnyEncoding::Wtf16Le, Some(&[a, b])) => Some(u16::from_le_bytes([a, b])),
        (AnyEncoding::Utf16Be | AnyEncoding::Wtf16Be, Some(&[a, b])) => Some(u16::from_be_bytes([a, b])),
        _ => None,
    };
    let is_low = |at| unit(at).is_some_and(|unit| is_low_surrogate(unit.into()));
    let is_high = |at| unit(at).is_some_and(|unit| is_high_surrogate(unit.into()));
    // A high surrogate before a low one, or before an odd byte at the end, includes it.
    let held = is_low(start) || start + 1 == bytes.len();
    if any.unit() == 2 && start >= 2 && held && is_high(start - 2) { start - 2 } else { start }
}
