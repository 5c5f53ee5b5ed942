//! The legacy encodings of the WHATWG Encoding Standard and encoding detection for JavaScript, over the same plain ABI
//! as `utf8kit-wasm`: JavaScript writes bytes to `input`, calls a function, and reads `output`. A decoder is a handle.
//! This is a module of its own because of the tables, which few programs need.
#![allow(unsafe_code, reason = "exported names; there is no unsafe block")]

use std::cell::RefCell;

use encoding_rs::{CoderResult, Decoder, DecoderResult, EncoderResult, Encoding};
use utf8kit_text::detect::Detector;

/// The length of `input`.
const INPUT: usize = 256 * 1024;

struct Buffers {
    input: Vec<u8>,
    output: Vec<u16>,
    decoders: Vec<Option<Decoder>>,
    detector: Option<Detector>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> =
        RefCell::new(Buffers { input: vec![0; INPUT], output: Vec::new(), decoders: Vec::new(), detector: None });
}

fn with_buffers<R>(work: impl FnOnce(&mut Buffers) -> R) -> R {
    BUFFERS.with_borrow_mut(work)
}

/// Returns the address of `input`.
#[unsafe(no_mangle)]
pub extern "C" fn input() -> *mut u8 {
    with_buffers(|buffers| buffers.input.as_mut_ptr())
}

/// Returns the address of `output`: 16-bit numbers.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u16 {
    with_buffers(|buffers| buffers.output.as_ptr())
}

/// Returns the number of bytes in `output`.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with_buffers(|buffers| 2 * buffers.output.len())
}

/// Opens a decoder for the encoding whose label is the first `len` bytes of `input`; -1 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn decoder(len: usize) -> i32 {
    with_buffers(|buffers| {
        let Some(encoding) = Encoding::for_label(&buffers.input[..len.min(INPUT)]) else { return -1 };
        let decoders = &mut buffers.decoders;
        let free = decoders.iter().position(Option::is_none).unwrap_or(decoders.len());
        if free == decoders.len() {
            decoders.push(None);
        }
        decoders[free] = Some(encoding.new_decoder_without_bom_handling());
        free as i32
    })
}

/// Decodes the next `len` bytes to UTF-16 in `output`. With `fatal`, stops at the first error and returns 1. With
/// `last`, the input ends.
#[unsafe(no_mangle)]
pub extern "C" fn decode(handle: usize, len: usize, last: u32, fatal: u32) -> u32 {
    with_buffers(|buffers| {
        let Buffers { input, output, decoders, .. } = buffers;
        output.clear();
        let Some(Some(decoder)) = decoders.get_mut(handle) else { return 1 };
        let input = &input[..len.min(INPUT)];
        output.resize(decoder.max_utf16_buffer_length(input.len()).unwrap_or(0), 0);
        let (failed, written) = if fatal == 0 {
            let (result, _, written, _) = decoder.decode_to_utf16(input, output, last != 0);
            (result == CoderResult::OutputFull, written)
        } else {
            let (result, _, written) = decoder.decode_to_utf16_without_replacement(input, output, last != 0);
            (result != DecoderResult::InputEmpty, written)
        };
        output.truncate(written);
        u32::from(failed)
    })
}

/// Encodes a code point in the encoding whose label is the first `len` bytes of `input`: one number per byte in
/// `output`, nothing if the encoding cannot represent it.
#[unsafe(no_mangle)]
pub extern "C" fn encode(len: usize, code_point: u32) {
    with_buffers(|buffers| {
        let Buffers { input, output, .. } = buffers;
        output.clear();
        let encoding = Encoding::for_label(&input[..len.min(INPUT)]);
        let (Some(encoding), Some(scalar)) = (encoding, char::from_u32(code_point)) else { return };
        let mut bytes = [0; 16];
        let mut text = [0; 4];
        let mut encoder = encoding.new_encoder();
        let (result, _, written) =
            encoder.encode_from_utf8_without_replacement(scalar.encode_utf8(&mut text), &mut bytes, true);
        if result == EncoderResult::InputEmpty {
            output.extend(bytes[..written].iter().map(|&byte| u16::from(byte)));
        }
    });
}

/// Passes the next `len` bytes to the detector. Returns 0 if it needs no more.
#[unsafe(no_mangle)]
pub extern "C" fn detect(len: usize) -> u32 {
    with_buffers(|buffers| {
        let Buffers { input, detector, .. } = buffers;
        u32::from(detector.get_or_insert_default().push(&input[..len.min(INPUT)]))
    })
}

/// Guesses the encoding of what the detector received, which is the whole input if `whole`, and resets the detector.
/// Writes to `output` as UTF-16, one per line: the encoding's name, the confidence, the encoding by which UTF-8 was
/// decoded once too often, the encoding of the lines that are not UTF-8 (each empty if there is none), then the
/// evidence.
#[unsafe(no_mangle)]
pub extern "C" fn guess(whole: u32) {
    with_buffers(|buffers| {
        let detector = buffers.detector.take().unwrap_or_default();
        let guess = if whole != 0 { detector.finish() } else { detector.finish_early() };
        let facts = [guess.encoding, Some(guess.confidence.name()), guess.doubled, guess.mixed];
        let lines = facts.map(|fact| fact.unwrap_or_default().to_owned()).into_iter().chain(guess.evidence);
        buffers.output = lines.collect::<Vec<_>>().join("\n").encode_utf16().collect();
    });
}

/// Closes a decoder.
#[unsafe(no_mangle)]
pub extern "C" fn close(handle: usize) {
    with_buffers(|buffers| {
        if let Some(decoder) = buffers.decoders.get_mut(handle) {
            *decoder = None;
        }
    });
}
