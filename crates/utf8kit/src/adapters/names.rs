//! `serde` for the library's own types.

use alloc::string::{String, ToString};

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::serde::deserialize_with;
use crate::summary::{Histogram, Stats, Summary};
use crate::{AnyEncoding, EncodingLabel, ErrorKind, PolicyBuf};

/// Serialises a type as the string that it displays and parses.
macro_rules! as_strings {
    ($($type:ty: $read:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&name(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                $read(&text).map_err(D::Error::custom)
            }
        }
    )*};
}

/// Returns the name of a value.
trait Named {
    fn named(&self) -> String;
}

impl Named for ErrorKind {
    fn named(&self) -> String {
        self.name().into()
    }
}

impl Named for AnyEncoding {
    fn named(&self) -> String {
        self.to_string()
    }
}

impl Named for EncodingLabel {
    fn named(&self) -> String {
        self.to_string()
    }
}

impl Named for PolicyBuf {
    fn named(&self) -> String {
        self.to_string()
    }
}

fn name(value: &impl Named) -> String {
    value.named()
}

as_strings! {
    AnyEncoding: str::parse::<AnyEncoding>;
    EncodingLabel: str::parse::<EncodingLabel>;
    PolicyBuf: str::parse::<PolicyBuf>;
    ErrorKind: |name| ErrorKind::from_name(name).ok_or(crate::UnknownErrorKind);
}

/// Serialises a type as the bytes of `to_bytes`.
macro_rules! as_bytes {
    ($($type:ty)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(&self.to_bytes())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserialize_with(deserializer, <$type>::from_bytes)
            }
        }
    )*};
}

as_bytes! { Summary Stats Histogram }
