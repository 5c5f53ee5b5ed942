//! What lies between JavaScript and the library: bytes in, bytes and numbers out, and the streams that are open.

use std::cell::RefCell;

use utf8kit::{AnyEncoding, Converter, Error, Validator};

use crate::checker::Checker;
use crate::report;

/// The length of `input`. Bytes are copied here and read at once: a piece should fit a processor's cache.
pub(crate) const INPUT: usize = 256 * 1024;

/// A stream that is open.
pub(crate) enum Stream {
    Validator(Validator<AnyEncoding>),
    Checker(Box<Checker>),
    Converter(Converter<'static, AnyEncoding, AnyEncoding>),
}

impl Stream {
    /// Takes a piece; how many places of it changed.
    pub(crate) fn push(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<u64, Error> {
        let mut changes = 0;
        match self {
            Stream::Validator(validator) => validator.push(input)?,
            Stream::Checker(checker) => checker.push(input),
            Stream::Converter(converter) => converter.push_observed(input, output, |_| changes += 1)?,
        }
        Ok(changes)
    }

    /// The stream is over.
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

/// All of it.
pub(crate) struct Desk {
    pub(crate) input: Vec<u8>,
    pub(crate) output: Vec<u8>,
    pub(crate) numbers: Vec<f64>,
    pub(crate) streams: Vec<Option<Stream>>,
    /// The texts that policies put in the place of errors, each kept once and for good.
    replacements: Vec<&'static str>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk {
        input: vec![0; INPUT],
        output: Vec::new(),
        numbers: Vec::new(),
        streams: Vec::new(),
        replacements: Vec::new(),
    });
}

/// Works at the desk. No function that is called in here comes back to it.
pub(crate) fn with_desk<R>(work: impl FnOnce(&mut Desk) -> R) -> R {
    DESK.with_borrow_mut(work)
}

impl Desk {
    /// The first bytes of the input.
    pub(crate) fn input(&self, len: usize) -> &[u8] {
        &self.input[..len.min(INPUT)]
    }

    /// Keeps a stream, and says by which handle.
    pub(crate) fn open(&mut self, stream: Stream) -> usize {
        let free = self.streams.iter().position(Option::is_none).unwrap_or(self.streams.len());
        if free == self.streams.len() {
            self.streams.push(None);
        }
        self.streams[free] = Some(stream);
        free
    }

    /// The stream of a handle.
    pub(crate) fn stream(&self, handle: usize) -> Option<&Stream> {
        self.streams.get(handle)?.as_ref()
    }

    /// Lets a stream work, and reports.
    pub(crate) fn advance(
        &mut self,
        handle: usize,
        work: impl FnOnce(&mut Stream, &[u8], &mut Vec<u8>) -> Result<u64, Error>,
    ) -> u32 {
        let Desk { input, output, numbers, streams, .. } = self;
        output.clear();
        let Some(Some(stream)) = streams.get_mut(handle) else { return report(numbers, Ok(())) };
        let result = work(stream, input, output);
        let failed = report(numbers, result.map(drop));
        if let (Stream::Converter(converter), Ok(changes)) = (stream, result) {
            numbers.extend([converter.offset() as f64, changes as f64]);
        }
        failed
    }

    /// The replacement that is the first `len` bytes of the input.
    pub(crate) fn replacement(&mut self, len: usize) -> &'static str {
        let text = str::from_utf8(self.input(len)).unwrap_or("\u{FFFD}");
        if let Some(&known) = self.replacements.iter().find(|&&known| known == text) {
            return known;
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        self.replacements.push(kept);
        kept
    }
}
