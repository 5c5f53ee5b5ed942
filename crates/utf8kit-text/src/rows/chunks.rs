//! An input cut into chunks of whole rows, which can then be looked at apart.

use std::io::{self, Read};

use super::{LONGEST_ROW, RowSyntax};

/// About so many bytes make a chunk.
const CHUNK: usize = 256 * 1024;

/// Up to a quote that is so far away, rows are counted as lines.
const FAR: usize = 1024;

/// Whole rows that follow each other; or a part of one that is too long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The rows.
    pub bytes: Vec<u8>,
    /// Where they begin in the input.
    pub base: u64,
    /// The number of the first row, from 1.
    pub first: u64,
    /// How many rows end in it.
    pub rows: u64,
    /// Whether a row in it has a quote that is not closed as it should be.
    pub broken: bool,
    /// Whether it is part of a row that is too long: then it holds nothing else.
    pub part: bool,
}

/// Iterator over the chunks of an input: together they are the input.
#[derive(Debug)]
pub struct Chunks<R> {
    syntax: RowSyntax,
    input: R,
    /// About so many bytes make a chunk.
    size: usize,
    /// Read, and not yet given out.
    bytes: Vec<u8>,
    ended: bool,
    base: u64,
    first: u64,
    /// Whether the row that `bytes` begins with began before.
    within: bool,
}

/// What a scan found.
struct Found {
    rows: u64,
    end: usize,
    broken: bool,
    part: bool,
}

impl<R: Read> Chunks<R> {
    /// Those of an input.
    pub fn new(syntax: RowSyntax, input: R) -> Chunks<R> {
        Chunks::of_size(CHUNK, syntax, input)
    }

    /// Those of an input, of about so many bytes each.
    pub(super) fn of_size(size: usize, syntax: RowSyntax, input: R) -> Chunks<R> {
        Chunks { syntax, input, size, bytes: Vec::new(), ended: false, base: 0, first: 1, within: false }
    }

    /// Reads so much more, or to the end.
    fn read(&mut self, len: usize) -> io::Result<()> {
        self.bytes.reserve_exact(len);
        let read = (&mut self.input).take(len as u64).read_to_end(&mut self.bytes)?;
        self.ended = read < len;
        Ok(())
    }

    /// What can be given out: whole rows, or a part of one.
    fn whole_rows(&self) -> Found {
        let (mut rows, mut at, mut broken) = (0, 0, false);
        let syntax = &self.syntax;
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            // None of these rows is too long, nor one that began before.
            if rest.len() <= LONGEST_ROW && (at > 0 || !self.within) {
                let quote = syntax.quote_from(rest, 0).unwrap_or(rest.len());
                let (lines, end) = match quote {
                    // Rows of a line each, in front of any quote.
                    FAR.. => syntax.unquoted_rows(&rest[..quote]),
                    _ if quote == rest.len() => syntax.unquoted_rows(rest),
                    _ => syntax.quick_rows(rest, 0),
                };
                if lines > 0 {
                    (rows, at) = (rows + lines, at + end);
                    continue;
                }
            }
            match syntax.next_row(&self.bytes, at, self.ended) {
                Some(row) if at == 0 && (row.cut || self.within) => {
                    return Found {
                        rows: u64::from(!row.cut),
                        end: row.range.end,
                        broken: false,
                        part: true,
                    };
                }
                Some(row) if !row.cut => {
                    (rows, at) = (rows + 1, row.range.end);
                    broken |= row.broken.is_some();
                }
                _ => break,
            }
        }
        Found { rows, end: at, broken, part: false }
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
            let Found { rows, end, broken, part } = self.whole_rows();
            if end == 0 {
                if self.ended {
                    return None;
                }
                wanted = self.bytes.len().max(self.size);
                continue;
            }
            let rest = self.bytes.split_off(end);
            let bytes = std::mem::replace(&mut self.bytes, rest);
            let chunk = Chunk { bytes, base: self.base, first: self.first, rows, broken, part };
            self.base += end as u64;
            self.first += rows;
            self.within = part && rows == 0;
            return Some(Ok(chunk));
        }
    }
}
