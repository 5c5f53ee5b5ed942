//! Encodes one value at a time.

use crate::encoding::{ENCODE_BUFFER, Encoding, Utf8};
use crate::error::ErrorKind;

/// The bytes of one encoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoded {
    bytes: [u8; ENCODE_BUFFER],
    len: u8,
}

impl Encoded {
    /// Returns the bytes: 1 to 6 of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl core::ops::Deref for Encoded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Encoded {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Encodes a scalar value in UTF-8.
///
/// ```
/// assert_eq!(utf8kit::encode('€').as_bytes(), b"\xE2\x82\xAC");
/// ```
#[doc(alias = "encode_utf8")]
#[must_use]
pub fn encode(c: char) -> Encoded {
    let mut bytes = [0; ENCODE_BUFFER];
    // UTF-8 represents every scalar value.
    let len = Utf8.encode(u32::from(c), &mut bytes).unwrap_or(0) as u8;
    Encoded { bytes, len }
}

/// Encodes a value in any encoding.
///
/// # Errors
/// [`ErrorKind::Surrogate`] or [`ErrorKind::TooLarge`] for a value that the encoding cannot represent.
///
/// ```
/// use utf8kit::{ErrorKind, Utf8, Utf8Bits31, Utf8Offset, encode_in};
/// assert_eq!(encode_in(Utf8Offset, 0x20AC).unwrap().as_bytes(), b"\xE1\xA0\xAC");
/// assert_eq!(encode_in(Utf8Bits31, 0x7FFF_FFFF).unwrap().len(), 6);
/// assert_eq!(encode_in(Utf8, 0xD800), Err(ErrorKind::Surrogate));
/// ```
pub fn encode_in<E: Encoding>(encoding: E, value: u32) -> Result<Encoded, ErrorKind> {
    let mut bytes = [0; ENCODE_BUFFER];
    let len = encoding.encode(value, &mut bytes)? as u8;
    Ok(Encoded { bytes, len })
}
