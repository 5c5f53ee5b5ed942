//! Readers and writers that convert the bytes passing through them.

use std::io::{self, BufRead, Read, Write};

use super::Converter;
use crate::error::Error;
use crate::operations::Encoding;
use alloc::vec::Vec;

/// Size of the input buffer, in bytes.
const INPUT_BUFFER_BYTES: usize = 64 * 1024;

/// A reader that converts or repairs its input. It is buffered: use it as [`BufRead`] or as [`Read`].
///
/// The first error of a strict converter is returned as [`io::ErrorKind::InvalidData`] with the [`Error`] inside, after
/// all the text before it has been read.
///
/// ```
/// use std::io::{BufRead, Read};
/// use utf8kit::{Converter, Latin1, Policy, Reader, Utf8};
/// let mut text = String::new();
/// Reader::new(&b"na\xEFve"[..], Converter::strict(Latin1, Utf8)).read_to_string(&mut text)?;
/// assert_eq!(text, "naïve");
///
/// let repaired = Reader::new(&b"one\ntw\xFFo"[..], Converter::lossy(Utf8, Utf8, Policy::REPLACE));
/// assert_eq!(repaired.lines().collect::<Result<Vec<_>, _>>()?, ["one", "tw\u{FFFD}o"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[doc(alias = "DecodeReaderBytes")]
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

impl<'p, R, S: Encoding, T: Encoding> Reader<'p, R, S, T> {
    /// Creates a reader that reads from `inner` through `converter`.
    pub fn new(inner: R, converter: Converter<'p, S, T>) -> Self {
        let input = alloc::vec![0; INPUT_BUFFER_BYTES];
        Reader { inner, converter, input, output: Vec::new(), given: 0, ended: false, error: None }
    }

    /// Returns the inner reader. Bytes read from it are missing from this one.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns the inner reader, mutably.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns the inner reader. Bytes that were read from it, but not yet from this one, are lost.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read, S: Encoding, T: Encoding> BufRead for Reader<'_, R, S, T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.given == self.output.len() {
            if let Some(error) = self.error {
                return Err(invalid_data(error));
            }
            if self.ended {
                return Ok(&[]);
            }
            let len = self.inner.read(&mut self.input)?;
            self.output.clear();
            self.given = 0;
            self.ended = len == 0;
            let result = if self.ended {
                self.converter.finish(&mut self.output)
            } else {
                self.converter.push(&self.input[..len], &mut self.output)
            };
            self.error = result.err();
        }
        Ok(&self.output[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given = self.output.len().min(self.given + amount);
    }
}

impl<R: Read, S: Encoding, T: Encoding> Read for Reader<'_, R, S, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

/// A writer that converts or repairs its input.
///
/// Call [`Writer::finish`] at the end: only then is a sequence that is incomplete there known to be an error.
///
/// ```
/// use std::io::Write;
/// use utf8kit::{Converter, Policy, Utf8, Writer};
/// let mut writer = Writer::new(Vec::new(), Converter::lossy(Utf8, Utf8, Policy::REPLACE));
/// writer.write_all(b"caf\xC3")?;
/// assert_eq!((writer.get_ref().as_slice(), writer.pending()), (&b"caf"[..], &b"\xC3"[..]));
/// assert_eq!(writer.finish()?, "caf\u{FFFD}".as_bytes());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<'p, W, S, T> {
    inner: W,
    converter: Converter<'p, S, T>,
    output: Vec<u8>,
}

impl<'p, W, S: Encoding, T: Encoding> Writer<'p, W, S, T> {
    /// Creates a writer that writes to `inner` through `converter`.
    pub fn new(inner: W, converter: Converter<'p, S, T>) -> Self {
        Writer { inner, converter, output: Vec::new() }
    }

    /// Returns the inner writer.
    pub fn get_ref(&self) -> &W {
        &self.inner
    }

    /// Returns the inner writer, mutably.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Returns the pending bytes, which need more input.
    pub fn pending(&self) -> &[u8] {
        self.converter.pending()
    }

    /// Returns the inner writer without ending the text: [`Writer::pending`] bytes are lost. See [`Writer::finish`].
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<'p, W: Write, S: Encoding, T: Encoding> Writer<'p, W, S, T> {
    /// Ends the text, flushes, and returns the inner writer.
    ///
    /// # Errors
    /// Errors of the inner writer, and [`io::ErrorKind::InvalidData`] with an [`Error`] inside.
    pub fn finish(mut self) -> io::Result<W> {
        self.pass(|converter, output| converter.finish(output))?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn pass(
        &mut self,
        push: impl FnOnce(&mut Converter<'p, S, T>, &mut Vec<u8>) -> Result<(), Error>,
    ) -> io::Result<()> {
        self.output.clear();
        let result = push(&mut self.converter, &mut self.output);
        self.inner.write_all(&self.output)?;
        result.map_err(invalid_data)
    }
}

impl<W: Write, S: Encoding, T: Encoding> Write for Writer<'_, W, S, T> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.pass(|converter, output| converter.push(buffer, output))?;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn invalid_data(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
