//! `serde`: fields whose bytes may be invalid.
//!
//! [`lossy`] deserialises any bytes to a string, with errors replaced. [`escaped`] carries any bytes through formats
//! that can only contain text, without loss. Names ([`crate::AnyEncoding`], [`crate::ErrorKind`], [`crate::PolicyBuf`])
//! are written as strings, [`crate::summary::Summary`], [`crate::summary::Stats`] and [`crate::summary::Histogram`] as
//! the bytes of their `to_bytes`.
//!
//! ```
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Row {
//!     #[serde(with = "utf8kit::adapters::serde::lossy")]
//!     name: String,
//!     #[serde(with = "utf8kit::adapters::serde::escaped")]
//!     path: Vec<u8>,
//! }
//! let row: Row = serde_json::from_slice(b"{\"name\":\"caf\xE9\",\"path\":\"a\\\\xFFb\"}").unwrap();
//! assert_eq!((row.name.as_str(), row.path.as_slice()), ("caf\u{FFFD}", &b"a\xFFb"[..]));
//! assert_eq!(serde_json::to_string(&row).unwrap(), "{\"name\":\"caf\u{FFFD}\",\"path\":\"a\\\\xFFb\"}");
//! ```

use alloc::{string::String, vec::Vec};
use core::fmt;

use ::serde::de::{Error as _, SeqAccess, Visitor};
use ::serde::{Deserializer, Serializer};

use crate::encoding::Utf8;
use crate::policy::Policy;

/// Accepts bytes in any of the types in which a format may deliver them.
struct AnyBytes;

impl<'de> Visitor<'de> for AnyBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, bytes, or a list of bytes")
    }

    fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
        Ok(text.as_bytes().to_vec())
    }

    fn visit_string<E>(self, text: String) -> Result<Vec<u8>, E> {
        Ok(text.into_bytes())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

/// For `#[serde(with = "utf8kit::adapters::serde::lossy")]` on a `String`: deserialises a string or bytes, with U+FFFD
/// in place of each error.
pub mod lossy {
    use super::{AnyBytes, Deserializer, Serializer, String};
    use alloc::borrow::Cow;

    /// Writes a string.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    /// Reads a string that may be invalid.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let bytes = deserializer.deserialize_byte_buf(AnyBytes)?;
        Ok(match crate::repair::repair(&bytes) {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text,
        })
    }
}

/// For `#[serde(with = "utf8kit::adapters::serde::escaped")]` on a `Vec<u8>`: writes bytes that are mostly text as a
/// string in which each byte of an error is `\xHH` ([`crate::Policy::Escape`]), and reads exactly what was written.
pub mod escaped {
    use super::{AnyBytes, Deserializer, Policy, Serializer, Utf8, Vec};

    /// Writes the bytes as a string.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let escaped = crate::repair::repair_in(Utf8, bytes, Policy::Escape);
        serializer.serialize_str(&crate::repair::repair(&escaped))
    }

    /// Reads the bytes back.
    ///
    /// # Errors
    /// Errors of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = deserializer.deserialize_byte_buf(AnyBytes)?;
        Ok(crate::operations::Encoding::unescape(Utf8, &text))
    }
}

/// Deserialises with a `from_bytes` function.
pub(super) fn deserialize_with<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(&[u8]) -> Result<T, crate::summary::FormatError>,
) -> Result<T, D::Error> {
    read(&deserializer.deserialize_byte_buf(AnyBytes)?).map_err(D::Error::custom)
}
