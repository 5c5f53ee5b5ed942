//! Encodes one value at a time.

use crate::encoding::{Codec, ENCODE_BUFFER, Utf8};
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
#[cfg_attr(not(feature = "any"), inline)]
pub fn encode(c: char) -> Encoded {
    let mut bytes = [0; ENCODE_BUFFER];
    // UTF-8 represents every scalar value.
    let len = Utf8.encode_value(u32::from(c), &mut bytes).unwrap_or(0) as u8;
    Encoded { bytes, len }
}

/// Encodes a value in any encoding.
pub(crate) fn encode_in<E: Codec>(encoding: E, value: u32) -> Result<Encoded, ErrorKind> {
    let mut bytes = [0; ENCODE_BUFFER];
    let len = encoding.encode_value(value, &mut bytes)? as u8;
    Ok(Encoded { bytes, len })
}
