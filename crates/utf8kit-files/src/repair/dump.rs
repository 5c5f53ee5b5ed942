//! The repair of the values of a dump.

use std::io;

use utf8kit_records::rows::{DumpRepair, Evidence, RepairedChunk};

use super::parts::{InParts, Part};
use super::sink::Repaired;
use crate::{Blocks, DumpInput, Skip, dump_evidence};

impl InParts for DumpRepair {
    fn each<E>(
        &self,
        blocks: Blocks,
        threads: usize,
        take: impl FnMut(Part) -> Result<(), E>,
        at: impl Fn(io::Error) -> E,
    ) -> Result<(), E> {
        let work = |chunk| {
            let RepairedChunk { chunk, out, edits, counts, left, .. } = self.repair(chunk);
            Part { base: chunk.base, bytes: chunk.bytes, out, edits, done: Repaired { counts, left } }
        };
        input(self, threads).each(blocks, work, take, at)
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

/// Returns why a dump must not be repaired: its values are plausible text in another encoding, which the repair would
/// replace.
pub(super) fn loses(
    again: impl Fn() -> io::Result<Blocks>,
    repair: &DumpRepair,
    threads: usize,
) -> io::Result<Option<Skip>> {
    let Some(policy) = repair.may_lose_text() else { return Ok(None) };
    let encoding = evidence(again()?, repair, threads)?.encoding_lost_by(policy);
    Ok(encoding.map(|encoding| Skip::LegacyValues { encoding, dump: Some(repair.format()) }))
}

fn evidence(blocks: Blocks, repair: &DumpRepair, threads: usize) -> io::Result<Evidence> {
    dump_evidence(blocks, input(repair, threads), repair.fixes_mojibake())
}

fn input(repair: &DumpRepair, threads: usize) -> DumpInput {
    DumpInput::new(repair.format(), None, threads)
}
