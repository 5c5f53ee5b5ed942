//! Latin-1 as bytes and text.

use super::converted_len;
use crate::encoding::{Latin1, Utf8};
use crate::error::Error;

#[cfg(feature = "alloc")]
use super::convert;
#[cfg(feature = "alloc")]
use super::engine::Engine;
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// Latin-1 as a string. Nothing in it is ill-formed.
///
/// ```
/// assert_eq!(utf8kit::from_latin1(b"na\xEFve"), "naïve");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn from_latin1(bytes: &[u8]) -> String {
    Engine::strict(Latin1, Utf8).text(bytes).unwrap_or_default()
}

/// A text as Latin-1.
///
/// # Errors
/// The first code point above U+00FF.
///
/// ```
/// assert_eq!(utf8kit::to_latin1("naïve"), Ok(b"na\xEFve".to_vec()));
/// assert_eq!(utf8kit::to_latin1("€").unwrap_err().kind.name(), "too_large");
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn to_latin1(text: &str) -> Result<Vec<u8>, Error> {
    convert(Utf8, Latin1, text.as_bytes())
}

/// The length of Latin-1 bytes as UTF-8.
///
/// ```
/// assert_eq!(utf8kit::latin1_to_utf8_len(b"na\xEFve"), 6);
/// ```
#[must_use]
#[inline]
pub fn latin1_to_utf8_len(bytes: &[u8]) -> usize {
    bytes.len() + bytes.iter().map(|&byte| usize::from(byte >> 7)).sum::<usize>()
}

/// The length of UTF-8 as Latin-1.
///
/// # Errors
/// The first error, or code point above U+00FF.
///
/// ```
/// assert_eq!(utf8kit::utf8_to_latin1_len("naïve".as_bytes()), Ok(5));
/// ```
#[inline]
pub fn utf8_to_latin1_len(bytes: &[u8]) -> Result<usize, Error> {
    converted_len(Utf8, Latin1, bytes)
}
