//! Updates the index after an edit.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use super::find::{Place, Section};
use super::tally::Tally;
use super::{
    Block, CHUNKS_PER_INDEX_GROUP, Chunk, INDEX_BLOCK_BYTES, INDEX_CHUNK_BYTES, INDEX_GROUP_BYTES, IndexError,
    MAX_INDEX_BLOCK_BYTES, MIN_INDEX_BLOCK_BYTES, TextIndex, tally,
};
use crate::line_ends::LineEnds;

impl TextIndex {
    /// Updates the index after an edit: bytes `range` of the old text were replaced, and `text` is the whole new text.
    /// The length of the replacement is inferred from the two lengths.
    ///
    /// It counts the replacement and about a kilobyte around it, and updates some counts after it. Inserting one
    /// character takes 0.1 to 0.2 µs, even in 100 MB.
    ///
    /// # Errors
    /// [`IndexError::Range`] if the range was not within the old text, [`IndexError::Text`] if the new text is shorter
    /// than the unreplaced part. The index is then unchanged.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::TextIndex;
    /// let mut text = "naive".to_string();
    /// let mut index = TextIndex::new(text.as_bytes());
    /// text.replace_range(2..3, "ï");
    /// index.edit(2..3, text.as_bytes())?;
    /// assert_eq!((index.len(ColumnUnit::Bytes), index.len(ColumnUnit::CodePoints)), (6, 5));
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    pub fn edit(&mut self, range: Range<usize>, text: &[u8]) -> Result<(), IndexError> {
        let old = self.total.bytes;
        if range.start > range.end || range.end > old {
            return Err(IndexError::Range { range, len: old });
        }
        let kept = old - range.len();
        if text.len() < kept {
            return Err(IndexError::Text { expected: kept, len: text.len() });
        }
        if self.groups.is_empty() || text.len() < MAX_INDEX_BLOCK_BYTES {
            *self = TextIndex::with_line_ends(text, self.line_ends);
            return Ok(());
        }
        // Whether a byte ends a line depends on the next byte; whether it begins an item, on the three bytes before it.
        let changed = range.start.saturating_sub(1)..(range.end + 3).min(old);
        if self.recount(&changed, text).is_none() {
            self.rebuild(&changed, text);
        }
        Ok(())
    }

    /// Recounts the block that contains a range of bytes, and adds the difference to the counts after it. `None`, with
    /// nothing changed, if there are several blocks, or the block would become too short or too long.
    fn recount(&mut self, changed: &Range<usize>, text: &[u8]) -> Option<()> {
        let old = self.total.bytes;
        let (Place { group, chunk, block }, Section { start, end }) = self.place_of_byte(changed.start);
        let group_len = self.start_of(group + 1).minus(&self.start_of(group)).bytes;
        let is_alone = self.groups.len() == 1 && self.groups.first()?.len() == 1;
        let here = self.groups.get_mut(group)?;
        let chunk_start = here.get(chunk)?.before.bytes;
        let chunk_end = here.get(chunk + 1).map_or(group_len, |next| next.before.bytes);
        let new_len = (end.bytes - start.bytes + text.len()).checked_sub(old)?;
        let new_chunk = (chunk_end - chunk_start + text.len()).checked_sub(old)?;
        let least = if is_alone { 0 } else { INDEX_CHUNK_BYTES / 2 };
        let fits = changed.end <= end.bytes
            && (MIN_INDEX_BLOCK_BYTES..MAX_INDEX_BLOCK_BYTES).contains(&new_len)
            && (least..2 * INDEX_CHUNK_BYTES).contains(&new_chunk);
        if !fits {
            return None;
        }
        let counted = tally(text, start.bytes..start.bytes + new_len, self.line_ends);
        let difference = counted.minus(&end.minus(&start));
        let blocks = &mut here.get_mut(chunk)?.blocks;
        blocks.get_mut(block + 1..)?.iter_mut().for_each(|block| *block = block.plus(&difference));
        add(here.get_mut(chunk + 1..)?.iter_mut().map(|chunk| &mut chunk.before), &difference);
        add(self.befores.get_mut(group..)?, &difference);
        self.total = self.total.plus(&difference);
        Some(())
    }

    /// Rebuilds the blocks around a range of bytes, and the chunks and groups that contain them.
    fn rebuild(&mut self, changed: &Range<usize>, text: &[u8]) {
        let lens = (text.len(), self.total.bytes);
        let groups = self.groups_of(changed, lens);
        let mut chunks = Vec::new();
        for group in groups.clone() {
            let start = self.start_of(group);
            let taken = self.groups.get_mut(group).map(mem::take).unwrap_or_default();
            chunks.extend(taken.into_iter().map(|chunk| Chunk { before: start.plus(&chunk.before), ..chunk }));
        }
        let old_end = self.start_of(groups.end);
        let mut part = Part { chunks, end: old_end };
        part.edit(changed, text, self.line_ends, lens);
        let difference = part.end.minus(&old_end);
        let (starts, new_groups) = part.into_groups();
        add(self.befores.get_mut(groups.end.saturating_sub(1)..).unwrap_or_default(), &difference);
        // The counts before the first group are not stored.
        let first = groups.start.saturating_sub(1);
        let starts = starts.into_iter().skip(usize::from(groups.start == 0));
        self.befores.reserve_exact(starts.len());
        self.befores.splice(first..first.max(groups.end - 1), starts);
        self.befores.shrink_to_fit();
        self.groups.reserve_exact(new_groups.len());
        self.groups.splice(groups, new_groups);
        self.groups.shrink_to_fit();
        self.total = self.total.plus(&difference);
    }

    /// Returns the groups that contain a range of bytes, plus neighbours until they are long enough after the text's
    /// length has changed from `old` to `new`.
    fn groups_of(&self, changed: &Range<usize>, (new, old): (usize, usize)) -> Range<usize> {
        let group_of = |byte| self.befores.partition_point(|before| before.bytes <= byte);
        let mut groups = group_of(changed.start)..group_of(changed.end.saturating_sub(1)) + 1;
        let len = |groups: &Range<usize>| self.start_of(groups.end).bytes - self.start_of(groups.start).bytes;
        while len(&groups) + new < old + INDEX_GROUP_BYTES / 4 && groups.len() < self.groups.len() {
            if groups.end < self.groups.len() {
                groups.end += 1;
            } else {
                groups.start -= 1;
            }
        }
        groups
    }
}

/// Adds a difference to counts.
fn add<'t>(counts: impl IntoIterator<Item = &'t mut Tally>, difference: &Tally) {
    counts.into_iter().for_each(|count| *count = count.plus(difference));
}

/// The chunks of some groups, with counts from the start of the text.
struct Part {
    chunks: Vec<Chunk>,
    /// The counts before the end of the last one.
    end: Tally,
}

impl Part {
    /// Rebuilds the blocks around a range of bytes, and the chunks that contain them.
    fn edit(&mut self, changed: &Range<usize>, text: &[u8], line_ends: LineEnds, lens: (usize, usize)) {
        let (new, old) = lens;
        let chunks = self.chunks_of(changed, lens);
        let (before, old_end) = (self.start_of(chunks.start), self.start_of(chunks.end));
        let mut parts = self.blocks(chunks.clone());
        let blocks = blocks_of(&parts, &before, changed, lens);
        let start = before.bytes + bytes_of(&parts[..blocks.start]);
        let end = start + bytes_of(&parts[blocks.clone()]) + new - old;
        let recounted = pieces(start..end).map(|piece| tally(text, piece, line_ends));
        parts.splice(blocks, recounted);
        let (new_chunks, new_end) = grouped(before, &parts);
        let difference = new_end.minus(&old_end);
        let after_new = chunks.start + new_chunks.len();
        self.chunks.splice(chunks, new_chunks);
        let after = self.chunks.get_mut(after_new..).unwrap_or_default();
        add(after.iter_mut().map(|chunk| &mut chunk.before), &difference);
        self.end = self.end.plus(&difference);
    }

    /// Returns the chunks that contain a range of bytes, plus a neighbour if they would become too short when the
    /// text's length changes from `old` to `new`.
    fn chunks_of(&self, changed: &Range<usize>, (new, old): (usize, usize)) -> Range<usize> {
        let chunk_of = |byte| self.chunks.partition_point(|chunk| chunk.before.bytes <= byte);
        let chunks = chunk_of(changed.start).saturating_sub(1)..chunk_of(changed.end.saturating_sub(1)).max(1);
        let len = self.start_of(chunks.end).bytes - self.start_of(chunks.start).bytes;
        if len + new >= old + INDEX_CHUNK_BYTES / 2 {
            chunks
        } else if chunks.end < self.chunks.len() {
            chunks.start..chunks.end + 1
        } else {
            chunks.start.saturating_sub(1)..chunks.end
        }
    }

    /// Returns the counts before a chunk, or before the end.
    fn start_of(&self, chunk: usize) -> Tally {
        self.chunks.get(chunk).map_or(self.end, |chunk| chunk.before)
    }

    /// Returns the counts of each block of some chunks.
    fn blocks(&self, chunks: Range<usize>) -> Vec<Tally> {
        let mut parts = Vec::new();
        for at in chunks {
            let Some(chunk) = self.chunks.get(at) else { break };
            let end = self.start_of(at + 1).minus(&chunk.before);
            let ends = chunk.blocks.iter().skip(1).map(|block| block.tally()).chain([end]);
            parts.extend(chunk.blocks.iter().zip(ends).map(|(block, end)| end.minus(&block.tally())));
        }
        parts
    }

    /// Makes groups of about the same size; also returns the counts before each.
    fn into_groups(self) -> (Vec<Tally>, Vec<Vec<Chunk>>) {
        let count = (self.chunks.len() / CHUNKS_PER_INDEX_GROUP).max(1);
        let size = self.chunks.len().div_ceil(count).max(1);
        let starts: Vec<Tally> = self.chunks.iter().step_by(size).map(|chunk| chunk.before).collect();
        let mut chunks = self.chunks.into_iter();
        let groups = starts.iter().map(|start| {
            let mut group = Vec::with_capacity(size.min(chunks.len()));
            let some = chunks.by_ref().take(size);
            group.extend(some.map(|chunk| Chunk { before: chunk.before.minus(start), ..chunk }));
            group
        });
        let groups = groups.collect();
        (starts, groups)
    }
}

/// Returns the blocks that contain a range of bytes, plus neighbours until they are long enough after the text's length
/// has changed from `old` to `new`. `before` has the counts before the first of `parts`.
fn blocks_of(parts: &[Tally], before: &Tally, changed: &Range<usize>, (new, old): (usize, usize)) -> Range<usize> {
    let ends = || {
        parts.iter().scan(before.bytes, |at, part| {
            *at += part.bytes;
            Some(*at)
        })
    };
    let start = ends().take_while(|&end| end <= changed.start).count();
    let end = ends().take_while(|&end| end < changed.end).count() + 1;
    let mut blocks = start.min(parts.len() - 1)..end.clamp(start + 1, parts.len());
    while bytes_of(&parts[blocks.clone()]) + new < old + INDEX_BLOCK_BYTES && blocks.len() < parts.len() {
        if blocks.end < parts.len() {
            blocks.end += 1;
        } else {
            blocks.start -= 1;
        }
    }
    blocks
}

fn bytes_of(parts: &[Tally]) -> usize {
    parts.iter().map(|part| part.bytes).sum()
}

/// Divides a range into pieces of at least one block and less than two.
fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let pieces = (range.len() / INDEX_BLOCK_BYTES).max(1);
    let cut = move |i: usize| range.start + (range.len() as u128 * i as u128 / pieces as u128) as usize;
    (0..pieces).map(move |i| cut(i)..cut(i + 1))
}

/// Makes chunks of blocks; returns them, and the counts before their end.
fn grouped(before: Tally, parts: &[Tally]) -> (Vec<Chunk>, Tally) {
    let len = bytes_of(parts);
    let groups = (len / INDEX_CHUNK_BYTES).max(1);
    let mut chunks: Vec<Chunk> = Vec::with_capacity(groups);
    let mut at = before;
    let mut rest = parts;
    for group in 1..=groups {
        // The block that reaches the boundary is the last one of the group.
        let goal = before.bytes + (len as u128 * group as u128 / groups as u128) as usize;
        let start = at;
        let mut blocks = Vec::with_capacity(rest.len().min(INDEX_CHUNK_BYTES / INDEX_BLOCK_BYTES));
        while at.bytes < goal
            && let Some((part, after)) = rest.split_first()
        {
            blocks.push(Block::new(&at.minus(&start)));
            at = at.plus(part);
            rest = after;
        }
        blocks.shrink_to_fit();
        chunks.push(Chunk { before: start, blocks });
    }
    (chunks, at)
}
