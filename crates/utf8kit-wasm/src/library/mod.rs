//! The library. Encodings and error kinds are passed as their index in `AnyEncoding::ALL` or `ErrorKind::ALL`.

mod checker;
mod explanation;
mod index;
mod report;
mod streams;

use utf8kit::{AnyEncoding, Converter, Encoding as _, ErrorKind, Level, Policy, Validator};

use utf8kit_encodings::describe::Description;

use crate::memory::{INPUT_BYTES, Memory, with_memory};
use checker::Checker;
pub(crate) use index::IndexedText;
use report::{kind_index, report};
pub(crate) use streams::{State, Stream};

/// Returns the encoding of an index that JavaScript got from this module.
fn encoding(index: u32) -> AnyEncoding {
    AnyEncoding::ALL.get(index as usize).copied().unwrap_or(AnyEncoding::Utf8)
}

/// Writes names to `output`, one per line. `of` is 0 for the level in use, 1 for the encodings, 2 for the dialects of
/// UTF-8, 3 for the kinds of errors, 4 for the policies, by their numbers.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn names(of: u32) {
    let encodings = || AnyEncoding::ALL.iter().copied();
    let name = |encoding: AnyEncoding| encoding.name().to_owned();
    let names: Vec<String> = match of {
        0 => vec![Level::active().name().to_owned()],
        1 => encodings().map(name).collect(),
        2 => encodings().filter(|encoding| encoding.is_dialect()).map(name).collect(),
        3 => ErrorKind::ALL.iter().map(|kind| kind.name().to_owned()).collect(),
        _ => {
            std::iter::once("strict").chain(Policy::ALL.iter().map(|policy| policy.name())).map(str::to_owned).collect()
        }
    };
    with_memory(|memory| memory.write_lines(&names));
}

/// Reports whether the first `len` bytes of `input` contain U+FFFD in UTF-8, which JavaScript's own encoder writes for
/// lone surrogates.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn has_replacement(len: usize) -> u32 {
    with_memory(|memory| {
        let bytes = memory.input(len);
        let next = bytes.iter().zip(bytes.iter().skip(1)).zip(bytes.iter().skip(2));
        // Without an early exit, this is vectorized.
        u32::from(next.fold(false, |found, ((&a, &b), &c)| found | ((a == 0xEF) & (b == 0xBF) & (c == 0xBD))))
    })
}

/// Returns the encoding for the name in the first `len` bytes of `input`; -1 if there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn encoding_named(len: usize) -> i32 {
    with_memory(|memory| {
        let found =
            memory.name(len).parse().ok().and_then(|named| AnyEncoding::ALL.iter().position(|&any| any == named));
        found.map_or(-1, |index| index as i32)
    })
}

/// Validates. Returns 1 and the error if there is one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn validate(index: u32, len: usize) -> u32 {
    with_memory(|memory| {
        let result = encoding(index).validate(memory.input(len));
        report(&mut memory.numbers, result)
    })
}

/// Encodes one value to `output`. Returns 1, with only the kind in `numbers`, if the encoding cannot represent it.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn encode(index: u32, value: u32) -> u32 {
    with_memory(|memory| {
        memory.numbers.clear();
        memory.output.clear();
        match encoding(index).encoded(value) {
            Ok(bytes) => memory.output.extend_from_slice(&bytes),
            Err(kind) => memory.numbers.push(kind_index(kind)),
        }
        u32::from(!memory.numbers.is_empty())
    })
}

/// Explains every item: see `explanation::NUMBERS_PER_ITEM`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn explain(index: u32, len: usize) {
    with_memory(|memory| {
        explanation::explain(encoding(index), &memory.input[..len.min(INPUT_BYTES)], &mut memory.numbers)
    });
}

/// Writes where every item begins to `numbers`: eight times the offset, plus 1 for an error, plus 2 for a code point of
/// two UTF-16 units, plus 4 for an error that a lax decoder would read as part of the previous sequence.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn outline(index: u32, len: usize) {
    with_memory(|memory| {
        let Memory { input, numbers, .. } = memory;
        explanation::outline(encoding(index), &input[..len.min(INPUT_BYTES)], numbers);
    });
}

/// Describes the error at the start of the first `len` bytes of `input`, in `output`, one per line: the error, the
/// expectation, and the reading of a lax decoder. A line may be empty.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn describe(index: u32, len: usize) {
    with_memory(|memory| {
        let description = Description::about(encoding(index), memory.input(len));
        let lines = [Some(description.what), description.expected, description.lax].map(Option::unwrap_or_default);
        memory.write_lines(&lines);
    });
}

/// Writes the forms of a dialect: see `explanation::NUMBERS_PER_FORM`. Other encodings have none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn forms(index: u32) {
    with_memory(|memory| explanation::forms(encoding(index), &mut memory.numbers));
}

/// Returns the last boundary up to `at` in the first `len` bytes of the input.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn floor_char_boundary(index: u32, len: usize, at: usize) -> usize {
    with_memory(|memory| encoding(index).floor_char_boundary(memory.input(len), at))
}

/// Opens a validator of a stream.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn validator(index: u32) -> i32 {
    with_memory(|memory| memory.open.add(Stream::Validator(Validator::new(encoding(index)))))
}

/// Opens a checker of a stream, which keeps the first `keep` errors. With `by_code_point`, it counts every code point.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn checker(index: u32, keep: usize, by_code_point: u32) -> i32 {
    with_memory(|memory| {
        memory.open.add(Stream::Checker(Box::new(Checker::new(encoding(index), keep, by_code_point != 0))))
    })
}

/// Adds the first `len` bytes of `input` to the replacement for the next converter. Without a call, it is U+FFFD.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn replacement(len: usize) {
    with_memory(|memory| memory.add_to_replacement(len));
}

/// Opens a converter of a stream. The policy is the index of one of `names(4)`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn converter(from: u32, to: u32, policy: u32) -> i32 {
    with_memory(|memory| {
        let converter = new_converter(memory, from, to, policy);
        memory.open.add(Stream::Converter(Box::new(converter)))
    })
}

/// Converts `len` bytes that are the whole input, like [`push`] and [`finish`] of a converter together.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn convert(from: u32, to: u32, policy: u32, len: usize) -> u32 {
    with_memory(|memory| {
        let mut stream = Stream::Converter(Box::new(new_converter(memory, from, to, policy)));
        let Memory { input, output, numbers, .. } = memory;
        output.clear();
        let pushed = stream.push(&input[..len.min(INPUT_BYTES)], output);
        let result = pushed.and_then(|changes| Ok(changes + stream.finish(output)?));
        let failed = report(numbers, result.map(drop));
        numbers.extend(result.ok().map(|changes| changes as f64));
        failed
    })
}

fn new_converter(memory: &mut Memory, from: u32, to: u32, number: u32) -> Converter<'static, AnyEncoding, AnyEncoding> {
    let (from, to) = (encoding(from), encoding(to));
    let with = &*memory.states.of::<State>().take_replacement();
    let number = (number as usize).checked_sub(1);
    match number.and_then(|number| Policy::ALL.get(number)) {
        None => Converter::strict(from, to),
        Some(&Policy::Replace { each, .. }) => Converter::lossy(from, to, Policy::Replace { each, with }).into_owned(),
        Some(&policy) => Converter::lossy(from, to, policy),
    }
}

/// Adds the next `len` bytes to a stream. Returns 1 and the error if it fails. A converter writes the output that no
/// further input can change to `output` and, unless it fails, two numbers to `numbers`: how many bytes of the stream
/// were processed, and how many places of it changed.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn push(handle: usize, len: usize) -> u32 {
    with_memory(|memory| {
        memory.advance(handle, |stream, input, output| stream.push(&input[..len.min(INPUT_BYTES)], output))
    })
}

/// Ends a stream, like [`push`]. Only `close` and a checker's findings may follow.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn finish(handle: usize) -> u32 {
    with_memory(|memory| memory.advance(handle, |stream, _, output| stream.finish(output)))
}

/// Returns how many bytes a stream holds back.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn pending(handle: usize) -> usize {
    with_memory(|memory| match memory.open.get(handle) {
        Some(Stream::Validator(validator)) => validator.pending().len(),
        Some(Stream::Converter(converter)) => converter.pending().len(),
        _ => 0,
    })
}

/// Writes the findings of a checker so far to `numbers`. `what` is 0 for the counts, 1 for the bins of the histogram, 2
/// for the code points starting at `first`, each with its count and length in bytes. These come in pages, of which an
/// empty one marks the end.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn findings(handle: usize, what: u32, first: usize) {
    with_memory(|memory| {
        let Memory { numbers, open, .. } = memory;
        numbers.clear();
        if let Some(Stream::Checker(checker)) = open.get(handle) {
            checker.findings(what, first, numbers);
        }
    });
}

/// Writes the next page of a checker's first errors to `numbers`, each as offset, length, kind, line and column, and
/// removes them from the checker. Nothing is written if no error is left.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn take_errors(handle: usize) {
    with_memory(|memory| {
        let Memory { numbers, open, .. } = memory;
        numbers.clear();
        if let Some(Stream::Checker(checker)) = open.get(handle) {
            checker.take_errors(numbers);
        }
    });
}

/// Opens the index of an empty text. `line_ends` is 0 for line feeds, 1 for universal ones, 2 for all of Unicode.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn index(line_ends: u32) -> i32 {
    with_memory(|memory| memory.open.add(IndexedText::new(line_ends)))
}

/// Adds the first `len` bytes of `input` to the text that the next edit of an index inserts.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn index_give(handle: usize, len: usize) {
    with_memory(|memory| {
        let Memory { input, open, .. } = memory;
        if let Some(index) = open.get::<IndexedText>(handle) {
            index.give(&input[..len.min(INPUT_BYTES)]);
        }
    });
}

/// Replaces a range of an index's text with the given text. Positions are in bytes (0), UTF-16 code units (1) or code
/// points (2). Returns 1 if there is no such range, or it begins or ends within a character.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn index_edit(handle: usize, unit: u32, start: usize, end: usize) -> u32 {
    with_memory(|memory| match memory.open.get::<IndexedText>(handle) {
        Some(index) => u32::from(!index.edit(unit, start, end)),
        _ => 1,
    })
}

/// Answers queries about an index's text in `numbers`. The queries are the first `len` bytes of `input`, as 64-bit
/// floats. `units` is four times the unit of offsets, plus the unit of positions. `what` is 0 for the positions of
/// offsets, 1 for offsets of positions, 2 for lines and characters (of the Language Server Protocol) of offsets, 3 for
/// their offsets, 4 for lines and columns of offsets, 5 for their offsets, 6 for starts and ends of lines, 7 for the
/// same including line ends; without queries, 8 for the length, 9 for the number of lines. -1 means that there is no
/// such position.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn index_ask(handle: usize, what: u32, units: u32, len: usize) {
    with_memory(|memory| {
        let Memory { input, numbers, open, .. } = memory;
        numbers.clear();
        if let Some(index) = open.get::<IndexedText>(handle) {
            index.ask(what, units, &input[..len.min(INPUT_BYTES)], numbers);
        }
    });
}

/// Writes an index's text to `output`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn index_text(handle: usize) {
    with_memory(|memory| {
        let Memory { output, open, .. } = memory;
        output.clear();
        if let Some(index) = open.get::<IndexedText>(handle) {
            output.extend_from_slice(index.text());
        }
    });
}
