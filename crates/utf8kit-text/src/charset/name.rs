//! Encodings of the library by name, and the two whose byte order the input decides.

use std::fmt;
use std::str::FromStr;

use utf8kit::{AnyEncoding, ENCODE_BUFFER, Encoding as _};

/// The name of an encoding of [`utf8kit`]: one of [`AnyEncoding`], or one that leaves the byte order to the input.
///
/// ```
/// use utf8kit::AnyEncoding;
/// use utf8kit_text::charset::EncodingName;
///
/// let name: EncodingName = "UTF-16".parse().unwrap();
/// assert_eq!(name.resolve(b"\xFE\xFF\0a"), AnyEncoding::Utf16Be);
/// assert_eq!(name.resolve(b"a\0"), AnyEncoding::Utf16Le);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodingName {
    /// This encoding.
    Exactly(AnyEncoding),
    /// UTF-16 in the byte order that the byte order mark gives.
    Utf16,
    /// UTF-32 in the byte order that the byte order mark gives.
    Utf32,
}

impl EncodingName {
    /// The encoding of an input that begins with `head`; its first 4 bytes are enough.
    ///
    /// Without a byte order mark the order is little-endian, as in the WHATWG Encoding Standard and, on current
    /// machines, in iconv and Python. (The Unicode Standard, D98 and D101, would have it big-endian.)
    pub fn resolve(self, head: &[u8]) -> AnyEncoding {
        let marked = |candidates: [AnyEncoding; 2]| {
            candidates.into_iter().find(|&encoding| has_bom(encoding, head)).unwrap_or(candidates[0])
        };
        match self {
            EncodingName::Exactly(encoding) => encoding,
            EncodingName::Utf16 => marked([AnyEncoding::Utf16Le, AnyEncoding::Utf16Be]),
            EncodingName::Utf32 => marked([AnyEncoding::Utf32Le, AnyEncoding::Utf32Be]),
        }
    }

    /// The name as it is listed: `utf-8`, `utf-16`.
    pub fn name(self) -> &'static str {
        match self {
            EncodingName::Exactly(encoding) => encoding.name(),
            EncodingName::Utf16 => "utf-16",
            EncodingName::Utf32 => "utf-32",
        }
    }
}

impl From<AnyEncoding> for EncodingName {
    fn from(encoding: AnyEncoding) -> EncodingName {
        EncodingName::Exactly(encoding)
    }
}

impl fmt::Display for EncodingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EncodingName {
    type Err = UnknownEncodingName;

    fn from_str(text: &str) -> Result<Self, UnknownEncodingName> {
        let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        match letters.to_ascii_lowercase().as_str() {
            "utf16" => Ok(EncodingName::Utf16),
            "utf32" => Ok(EncodingName::Utf32),
            _ => text.parse().map(EncodingName::Exactly).map_err(|_| UnknownEncodingName),
        }
    }
}

/// The name is none of [`EncodingName`]; its text lists those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownEncodingName;

impl fmt::Display for UnknownEncodingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = AnyEncoding::ALL.iter().map(|encoding| encoding.name()).collect();
        names.extend([EncodingName::Utf16, EncodingName::Utf32].map(EncodingName::name));
        write!(f, "known encodings are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownEncodingName {}

/// The byte order mark, U+FEFF, as the encoding writes it; `None` where it cannot.
pub fn bom(encoding: AnyEncoding) -> Option<Vec<u8>> {
    let mut bytes = [0; ENCODE_BUFFER];
    let len = encoding.encode(0xFEFF, &mut bytes).ok()?;
    bytes.get(..len).map(<[u8]>::to_vec)
}

/// Whether `head` begins with the encoding's byte order mark.
pub fn has_bom(encoding: AnyEncoding, head: &[u8]) -> bool {
    bom(encoding).is_some_and(|bom| head.starts_with(&bom))
}
