//! Legacy encodings, detection and the repairs of `utf8kit-text` for JavaScript, over the same plain ABI as
//! `utf8kit-wasm`: JavaScript writes bytes to `input`, calls a function, and reads `output` (bytes) and `numbers`. A
//! stream is a handle. Names are passed as the first bytes of `input`, and canonical names are in lower case. This is a
//! module of its own because of the tables, which few programs need.
#![allow(unsafe_code, reason = "exported names; there is no unsafe block")]

mod checker;
mod decoder;
mod streams;

use std::cell::RefCell;

use utf8kit_text::Charset;
use utf8kit_text::convert::{Conversion, Invalid};
use utf8kit_text::detect::Detector;

use checker::Checker;
use decoder::Decoder;
use streams::{Converting, Repairing, Stream, Streams};

/// The length of `input`.
const INPUT: usize = 256 * 1024;

struct Buffers {
    input: Vec<u8>,
    output: Vec<u8>,
    numbers: Vec<f64>,
    streams: Streams,
    detector: Option<Detector>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers {
        input: vec![0; INPUT],
        output: Vec::new(),
        numbers: Vec::new(),
        streams: Streams::default(),
        detector: None,
    });
}

fn with_buffers<R>(work: impl FnOnce(&mut Buffers) -> R) -> R {
    BUFFERS.with_borrow_mut(work)
}

/// Runs a stream on the first `len` bytes of `input`; returns what it reports: 1 if it failed.
fn advance(
    handle: usize,
    len: usize,
    work: impl FnOnce(&mut Stream, &[u8], &mut Vec<u8>, &mut Vec<f64>) -> bool,
) -> u32 {
    with_buffers(|buffers| {
        let Buffers { input, output, numbers, streams, .. } = buffers;
        output.clear();
        numbers.clear();
        let stream = streams.get(handle);
        u32::from(stream.is_some_and(|stream| work(stream, &input[..len.min(INPUT)], output, numbers)))
    })
}

/// Opens a stream for the names in the first `len` bytes of `input`, which are separated by line feeds; -1 if one of
/// them is unknown.
fn open(len: usize, stream: impl FnOnce(&[&str]) -> Option<Stream>) -> i32 {
    with_buffers(|buffers| {
        let names = str::from_utf8(&buffers.input[..len.min(INPUT)]).unwrap_or_default();
        let names: Vec<&str> = names.split('\n').collect();
        stream(&names).map_or(-1, |stream| buffers.streams.open(stream))
    })
}

/// Returns the address of `input`.
#[unsafe(no_mangle)]
pub extern "C" fn input() -> *mut u8 {
    with_buffers(|buffers| buffers.input.as_mut_ptr())
}

/// Returns the address of `output`.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with_buffers(|buffers| buffers.output.as_ptr())
}

/// Returns the number of bytes in `output`.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with_buffers(|buffers| buffers.output.len())
}

/// Returns the address of `numbers`.
#[unsafe(no_mangle)]
pub extern "C" fn numbers() -> *const f64 {
    with_buffers(|buffers| buffers.numbers.as_ptr())
}

/// Returns the number of `numbers`.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_len() -> usize {
    with_buffers(|buffers| buffers.numbers.len())
}

/// Opens a decoder of an encoding of the standard by its label; -1 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn decoder(len: usize) -> i32 {
    open(len, |names| Decoder::new(names.first()?).map(Stream::Decoder))
}

/// Decodes the next `len` bytes to UTF-16 in `output`. With `fatal`, stops at the first error and returns 1. With
/// `last`, the input ends.
#[unsafe(no_mangle)]
pub extern "C" fn decode(handle: usize, len: usize, last: u32, fatal: u32) -> u32 {
    advance(handle, len, |stream, input, output, _| match stream {
        Stream::Decoder(decoder) => decoder.push(input, last != 0, fatal != 0, output),
        _ => true,
    })
}

/// Opens a checker of an encoding of the standard by its label; -1 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn checker(len: usize) -> i32 {
    open(len, |names| Checker::new(names.first()?).map(Stream::Checker))
}

/// Adds the next `len` bytes to a checker. Writes the errors that it found in them to `numbers`, each as offset,
/// length, line and column, the last two from 0. With `last`, the input ends.
#[unsafe(no_mangle)]
pub extern "C" fn check(handle: usize, len: usize, last: u32) -> u32 {
    advance(handle, len, |stream, input, _, numbers| {
        if let Stream::Checker(checker) = stream {
            checker.push(input, last != 0, numbers);
        }
        false
    })
}

/// Opens a converter between two encodings of any kind, whose names are in `input`; -1 if one is unknown. `invalid` is 0
/// for strict, 1 to replace, 2 to remove, 3 to escape.
#[unsafe(no_mangle)]
pub extern "C" fn converter(len: usize, invalid: u32) -> i32 {
    open(len, |names| {
        let &[from, to] = names else { return None };
        let mut conversion = Conversion::new(from.parse().ok()?, to.parse().ok()?);
        conversion.invalid = match invalid {
            0 => Invalid::Strict,
            1 => Invalid::Replace,
            2 => Invalid::Remove,
            _ => Invalid::Escape,
        };
        Some(Stream::Converting(Converting::new(conversion)))
    })
}

/// Opens a repairer for the policy and the encoding whose names are in `input`; -1 if one is unknown, or the policy is
/// not for the encoding.
#[unsafe(no_mangle)]
pub extern "C" fn repairer(len: usize) -> i32 {
    open(len, |names| Repairing::new(names.first()?, names.get(1)?).map(Stream::Repairing))
}

/// Adds the next `len` bytes to a converter or a repairer, with `last` the end. The output is in `output`. Returns 1
/// if a strict conversion fails: `numbers` is then the offset and the length of the place, and the code point that the
/// target lacks, or -1 if the place is malformed. Else it is the number of changed places.
#[unsafe(no_mangle)]
pub extern "C" fn push(handle: usize, len: usize, last: u32) -> u32 {
    advance(handle, len, |stream, input, output, numbers| match stream {
        Stream::Converting(converting) => converting.push(input, last != 0, output, numbers),
        Stream::Repairing(repairing) => {
            repairing.push(input, last != 0, output, numbers);
            false
        }
        _ => true,
    })
}

/// Starts a repairer again, for the same input, with what it learnt about the whole of it.
#[unsafe(no_mangle)]
pub extern "C" fn again(handle: usize) {
    advance(handle, 0, |stream, _, _, _| {
        if let Stream::Repairing(repairing) = stream {
            repairing.again();
        }
        false
    });
}

/// Writes the first changes of a repairer: to `numbers`, for each its offset and the lengths of the bytes before and
/// after, and these bytes to `output`.
#[unsafe(no_mangle)]
pub extern "C" fn changes(handle: usize) {
    advance(handle, 0, |stream, _, output, numbers| {
        if let Stream::Repairing(repairing) = stream {
            repairing.changes(output, numbers);
        }
        false
    });
}

/// Encodes a code point in the encoding whose name is the first `len` bytes of `input`: its bytes are in `output`, none
/// if the encoding cannot represent it.
#[unsafe(no_mangle)]
pub extern "C" fn encode(len: usize, code_point: u32) {
    with_buffers(|buffers| {
        let name = str::from_utf8(&buffers.input[..len.min(INPUT)]).unwrap_or_default();
        let charset = name.parse::<Charset>().ok();
        let scalar = char::from_u32(code_point);
        buffers.output = charset
            .zip(scalar)
            .and_then(|(charset, scalar)| charset.writer().bytes_of(scalar))
            .unwrap_or_default();
    });
}

/// Writes the canonical name of the encoding whose name is the first `len` bytes of `input` to `output`; nothing if
/// there is none.
#[unsafe(no_mangle)]
pub extern "C" fn canonical(len: usize) {
    with_buffers(|buffers| {
        let name = str::from_utf8(&buffers.input[..len.min(INPUT)]).unwrap_or_default();
        let known = name.parse::<Charset>().map(|charset| charset.to_string().to_ascii_lowercase());
        buffers.output = known.unwrap_or_default().into_bytes();
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
/// Writes to `output`, one per line: the encoding's name, the confidence, the encoding by which UTF-8 was decoded once
/// too often, the encoding of the lines that are not UTF-8 (each empty if there is none), then the evidence.
#[unsafe(no_mangle)]
pub extern "C" fn guess(whole: u32) {
    with_buffers(|buffers| {
        let detector = buffers.detector.take().unwrap_or_default();
        let guess = if whole != 0 { detector.finish() } else { detector.finish_early() };
        let name = |name: Option<&str>| name.unwrap_or_default().to_ascii_lowercase();
        let confidence = guess.confidence.name().to_owned();
        let facts = [name(guess.encoding), confidence, name(guess.doubled), name(guess.mixed)];
        buffers.output = facts.into_iter().chain(guess.evidence).collect::<Vec<_>>().join("\n").into_bytes();
    });
}

/// Closes a stream.
#[unsafe(no_mangle)]
pub extern "C" fn close(handle: usize) {
    with_buffers(|buffers| buffers.streams.close(handle));
}
