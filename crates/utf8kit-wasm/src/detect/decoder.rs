//! Decodes the encodings of the WHATWG Encoding Standard to UTF-16.

use encoding_rs::{CoderResult, DecoderResult, Encoding};

/// A running decoder.
pub(crate) struct Decoder {
    inner: encoding_rs::Decoder,
    units: Vec<u16>,
}

impl Decoder {
    pub(crate) fn new(encoding: &'static Encoding) -> Decoder {
        Decoder { inner: encoding.new_decoder_without_bom_handling(), units: Vec::new() }
    }

    /// Appends the next text as UTF-16, little-endian. Reports whether a fatal decoder met an error.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, fatal: bool, output: &mut Vec<u8>) -> bool {
        let Decoder { inner, units } = self;
        units.clear();
        units.resize(inner.max_utf16_buffer_length(input.len()).unwrap_or(0), 0);
        let (failed, written) = if fatal {
            let (result, _, written) = inner.decode_to_utf16_without_replacement(input, units, last);
            (result != DecoderResult::InputEmpty, written)
        } else {
            let (result, _, written, _) = inner.decode_to_utf16(input, units, last);
            (result == CoderResult::OutputFull, written)
        };
        let start = output.len();
        output.resize(start + 2 * written, 0);
        for (bytes, unit) in output[start..].as_chunks_mut::<2>().0.iter_mut().zip(units) {
            *bytes = unit.to_le_bytes();
        }
        failed
    }
}
