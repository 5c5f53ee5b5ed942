//! Reads an input that may come slowly.

use std::io::{self, Read};

/// The first and least bytes that a read asks for.
const MIN_READ: usize = 16 * 1024;

/// The most bytes that a read asks for.
const MAX_READ: usize = 256 * 1024;

/// How much the next read of an input that may come slowly asks for: about as much as the last ones gave.
#[derive(Debug)]
pub(crate) struct ReadSize {
    size: usize,
}

impl Default for ReadSize {
    fn default() -> ReadSize {
        ReadSize { size: MIN_READ }
    }
}

impl ReadSize {
    /// Appends what one read gives to `bytes`, and returns how many bytes that is: none at the end.
    pub(crate) fn read(&mut self, input: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let read = read_once(input, self.size, bytes)?;
        if read == self.size {
            self.size = MAX_READ.min(self.size * 2);
        } else if read < self.size / 4 {
            self.size = MIN_READ.max(self.size / 2);
        }
        Ok(read)
    }
}

/// Appends what one read of at most `len` bytes gives to `bytes`, and returns how many bytes that is: none at the end.
pub(crate) fn read_once(input: &mut impl Read, len: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
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
