//! Text in slices of code units: bytes, `u16` and `u32`, in this machine's byte order.
//!
//! The functions `convert_units*` convert between any two [`UnitEncoding`]s, and `converted_len_units*` return how long
//! the result is. The rest of this file is for common cases. Validation, counting and the like are next to their
//! counterparts for bytes: [`crate::validate_units`], [`crate::errors_units`], [`crate::chunks_units`],
//! [`crate::count_units`], [`crate::explain::explain_units`].

use super::engine::{Engine, strict};
#[cfg(feature = "alloc")]
use super::to_text;
use super::{Progress, converted_len, converted_len_lossy};
use crate::dispatch;
use crate::encoding::{CodeUnit, Encoding, Latin1, UnitEncoding, Utf8, Utf16Native, Utf32Native};
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::error::Unit;
use crate::out::{Buffer, Out, as_bytes};
use crate::policy::Policy;
use crate::validate::validate_units;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

/// Converts strictly, from slices of code units to vectors of them.
///
/// # Errors
/// The first [`Error`], in units of the input: ill-formed input, or a value that the target cannot represent.
///
/// ```
/// use utf8kit::{Utf8, Utf16Native, Utf32Native, convert_units};
/// assert_eq!(convert_units(Utf8, Utf16Native, "€😀".as_bytes()).unwrap(), [0x20AC, 0xD83D, 0xDE00]);
/// assert_eq!(convert_units(Utf16Native, Utf32Native, &[0x20AC, 0xD83D, 0xDE00]).unwrap(), [0x20AC, 0x1F600]);
/// let error = convert_units(Utf16Native, Utf8, &[0x61, 0xDC00]).unwrap_err();
/// assert_eq!((error.offset, error.len), (1, 1));
/// ```
#[doc(alias = "convert_utf8_to_utf16le")]
#[doc(alias = "convert_utf16le_to_utf8")]
#[doc(alias = "convert_utf8_to_utf32")]
#[doc(alias = "convert_utf32_to_utf8")]
#[cfg(feature = "alloc")]
#[inline]
pub fn convert_units<S: UnitEncoding, T: UnitEncoding>(
    from: S,
    to: T,
    units: &[S::Unit],
) -> Result<Vec<T::Unit>, Error> {
    super::to_vec(from, to, as_bytes(units)).map_err(|error| error.in_units(S::Unit::UNIT))
}

/// Converts slices of code units to vectors of them. `policy` handles each error, and each value that the target cannot
/// represent.
///
/// ```
/// use utf8kit::{Policy, Utf8, Utf16Native, convert_units_lossy};
/// assert_eq!(convert_units_lossy(Utf8, Utf16Native, b"a\xFF", Policy::REPLACE), [0x61, 0xFFFD]);
/// assert_eq!(convert_units_lossy(Utf16Native, Utf8, &[0x61, 0xD800], Policy::Remove), b"a");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn convert_units_lossy<S: UnitEncoding, T: UnitEncoding>(
    from: S,
    to: T,
    units: &[S::Unit],
    policy: Policy<'_>,
) -> Vec<T::Unit> {
    let mut out = Vec::new();
    Engine::lossy(from, to, policy).run_to_units(as_bytes(units), 0, true, &mut out, &mut None);
    out
}

/// Converts strictly into a caller's buffer, without allocating: [`crate::convert_into`] for code units. All numbers
/// in the result count code units: `read` and errors those of the input, `written` those of the output.
///
/// ```
/// use core::mem::MaybeUninit;
/// use utf8kit::{Status, Utf8, Utf16Native, convert_units_into};
/// let mut units = [0; 2];
/// let progress = convert_units_into(Utf8, Utf16Native, "né!".as_bytes(), true, &mut units);
/// assert_eq!((progress.read, progress.written, progress.status), (3, 2, Status::OutputFull));
/// assert_eq!(units, [0x6E, 0xE9]);
///
/// // Memory that is not initialised yet.
/// let mut spare = [MaybeUninit::<u16>::uninit(); 8];
/// assert_eq!(convert_units_into(Utf8, Utf16Native, b"abc", true, &mut spare).written, 3);
/// ```
#[inline]
#[must_use = "the conversion may have stopped early"]
pub fn convert_units_into<S: UnitEncoding, T: UnitEncoding>(
    from: S,
    to: T,
    units: &[S::Unit],
    last: bool,
    out: &mut (impl Buffer<T::Unit> + ?Sized),
) -> Progress {
    let progress = strict(from, to, as_bytes(units), last, &mut Out::in_buffer(out));
    progress.in_units(S::Unit::UNIT, T::Unit::UNIT)
}

/// Converts into a caller's buffer by a policy, without allocating: [`crate::convert_lossy_into`] for code units.
///
/// ```
/// use utf8kit::{Policy, Status, Utf16Native, Utf8, convert_units_lossy_into};
/// let mut bytes = [0; 8];
/// let progress = convert_units_lossy_into(Utf16Native, Utf8, &[0xDC00, 0x61], true, Policy::REPLACE, &mut bytes);
/// assert_eq!((progress.read, progress.status), (2, Status::Done));
/// assert_eq!(&bytes[..progress.written], "\u{FFFD}a".as_bytes());
/// ```
#[inline]
#[must_use = "the conversion may have stopped early"]
pub fn convert_units_lossy_into<S: UnitEncoding, T: UnitEncoding>(
    from: S,
    to: T,
    units: &[S::Unit],
    last: bool,
    policy: Policy<'_>,
    out: &mut (impl Buffer<T::Unit> + ?Sized),
) -> Progress {
    let mut out = Out::in_buffer(out);
    let progress = Engine::lossy(from, to, policy).run(as_bytes(units), 0, last, &mut out, &mut None);
    progress.in_units(S::Unit::UNIT, T::Unit::UNIT)
}

/// Returns the exact length of the result of [`convert_units`], in units of the target: [`converted_len`] for code
/// units.
///
/// # Errors
/// The [`Error`] that [`convert_units`] would return.
///
/// ```
/// use utf8kit::{Utf8, Utf16Native, converted_len_units};
/// assert_eq!(converted_len_units(Utf16Native, Utf8, &[0x20AC, 0xD83D, 0xDE00]), Ok(7));
/// assert_eq!(converted_len_units(Utf8, Utf16Native, "€😀".as_bytes()), Ok(3));
/// assert_eq!(converted_len_units(Utf16Native, Utf8, &[0x61, 0xDC00]).unwrap_err().offset, 1);
/// ```
#[doc(alias = "utf8_length_from_utf16")]
#[doc(alias = "utf8_length_from_utf32")]
#[inline]
pub fn converted_len_units<S: UnitEncoding, T: UnitEncoding>(
    from: S,
    to: T,
    units: &[S::Unit],
) -> Result<u64, Error> {
    match converted_len(from, to, as_bytes(units)) {
        Ok(len) => Ok(len / T::Unit::UNIT.bytes() as u64),
        Err(error) => Err(error.in_units(S::Unit::UNIT)),
    }
}

/// Returns the exact length of the result of [`convert_units_lossy`], in units of the target: [`converted_len_lossy`]
/// for code units.
///
/// ```
/// use utf8kit::{Policy, Utf16Native, Utf8, converted_len_units_lossy};
/// assert_eq!(converted_len_units_lossy(Utf16Native, Utf8, &[0x61, 0xDC00], Policy::REPLACE), 4);
/// ```
#[must_use]
#[inline]
pub fn converted_len_units_lossy<S: UnitEncoding, T: UnitEncoding>(
    from: S,
    to: T,
    units: &[S::Unit],
    policy: Policy<'_>,
) -> u64 {
    converted_len_lossy(from, to, as_bytes(units), policy) / T::Unit::UNIT.bytes() as u64
}

/// Repairs slices of code units by any policy: [`crate::repair_in`] for code units. Borrows if nothing changes.
///
/// ```
/// use utf8kit::{Policy, Utf16Native, repair_units};
/// assert_eq!(&*repair_units(Utf16Native, &[0x61, 0xD800], Policy::REPLACE), [0x61, 0xFFFD]);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn repair_units<'u, E: UnitEncoding>(
    encoding: E,
    units: &'u [E::Unit],
    policy: Policy<'_>,
) -> Cow<'u, [E::Unit]> {
    if policy != Policy::Escape && validate_units(encoding, units).is_ok() {
        return Cow::Borrowed(units);
    }
    let repaired = convert_units_lossy(encoding, encoding, units, policy);
    if repaired == units { Cow::Borrowed(units) } else { Cow::Owned(repaired) }
}

/// Validates UTF-16.
///
/// # Errors
/// The first unpaired surrogate; `offset` and `len` count 16-bit units.
///
/// ```
/// assert!(utf8kit::validate_utf16(&[0xD83D, 0xDE00]).is_ok());
/// let error = utf8kit::validate_utf16(&[0x61, 0xDE00]).unwrap_err();
/// assert_eq!((error.offset, error.len), (1, 1));
/// ```
#[doc(alias = "validate_utf16_with_errors")]
#[inline]
pub fn validate_utf16(units: &[u16]) -> Result<(), Error> {
    validate_units(Utf16Native, units)
}

/// Validates UTF-32.
///
/// # Errors
/// The first value that is not a scalar value; `offset` and `len` count 32-bit units.
///
/// ```
/// let error = utf8kit::validate_utf32(&[0x61, 0x110000]).unwrap_err();
/// assert_eq!((error.offset, error.kind.name()), (1, "too_large"));
/// ```
#[doc(alias = "validate_utf32_with_errors")]
#[inline]
pub fn validate_utf32(units: &[u32]) -> Result<(), Error> {
    validate_units(Utf32Native, units)
}

/// Replaces every unpaired surrogate with U+FFFD, in place, and returns how many there were. To keep the original,
/// [`convert_units_lossy_into`] from UTF-16 to UTF-16 writes into another buffer in the same pass.
///
/// ```
/// let mut units = [0x61, 0xD83D, 0x62];
/// assert_eq!(utf8kit::repair_utf16(&mut units), 1);
/// assert_eq!(units, [0x61, 0xFFFD, 0x62]);
/// ```
#[doc(alias = "to_well_formed_utf16")]
#[doc(alias = "ensure_utf16_validity")]
#[inline]
pub fn repair_utf16(units: &mut [u16]) -> usize {
    // Faster than the kernel that repairs, and often all.
    let clean = dispatch::clean_prefix_in(Utf16Native, as_bytes(units)) / 2;
    match &mut units[clean..] {
        [] => 0,
        rest => dispatch::repair_units(rest).unwrap_or_else(|| repair_by_items(rest)),
    }
}

/// [`repair_utf16`] by the definition.
#[inline(never)]
fn repair_by_items(units: &mut [u16]) -> usize {
    let (mut at, mut repaired) = (0, 0);
    while at < units.len() {
        at += dispatch::clean_prefix_in(Utf16Native, as_bytes(&units[at..])) / 2;
        // For one block, as errors tend to come in groups.
        let stop = units.len().min(at + crate::simd::BLOCK);
        while at < stop
            && let Some(step) = Utf16Native.decode(as_bytes(&units[at..]))
        {
            if step.result.is_err() {
                units[at] = 0xFFFD;
                repaired += 1;
            }
            at += step.len() / 2;
        }
    }
    repaired
}

/// Converts a string to UTF-16, in one pass.
///
/// ```
/// assert_eq!(utf8kit::to_utf16("€😀"), [0x20AC, 0xD83D, 0xDE00]);
/// ```
#[doc(alias = "encode_utf16")]
#[doc(alias = "convert_valid_utf8_to_utf16le")]
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn to_utf16(text: &str) -> Vec<u16> {
    // UTF-16 represents every string.
    convert_units(Utf8, Utf16Native, text.as_bytes()).unwrap_or_default()
}

/// Converts a string to UTF-32, its scalar values, in one pass.
///
/// ```
/// assert_eq!(utf8kit::to_utf32("€😀"), [0x20AC, 0x1F600]);
/// ```
#[doc(alias = "convert_valid_utf8_to_utf32")]
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn to_utf32(text: &str) -> Vec<u32> {
    // UTF-32 represents every string.
    convert_units(Utf8, Utf32Native, text.as_bytes()).unwrap_or_default()
}

/// Converts UTF-16 to a string.
///
/// # Errors
/// The first unpaired surrogate; `offset` and `len` count 16-bit units.
///
/// ```
/// assert_eq!(utf8kit::from_utf16(&[0x20AC]), Ok("€".into()));
/// ```
#[doc(alias = "decode_utf16")]
#[cfg(feature = "alloc")]
#[inline]
pub fn from_utf16(units: &[u16]) -> Result<String, Error> {
    to_text(Utf16Native, as_bytes(units), None).map_err(|error| error.in_units(Unit::Utf16))
}

/// Converts UTF-16 to a string, with U+FFFD in place of each unpaired surrogate.
///
/// ```
/// assert_eq!(utf8kit::from_utf16_lossy(&[0x61, 0xD800]), "a\u{FFFD}");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn from_utf16_lossy(units: &[u16]) -> String {
    // By a policy, there is no error.
    to_text(Utf16Native, as_bytes(units), Some(Policy::REPLACE)).unwrap_or_default()
}

/// Converts UTF-32 to a string.
///
/// # Errors
/// The first value that is not a scalar value; `offset` and `len` count 32-bit units.
///
/// ```
/// assert_eq!(utf8kit::from_utf32(&[0x20AC]), Ok("€".into()));
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn from_utf32(units: &[u32]) -> Result<String, Error> {
    to_text(Utf32Native, as_bytes(units), None).map_err(|error| error.in_units(Unit::Utf32))
}

/// Converts UTF-32 to a string, with U+FFFD in place of each value that is not a scalar value.
///
/// ```
/// assert_eq!(utf8kit::from_utf32_lossy(&[0x61, 0xD800]), "a\u{FFFD}");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn from_utf32_lossy(units: &[u32]) -> String {
    // By a policy, there is no error.
    to_text(Utf32Native, as_bytes(units), Some(Policy::REPLACE)).unwrap_or_default()
}

/// Converts Latin-1 (ISO 8859-1, not windows-1252) to a string. Nothing in it can be ill-formed.
///
/// ```
/// assert_eq!(utf8kit::from_latin1(b"na\xEFve"), "naïve");
/// ```
#[doc(alias = "decode_latin1")]
#[doc(alias = "convert_latin1_to_utf8")]
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn from_latin1(bytes: &[u8]) -> String {
    to_text(Latin1, bytes, None).unwrap_or_default()
}

/// Converts a string to Latin-1.
///
/// # Errors
/// The first code point above U+00FF; `offset` and `len` count bytes of the string.
///
/// ```
/// assert_eq!(utf8kit::to_latin1("naïve"), Ok(b"na\xEFve".to_vec()));
/// assert_eq!(utf8kit::to_latin1("€").unwrap_err().kind.name(), "too_large");
/// ```
#[doc(alias = "encode_latin1_lossy")]
#[doc(alias = "convert_utf8_to_latin1")]
#[cfg(feature = "alloc")]
#[inline]
pub fn to_latin1(text: &str) -> Result<Vec<u8>, Error> {
    super::convert(Utf8, Latin1, text.as_bytes())
}

/// Returns the length in bytes of Latin-1 converted to UTF-8.
///
/// ```
/// assert_eq!(utf8kit::latin1_to_utf8_len(b"na\xEFve"), 6);
/// ```
#[doc(alias = "utf8_length_from_latin1")]
#[must_use]
#[inline]
pub fn latin1_to_utf8_len(bytes: &[u8]) -> usize {
    bytes.len() + bytes.iter().map(|&byte| usize::from(byte >> 7)).sum::<usize>()
}

/// Returns the length in bytes of UTF-8 converted to Latin-1.
///
/// # Errors
/// The first error, or code point above U+00FF.
///
/// ```
/// assert_eq!(utf8kit::utf8_to_latin1_len("naïve".as_bytes()), Ok(5));
/// ```
#[doc(alias = "latin1_length_from_utf8")]
#[inline]
pub fn utf8_to_latin1_len(bytes: &[u8]) -> Result<usize, Error> {
    // It is at most as long as the input.
    converted_len(Utf8, Latin1, bytes).map(|len| len as usize)
}
