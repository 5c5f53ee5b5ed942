//! Text encoded in legacy encodings piece by piece.

use encoding_rs::{self as whatwg, EncoderResult};

use super::{Kind, Legacy, wide};
use crate::charset::code_pages::sequences;
use crate::charset::learnt::Characters;
use crate::charset::{Unmappable, shifted, utf7};

/// Encodes a stream.
pub(crate) struct Encoder(Writing);

enum Writing {
    Standard(whatwg::Encoder),
    /// A stateless encoding, one character at a time.
    Each(Legacy, Characters),
    Sequences(sequences::Encoder),
    Utf7(utf7::Encoder),
    Shifted(shifted::Encoder),
}

impl Encoder {
    /// Starts a stream.
    pub(crate) fn new(encoding: Legacy) -> Encoder {
        Encoder(match encoding.0 {
            Kind::Sequences(table) => Writing::Sequences(sequences::Encoder::new(table)),
            Kind::Utf7 => Writing::Utf7(utf7::Encoder::default()),
            Kind::Shifted(shifted) => Writing::Shifted(shifted::Encoder::new(shifted)),
            Kind::Standard(standard) if !encoding.is_stateless() => Writing::Standard(standard.new_encoder()),
            _ => Writing::Each(encoding, Characters::default()),
        })
    }

    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks.
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<Unmappable> {
        match &mut self.0 {
            Writing::Standard(encoder) => {
                let mut start = 0;
                loop {
                    let lacking = encode(encoder, text.get(start..).unwrap_or_default(), last, out)?;
                    let at = start + lacking.at;
                    let Some(other) = wide::other_of(lacking.scalar) else {
                        return Some(Unmappable { at, ..lacking });
                    };
                    encode(encoder, other.encode_utf8(&mut [0; 4]), false, out);
                    start = at + lacking.scalar.len_utf8();
                }
            }
            Writing::Each(legacy, known) => {
                let lacking = known.write(text, legacy.keeps_ascii(), out, |scalar| legacy.bytes_of(scalar));
                lacking.map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Shifted(encoder) => {
                encoder.push(text, last, out).map(|(at, scalar)| Unmappable { at, scalar })
            }
            Writing::Sequences(encoder) => {
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
pub(super) fn encode(
    encoder: &mut whatwg::Encoder,
    text: &str,
    last: bool,
    out: &mut Vec<u8>,
) -> Option<Unmappable> {
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
