//! UTF-16 as `[u16]`, in this machine's byte order.

use super::{Progress, convert_into};
use crate::encoding::{Utf8, Utf16Native};
use crate::error::{Error, Unit};
use crate::out::Units;
use crate::validate::{errors_in, first_error};

#[cfg(feature = "alloc")]
use super::engine::Engine;
#[cfg(feature = "alloc")]
use crate::policy::Policy;
#[cfg(feature = "alloc")]
use alloc::{string::String, vec, vec::Vec};

/// Validates UTF-16.
///
/// # Errors
/// The first lone surrogate; `offset` and `len` count units.
///
/// ```
/// assert!(utf8kit::validate_utf16(&[0xD83D, 0xDE00]).is_ok());
/// assert_eq!(utf8kit::validate_utf16(&[0x61, 0xDE00]).unwrap_err().offset, 1);
/// ```
#[inline]
pub fn validate_utf16(units: &[u16]) -> Result<(), Error> {
    first_error(Utf16Native::default(), units.bytes())
        .map_or(Ok(()), |error| Err(error.in_units(Unit::Utf16)))
}

/// Puts U+FFFD in place of every lone surrogate; says how many there were.
///
/// ```
/// let mut units = [0x61, 0xD83D, 0x62];
/// assert_eq!(utf8kit::repair_utf16(&mut units), 1);
/// assert_eq!(units, [0x61, 0xFFFD, 0x62]);
/// ```
#[inline]
pub fn repair_utf16(units: &mut [u16]) -> usize {
    let mut repaired = 0;
    let mut from = 0;
    while let Some(error) = errors_in(Utf16Native::default(), units[from..].bytes()).next() {
        let at = from + error.range().start / 2;
        units[at] = 0xFFFD;
        repaired += 1;
        from = at + 1;
    }
    repaired
}

/// A text as UTF-16.
///
/// ```
/// assert_eq!(utf8kit::to_utf16("€😀"), [0x20AC, 0xD83D, 0xDE00]);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn to_utf16(text: &str) -> Vec<u16> {
    let mut units = vec![0; crate::count::utf16_len(text)];
    let progress = convert_into(Utf8, Utf16Native::default(), text.as_bytes(), true, units.bytes_mut());
    debug_assert_eq!(progress.written, units.len() * 2);
    units
}

/// Writes UTF-8 as UTF-16 into a buffer; `read` counts bytes, `written` units.
///
/// ```
/// let mut units = [0; 8];
/// let progress = utf8kit::encode_utf16_into("né".as_bytes(), &mut units);
/// assert_eq!((progress.read, &units[..progress.written]), (3, &[0x6E, 0xE9][..]));
/// ```
#[inline]
pub fn encode_utf16_into(bytes: &[u8], units: &mut [u16]) -> Progress {
    let progress = convert_into(Utf8, Utf16Native::default(), bytes, false, units.bytes_mut());
    Progress { written: progress.written / 2, ..progress }
}

/// UTF-16 as a string.
///
/// # Errors
/// The first lone surrogate; `offset` and `len` count units.
///
/// ```
/// assert_eq!(utf8kit::from_utf16(&[0x20AC]), Ok("€".into()));
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn from_utf16(units: &[u16]) -> Result<String, Error> {
    Engine::strict(Utf16Native::default(), Utf8)
        .text(units.bytes())
        .map_err(|error| error.in_units(Unit::Utf16))
}

/// UTF-16 as a string, U+FFFD in place of lone surrogates.
///
/// ```
/// assert_eq!(utf8kit::from_utf16_lossy(&[0x61, 0xD800]), "a\u{FFFD}");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn from_utf16_lossy(units: &[u16]) -> String {
    let engine = Engine::lossy(Utf16Native::default(), Utf8, Policy::REPLACE);
    engine.text(units.bytes()).unwrap_or_default()
}
