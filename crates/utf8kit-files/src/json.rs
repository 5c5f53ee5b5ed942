//! JSON lines that are also safe on a terminal, and paths in them.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::ser::{CharEscape, Formatter, Serializer};
use utf8kit_encodings::display::is_harmful;

/// Writes one object as a line.
pub fn write_line(object: &impl Serialize, writer: &mut impl io::Write) -> io::Result<()> {
    object.serialize(&mut Serializer::with_formatter(&mut *writer, Safe))?;
    writer.write_all(b"\n")
}

/// A path, lossily, and its exact bytes in Base64 if they are not UTF-8. Flatten it into an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathFields {
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path_base64: Option<String>,
}

impl PathFields {
    /// Creates the fields for a path.
    pub fn of(path: &Path) -> PathFields {
        let bytes = path.as_os_str().as_encoded_bytes();
        PathFields {
            path: path.to_string_lossy().into_owned(),
            path_base64: path.to_str().is_none().then(|| base64(bytes)),
        }
    }

    /// Returns the path; `None` if it is not a valid path on this system.
    pub fn to_path(&self) -> Option<PathBuf> {
        match &self.path_base64 {
            None => Some(PathBuf::from(&self.path)),
            Some(encoded) => path_of(unbase64(encoded)?),
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere such bytes are not a path")]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(_: Vec<u8>) -> Option<PathBuf> {
    None
}

/// Writes characters that could control a terminal as `\uXXXX`.
struct Safe;

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_harmful(c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        serde_json::ser::CompactFormatter.write_char_escape(writer, escape)
    }
}

/// Formats bytes as lower-case hexadecimal without spaces: `e282`.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes padded Base64; `None` if it is malformed.
fn unbase64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            bits = bits << 6 | ALPHABET.iter().position(|letter| letter == digit)? as u32;
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend(bits.to_be_bytes().into_iter().skip(1).take(group.len() - 1));
    }
    Some(bytes)
}

/// Encodes Base64 (RFC 4648, section 4).
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_both_ways() {
        let cases: [(&[u8], &str); 4] = [(b"", ""), (b"a", "YQ=="), (b"ab", "YWI="), (b"abc\xFF", "YWJj/w==")];
        for (bytes, text) in cases {
            assert_eq!((base64(bytes).as_str(), unbase64(text).as_deref()), (text, Some(bytes)));
        }
        assert_eq!((unbase64("YQ"), unbase64("Y*==")), (None, None));
    }
}
