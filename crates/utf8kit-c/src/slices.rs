//! Turns pointers and lengths into slices. This is the only place that trusts C.

use core::mem::MaybeUninit;
use core::slice;

use crate::numbers::InvalidCall;

/// Returns a text as a slice.
///
/// # Safety
/// `bytes` points to `len` bytes that may be read and that nothing writes while the text is in use; or it is NULL, or
/// `len` is 0.
#[inline(always)]
pub(crate) unsafe fn input<'b>(bytes: *const u8, len: usize) -> Result<&'b [u8], InvalidCall> {
    if len == 0 {
        Ok(&[])
    } else if bytes.is_null() {
        Err(InvalidCall::Null)
    } else if isize::try_from(len).is_err() {
        Err(InvalidCall::TooLong)
    } else {
        // SAFETY: not NULL, no longer than an object can be, and the rest is the caller's promise.
        Ok(unsafe { slice::from_raw_parts(bytes, len) })
    }
}

/// Returns a buffer as a slice.
///
/// # Safety
/// `out` points to `len` values that may be written and that nothing else uses at the same time; or it is NULL, or
/// `len` is 0.
#[inline(always)]
pub(crate) unsafe fn output_of<'o, T>(out: *mut T, len: usize) -> Result<&'o mut [MaybeUninit<T>], InvalidCall> {
    if len == 0 {
        Ok(&mut [])
    } else if out.is_null() {
        Err(InvalidCall::Null)
    } else if len.checked_mul(size_of::<T>()).is_none_or(|size| isize::try_from(size).is_err()) {
        Err(InvalidCall::TooLong)
    } else {
        // SAFETY: not NULL, no longer than an object can be, and aligned by C. Any content is allowed. The rest is the
        // caller's promise.
        Ok(unsafe { slice::from_raw_parts_mut(out.cast(), len) })
    }
}

/// Reports whether values of two kinds share memory.
#[inline(always)]
pub(crate) fn overlap<S, T>(one: *const S, len: usize, other: *const T, capacity: usize) -> bool {
    let (start, place) = (one.addr(), other.addr());
    len > 0
        && capacity > 0
        && start < place.saturating_add(capacity.saturating_mul(size_of::<T>()))
        && place < start.saturating_add(len.saturating_mul(size_of::<S>()))
}

/// Returns a text and a buffer, which must not overlap.
///
/// # Safety
/// As for [`input`] and [`output_of`], except that overlap is checked.
#[inline(always)]
pub(crate) unsafe fn input_and_output<'b, T>(
    bytes: *const u8,
    len: usize,
    out: *mut T,
    capacity: usize,
) -> Result<(&'b [u8], &'b mut [MaybeUninit<T>]), InvalidCall> {
    if overlap(bytes, len, out, capacity) {
        return Err(if bytes.is_null() || out.is_null() { InvalidCall::Null } else { InvalidCall::Overlap });
    }
    // SAFETY: the caller's promise, and they do not overlap.
    let text = unsafe { input(bytes, len) }?;
    // SAFETY: the caller's promise, and they do not overlap.
    Ok((text, unsafe { output_of(out, capacity) }?))
}
