//! Encodings by name: the library's, `utf-16` and `utf-32` (whose byte order a mark decides), and legacy encodings.

mod algorithm;
pub mod code_pages;
mod gsm;
mod iso2022;
pub mod legacy;
mod lookup;
mod seven_bit;
pub mod step;
mod tokens;
mod utf7;
mod widths;

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use utf8kit::convert;
use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel, strip_bom};

pub use code_pages::list::Family;
use code_pages::list::key;
pub use legacy::Legacy;

/// An encoding by name.
///
/// ```
/// use utf8kit_encodings::charset::Charset;
///
/// let charset: Charset = "ISO-8859-1".parse().unwrap();
/// assert_eq!(charset.to_string(), "latin1");
/// assert_eq!("sjis".parse::<Charset>().unwrap().to_string(), "Shift_JIS");
/// assert!("nonsense".parse::<Charset>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// An encoding of the library, or one whose byte order a mark decides.
    Named(EncodingLabel),
    /// A legacy encoding.
    Legacy(Legacy),
}

/// An encoding with a known byte order, which can read and write bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// An encoding of the library.
    Native(AnyEncoding),
    /// A legacy encoding.
    Legacy(Legacy),
}

/// The other names of the library's own encodings in IANA's registry, iconv, Python, Java, Windows, MySQL, Oracle and
/// macOS, which may be spelled in several ways (see [`key`]). In the WHATWG standard, those of ISO 8859-1 are
/// windows-1252. The byte order does not depend on the machine, because files travel.
const ALIASES: [(&str, &[&str]); 13] = [
    (
        "utf-8",
        &[
            "utf8", "u8", "utf8mb3", "utf8mb4", "al32utf8", "utf-8-strict", "cp65001", "ibm-1208", "rfc3629",
            "iso-ir-193", "iso-10646/utf8", "unicode-1-1-utf-8", "unicode-2-0-utf-8",
        ],
    ),
    ("utf-8-21bit", &["utf-8-21"]),
    ("utf-8-31bit", &["utf-8-31", "rfc2279"]),
    ("cesu-8", &["cesu8", "cscesu-8"]),
    ("mutf-8", &["mutf8", "modified-utf-8", "java-utf-8"]),
    ("wtf-8", &["wtf8"]),
    ("utf-16", &["utf16", "x-utf-16le-bom"]),
    (
        "utf-16le",
        &[
            "utf-16-le", "ucs-2", "ucs2", "ucs-2le", "iso-10646/ucs2", "unicodelittle", "unicodelittleunmarked",
            "utf16_littleendian", "cp1200",
        ],
    ),
    ("utf-16be", &["utf-16-be", "ucs-2be", "unicodebig", "unicodebigunmarked", "utf16_bigendian", "cp1201"]),
    ("utf-32", &["utf32"]),
    ("utf-32le", &["utf-32-le", "ucs-4le", "utf32_littleendian", "cp12000"]),
    (
        "utf-32be",
        &[
            "utf-32-be", "ucs-4", "ucs4", "ucs-4be", "csucs4", "iso-10646", "iso-10646/ucs4", "iso-10646-ucs-4",
            "utf32_bigendian", "cp12001",
        ],
    ),
    (
        "latin1",
        &[
            "iso-8859-1", "latin-1", "latin", "l1", "8859", "iso-ir-100", "iso8859-1", "iso_8859-1:1987", "cp819",
            "csisolatin1", "8859_1", "cp28591",
        ],
    ),
];

impl From<AnyEncoding> for Charset {
    fn from(encoding: AnyEncoding) -> Charset {
        Charset::Named(EncodingLabel::Exact(encoding))
    }
}

/// The keys of the aliases of the library's own encodings, each with the name of its encoding.
static KEYS_OF_OWN: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let all = ALIASES.iter().flat_map(|(own, aliases)| aliases.iter().map(move |alias| (key(alias), *own)));
    all.collect()
});

impl FromStr for Charset {
    type Err = UnknownCharset;

    /// Parses a name, ignoring case and a trailing `//` (iconv lists its names that way).
    fn from_str(text: &str) -> Result<Charset, UnknownCharset> {
        let name = text.trim_end_matches('/');
        if let Ok(named) = name.parse() {
            return Ok(Charset::Named(named));
        }
        let native = |encoding| Ok(Charset::Named(EncodingLabel::Exact(encoding)));
        let key = if name.is_ascii() { key(name) } else { String::new() };
        if let Some((_, own)) = KEYS_OF_OWN.iter().find(|(alias, _)| *alias == key) {
            return own.parse().map(Charset::Named).map_err(|_| UnknownCharset::Unknown);
        }
        match &*key {
            "utf8sig" | "utf8bom" | "utf8withsignature" => return Err(UnknownCharset::Marked),
            "utf8mac" | "macutf8" => return Err(UnknownCharset::Decomposed),
            _ => {}
        }
        if name.contains("//") {
            return Err(UnknownCharset::Suffix);
        }
        let legacy = Legacy::labelled(name).ok_or(UnknownCharset::Unknown)?;
        match legacy.name() {
            // More labels of the Unicode encodings.
            "UTF-8" => native(AnyEncoding::Utf8),
            "UTF-16LE" => native(AnyEncoding::Utf16Le),
            "UTF-16BE" => native(AnyEncoding::Utf16Be),
            _ => Ok(Charset::Legacy(legacy)),
        }
    }
}

impl Charset {
    /// Iterates over all names worth listing, the library's first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EncodingLabel::all().map(EncodingLabel::name).chain(Legacy::all().map(Legacy::name))
    }

    /// Iterates over its other names. For a legacy encoding, a number stands for `cp037`, `ibm-37`, `windows-37` and
    /// the like.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Charset;
    ///
    /// let utf8: Charset = "utf-8".parse().unwrap();
    /// assert!(utf8.aliases().any(|alias| alias == "cp65001"));
    /// assert!(utf8.aliases().all(|alias| alias.parse() == Ok(utf8)));
    /// ```
    pub fn aliases(self) -> impl Iterator<Item = &'static str> {
        let (own, legacy) = match self {
            Charset::Named(label) => (ALIASES.iter().find(|(name, _)| *name == label.name()), None),
            Charset::Legacy(legacy) => (None, Some(legacy)),
        };
        let own = own.map_or(&[][..], |(_, aliases)| aliases);
        own.iter().copied().chain(legacy.into_iter().flat_map(Legacy::aliases))
    }

    /// Returns how to read an input that begins with `head`, and the length of its byte order mark if that is part of
    /// the encoding (else 0).
    pub fn reader(self, head: &[u8]) -> (Codec, usize) {
        match self {
            Charset::Legacy(legacy) => (Codec::Legacy(legacy), 0),
            Charset::Named(name) => {
                let (encoding, mark) = name.resolve(head);
                (Codec::Native(encoding), mark)
            }
        }
    }

    /// Returns the codec for writing. If a byte order mark decides the byte order, it is little-endian, as with iconv
    /// on today's machines.
    pub fn writer(self) -> Codec {
        match self {
            Charset::Legacy(legacy) => Codec::Legacy(legacy),
            Charset::Named(label) => Codec::Native(label.default_encoding()),
        }
    }

    /// Reports whether a byte order mark is part of the encoding rather than the text.
    pub fn is_marked(self) -> bool {
        !matches!(self, Charset::Named(EncodingLabel::Exact(_)) | Charset::Legacy(_))
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Charset::Named(name) => name.name(),
            Charset::Legacy(legacy) => legacy.name(),
        })
    }
}

/// Reports whether `head` begins with the encoding's byte order mark.
pub fn has_bom(encoding: AnyEncoding, head: &[u8]) -> bool {
    strip_bom(encoding, head).len() < head.len()
}

/// Reports whether `head` may be the beginning of a byte order mark.
pub fn may_begin_mark(head: &[u8]) -> bool {
    use AnyEncoding::{Utf8, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
    [Utf8, Utf16Le, Utf16Be, Utf32Le, Utf32Be].into_iter().any(|encoding| {
        encoding.encoded(u32::from(MARK)).is_ok_and(|mark| mark.len() > head.len() && mark.starts_with(head))
    })
}

/// Why a name is not a [`Charset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownCharset {
    /// No encoding has this name.
    Unknown,
    /// The name has a suffix of iconv's: `ascii//TRANSLIT`.
    Suffix,
    /// The name promises a byte order mark: `utf-8-sig`.
    Marked,
    /// The name promises a normal form: `utf-8-mac`.
    Decomposed,
    /// The code units of the encoding are not bytes, so it cannot be a [`Fallback`] for invalid UTF-8.
    NotBytes(Charset),
}

impl fmt::Display for UnknownCharset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownCharset::Unknown => f.write_str("unknown encoding"),
            UnknownCharset::Suffix => f.write_str("the name of an encoding has no suffix"),
            UnknownCharset::Marked => f.write_str("this is utf-8 with a byte order mark, not another encoding"),
            UnknownCharset::Decomposed => f.write_str("this is utf-8 in a normal form, not another encoding"),
            UnknownCharset::NotBytes(charset) => write!(f, "{charset} is not an encoding of bytes"),
        }
    }
}

impl std::error::Error for UnknownCharset {}

/// The encoding from which bytes that are not UTF-8 are decoded. Its code units are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback(Codec);

impl Fallback {
    /// Returns the encoding.
    pub fn codec(self) -> Codec {
        self.0
    }
}

impl From<Fallback> for Charset {
    fn from(fallback: Fallback) -> Charset {
        fallback.0.into()
    }
}

impl From<Codec> for Charset {
    fn from(codec: Codec) -> Charset {
        match codec {
            Codec::Native(encoding) => encoding.into(),
            Codec::Legacy(legacy) => Charset::Legacy(legacy),
        }
    }
}

impl From<Legacy> for Fallback {
    fn from(legacy: Legacy) -> Fallback {
        Fallback(Codec::Legacy(legacy))
    }
}

impl FromStr for Fallback {
    type Err = UnknownCharset;

    fn from_str(text: &str) -> Result<Fallback, UnknownCharset> {
        let charset: Charset = text.parse()?;
        match charset.writer() {
            Codec::Native(native) if native.unit() > 1 => Err(UnknownCharset::NotBytes(charset)),
            codec => Ok(Fallback(codec)),
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The byte order mark.
const MARK: char = '\u{FEFF}';

impl Codec {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Native(native) => native.name(),
            Codec::Legacy(legacy) => legacy.name(),
        }
    }

    /// Reports whether it is UTF-16 or UTF-32, whose units have several bytes.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Charset;
    ///
    /// let is_wide = |label: &str| label.parse::<Charset>().unwrap().writer().is_wide();
    /// assert!(is_wide("utf-16le") && is_wide("utf-32be"));
    /// assert!(!is_wide("utf-8") && !is_wide("Shift_JIS"));
    /// ```
    pub fn is_wide(self) -> bool {
        matches!(self, Codec::Native(native) if native.unit() > 1)
    }

    /// Returns the bytes of a character; `None` if the encoding lacks it.
    pub fn bytes_of(self, scalar: char) -> Option<Vec<u8>> {
        match self {
            Codec::Native(native) => native.encoded(u32::from(scalar)).ok().map(|bytes| bytes.to_vec()),
            Codec::Legacy(legacy) => legacy.bytes_of(scalar),
        }
    }

    /// Decodes some bytes; `None` if they are invalid.
    pub fn text_of(self, bytes: &[u8]) -> Option<String> {
        match self {
            Codec::Native(native) => String::from_utf8(convert(native, utf8kit::Utf8, bytes).ok()?).ok(),
            Codec::Legacy(legacy) => legacy.text_of(bytes),
        }
    }

    /// Reports whether the bytes of a character depend on the text before it.
    pub fn is_stateful(self) -> bool {
        matches!(self, Codec::Legacy(legacy) if !legacy.is_stateless())
    }

    /// Reports whether a part of a text can be replaced by itself. Parts of compressed text depend on everything before
    /// them.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Charset;
    ///
    /// let is_editable = |name: &str| name.parse::<Charset>().unwrap().writer().is_editable();
    /// assert!(is_editable("iso-2022-jp-2") && !is_editable("bocu-1"));
    /// ```
    pub fn is_editable(self) -> bool {
        !matches!(self, Codec::Legacy(Legacy(legacy::Kind::Algorithm(_))))
    }

    /// Reports whether it can represent every character. All encodings of the library except Latin-1 can.
    pub fn has_all(self) -> bool {
        matches!(self, Codec::Native(_)) && self.bytes_of(char::MAX).is_some()
    }

    /// Returns the bytes of the byte order mark; `None` if the encoding has none.
    pub fn mark(self) -> Option<Vec<u8>> {
        match self {
            // They lack it. Answered here because every document asks this, and encoders search slowly.
            Codec::Legacy(legacy) if legacy.is_single_byte() => None,
            _ => self.bytes_of(MARK),
        }
    }

    /// Returns the length of the byte order mark at the start of `head`, in bytes; 0 if there is none.
    pub fn mark_in(self, head: &[u8]) -> usize {
        self.mark().filter(|mark| head.starts_with(mark)).map_or(0, |mark| mark.len())
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A span that is not text in its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Its offset, in bytes of the stream.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) len: usize,
}

/// A character that the encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmappable {
    /// Its offset in the text, in bytes.
    pub(crate) at: usize,
    /// The character.
    pub(crate) scalar: char,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        text.parse::<Charset>().map(|charset| charset.to_string()).unwrap_or_default()
    }

    #[test]
    fn names_are_understood() {
        for (typed, meant) in [
            ("UTF8", "utf-8"),
            ("utf_16", "utf-16"),
            ("UTF-32", "utf-32"),
            ("ISO-8859-1", "latin1"),
            ("cp819", "latin1"),
            ("windows-1252", "windows-1252"),
            ("cp1252", "windows-1252"),
            ("sjis", "Shift_JIS"),
            ("unicode-1-1-utf-8", "utf-8"),
            ("UTF-8//", "utf-8"),
            ("ASCII", "us-ascii"),
            ("AL32UTF8", "utf-8"),
            ("utf8mb3", "utf-8"),
            ("U8", "utf-8"),
            ("windows-65001", "utf-8"),
            ("ibm-1208", "utf-8"),
            ("ISO-10646/UTF-8", "utf-8"),
            ("cp1200", "utf-16le"),
            ("windows-1201", "utf-16be"),
            ("x-utf-16be", "utf-16be"),
            ("cp12000", "utf-32le"),
            ("CSUCS4", "utf-32be"),
            ("csCESU-8", "cesu-8"),
            ("cp819", "latin1"),
            ("iso_8859_1_1987", "latin1"),
            ("ISO_8859-1:1987", "latin1"),
            ("8859", "latin1"),
            ("utf_8_sig", ""),
            ("UTF8-MAC", ""),
            ("ascii//TRANSLIT", ""),
            ("nonsense", ""),
            ("", ""),
        ] {
            assert_eq!(name(typed), meant, "{typed}");
        }
        let listed = ALIASES.iter().flat_map(|(own, aliases)| aliases.iter().map(move |alias| (alias, own)));
        listed.for_each(|(alias, own)| assert_eq!(name(alias), *own, "{alias}"));
        assert!(Charset::names().all(|listed| listed.parse::<Charset>().is_ok()));
    }

    #[test]
    fn marks_decide() {
        let utf16 = Charset::Named(EncodingLabel::Utf16);
        assert_eq!(utf16.reader(b"\xFE\xFF\0a"), (Codec::Native(AnyEncoding::Utf16Be), 2));
        assert_eq!(utf16.reader(b"\xFF\xFEa\0"), (Codec::Native(AnyEncoding::Utf16Le), 2));
        assert_eq!(utf16.reader(b"a\0"), (Codec::Native(AnyEncoding::Utf16Le), 0));
        assert_eq!(Codec::Native(AnyEncoding::Latin1).mark(), None);
        for legacy in Legacy::all() {
            assert_eq!(Codec::Legacy(legacy).mark(), legacy.bytes_of(MARK), "{}", legacy.name());
        }
    }
}
