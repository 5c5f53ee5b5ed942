//! Finds the block of a position, and counts within it.

use super::tally::{Find, Tally, UpTo, Wanted};
use super::{Block, Chunk, TextIndex};
use crate::dispatch;
use crate::position::ColumnUnit;
use crate::scalar::marks::Scan;

/// A part of the text, by what lies before its start and before its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub(super) start: Tally,
    pub(super) end: Tally,
}

impl TextIndex {
    /// Returns the last block whose count before it is at most `most`.
    #[inline]
    pub(super) fn block(&self, count: impl Fn(&Tally) -> usize, most: usize) -> Part {
        let chunks = &self.chunks;
        let behind = chunks.partition_point(|chunk| count(&chunk.before) <= most);
        let Some((chunk, next)) =
            behind.checked_sub(1).and_then(|at| Some((chunks.get(at)?, chunks.get(at + 1))))
        else {
            return Part { start: Tally::default(), end: self.total };
        };
        let within = most - count(&chunk.before);
        let block = chunk.blocks.partition_point(|block| count(&block.tally()) <= within);
        let end = match chunk.blocks.get(block) {
            Some(next) => chunk.before.plus(&next.tally()),
            None => next.map_or(self.total, |next: &Chunk| next.before),
        };
        let start = block.checked_sub(1).and_then(|at| chunk.blocks.get(at)).copied().unwrap_or_default();
        Part { start: chunk.before.plus(&Block::tally(start)), end }
    }

    /// Returns the block that a byte is in.
    #[inline]
    pub(super) fn block_of_byte(&self, offset: usize) -> Part {
        self.block(|tally| tally.bytes, offset)
    }

    /// Returns what lies before a byte of a part, and whether it begins an item.
    #[inline]
    pub(super) fn before(&self, text: &[u8], part: &Part, offset: usize) -> (Tally, bool) {
        let len = part.end.minus(&part.start);
        if len.is_narrow() && len.ends == 0 {
            let more = offset - part.start.bytes;
            return (part.start.plus(&Tally { bytes: more, items: more, ..Tally::default() }), true);
        }
        let range = part.start.bytes..offset + 1;
        let sink = UpTo::default();
        let (tally, begins) =
            dispatch::scan(Scan { text, range, line_ends: self.line_ends, sink }).before_last();
        (part.start.plus(&tally), begins)
    }

    /// Returns what lies before the n-th of its kind in a part, counted from the text's start, and whether it is the
    /// second UTF-16 code unit of its item. There must be one.
    #[inline]
    pub(super) fn nth(&self, text: &[u8], part: &Part, wanted: Wanted, n: usize) -> (Tally, bool) {
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
}
