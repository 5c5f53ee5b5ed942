//! Input in pieces: whatever the pieces, the result is that of the whole.
//!
//! Everything that no further input can change is out at once; at most [`Encoding::longest`] minus one bytes are
//! kept between calls. Offsets in errors and changes count from the start of the stream.

use core::marker::PhantomData;

use crate::convert::engine::Engine;
use crate::convert::{Progress, Status};
use crate::encoding::Encoding;
use crate::error::Error;
use crate::policy::Policy;

#[cfg(feature = "alloc")]
use crate::convert::{Change, engine::Observer};
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// Bytes that wait for more.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: [u8; 8],
    len: usize,
}

impl Held {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn set(&mut self, bytes: &[u8]) {
        // A longer rest would be a bug of the engine, and must not panic.
        debug_assert!(bytes.len() < self.bytes.len());
        self.len = bytes.len().min(self.bytes.len());
        self.bytes[..self.len].copy_from_slice(&bytes[..self.len]);
    }

    /// What is held and the front of `input`, in `joined`; says how much of it is filled.
    fn join(&self, input: &[u8], joined: &mut [u8; 24]) -> usize {
        let more = input.len().min(joined.len() - self.len);
        joined[..self.len].copy_from_slice(self.as_slice());
        joined[self.len..self.len + more].copy_from_slice(&input[..more]);
        self.len + more
    }
}

/// Validates a stream.
///
/// ```
/// use utf8kit::{Utf8, Validator};
/// let mut validator = Validator::new(Utf8);
/// validator.push(b"caf\xC3")?;
/// validator.push(b"\xA9")?;
/// assert_eq!(validator.finish()?, 5);
/// # Ok::<(), utf8kit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Validator<E> {
    encoding: E,
    held: Held,
    /// Bytes dealt with, not counting those held.
    offset: u64,
    failed: Option<Error>,
}

impl<E: Encoding> Validator<E> {
    /// A validator at the start of a stream.
    #[must_use]
    pub fn new(encoding: E) -> Self {
        Validator { encoding, held: Held::default(), offset: 0, failed: None }
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// The stream's first error, as soon as no further input can take it back; every later call repeats it.
    pub fn push(&mut self, input: &[u8]) -> Result<(), Error> {
        self.take(input, false)
    }

    /// Ends the stream: its length in bytes.
    ///
    /// # Errors
    /// The stream's first error; what was held back is one now.
    pub fn finish(mut self) -> Result<u64, Error> {
        self.take(&[], true)?;
        Ok(self.offset)
    }

    /// The bytes that wait for more.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.held.as_slice()
    }

    fn take(&mut self, mut input: &[u8], last: bool) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.held.len > 0 {
            let mut joined = [0; 24];
            let len = self.held.join(input, &mut joined);
            let whole = len == self.held.len + input.len();
            let read = self.some(&joined[..len], last && whole)?;
            if read < self.held.len || whole {
                self.held.set(&joined[read..len]);
                return Ok(());
            }
            input = &input[read - self.held.len..];
            self.held.len = 0;
        }
        let read = self.some(input, last)?;
        self.held.set(&input[read..]);
        Ok(())
    }

    /// How far the input is well formed beyond doubt.
    fn some(&mut self, input: &[u8], last: bool) -> Result<usize, Error> {
        let error = crate::validate::first_error(self.encoding, input);
        let mut read = match error {
            Some(error) => error.valid_up_to(),
            None => input.len(),
        };
        if !last {
            // The last item, or the error, may change yet.
            let from = crate::boundary::floor_in(self.encoding, input, read.saturating_sub(1));
            for start in [from, read] {
                let step = self.encoding.decode(&input[start.min(input.len())..]);
                if step.is_some_and(|step| step.incomplete) {
                    self.offset += start as u64;
                    return Ok(start);
                }
            }
        }
        if let Some(error) = error {
            let error = error.moved(self.offset);
            self.failed = Some(error);
            return Err(error);
        }
        read = read.min(input.len());
        self.offset += read as u64;
        Ok(read)
    }
}

/// Converts or repairs a stream.
///
/// ```
/// use utf8kit::{Converter, Policy, Utf8, Utf16Be};
/// let mut converter = Converter::lossy(Utf8, Utf16Be, Policy::REPLACE);
/// let mut out = Vec::new();
/// converter.push(b"\xE2\x82", &mut out)?;
/// assert!(out.is_empty());
/// converter.push(b"\xAC\xFF", &mut out)?;
/// converter.finish(&mut out)?;
/// assert_eq!(out, [0x20, 0xAC, 0xFF, 0xFD]);
/// # Ok::<(), utf8kit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Converter<'p, S, T> {
    engine: Engine<'p>,
    pair: PhantomData<(S, T)>,
    held: Held,
    /// Bytes dealt with, not counting those held.
    offset: u64,
    failed: Option<Error>,
}

impl<S: Encoding, T: Encoding> Converter<'static, S, T> {
    /// A strict converter, which fails at the first error or unrepresentable value.
    #[must_use]
    pub fn strict(from: S, to: T) -> Self {
        Self::new(Engine::strict(from, to))
    }
}

impl<'p, S: Encoding, T: Encoding> Converter<'p, S, T> {
    fn new(engine: Engine<'p>) -> Self {
        Converter { engine, pair: PhantomData, held: Held::default(), offset: 0, failed: None }
    }

    /// A converter that deals with errors by a policy. With one encoding twice it repairs.
    #[must_use]
    pub fn lossy(from: S, to: T, policy: Policy<'p>) -> Self {
        Self::new(Engine::lossy(from, to, policy))
    }

    /// The bytes that wait for more: at most the longest sequence minus one; or seven, where an escape or half a
    /// surrogate pair waits for the unit behind it.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.held.as_slice()
    }

    /// How many bytes of the stream are dealt with; those pending are not.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes the next piece; appends to `out` what no further input can change.
    ///
    /// # Errors
    /// Strict converters: the stream's first error; what came before it is in `out`. Later calls repeat it.
    #[cfg(feature = "alloc")]
    pub fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        self.take(input, false, out, None)
    }

    /// The same, and tells of every change.
    ///
    /// # Errors
    /// As [`Converter::push`].
    #[cfg(feature = "alloc")]
    pub fn push_observed(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        mut observer: impl FnMut(Change<'_>),
    ) -> Result<(), Error> {
        self.take(input, false, out, Some(&mut observer))
    }

    /// Ends the stream: what was held back is dealt with as it is.
    ///
    /// # Errors
    /// As [`Converter::push`].
    #[cfg(feature = "alloc")]
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.take(&[], true, out, None)
    }

    /// The same, and tells of every change.
    ///
    /// # Errors
    /// As [`Converter::push`].
    #[cfg(feature = "alloc")]
    pub fn finish_observed(
        &mut self,
        out: &mut Vec<u8>,
        mut observer: impl FnMut(Change<'_>),
    ) -> Result<(), Error> {
        self.take(&[], true, out, Some(&mut observer))
    }

    #[cfg(feature = "alloc")]
    fn take(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        mut observer: Observer<'_>,
    ) -> Result<(), Error> {
        self.drive(input, last, |engine, input, offset, last| {
            engine.run_to_vec(input, offset, last, out, &mut observer)
        })
        .map(|_| ())
    }

    /// Takes the next piece (`last`: and it is the last) into a buffer; allocates nothing. On
    /// [`Status::OutputFull`] call again with the input from `read` on; `read` counts only bytes of `input`, and
    /// [`Status::Done`] means that all of it was taken, be it into [`Converter::pending`].
    ///
    /// ```
    /// use utf8kit::{Converter, Status, Utf8, Utf16Le};
    /// let mut converter = Converter::strict(Utf8, Utf16Le);
    /// let mut out = [0; 4];
    /// let progress = converter.push_into("aé€".as_bytes(), true, &mut out);
    /// assert_eq!((progress.read, progress.written, progress.status), (3, 4, Status::OutputFull));
    /// ```
    pub fn push_into(&mut self, input: &[u8], last: bool, out: &mut [u8]) -> Progress {
        let mut room = crate::out::Out::over(out);
        let result = self.drive(input, last, |engine, input, offset, last| {
            engine.run(input, offset, last, &mut room, &mut None)
        });
        let written = room.written();
        match result {
            Ok((read, status)) => Progress { read, written, status },
            Err(error) => Progress { read: 0, written, status: Status::Error(error) },
        }
    }

    /// Runs the engine over what is held with the front of the input, then over the rest. How much of `input`
    /// was taken, and whether all of it.
    fn drive(
        &mut self,
        mut input: &[u8],
        last: bool,
        mut run: impl FnMut(&mut Engine<'p>, &[u8], u64, bool) -> Progress,
    ) -> Result<(usize, Status), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut taken = 0;
        while self.held.len > 0 {
            let mut joined = [0; 24];
            let len = self.held.join(input, &mut joined);
            let whole = len == self.held.len + input.len();
            let progress = run(&mut self.engine, &joined[..len], self.offset, last && whole);
            self.offset += progress.read as u64;
            let stuck = progress.status;
            if let Status::Error(error) = stuck {
                self.failed = Some(error);
                return Err(error);
            }
            if progress.read >= self.held.len {
                // Into the input's own bytes.
                let step = progress.read - self.held.len;
                taken += step;
                input = &input[step..];
                self.held.len = 0;
                if stuck == Status::OutputFull {
                    return Ok((taken, stuck));
                }
            } else {
                let rest = len - progress.read;
                if stuck == Status::OutputFull {
                    let held = self.held;
                    self.held.set(&held.as_slice()[progress.read..]);
                    return Ok((taken, stuck));
                }
                // Unfinished still: all input there was is in it.
                self.held.set(&joined[len - rest..len]);
                return Ok((taken + input.len(), Status::Done));
            }
        }
        let progress = run(&mut self.engine, input, self.offset, last);
        self.offset += progress.read as u64;
        match progress.status {
            Status::Error(error) => {
                self.failed = Some(error);
                Err(error)
            }
            Status::OutputFull => Ok((taken + progress.read, Status::OutputFull)),
            Status::Done | Status::InputIncomplete => {
                self.held.set(&input[progress.read..]);
                Ok((taken + input.len(), Status::Done))
            }
        }
    }
}

/// Text that arrives in arbitrary pieces: each push gives the `&str` that is certain so far.
///
/// ```
/// use utf8kit::TextStream;
/// let mut text = TextStream::lossy();
/// assert_eq!(text.push(b"caf\xC3")?, "caf");
/// assert_eq!(text.pending(), b"\xC3");
/// assert_eq!(text.push(b"\xA9!\xF0")?, "é!");
/// assert_eq!(text.finish()?, "\u{FFFD}");
/// # Ok::<(), utf8kit::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct TextStream {
    converter: Converter<'static, crate::encoding::Utf8, crate::encoding::Utf8>,
    text: String,
}

#[cfg(feature = "alloc")]
impl TextStream {
    /// Fails at the first error.
    #[must_use]
    #[inline]
    pub fn strict() -> Self {
        use crate::encoding::Utf8;
        TextStream { converter: Converter::strict(Utf8, Utf8), text: String::new() }
    }

    /// Puts U+FFFD in place of errors.
    #[must_use]
    #[inline]
    pub fn lossy() -> Self {
        use crate::encoding::Utf8;
        TextStream { converter: Converter::lossy(Utf8, Utf8, Policy::REPLACE), text: String::new() }
    }

    /// Takes a piece; the text that it completes.
    ///
    /// # Errors
    /// Strict streams: the first error. The text before it, in the same piece, is [`TextStream::text`].
    #[inline]
    pub fn push(&mut self, input: &[u8]) -> Result<&str, Error> {
        self.take(input, false)
    }

    /// Ends the stream: the text that is left.
    ///
    /// # Errors
    /// Strict streams: what was pending is an error now.
    #[inline]
    pub fn finish(&mut self) -> Result<&str, Error> {
        self.take(&[], true)
    }

    /// What the last call gave, or would have given but for its error.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes that wait for more (at most three).
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.converter.pending()
    }

    #[inline]
    fn take(&mut self, input: &[u8], last: bool) -> Result<&str, Error> {
        let text = &mut self.text;
        text.clear();
        let result = self.converter.drive(input, last, |engine, input, offset, last| {
            engine.run_to_string(input, offset, last, text)
        });
        result.map(|_| self.text.as_str())
    }
}

/// A reader that converts or repairs what it reads.
///
/// Strict: the first error comes as [`std::io::ErrorKind::InvalidData`] with the [`Error`] inside, after all text
/// before it was read.
///
/// ```
/// use std::io::Read;
/// use utf8kit::{Converter, Latin1, Reader, Utf8};
/// let mut text = String::new();
/// Reader::new(&b"na\xEFve"[..], Converter::strict(Latin1, Utf8)).read_to_string(&mut text)?;
/// assert_eq!(text, "naïve");
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Reader<'p, R, S, T> {
    inner: R,
    converter: Converter<'p, S, T>,
    input: Vec<u8>,
    output: Vec<u8>,
    given: usize,
    ended: bool,
    error: Option<Error>,
}

#[cfg(feature = "std")]
impl<'p, R: std::io::Read, S: Encoding, T: Encoding> Reader<'p, R, S, T> {
    /// Reads from `inner` through `converter`.
    pub fn new(inner: R, converter: Converter<'p, S, T>) -> Self {
        let input = alloc::vec![0; 64 * 1024];
        Reader { inner, converter, input, output: Vec::new(), given: 0, ended: false, error: None }
    }

    /// The reader underneath.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read, S: Encoding, T: Encoding> std::io::Read for Reader<'_, R, S, T> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.output.len() && !buffer.is_empty() {
            if let Some(error) = self.error {
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, error));
            }
            if self.ended {
                return Ok(0);
            }
            self.output.clear();
            self.given = 0;
            let len = self.inner.read(&mut self.input)?;
            self.ended = len == 0;
            let result = if self.ended {
                self.converter.finish(&mut self.output)
            } else {
                self.converter.push(&self.input[..len], &mut self.output)
            };
            self.error = result.err();
        }
        let len = buffer.len().min(self.output.len() - self.given);
        buffer[..len].copy_from_slice(&self.output[self.given..self.given + len]);
        self.given += len;
        Ok(len)
    }
}

/// A writer that converts or repairs what is written to it. Call [`Writer::finish`] at the end: a sequence cut off
/// there is only then known to be one.
///
/// ```
/// use std::io::Write;
/// use utf8kit::{Converter, Policy, Utf8, Writer};
/// let mut writer = Writer::new(Vec::new(), Converter::lossy(Utf8, Utf8, Policy::REPLACE));
/// writer.write_all(b"caf\xC3")?;
/// assert_eq!(writer.finish()?, "caf\u{FFFD}".as_bytes());
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Writer<'p, W, S, T> {
    inner: W,
    converter: Converter<'p, S, T>,
    output: Vec<u8>,
}

#[cfg(feature = "std")]
impl<'p, W: std::io::Write, S: Encoding, T: Encoding> Writer<'p, W, S, T> {
    /// Writes to `inner` through `converter`.
    pub fn new(inner: W, converter: Converter<'p, S, T>) -> Self {
        Writer { inner, converter, output: Vec::new() }
    }

    /// Ends the text and flushes; the writer underneath.
    ///
    /// # Errors
    /// Those of the writer underneath, and [`std::io::ErrorKind::InvalidData`] with an [`Error`] inside.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.pass(|converter, output| converter.finish(output))?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn pass(
        &mut self,
        push: impl FnOnce(&mut Converter<'p, S, T>, &mut Vec<u8>) -> Result<(), Error>,
    ) -> std::io::Result<()> {
        self.output.clear();
        let result = push(&mut self.converter, &mut self.output);
        self.inner.write_all(&self.output)?;
        result.map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error))
    }
}

#[cfg(feature = "std")]
impl<W: std::io::Write, S: Encoding, T: Encoding> std::io::Write for Writer<'_, W, S, T> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        self.pass(|converter, output| converter.push(buffer, output))?;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
