//! Reads an input that may arrive slowly, whole or in chunks.

use std::io::{self, Read};

use memchr::memchr;

/// The number of bytes that the first read asks for, which is the minimum.
const MIN_READ: usize = 16 * 1024;

/// The most bytes that a read asks for.
const MAX_READ: usize = 256 * 1024;

/// The number of bytes that the next read of a slow input asks for, about as many as the last reads returned.
#[derive(Debug)]
pub struct ReadSize {
    size: usize,
}

impl Default for ReadSize {
    fn default() -> ReadSize {
        ReadSize { size: MIN_READ }
    }
}

impl ReadSize {
    /// Appends the bytes of one read to `bytes`, and returns their number, which is zero at the end.
    pub fn read(&mut self, input: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let read = read_once(input, self.size, bytes)?;
        if read == self.size {
            self.size = MAX_READ.min(self.size * 2);
        } else if read < self.size / 4 {
            self.size = MIN_READ.max(self.size / 2);
        }
        Ok(read)
    }
}

/// Appends the bytes of one read of at most `len` bytes to `bytes`, and returns their number, which is zero at the end.
pub fn read_once(input: &mut impl Read, len: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let start = bytes.len();
    bytes.resize(start + len, 0);
    let read = loop {
        match input.read(&mut bytes[start..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    bytes.truncate(start + *read.as_ref().unwrap_or(&0));
    read
}

/// An input that is split into chunks. Concatenated, they are the input.
#[derive(Debug)]
pub struct Splitter<R> {
    input: R,
    /// The approximate size of a chunk, in bytes.
    size: usize,
    /// Whether the input may arrive slowly, so that each read returns the chunk that it completes.
    live: bool,
    /// A live chunk ends only once this byte has been read, or once it exceeds this many bytes.
    last: Option<(u8, usize)>,
    read_size: ReadSize,
    /// Bytes that were read and not yet returned.
    bytes: Vec<u8>,
    ended: bool,
    base: u64,
}

impl<R: Read> Splitter<R> {
    /// Splits an input into chunks of about `size` bytes.
    pub fn new(size: usize, input: R) -> Splitter<R> {
        let (read_size, bytes) = (ReadSize::default(), Vec::new());
        Splitter { input, size, live: false, last: None, read_size, bytes, ended: false, base: 0 }
    }

    /// Returns chunks as soon as the input provides them, if `live`.
    pub fn live(self, live: bool) -> Splitter<R> {
        Splitter { live, ..self }
    }

    /// Ends a chunk of a live input only once it contains `last` or has `longest` bytes.
    pub fn ending_with(self, last: u8, longest: usize) -> Splitter<R> {
        Splitter { last: Some((last, longest)), ..self }
    }

    /// Returns the next chunk, its offset in the input, and the result of `end`. `end` gets the bytes read and whether
    /// the input ends with them, and returns where the chunk ends, or 0 if more bytes are needed.
    pub fn next<T>(&mut self, mut end: impl FnMut(&[u8], bool) -> (usize, T)) -> Option<io::Result<(Vec<u8>, u64, T)>> {
        let mut wanted = self.size.saturating_sub(self.bytes.len());
        loop {
            if wanted > 0
                && !self.ended
                && let Err(error) = self.read(wanted)
            {
                (self.ended, self.bytes) = (true, Vec::new());
                return Some(Err(error));
            }
            let (end, found) = end(&self.bytes, self.ended);
            if end > 0 {
                let rest = self.bytes.split_off(end);
                let (bytes, base) = (std::mem::replace(&mut self.bytes, rest), self.base);
                self.base += end as u64;
                return Some(Ok((bytes, base, found)));
            }
            if self.ended {
                return None;
            }
            wanted = self.bytes.len().max(self.size);
        }
    }

    /// Reads `len` more bytes, or up to the end. From a live input, reads once.
    fn read(&mut self, len: usize) -> io::Result<()> {
        while self.live && !self.ended {
            let start = self.bytes.len();
            self.ended = self.read_size.read(&mut self.input, &mut self.bytes)? == 0;
            let may_end = |(last, longest)| memchr(last, &self.bytes[start..]).is_some() || self.bytes.len() > longest;
            if self.last.is_none_or(may_end) {
                return Ok(());
            }
        }
        self.bytes.reserve_exact(len);
        let read = (&mut self.input).take(len as u64).read_to_end(&mut self.bytes)?;
        self.ended = read < len;
        Ok(())
    }
}
