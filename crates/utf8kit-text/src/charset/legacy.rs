//! Legacy encodings: those of the WHATWG Encoding Standard that are not Unicode encodings, and some that it leaves out.
//! Only the modules of this folder use `encoding_rs`; `chardetng` is used by detection alone.

use std::borrow::Cow;

use crate::charset::code_pages::{PAGES, Page};
use crate::charset::learnt::{Bytes, Characters};
use crate::charset::shifted::{self, Shifted};
use crate::charset::{gsm, utf7};
use encoding_rs::{self as whatwg, DecoderResult, EncoderResult, Encoding};

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

/// A malformed span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Its offset, in bytes of the stream.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) len: usize,
}

/// Decodes a stream.
pub(crate) struct Decoder {
    inner: Reading,
    /// Number of bytes of the stream that were read.
    offset: u64,
    /// Whether ASCII bytes are their own text.
    ascii: bool,
}

enum Reading {
    Standard(whatwg::Decoder),
    /// A stateless encoding, and how many bytes of a character were read that is not complete yet.
    Stateless(whatwg::Decoder, Bytes, usize),
    Page(&'static Page, Bytes),
    Ascii,
    Utf7(utf7::Decoder),
    Gsm(gsm::Decoder),
    Shifted(shifted::Decoder),
}

impl Decoder {
    /// Starts a stream. A byte order mark is treated as an ordinary character.
    pub(crate) fn new(encoding: Legacy) -> Decoder {
        let inner = match encoding.0 {
            Kind::Standard(standard) => {
                let decoder = standard.new_decoder_without_bom_handling();
                match encoding.is_stateless() {
                    true => Reading::Stateless(decoder, Bytes::default(), 0),
                    false => Reading::Standard(decoder),
                }
            }
            Kind::Page(page) => Reading::Page(page, Bytes::default()),
            Kind::Ascii => Reading::Ascii,
            Kind::Utf7 => Reading::Utf7(utf7::Decoder::default()),
            Kind::Gsm => Reading::Gsm(gsm::Decoder::default()),
            Kind::Shifted(shifted) => Reading::Shifted(shifted::Decoder::new(shifted)),
        };
        Decoder { inner, offset: 0, ascii: encoding.keeps_ascii() }
    }

    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<Malformed>) {
        let (read, malformed) = match &mut self.inner {
            Reading::Standard(decoder) => decode(decoder, input, last, text),
            Reading::Stateless(decoder, known, within) => {
                learning(decoder, known, within, self.ascii, input, last, text)
            }
            Reading::Page(page, known) => {
                known.learn_all(|byte| page.char_of(byte));
                let read = known.read(input, self.ascii, text);
                let has_more = read < input.len();
                (read + usize::from(has_more), has_more.then_some((1, 0)))
            }
            Reading::Ascii => {
                let end = input.iter().position(|byte| !byte.is_ascii());
                let ascii = input.get(..end.unwrap_or(input.len())).unwrap_or_default();
                text.push_str(std::str::from_utf8(ascii).unwrap_or_default());
                (ascii.len() + usize::from(end.is_some()), end.map(|_| (1, 0)))
            }
            Reading::Utf7(decoder) => {
                let (read, malformed) = decoder.push(input, last, text);
                (read, malformed.map(|len| (len, 0)))
            }
            Reading::Shifted(decoder) => decoder.push(input, last, text),
            Reading::Gsm(decoder) => {
                let (read, malformed) = decoder.push(input, last, text);
                (read, malformed.map(|len| (len, 0)))
            }
        };
        self.offset += read as u64;
        let malformed = malformed
            .map(|(len, after)| Malformed { offset: self.offset.saturating_sub((len + after) as u64), len });
        (read, malformed)
    }

    /// Returns the number of bytes of the stream that were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns how many bytes were read of a character that is not complete yet; `None` if what was read before matters
    /// to what follows.
    pub(crate) fn begun(&self) -> Option<usize> {
        match self.inner {
            Reading::Stateless(_, _, begun) => Some(begun),
            Reading::Page(..) | Reading::Ascii => Some(0),
            Reading::Standard(_) | Reading::Utf7(_) | Reading::Gsm(_) | Reading::Shifted(_) => None,
        }
    }
}

/// The number of bytes read. If they end with a malformed span, its length and the number of bytes after it.
pub(super) type Read = (usize, Option<(usize, usize)>);

/// Appends the decoded text of a piece, up to its end or the first malformed span.
pub(super) fn decode(decoder: &mut whatwg::Decoder, input: &[u8], last: bool, text: &mut String) -> Read {
    let mut total = 0;
    loop {
        let rest = input.get(total..).unwrap_or_default();
        let need = decoder.max_utf8_buffer_length_without_replacement(rest.len());
        text.reserve(need.unwrap_or(rest.len()));
        let (result, read) = decoder.decode_to_string_without_replacement(rest, text, last);
        total += read;
        match result {
            DecoderResult::InputEmpty => return (total, None),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(len, after) => {
                return (total, Some((usize::from(len), usize::from(after))));
            }
        }
    }
}

/// Does the same with a stateless decoder, which is used for unknown characters only. `begun` is the number of bytes
/// that it has read of an incomplete character.
fn learning(
    decoder: &mut whatwg::Decoder,
    known: &mut Bytes,
    begun: &mut usize,
    ascii: bool,
    input: &[u8],
    last: bool,
    text: &mut String,
) -> Read {
    let mut at = 0;
    // The start of the character that the decoder is within, and its text, if that is complete.
    let mut began = None;
    loop {
        if *begun == 0 {
            at += known.read(input.get(at..).unwrap_or_default(), ascii, text);
            began = Some((at, text.len()));
        }
        let rest = input.get(at..).unwrap_or_default();
        // The last bytes one by one, to tell which of them belong to an incomplete character.
        let several =
            if known.has_capacity() { 1 } else { rest.len().saturating_sub(SINGLE).clamp(1, UNKNOWN) };
        let piece = rest.get(..several).unwrap_or(rest);
        let ends = piece.len() == rest.len();
        if rest.is_empty() && !last {
            return (at, None);
        }
        let (read, malformed) = decode(decoder, piece, last && ends, text);
        at += read;
        if last && ends && malformed.is_none() {
            return (at, None);
        }
        // Returns a number only if the decoder is between two characters.
        let is_between = decoder.latin1_byte_compatible_up_to(&[]).is_some();
        *begun = match malformed {
            _ if is_between => 0,
            Some((_, after)) => after,
            None => *begun + read,
        };
        if malformed.is_some() {
            return (at, malformed);
        }
        if let (0, Some((start, text_start))) = (*begun, began) {
            known.learn(input.get(start..at).unwrap_or_default(), text.get(text_start..).unwrap_or_default());
        }
    }
}

/// The number of bytes passed to the decoder at a time when no more characters can be added.
const UNKNOWN: usize = 256;

/// The number of bytes at the end of the input that are passed to it one by one: two characters of the longest.
const SINGLE: usize = 8;

/// Encodes a stream.
pub(crate) struct Encoder(Writing);

enum Writing {
    Standard(whatwg::Encoder),
    /// A stateless encoding, one character at a time.
    Each(Legacy, Characters),
    Utf7(utf7::Encoder),
    Shifted(shifted::Encoder),
}

/// A character that the encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmappable {
    /// Its offset in the text, in bytes.
    pub(crate) at: usize,
    /// The character.
    pub(crate) scalar: char,
}

impl Encoder {
    /// Starts a stream.
    pub(crate) fn new(encoding: Legacy) -> Encoder {
        Encoder(match encoding.0 {
            Kind::Utf7 => Writing::Utf7(utf7::Encoder::default()),
            Kind::Shifted(shifted) => Writing::Shifted(shifted::Encoder::new(shifted)),
            Kind::Standard(standard) if !encoding.is_stateless() => Writing::Standard(standard.new_encoder()),
            _ => Writing::Each(encoding, Characters::default()),
        })
    }

    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks.
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
        match &mut self.0 {
            Writing::Standard(encoder) => encode(encoder, text, last, out),
            Writing::Each(legacy, known) => {
                let lacking = known.write(text, legacy.keeps_ascii(), out, |scalar| legacy.bytes_of(scalar));
                lacking.map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Shifted(encoder) => {
                encoder.push(text, last, out).map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Utf7(encoder) => {
                encoder.push(text, last, out);
                None
            }
        }
    }
}

/// Appends the bytes of a text, up to its end or the first character that the encoding lacks.
fn encode(encoder: &mut whatwg::Encoder, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
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
            // For a control that it refuses, the encoder names U+FFFD: the character is taken from the text.
            EncoderResult::Unmappable(named) => {
                let last = text.get(..total).and_then(|read| read.char_indices().next_back());
                let (at, scalar) = last.unwrap_or((total.saturating_sub(named.len_utf8()), named));
                return Some(Unmappable { at, scalar });
            }
        }
    }
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
    fn lengths_are_those_of_the_bytes() {
        for legacy in Legacy::all().filter(|legacy| legacy.is_sized()) {
            for value in (0..0x3_0000).step_by(if legacy.is_single_byte() { 1 } else { 7 }) {
                let Some(scalar) = char::from_u32(value) else { continue };
                let bytes = legacy.bytes_of(scalar);
                assert_eq!(
                    legacy.len_of(scalar),
                    bytes.map(|bytes| bytes.len()),
                    "{} {scalar:?}",
                    legacy.name()
                );
            }
        }
    }

    #[test]
    fn a_text_is_what_a_stream_says() {
        let noise = noise(2_000);
        for legacy in Legacy::listed() {
            for piece in noise.chunks(5).chain(noise.windows(2)).chain([&b"~{VPND~}"[..], b"\x1B$B4A\x1B(B"])
            {
                let mut text = String::new();
                let malformed = Decoder::new(legacy).push(piece, true, &mut text).1;
                let want = malformed.is_none().then_some(text);
                assert_eq!(legacy.text_of(piece), want, "{} {piece:02X?}", legacy.name());
            }
        }
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

    /// Returns pseudorandom bytes.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        // Many of them in the ranges that sequences consist of.
        let mut byte = || match next() % 8 {
            0 => b'0' + (next() % 10) as u8,
            1 => next() as u8 & 0x7F,
            2 => next() as u8,
            _ => 0x81 + (next() % 126) as u8,
        };
        (0..len).map(|_| byte()).collect()
    }

    /// Returns the text of an input given in pieces, and all malformed spans.
    fn read_in(
        size: usize,
        bytes: &[u8],
        mut push: impl FnMut(&[u8], bool, &mut String) -> Read,
    ) -> (String, Vec<(usize, usize)>) {
        let (mut text, mut spans) = (String::new(), Vec::new());
        let (mut at, mut ended) = (0, false);
        while !ended {
            let end = bytes.len().min(at + size);
            let (read, malformed) = push(&bytes[at..end], end == bytes.len(), &mut text);
            at += read;
            spans.extend(malformed.map(|(len, after)| (at - after - len, len)));
            ended = malformed.is_none() && at == bytes.len();
        }
        (text, spans)
    }

    #[test]
    fn what_is_learnt_is_what_the_decoder_says() {
        let noise = noise(20_000);
        for legacy in ALL {
            let Kind::Standard(standard) = legacy.0 else { continue };
            let mut asked = standard.new_decoder_without_bom_handling();
            let want =
                read_in(noise.len(), &noise, |piece, last, text| decode(&mut asked, piece, last, text));
            for size in [1, 7, noise.len()] {
                let mut decoder = Decoder::new(*legacy);
                let seen = read_in(size, &noise, |piece, last, text| {
                    let (read, malformed) = decoder.push(piece, last, text);
                    let span =
                        |span: Malformed| (span.len, (decoder.offset() - span.offset) as usize - span.len);
                    (read, malformed.map(span))
                });
                assert!(seen == want, "{} in pieces of {size}", legacy.name());
            }
        }
    }

    #[test]
    fn what_is_learnt_is_what_the_encoder_says() {
        let all: String = (0..=0x3_FFFF).chain(0xF_0000..0xF_1000).filter_map(char::from_u32).collect();
        for legacy in Legacy::listed().filter(|legacy| legacy.is_stateless()) {
            let Kind::Standard(standard) = legacy.0 else { continue };
            // An encoding that lacks nearly every character is tested with some of them only.
            let text: String = match standard.encode(&all).2 {
                true => all.chars().filter(|&scalar| scalar < '\u{1_0000}').step_by(5).collect(),
                false => all.clone(),
            };
            let (mut encoder, mut asked) = (Encoder::new(legacy), standard.new_encoder());
            // Twice: once to fill the tables, once to use them.
            for _ in 0..2 {
                let (mut at, mut seen, mut want) = (0, Vec::new(), Vec::new());
                loop {
                    let lacking = encoder.push(&text[at..], false, &mut seen);
                    assert_eq!(
                        lacking,
                        encode(&mut asked, &text[at..], false, &mut want),
                        "{}",
                        legacy.name()
                    );
                    let Some(lacking) = lacking else { break };
                    at += lacking.at + lacking.scalar.len_utf8();
                }
                assert!(seen == want, "{}", legacy.name());
            }
        }
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
