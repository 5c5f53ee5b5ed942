//! Options for the format of rows, and the reasons why an encoding does not support them.

use std::fmt;

use utf8kit_encodings::charset::Codec;

use super::reader::{FieldCount, Reader};

/// A format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowFormat {
    /// Comma-separated fields, quoted where necessary (RFC 4180).
    Csv,
    /// Tab-separated fields, without quotes.
    Tsv,
    /// One JSON value per line.
    Jsonl,
    /// Plain lines.
    Lines,
    /// Lines of a JSON text in UTF-8. Line feeds within strings, which JSON does not allow, do not end a line.
    Json,
    /// Lines of an XML text in UTF-8. Line feeds in comments, CDATA sections and processing instructions do not end a
    /// line.
    Xml,
}

/// A format, and deviations from its usual delimiter and quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowOptions {
    /// The format.
    pub format: RowFormat,
    /// The delimiter between fields, if not the usual one.
    pub delimiter: Option<char>,
    /// The quote, if not the usual one.
    pub quote: Option<Quote>,
    /// The number of fields that each row must have, if it matters.
    pub fields: Option<FieldCount>,
    /// The program that reads the rows.
    pub reader: Reader,
}

/// The character that encloses fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quote {
    /// This character, for fields that contain a delimiter or line end.
    Sign(char),
    /// Nothing.
    Unquoted,
}

impl Quote {
    fn sign(self) -> Option<char> {
        match self {
            Quote::Sign(sign) => Some(sign),
            Quote::Unquoted => None,
        }
    }
}

impl RowOptions {
    /// Returns the options of a format with its usual delimiter and quote.
    pub const fn new(format: RowFormat) -> RowOptions {
        RowOptions { format, delimiter: None, quote: None, fields: None, reader: Reader::STANDARD }
    }

    /// Returns the delimiter and the quote.
    pub(super) fn signs(self) -> (Option<char>, Option<char>) {
        match self.format {
            RowFormat::Csv => (self.delimiter.or(Some(',')), self.quote.unwrap_or(Quote::Sign('"')).sign()),
            RowFormat::Tsv => (self.delimiter.or(Some('\t')), self.quote.and_then(Quote::sign)),
            _ => (None, None),
        }
    }
}

/// Why an encoding or a set of options cannot be used for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowSyntaxError {
    /// The format has no fields.
    NoFields(RowFormat),
    /// A delimiter or quote is not a single code unit in the encoding.
    NotOneUnit(char, Codec),
    /// The byte of a delimiter or quote may be the second half of another character.
    Ambiguous(char, Codec),
    /// Two of delimiter, quote and line ending are the same.
    Same(char),
    /// The meaning of a byte depends on bytes long before it.
    Stateful(Codec),
}

impl fmt::Display for RowSyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RowSyntaxError::NoFields(format) => {
                let name = if format == RowFormat::Jsonl { "jsonl" } else { "lines" };
                write!(f, "{name} has no delimiter, no quote and no fields")
            }
            RowSyntaxError::NotOneUnit(sign, codec) => {
                write!(f, "{sign:?} is not a single code unit in {codec}, as a delimiter or quote must be")
            }
            RowSyntaxError::Ambiguous(sign, codec) => {
                write!(f, "{sign:?} is also the last byte of other characters in {codec}: convert to utf-8 first")
            }
            RowSyntaxError::Same(sign) => {
                write!(f, "delimiter, quote and line end must differ: {sign:?}")
            }
            RowSyntaxError::Stateful(codec) => {
                write!(f, "a row in {codec} depends on the rows before it: convert to utf-8 first")
            }
        }
    }
}

impl std::error::Error for RowSyntaxError {}
