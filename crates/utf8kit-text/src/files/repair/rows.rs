//! The repair of an input for a target, in chunks of whole rows.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::sink::{Repaired, pass};
use crate::counts::Counts;
use crate::files::{Blocks, FileError, Pace, RepairSink, in_order};
use crate::rows::{Chunk, Chunks};
use crate::targets::RowRepair;

/// Repairs rows into a sink.
pub(super) fn repair<S: RepairSink>(
    path: &Path,
    blocks: Blocks,
    repair: &RowRepair,
    threads: usize,
    sink: &mut S,
) -> Result<Repaired, S::Error> {
    let mut done = Repaired::default();
    let take = |RepairedRows { chunk, out, edits, counts }: RepairedRows| {
        done.counts.merge(&counts);
        pass(sink, chunk.base, &chunk.bytes, out.as_deref(), &edits)
    };
    each(blocks, repair, threads, take, |error| FileError::io(path, error).into())?;
    Ok(done)
}

/// Reports whether the repair changes anything. Ends at the first change.
pub(super) fn survey(blocks: Blocks, repair: &RowRepair, threads: usize) -> io::Result<bool> {
    let take = |rows: RepairedRows| if rows.out.is_some() { Err(None) } else { Ok(()) };
    match each(blocks, repair, threads, take, Some) {
        Ok(()) => Ok(false),
        Err(None) => Ok(true),
        Err(Some(error)) => Err(error),
    }
}

/// Repairs the chunks of an input on all threads, and passes them to `take` in order.
fn each<E>(
    blocks: Blocks,
    repair: &RowRepair,
    threads: usize,
    mut take: impl FnMut(RepairedRows) -> Result<(), E>,
    at: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    let pace = blocks.pace();
    let input = blocks.into_reader().map_err(&at)?;
    let chunks = Chunks::new(repair.syntax().clone(), input).live(pace == Pace::Live);
    let work = |_: &mut (), chunk: io::Result<Chunk>| chunk.map(|chunk| RepairedRows::of(chunk, repair));
    in_order(pace, threads, chunks, || (), work, |rows| take(rows.map_err(&at)?))
}

/// A chunk after its repair.
struct RepairedRows {
    chunk: Chunk,
    /// The repaired rows, unless nothing was changed.
    out: Option<Vec<u8>>,
    /// The rows that were changed: where they are in the chunk, and in `out`.
    edits: Vec<(Range<usize>, Range<usize>)>,
    counts: Counts,
}

impl RepairedRows {
    fn of(chunk: Chunk, repair: &RowRepair) -> RepairedRows {
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
        RepairedRows { chunk, out, edits, counts }
    }
}
