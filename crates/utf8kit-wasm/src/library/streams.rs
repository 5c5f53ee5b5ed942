//! The open streams, and the state of the module between calls.

use std::borrow::Cow;

use utf8kit::{AnyEncoding, Converter, Error, Validator};

use super::checker::Checker;
use super::report::report;
use crate::memory::{INPUT_BYTES, Memory};

/// An open stream.
pub(crate) enum Stream {
    Validator(Validator<AnyEncoding>),
    Checker(Box<Checker>),
    Converter(Box<Converter<'static, AnyEncoding, AnyEncoding>>),
}

impl Stream {
    /// Adds a piece; returns how many places of it changed. Compiled only once, because it contains every conversion.
    #[inline(never)]
    pub(crate) fn push(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<u64, Error> {
        let mut changes = 0;
        match self {
            Stream::Validator(validator) => validator.push(input)?,
            Stream::Checker(checker) => checker.push(input),
            Stream::Converter(converter) => converter.push_observed(input, output, |_| changes += 1)?,
        }
        Ok(changes)
    }

    /// Ends the stream.
    #[inline(never)]
    pub(crate) fn finish(&mut self, output: &mut Vec<u8>) -> Result<u64, Error> {
        let mut changes = 0;
        match self {
            Stream::Validator(validator) => validator.clone().finish().map(drop)?,
            Stream::Checker(checker) => checker.finish(),
            Stream::Converter(converter) => converter.finish_observed(output, |_| changes += 1)?,
        }
        Ok(changes)
    }
}

/// The state of the module between calls.
#[derive(Default)]
pub(crate) struct State {
    /// The replacement for the next converter, as far as it was passed.
    replacement: Option<Vec<u8>>,
}

impl State {
    /// Returns the replacement passed since the last call; U+FFFD if there is none or it is not UTF-8.
    pub(crate) fn take_replacement(&mut self) -> Cow<'static, str> {
        let given = self.replacement.take().and_then(|bytes| String::from_utf8(bytes).ok());
        given.map_or(Cow::Borrowed("\u{FFFD}"), Cow::Owned)
    }
}

impl Memory {
    /// Runs a stream and reports the result.
    pub(crate) fn advance(
        &mut self,
        handle: usize,
        work: impl FnOnce(&mut Stream, &[u8], &mut Vec<u8>) -> Result<u64, Error>,
    ) -> u32 {
        let Memory { input, output, numbers, open, .. } = self;
        output.clear();
        let Some(stream) = open.get::<Stream>(handle) else { return report(numbers, Ok(())) };
        let result = work(stream, &input[..], output);
        let failed = report(numbers, result.map(drop));
        if let (Stream::Converter(converter), Ok(changes)) = (stream, result) {
            numbers.extend([converter.offset() as f64, changes as f64]);
        }
        failed
    }

    /// Adds the first `len` bytes of the input to the next replacement.
    pub(crate) fn add_to_replacement(&mut self, len: usize) {
        let Memory { input, states, .. } = self;
        states.of::<State>().replacement.get_or_insert_default().extend_from_slice(&input[..len.min(INPUT_BYTES)]);
    }
}
