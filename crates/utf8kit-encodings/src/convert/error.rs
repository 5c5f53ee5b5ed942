//! The place where a strict conversion stops, and the reason.

use std::fmt;

use utf8kit::ErrorKind;

use crate::charset::Charset;
use crate::convert::rewrite::{COMPOSES, is_written};
use crate::display::Hex;
use crate::unicode;

/// A place that cannot be converted and that stops a strict conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversionError {
    /// The offset of the place, in bytes of the input.
    pub offset: u64,
    /// The bytes of the place.
    pub bytes: Vec<u8>,
    /// The reason.
    pub kind: ConversionErrorKind,
    /// The character that a mark at the place forms with the letter before it, if the target lacks the mark but has
    /// that character. The normal form NFC composes them.
    pub composed: Option<char>,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(&"the encoding it is read in", &"the encoding it is written in"))
    }
}

impl std::error::Error for ConversionError {}

/// The reason why a place cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversionErrorKind {
    /// It is invalid in an encoding of the `utf8kit` library.
    IllFormed(ErrorKind),
    /// It is malformed in a legacy encoding.
    Malformed,
    /// The target lacks this code point. The kind is present if the code point is not a scalar value.
    Lacking(u32, Option<ErrorKind>),
    /// The target has this code point only in another form, the second one.
    Altered(u32, u32),
    /// The place would be replaced or escaped, but the target lacks the second code point, which that needs. The first
    /// is the one that the target lacks, unless the place is malformed.
    Unwritten(Option<u32>, u32),
}

impl ConversionError {
    /// Returns the same error at another offset.
    #[must_use]
    pub fn at(self, offset: u64) -> ConversionError {
        ConversionError { offset, ..self }
    }

    /// Returns the error of a place that is not replaced because the target lacks a character of the replacement.
    pub(crate) fn unwritten(self, missing: char) -> ConversionError {
        let lacking = match self.kind {
            ConversionErrorKind::Lacking(value, _) | ConversionErrorKind::Altered(value, _) => Some(value),
            _ => None,
        };
        ConversionError { kind: ConversionErrorKind::Unwritten(lacking, missing.into()), ..self }
    }

    /// Returns the offset of the first byte after the place.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// Reports whether the error is a character that the target lacks and that transliteration replaces or removes.
    ///
    /// ```
    /// use utf8kit_encodings::Counts;
    /// use utf8kit_encodings::convert::{Conversion, Converter};
    ///
    /// let hebrew = "windows-1255".parse().unwrap();
    /// let plan = Conversion::new("utf-8".parse().unwrap(), hebrew).start(b"");
    /// let embedding = "\u{202B}\u{5D0}".as_bytes();
    /// let (mut out, mut counts) = (Vec::new(), Counts::default());
    /// let error = Converter::new(&plan).push(embedding, true, &mut out, &mut counts).unwrap_err();
    /// assert!(error.is_transliterated(hebrew));
    /// ```
    pub fn is_transliterated(&self, to: Charset) -> bool {
        match self.kind {
            ConversionErrorKind::Lacking(value, None) if self.composed.is_none() => {
                char::from_u32(value).is_some_and(|lacking| is_written(to.writer(), lacking))
            }
            _ => false,
        }
    }

    /// Describes the error in words: `overlong form at byte 5 (C0)`.
    pub fn describe(&self, from: &dyn fmt::Display, to: &dyn fmt::Display) -> String {
        let place = format!("at byte {} ({})", self.offset, Hex(&self.bytes));
        match self.kind {
            ConversionErrorKind::IllFormed(kind) => format!("{kind} {place}: not {from}"),
            ConversionErrorKind::Malformed => format!("malformed {place}: not {from}"),
            ConversionErrorKind::Lacking(value, kind) => {
                let kind = kind.map_or("unrepresentable".to_owned(), |kind| kind.to_string());
                let text = format!("{kind} {place}: {to} lacks U+{value:04X} {}", unicode::name(value));
                let text = text.trim_end().to_owned();
                match self.composed.filter(|_| COMPOSES).map(u32::from) {
                    Some(it) => format!("{text}, but has U+{it:04X} {} in NFC", unicode::name(it)),
                    None => text,
                }
            }
            ConversionErrorKind::Unwritten(lacking, missing) => {
                // As it would be described if nothing were to be written instead.
                let kind =
                    lacking.map_or(ConversionErrorKind::Malformed, |value| ConversionErrorKind::Lacking(value, None));
                let error = ConversionError { kind, ..self.clone() };
                let text = error.describe(from, to);
                let name = unicode::name(missing);
                format!("{text}, and {to} lacks U+{missing:04X} {name} to write instead")
            }
            ConversionErrorKind::Altered(value, other) => {
                let [value, other] = [value, other].map(|it| format!("U+{it:04X} {}", unicode::name(it)));
                let text =
                    format!("unrepresentable {place}: in {to}, {} would be read back as {other}", value.trim_end());
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
            composed: None,
        };
        assert_eq!(error.describe(&"utf-8", &"latin1"), "overlong form at byte 5 (C0): not utf-8");
        let kind = ConversionErrorKind::Lacking(0x20AC, None);
        let error = ConversionError { offset: 0, bytes: vec![0xE2, 0x82, 0xAC], kind, composed: None };
        let text = "unrepresentable at byte 0 (E2 82 AC): KOI8-R lacks U+20AC EURO SIGN";
        assert_eq!(error.describe(&"utf-8", &"KOI8-R"), text);
    }
}
