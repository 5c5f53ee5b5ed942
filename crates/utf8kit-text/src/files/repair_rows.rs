//! The repair of an input for a target, in chunks of whole rows.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::counts::Counts;
use crate::files::{Blocks, FileError, Pace, RepairSink, in_order};
use crate::repair::Edit;
use crate::rows::{Chunk, Chunks};
use crate::targets::RowRepair;

/// Repairs the rows of a UTF-8 input on so many threads, and returns what was repaired.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
pub fn repair_rows<S: RepairSink>(
    path: &Path,
    blocks: Blocks,
    repair: &RowRepair,
    threads: usize,
    sink: &mut S,
) -> Result<Counts, S::Error> {
    let at = |error| FileError::io(path, error);
    let pace = blocks.pace();
    let chunks =
        Chunks::new(repair.syntax().clone(), blocks.into_reader().map_err(at)?).live(pace == Pace::Live);
    let mut counts = Counts::default();
    let work = |_: &mut (), chunk: io::Result<Chunk>| chunk.map(|chunk| Repaired::of(chunk, repair));
    in_order(
        pace,
        threads,
        chunks,
        || (),
        work,
        |repaired| {
            let Repaired { chunk, out, edits, counts: more } = repaired.map_err(at)?;
            counts.merge(&more);
            match out {
                None => sink.unchanged(&chunk.bytes)?,
                Some(out) => {
                    sink.piece(&chunk.bytes);
                    for (row, becomes) in edits {
                        let offset = chunk.base + row.start as u64;
                        let edit = Edit { offset, before: &chunk.bytes[row], after: &out[becomes] };
                        sink.edit(edit.trimmed(u8::is_ascii));
                    }
                    sink.repaired(&out, chunk.base + chunk.bytes.len() as u64)?;
                }
            }
            sink.advance(chunk.bytes.len() as u64)
        },
    )?;
    Ok(counts)
}

/// Returns whether [`repair_rows`] would change an input. Ends at the first change.
///
/// # Errors
/// An error if the input cannot be read.
pub fn rows_need_repair(blocks: Blocks, repair: &RowRepair, threads: usize) -> io::Result<bool> {
    let chunks = Chunks::new(repair.syntax().clone(), blocks.into_reader()?);
    let work = |_: &mut (), chunk: io::Result<Chunk>| {
        chunk.map(|chunk| Repaired::of(chunk, repair).out.is_some()).map_err(Some)
    };
    let untouched = in_order(
        Pace::Full,
        threads,
        chunks,
        || (),
        work,
        |changed| if changed? { Err(None) } else { Ok(()) },
    );
    match untouched {
        Ok(()) => Ok(false),
        Err(None) => Ok(true),
        Err(Some(error)) => Err(error),
    }
}

/// A chunk after its repair.
struct Repaired {
    chunk: Chunk,
    /// The repaired rows, unless nothing was changed.
    out: Option<Vec<u8>>,
    /// The rows that were changed: where they are in the chunk, and in `out`.
    edits: Vec<(Range<usize>, Range<usize>)>,
    counts: Counts,
}

impl Repaired {
    fn of(chunk: Chunk, repair: &RowRepair) -> Repaired {
        let first = chunk.base == 0;
        let (mut out, mut edits, mut counts) = (Vec::new(), Vec::new(), Counts::default());
        if chunk.part || !repair.leaves_unchanged(&chunk.bytes, first) {
            let mut put = |range: Range<usize>, row: Cow<'_, [u8]>| {
                let start = out.len();
                out.extend_from_slice(&row);
                if chunk.bytes[range.clone()] != *row {
                    edits.push((range, start..out.len()));
                }
            };
            if chunk.part {
                put(0..chunk.bytes.len(), repair.of_parts().repair(&chunk.bytes, first, &mut counts));
            } else {
                for row in repair.syntax().rows(&chunk.bytes) {
                    let (range, first) = (row.range.clone(), first && row.range.start == 0);
                    put(range, repair.repair(&chunk.bytes[row.range], first, &mut counts));
                }
            }
        }
        let out = (!edits.is_empty()).then_some(out);
        Repaired { chunk, out, edits, counts }
    }
}
