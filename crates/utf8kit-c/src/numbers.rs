//! The numbers that C uses for encodings, policies, kinds of errors and statuses. They never change.

use utf8kit::{AnyEncoding, ColumnUnit, LineEnds, Policy};

/// Success. For validation: the text has no error.
pub const UTF8KIT_OK: i32 = 0;
/// There is an error.
pub const UTF8KIT_ILL_FORMED: i32 = 1;
/// The output is full; call again with the rest of the input and more capacity.
pub const UTF8KIT_OUTPUT_FULL: i32 = 2;
/// There is no such position or line in the text.
pub const UTF8KIT_BEYOND_END: i32 = 3;
/// Invalid call: NULL with a length that is not 0, or a required pointer is NULL.
pub const UTF8KIT_NULL: i32 = -1;
/// Invalid call: no encoding has this number.
pub const UTF8KIT_UNKNOWN_ENCODING: i32 = -2;
/// Invalid call: no policy has this number.
pub const UTF8KIT_UNKNOWN_POLICY: i32 = -3;
/// Invalid call: input and output overlap.
pub const UTF8KIT_OVERLAP: i32 = -4;
/// Invalid call: a length greater than any object in memory can have.
pub const UTF8KIT_TOO_LONG: i32 = -5;
/// Invalid call: the text and the index have different lengths.
pub const UTF8KIT_WRONG_TEXT: i32 = -6;
/// Invalid call: no unit has this number.
pub const UTF8KIT_UNKNOWN_UNIT: i32 = -7;
/// Invalid call: the text has no such range.
pub const UTF8KIT_OUT_OF_RANGE: i32 = -8;
/// Invalid call: no convention of line ends has this number.
pub const UTF8KIT_UNKNOWN_LINES: i32 = -9;

/// RFC 3629.
pub const UTF8KIT_UTF_8: u32 = 0;
/// Every value to 1FFFFF in 1 to 4 bytes.
pub const UTF8KIT_UTF_8_21BIT: u32 = 1;
/// Every value to 7FFFFFFF in 1 to 6 bytes (RFC 2279).
pub const UTF8KIT_UTF_8_31BIT: u32 = 2;
/// Each length begins where the previous one ends, so nothing can be overlong.
pub const UTF8KIT_UTF_8_OFFSET: u32 = 3;
/// Surrogate pairs, three bytes each (UTR #26).
pub const UTF8KIT_CESU_8: u32 = 4;
/// Java's modified UTF-8: CESU-8 with NUL as C0 80, and lone surrogates.
pub const UTF8KIT_MUTF_8: u32 = 5;
/// UTF-8 and lone surrogates.
pub const UTF8KIT_WTF_8: u32 = 6;
/// UTF-16, lowest byte first. All lengths are in bytes.
pub const UTF8KIT_UTF_16LE: u32 = 7;
/// UTF-16, highest byte first.
pub const UTF8KIT_UTF_16BE: u32 = 8;
/// UTF-32, lowest byte first.
pub const UTF8KIT_UTF_32LE: u32 = 9;
/// UTF-32, highest byte first.
pub const UTF8KIT_UTF_32BE: u32 = 10;
/// Any 16-bit units, lowest byte first: lone surrogates are characters.
pub const UTF8KIT_WTF_16LE: u32 = 11;
/// Any 16-bit units, highest byte first.
pub const UTF8KIT_WTF_16BE: u32 = 12;
/// ISO 8859-1.
pub const UTF8KIT_LATIN1: u32 = 13;

/// Stop at the first error.
pub const UTF8KIT_STRICT: u32 = 0;
/// U+FFFD for each maximal subpart, as in WHATWG decoders, Python, Rust, ICU.
pub const UTF8KIT_REPLACE: u32 = 1;
/// U+FFFD for each byte, as in Go's range loop and glib's g_utf8_make_valid (which also replaces NUL).
pub const UTF8KIT_REPLACE_BYTE: u32 = 2;
/// U+FFFD for each run of errors, as in Go's strings.ToValidUTF8.
pub const UTF8KIT_REPLACE_RUN: u32 = 3;
/// U+FFFD wherever Java's decoder writes one.
pub const UTF8KIT_JAVA: u32 = 4;
/// Omit the error's bytes. This loses data, and can join separate text.
pub const UTF8KIT_REMOVE: u32 = 5;
/// \xHH for each byte. This is reversible.
pub const UTF8KIT_ESCAPE: u32 = 6;
/// `?` for each byte, so that everything else keeps its offset.
pub const UTF8KIT_SAME_LENGTH: u32 = 7;

/// A longer form than necessary, such as C0 AF for a slash.
pub const UTF8KIT_OVERLONG: u8 = 0;
/// A surrogate where the encoding does not allow it, or half of a pair.
pub const UTF8KIT_SURROGATE: u8 = 1;
/// A value greater than the encoding's maximum.
pub const UTF8KIT_TOO_LARGE: u8 = 2;
/// A sequence with missing bytes.
pub const UTF8KIT_TRUNCATED: u8 = 3;
/// A byte 80..BF where a sequence must start.
pub const UTF8KIT_UNEXPECTED_CONTINUATION: u8 = 4;
/// A byte that occurs in no sequence of the encoding.
pub const UTF8KIT_INVALID_BYTE: u8 = 5;

/// Positions count bytes: `utf-8` in the Language Server Protocol.
pub const UTF8KIT_BYTES: u32 = 0;
/// Positions count UTF-16 code units: `utf-16`, the protocol's default.
pub const UTF8KIT_UTF_16_UNITS: u32 = 1;
/// Positions count code points: `utf-32`.
pub const UTF8KIT_CODE_POINTS: u32 = 2;

/// Lines end with LF.
pub const UTF8KIT_LINES_LF: u32 = 0;
/// Lines end with LF, CR LF or CR, as the Language Server Protocol prescribes.
pub const UTF8KIT_LINES_UNIVERSAL: u32 = 1;
/// Lines end with those, VT, FF, NEL, LS or PS.
pub const UTF8KIT_LINES_UNICODE: u32 = 2;

/// An invalid call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidCall {
    Null,
    Encoding,
    Policy,
    Overlap,
    TooLong,
    WrongText,
    Unit,
    OutOfRange,
    Lines,
}

impl InvalidCall {
    pub(crate) const fn status(self) -> i32 {
        match self {
            InvalidCall::Null => UTF8KIT_NULL,
            InvalidCall::Encoding => UTF8KIT_UNKNOWN_ENCODING,
            InvalidCall::Policy => UTF8KIT_UNKNOWN_POLICY,
            InvalidCall::Overlap => UTF8KIT_OVERLAP,
            InvalidCall::TooLong => UTF8KIT_TOO_LONG,
            InvalidCall::WrongText => UTF8KIT_WRONG_TEXT,
            InvalidCall::Unit => UTF8KIT_UNKNOWN_UNIT,
            InvalidCall::OutOfRange => UTF8KIT_OUT_OF_RANGE,
            InvalidCall::Lines => UTF8KIT_UNKNOWN_LINES,
        }
    }
}

pub(crate) const fn encoding(number: u32) -> Result<AnyEncoding, InvalidCall> {
    Ok(match number {
        UTF8KIT_UTF_8 => AnyEncoding::Utf8,
        UTF8KIT_UTF_8_21BIT => AnyEncoding::Utf8Bits21,
        UTF8KIT_UTF_8_31BIT => AnyEncoding::Utf8Bits31,
        UTF8KIT_UTF_8_OFFSET => AnyEncoding::Utf8Offset,
        UTF8KIT_CESU_8 => AnyEncoding::Cesu8,
        UTF8KIT_MUTF_8 => AnyEncoding::Mutf8,
        UTF8KIT_WTF_8 => AnyEncoding::Wtf8,
        UTF8KIT_UTF_16LE => AnyEncoding::Utf16Le,
        UTF8KIT_UTF_16BE => AnyEncoding::Utf16Be,
        UTF8KIT_UTF_32LE => AnyEncoding::Utf32Le,
        UTF8KIT_UTF_32BE => AnyEncoding::Utf32Be,
        UTF8KIT_WTF_16LE => AnyEncoding::Wtf16Le,
        UTF8KIT_WTF_16BE => AnyEncoding::Wtf16Be,
        UTF8KIT_LATIN1 => AnyEncoding::Latin1,
        _ => return Err(InvalidCall::Encoding),
    })
}

pub(crate) const fn unit(number: u32) -> Result<ColumnUnit, InvalidCall> {
    Ok(match number {
        UTF8KIT_BYTES => ColumnUnit::Bytes,
        UTF8KIT_UTF_16_UNITS => ColumnUnit::Utf16,
        UTF8KIT_CODE_POINTS => ColumnUnit::CodePoints,
        _ => return Err(InvalidCall::Unit),
    })
}

pub(crate) const fn line_ends(number: u32) -> Result<LineEnds, InvalidCall> {
    Ok(match number {
        UTF8KIT_LINES_LF => LineEnds::LineFeed,
        UTF8KIT_LINES_UNIVERSAL => LineEnds::Universal,
        UTF8KIT_LINES_UNICODE => LineEnds::Unicode,
        _ => return Err(InvalidCall::Lines),
    })
}

/// Returns the policy with a number, or `None` for the strict one.
pub(crate) const fn policy(number: u32) -> Result<Option<Policy<'static>>, InvalidCall> {
    Ok(Some(match number {
        UTF8KIT_STRICT => return Ok(None),
        UTF8KIT_REPLACE => Policy::REPLACE,
        UTF8KIT_REPLACE_BYTE => Policy::REPLACE_BYTE,
        UTF8KIT_REPLACE_RUN => Policy::REPLACE_RUN,
        UTF8KIT_JAVA => Policy::JAVA,
        UTF8KIT_REMOVE => Policy::Remove,
        UTF8KIT_ESCAPE => Policy::Escape,
        UTF8KIT_SAME_LENGTH => Policy::SameLength,
        _ => return Err(InvalidCall::Policy),
    }))
}

#[cfg(test)]
mod tests {
    use utf8kit::ErrorKind;

    use super::*;

    /// Returns the number in the header for a name in the library.
    fn number(name: &str) -> u32 {
        let constant = format!("UTF8KIT_{}", name.to_uppercase().replace('-', "_"));
        let defined = include_str!("../include/utf8kit.h").lines().find_map(|line| {
            let (name, number) = line.strip_prefix("#define ")?.split_once(' ')?;
            (name == constant).then(|| number.parse().expect("a number"))
        });
        defined.unwrap_or_else(|| panic!("the header lacks {constant}"))
    }

    #[test]
    fn names_are_those_of_the_library() {
        for &expected in AnyEncoding::ALL {
            assert_eq!(encoding(number(expected.name())), Ok(expected));
        }
        for expected in Policy::ALL {
            assert_eq!(policy(number(expected.name())), Ok(Some(expected)));
        }
        for &expected in ErrorKind::ALL {
            assert_eq!(number(expected.name()), expected as u32);
        }
    }
}
