//! UTF-32 as `[u32]`, in this machine's byte order.

use super::{Progress, convert_into};
use crate::encoding::{Utf8, Utf32Native};
use crate::error::{Error, Unit};
use crate::out::Units;
use crate::validate::first_error;

#[cfg(feature = "alloc")]
use super::engine::Engine;
#[cfg(feature = "alloc")]
use crate::policy::Policy;
#[cfg(feature = "alloc")]
use alloc::{string::String, vec, vec::Vec};

/// Validates UTF-32.
///
/// # Errors
/// The first value that is no scalar value; `offset` and `len` count units.
///
/// ```
/// assert_eq!(utf8kit::validate_utf32(&[0x61, 0x110000]).unwrap_err().kind.name(), "too_large");
/// ```
#[inline]
pub fn validate_utf32(units: &[u32]) -> Result<(), Error> {
    first_error(Utf32Native::default(), units.bytes())
        .map_or(Ok(()), |error| Err(error.in_units(Unit::Utf32)))
}

/// A text as UTF-32: its scalar values.
///
/// ```
/// assert_eq!(utf8kit::to_utf32("€😀"), [0x20AC, 0x1F600]);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn to_utf32(text: &str) -> Vec<u32> {
    let mut units = vec![0; crate::count::count(text)];
    let progress = convert_into(Utf8, Utf32Native::default(), text.as_bytes(), true, units.bytes_mut());
    debug_assert_eq!(progress.written, units.len() * 4);
    units
}

/// Writes UTF-8 as UTF-32 into a buffer; `read` counts bytes, `written` units.
///
/// ```
/// let mut units = [0; 8];
/// let progress = utf8kit::encode_utf32_into("né".as_bytes(), &mut units);
/// assert_eq!((progress.read, &units[..progress.written]), (3, &[0x6E, 0xE9][..]));
/// ```
#[inline]
pub fn encode_utf32_into(bytes: &[u8], units: &mut [u32]) -> Progress {
    let progress = convert_into(Utf8, Utf32Native::default(), bytes, false, units.bytes_mut());
    Progress { written: progress.written / 4, ..progress }
}

/// UTF-32 as a string.
///
/// # Errors
/// The first value that is no scalar value; `offset` and `len` count units.
///
/// ```
/// assert_eq!(utf8kit::from_utf32(&[0x20AC]), Ok("€".into()));
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn from_utf32(units: &[u32]) -> Result<String, Error> {
    Engine::strict(Utf32Native::default(), Utf8)
        .text(units.bytes())
        .map_err(|error| error.in_units(Unit::Utf32))
}

/// UTF-32 as a string, U+FFFD in place of what is no scalar value.
///
/// ```
/// assert_eq!(utf8kit::from_utf32_lossy(&[0x61, 0xD800]), "a\u{FFFD}");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn from_utf32_lossy(units: &[u32]) -> String {
    let engine = Engine::lossy(Utf32Native::default(), Utf8, Policy::REPLACE);
    engine.text(units.bytes()).unwrap_or_default()
}
