//! The error type of every operation.
//!
//! Error spans follow the Unicode Standard's "U+FFFD substitution of maximal subparts" (section 3.9, Tables 3-7 to
//! 3-11), which is also what WHATWG decoders, Rust's `Utf8Error`, CPython and ICU report.

use core::fmt;
use core::ops::Range;

/// Why a span of the input is not a sequence of its encoding.
///
/// The kind depends only on the bytes of the error and the one byte after them.
///
/// ```
/// use utf8kit::ErrorKind;
/// assert_eq!(ErrorKind::from_name("too_large"), Some(ErrorKind::TooLarge));
/// assert_eq!(ErrorKind::try_from(ErrorKind::TooLarge as u8), Ok(ErrorKind::TooLarge));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum ErrorKind {
    /// A longer form than necessary: `C0 AF` would be an overlong `/`. Never accepted (RFC 3629, section 10).
    #[doc(alias = "OVERLONG")]
    Overlong = 0,
    /// A value in D800..DFFF where the encoding does not allow it, or half of a surrogate pair.
    #[doc(alias = "SURROGATE")]
    Surrogate = 1,
    /// A value greater than the encoding's maximum: above 10FFFF in UTF-8, above FF when converting to Latin-1.
    #[doc(alias = "TOO_LARGE")]
    TooLarge = 2,
    /// A proper prefix of a sequence; the next byte is missing or cannot continue it.
    #[doc(alias = "TOO_SHORT")]
    Truncated = 3,
    /// A byte 80..BF where a sequence must start.
    #[doc(alias = "TOO_LONG")]
    UnexpectedContinuation = 4,
    /// A byte that occurs in no sequence of the encoding, or that starts a length the encoding does not have.
    #[doc(alias = "HEADER_BITS")]
    InvalidByte = 5,
}

impl ErrorKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: &'static [ErrorKind] = &[
        ErrorKind::Overlong,
        ErrorKind::Surrogate,
        ErrorKind::TooLarge,
        ErrorKind::Truncated,
        ErrorKind::UnexpectedContinuation,
        ErrorKind::InvalidByte,
    ];

    /// Returns the name used in JSON and in the conformance vectors.
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

    /// Returns the kind with this [`ErrorKind::name`], or `None`.
    ///
    /// ```
    /// use utf8kit::ErrorKind;
    /// assert_eq!(ErrorKind::from_name("overlong"), Some(ErrorKind::Overlong));
    /// assert_eq!(ErrorKind::from_name("Overlong"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ErrorKind::Overlong => "overlong form",
            ErrorKind::Surrogate => "surrogate",
            ErrorKind::TooLarge => "value too large",
            ErrorKind::Truncated => "truncated sequence",
            ErrorKind::UnexpectedContinuation => "unexpected continuation byte",
            ErrorKind::InvalidByte => "invalid byte",
        })
    }
}

/// The error for a number that is not the number of an [`ErrorKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownErrorKind;

impl fmt::Display for UnknownErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown kind of error")
    }
}

impl core::error::Error for UnknownErrorKind {}

impl TryFrom<u8> for ErrorKind {
    type Error = UnknownErrorKind;

    /// Returns the kind with this number (`kind as u8`). The numbers never change.
    fn try_from(number: u8) -> Result<ErrorKind, UnknownErrorKind> {
        ErrorKind::ALL.get(usize::from(number)).copied().ok_or(UnknownErrorKind)
    }
}

/// The code unit in which an [`Error`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Bytes: every operation on `&[u8]`, whatever its encoding.
    #[default]
    Byte,
    /// 16-bit units: operations on `&[u16]`.
    Utf16,
    /// 32-bit units: operations on `&[u32]`.
    Utf32,
}

impl Unit {
    /// Returns the size of the unit in bytes: 1, 2 or 4.
    ///
    /// ```
    /// assert_eq!(utf8kit::Unit::Utf16.bytes(), 2);
    /// ```
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Unit::Byte => 1,
            Unit::Utf16 => 2,
            Unit::Utf32 => 4,
        }
    }
}

/// An error: a span of the input, and why it is invalid.
///
/// Every operation returns this type, whether it validates, converts or reads a stream. `offset` counts from the start
/// of the slice; in streams, from the start of the stream (which is why it has 64 bits on every target).
///
/// ```
/// use utf8kit::{Encoding, Error, ErrorKind};
/// let error = utf8kit::validate(b"caf\xC3 au lait").unwrap_err();
/// assert_eq!(error, Error::new(3, 1, ErrorKind::Truncated));
/// assert_eq!(error.to_string(), "truncated sequence at byte 3 (1 byte)");
///
/// let error = utf8kit::Utf16.validate(&[0x61, 0xDC00, 0x62]).unwrap_err();
/// assert_eq!((error.offset, error.to_string().as_str()), (1, "surrogate at code unit 1 (1 code unit)"));
/// ```
#[doc(alias = "Utf8Error")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Error {
    /// Where the error begins, in units of the input (see [`Error::unit`]).
    pub offset: u64,
    /// The length of the error: 1 to 6 units.
    pub len: u8,
    /// Why it is an error.
    pub kind: ErrorKind,
    /// The unit of `offset` and `len`: bytes, unless the input was a slice of wider units.
    pub unit: Unit,
    /// Whether the input ends here and more input could have made this well formed. False for errors that no further
    /// input can fix.
    ///
    /// ```
    /// assert!(utf8kit::validate(b"caf\xC3").unwrap_err().incomplete);
    /// assert!(!utf8kit::validate(b"caf\xC3!").unwrap_err().incomplete);
    /// ```
    pub incomplete: bool,
    /// Whether the input is well formed here, but the target of the conversion cannot represent the value.
    ///
    /// ```
    /// use utf8kit::{Latin1, Utf8, convert};
    /// assert!(convert(Utf8, Latin1, "€".as_bytes()).unwrap_err().unrepresentable);
    /// assert!(!convert(Utf8, Latin1, b"\xFF").unwrap_err().unrepresentable);
    /// ```
    #[doc(alias = "Unmappable")]
    pub unrepresentable: bool,
}

impl Error {
    /// Creates an error in bytes that is neither incomplete nor unrepresentable.
    ///
    /// ```
    /// use utf8kit::{Error, ErrorKind, validate};
    /// assert_eq!(validate(b"a\xFF"), Err(Error::new(1, 1, ErrorKind::InvalidByte)));
    /// ```
    #[must_use]
    pub const fn new(offset: u64, len: u8, kind: ErrorKind) -> Error {
        Error { offset, len, kind, unit: Unit::Byte, incomplete: false, unrepresentable: false }
    }

    /// Returns the length of the longest well-formed prefix in units. For bytes, this is
    /// [`core::str::Utf8Error::valid_up_to`]. Saturates if `usize` is narrower than the offset.
    ///
    /// ```
    /// assert_eq!(utf8kit::validate(b"caf\xE9").unwrap_err().valid_up_to(), 3);
    /// ```
    #[must_use]
    pub fn valid_up_to(&self) -> usize {
        usize::try_from(self.offset).unwrap_or(usize::MAX)
    }

    /// Returns the length of the error in units, or `None` if the input was incomplete, like
    /// [`core::str::Utf8Error::error_len`].
    ///
    /// ```
    /// assert_eq!(utf8kit::validate(b"caf\xE9").unwrap_err().error_len(), None);
    /// assert_eq!(utf8kit::validate(b"caf\xE9!").unwrap_err().error_len(), Some(1));
    /// ```
    #[must_use]
    pub fn error_len(&self) -> Option<usize> {
        (!self.incomplete).then_some(usize::from(self.len))
    }

    /// Returns the span in the input, for slicing.
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

    /// Returns the same error `base` units further on. This turns an offset in a part into one in the whole. Saturates
    /// at `u64::MAX`.
    ///
    /// ```
    /// let error = utf8kit::validate(b"a\xFF").unwrap_err();
    /// assert_eq!(error.moved(100).offset, 101);
    /// ```
    #[must_use]
    pub const fn moved(self, base: u64) -> Error {
        Error { offset: self.offset.saturating_add(base), ..self }
    }

    /// Returns the same error with this value of [`Error::incomplete`].
    #[inline(always)]
    pub(crate) const fn incomplete_if(self, incomplete: bool) -> Error {
        Error { incomplete, ..self }
    }

    /// Returns the same error with this value of [`Error::unrepresentable`].
    #[inline(always)]
    pub(crate) const fn unrepresentable_if(self, unrepresentable: bool) -> Error {
        Error { unrepresentable, ..self }
    }

    /// Returns the same error, counted in wider units than bytes.
    pub(crate) const fn in_units(self, unit: Unit) -> Error {
        let shift = unit.bytes().trailing_zeros();
        Error { offset: self.offset >> shift, len: self.len.div_ceil(1 << shift), unit, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.len == 1 { "" } else { "s" };
        let unit = if self.unit == Unit::Byte { "byte" } else { "code unit" };
        write!(f, "{} at {unit} {} ({} {unit}{plural})", self.kind, self.offset, self.len)
    }
}

impl core::error::Error for Error {}
