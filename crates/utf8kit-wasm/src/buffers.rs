//! The memory shared between JavaScript and the library: bytes in, bytes and numbers out, and the open streams.

use std::borrow::Cow;
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
    /// Handles of closed streams, which are given out again.
    free: Vec<usize>,
    /// The replacement for the next converter, as far as it was passed.
    replacement: Option<Vec<u8>>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers {
        input: vec![0; INPUT],
        output: Vec::new(),
        numbers: Vec::new(),
        streams: Vec::new(),
        free: Vec::new(),
        replacement: None,
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
        if let Some(handle) = self.free.pop() {
            self.streams[handle] = Some(stream);
            return handle;
        }
        self.streams.push(Some(stream));
        self.streams.len() - 1
    }

    /// Closes the stream of a handle, if it is open.
    pub(crate) fn close(&mut self, handle: usize) {
        if self.streams.get_mut(handle).is_some_and(|stream| stream.take().is_some()) {
            self.free.push(handle);
        }
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
    pub(crate) fn take_replacement(&mut self) -> Cow<'static, str> {
        let given = self.replacement.take().and_then(|bytes| String::from_utf8(bytes).ok());
        given.map_or(Cow::Borrowed("\u{FFFD}"), Cow::Owned)
    }
}
