//! The encodings of the WHATWG Encoding Standard that are not Unicode's own: the only file that names
//! `encoding_rs` and `chardetng`.

use encoding_rs::{self as whatwg, DecoderResult, EncoderResult, Encoding};

/// A legacy encoding: one of the WHATWG Encoding Standard, or ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legacy(&'static Encoding, Range);

/// How much of an encoding is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// All of it.
    All,
    /// Only ASCII: everything else is malformed, and lacking.
    Ascii,
}

/// ASCII itself, for which the standard has no encoding: there its names stand for windows-1252.
pub(crate) const ASCII: Legacy = Legacy(whatwg::WINDOWS_1252, Range::Ascii);

/// Names of ASCII.
const ASCII_NAMES: [&str; 5] = ["us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-6", "iso646-us"];

/// All that can be written, in the order of the standard.
pub(crate) const ALL: &[Legacy] = &[
    Legacy(whatwg::IBM866, Range::All),
    Legacy(whatwg::ISO_8859_2, Range::All),
    Legacy(whatwg::ISO_8859_3, Range::All),
    Legacy(whatwg::ISO_8859_4, Range::All),
    Legacy(whatwg::ISO_8859_5, Range::All),
    Legacy(whatwg::ISO_8859_6, Range::All),
    Legacy(whatwg::ISO_8859_7, Range::All),
    Legacy(whatwg::ISO_8859_8, Range::All),
    Legacy(whatwg::ISO_8859_8_I, Range::All),
    Legacy(whatwg::ISO_8859_10, Range::All),
    Legacy(whatwg::ISO_8859_13, Range::All),
    Legacy(whatwg::ISO_8859_14, Range::All),
    Legacy(whatwg::ISO_8859_15, Range::All),
    Legacy(whatwg::ISO_8859_16, Range::All),
    Legacy(whatwg::KOI8_R, Range::All),
    Legacy(whatwg::KOI8_U, Range::All),
    Legacy(whatwg::MACINTOSH, Range::All),
    Legacy(whatwg::WINDOWS_874, Range::All),
    Legacy(whatwg::WINDOWS_1250, Range::All),
    Legacy(whatwg::WINDOWS_1251, Range::All),
    Legacy(whatwg::WINDOWS_1252, Range::All),
    Legacy(whatwg::WINDOWS_1253, Range::All),
    Legacy(whatwg::WINDOWS_1254, Range::All),
    Legacy(whatwg::WINDOWS_1255, Range::All),
    Legacy(whatwg::WINDOWS_1256, Range::All),
    Legacy(whatwg::WINDOWS_1257, Range::All),
    Legacy(whatwg::WINDOWS_1258, Range::All),
    Legacy(whatwg::X_MAC_CYRILLIC, Range::All),
    Legacy(whatwg::GBK, Range::All),
    Legacy(whatwg::GB18030, Range::All),
    Legacy(whatwg::BIG5, Range::All),
    Legacy(whatwg::EUC_JP, Range::All),
    Legacy(whatwg::ISO_2022_JP, Range::All),
    Legacy(whatwg::SHIFT_JIS, Range::All),
    Legacy(whatwg::EUC_KR, Range::All),
    Legacy(whatwg::X_USER_DEFINED, Range::All),
];

/// Those in which most legacy text is written.
pub(crate) const COMMON: &[Legacy] = &[
    Legacy(whatwg::WINDOWS_1252, Range::All),
    Legacy(whatwg::WINDOWS_1251, Range::All),
    Legacy(whatwg::KOI8_R, Range::All),
    Legacy(whatwg::GB18030, Range::All),
    Legacy(whatwg::BIG5, Range::All),
    Legacy(whatwg::SHIFT_JIS, Range::All),
    Legacy(whatwg::EUC_JP, Range::All),
    Legacy(whatwg::EUC_KR, Range::All),
];

/// What Western text that was decoded once too often was decoded by.
#[cfg(any(feature = "detect", test))]
pub(crate) const WESTERN: Legacy = Legacy(whatwg::WINDOWS_1252, Range::All);

impl Legacy {
    /// Every one that can be written, in the order of the standard; not ASCII.
    pub fn all() -> impl Iterator<Item = Legacy> {
        ALL.iter().copied()
    }

    /// Every one that is worth listing: ASCII first.
    pub(crate) fn listed() -> impl Iterator<Item = Legacy> {
        std::iter::once(ASCII).chain(Legacy::all())
    }

    /// Those in which most legacy text is written.
    pub fn common() -> &'static [Legacy] {
        COMMON
    }

    /// The encoding that a label of the standard stands for.
    pub fn labelled(label: &str) -> Option<Legacy> {
        if ASCII_NAMES.iter().any(|name| name.eq_ignore_ascii_case(label)) {
            return Some(ASCII);
        }
        Encoding::for_label(label.as_bytes()).map(|encoding| Legacy(encoding, Range::All))
    }

    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        match self.1 {
            Range::All => self.0.name(),
            Range::Ascii => ASCII_NAMES[0],
        }
    }

    /// Whether the size of a text is the sum of its characters' sizes, and means anything: not where bytes depend
    /// on what stands before them, nor where they stand for no script's characters.
    pub fn is_sized(self) -> bool {
        self.0 != whatwg::ISO_2022_JP && self.0 != whatwg::X_USER_DEFINED
    }

    /// Whether each byte is a character.
    pub fn is_single_byte(self) -> bool {
        self.0.is_single_byte()
    }

    /// The bytes of a character, `None` if the encoding lacks it.
    pub fn bytes_of(self, scalar: char) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(16);
        let mut encoder = Encoder::new(self);
        encoder.push(scalar.encode_utf8(&mut [0; 4]), true, &mut bytes).is_none().then_some(bytes)
    }

    /// How many bytes a character takes; `None` if the encoding lacks it.
    pub fn len_of(self, scalar: char) -> Option<usize> {
        let (mut text, mut bytes) = ([0; 4], [0; 16]);
        let text = scalar.encode_utf8(&mut text);
        match self.0.new_encoder().encode_from_utf8_without_replacement(text, &mut bytes, true) {
            (EncoderResult::InputEmpty, _, written) => Some(written),
            _ => None,
        }
    }

    /// The text of some bytes, if they are well formed throughout.
    pub fn text_of(self, bytes: &[u8]) -> Option<String> {
        let mut text = String::new();
        Decoder::new(self).push(bytes, true, &mut text).1.is_none().then_some(text)
    }
}

/// A malformed span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Where it begins, in bytes of the stream.
    pub(crate) offset: u64,
    /// How many bytes it spans.
    pub(crate) len: usize,
}

/// Reads a stream.
pub(crate) struct Decoder {
    inner: whatwg::Decoder,
    range: Range,
    /// Bytes of the stream that were read.
    offset: u64,
}

impl Decoder {
    /// At the start of a stream. A byte order mark is an ordinary character.
    pub(crate) fn new(encoding: Legacy) -> Decoder {
        Decoder { inner: encoding.0.new_decoder_without_bom_handling(), range: encoding.1, offset: 0 }
    }

    /// Appends the text of a piece, as far as to its end or the first malformed span. How much of it was read.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<Malformed>) {
        if let (Range::Ascii, Some(at)) = (self.range, input.iter().position(|byte| !byte.is_ascii())) {
            text.extend(input.iter().take(at).copied().map(char::from));
            let offset = self.offset + at as u64;
            self.offset = offset + 1;
            return (at + 1, Some(Malformed { offset, len: 1 }));
        }
        let mut total = 0;
        loop {
            let rest = input.get(total..).unwrap_or_default();
            let need = self.inner.max_utf8_buffer_length_without_replacement(rest.len());
            text.reserve(need.unwrap_or(rest.len()));
            let (result, read) = self.inner.decode_to_string_without_replacement(rest, text, last);
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

    /// Bytes of the stream that were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }
}

/// Writes a stream.
pub(crate) struct Encoder {
    inner: whatwg::Encoder,
    range: Range,
}

/// A character that the encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmappable {
    /// Where in the text it begins, in bytes.
    pub(crate) at: usize,
    /// The character.
    pub(crate) scalar: char,
}

impl Encoder {
    /// At the start of a stream.
    pub(crate) fn new(encoding: Legacy) -> Encoder {
        Encoder { inner: encoding.0.new_encoder(), range: encoding.1 }
    }

    /// Appends the bytes of a text, as far as to its end or the first character that the encoding lacks.
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
        let lacking = || text.char_indices().find(|(_, scalar)| !scalar.is_ascii());
        if self.range == Range::Ascii
            && let Some((at, scalar)) = lacking()
        {
            out.extend(text.bytes().take(at));
            return Some(Unmappable { at, scalar });
        }
        let mut total = 0;
        loop {
            let rest = text.get(total..).unwrap_or_default();
            let need = self.inner.max_buffer_length_from_utf8_without_replacement(rest.len());
            out.reserve(need.unwrap_or(rest.len()));
            let (result, read) = self.inner.encode_from_utf8_to_vec_without_replacement(rest, out, last);
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

/// What chardetng takes the bytes for, none of them being UTF-8. `last`: they are all there is.
#[cfg(feature = "detect")]
pub(crate) fn guess(bytes: &[u8], last: bool) -> Legacy {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, last);
    Legacy(detector.guess(None, Utf8Detection::Deny), Range::All)
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
