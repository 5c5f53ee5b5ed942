//! Separates good rows from bad ones.

use std::io;
use std::path::Path;

use utf8kit_records::RowSink;
use utf8kit_records::rows::{Chunk, Chunks, Header, Places, RowPlace, RowSyntax};
use utf8kit_records::validator::RowValidator;

use crate::buffers::Buffers;
use crate::{Blocks, FileError, Pace, in_order};

/// Validates all rows of an input on `threads` threads, and passes them to a sink.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
pub fn validate_rows<S: RowSink>(
    path: &Path,
    blocks: Blocks,
    validator: &RowValidator,
    threads: usize,
    sink: &mut S,
) -> Result<(), S::Error>
where
    S::Error: From<FileError>,
{
    let at = |error| FileError::io(path, error);
    let pace = blocks.pace();
    let chunks = Chunks::new(validator.syntax().clone(), blocks.into_reader().map_err(at)?).live(pace == Pace::Live);
    let buffers = Buffers::default();
    let (mut header, mut within) = (Header::default(), false);
    let work = |_: &mut (), chunk: io::Result<_>| {
        let mut out = buffers.take();
        out.clear();
        chunk.map(|chunk| validator.validate(chunk, out))
    };
    in_order(
        pace,
        threads,
        chunks,
        || (),
        work,
        |checked| {
            let checked = checked.map_err(at)?;
            if let Some(first) = header_of(validator.syntax(), &checked.chunk) {
                header = first;
            }
            checked.pass_to(validator, &header, within, sink)?;
            within = checked.chunk.part && checked.chunk.rows == 0;
            sink.advance(checked.chunk.bytes.len() as u64)?;
            buffers.give(checked.out);
            Ok(())
        },
    )
}

/// Returns the header that an input begins with, if this is its first chunk.
fn header_of(syntax: &RowSyntax, chunk: &Chunk) -> Option<Header> {
    let first = syntax.rows(&chunk.bytes).next().filter(|_| chunk.base == 0)?;
    Some(Header::of(syntax, &chunk.bytes[first.range]))
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
