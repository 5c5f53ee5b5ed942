//! Text encoded in legacy encodings piece by piece.

use std::collections::HashSet;

use encoding_rs::{self as whatwg, EncoderResult};

use super::kind::{Kind, Legacy};
use crate::charset::code_pages::sequences;
use crate::charset::lookup::Characters;
use crate::charset::tokens::Joining as _;
use crate::charset::widths::other_of;
use crate::charset::{Unmappable, algorithm, iso2022, seven_bit, utf7};

/// Encodes a stream.
pub(crate) struct Encoder {
    encoding: Legacy,
    writing: Writing,
    /// Characters known to round-trip, if others must not be written.
    returning: Option<HashSet<char>>,
}

enum Writing {
    Standard(whatwg::Encoder),
    /// A stateless encoding, one character at a time.
    Each(Legacy, Characters),
    Sequences(sequences::Encoder),
    Utf7(utf7::Encoder),
    Shifted(seven_bit::Encoder),
    Iso2022(iso2022::Encoder),
    Algorithm(Box<algorithm::Encoder>),
}

impl Encoder {
    /// Starts a stream. A character that the encoding has only in another form is written in that form: `¥` as `\\` in
    /// Shift_JIS.
    pub(crate) fn new(encoding: Legacy) -> Encoder {
        let writing = match encoding.0 {
            Kind::Sequences(table) => Writing::Sequences(sequences::Encoder::new(table)),
            Kind::Utf7(how) => Writing::Utf7(utf7::Encoder::new(how)),
            Kind::Shifted(shifted) => Writing::Shifted(seven_bit::Encoder::new(shifted)),
            Kind::Iso2022(scheme) => Writing::Iso2022(iso2022::Encoder::new(scheme)),
            Kind::Algorithm(algorithm) => Writing::Algorithm(Box::new(algorithm::Encoder::new(algorithm))),
            Kind::Standard(standard) if !encoding.is_stateless() => Writing::Standard(standard.new_encoder()),
            _ => Writing::Each(encoding, Characters::default()),
        };
        Encoder { encoding, writing, returning: None }
    }

    /// Starts a stream that writes only characters that round-trip.
    pub(crate) fn exact(encoding: Legacy) -> Encoder {
        Encoder { returning: Some(HashSet::new()), ..Encoder::new(encoding) }
    }

    /// Appends the bytes of a character, even if it does not round-trip.
    pub(crate) fn put(&mut self, scalar: char, out: &mut Vec<u8>) {
        let Encoder { encoding, writing, .. } = self;
        match writing {
            Writing::Each(..) => out.extend(encoding.bytes_of(scalar).unwrap_or_default()),
            _ => {
                let returning = self.returning.take();
                self.push(scalar.encode_utf8(&mut [0; 4]), false, out);
                self.returning = returning;
            }
        }
    }

    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks.
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
        let (encoding, is_exact) = (self.encoding, self.returning.is_some());
        match &mut self.writing {
            Writing::Standard(encoder) => {
                let returning = self.returning.as_mut();
                let altered = returning.and_then(|known| first_altered(encoding, text, known));
                let end = altered.map_or(text.len(), |(at, _)| at);
                let before = text.get(..end).unwrap_or_default();
                let mut start = 0;
                while let Some(lacking) =
                    encode(encoder, before.get(start..).unwrap_or_default(), last && altered.is_none(), out)
                {
                    let at = start + lacking.at;
                    let Some(other) = other_of(lacking.scalar) else {
                        return Some(Unmappable { at, ..lacking });
                    };
                    encode(encoder, other.encode_utf8(&mut [0; 4]), false, out);
                    start = at + lacking.scalar.len_utf8();
                }
                altered.map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Each(legacy, known) => {
                let bytes_of =
                    |scalar| legacy.bytes_of(scalar).filter(|bytes| !is_exact || legacy.returns(bytes, scalar));
                let lacking = known.write(text, legacy.keeps_ascii(), out, bytes_of);
                lacking.map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Shifted(encoder) => encoder.push(text, last, out).map(|(at, scalar)| Unmappable { at, scalar }),
            Writing::Iso2022(encoder) => encoder.push(text, last, out).map(|(at, scalar)| Unmappable { at, scalar }),
            Writing::Sequences(encoder) => {
                encoder.is_exact = is_exact;
                encoder.push(text, last, out).map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Algorithm(encoder) => {
                encoder.push(text, last, out);
                None
            }
            Writing::Utf7(encoder) => {
                encoder.push(text, last, out);
                None
            }
        }
    }
}

/// Returns the first character of a text that does not round-trip, and its offset. `known` caches characters that do.
fn first_altered(encoding: Legacy, text: &str, known: &mut HashSet<char>) -> Option<(usize, char)> {
    let mut beyond = text.char_indices().filter(|(_, scalar)| !scalar.is_ascii());
    beyond.find(|&(_, scalar)| {
        let is_altered = !known.contains(&scalar) && encoding.altered(scalar).is_some();
        if !is_altered {
            known.insert(scalar);
        }
        is_altered
    })
}

/// Appends the bytes of a text, up to its end or the first character that the encoding lacks.
pub(super) fn encode(encoder: &mut whatwg::Encoder, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
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
            // For a control that it rejects, the encoder reports U+FFFD, so the character is taken from the text.
            EncoderResult::Unmappable(named) => {
                let last = text.get(..total).and_then(|read| read.char_indices().next_back());
                let (at, scalar) = last.unwrap_or((total.saturating_sub(named.len_utf8()), named));
                return Some(Unmappable { at, scalar });
            }
        }
    }
}
