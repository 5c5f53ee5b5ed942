//! The library's face to JavaScript, over a plain ABI: numbers go in and out of functions, all else lies on the
//! `desk`. JavaScript puts bytes into `input`, calls, and reads `output` (bytes) and `numbers` (64-bit floats, exact
//! to 2^53); each call says which. An encoding or an error kind is its index in `AnyEncoding::ALL` and
//! `ErrorKind::ALL`, a stream is a handle.
//!
//! Why so: the functions need no generated glue and no `unsafe`, and the whole of what crosses is on this page.
#![allow(unsafe_code, reason = "exported names; there is no unsafe block")]

mod checker;
mod desk;
mod explained;

use utf8kit::{AnyEncoding, Converter, Each, Encoding as _, Error, ErrorKind, Level, Policy, Validator};

use checker::Checker;
use desk::{Desk, Stream, with_desk};

/// The encoding of an index that JavaScript got from here.
fn encoding(index: u32) -> AnyEncoding {
    AnyEncoding::ALL.get(index as usize).copied().unwrap_or(AnyEncoding::Utf8)
}

fn kind_index(kind: ErrorKind) -> f64 {
    f64::from(kind as u8)
}

/// Puts the error into `numbers` as offset, length, kind; 1 if there is one.
fn report(numbers: &mut Vec<f64>, result: Result<(), Error>) -> u32 {
    numbers.clear();
    let Err(error) = result else { return 0 };
    numbers.extend([error.offset as f64, f64::from(error.len), kind_index(error.kind)]);
    1
}

/// Where `input` is.
#[unsafe(no_mangle)]
pub extern "C" fn input() -> *mut u8 {
    with_desk(|desk| desk.input.as_mut_ptr())
}

/// How long `input` is: what is longer comes in pieces.
#[unsafe(no_mangle)]
pub extern "C" fn input_len() -> usize {
    desk::INPUT
}

/// Where `output` is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with_desk(|desk| desk.output.as_ptr())
}

/// How many bytes are in it.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with_desk(|desk| desk.output.len())
}

/// Where `numbers` are.
#[unsafe(no_mangle)]
pub extern "C" fn numbers() -> *const f64 {
    with_desk(|desk| desk.numbers.as_ptr())
}

/// How many there are.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_len() -> usize {
    with_desk(|desk| desk.numbers.len())
}

/// Names, one a line: 0 the level in use, 1 the encodings, 2 the kinds of error. In `output`.
#[unsafe(no_mangle)]
pub extern "C" fn names(of: u32) {
    let names: Vec<&str> = match of {
        0 => vec![Level::active().name()],
        1 => AnyEncoding::ALL.iter().map(|encoding| encoding.name()).collect(),
        _ => ErrorKind::ALL.iter().map(|kind| kind.name()).collect(),
    };
    with_desk(|desk| desk.output = names.join("\n").into_bytes());
}

/// The encoding that the name of `len` bytes means; -1 if none.
#[unsafe(no_mangle)]
pub extern "C" fn encoding_named(len: usize) -> i32 {
    with_desk(|desk| {
        let name = str::from_utf8(desk.input(len)).unwrap_or_default();
        let found = name.parse().ok().and_then(|named| AnyEncoding::ALL.iter().position(|&any| any == named));
        found.map_or(-1, |index| index as i32)
    })
}

/// Validates; 1 and the error if there is one.
#[unsafe(no_mangle)]
pub extern "C" fn validate(index: u32, len: usize) -> u32 {
    with_desk(|desk| {
        let result = utf8kit::validate_in(encoding(index), desk.input(len));
        report(&mut desk.numbers, result)
    })
}

/// One value into `output`; 1 and its kind alone in `numbers` if the encoding does not hold it.
#[unsafe(no_mangle)]
pub extern "C" fn encode(index: u32, value: u32) -> u32 {
    with_desk(|desk| {
        desk.numbers.clear();
        desk.output.clear();
        match utf8kit::encode_in(encoding(index), value) {
            Ok(bytes) => desk.output.extend_from_slice(&bytes),
            Err(kind) => desk.numbers.push(kind_index(kind)),
        }
        u32::from(!desk.numbers.is_empty())
    })
}

/// Every item explained: see `explained::RECORD`.
#[unsafe(no_mangle)]
pub extern "C" fn explain(index: u32, len: usize) {
    with_desk(|desk| {
        explained::explain(encoding(index), &desk.input[..len.min(desk::INPUT)], &mut desk.numbers)
    });
}

/// The forms of a dialect: see `explained::FORM`; none for other encodings.
#[unsafe(no_mangle)]
pub extern "C" fn forms(index: u32) {
    with_desk(|desk| explained::forms(encoding(index), &mut desk.numbers));
}

/// A validator of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn validator(index: u32) -> usize {
    with_desk(|desk| desk.open(Stream::Validator(Validator::new(encoding(index)))))
}

/// A checker of a stream: the first `keep` errors in full; with `census` every code point counted.
#[unsafe(no_mangle)]
pub extern "C" fn checker(index: u32, keep: usize, census: u32) -> usize {
    with_desk(|desk| desk.open(Stream::Checker(Box::new(Checker::new(encoding(index), keep, census != 0)))))
}

/// A converter of a stream. The policy is 0 strict, 1 to 4 replace each subpart, byte, run, or as Java does, 5 remove,
/// 6 escape, 7 same length; the replacement is `len` bytes of `input`.
#[unsafe(no_mangle)]
pub extern "C" fn converter(from: u32, to: u32, policy: u32, len: usize) -> usize {
    with_desk(|desk| {
        let with = desk.replacement(len);
        let replace = |each| Policy::Replace { each, with };
        let policy = match policy {
            0 => None,
            1 => Some(replace(Each::Subpart)),
            2 => Some(replace(Each::Byte)),
            3 => Some(replace(Each::Run)),
            4 => Some(replace(Each::Java)),
            5 => Some(Policy::Remove),
            6 => Some(Policy::Escape),
            _ => Some(Policy::SameLength),
        };
        let (from, to) = (encoding(from), encoding(to));
        desk.open(Stream::Converter(match policy {
            None => Converter::strict(from, to),
            Some(policy) => Converter::lossy(from, to, policy),
        }))
    })
}

/// The next `len` bytes of a stream; 1 and the error if it fails. A converter leaves in `output` what is certain now,
/// and in `numbers`, unless it fails, how many bytes of the stream that is up to, and how many places of it changed.
#[unsafe(no_mangle)]
pub extern "C" fn push(handle: usize, len: usize) -> u32 {
    with_desk(|desk| {
        desk.advance(handle, |stream, input, output| stream.push(&input[..len.min(desk::INPUT)], output))
    })
}

/// Ends a stream, as [`push`]; only [`close`] and a checker's findings may follow.
#[unsafe(no_mangle)]
pub extern "C" fn finish(handle: usize) -> u32 {
    with_desk(|desk| desk.advance(handle, |stream, _, output| stream.finish(output)))
}

/// How many bytes a stream holds back.
#[unsafe(no_mangle)]
pub extern "C" fn pending(handle: usize) -> usize {
    with_desk(|desk| match desk.stream(handle) {
        Some(Stream::Validator(validator)) => validator.pending().len(),
        Some(Stream::Converter(converter)) => converter.pending().len(),
        Some(Stream::Checker(_)) | None => 0,
    })
}

/// What a checker found so far, in `numbers`: 0 the counts, 1 the first errors, 2 the bins of the histogram, 3 the
/// census as pairs of code point and count.
#[unsafe(no_mangle)]
pub extern "C" fn findings(handle: usize, what: u32) {
    with_desk(|desk| {
        let Desk { numbers, streams, .. } = desk;
        numbers.clear();
        if let Some(Some(Stream::Checker(checker))) = streams.get(handle) {
            checker.findings(what, numbers);
        }
    });
}

/// Forgets a stream.
#[unsafe(no_mangle)]
pub extern "C" fn close(handle: usize) {
    with_desk(|desk| {
        if let Some(stream) = desk.streams.get_mut(handle) {
            *stream = None;
        }
    });
}
