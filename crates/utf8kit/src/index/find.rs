//! Finds the block of a position, and counts within it.

use super::tally::{Find, Passed, Stop, Tally, Walk, Wanted};
use super::{Block, Chunk, INDEX_BLOCK_BYTES, INDEX_CHUNK_BYTES, INDEX_GROUP_BYTES, TextIndex};
use crate::dispatch::index as dispatch;
use crate::position::ColumnUnit;
use crate::reference::marks::Scan;

/// A part of the text, given by the counts before its start and before its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Section {
    pub(super) start: Tally,
    pub(super) end: Tally,
}

/// The position of a block: the index of its group, of its chunk in the group, and of the block in the chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) group: usize,
    pub(super) chunk: usize,
    pub(super) block: usize,
}

impl TextIndex {
    /// Returns the last block whose count before it is at most `most`.
    #[inline]
    pub(super) fn block(&self, count: impl Fn(&Tally) -> usize, most: usize) -> Section {
        self.search(count, most).1
    }

    /// Returns the block that contains a byte.
    #[inline]
    pub(super) fn block_of_byte(&self, offset: usize) -> Section {
        self.place_of_byte(offset).1
    }

    /// Returns the block that contains a byte: looks first where it would be in an unedited text, then searches.
    #[inline]
    pub(super) fn place_of_byte(&self, offset: usize) -> (Place, Section) {
        if self.groups.is_empty() {
            return self.choose(0, |_, _| 0, |_, _| 0);
        }
        let number = |within: usize, len: usize, count: usize| (within / len).min(count.saturating_sub(1));
        let rest = |before: &Tally| offset.saturating_sub(before.bytes);
        let (place, section) = self.choose(
            number(offset, INDEX_GROUP_BYTES, self.groups.len()),
            |before, chunks| number(rest(before), INDEX_CHUNK_BYTES, chunks.len()),
            |before, blocks| number(rest(before), INDEX_BLOCK_BYTES, blocks.len()),
        );
        if (section.start.bytes..section.end.bytes).contains(&offset) {
            (place, section)
        } else {
            self.search(|tally| tally.bytes, offset)
        }
    }

    #[inline]
    fn search(&self, count: impl Fn(&Tally) -> usize, most: usize) -> (Place, Section) {
        self.choose(
            leading_run(&self.befores, |before| count(before) <= most),
            |before, chunks| {
                let most = most.saturating_sub(count(before));
                leading_run(chunks, |chunk| count(&chunk.before) <= most).saturating_sub(1)
            },
            |before, blocks| {
                let most = most.saturating_sub(count(before));
                leading_run(blocks, |block| count(&block.tally()) <= most).saturating_sub(1)
            },
        )
    }

    /// Returns a block, given a group and functions that choose a chunk and a block, each from the counts before the
    /// candidates. The whole text if there are no groups.
    #[inline]
    fn choose(
        &self,
        group: usize,
        chunk: impl FnOnce(&Tally, &[Chunk]) -> usize,
        block: impl FnOnce(&Tally, &[Block]) -> usize,
    ) -> (Place, Section) {
        let (before, end) = (self.start_of(group), self.start_of(group + 1));
        let chunks = self.groups.get(group).map_or(&[][..], |group| group);
        let chunk = chunk(&before, chunks);
        let Some(here) = chunks.get(chunk) else {
            return (Place { group, chunk, block: 0 }, Section { start: before, end });
        };
        let end = chunks.get(chunk + 1).map_or(end, |next| before.plus(&next.before));
        let before = before.plus(&here.before);
        let block = block(&before, &here.blocks);
        let start = here.blocks.get(block).map_or(before, |block| before.plus(&block.tally()));
        let end = here.blocks.get(block + 1).map_or(end, |next| before.plus(&next.tally()));
        (Place { group, chunk, block }, Section { start, end })
    }

    /// Returns the counts before a group, or before the end.
    #[inline]
    pub(super) fn start_of(&self, group: usize) -> Tally {
        let Some(at) = group.checked_sub(1) else { return Tally::default() };
        self.befores.get(at).copied().unwrap_or(self.total)
    }

    /// Returns the counts before a byte of a part, and before its line if that begins in the part. Line ends are
    /// counted only if `lines`.
    #[inline]
    pub(super) fn before(&self, text: &[u8], part: &Section, offset: usize, lines: bool) -> (Tally, Option<Tally>) {
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

    /// Returns the counts before the `n`-th wanted unit, counted from the text's start, and whether it is the second
    /// UTF-16 code unit of its item. It must be in the part.
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

    /// Walks along a line, numbered from 0, up to one block past the part. The part must begin at the line's start, or
    /// contain the end of the previous line.
    #[inline]
    pub(super) fn walk(&self, text: &[u8], part: &Section, line: usize, unit: ColumnUnit, left: usize) -> Walk {
        let start = part.start;
        let lines = line - start.ends;
        let sink = Walk { lines, unit, left, tally: start, line: start, stop: Stop::Range };
        let range = start.bytes..(part.end.bytes + INDEX_BLOCK_BYTES).min(text.len());
        dispatch::scan(Scan { text, range, line_ends: self.line_ends, sink })
    }
}

/// [`leading_run`] scans in strides of `ELEMENTS_PER_STRIDE` up to `MAX_ELEMENTS_SCANNED` elements. Longer slices use a
/// binary search.
const ELEMENTS_PER_STRIDE: usize = 8;
const MAX_ELEMENTS_SCANNED: usize = 16 * ELEMENTS_PER_STRIDE;

/// Returns the length of the leading run for which `is_so` holds. It must be false for everything after that, as in
/// `partition_point`.
#[inline]
fn leading_run<T>(all: &[T], is_so: impl Fn(&T) -> bool) -> usize {
    if all.len() > MAX_ELEMENTS_SCANNED {
        return all.partition_point(is_so);
    }
    // In two branchless steps, because the branches of a binary search wait for each other.
    let before = all.iter().step_by(ELEMENTS_PER_STRIDE).filter(|one| is_so(one)).count().saturating_sub(1)
        * ELEMENTS_PER_STRIDE;
    let here = all.get(before..all.len().min(before + ELEMENTS_PER_STRIDE)).unwrap_or_default();
    before + here.iter().filter(|one| is_so(one)).count()
}
