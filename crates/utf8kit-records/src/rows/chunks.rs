//! Splits an input into chunks of whole rows, which can then be processed independently.

use std::io::{self, Read};

use utf8kit_encodings::chunks::Splitter;

use super::fast_path::json_lines_by_masks;
use super::lines::JsonLines;
use super::{LONGEST_ROW, RowFormat, RowSyntax, Shape};

/// The approximate size of a chunk, in bytes.
const BYTES_PER_CHUNK: usize = 256 * 1024;

/// Up to a quote at least this far away, rows are counted as lines.
const MIN_BYTES_TO_QUOTE: usize = 1024;

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
    /// The properties that all rows of the input must share.
    pub shape: Shape,
}

/// Iterator over the chunks of an input. Concatenated, they are the input.
#[derive(Debug)]
pub struct Chunks<R> {
    syntax: RowSyntax,
    input: Splitter<R>,
    first: u64,
    /// Whether the next chunk begins within a row.
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
        Chunks::of_size(BYTES_PER_CHUNK, syntax, input)
    }

    /// Splits an input into chunks of about `size` bytes.
    pub(super) fn of_size(size: usize, syntax: RowSyntax, input: R) -> Chunks<R> {
        let input = Splitter::new(size, input).ending_with(syntax.feed, LONGEST_ROW);
        Chunks { syntax, input, first: 1, within: false, shape: Shape::default() }
    }

    /// If `live`, returns rows as soon as they arrive.
    #[must_use]
    pub fn live(self, live: bool) -> Chunks<R> {
        Chunks { input: self.input.live(live), ..self }
    }
}

/// Finds the next whole rows, or a part of a long row. `within`: the bytes begin within a row; `ended`: nothing follows
/// them.
fn whole_rows(syntax: &RowSyntax, bytes: &[u8], within: bool, ended: bool) -> Scan {
    let (mut rows, mut at, mut broken) = (0, 0, false);
    let mut json = JsonLines::default();
    while at < bytes.len() {
        let rest = &bytes[at..];
        // None of these rows is too long, and none began in an earlier chunk.
        if rest.len() <= LONGEST_ROW && (at > 0 || !within) {
            let quote = syntax.quoted_from(rest).unwrap_or(rest.len());
            let (lines, end) = match quote {
                // Before the first quote, each line is a row.
                MIN_BYTES_TO_QUOTE.. => syntax.unquoted_rows(&rest[..quote]),
                _ if quote == rest.len() => syntax.unquoted_rows(rest),
                _ if syntax.format() == RowFormat::Json => json_lines_by_masks(rest),
                _ => syntax.rows_by_masks(rest, 0),
            };
            if lines > 0 {
                (rows, at) = (rows + lines, at + end);
                continue;
            }
        }
        match syntax.next_row(bytes, at, ended, &mut json) {
            Some(row) if at == 0 && (row.cut || within) => {
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

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        let (syntax, within) = (&self.syntax, self.within);
        let scan = |bytes: &[u8], ended: bool| {
            let scan = whole_rows(syntax, bytes, within, ended);
            (scan.end, scan)
        };
        Some(self.input.next(scan)?.map(|(bytes, base, Scan { rows, broken, part, .. })| {
            if base == 0 {
                let first = self.syntax.rows(&bytes).next().map_or(0, |row| row.range.end);
                self.shape = self.syntax.shape(&bytes[..first]);
            }
            let chunk = Chunk { bytes, base, first: self.first, rows, broken, part, shape: self.shape };
            self.first += rows;
            self.within = part && rows == 0;
            chunk
        }))
    }
}
