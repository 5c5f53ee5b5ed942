//! Byte order marks: U+FEFF at the start of a text, which may name its encoding (The Unicode Standard, 2.13 and 23.8).

use core::fmt;
use core::str::FromStr;

use crate::encoding::{AnyEncoding, UnknownEncoding, same_name};
use crate::operations::Encoding;

/// A byte order mark, and the encoding that it indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Bom {
    /// The encoding.
    pub encoding: AnyEncoding,
    /// The length of the mark: 2 to 4 bytes.
    pub len: usize,
}

/// The encodings whose marks are recognised. UTF-32LE comes before UTF-16LE, because its mark begins with the mark of
/// UTF-16LE.
pub(crate) const MARKED: &[AnyEncoding] =
    &[AnyEncoding::Utf8, AnyEncoding::Utf32Le, AnyEncoding::Utf32Be, AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];

/// Returns the byte order mark of UTF-8, UTF-16 or UTF-32 at the start of a text. `None` if there is none.
///
/// `FF FE 00 00` is read as UTF-32LE, although it could be a NUL after a mark of UTF-16LE.
///
/// ```
/// use utf8kit::{AnyEncoding, detect_bom};
/// let bom = detect_bom(b"\xFF\xFEa\0").unwrap();
/// assert_eq!((bom.encoding, bom.len), (AnyEncoding::Utf16Le, 2));
/// assert_eq!(detect_bom(b"abc"), None);
/// ```
#[doc(alias = "for_bom")]
#[doc(alias = "BOM::check_bom")]
#[must_use]
#[cfg_attr(not(feature = "any"), inline)]
pub fn detect_bom(bytes: &[u8]) -> Option<Bom> {
    after_bom(MARKED, bytes, true).unwrap_or_default()
}

/// Returns the text without a byte order mark of its own encoding.
///
/// ```
/// use utf8kit::{Utf8, Utf16Le, strip_bom};
/// assert_eq!(strip_bom(Utf8, "\u{FEFF}abc".as_bytes()), b"abc");
/// assert_eq!(strip_bom(Utf16Le, b"\xFF\xFEa\0"), b"a\0");
/// assert_eq!(strip_bom(Utf8, b"\xFF\xFEa\0"), b"\xFF\xFEa\0");
/// ```
#[must_use]
#[cfg_attr(not(feature = "any"), inline)]
pub fn strip_bom<E: Encoding>(encoding: E, bytes: &[u8]) -> &[u8] {
    let found = after_bom(&[encoding.any()], bytes, true).unwrap_or_default();
    &bytes[found.map_or(0, |bom| bom.len)..]
}

/// More bytes are needed to decide whether they begin with a mark.
pub(crate) struct Undecided;

/// Returns the mark of one of the encodings, tried in order, if there is one.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn after_bom(encodings: &[AnyEncoding], front: &[u8], last: bool) -> Result<Option<Bom>, Undecided> {
    for &encoding in encodings {
        // Latin-1 has no U+FEFF.
        let Ok(mark) = crate::encode::encode_in(encoding, 0xFEFF) else { continue };
        let common = mark.len().min(front.len());
        if mark[..common] == front[..common] {
            if common == mark.len() {
                return Ok(Some(Bom { encoding, len: common }));
            }
            if !last {
                return Err(Undecided);
            }
        }
    }
    Ok(None)
}

/// The label of an encoding, which may leave the byte order to the text: `utf-16` and `utf-32`.
///
/// ```
/// use utf8kit::{AnyEncoding, EncodingLabel};
/// let label: EncodingLabel = "UTF-16".parse()?;
/// assert_eq!(label.name(), "utf-16");
/// let (encoding, mark) = label.resolve(b"\xFE\xFF\0a");
/// assert_eq!((encoding, mark), (AnyEncoding::Utf16Be, 2));
/// assert_eq!("cesu-8".parse(), Ok(EncodingLabel::Exact(AnyEncoding::Cesu8)));
/// # Ok::<(), utf8kit::UnknownEncoding>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodingLabel {
    /// This encoding. A byte order mark is a character of the text like any other.
    Exact(AnyEncoding),
    /// UTF-16 in the order of its byte order mark, little-endian without one (as in WHATWG's Encoding Standard; RFC
    /// 2781 recommends big-endian, but rarely any text without a mark is).
    Utf16,
    /// UTF-32 in the order of its byte order mark, little-endian without one.
    Utf32,
    /// WTF-16 in the order of its byte order mark, little-endian without one.
    Wtf16,
}

impl EncodingLabel {
    /// Iterates over all labels: the encodings in the order of [`AnyEncoding::ALL`], then `utf-16`, `utf-32` and
    /// `wtf-16`.
    pub fn all() -> impl Iterator<Item = EncodingLabel> {
        let exact = AnyEncoding::ALL.iter().copied().map(EncodingLabel::Exact);
        exact.chain([EncodingLabel::Utf16, EncodingLabel::Utf32, EncodingLabel::Wtf16])
    }

    /// Returns the label's name: `utf-8`, `utf-16`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EncodingLabel::Exact(encoding) => encoding.traits().name,
            EncodingLabel::Utf16 => "utf-16",
            EncodingLabel::Utf32 => "utf-32",
            EncodingLabel::Wtf16 => "wtf-16",
        }
    }

    /// Returns the encoding of a text that begins with these bytes (4 are enough), and the length of the byte order
    /// mark to skip.
    #[must_use]
    #[cfg_attr(not(feature = "any"), inline)]
    pub fn resolve(self, bytes: &[u8]) -> (AnyEncoding, usize) {
        match after_bom(self.marked(), bytes, true).unwrap_or_default() {
            Some(bom) => (bom.encoding, bom.len),
            None => (self.default_encoding(), 0),
        }
    }

    /// Returns the encoding of a text without a byte order mark.
    #[must_use]
    #[cfg_attr(not(feature = "any"), inline)]
    pub const fn default_encoding(self) -> AnyEncoding {
        match self {
            EncodingLabel::Exact(encoding) => encoding,
            EncodingLabel::Utf16 => AnyEncoding::Utf16Le,
            EncodingLabel::Utf32 => AnyEncoding::Utf32Le,
            EncodingLabel::Wtf16 => AnyEncoding::Wtf16Le,
        }
    }

    /// Returns the encodings that a byte order mark decides between.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) const fn marked(self) -> &'static [AnyEncoding] {
        match self {
            EncodingLabel::Exact(_) => &[],
            EncodingLabel::Utf16 => &[AnyEncoding::Utf16Le, AnyEncoding::Utf16Be],
            EncodingLabel::Utf32 => &[AnyEncoding::Utf32Le, AnyEncoding::Utf32Be],
            EncodingLabel::Wtf16 => &[AnyEncoding::Wtf16Le, AnyEncoding::Wtf16Be],
        }
    }
}

impl From<AnyEncoding> for EncodingLabel {
    fn from(encoding: AnyEncoding) -> EncodingLabel {
        EncodingLabel::Exact(encoding)
    }
}

impl fmt::Display for EncodingLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EncodingLabel {
    type Err = UnknownEncoding;

    fn from_str(text: &str) -> Result<Self, UnknownEncoding> {
        match () {
            () if same_name(text, "utf-16") => Ok(EncodingLabel::Utf16),
            () if same_name(text, "utf-32") => Ok(EncodingLabel::Utf32),
            () if same_name(text, "wtf-16") => Ok(EncodingLabel::Wtf16),
            () => text.parse().map(EncodingLabel::Exact),
        }
    }
}
