//! Splits an input into chunks of whole rows, which can then be processed independently.

use std::io::{self, Read};

use memchr::memchr;

use super::document::JsonLines;
use super::quick::quick_json_lines;
use super::{LONGEST_ROW, RowFormat, RowSyntax, Shape};
use crate::reading::ReadSize;

/// The approximate size of a chunk, in bytes.
const CHUNK: usize = 256 * 1024;

/// Up to a quote at least this far away, rows are counted as lines.
const FAR: usize = 1024;

/// Consecutive whole rows, or a part of a row that is too long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// The rows.
    pub bytes: Vec<u8>,
    /// Where they begin in the input, in bytes.
    pub base: u64,
    /// The number of the first row, from 1.
    pub first: u64,
    /// Number of rows that end in the chunk.
    pub rows: u64,
    /// Whether the chunk has a row with a quote that is not closed properly.
    pub broken: bool,
    /// Whether the chunk is a part of a row that is too long, and nothing else.
    pub part: bool,
    /// What all rows of the input must have in common.
    pub shape: Shape,
}

/// Iterator over the chunks of an input. Concatenated, they are the input.
#[derive(Debug)]
pub struct Chunks<R> {
    syntax: RowSyntax,
    input: R,
    /// The approximate size of a chunk, in bytes.
    size: usize,
    /// Whether the input may come slowly, so that each read gives the rows that it completes.
    live: bool,
    read_size: ReadSize,
    /// Bytes that were read and not yet returned.
    bytes: Vec<u8>,
    ended: bool,
    base: u64,
    first: u64,
    /// Whether `bytes` begins within a row.
    within: bool,
    shape: Shape,
}

/// The result of a scan.
struct Scan {
    rows: u64,
    end: usize,
    broken: bool,
    part: bool,
}

impl<R: Read> Chunks<R> {
    /// Splits an input into chunks.
    pub fn new(syntax: RowSyntax, input: R) -> Chunks<R> {
        Chunks::of_size(CHUNK, syntax, input)
    }

    /// Splits an input into chunks of about `size` bytes.
    pub(super) fn of_size(size: usize, syntax: RowSyntax, input: R) -> Chunks<R> {
        Chunks {
            syntax,
            input,
            size,
            live: false,
            read_size: ReadSize::default(),
            bytes: Vec::new(),
            ended: false,
            base: 0,
            first: 1,
            within: false,
            shape: Shape::default(),
        }
    }

    /// Returns rows as soon as the input gives them, if `live`.
    #[must_use]
    pub fn live(self, live: bool) -> Chunks<R> {
        Chunks { live, ..self }
    }

    /// Reads `len` more bytes, or up to the end; of a live input, at least up to something that may end a row.
    fn read(&mut self, len: usize) -> io::Result<()> {
        while self.live && !self.ended {
            let start = self.bytes.len();
            self.ended = self.read_size.read(&mut self.input, &mut self.bytes)? == 0;
            if memchr(self.syntax.feed, &self.bytes[start..]).is_some() || self.bytes.len() > LONGEST_ROW {
                return Ok(());
            }
        }
        self.bytes.reserve_exact(len);
        let read = (&mut self.input).take(len as u64).read_to_end(&mut self.bytes)?;
        self.ended = read < len;
        Ok(())
    }

    /// Finds what can be returned: whole rows, or a part of one.
    fn whole_rows(&self) -> Scan {
        let (mut rows, mut at, mut broken) = (0, 0, false);
        let (syntax, mut json) = (&self.syntax, JsonLines::default());
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            // None of these rows is too long, and none began in an earlier chunk.
            if rest.len() <= LONGEST_ROW && (at > 0 || !self.within) {
                let quote = syntax.quoted_from(rest).unwrap_or(rest.len());
                let (lines, end) = match quote {
                    // Before the first quote, each line is a row.
                    FAR.. => syntax.unquoted_rows(&rest[..quote]),
                    _ if quote == rest.len() => syntax.unquoted_rows(rest),
                    _ if syntax.format() == RowFormat::Json => quick_json_lines(rest),
                    _ => syntax.quick_rows(rest, 0),
                };
                if lines > 0 {
                    (rows, at) = (rows + lines, at + end);
                    continue;
                }
            }
            match syntax.next_row(&self.bytes, at, self.ended, &mut json) {
                Some(row) if at == 0 && (row.cut || self.within) => {
                    return Scan { rows: u64::from(!row.cut), end: row.range.end, broken: false, part: true };
                }
                Some(row) if !row.cut => {
                    (rows, at) = (rows + 1, row.range.end);
                    broken |= row.broken.is_some();
                }
                _ => break,
            }
        }
        Scan { rows, end: at, broken, part: false }
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut wanted = self.size.saturating_sub(self.bytes.len());
        loop {
            if wanted > 0
                && !self.ended
                && let Err(error) = self.read(wanted)
            {
                (self.ended, self.bytes) = (true, Vec::new());
                return Some(Err(error));
            }
            let Scan { rows, end, broken, part } = self.whole_rows();
            if end == 0 {
                if self.ended {
                    return None;
                }
                wanted = self.bytes.len().max(self.size);
                continue;
            }
            let rest = self.bytes.split_off(end);
            let bytes = std::mem::replace(&mut self.bytes, rest);
            if self.base == 0 {
                let first = self.syntax.rows(&bytes).next().map_or(0, |row| row.range.end);
                self.shape = self.syntax.shape(&bytes[..first]);
            }
            let shape = self.shape;
            let chunk = Chunk { bytes, base: self.base, first: self.first, rows, broken, part, shape };
            self.base += end as u64;
            self.first += rows;
            self.within = part && rows == 0;
            return Some(Ok(chunk));
        }
    }
}
