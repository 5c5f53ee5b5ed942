//! Repairs an input in independent parts: rows, or the values of a dump.

use std::io;
use std::ops::Range;
use std::path::Path;

use utf8kit_detect::repair::Edit;

use super::sink::Repaired;
use crate::{Blocks, FileError, RepairSink};

/// A part of an input after its repair.
pub(super) struct Part {
    /// Its start in the input, in bytes.
    pub(super) base: u64,
    pub(super) bytes: Vec<u8>,
    /// The repaired bytes, unless nothing was changed.
    pub(super) out: Option<Vec<u8>>,
    /// The changes: ranges in `bytes` and in `out`.
    pub(super) edits: Vec<(Range<usize>, Range<usize>)>,
    pub(super) done: Repaired,
}

/// A repair of an input in parts.
pub(super) trait InParts {
    /// Repairs the parts of an input on all threads, and passes them to `take` in order.
    fn each<E>(
        &self,
        blocks: Blocks,
        threads: usize,
        take: impl FnMut(Part) -> Result<(), E>,
        at: impl Fn(io::Error) -> E,
    ) -> Result<(), E>;
}

/// Repairs an input into a sink.
pub(super) fn repair<S: RepairSink>(
    path: &Path,
    blocks: Blocks,
    repair: &impl InParts,
    threads: usize,
    sink: &mut S,
) -> Result<Repaired, S::Error> {
    let mut done = Repaired::default();
    let take = |part: Part| {
        done.merge(&part.done);
        pass(sink, &part)
    };
    repair.each(blocks, threads, take, |error| FileError::io(path, error).into())?;
    Ok(done)
}

/// Returns the result of a repair if it changes nothing. Stops at the first change.
pub(super) fn survey(blocks: Blocks, repair: &impl InParts, threads: usize) -> io::Result<Option<Repaired>> {
    let mut done = Repaired::default();
    let take = |part: Part| {
        done.merge(&part.done);
        if part.out.is_some() { Err(None) } else { Ok(()) }
    };
    match repair.each(blocks, threads, take, Some) {
        Ok(()) => Ok(Some(done)),
        Err(None) => Ok(None),
        Err(Some(error)) => Err(error),
    }
}

fn pass<S: RepairSink>(sink: &mut S, part: &Part) -> Result<(), S::Error> {
    let Part { base, bytes, out, edits, .. } = part;
    match out {
        None => sink.unchanged(bytes)?,
        Some(out) => {
            sink.piece(bytes);
            for (range, becomes) in edits {
                let offset = base + range.start as u64;
                let edit = Edit::new(offset, &bytes[range.clone()], &out[becomes.clone()]);
                sink.edit(edit.trimmed(u8::is_ascii));
            }
            sink.repaired(out, base + bytes.len() as u64)?;
        }
    }
    sink.advance(bytes.len() as u64)
}
