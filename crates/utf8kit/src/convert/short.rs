//! Converts short inputs whole by one kernel, without setting up an engine: most strings are short and well formed.
//! Other inputs are left to the engine.
//!
//! Kernels that write whole vectors need more room than a short result takes. Allocating that much would mostly waste
//! it, and with less, the kernels could not be used: 0.4 to 0.9 times simdutf. Through a small buffer on the stack, and
//! copied from there: 1.2 to 1.9 (avx2, 16 to 200 bytes and units, Zen 5, 2026-11-22).

use super::progress::{Progress, Status};
use super::route::{Pair, Route};
use crate::dispatch;
use crate::encoding::{AnyEncoding, Encoding, Utf16Be, Utf16Le};
use crate::out::Out;

#[cfg(feature = "alloc")]
use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use super::route::guess;
#[cfg(feature = "alloc")]
use crate::encoding::{CodeUnit, Utf8};
#[cfg(feature = "alloc")]
use crate::out::{append, into_string};
#[cfg(feature = "alloc")]
use crate::validate::short_text;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

/// Converts all of a short input, or nothing. Lengths of the result are in bytes.
#[inline(always)]
pub(crate) fn convert<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    input: &[u8],
    out: &mut Out<'_>,
) -> Option<Progress> {
    if const { S::KNOWN.is_none() || T::KNOWN.is_none() } {
        return None;
    }
    let start = out.written();
    if by_kernel(from, to, input, out) || dispatch::is_short(input) && clean::<S, T>(from, to, input, out) {
        return Some(Progress { read: input.len(), written: out.written() - start, status: Status::Done });
    }
    None
}

/// Converts all of a short input, or nothing, if there is a kernel for it.
#[inline(always)]
fn by_kernel<S: Encoding, T: Encoding>(from: S, to: T, input: &[u8], out: &mut Out<'_>) -> bool {
    let pair = Pair::new(from, to);
    use AnyEncoding as E;
    match (pair.route, pair.from, pair.to) {
        (Route::Widen(grammar), _, E::Utf16Le | E::Wtf16Le) => {
            dispatch::widen_short::<Utf16Le>(grammar, input, out)
        }
        (Route::Widen(grammar), _, E::Utf16Be | E::Wtf16Be) => {
            dispatch::widen_short::<Utf16Be>(grammar, input, out)
        }
        (Route::Narrow { four_bytes: true }, E::Utf16Le | E::Wtf16Le, _) => {
            dispatch::narrow_short::<Utf16Le>(input, out)
        }
        (Route::Narrow { four_bytes: true }, E::Utf16Be | E::Wtf16Be, _) => {
            dispatch::narrow_short::<Utf16Be>(input, out)
        }
        (Route::ToLatin1 { nul }, ..) => dispatch::to_latin1_short(input, out, nul),
        _ => false,
    }
}

/// Converts all of the input if it is well formed and fits, or nothing, without setting up an engine, which would take
/// as long. Not inlined: levels that do not need it would save registers for it, which cost AVX-512 15 %.
#[inline(never)]
fn clean<S: Encoding, T: Encoding>(from: S, to: T, input: &[u8], out: &mut Out<'_>) -> bool {
    let pair = Pair::new(from, to);
    let start = out.written();
    let done = dispatch::converts(input) && (pair.convert)(&pair, input, out) == input.len();
    if !done {
        out.take_back(out.written() - start);
    }
    done
}

/// Converts all of a short input into a new `Vec` of the target's code units.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn convert_to_vec<S: Encoding, T: Encoding, U: CodeUnit>(
    from: S,
    to: T,
    input: &[u8],
) -> Option<Vec<U>> {
    if const { S::KNOWN.is_none() || T::KNOWN.is_none() } || !dispatch::is_short(input) {
        return None;
    }
    if !dispatch::has_masks() {
        return clean_to_vec(from, to, input);
    }
    let mut units = Vec::new();
    let room = guess(from.any(), to.any(), input.len());
    append(&mut units, room, |out| convert(from, to, input, out)).map(|_| units)
}

/// Runs [`clean`] into a buffer with enough room for whole vectors, and returns a `Vec` without excess capacity.
#[cfg(feature = "alloc")]
#[inline(never)]
fn clean_to_vec<S: Encoding, T: Encoding, U: CodeUnit>(from: S, to: T, input: &[u8]) -> Option<Vec<U>> {
    let mut scratch = [MaybeUninit::<u8>::uninit(); dispatch::SHORT_CONVERTED];
    let mut converted = Out::in_buffer(&mut scratch);
    let mut units = Vec::new();
    let done = (by_kernel(from, to, input, &mut converted) || clean(from, to, input, &mut converted))
        && append(&mut units, converted.written(), |out| out.push(converted.since(0)));
    done.then_some(units)
}

/// Converts all of a short input into a new `String`.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn convert_to_text<S: Encoding>(from: S, input: &[u8]) -> Option<String> {
    let bytes = convert_to_vec(from, Utf8, input)?;
    #[expect(unsafe_code, reason = "what was written was validated, or encoded by a kernel")]
    // SAFETY: to UTF-8, kernels write nothing but whole sequences of scalar values.
    let text = unsafe { into_string(bytes) };
    Some(text)
}

/// Repairs a short input with U+FFFD for each error.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn repair(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let grammar = AnyEncoding::Utf8.grammar()?;
    if let Some(text) = short_text(bytes)? {
        return Some(Cow::Borrowed(text));
    }
    let mut repaired = Vec::new();
    let room = "\u{FFFD}".len() * bytes.len();
    if !append(&mut repaired, room, |out| dispatch::replace_masked(grammar, bytes, out)) {
        return None;
    }
    #[expect(unsafe_code, reason = "what was written was validated, or is U+FFFD")]
    // SAFETY: what the kernel copies it found well formed, and all else it writes is U+FFFD.
    let text = unsafe { into_string(repaired) };
    Some(Cow::Owned(text))
}

/// Repairs a short input that contains an error with U+FFFD for each error, on levels without masked loads.
#[cfg(feature = "alloc")]
#[inline(never)]
pub(crate) fn repair_small(bytes: &[u8]) -> Option<String> {
    let grammar = AnyEncoding::Utf8.grammar()?;
    let mut scratch = [MaybeUninit::<u8>::uninit(); dispatch::SHORT_CONVERTED];
    let mut repaired = Out::in_buffer(&mut scratch);
    if !dispatch::replace_small(grammar, bytes, &mut repaired) {
        return None;
    }
    let bytes = repaired.since(0).to_vec();
    #[expect(unsafe_code, reason = "what was written was validated, or is U+FFFD")]
    // SAFETY: what the kernel copies it found well formed, and all else it writes is U+FFFD.
    let text = unsafe { into_string(bytes) };
    Some(text)
}
