//! Boundaries: where items (code points and errors) begin. They can be found from any byte by looking back at most
//! [`Encoding::longest`] minus one bytes, so input can be split anywhere and its parts processed independently.

use core::ops::Range;

use crate::encoding::{AnyEncoding, Encoding, Step, UnitEncoding, Utf8};
use crate::grammar::{Surrogates, is_continuation};
use crate::out::as_bytes;
use crate::reference::decode::{is_high_surrogate, is_low_surrogate};

/// Returns the length of the sequences that a byte begins in UTF-8; `None` for bytes that begin none (80..C1, F5..FF).
///
/// ```
/// assert_eq!(utf8kit::lead_len(0xE2), Some(3));
/// assert_eq!(utf8kit::lead_len(0xC0), None);
/// ```
#[doc(alias = "utf8_len")]
#[must_use]
#[inline]
pub fn lead_len(byte: u8) -> Option<usize> {
    use crate::grammar::Dialect;
    Utf8.grammar().lead_len(byte)
}

/// Reports whether an item of UTF-8 begins at `offset`, or the bytes end there. An offset past the end is not a
/// boundary.
///
/// ```
/// let bytes = "a€".as_bytes();
/// let boundaries: Vec<_> = (0..6).filter(|&i| utf8kit::is_boundary(bytes, i)).collect();
/// assert_eq!(boundaries, [0, 1, 4]);
/// ```
#[doc(alias = "is_char_boundary")]
#[must_use]
#[inline]
pub fn is_boundary(bytes: &[u8], offset: usize) -> bool {
    is_boundary_in(Utf8, bytes, offset)
}

/// Reports whether an item begins at `offset`, or the bytes end there: [`is_boundary`] in any encoding.
///
/// ```
/// use utf8kit::{Utf16Le, is_boundary_in};
/// let bytes = b"\x3D\xD8\x00\xDEa\0"; // a surrogate pair and a letter
/// assert_eq!((0..7).filter(|&i| is_boundary_in(Utf16Le, bytes, i)).collect::<Vec<_>>(), [0, 4, 6]);
/// ```
#[must_use]
pub fn is_boundary_in<E: Encoding>(encoding: E, bytes: &[u8], offset: usize) -> bool {
    offset <= bytes.len() && floor_in(encoding, bytes, offset) == offset
}

/// Returns the last boundary at or before `offset` (the end, if `offset` is past it).
///
/// ```
/// assert_eq!(utf8kit::floor("a€".as_bytes(), 3), 1);
/// ```
#[doc(alias = "floor_char_boundary")]
#[must_use]
#[inline]
pub fn floor(bytes: &[u8], offset: usize) -> usize {
    floor_in(Utf8, bytes, offset)
}

/// Returns the last boundary at or before `offset`: [`floor`] in any encoding.
///
/// ```
/// use utf8kit::{Cesu8, Utf16Le, floor_in};
/// assert_eq!(floor_in(Cesu8, b"\xED\xA0\xBD\xED\xB8\x80", 5), 0);
/// assert_eq!(floor_in(Utf16Le, b"a\0b\0", 3), 2);
/// ```
#[must_use]
pub fn floor_in<E: Encoding>(encoding: E, bytes: &[u8], offset: usize) -> usize {
    if offset >= bytes.len() {
        return bytes.len();
    }
    around(encoding, bytes, offset).start
}

/// Returns the first boundary at or after `offset` (the end, if `offset` is past it).
///
/// ```
/// assert_eq!(utf8kit::ceil("a€b".as_bytes(), 2), 4);
/// ```
#[doc(alias = "ceil_char_boundary")]
#[must_use]
#[inline]
pub fn ceil(bytes: &[u8], offset: usize) -> usize {
    ceil_in(Utf8, bytes, offset)
}

/// Returns the first boundary at or after `offset`: [`ceil`] in any encoding.
///
/// ```
/// use utf8kit::{Utf16Le, ceil_in};
/// assert_eq!(ceil_in(Utf16Le, b"a\0b\0", 1), 2);
/// ```
#[must_use]
pub fn ceil_in<E: Encoding>(encoding: E, bytes: &[u8], offset: usize) -> usize {
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
    truncate_in(Utf8, bytes, budget)
}

/// Returns the longest prefix of at most `budget` bytes that splits no item: [`truncate`] in any encoding.
///
/// ```
/// use utf8kit::{Utf16Le, truncate_in};
/// assert_eq!(truncate_in(Utf16Le, b"a\0\x3D\xD8\x00\xDE", 4), b"a\0");
/// ```
#[must_use]
pub fn truncate_in<E: Encoding>(encoding: E, bytes: &[u8], budget: usize) -> &[u8] {
    &bytes[..floor_in(encoding, bytes, budget)]
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
pub fn trim_partial(bytes: &[u8]) -> &[u8] {
    trim_partial_in(Utf8, bytes)
}

/// Returns the text without an incomplete item at its end: [`trim_partial`] in any encoding. No further input can
/// change it.
///
/// ```
/// use utf8kit::{Utf16Be, trim_partial_in};
/// assert_eq!(trim_partial_in(Utf16Be, b"\0a\xD8\x3D"), b"\0a");
/// assert_eq!(trim_partial_in(Utf16Be, b"\0a\0"), b"\0a");
/// ```
#[must_use]
pub fn trim_partial_in<E: Encoding>(encoding: E, bytes: &[u8]) -> &[u8] {
    let mut cut = bytes.len();
    // Check the last two items: a high surrogate may precede an incomplete unit that becomes its low surrogate.
    let mut end = bytes.len();
    for _ in 0..2 {
        let Some(last) = end.checked_sub(1) else { break };
        end = floor_in(encoding, bytes, last);
        if encoding.decode(&bytes[end..]).is_some_and(|step| step.incomplete) {
            cut = end;
        }
    }
    &bytes[..cut]
}

/// Returns the text without an incomplete item at its end: [`trim_partial`] for a slice of code units.
///
/// ```
/// use utf8kit::{Utf16Native, trim_partial_units};
/// assert_eq!(trim_partial_units(Utf16Native, &[0x61, 0xD83D]), [0x61]);
/// assert_eq!(trim_partial_units(Utf16Native, &[0xD83D, 0xDE00]), [0xD83D, 0xDE00]);
/// ```
#[doc(alias = "trim_partial_utf16")]
#[must_use]
pub fn trim_partial_units<E: UnitEncoding>(encoding: E, units: &[E::Unit]) -> &[E::Unit] {
    &units[..trim_partial_in(encoding, as_bytes(units)).len() / size_of::<E::Unit>()]
}

/// Returns the last character boundary of a string at or before `index` (the end, if `index` is past it), like
/// [`str::floor_char_boundary`] of Rust 1.91.
///
/// ```
/// assert_eq!(utf8kit::floor_char_boundary("a€", 3), 1);
/// ```
#[must_use]
pub fn floor_char_boundary(text: &str, index: usize) -> usize {
    floor(text.as_bytes(), index)
}

/// Returns the first character boundary of a string at or after `index` (the end, if `index` is past it), like
/// [`str::ceil_char_boundary`] of Rust 1.91.
///
/// ```
/// assert_eq!(utf8kit::ceil_char_boundary("a€b", 2), 4);
/// ```
#[must_use]
pub fn ceil_char_boundary(text: &str, index: usize) -> usize {
    ceil(text.as_bytes(), index)
}

/// Returns the longest prefix of a string that has at most `budget` bytes.
///
/// ```
/// assert_eq!(utf8kit::truncate_str("née", 2), "n");
/// ```
#[must_use]
pub fn truncate_str(text: &str, budget: usize) -> &str {
    text.get(..floor_char_boundary(text, budget)).unwrap_or_default()
}

/// Splits a string into `n` parts of nearly equal length in bytes, some of which may be empty. No parts if `n` is zero.
///
/// ```
/// assert_eq!(utf8kit::split_str("€€€", 2).collect::<Vec<_>>(), ["€", "€€"]);
/// ```
pub fn split_str(text: &str, n: usize) -> impl ExactSizeIterator<Item = &str> {
    split(Utf8, text.as_bytes(), n).map(|range| text.get(range).unwrap_or_default())
}

/// Splits the bytes into `n` ranges of nearly equal length that split no item; some may be empty. Converting or
/// repairing each part separately, and joining the results, gives the result for the whole. No ranges if `n` is zero.
///
/// ```
/// use utf8kit::{Utf8, split};
/// let bytes = "€€€".as_bytes();
/// let parts: Vec<_> = split(Utf8, bytes, 2).collect();
/// assert_eq!(parts, [0..3, 3..9]);
/// ```
pub fn split<E: Encoding>(
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
fn around<E: Encoding>(encoding: E, bytes: &[u8], offset: usize) -> Range<usize> {
    let mut start = sync(encoding, bytes, offset);
    loop {
        let len = encoding.decode(&bytes[start..]).map_or(1, Step::len);
        if start + len > offset {
            return start..start + len;
        }
        start += len;
    }
}

/// Returns a position at or before `offset`, at most the longest sequence minus one bytes back, such that decoding from
/// there finds every boundary from `offset` on.
fn sync<E: Encoding>(encoding: E, bytes: &[u8], offset: usize) -> usize {
    let any = encoding.any();
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
        let surrogate =
            |at, nibble| bytes[at] == 0xED && bytes.get(at + 1).is_some_and(|b| b & 0xF0 == nibble);
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
