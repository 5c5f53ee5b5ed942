//! Describes errors in plain words.

use std::fmt::Write as _;

use utf8kit::explain::{Explanation, explain};
use utf8kit::{AnyEncoding, Error, ErrorKind};

use crate::display::{Hex, counted};

/// Describes an error of a text in plain words. The bytes after the error are taken into account.
///
/// ```
/// use utf8kit::AnyEncoding;
/// use utf8kit_encodings::describe::describe;
///
/// let bytes = b"a\xC0\xAF";
/// let error = utf8kit::validate(bytes).unwrap_err();
/// let description = describe(AnyEncoding::Utf8, bytes, &error);
/// assert_eq!(description.lax.as_deref(), Some("C0 AF is an overlong \"/\""));
/// assert_eq!(
///     description.message(),
///     "overlong form; C0 AF is an overlong \"/\"; no sequence of utf-8 begins with C0"
/// );
/// ```
pub fn describe(encoding: AnyEncoding, bytes: &[u8], error: &Error) -> Description {
    let start = usize::try_from(error.offset).unwrap_or(usize::MAX);
    Description::about(encoding, bytes.get(start..).unwrap_or_default())
}

/// The description of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// The error in a few words.
    pub what: String,
    /// The expectation: `after E0, expected A0..BF, found 80`.
    pub expected: Option<String>,
    /// The reading of a lax decoder: `C0 AF is an overlong "/"`.
    pub lax: Option<String>,
}

impl Description {
    /// Creates a description with only `what`.
    pub fn new(what: impl Into<String>) -> Description {
        Description { what: what.into(), ..Description::default() }
    }

    /// Joins all parts into one line.
    pub fn message(&self) -> String {
        let mut all = self.what.clone();
        for part in [&self.lax, &self.expected].into_iter().flatten() {
            // Infallible: it is a String.
            let _ = write!(all, "; {part}");
        }
        all
    }

    /// Describes the error at the start of `bytes`, which include the input after it.
    pub fn about(encoding: AnyEncoding, bytes: &[u8]) -> Description {
        let Some(error) = explain(encoding, bytes).next() else { return Description::default() };
        let Err(kind) = error.result else { return Description::default() };
        match encoding.unit() {
            1 => dialect(encoding, &error, kind, bytes),
            2 => utf16(encoding, &error, kind, bytes),
            _ => utf32(encoding, &error, kind),
        }
    }
}

/// Describes an error in a dialect of UTF-8.
fn dialect(encoding: AnyEncoding, error: &Explanation, kind: ErrorKind, bytes: &[u8]) -> Description {
    let span = Hex(error.bytes());
    let found = error.next.map_or("the end".to_owned(), |byte| format!("{byte:02X}"));
    let expected = match error.expected {
        Some((low, high)) => Some(format!("after {span}, expected {low:02X}..{high:02X}, found {found}")),
        None if kind == ErrorKind::Overlong => Some(format!("no sequence of {encoding} begins with {span}")),
        None => None,
    };
    let whole = Hex(&bytes[..error.length_class.clamp(error.len, bytes.len())]);
    let lax = error.lax_value;
    let what = match (kind, error.len) {
        (ErrorKind::Truncated, _) => {
            let missing = error.length_class.saturating_sub(error.len) as u64;
            format!("truncated sequence: {span} lacks {}", counted(missing, "byte"))
        }
        (ErrorKind::UnexpectedContinuation, _) => {
            format!("unexpected continuation byte: {span} continues a sequence, but none has begun")
        }
        (ErrorKind::InvalidByte, _) if error.bytes() == [0] => {
            format!("invalid byte: NUL is not written 00 but C0 80 in {encoding}")
        }
        (ErrorKind::InvalidByte, _) => format!("invalid byte: {span} never occurs in {encoding}"),
        (ErrorKind::Surrogate, 6) => {
            format!("surrogate: {span} is a pair of surrogates, which must be one code point")
        }
        (ErrorKind::Surrogate, 3) => format!("surrogate: {span} is one half of a pair, without the other"),
        _ => kind.to_string(),
    };
    let lax = lax.map(|value| match kind {
        ErrorKind::Overlong => format!("{whole} is an overlong {}", shown(value)),
        ErrorKind::Surrogate => format!("{whole} is the surrogate {}", shown(value)),
        ErrorKind::TooLarge => {
            let largest = encoding.grammar().map_or(0x10_FFFF, |grammar| grammar.max());
            format!("{whole} is {}, beyond {}", shown(value), shown(largest))
        }
        _ => format!("{whole} is {} elsewhere", shown(value)),
    });
    Description { what, expected, lax }
}

/// Describes an error in UTF-16.
fn utf16(encoding: AnyEncoding, error: &Explanation, kind: ErrorKind, bytes: &[u8]) -> Description {
    let big_endian = matches!(encoding, AnyEncoding::Utf16Be | AnyEncoding::Wtf16Be);
    let unit = |at: usize| {
        let pair = [*bytes.get(at)?, *bytes.get(at + 1)?];
        Some(if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let what = |text: String| Description { what: text, ..Description::default() };
    match (kind, unit(0), unit(2)) {
        (ErrorKind::Truncated, Some(high), _) => Description {
            expected: Some(format!("after {high:04X}, expected DC00..DFFF, found one byte and the end")),
            ..what("truncated sequence: the input ends within the second code unit of a pair".to_owned())
        },
        (ErrorKind::Truncated, None, _) => {
            what("truncated sequence: the input ends after one byte of a code unit of two".to_owned())
        }
        (_, Some(high @ 0xD800..=0xDBFF), next) => Description {
            expected: Some(format!(
                "after {high:04X}, expected DC00..DFFF, found {}",
                next.map_or("the end".to_owned(), |unit| format!("{unit:04X}"))
            )),
            ..what(format!("surrogate: {high:04X} is the first half of a pair, without the second"))
        },
        (_, Some(low), _) => what(format!("surrogate: {low:04X} is the second half of a pair, without the first")),
        (_, None, _) => what(format!("{kind}: {}", Hex(error.bytes()))),
    }
}

/// Describes an error in UTF-32.
fn utf32(encoding: AnyEncoding, error: &Explanation, kind: ErrorKind) -> Description {
    let value = <[u8; 4]>::try_from(error.bytes()).map(|unit| match encoding {
        AnyEncoding::Utf32Be => u32::from_be_bytes(unit),
        _ => u32::from_le_bytes(unit),
    });
    let what = match (kind, value) {
        (ErrorKind::Surrogate, Ok(value)) => format!("surrogate: {} is not a scalar value", shown(value)),
        (_, Ok(value)) => format!("value too large: {value:08X} is beyond U+10FFFF"),
        (_, Err(_)) => {
            format!(
                "truncated sequence: the input ends after {} of a code unit of four",
                counted(error.len as u64, "byte")
            )
        }
    };
    Description { what, ..Description::default() }
}

/// Formats a value, in quotes if it is visible, otherwise as U+XXXX.
fn shown(value: u32) -> String {
    match char::from_u32(value) {
        Some(c) if c.is_alphanumeric() || c.is_ascii_graphic() || (0x1F300..0x1FB00).contains(&value) => {
            format!("\"{c}\"")
        }
        _ => format!("U+{value:04X}"),
    }
}
