//! Sparse tar members, which store only the parts between holes. The crate `tar` reads the old GNU
//! format; this module reads the three formats with PAX headers: a map in the headers (0.0 and 0.1), or before the data
//! (1.0).
//!
//! Source: the manual of GNU tar, "Storing Sparse Files".

use std::io::{self, Read};
use std::vec;

use tar::Entry;

/// The size of a record, to which the map before the data is padded.
const BYTES_PER_RECORD: usize = 512;

/// The positions of the stored parts of a member.
#[derive(Debug, Default)]
pub(super) struct Map {
    /// The name of the member.
    pub(super) name: Option<Vec<u8>>,
    /// Its size including the holes.
    pub(super) size: u64,
    /// The offset and length of each part.
    parts: Vec<(u64, u64)>,
}

impl Map {
    /// Returns the map of a sparse member. The data remains to be read.
    pub(super) fn of<R: Read>(entry: &mut Entry<'_, R>) -> io::Result<Option<Map>> {
        let Some(extensions) = entry.pax_extensions()? else { return Ok(None) };
        let (mut map, mut numbers, mut is_sparse, mut before_data) = (Map::default(), Vec::new(), false, false);
        for extension in extensions {
            let extension = extension?;
            let value = extension.value_bytes();
            match extension.key_bytes() {
                b"GNU.sparse.major" => (is_sparse, before_data) = (true, value == b"1"),
                b"GNU.sparse.name" => map.name = Some(value.to_vec()),
                b"GNU.sparse.size" | b"GNU.sparse.realsize" => {
                    (is_sparse, map.size) = (true, number(value)?);
                }
                b"GNU.sparse.offset" | b"GNU.sparse.numbytes" => numbers.push(number(value)?),
                b"GNU.sparse.map" => {
                    numbers = value.split(|&byte| byte == b',').map(number).collect::<io::Result<_>>()?;
                }
                _ => {}
            }
        }
        if !is_sparse {
            return Ok(None);
        }
        if before_data {
            let mut lines = Lines { from: entry, record: [0; BYTES_PER_RECORD], at: BYTES_PER_RECORD };
            for _ in 0..lines.next()? {
                numbers.extend([lines.next()?, lines.next()?]);
            }
        }
        let mut end = 0;
        for pair in numbers.chunks(2) {
            let &[offset, len] = pair else { return Err(damaged()) };
            let next = offset.checked_add(len).filter(|&next| offset >= end && next <= map.size);
            end = next.ok_or_else(damaged)?;
            map.parts.push((offset, len));
        }
        Ok(Some(map))
    }

    /// Returns the content of the member: its data, and zeros in the holes.
    pub(super) fn expand<R: Read>(self, data: R) -> Expanded<R> {
        Expanded { data, parts: self.parts.into_iter(), size: self.size, end: 0, zeros: 0, stored: 0 }
    }
}

fn damaged() -> io::Error {
    io::Error::other("the map of a sparse member is malformed")
}

/// Parses a decimal number.
fn number(digits: &[u8]) -> io::Result<u64> {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).ok_or_else(damaged)
}

/// Reads numbers, one per line, record by record.
struct Lines<'r, R> {
    from: &'r mut R,
    record: [u8; BYTES_PER_RECORD],
    at: usize,
}

impl<R: Read> Lines<'_, R> {
    fn next(&mut self) -> io::Result<u64> {
        let mut digits = Vec::new();
        loop {
            if self.at == BYTES_PER_RECORD {
                self.from.read_exact(&mut self.record)?;
                self.at = 0;
            }
            let byte = self.record[self.at];
            self.at += 1;
            match byte {
                b'\n' => return number(&digits),
                // The longest number has 20 digits.
                _ if digits.len() > 20 => return Err(damaged()),
                _ => digits.push(byte),
            }
        }
    }
}

/// Reads a sparse member, with zeros in its holes.
pub(super) struct Expanded<R> {
    data: R,
    parts: vec::IntoIter<(u64, u64)>,
    size: u64,
    /// The end of the current part in the member.
    end: u64,
    /// The remaining bytes of the hole before the current part, and of the part.
    zeros: u64,
    stored: u64,
}

impl<R: Read> Read for Expanded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let fitting = |left: u64| usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            if self.zeros > 0 {
                let len = fitting(self.zeros);
                buffer[..len].fill(0);
                self.zeros -= len as u64;
                return Ok(len);
            }
            if self.stored > 0 {
                let len = fitting(self.stored);
                let read = self.data.read(&mut buffer[..len])?;
                if read == 0 && len > 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                self.stored -= read as u64;
                return Ok(read);
            }
            match self.parts.next() {
                Some((offset, len)) => {
                    (self.zeros, self.stored, self.end) = (offset - self.end, len, offset + len);
                }
                None if self.end < self.size => {
                    (self.zeros, self.end) = (self.size - self.end, self.size);
                }
                None => return Ok(0),
            }
        }
    }
}
