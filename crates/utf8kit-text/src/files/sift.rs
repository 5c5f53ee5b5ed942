//! Separates good rows from bad ones.

use std::io;
use std::path::Path;

use crate::files::buffers::Buffers;
use crate::files::{Blocks, FileError, Pace, in_order};
use crate::judge::{BadRow, Judge, Judged, Verdict};
use crate::rows::{Chunk, Chunks, Header, Places, RowPlace, RowSyntax};

/// Receives rows, in the order of the input.
pub trait RowSink {
    /// Why it accepts no more rows.
    type Error: From<FileError>;

    /// Called before the rows of a chunk, good and bad ones.
    ///
    /// # Errors
    /// An error ends the work.
    fn begin(&mut self, judged: &Judged) -> Result<(), Self::Error> {
        let _ = judged;
        Ok(())
    }

    /// Called after the rows of a chunk, with their length in bytes.
    ///
    /// # Errors
    /// An error ends the work.
    fn advance(&mut self, bytes: u64) -> Result<(), Self::Error> {
        let _ = bytes;
        Ok(())
    }

    /// Receives good rows and what they are converted to, which is the same if rows are not converted.
    ///
    /// # Errors
    /// An error ends the work.
    fn good(&mut self, rows: &[u8], becomes: &[u8]) -> Result<(), Self::Error>;

    /// Receives a bad row, or a part of a row that is too long.
    ///
    /// # Errors
    /// An error ends the work.
    fn bad(&mut self, row: &BadRow<'_>) -> Result<(), Self::Error>;
}

/// Judges all rows of an input on `threads` threads, and passes them to a sink.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
pub fn sift<S: RowSink>(
    path: &Path,
    blocks: Blocks,
    judge: &Judge,
    threads: usize,
    sink: &mut S,
) -> Result<(), S::Error> {
    let at = |error| FileError::io(path, error);
    let pace = blocks.pace();
    let chunks =
        Chunks::new(judge.syntax().clone(), blocks.into_reader().map_err(at)?).live(pace == Pace::Live);
    let buffers = Buffers::default();
    let (mut header, mut within) = (Header::default(), false);
    let work = |_: &mut (), chunk: io::Result<_>| {
        let mut out = buffers.take();
        out.clear();
        chunk.map(|chunk| judge.judge(chunk, out))
    };
    in_order(
        pace,
        threads,
        chunks,
        || (),
        work,
        |judged| {
            let judged = judged.map_err(at)?;
            if let Some(first) = header_of(judge.syntax(), &judged.chunk) {
                header = first;
            }
            give(&judged, judge, &header, within, sink)?;
            within = judged.chunk.part && judged.chunk.rows == 0;
            sink.advance(judged.chunk.bytes.len() as u64)?;
            buffers.give(judged.out);
            Ok(())
        },
    )
}

/// Returns the header that an input begins with, if this is its first chunk.
fn header_of(syntax: &RowSyntax, chunk: &Chunk) -> Option<Header> {
    let first = syntax.rows(&chunk.bytes).next().filter(|_| chunk.base == 0)?;
    Some(Header::of(syntax, &chunk.bytes[first.range]))
}

/// Passes the rows of a chunk to a sink.
fn give<S: RowSink>(
    judged: &Judged,
    judge: &Judge,
    header: &Header,
    continues: bool,
    sink: &mut S,
) -> Result<(), S::Error> {
    let Judged { chunk, verdicts, out, .. } = judged;
    sink.begin(judged)?;
    let out = if judge.converts() { out } else { &chunk.bytes };
    if verdicts.is_empty() {
        return sink.good(&chunk.bytes, out);
    }
    let mut number = chunk.first;
    for verdict in verdicts {
        match verdict {
            Verdict::Good { range, out: becomes } => {
                let rows = &chunk.bytes[range.clone()];
                sink.good(rows, &out[if judge.converts() { becomes } else { range }.clone()])?;
                number += judge.syntax().rows(rows).count() as u64;
            }
            Verdict::Bad { range, broken } => {
                let row = BadRow {
                    number,
                    offset: chunk.base + range.start as u64,
                    bytes: &chunk.bytes[range.clone()],
                    part: chunk.part.then_some(chunk.rows > 0),
                    continues,
                    broken: broken.map(|at| at - range.start),
                    shape: chunk.shape,
                    judge,
                    header,
                };
                sink.bad(&row)?;
                number += 1;
            }
        }
    }
    Ok(())
}

/// Returns the row and field of a byte of an input. `None` if the input is shorter.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn place_of(blocks: Blocks, syntax: &RowSyntax, offset: u64) -> io::Result<Option<RowPlace>> {
    let mut header = Header::default();
    for chunk in Chunks::new(syntax.clone(), blocks.into_reader()?) {
        let chunk = chunk?;
        header = header_of(syntax, &chunk).unwrap_or(header);
        let Chunk { bytes, base, first, .. } = chunk;
        let at = usize::try_from(offset - base).unwrap_or(usize::MAX);
        if at >= bytes.len() {
            continue;
        }
        let mut rows = (first..).zip(syntax.rows(&bytes));
        let Some((number, row)) = rows.find(|(_, row)| row.range.end > at) else { break };
        let places = &mut Places::new(syntax, &header, number, &bytes[row.range.clone()]);
        return Ok(Some(places.at(at - row.range.start)));
    }
    Ok(None)
}
