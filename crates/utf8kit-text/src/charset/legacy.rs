//! Legacy encodings: those of the WHATWG Encoding Standard that are not Unicode encodings, and some that it leaves out.
//! This is the only file that uses `encoding_rs` and `chardetng`.

use crate::charset::code_pages::{PAGES, Page};
use crate::charset::{gsm, utf7};
use encoding_rs::{self as whatwg, DecoderResult, EncoderResult, Encoding};

/// A legacy encoding: one of the WHATWG Encoding Standard, ASCII, a code page of DOS or EBCDIC, UTF-7 or GSM 03.38.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legacy(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Standard(&'static Encoding),
    /// Strict ASCII. The standard has no such encoding: its labels for ASCII mean windows-1252.
    Ascii,
    Page(&'static Page),
    Utf7,
    Gsm,
}

/// Strict ASCII.
pub(crate) const ASCII: Legacy = Legacy(Kind::Ascii);

/// Encodings that are neither in the standard nor a table, with all names; the first is the display name.
const OTHERS: [(Legacy, &[&str]); 4] = [
    (ASCII, &["us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-6", "iso646-us"]),
    (Legacy(Kind::Utf7), &["UTF-7", "utf7", "unicode-1-1-utf-7"]),
    (Legacy(Kind::Gsm), &["GSM-03.38", "gsm", "gsm0338", "gsm03.38", "gsm-7"]),
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
            Kind::Utf7 | Kind::Gsm => false,
        }
    }

    /// Returns whether it is a code page of EBCDIC, in which letters are not where ASCII has them.
    pub fn is_ebcdic(self) -> bool {
        matches!(self.0, Kind::Page(page) if page.char_of(b'A') != 'A')
    }

    /// Returns the bytes of a character; `None` if the encoding lacks it.
    pub fn bytes_of(self, scalar: char) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(16);
        let mut encoder = Encoder::new(self);
        encoder.push(scalar.encode_utf8(&mut [0; 4]), true, &mut bytes).is_none().then_some(bytes)
    }

    /// Returns how many bytes a character takes; `None` if the encoding lacks it.
    pub fn len_of(self, scalar: char) -> Option<usize> {
        let Kind::Standard(encoding) = self.0 else { return Some(self.bytes_of(scalar)?.len()) };
        let (mut text, mut bytes) = ([0; 4], [0; 16]);
        let text = scalar.encode_utf8(&mut text);
        match encoding.new_encoder().encode_from_utf8_without_replacement(text, &mut bytes, true) {
            (EncoderResult::InputEmpty, _, written) => Some(written),
            _ => None,
        }
    }

    /// Decodes bytes; `None` if any of them are malformed.
    pub fn text_of(self, bytes: &[u8]) -> Option<String> {
        let mut text = String::new();
        Decoder::new(self).push(bytes, true, &mut text).1.is_none().then_some(text)
    }
}

fn pages() -> impl Iterator<Item = Legacy> {
    PAGES.iter().map(|page| Legacy(Kind::Page(page)))
}

/// A malformed span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Where it begins, in bytes of the stream.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) len: usize,
}

/// Decodes a stream.
pub(crate) struct Decoder {
    inner: Reading,
    /// Number of bytes of the stream that were read.
    offset: u64,
}

enum Reading {
    Standard(whatwg::Decoder),
    Ascii,
    Page(&'static Page),
    Utf7(utf7::Decoder),
    Gsm(gsm::Decoder),
}

impl Decoder {
    /// Starts a stream. A byte order mark is treated as an ordinary character.
    pub(crate) fn new(encoding: Legacy) -> Decoder {
        let inner = match encoding.0 {
            Kind::Standard(encoding) => Reading::Standard(encoding.new_decoder_without_bom_handling()),
            Kind::Ascii => Reading::Ascii,
            Kind::Page(page) => Reading::Page(page),
            Kind::Utf7 => Reading::Utf7(utf7::Decoder::default()),
            Kind::Gsm => Reading::Gsm(gsm::Decoder::default()),
        };
        Decoder { inner, offset: 0 }
    }

    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<Malformed>) {
        let decoder = match &mut self.inner {
            Reading::Standard(decoder) => decoder,
            Reading::Page(page) => {
                text.extend(input.iter().map(|&byte| page.char_of(byte)));
                self.offset += input.len() as u64;
                return (input.len(), None);
            }
            Reading::Ascii => {
                let end = input.iter().position(|byte| !byte.is_ascii());
                let ascii = input.get(..end.unwrap_or(input.len())).unwrap_or_default();
                text.push_str(std::str::from_utf8(ascii).unwrap_or_default());
                return self.stopped(ascii.len() + usize::from(end.is_some()), end.map(|_| 1));
            }
            Reading::Utf7(decoder) => {
                let (read, malformed) = decoder.push(input, last, text);
                return self.stopped(read, malformed);
            }
            Reading::Gsm(decoder) => {
                let (read, malformed) = decoder.push(input, last, text);
                return self.stopped(read, malformed);
            }
        };
        let mut total = 0;
        loop {
            let rest = input.get(total..).unwrap_or_default();
            let need = decoder.max_utf8_buffer_length_without_replacement(rest.len());
            text.reserve(need.unwrap_or(rest.len()));
            let (result, read) = decoder.decode_to_string_without_replacement(rest, text, last);
            total += read;
            self.offset += read as u64;
            match result {
                DecoderResult::InputEmpty => return (total, None),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, after) => {
                    let offset = self.offset - u64::from(after) - u64::from(len);
                    return (total, Some(Malformed { offset, len: usize::from(len) }));
                }
            }
        }
    }

    /// Advances by `read` bytes, of which the last `malformed` bytes are malformed.
    fn stopped(&mut self, read: usize, malformed: Option<usize>) -> (usize, Option<Malformed>) {
        self.offset += read as u64;
        (read, malformed.map(|len| Malformed { offset: self.offset.saturating_sub(len as u64), len }))
    }

    /// Returns the number of bytes of the stream that were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }
}

/// Encodes a stream.
pub(crate) struct Encoder(Writing);

enum Writing {
    Standard(whatwg::Encoder),
    /// A stateless encoding, one character at a time.
    Each(Legacy),
    Utf7(utf7::Encoder),
}

/// A character that the encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmappable {
    /// Where it begins in the text, in bytes.
    pub(crate) at: usize,
    /// The character.
    pub(crate) scalar: char,
}

impl Encoder {
    /// Starts a stream.
    pub(crate) fn new(encoding: Legacy) -> Encoder {
        Encoder(match encoding.0 {
            Kind::Standard(encoding) => Writing::Standard(encoding.new_encoder()),
            Kind::Ascii | Kind::Page(_) | Kind::Gsm => Writing::Each(encoding),
            Kind::Utf7 => Writing::Utf7(utf7::Encoder::default()),
        })
    }

    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks.
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
        let encoder = match &mut self.0 {
            Writing::Standard(encoder) => encoder,
            Writing::Utf7(encoder) => {
                encoder.push(text, last, out);
                return None;
            }
            Writing::Each(legacy) => {
                let mut chars = text.char_indices();
                let lacking = chars.find(|&(_, scalar)| !write_one(*legacy, scalar, out));
                return lacking.map(|(at, scalar)| Unmappable { at, scalar });
            }
        };
        let mut total = 0;
        loop {
            let rest = text.get(total..).unwrap_or_default();
            let need = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
            out.reserve(need.unwrap_or(rest.len()));
            let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, out, last);
            total += read;
            match result {
                EncoderResult::InputEmpty => return None,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(scalar) => {
                    return Some(Unmappable { at: total - scalar.len_utf8(), scalar });
                }
            }
        }
    }
}

/// Appends the bytes of a character. Returns `false` if the encoding lacks it.
fn write_one(legacy: Legacy, scalar: char, out: &mut Vec<u8>) -> bool {
    let byte = match legacy.0 {
        Kind::Page(page) => page.byte_of(scalar),
        Kind::Gsm => return gsm::write(scalar, out),
        _ => u8::try_from(scalar).ok().filter(u8::is_ascii),
    };
    out.extend(byte);
    byte.is_some()
}

/// Returns chardetng's guess for bytes that are not UTF-8. `last` means that no more bytes follow.
#[cfg(feature = "detect")]
pub(crate) fn guess(bytes: &[u8], last: bool) -> Legacy {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, last);
    Legacy(Kind::Standard(detector.guess(None, Utf8Detection::Deny)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let sjis = Legacy::labelled("sjis").expect("a label");
        assert_eq!(sjis.bytes_of('\u{3042}'), Some(vec![0x82, 0xA0]));
        assert_eq!(sjis.text_of(b"\x82\xA0"), Some("\u{3042}".to_owned()));
        assert_eq!(sjis.len_of('\u{20AC}'), None);
        assert!(ALL.iter().all(|legacy| legacy.text_of(b"text").as_deref() == Some("text")));
    }

    #[test]
    fn malformed_spans_have_their_place() {
        let gb = Legacy::labelled("gb18030").expect("a label");
        let mut decoder = Decoder::new(gb);
        let mut text = String::new();
        let (read, malformed) = decoder.push(b"ab\xFFc", true, &mut text);
        assert_eq!((read, malformed), (3, Some(Malformed { offset: 2, len: 1 })));
        assert_eq!(decoder.push(b"c", true, &mut text), (1, None));
        assert_eq!(text, "abc");
    }

    #[test]
    fn unmappable_characters_have_their_place() {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(WESTERN);
        let lacking = encoder.push("a\u{20AC}\u{416}b", true, &mut out);
        assert_eq!(lacking, Some(Unmappable { at: 4, scalar: '\u{416}' }));
        assert_eq!(out, b"a\x80");
    }

    #[cfg(feature = "detect")]
    #[test]
    fn legacy_text_is_guessed() {
        let koi8 = Legacy::labelled("koi8-r").expect("a label");
        let mut bytes = Vec::new();
        Encoder::new(koi8).push(
            "\u{43F}\u{440}\u{438}\u{432}\u{435}\u{442} \u{43C}\u{438}\u{440}",
            true,
            &mut bytes,
        );
        assert_eq!(guess(&bytes, true).name(), "KOI8-U");
    }
}
