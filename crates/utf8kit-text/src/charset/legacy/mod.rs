//! Legacy encodings: those of the WHATWG Encoding Standard that are not Unicode encodings, and some that it leaves out.
//! Only the modules of this folder use `encoding_rs`; `chardetng` is used by detection alone.

pub(super) mod decoder;
mod encoder;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use encoding_rs::{self as whatwg, EncoderResult, Encoding};

use crate::charset::code_pages::{PAGES, Page};
use crate::charset::shifted::{self, Shifted};
use crate::charset::{gsm, utf7};
use encoder::encode;

pub(crate) use decoder::Decoder;
pub(crate) use encoder::Encoder;

/// A legacy encoding: one of the WHATWG Encoding Standard, ASCII, a code page of DOS, the Macintosh or EBCDIC,
/// UTF-7 or GSM 03.38.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legacy(pub(super) Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Standard(&'static Encoding),
    /// Strict ASCII. The standard has no such encoding: its labels for ASCII mean windows-1252.
    Ascii,
    Page(&'static Page),
    Utf7,
    Gsm,
    Shifted(&'static Shifted),
}

/// Strict ASCII.
pub(crate) const ASCII: Legacy = Legacy(Kind::Ascii);

/// Encodings that are neither in the standard nor a table, with all names; the first is the display name.
const OTHERS: [(Legacy, &[&str]); 7] = [
    (ASCII, &["us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-6", "iso646-us"]),
    (Legacy(Kind::Utf7), &["UTF-7", "utf7", "unicode-1-1-utf-7"]),
    (Legacy(Kind::Gsm), &["GSM-03.38", "gsm", "gsm0338", "gsm03.38", "gsm-7"]),
    (
        Legacy(Kind::Shifted(&shifted::ISO_2022_KR)),
        &["ISO-2022-KR", "iso2022-kr", "iso2022_kr", "iso2022kr", "csiso2022kr"],
    ),
    (
        Legacy(Kind::Shifted(&shifted::ISO_2022_CN)),
        &["ISO-2022-CN", "iso2022-cn", "iso2022_cn", "iso2022cn", "csiso2022cn"],
    ),
    (Legacy(Kind::Shifted(&shifted::HZ)), &["HZ-GB-2312", "hz", "hz-gb", "hzgb", "hz-gb2312"]),
    (Legacy(Kind::Standard(whatwg::MACINTOSH)), &["macintosh", "macroman", "mac-roman"]),
];

/// All encodings that can be written, in the order of the standard.
pub(crate) const ALL: &[Legacy] = &[
    Legacy(Kind::Standard(whatwg::IBM866)),
    Legacy(Kind::Standard(whatwg::ISO_8859_2)),
    Legacy(Kind::Standard(whatwg::ISO_8859_3)),
    Legacy(Kind::Standard(whatwg::ISO_8859_4)),
    Legacy(Kind::Standard(whatwg::ISO_8859_5)),
    Legacy(Kind::Standard(whatwg::ISO_8859_6)),
    Legacy(Kind::Standard(whatwg::ISO_8859_7)),
    Legacy(Kind::Standard(whatwg::ISO_8859_8)),
    Legacy(Kind::Standard(whatwg::ISO_8859_8_I)),
    Legacy(Kind::Standard(whatwg::ISO_8859_10)),
    Legacy(Kind::Standard(whatwg::ISO_8859_13)),
    Legacy(Kind::Standard(whatwg::ISO_8859_14)),
    Legacy(Kind::Standard(whatwg::ISO_8859_15)),
    Legacy(Kind::Standard(whatwg::ISO_8859_16)),
    Legacy(Kind::Standard(whatwg::KOI8_R)),
    Legacy(Kind::Standard(whatwg::KOI8_U)),
    Legacy(Kind::Standard(whatwg::MACINTOSH)),
    Legacy(Kind::Standard(whatwg::WINDOWS_874)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1250)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1251)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1252)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1253)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1254)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1255)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1256)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1257)),
    Legacy(Kind::Standard(whatwg::WINDOWS_1258)),
    Legacy(Kind::Standard(whatwg::X_MAC_CYRILLIC)),
    Legacy(Kind::Standard(whatwg::GBK)),
    Legacy(Kind::Standard(whatwg::GB18030)),
    Legacy(Kind::Standard(whatwg::BIG5)),
    Legacy(Kind::Standard(whatwg::EUC_JP)),
    Legacy(Kind::Standard(whatwg::ISO_2022_JP)),
    Legacy(Kind::Standard(whatwg::SHIFT_JIS)),
    Legacy(Kind::Standard(whatwg::EUC_KR)),
    Legacy(Kind::Standard(whatwg::X_USER_DEFINED)),
];

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

/// The encoding by which Western text that was decoded once too often was usually decoded.
#[cfg(any(feature = "detect", test))]
pub(crate) const WESTERN: Legacy = Legacy(Kind::Standard(whatwg::WINDOWS_1252));

impl Legacy {
    /// Iterates over all encodings that can be written, in the order of the standard, except ASCII.
    pub fn all() -> impl Iterator<Item = Legacy> {
        ALL.iter().copied()
    }

    /// Iterates over all encodings worth listing, starting with ASCII.
    pub(crate) fn listed() -> impl Iterator<Item = Legacy> {
        let others = OTHERS.into_iter().map(|(legacy, _)| legacy).filter(|legacy| !ALL.contains(legacy));
        std::iter::once(ASCII).chain(Legacy::all()).chain(pages()).chain(others.skip(1))
    }

    /// Returns the encodings of most legacy text.
    pub fn common() -> &'static [Legacy] {
        COMMON
    }

    /// Returns the encoding for a label of the standard or a name of another encoding.
    pub fn labelled(label: &str) -> Option<Legacy> {
        let is = |name: &&str| name.eq_ignore_ascii_case(label);
        let other = OTHERS.into_iter().find(|(_, names)| names.iter().any(&is));
        let page = || pages().find(|page| is(&page.name()) || page.labels().iter().any(&is));
        let standard =
            || Encoding::for_label(label.as_bytes()).map(|encoding| Legacy(Kind::Standard(encoding)));
        other.map(|(legacy, _)| legacy).or_else(page).or_else(standard)
    }

    fn labels(self) -> &'static [&'static str] {
        match self.0 {
            Kind::Page(page) => page.labels,
            _ => &[],
        }
    }

    /// Returns its name in the standard, or the usual name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Standard(encoding) => encoding.name(),
            Kind::Page(page) => page.name,
            Kind::Ascii => "us-ascii",
            Kind::Utf7 => "UTF-7",
            Kind::Gsm => "GSM-03.38",
            Kind::Shifted(shifted) => shifted.name,
        }
    }

    /// Reports whether the size of a text in this encoding is the sum of its characters' sizes, and worth showing. It
    /// is not if bytes depend on what precedes them, or do not stand for the characters of a script.
    pub fn is_sized(self) -> bool {
        let not = [Kind::Standard(whatwg::ISO_2022_JP), Kind::Standard(whatwg::X_USER_DEFINED), Kind::Utf7];
        !not.contains(&self.0)
    }

    /// Reports whether each byte is a character.
    pub fn is_single_byte(self) -> bool {
        match self.0 {
            Kind::Standard(encoding) => encoding.is_single_byte(),
            Kind::Ascii | Kind::Page(_) => true,
            Kind::Utf7 | Kind::Gsm | Kind::Shifted(_) => false,
        }
    }

    /// Reports whether it is an EBCDIC code page, in which letters have other positions than in ASCII.
    pub fn is_ebcdic(self) -> bool {
        matches!(self.0, Kind::Page(page) if page.char_of(b'A') != Some('A'))
    }

    /// Returns the bytes of a character; `None` if the encoding lacks it.
    pub fn bytes_of(self, scalar: char) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(16);
        let byte = match self.0 {
            Kind::Standard(encoding) => {
                let lacking =
                    encode(&mut encoding.new_encoder(), scalar.encode_utf8(&mut [0; 4]), true, &mut bytes);
                return lacking.is_none().then_some(bytes);
            }
            Kind::Utf7 => {
                utf7::Encoder::default().push(scalar.encode_utf8(&mut [0; 4]), true, &mut bytes);
                return Some(bytes);
            }
            Kind::Gsm => return gsm::write(scalar, &mut bytes).then_some(bytes),
            Kind::Shifted(shifted) => {
                let mut text = [0; 4];
                let mut encoder = shifted::Encoder::new(shifted);
                return encoder
                    .push(scalar.encode_utf8(&mut text), true, &mut bytes)
                    .is_none()
                    .then_some(bytes);
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
            // Chinese, Japanese, Korean and supplementary characters are in no such encoding; the search is slow.
            return None;
        }
        let (mut text, mut bytes) = ([0; 4], [0; 16]);
        let text = scalar.encode_utf8(&mut text);
        match encoding.new_encoder().encode_from_utf8_without_replacement(text, &mut bytes, true) {
            (EncoderResult::InputEmpty, _, written) => Some(written),
            _ => None,
        }
    }

    /// Reports whether the bytes of a character do not depend on its context.
    pub(crate) fn is_stateless(self) -> bool {
        !matches!(self.0, Kind::Utf7 | Kind::Shifted(_)) && self.0 != Kind::Standard(whatwg::ISO_2022_JP)
    }

    /// Reports whether ASCII characters are their own bytes.
    pub(crate) fn keeps_ascii(self) -> bool {
        match self.0 {
            Kind::Standard(_) | Kind::Ascii => self.is_stateless(),
            Kind::Page(_) => !self.is_ebcdic(),
            Kind::Utf7 | Kind::Gsm | Kind::Shifted(_) => false,
        }
    }

    /// Decodes bytes; `None` if any of them are malformed.
    pub fn text_of(self, bytes: &[u8]) -> Option<String> {
        match self.0 {
            // Without what streams learn, which takes longer than to decode a short text.
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

fn pages() -> impl Iterator<Item = Legacy> {
    PAGES.iter().map(|page| Legacy(Kind::Page(page)))
}

/// Returns chardetng's guess for bytes that are not UTF-8. `last` means that no more bytes follow.
#[cfg(feature = "detect")]
pub(crate) fn guess(bytes: &[u8], last: bool) -> Legacy {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, last);
    Legacy(Kind::Standard(detector.guess(None, Utf8Detection::Deny)))
}
