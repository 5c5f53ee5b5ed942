//! The repair of the values of a dump.

use std::io;
use std::path::Path;

use super::sink::{Repaired, pass};
use crate::files::{Blocks, DumpInput, FileError, RepairSink, Skip, dump_evidence};
use crate::rows::{DumpRepair, Evidence, RepairedChunk};

/// Repairs a dump into a sink.
pub(super) fn repair<S: RepairSink>(
    path: &Path,
    blocks: Blocks,
    repair: &DumpRepair,
    threads: usize,
    sink: &mut S,
) -> Result<Repaired, S::Error> {
    let mut done = Repaired::default();
    let take = |repaired: RepairedChunk| {
        let RepairedChunk { chunk, out, edits, counts, left, .. } = repaired;
        done.counts.merge(&counts);
        done.left.merge(left);
        pass(sink, chunk.base, &chunk.bytes, out.as_deref(), &edits)
    };
    let at = |error| S::Error::from(FileError::io(path, error));
    input(repair, threads).each(blocks, |chunk| repair.repair(chunk), take, at)?;
    Ok(done)
}

/// Returns what the repair leaves if it changes nothing. Ends at the first change.
pub(super) fn survey(blocks: Blocks, repair: &DumpRepair, threads: usize) -> io::Result<Option<Repaired>> {
    let mut done = Repaired::default();
    let take = |chunk: RepairedChunk| {
        done.counts.merge(&chunk.counts);
        done.left.merge(chunk.left);
        if chunk.out.is_some() { Err(None) } else { Ok(()) }
    };
    match input(repair, threads).each(blocks, |chunk| repair.repair(chunk), take, Some) {
        Ok(()) => Ok(Some(done)),
        Err(None) => Ok(None),
        Err(Some(error)) => Err(error),
    }
}

/// Returns the repair with the evidence of the whole dump, if it needs it.
pub(super) fn with_evidence(
    repair: DumpRepair,
    again: impl Fn() -> io::Result<Blocks>,
    threads: usize,
) -> io::Result<DumpRepair> {
    if !repair.needs_evidence() {
        return Ok(repair);
    }
    let evidence = evidence(again()?, &repair, threads)?;
    Ok(repair.with_evidence(evidence))
}

/// Returns why a dump must not be repaired: its values read as text in another encoding, which the repair would
/// replace.
pub(super) fn loses(
    again: impl Fn() -> io::Result<Blocks>,
    repair: &DumpRepair,
    threads: usize,
) -> io::Result<Option<Skip>> {
    let Some(policy) = repair.may_lose_text() else { return Ok(None) };
    Ok(evidence(again()?, repair, threads)?.lost_by(policy).map(Skip::LegacyValues))
}

fn evidence(blocks: Blocks, repair: &DumpRepair, threads: usize) -> io::Result<Evidence> {
    dump_evidence(blocks, input(repair, threads), repair.undoubles())
}

fn input(repair: &DumpRepair, threads: usize) -> DumpInput {
    DumpInput::new(repair.format(), None, threads)
}
