//! Finds the errors that come from a single mistake.
//!
//! Errors are maximal subparts, as the Unicode Standard defines them. `C0 AF` is two errors, because no sequence begins
//! with C0, and AF continues nothing. But its author intended one sequence, and a decoder that trusts only markers
//! reads one: a lead announces a number of continuation bytes, and takes as many as are present.

use crate::encoding::MAX_LEN;
#[cfg(any(feature = "explain", all(test, feature = "alloc")))]
use crate::error::{Error, ErrorKind};
use crate::grammar::{is_continuation, length_class};
use crate::operations::Encoding;

/// Returns the range in `bytes` of the sequence that `error` was intended to be, or to be part of: the bytes that a lax
/// decoder, which trusts only the markers, reads as one sequence. This is the error itself if it is not part of
/// anything larger. Offsets in the error count from the start of `bytes`.
///
/// ```
/// use utf8kit::{Utf8, errors};
/// use utf8kit::explain::intended_sequence;
/// let bytes = b"a\xF4\x90\x80\x80\x80";
/// let found: Vec<_> = errors(bytes).map(|error| intended_sequence(Utf8, bytes, &error)).collect();
/// assert_eq!(found, [1..5, 1..5, 1..5, 1..5, 5..6]);
/// ```
#[cfg(any(feature = "explain", all(test, feature = "alloc")))]
#[must_use]
pub fn intended_sequence<E: Encoding>(encoding: E, bytes: &[u8], error: &Error) -> core::ops::Range<usize> {
    let range = error.range();
    let Some(&first) = bytes.get(range.start) else { return range };
    if error.kind == ErrorKind::UnexpectedContinuation {
        return lead_before(encoding, bytes, range.start)
            .map_or(range, |lead| lead..intended_end(encoding, bytes, lead));
    }
    let end = if intended_len(encoding, first) > 1 { intended_end(encoding, bytes, range.start) } else { range.end };
    range.start..end.max(range.end)
}

/// Returns how many bytes starting at `at` may continue a sequence that began before `at`.
#[cfg(any(feature = "summary", all(test, feature = "alloc")))]
pub(crate) fn begun_before<E: Encoding>(encoding: E, bytes: &[u8], at: usize) -> usize {
    lead_before(encoding, bytes, at).map_or(0, |lead| lead + intended_len(encoding, bytes[lead]) - at)
}

/// Returns how many bytes a lax decoder would read as a sequence with this first byte: 1 if it announces none.
pub(crate) fn intended_len<E: Encoding>(encoding: E, first: u8) -> usize {
    if encoding.any().is_dialect() && length_class(first) <= MAX_LEN { length_class(first) } else { 1 }
}

/// Returns the lead whose sequence would include the byte at `at`.
fn lead_before<E: Encoding>(encoding: E, bytes: &[u8], at: usize) -> Option<usize> {
    let near = bytes.get(at.saturating_sub(MAX_LEN - 1)..at)?;
    let continuations = near.iter().rev().take_while(|&&byte| is_continuation(byte)).count();
    let lead = at.checked_sub(continuations + 1)?;
    (intended_len(encoding, bytes[lead]) > at - lead).then_some(lead)
}

/// Returns where the sequence of a lead ends.
#[cfg(any(feature = "explain", all(test, feature = "alloc")))]
fn intended_end<E: Encoding>(encoding: E, bytes: &[u8], lead: usize) -> usize {
    let wanted = bytes[lead + 1..].iter().take(intended_len(encoding, bytes[lead]) - 1);
    lead + 1 + wanted.take_while(|&&byte| is_continuation(byte)).count()
}
