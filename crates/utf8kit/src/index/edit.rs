//! Brings the index up to date after an edit.

use alloc::vec::Vec;
use core::ops::Range;

use super::tally::Tally;
use super::{BLOCK, Block, CHUNK, Chunk, IndexError, LEAST, MAX_BLOCK, TextIndex, tally};

impl TextIndex {
    /// Brings the index up to date: `range` of the text as it was, in bytes, has been replaced, and `text` is what it
    /// has become. How much has been put there follows from the lengths.
    ///
    /// Takes as long as it takes to count what was put there and about a kilobyte around it, to rewrite the counts of
    /// one or two chunks (32 KiB of the text each), and to add to one count for each chunk behind: microseconds, even
    /// in 100 MB.
    ///
    /// # Errors
    /// [`IndexError::Range`] if the range did not lie in the text, [`IndexError::Text`] if the new text is too short
    /// to hold what was not replaced. The index is then as before.
    ///
    /// ```
    /// use utf8kit::{ColumnUnit, TextIndex};
    /// let mut text = "naive".to_string();
    /// let mut index = TextIndex::new(text.as_bytes());
    /// text.replace_range(2..3, "ï");
    /// index.edit(2..3, text.as_bytes())?;
    /// assert_eq!((index.len(ColumnUnit::Bytes), index.len(ColumnUnit::CodePoints)), (6, 5));
    /// # Ok::<(), utf8kit::IndexError>(())
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
        if self.chunks.is_empty() || text.len() < MAX_BLOCK {
            *self = TextIndex::with_line_ends(text, self.line_ends);
            return Ok(());
        }
        // Whether a byte ends a line depends on the next one, whether it begins an item on the three before it.
        let changed = range.start.saturating_sub(1)..(range.end + 3).min(old);
        if self.recount(&changed, text).is_some() {
            return Ok(());
        }
        let chunks = self.chunks_of(&changed, text.len());
        let before = self.start_of(chunks.start);
        let old_end = self.start_of(chunks.end);
        let mut parts = self.parts(chunks.clone());
        let blocks = blocks_of(&parts, &before, &changed, (text.len(), old));
        let start = before.bytes + bytes_of(&parts[..blocks.start]);
        let end = start + bytes_of(&parts[blocks.clone()]) + text.len() - old;
        let anew = pieces(start..end).map(|piece| tally(text, piece, self.line_ends));
        parts.splice(blocks, anew);
        let (anew, new_end) = grouped(before, &parts);
        let difference = new_end.minus(&old_end);
        self.total = self.total.plus(&difference);
        let behind = chunks.start + anew.len();
        self.chunks.reserve_exact(anew.len().saturating_sub(chunks.len()));
        self.chunks.splice(chunks, anew);
        self.chunks.shrink_to_fit();
        for chunk in self.chunks.get_mut(behind..).unwrap_or_default() {
            chunk.before = chunk.before.plus(&difference);
        }
        Ok(())
    }

    /// Counts the block anew that holds a range of bytes, and adds the difference to what lies behind. `None` if there
    /// are several, or it would become too short or too long: then nothing has changed.
    fn recount(&mut self, changed: &Range<usize>, text: &[u8]) -> Option<()> {
        let old = self.total.bytes;
        let at = self.chunks.partition_point(|chunk| chunk.before.bytes <= changed.start).checked_sub(1)?;
        let end = self.start_of(at + 1);
        let least = if self.chunks.len() == 1 { 0 } else { CHUNK / 2 };
        let chunk = self.chunks.get_mut(at)?;
        let len = end.minus(&chunk.before);
        let within = changed.start - chunk.before.bytes;
        let block =
            chunk.blocks.partition_point(|block| usize::from(block.bytes) <= within).checked_sub(1)?;
        let start = chunk.blocks.get(block)?.tally();
        let block_end = chunk.blocks.get(block + 1).map_or(len, |next| next.tally());
        let counted = block_end.minus(&start);
        let new_len = (counted.bytes + text.len()).checked_sub(old)?;
        let new_chunk = (len.bytes + text.len()).checked_sub(old)?;
        let fits = changed.end <= chunk.before.bytes + block_end.bytes
            && (LEAST..MAX_BLOCK).contains(&new_len)
            && (least..2 * CHUNK).contains(&new_chunk);
        if !fits {
            return None;
        }
        let first = chunk.before.bytes + start.bytes;
        let difference = tally(text, first..first + new_len, self.line_ends).minus(&counted);
        for block in chunk.blocks.get_mut(block + 1..)? {
            *block = block.plus(&difference);
        }
        for chunk in self.chunks.get_mut(at + 1..)? {
            chunk.before = chunk.before.plus(&difference);
        }
        self.total = self.total.plus(&difference);
        Some(())
    }

    /// Returns the chunks that hold a range of bytes; one more where they would become too short in a text of the new
    /// length.
    fn chunks_of(&self, changed: &Range<usize>, new_len: usize) -> Range<usize> {
        let chunk_of = |byte| self.chunks.partition_point(|chunk| chunk.before.bytes <= byte);
        let chunks =
            chunk_of(changed.start).saturating_sub(1)..chunk_of(changed.end.saturating_sub(1)).max(1);
        let old = self.start_of(chunks.end).bytes - self.start_of(chunks.start).bytes;
        if old + new_len >= self.total.bytes + CHUNK / 2 {
            chunks
        } else if chunks.end < self.chunks.len() {
            chunks.start..chunks.end + 1
        } else {
            chunks.start.saturating_sub(1)..chunks.end
        }
    }

    /// Returns what lies before a chunk, or before the end.
    fn start_of(&self, chunk: usize) -> Tally {
        self.chunks.get(chunk).map_or(self.total, |chunk| chunk.before)
    }

    /// Returns the counts of each block of some chunks.
    fn parts(&self, chunks: Range<usize>) -> Vec<Tally> {
        let mut parts = Vec::new();
        for at in chunks {
            let Some(chunk) = self.chunks.get(at) else { break };
            let end = self.start_of(at + 1).minus(&chunk.before);
            let ends = chunk.blocks.iter().skip(1).map(|block| block.tally()).chain([end]);
            parts.extend(chunk.blocks.iter().zip(ends).map(|(block, end)| end.minus(&block.tally())));
        }
        parts
    }
}

/// Returns the blocks that hold a range of bytes, of which the first lies behind `before`, and so many more that they
/// do not become too short when the text's length changes from the second to the first.
fn blocks_of(
    parts: &[Tally],
    before: &Tally,
    changed: &Range<usize>,
    (new, old): (usize, usize),
) -> Range<usize> {
    let ends = || {
        parts.iter().scan(before.bytes, |at, part| {
            *at += part.bytes;
            Some(*at)
        })
    };
    let start = ends().take_while(|&end| end <= changed.start).count();
    let end = ends().take_while(|&end| end < changed.end).count() + 1;
    let mut blocks = start.min(parts.len() - 1)..end.clamp(start + 1, parts.len());
    while bytes_of(&parts[blocks.clone()]) + new < old + BLOCK && blocks.len() < parts.len() {
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

/// Divides a range into pieces of a block or more, less than two.
fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let pieces = (range.len() / BLOCK).max(1);
    let cut = move |i: usize| range.start + (range.len() as u128 * i as u128 / pieces as u128) as usize;
    (0..pieces).map(move |i| cut(i)..cut(i + 1))
}

/// Makes chunks of blocks; returns them, and what lies before their end.
fn grouped(before: Tally, parts: &[Tally]) -> (Vec<Chunk>, Tally) {
    let len = bytes_of(parts);
    let groups = (len / CHUNK).max(1);
    let mut chunks: Vec<Chunk> = Vec::with_capacity(groups);
    let mut at = before;
    let mut rest = parts;
    for group in 1..=groups {
        // The block that reaches the boundary is the last one of the group.
        let goal = before.bytes + (len as u128 * group as u128 / groups as u128) as usize;
        let start = at;
        let mut blocks = Vec::with_capacity(rest.len().min(CHUNK / BLOCK));
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
