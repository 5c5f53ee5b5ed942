//! Legacy encodings decoded piece by piece.

use encoding_rs::{self as whatwg, DecoderResult};

use super::kind::{Kind, Legacy};
use crate::charset::code_pages::{Page, sequences};
use crate::charset::lookup::Bytes;
use crate::charset::tokens::Selecting as _;
use crate::charset::{Malformed, algorithm, gsm, iso2022, seven_bit, utf7};

/// Decodes a stream.
pub(crate) struct Decoder {
    inner: DecoderKind,
    /// Number of bytes of the stream that were read.
    offset: u64,
    /// Whether ASCII bytes are their own text.
    ascii: bool,
}

enum DecoderKind {
    Standard(whatwg::Decoder),
    /// A stateless encoding, and how many bytes of an incomplete character were read.
    Stateless(whatwg::Decoder, Bytes, usize),
    Page(&'static Page, Bytes),
    Sequences(sequences::Decoder),
    Ascii,
    Utf7(utf7::Decoder),
    Gsm(gsm::Decoder),
    Shifted(seven_bit::Decoder),
    Iso2022(iso2022::Decoder),
    Algorithm(algorithm::Decoder),
}

impl Decoder {
    /// Starts a stream. A byte order mark is treated as an ordinary character.
    pub(crate) fn new(encoding: Legacy) -> Decoder {
        let inner = match encoding.0 {
            Kind::Standard(standard) => {
                let decoder = standard.new_decoder_without_bom_handling();
                match encoding.is_stateless() {
                    true => DecoderKind::Stateless(decoder, Bytes::default(), 0),
                    false => DecoderKind::Standard(decoder),
                }
            }
            Kind::Page(page) => DecoderKind::Page(page, Bytes::default()),
            Kind::Sequences(table) => DecoderKind::Sequences(sequences::Decoder::new(table)),
            Kind::Ascii => DecoderKind::Ascii,
            Kind::Utf7(how) => DecoderKind::Utf7(utf7::Decoder::new(how)),
            Kind::Gsm => DecoderKind::Gsm(gsm::Decoder::default()),
            Kind::Shifted(shifted) => DecoderKind::Shifted(seven_bit::Decoder::new(shifted)),
            Kind::Iso2022(scheme) => DecoderKind::Iso2022(iso2022::Decoder::new(scheme)),
            Kind::Algorithm(algorithm) => DecoderKind::Algorithm(algorithm::Decoder::new(algorithm)),
        };
        Decoder { inner, offset: 0, ascii: encoding.keeps_ascii() }
    }

    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<Malformed>) {
        let (read, malformed) = match &mut self.inner {
            DecoderKind::Standard(decoder) => decode(decoder, input, last, text),
            DecoderKind::Stateless(decoder, known, within) => {
                learning(decoder, known, within, self.ascii, input, last, text)
            }
            DecoderKind::Page(page, known) => {
                known.learn_all(|byte| page.char_of(byte));
                let read = known.read(input, self.ascii, text);
                let has_more = read < input.len();
                (read + usize::from(has_more), has_more.then_some((1, 0)))
            }
            DecoderKind::Ascii => {
                let end = input.iter().position(|byte| !byte.is_ascii());
                let ascii = input.get(..end.unwrap_or(input.len())).unwrap_or_default();
                text.push_str(std::str::from_utf8(ascii).unwrap_or_default());
                (ascii.len() + usize::from(end.is_some()), end.map(|_| (1, 0)))
            }
            DecoderKind::Utf7(decoder) => {
                let (read, malformed) = decoder.push(input, last, text);
                (read, malformed.map(|len| (len, 0)))
            }
            DecoderKind::Shifted(decoder) => decoder.push(input, last, text),
            DecoderKind::Iso2022(decoder) => decoder.push(input, last, text),
            DecoderKind::Algorithm(decoder) => decoder.push(input, last, text),
            DecoderKind::Sequences(decoder) => decoder.push(input, last, text),
            DecoderKind::Gsm(decoder) => {
                let (read, malformed) = decoder.push(input, last, text);
                (read, malformed.map(|len| (len, 0)))
            }
        };
        self.offset += read as u64;
        let malformed =
            malformed.map(|(len, after)| Malformed { offset: self.offset.saturating_sub((len + after) as u64), len });
        (read, malformed)
    }

    /// Returns the number of bytes of the stream that were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns how many bytes of an incomplete character were read; `None` if the following bytes depend on earlier
    /// ones.
    pub(crate) fn begun(&self) -> Option<usize> {
        match self.inner {
            DecoderKind::Stateless(_, _, begun) => Some(begun),
            DecoderKind::Page(..) | DecoderKind::Ascii => Some(0),
            DecoderKind::Standard(_) | DecoderKind::Sequences(_) | DecoderKind::Utf7(_) | DecoderKind::Gsm(_) => None,
            DecoderKind::Shifted(_) | DecoderKind::Iso2022(_) | DecoderKind::Algorithm(_) => None,
        }
    }
}

/// The number of bytes read. If they include a malformed span at the end, its length and the number of bytes read after
/// it.
pub(crate) type Read = (usize, Option<(usize, usize)>);

/// Appends the decoded text of a piece, up to its end or the first malformed span.
pub(crate) fn decode(decoder: &mut whatwg::Decoder, input: &[u8], last: bool, text: &mut String) -> Read {
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
    // The start of the current character, and its text, if complete.
    let mut began = None;
    loop {
        if *begun == 0 {
            at += known.read(input.get(at..).unwrap_or_default(), ascii, text);
            began = Some((at, text.len()));
        }
        let rest = input.get(at..).unwrap_or_default();
        // The last bytes one by one, to find out which of them belong to an incomplete character.
        let several = if known.has_capacity() { 1 } else { rest.len().saturating_sub(SINGLE).clamp(1, UNKNOWN) };
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
