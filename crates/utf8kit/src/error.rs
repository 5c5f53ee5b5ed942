//! The one error type of every operation.
//!
//! Spans follow the Unicode Standard's "U+FFFD substitution of maximal subparts" (section 3.9, Tables 3-7
//! to 3-11): what WHATWG decoders, Rust's `Utf8Error`, CPython and ICU report.

use core::fmt;
use core::ops::Range;

/// Why a span of bytes is not a sequence of the encoding.
///
/// The kind is decided by the bytes of the error and the one byte after them, nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// A longer form than needed: `C0 AF` would be an overlong `/`. Always refused (RFC 3629, section 10).
    Overlong,
    /// A value in D800..DFFF where the encoding refuses them, or half of a surrogate pair.
    Surrogate,
    /// A value above the encoding's largest: above 10FFFF in UTF-8, above FF when the target is Latin-1.
    TooLarge,
    /// A proper prefix of a sequence; the next byte is missing or cannot continue it.
    Truncated,
    /// A byte 80..BF where a sequence must start.
    UnexpectedContinuation,
    /// A byte that no sequence of the encoding holds, or that no sequence of its length class may begin.
    InvalidByte,
}

impl ErrorKind {
    /// Every kind, in the order that counts by kind use.
    pub const ALL: [ErrorKind; 6] = [
        ErrorKind::Overlong,
        ErrorKind::Surrogate,
        ErrorKind::TooLarge,
        ErrorKind::Truncated,
        ErrorKind::UnexpectedContinuation,
        ErrorKind::InvalidByte,
    ];

    /// The kind's name, as it stands in JSON and in the conformance vectors.
    ///
    /// ```
    /// assert_eq!(utf8kit::ErrorKind::TooLarge.name(), "too_large");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ErrorKind::Overlong => "overlong",
            ErrorKind::Surrogate => "surrogate",
            ErrorKind::TooLarge => "too_large",
            ErrorKind::Truncated => "truncated",
            ErrorKind::UnexpectedContinuation => "unexpected_continuation",
            ErrorKind::InvalidByte => "invalid_byte",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Overlong => "overlong form",
            ErrorKind::Surrogate => "surrogate",
            ErrorKind::TooLarge => "value too large",
            ErrorKind::Truncated => "truncated sequence",
            ErrorKind::UnexpectedContinuation => "unexpected continuation byte",
            ErrorKind::InvalidByte => "invalid byte",
        })
    }
}

/// One error: `len` bytes at `offset` of the input, and why.
///
/// `offset` is absolute in streams (hence 64 bits wide on every target), and within the slice elsewhere.
///
/// ```
/// use utf8kit::{Error, ErrorKind};
/// let error = utf8kit::validate(b"caf\xC3 au lait").unwrap_err();
/// assert_eq!(error, Error { offset: 3, len: 1, kind: ErrorKind::Truncated });
/// assert_eq!(error.to_string(), "truncated sequence at byte 3 (1 byte)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Error {
    /// Where the error begins, in bytes of the input.
    pub offset: u64,
    /// How many bytes it spans: 1 to 6.
    pub len: u8,
    /// Why.
    pub kind: ErrorKind,
}

impl Error {
    /// The length of the longest well-formed prefix, in bytes: the same number as
    /// [`core::str::Utf8Error::valid_up_to`]. Saturates where `usize` is narrower than the offset.
    #[must_use]
    pub fn valid_up_to(&self) -> usize {
        usize::try_from(self.offset).unwrap_or(usize::MAX)
    }

    /// The span in the input, for slicing.
    ///
    /// ```
    /// let bytes = b"a\xF0\x9F\x98b";
    /// let error = utf8kit::validate(bytes).unwrap_err();
    /// assert_eq!(&bytes[error.range()], b"\xF0\x9F\x98");
    /// ```
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        let start = self.valid_up_to();
        start..start.saturating_add(usize::from(self.len))
    }

    /// The same error `base` bytes further on.
    #[must_use]
    pub(crate) const fn moved(self, base: u64) -> Error {
        Error { offset: self.offset + base, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.len == 1 { "" } else { "s" };
        write!(f, "{} at byte {} ({} byte{plural})", self.kind, self.offset, self.len)
    }
}

impl core::error::Error for Error {}
