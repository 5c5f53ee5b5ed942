//! Finds the block of a position, and counts within it.

use super::tally::{Find, Passed, Stop, Tally, Walk, Wanted};
use super::{BLOCK, Block, CHUNK, Chunk, TextIndex};
use crate::dispatch;
use crate::position::ColumnUnit;
use crate::scalar::marks::Scan;

/// A part of the text, by what lies before its start and before its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Section {
    pub(super) start: Tally,
    pub(super) end: Tally,
}

impl TextIndex {
    /// Returns the last block whose count before it is at most `most`.
    #[inline]
    pub(super) fn block(&self, count: impl Fn(&Tally) -> usize, most: usize) -> Section {
        let chunks = &self.chunks;
        let behind = chunks.partition_point(|chunk| count(&chunk.before) <= most);
        let Some((chunk, next)) =
            behind.checked_sub(1).and_then(|at| Some((chunks.get(at)?, chunks.get(at + 1))))
        else {
            return Section { start: Tally::default(), end: self.total };
        };
        let within = most - count(&chunk.before);
        let block = chunk.blocks.partition_point(|block| count(&block.tally()) <= within);
        let end = match chunk.blocks.get(block) {
            Some(next) => chunk.before.plus(&next.tally()),
            None => next.map_or(self.total, |next: &Chunk| next.before),
        };
        let start = block.checked_sub(1).and_then(|at| chunk.blocks.get(at)).copied().unwrap_or_default();
        Section { start: chunk.before.plus(&Block::tally(start)), end }
    }

    /// Returns the block that a byte is in: where it would be if nothing had been edited, or else by a search.
    #[inline]
    pub(super) fn block_of_byte(&self, offset: usize) -> Section {
        let chunk = offset / CHUNK;
        let Some((here, next)) = self.chunks.get(chunk).map(|here| (here, self.chunks.get(chunk + 1))) else {
            return self.block(|tally| tally.bytes, offset);
        };
        let end = next.map_or(self.total, |next| next.before);
        let within = offset.wrapping_sub(here.before.bytes);
        let block = (within / BLOCK).min(here.blocks.len().saturating_sub(1));
        let Some(start) = here.blocks.get(block).map(|block| here.before.plus(&block.tally())) else {
            return self.block(|tally| tally.bytes, offset);
        };
        let end = here.blocks.get(block + 1).map_or(end, |next| here.before.plus(&next.tally()));
        if (start.bytes..end.bytes).contains(&offset) {
            Section { start, end }
        } else {
            self.block(|tally| tally.bytes, offset)
        }
    }

    /// Returns what lies before a byte of a part, and before its line if that begins in the part. Line ends are only
    /// counted if they are wanted.
    #[inline]
    pub(super) fn before(
        &self,
        text: &[u8],
        part: &Section,
        offset: usize,
        lines: bool,
    ) -> (Tally, Option<Tally>) {
        let len = part.end.minus(&part.start);
        if len.is_narrow() && !(lines && len.ends > 0) {
            let more = offset - part.start.bytes;
            return (part.start.plus(&Tally { bytes: more, items: more, ..Tally::default() }), None);
        }
        let range = part.start.bytes..offset;
        let scan = Scan { text, range, line_ends: self.line_ends, sink: Passed::default() };
        let Passed { tally, line } = dispatch::scan(scan);
        (part.start.plus(&tally), (tally.ends > 0).then(|| part.start.plus(&line)))
    }

    /// Returns what lies before the n-th of its kind in a part, counted from the text's start, and whether it is the
    /// second UTF-16 code unit of its item. There must be one.
    #[inline]
    pub(super) fn nth(&self, text: &[u8], part: &Section, wanted: Wanted, n: usize) -> (Tally, bool) {
        let before = match wanted {
            Wanted::Items => part.start.items,
            Wanted::Utf16 => part.start.in_unit(ColumnUnit::Utf16),
            Wanted::LineEnds => part.start.ends,
        };
        let left = n - before;
        let len = part.end.minus(&part.start);
        if len.is_narrow() && len.ends == 0 && wanted != Wanted::LineEnds {
            let more = Tally { bytes: left, items: left, ..Tally::default() };
            return (part.start.plus(&more), false);
        }
        let sink = Find { wanted, left, tally: Tally::default(), is_fourth: false };
        let range = part.start.bytes..part.end.bytes;
        let found = dispatch::scan(Scan { text, range, line_ends: self.line_ends, sink });
        (part.start.plus(&found.tally), found.is_fourth)
    }

    /// Goes along a line, from 0, from what lies before its start or before a part that holds the end of the previous
    /// line; some way beyond the part.
    #[inline]
    pub(super) fn walk(
        &self,
        text: &[u8],
        part: &Section,
        line: usize,
        unit: ColumnUnit,
        left: usize,
    ) -> Walk {
        let start = part.start;
        let lines = line - start.ends;
        let sink = Walk { lines, unit, left, tally: start, line: start, stop: Stop::Range };
        let range = start.bytes..(part.end.bytes + BLOCK).min(text.len());
        dispatch::scan(Scan { text, range, line_ends: self.line_ends, sink })
    }
}
