//! Where a strict conversion stops, and why.

use std::fmt;

use utf8kit::ErrorKind;

use crate::display::Hex;
use crate::stats::unicode;

/// A place that cannot be converted, at which a strict conversion stops.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversionError {
    /// Where it begins, in bytes of the input.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Why.
    pub kind: ConversionErrorKind,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(&"the encoding it is read in", &"the encoding it is written in"))
    }
}

impl std::error::Error for ConversionError {}

/// Why a place cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversionErrorKind {
    /// Ill-formed in an encoding of the library.
    IllFormed(ErrorKind),
    /// Ill-formed in a legacy encoding.
    Malformed,
    /// A code point that the target lacks. The kind is the library's: of one that is not a scalar value.
    Lacking(u32, Option<ErrorKind>),
}

impl ConversionError {
    /// The same at another offset.
    #[must_use]
    pub fn at(self, offset: u64) -> ConversionError {
        ConversionError { offset, ..self }
    }

    /// The offset of the first byte behind it.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// In words: `overlong at byte 5 (C0)`.
    pub fn describe(&self, from: &dyn fmt::Display, to: &dyn fmt::Display) -> String {
        let place = format!("at byte {} ({})", self.offset, Hex(&self.bytes));
        match self.kind {
            ConversionErrorKind::IllFormed(kind) => format!("{} {place}: not {from}", kind.name()),
            ConversionErrorKind::Malformed => format!("malformed {place}: not {from}"),
            ConversionErrorKind::Lacking(value, kind) => {
                let kind = kind.map_or("unrepresentable", ErrorKind::name);
                let text = format!("{kind} {place}: {to} lacks U+{value:04X} {}", unicode::name(value));
                text.trim_end().to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named() {
        let error = ConversionError {
            offset: 5,
            bytes: vec![0xC0],
            kind: ConversionErrorKind::IllFormed(ErrorKind::Overlong),
        };
        assert_eq!(error.describe(&"utf-8", &"latin1"), "overlong at byte 5 (C0): not utf-8");
        let kind = ConversionErrorKind::Lacking(0x20AC, None);
        let error = ConversionError { offset: 0, bytes: vec![0xE2, 0x82, 0xAC], kind };
        let text = "unrepresentable at byte 0 (E2 82 AC): KOI8-R lacks U+20AC EURO SIGN";
        assert_eq!(error.describe(&"utf-8", &"KOI8-R"), text);
    }
}
