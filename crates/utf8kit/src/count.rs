//! Counts code points and UTF-16 units, and finds the n-th.

use crate::convert::engine::Engine;
use crate::dispatch;
use crate::encoding::{Codec, Utf8, Utf16Le};
use crate::kernels::count::{Ascii, Starts, Utf16Units};
use crate::kernels::rest_from;
use crate::kernels::validate_and_count::PlaceCounts;
use crate::policy::Policy;
use crate::simd::BLOCK_BYTES;

/// Returns the number of code points in a string.
///
/// ```
/// assert_eq!(utf8kit::count("naïve €"), 7);
/// ```
#[doc(alias = "count_utf8")]
#[doc(alias = "num_chars")]
#[must_use]
#[inline]
pub fn count(text: &str) -> usize {
    dispatch::count(text.as_bytes(), Starts)
}

/// The counts of a text: see [`validate_and_count`](crate::validate_and_count).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TextCounts {
    /// Number of bytes below 80.
    pub ascii: usize,
    /// Number of code points, as returned by [`count`]: the length in UTF-32.
    pub code_points: usize,
    /// Length in UTF-16 code units, as returned by [`utf16_len`].
    pub utf16_len: usize,
}

impl TextCounts {
    /// Counts the rest of well-formed text after a prefix that has been counted.
    #[inline]
    pub(crate) fn of(bytes: &[u8], (len, places): (usize, PlaceCounts)) -> TextCounts {
        let rest = rest_from(bytes, len);
        let code_points = len - places.continuations;
        let leads = places.continuations - places.thirds;
        TextCounts {
            ascii: code_points - leads + dispatch::count(rest, Ascii),
            code_points: code_points + dispatch::count(rest, Starts),
            utf16_len: code_points + places.fourths + dispatch::count(rest, Utf16Units),
        }
    }
}

/// Counts the items of the bytes of text in any encoding.
pub(crate) fn count_in<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    let mut total = 0;
    let mut at = 0;
    while at < bytes.len() {
        let clean = dispatch::clean_prefix_in(encoding, &bytes[at..]);
        total += count_clean(encoding, &bytes[at..at + clean]);
        at += clean;
        let stop = at + BLOCK_BYTES;
        while at < stop
            && let Some(step) = encoding.decode_step(&bytes[at..])
        {
            total += 1;
            at += step.len();
        }
    }
    total
}

/// Counts the code points of a part found by `clean_prefix`.
fn count_clean<E: Codec>(encoding: E, clean: &[u8]) -> usize {
    match encoding.erase() {
        dialect if dialect.is_dialect() => dispatch::count(clean, Starts),
        wide if wide.unit() == 2 => dispatch::count_units(clean, wide.is_big_endian()),
        other => clean.len() / other.unit(),
    }
}

/// Returns the length of a string in UTF-16 code units, which JavaScript, Java and C# call its length.
///
/// ```
/// assert_eq!(utf8kit::utf16_len("a😀"), 3);
/// ```
#[doc(alias = "utf16_length_from_utf8")]
#[must_use]
#[inline]
pub fn utf16_len(text: &str) -> usize {
    dispatch::count(text.as_bytes(), Utf16Units)
}

/// Returns the length in UTF-16 code units, with each error as one U+FFFD.
pub(crate) fn utf16_len_in<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    (Engine::lossy(encoding, Utf16Le, Policy::REPLACE).measure(bytes).0 / 2) as usize
}

/// Returns the byte offset of the `n`-th code point (from 0); the text's length for the one after the last.
///
/// ```
/// assert_eq!(utf8kit::code_point_offset("a€b", 2), Some(4));
/// assert_eq!(utf8kit::code_point_offset("a€b", 3), Some(5));
/// assert_eq!(utf8kit::code_point_offset("a€b", 4), None);
/// ```
#[doc(alias = "nth")]
#[must_use]
#[inline]
pub fn code_point_offset(text: &str, n: usize) -> Option<usize> {
    match dispatch::select(text.as_bytes(), Starts, n) {
        Ok(offset) => Some(offset),
        Err(total) => (total == n).then_some(text.len()),
    }
}

/// Returns the byte offset of the `n`-th item (from 0); the length for the one after the last.
pub(crate) fn offset_of_in<E: Codec>(encoding: E, bytes: &[u8], n: usize) -> Option<usize> {
    let mut left = n;
    let mut at = 0;
    while at < bytes.len() {
        // One part at a time, because the item may be in the first ones.
        let part = &bytes[at..bytes.len().min(at + 64 * BLOCK_BYTES)];
        let clean = dispatch::clean_prefix_in(encoding, part);
        let here = count_clean(encoding, &part[..clean]);
        if here <= left {
            left -= here;
            at += clean;
        }
        let stop = if here > left { bytes.len() } else { at + BLOCK_BYTES };
        while at < stop
            && let Some(step) = encoding.decode_step(&bytes[at..])
        {
            if left == 0 {
                return Some(at);
            }
            left -= 1;
            at += step.len();
        }
    }
    (left == 0).then_some(bytes.len())
}

/// Returns the index (from 0) of the code point that contains the byte at `offset`; the number of code points if
/// `offset` is at or past the end.
///
/// ```
/// assert_eq!(utf8kit::code_point_index("a€b", 3), 1);
/// ```
#[must_use]
#[inline]
pub fn code_point_index(text: &str, offset: usize) -> usize {
    index_of_in(Utf8, text.as_bytes(), offset)
}

/// Returns the index (from 0) of the item that contains the byte at `offset`.
pub(crate) fn index_of_in<E: Codec>(encoding: E, bytes: &[u8], offset: usize) -> usize {
    count_in(encoding, &bytes[..crate::boundary::floor_in(encoding, bytes, offset)])
}
