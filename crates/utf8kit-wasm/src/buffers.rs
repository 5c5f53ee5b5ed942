//! The memory shared between JavaScript and the library: bytes in, bytes and numbers out, and the open streams.

use std::cell::RefCell;

use utf8kit::{AnyEncoding, Converter, Error, Validator};

use crate::checker::Checker;
use crate::report;

/// The length of `input`. Bytes are copied here and read at once, so a piece should fit into a processor's cache.
pub(crate) const INPUT: usize = 256 * 1024;

/// An open stream.
pub(crate) enum Stream {
    Validator(Validator<AnyEncoding>),
    Checker(Box<Checker>),
    Converter(Converter<'static, AnyEncoding, AnyEncoding>),
}

impl Stream {
    /// Adds a piece; returns how many places of it changed. Compiled only once, as it contains every conversion.
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

/// All shared memory.
pub(crate) struct Buffers {
    pub(crate) input: Vec<u8>,
    pub(crate) output: Vec<u8>,
    pub(crate) numbers: Vec<f64>,
    pub(crate) streams: Vec<Option<Stream>>,
    /// The replacement for the next converter, as far as it was passed.
    replacement: Option<Vec<u8>>,
    /// Replacements in use. A policy borrows its text, so each distinct one is kept forever.
    replacements: Vec<&'static str>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers {
        input: vec![0; INPUT],
        output: Vec::new(),
        numbers: Vec::new(),
        streams: Vec::new(),
        replacement: None,
        replacements: Vec::new(),
    });
}

/// Runs `work` on the buffers. It must not call this function again.
pub(crate) fn with_buffers<R>(work: impl FnOnce(&mut Buffers) -> R) -> R {
    BUFFERS.with_borrow_mut(work)
}

impl Buffers {
    /// Returns the first `len` bytes of the input.
    pub(crate) fn input(&self, len: usize) -> &[u8] {
        &self.input[..len.min(INPUT)]
    }

    /// Stores a stream and returns its handle.
    pub(crate) fn open(&mut self, stream: Stream) -> usize {
        let free = self.streams.iter().position(Option::is_none).unwrap_or(self.streams.len());
        if free == self.streams.len() {
            self.streams.push(None);
        }
        self.streams[free] = Some(stream);
        free
    }

    /// Returns the stream of a handle.
    pub(crate) fn stream(&self, handle: usize) -> Option<&Stream> {
        self.streams.get(handle)?.as_ref()
    }

    /// Runs a stream and reports the result.
    pub(crate) fn advance(
        &mut self,
        handle: usize,
        work: impl FnOnce(&mut Stream, &[u8], &mut Vec<u8>) -> Result<u64, Error>,
    ) -> u32 {
        let Buffers { input, output, numbers, streams, .. } = self;
        output.clear();
        let Some(Some(stream)) = streams.get_mut(handle) else { return report(numbers, Ok(())) };
        let result = work(stream, input, output);
        let failed = report(numbers, result.map(drop));
        if let (Stream::Converter(converter), Ok(changes)) = (stream, result) {
            numbers.extend([converter.offset() as f64, changes as f64]);
        }
        failed
    }

    /// Adds the first `len` bytes of the input to the next replacement.
    pub(crate) fn add_to_replacement(&mut self, len: usize) {
        let Buffers { input, replacement, .. } = self;
        replacement.get_or_insert_default().extend_from_slice(&input[..len.min(INPUT)]);
    }

    /// Returns the replacement passed since the last call; U+FFFD if there is none or it is not UTF-8.
    pub(crate) fn take_replacement(&mut self) -> &'static str {
        let given = self.replacement.take().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(text) = given else { return "\u{FFFD}" };
        if let Some(&known) = self.replacements.iter().find(|&&known| known == text) {
            return known;
        }
        let kept: &'static str = Box::leak(text.into_boxed_str());
        self.replacements.push(kept);
        kept
    }
}
