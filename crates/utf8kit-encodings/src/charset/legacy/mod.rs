//! Legacy encodings: the non-Unicode encodings of the WHATWG Encoding Standard, and some that it leaves out. Only the
//! modules of this folder use `encoding_rs`.

pub(super) mod decoder;
mod encoder;
pub(super) mod kind;
#[cfg(test)]
mod tests;
mod wide;

use std::borrow::Cow;

use encoding_rs::{self as whatwg, EncoderResult, Encoding};

use crate::charset::algorithm::Algorithm;
use crate::charset::code_pages::list::{self, Entry, Family, LIST};
use crate::charset::code_pages::sequences::Sequences;
use crate::charset::code_pages::{Page, written};
use crate::charset::iso2022::Iso2022;
use crate::charset::seven_bit;
use crate::charset::widths::other_of;
use crate::charset::{gsm, utf7};
use encoder::encode;

pub(crate) use decoder::Decoder;
pub(crate) use encoder::Encoder;
pub(super) use kind::Kind;
pub use kind::Legacy;

/// The encodings of most legacy text.
pub(crate) const COMMON: &[Legacy] = &[
    Legacy(Kind::Standard(whatwg::WINDOWS_1252)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1251)),
    Legacy(Kind::Standard(whatwg::KOI8_R)),
    Legacy(Kind::Standard(whatwg::GB18030)),
    Legacy(Kind::Standard(whatwg::BIG5)),
    Legacy(Kind::Standard(whatwg::SHIFT_JIS)),
    Legacy(Kind::Standard(whatwg::EUC_JP)),
    Legacy(Kind::Standard(whatwg::EUC_KR)),
];

/// The encoding in which Western UTF-8 was usually misdecoded.
pub const WESTERN: Legacy = Legacy(Kind::Standard(whatwg::WINDOWS_1252));

impl Legacy {
    /// Iterates over all encodings, the standard's first.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Legacy;
    ///
    /// assert!(Legacy::all().any(|legacy| legacy.name() == "KOI8-R"));
    /// ```
    pub fn all() -> impl Iterator<Item = Legacy> {
        LIST.iter().map(|entry| entry.legacy)
    }

    /// Returns the encodings of most legacy text.
    pub fn common() -> &'static [Legacy] {
        COMMON
    }

    /// Returns the encoding for a name, in any of the spellings of IANA, iconv, ICU, Python, Java, MySQL, Oracle and
    /// Windows.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Legacy;
    ///
    /// assert_eq!(Legacy::labelled("ibm-1140").unwrap().name(), "CP1140");
    /// ```
    pub fn labelled(label: &str) -> Option<Legacy> {
        let standard = Encoding::for_label(label.as_bytes());
        // Other labels of the standard are read as the Web reads them: ASCII as windows-1252.
        let exact = standard.filter(|encoding| encoding.name().eq_ignore_ascii_case(label));
        let exact = exact.map(|encoding| Legacy(Kind::Standard(encoding)));
        exact.or_else(|| list::find(label)).or(standard.map(|encoding| Legacy(Kind::Standard(encoding))))
    }

    /// Returns the encoding of a line of the list.
    pub(super) fn of_source(name: &str, source: &str) -> Option<Legacy> {
        Some(Legacy(match (source, name) {
            (source, _) if source.starts_with("standard") => Kind::Standard(Encoding::for_label(name.as_bytes())?),
            ("code", "us-ascii") => Kind::Ascii,
            ("code", "UTF-7") => Kind::Utf7(utf7::Use::Mail),
            ("code", "UTF-7-IMAP") => Kind::Utf7(utf7::Use::Folder),
            ("code", "GSM-03.38") => Kind::Gsm,
            ("code", _) => match Algorithm::named(name) {
                Some(algorithm) => Kind::Algorithm(algorithm),
                None => Kind::Shifted(seven_bit::ALL.into_iter().find(|shifted| shifted.name == name)?),
            },
            _ if source.starts_with("iso2022 ") => Kind::Iso2022(Iso2022::named(name)?),
            _ => match Page::named(name) {
                Some(page) => Kind::Page(page),
                None => Kind::Sequences(Sequences::named(name)?),
            },
        }))
    }

    fn entry(self) -> Option<&'static Entry> {
        LIST.iter().find(|entry| entry.legacy == self)
    }

    /// Returns its origin.
    pub fn family(self) -> Family {
        self.entry().map_or(Family::Web, |entry| entry.family)
    }

    /// Returns a short description of its use.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Legacy;
    ///
    /// let thai = Legacy::labelled("tis-620").unwrap();
    /// assert_eq!(thai.about(), "Windows, Thai");
    /// ```
    pub fn about(self) -> &'static str {
        self.entry().map_or("", |entry| entry.about)
    }

    /// Iterates over its other names. A number stands for `cp037`, `ibm-37`, `windows-37` and the like.
    pub fn aliases(self) -> impl Iterator<Item = &'static str> {
        self.entry().map_or("", |entry| entry.aliases).split(' ').filter(|name| !name.is_empty())
    }

    /// Returns its name in the standard, or the usual name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Standard(encoding) => encoding.name(),
            Kind::Page(page) => page.name,
            Kind::Sequences(sequences) => sequences.name,
            Kind::Ascii => "us-ascii",
            Kind::Utf7(utf7::Use::Mail) => "UTF-7",
            Kind::Utf7(utf7::Use::Folder) => "UTF-7-IMAP",
            Kind::Gsm => "GSM-03.38",
            Kind::Shifted(shifted) => shifted.name,
            Kind::Iso2022(scheme) => scheme.name,
            Kind::Algorithm(algorithm) => algorithm.name(),
        }
    }

    /// Reports whether the size of a text in this encoding is the sum of its characters' sizes, and worth showing. It
    /// is not if the encoding is not in the standard, if bytes depend on earlier ones, or if they do not stand for the
    /// characters of a script.
    pub fn is_sized(self) -> bool {
        let not = [whatwg::ISO_2022_JP, whatwg::X_USER_DEFINED];
        matches!(self.0, Kind::Standard(standard) if !not.contains(&standard))
    }

    /// Reports whether each byte is a character.
    pub fn is_single_byte(self) -> bool {
        match self.0 {
            Kind::Standard(encoding) => encoding.is_single_byte(),
            Kind::Ascii | Kind::Page(_) => true,
            Kind::Sequences(_)
            | Kind::Utf7(_)
            | Kind::Gsm
            | Kind::Shifted(_)
            | Kind::Iso2022(_)
            | Kind::Algorithm(_) => false,
        }
    }

    /// Reports whether it is an EBCDIC code page, in which letters have other positions than in ASCII.
    pub fn is_ebcdic(self) -> bool {
        match self.0 {
            Kind::Page(page) => page.char_of(0xC1) == Some('A'),
            Kind::Sequences(sequences) => sequences.shifts,
            _ => false,
        }
    }

    /// Returns the bytes of a character; `None` if the encoding lacks it. Some encodings have more characters than the
    /// standard writes: Big5 has Hong Kong's, EUC-JP has JIS X 0212. In windows-1258, Vietnamese letters and tones are
    /// separate.
    ///
    /// ```
    /// use utf8kit_encodings::charset::Legacy;
    ///
    /// let vietnamese = Legacy::labelled("windows-1258").unwrap();
    /// assert_eq!(vietnamese.bytes_of('ế'), Some(vec![0xEA, 0xEC]));
    /// ```
    pub fn bytes_of(self, scalar: char) -> Option<Vec<u8>> {
        let written = match self.0 {
            Kind::Standard(_) | Kind::Page(_) => written::code_of(self.name(), scalar),
            _ => None,
        };
        let written = written.map(|(code, len)| code.to_be_bytes().iter().copied().take(len.into()).collect());
        written.or_else(|| self.narrow_bytes_of(scalar)).or_else(|| wide::bytes_of(self, scalar))
    }

    /// Returns the byte of a character, if it has one by itself.
    fn single_byte_of(self, scalar: char) -> Option<u8> {
        self.narrow_bytes_of(scalar).and_then(|bytes| <[u8; 1]>::try_from(bytes).ok()).map(|[byte]| byte)
    }

    fn narrow_bytes_of(self, scalar: char) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(16);
        let byte = match self.0 {
            Kind::Standard(encoding) => {
                let lacking = encode(&mut encoding.new_encoder(), scalar.encode_utf8(&mut [0; 4]), true, &mut bytes);
                return lacking.is_none().then_some(bytes);
            }
            Kind::Gsm => return gsm::write(scalar, &mut bytes).then_some(bytes),
            Kind::Utf7(_) | Kind::Sequences(_) | Kind::Shifted(_) | Kind::Iso2022(_) | Kind::Algorithm(_) => {
                let lacking = Encoder::new(self).push(scalar.encode_utf8(&mut [0; 4]), true, &mut bytes);
                return lacking.is_none().then_some(bytes);
            }
            Kind::Page(page) => page.byte_of(scalar),
            Kind::Ascii => u8::try_from(scalar).ok().filter(u8::is_ascii),
        };
        bytes.push(byte?);
        Some(bytes)
    }

    /// Returns the length of a character in bytes; `None` if the encoding lacks it.
    pub fn len_of(self, scalar: char) -> Option<usize> {
        let Kind::Standard(encoding) = self.0 else { return Some(self.bytes_of(scalar)?.len()) };
        if encoding.is_single_byte() && matches!(scalar, '\u{2E80}'..'\u{E000}' | '\u{10000}'..) {
            // No such encoding has Chinese, Japanese, Korean or supplementary characters, and the search is slow.
            return None;
        }
        let (mut text, mut bytes) = ([0; 4], [0; 16]);
        let text = scalar.encode_utf8(&mut text);
        match encoding.new_encoder().encode_from_utf8_without_replacement(text, &mut bytes, true) {
            (EncoderResult::InputEmpty, _, written) => Some(written),
            _ => Some(self.bytes_of(scalar)?.len()),
        }
    }

    /// Reports whether the bytes of a character do not depend on its context.
    pub fn is_stateless(self) -> bool {
        match self.0 {
            Kind::Utf7(_) | Kind::Shifted(_) | Kind::Iso2022(_) | Kind::Algorithm(_) => false,
            Kind::Sequences(sequences) => !sequences.is_stateful(),
            Kind::Standard(standard) => standard != whatwg::ISO_2022_JP,
            Kind::Ascii | Kind::Page(_) | Kind::Gsm => true,
        }
    }

    /// Reports whether ASCII characters are their own bytes.
    pub fn keeps_ascii(self) -> bool {
        match self.0 {
            Kind::Standard(_) | Kind::Ascii => self.is_stateless(),
            Kind::Page(page) => page.keeps_ascii(),
            Kind::Sequences(sequences) => sequences.keeps_ascii(),
            Kind::Utf7(_) | Kind::Gsm | Kind::Shifted(_) | Kind::Iso2022(_) | Kind::Algorithm(_) => false,
        }
    }

    /// Decodes bytes. Malformed spans become U+FFFD.
    pub fn lossy_text_of(self, bytes: &[u8]) -> String {
        if let Kind::Standard(encoding) = self.0 {
            return encoding.decode_without_bom_handling(bytes).0.into_owned();
        }
        let (mut text, mut decoder, mut at) = (String::new(), Decoder::new(self), 0);
        loop {
            let (read, malformed) = decoder.push(bytes.get(at..).unwrap_or_default(), true, &mut text);
            at += read;
            if malformed.is_none() {
                return text;
            }
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Decodes bytes; `None` if any of them are malformed.
    pub fn text_of(self, bytes: &[u8]) -> Option<String> {
        match self.0 {
            // Without the lookup tables of streams, because filling them takes longer than decoding a short text.
            Kind::Standard(encoding) => {
                encoding.decode_without_bom_handling_and_without_replacement(bytes).map(Cow::into_owned)
            }
            Kind::Page(page) => bytes.iter().map(|&byte| page.char_of(byte)).collect(),
            _ => {
                let mut text = String::new();
                Decoder::new(self).push(bytes, true, &mut text).1.is_none().then_some(text)
            }
        }
    }
}

impl Legacy {
    /// Returns the text that a character becomes in a round trip, if it changes.
    pub(crate) fn altered(self, scalar: char) -> Option<String> {
        self.text_of(&self.bytes_of(scalar)?).filter(|text| !is_same(text, scalar))
    }

    /// Reports whether the bytes of a character are decoded as that character, or as its parts.
    fn returns(self, bytes: &[u8], scalar: char) -> bool {
        self.text_of(bytes).is_some_and(|text| is_same(&text, scalar))
    }
}

/// Reports whether a text is a character, perhaps written as a letter and its accents, or the same sign in the width
/// that another vendor reads.
fn is_same(text: &str, scalar: char) -> bool {
    #[cfg(feature = "rewrite")]
    let is_composed = || {
        use unicode_normalization::UnicodeNormalization as _;
        // Pointed letters of Hebrew have no composed normal form.
        text.chars().count() > 1 && text.nfc().eq([scalar].into_iter().nfc())
    };
    #[cfg(not(feature = "rewrite"))]
    let is_composed = || false;
    let is_sign = || other_of(scalar).is_some_and(|other| text.chars().eq([other]));
    text.chars().eq([scalar]) || is_sign() || is_composed()
}
