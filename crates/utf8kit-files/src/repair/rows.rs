//! Repairs an input for a target, in chunks of whole rows.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use utf8kit_encodings::counts::Counts;
use utf8kit_records::rows::{Chunk, Chunks};
use utf8kit_records::targets::RowRepair;

use super::parts::{InParts, Part};
use super::sink::Repaired;
use crate::{Blocks, Pace, in_order};

impl InParts for RowRepair {
    fn each<E>(
        &self,
        blocks: Blocks,
        threads: usize,
        mut take: impl FnMut(Part) -> Result<(), E>,
        at: impl Fn(io::Error) -> E,
    ) -> Result<(), E> {
        let pace = blocks.pace();
        let input = blocks.into_reader().map_err(&at)?;
        let chunks = Chunks::new(self.syntax().clone(), input).live(pace == Pace::Live);
        let work = |_: &mut (), chunk: io::Result<Chunk>| chunk.map(|chunk| repaired(chunk, self));
        in_order(pace, threads, chunks, || (), work, |part| take(part.map_err(&at)?))
    }
}

fn repaired(chunk: Chunk, repair: &RowRepair) -> Part {
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
    let done = Repaired { counts, ..Repaired::default() };
    Part { base: chunk.base, bytes: chunk.bytes, out, edits, done }
}
