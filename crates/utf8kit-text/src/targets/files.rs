//! Inputs repaired in chunks of rows.

use std::borrow::Cow;
use std::path::Path;

use super::RowRepair;
use crate::files::{Blocks, FileError, Sink, in_order};
use crate::rows::{Chunk, Chunks, FlawKind, RowSyntax};

/// Repairs the rows of an input in UTF-8 on so many threads; how many places of each kind there were.
///
/// # Errors
/// What keeps the input from being read (`path` names it), and what the sink says.
pub fn repair_rows<S: Sink>(
    path: &Path,
    blocks: Blocks,
    syntax: &RowSyntax,
    repair: &RowRepair<'_>,
    threads: usize,
    sink: &mut S,
) -> Result<Vec<(FlawKind, u64)>, S::Error> {
    let at = |error| FileError::io(path, error);
    let chunks = Chunks::new(syntax.clone(), blocks.into_reader().map_err(at)?);
    let work = |_: &mut (), chunk: std::io::Result<Chunk>| {
        chunk.map(|chunk| {
            let len = chunk.bytes.len() as u64;
            let mut counts = Vec::new();
            let out = repaired(chunk, syntax, repair, &mut counts);
            (out, counts, len)
        })
    };
    let mut counts = Vec::new();
    in_order(
        threads,
        chunks,
        || (),
        work,
        |done| {
            let (out, more, len) = done.map_err(at)?;
            more.into_iter().for_each(|(kind, count)| add(&mut counts, kind, count));
            sink.write(&out)?;
            sink.advance(len)
        },
    )?;
    Ok(counts)
}

/// What a chunk becomes.
fn repaired(
    chunk: Chunk,
    syntax: &RowSyntax,
    repair: &RowRepair<'_>,
    counts: &mut Vec<(FlawKind, u64)>,
) -> Vec<u8> {
    let first = chunk.base == 0;
    let mut notice = |kind| add(counts, kind, 1);
    if chunk.part {
        return repair.of_parts().repair(syntax, &chunk.bytes, first, &mut notice).into_owned();
    }
    if repair.spares(syntax, &chunk.bytes, first) {
        return chunk.bytes;
    }
    let mut out = Vec::with_capacity(chunk.bytes.len());
    for row in syntax.rows(&chunk.bytes) {
        let first = first && row.range.start == 0;
        let row = repair.repair(syntax, &chunk.bytes[row.range], first, &mut notice);
        out.extend_from_slice(match &row {
            Cow::Borrowed(row) => row,
            Cow::Owned(row) => row,
        });
    }
    out
}

fn add(counts: &mut Vec<(FlawKind, u64)>, kind: FlawKind, more: u64) {
    match counts.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, count)) => *count += more,
        None => counts.push((kind, more)),
    }
}
