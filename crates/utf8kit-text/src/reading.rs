//! Reads an input that may come slowly.

use std::io::{self, Read};

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
