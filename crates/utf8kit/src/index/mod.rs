//! The index of a text: its positions in bytes, code points, UTF-16 code units and lines.
//!
//! # Structure
//! A block is half a kilobyte to a kilobyte of the text. The index stores the counts before each block: bytes, items,
//! four-byte sequences and line ends, as four numbers of 16 bits. They count from the start of its chunk, of 16 to 64
//! KiB; the counts before a chunk, from the start of its group, of a megabyte or two; and the counts before a group,
//! from the start of the text. So an edit changes the blocks of one chunk and adds a difference to the chunks after it
//! in its group, and to the groups after that. A query finds the block by its counts, and one kernel counts within the
//! block (`kernels::marks`).
//!
//! Blocks need not begin at items. A block owns the items that begin in it, and the line ends whose last byte is in it.
//! Whether a byte begins an item depends on at most three bytes before it; whether it ends a line, on two bytes before
//! it and one after it.
//!
//! # Measurements
//! `bench/record/index.md` has the measurements, and what was tried.

mod edit;
mod find;
mod query;
mod tally;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::dispatch::index as dispatch;
use crate::line_ends::LineEnds;
use crate::position::ColumnUnit;
use crate::reference::marks::{Marks, Scan, Sink};
pub use query::{Indexed, LspPosition};
use tally::Tally;

/// The length of a block in a new index, in bytes.
const INDEX_BLOCK_BYTES: usize = 512;
/// The length that a block must stay below after an edit.
const MAX_INDEX_BLOCK_BYTES: usize = 2 * INDEX_BLOCK_BYTES;
/// The least length of a block that is recounted by itself, so that the index takes at most 2 % of the text's size.
const MIN_INDEX_BLOCK_BYTES: usize = INDEX_BLOCK_BYTES - INDEX_BLOCK_BYTES / 8;
/// The length of a chunk in a new index; its shortest length after an edit is half of it, unless it is the only one.
const INDEX_CHUNK_BYTES: usize = 64 * INDEX_BLOCK_BYTES;
/// The number of chunks in a group of a new index; after an edit, less than twice as many.
const CHUNKS_PER_INDEX_GROUP: usize = 32;
/// The length of a group in a new index.
const INDEX_GROUP_BYTES: usize = CHUNKS_PER_INDEX_GROUP * INDEX_CHUNK_BYTES;

/// An index of the positions of a text in bytes, code points, UTF-16 code units and lines.
///
/// It neither contains nor borrows the text, and takes 1.7 % of the text's size; [`TextIndex::on`] combines both for
/// queries. The text may be invalid: each error is one code point and one UTF-16 code unit, as everywhere in this crate
/// (and as in the text with U+FFFD for each error). After an edit, [`TextIndex::edit`] updates the index.
///
/// | operation | cost |
/// |---|---|
/// | build | one pass over the text |
/// | query | a search among the counts, and a kernel over a kilobyte at most |
/// | edit | the text that changed and a kilobyte, 2 KiB of counts, and an addition per megabyte of text after it |
///
/// ```
/// use utf8kit::{ColumnUnit, LineColumn};
/// use utf8kit::index::{LspPosition, TextIndex};
/// let mut text = "one\r\nzwei 😀5".to_string();
/// let mut index = TextIndex::new(text.as_bytes());
///
/// let at = index.on(text.as_bytes())?;
/// assert_eq!(at.position(14, ColumnUnit::CodePoints), 11);
/// assert_eq!(at.position(14, ColumnUnit::Utf16), 12);
/// assert_eq!(at.line_column(14, ColumnUnit::CodePoints), LineColumn::new(2, 7));
/// assert_eq!(at.lsp_position(14, ColumnUnit::Utf16), LspPosition::new(1, 7));
/// assert_eq!(at.lsp_offset(LspPosition::new(1, 7), ColumnUnit::Utf16), 14);
///
/// text.replace_range(5..9, "deux et");
/// index.edit(5..9, text.as_bytes())?;
/// assert_eq!(index.on(text.as_bytes())?.lsp_position(17, ColumnUnit::Utf16), LspPosition::new(1, 10));
/// # Ok::<(), utf8kit::index::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextIndex {
    line_ends: LineEnds,
    total: Tally,
    /// Groups, each of at least one chunk. There are none for a text of a single block.
    groups: Vec<Vec<Chunk>>,
    /// The counts before each group except the first.
    befores: Vec<Tally>,
}

/// At least one block.
#[derive(Clone, Debug)]
struct Chunk {
    /// The counts before the first block, from the start of the group.
    before: Tally,
    blocks: Vec<Block>,
}

/// The counts before a block, from the start of its chunk.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    bytes: u16,
    items: u16,
    fours: u16,
    ends: u16,
}

impl Block {
    #[inline]
    fn new(tally: &Tally) -> Block {
        let [bytes, items, fours, ends] = [tally.bytes, tally.items, tally.fours, tally.ends];
        Block { bytes: bytes as u16, items: items as u16, fours: fours as u16, ends: ends as u16 }
    }

    /// Adds to the counts before the block, modulo 65,536.
    #[inline]
    fn plus(self, more: &Tally) -> Block {
        let more = Block::new(more);
        Block {
            bytes: self.bytes.wrapping_add(more.bytes),
            items: self.items.wrapping_add(more.items),
            fours: self.fours.wrapping_add(more.fours),
            ends: self.ends.wrapping_add(more.ends),
        }
    }

    #[inline]
    fn tally(self) -> Tally {
        Tally { bytes: self.bytes.into(), items: self.items.into(), fours: self.fours.into(), ends: self.ends.into() }
    }
}

impl TextIndex {
    /// Builds the index, with line ends as in [`LineEnds::Universal`].
    #[must_use]
    pub fn new(text: &[u8]) -> TextIndex {
        TextIndex::with_line_ends(text, LineEnds::Universal)
    }

    /// Builds the index, with other line ends.
    ///
    /// ```
    /// use utf8kit::LineEnds;
    /// use utf8kit::index::TextIndex;
    /// let text = "a\rb\nc\u{2028}d".as_bytes();
    /// let lines = |line_ends| TextIndex::with_line_ends(text, line_ends).lines();
    /// assert_eq!(
    ///     [LineEnds::LineFeed, LineEnds::Universal, LineEnds::Unicode].map(lines),
    ///     [2, 3, 4],
    /// );
    /// ```
    #[must_use]
    pub fn with_line_ends(text: &[u8], line_ends: LineEnds) -> TextIndex {
        if text.len() < MAX_INDEX_BLOCK_BYTES {
            let total = tally(text, 0..text.len(), line_ends);
            return TextIndex { line_ends, total, groups: Vec::new(), befores: Vec::new() };
        }
        let sink = Builder::new(text.len());
        let Builder { groups, befores, total, .. } =
            dispatch::scan(Scan { text, range: 0..text.len(), line_ends, sink });
        TextIndex { line_ends, total, groups, befores }
    }

    /// Returns which line ends are recognised.
    #[must_use]
    pub fn line_ends(&self) -> LineEnds {
        self.line_ends
    }

    /// Returns the length of the text in a unit.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::TextIndex;
    /// let index = TextIndex::new(b"a\xF0\x9F\x98\x80\xFF");
    /// assert_eq!(index.len(ColumnUnit::Bytes), 6);
    /// assert_eq!(index.len(ColumnUnit::CodePoints), 3);
    /// assert_eq!(index.len(ColumnUnit::Utf16), 4);
    /// ```
    #[must_use]
    pub fn len(&self, unit: ColumnUnit) -> usize {
        self.total.in_unit(unit)
    }

    /// Reports whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total.bytes == 0
    }

    /// Returns the number of lines: one more than line ends.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.total.ends + 1
    }

    /// Returns the memory that the index takes, in bytes: 1.7 % of a long text, and at most 100 bytes more of a short
    /// one.
    ///
    /// ```
    /// use utf8kit::index::TextIndex;
    /// let text = vec![b'x'; 1_000_000];
    /// assert!(TextIndex::new(&text).size() < 20_000);
    /// ```
    #[must_use]
    pub fn size(&self) -> usize {
        let blocks = |chunk: &Chunk| size_of::<Block>() * chunk.blocks.capacity();
        let group =
            |group: &Vec<Chunk>| size_of::<Chunk>() * group.capacity() + group.iter().map(blocks).sum::<usize>();
        size_of::<TextIndex>()
            + size_of::<Tally>() * self.befores.capacity()
            + size_of::<Vec<Chunk>>() * self.groups.capacity()
            + self.groups.iter().map(group).sum::<usize>()
    }

    /// Returns the index together with the text, for queries.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the text is longer or shorter than the indexed text. With another text of the same
    /// length, the answers are wrong, but nothing panics.
    #[inline]
    pub fn on<'a>(&'a self, text: &'a [u8]) -> Result<Indexed<'a>, IndexError> {
        if text.len() == self.total.bytes {
            Ok(Indexed::new(self, text))
        } else {
            Err(IndexError::Text { expected: self.total.bytes, len: text.len() })
        }
    }
}

/// Counts a part of a text.
fn tally(text: &[u8], range: Range<usize>, line_ends: LineEnds) -> Tally {
    dispatch::scan(Scan { text, range, line_ends, sink: Tally::default() })
}

/// Makes blocks, chunks and groups from the marks of a text.
struct Builder {
    groups: Vec<Vec<Chunk>>,
    befores: Vec<Tally>,
    total: Tally,
    /// The counts before the last group, and before the last chunk.
    group: Tally,
    chunk: Tally,
    /// How many blocks are still to begin: the last one is up to twice as long.
    blocks: usize,
}

impl Builder {
    fn new(len: usize) -> Builder {
        let blocks = len / INDEX_BLOCK_BYTES;
        let groups = blocks.div_ceil(INDEX_GROUP_BYTES / INDEX_BLOCK_BYTES);
        Builder {
            groups: Vec::with_capacity(groups),
            befores: Vec::with_capacity(groups.saturating_sub(1)),
            total: Tally::default(),
            group: Tally::default(),
            chunk: Tally::default(),
            blocks,
        }
    }

    /// Begins a block here.
    #[inline(never)]
    fn begin_block(&mut self) {
        if self.total.bytes.is_multiple_of(INDEX_CHUNK_BYTES) {
            self.begin_chunk();
        }
        if let Some(chunk) = self.groups.last_mut().and_then(|group| group.last_mut()) {
            chunk.blocks.push(Block::new(&self.total.minus(&self.chunk)));
        }
        self.blocks -= 1;
    }

    fn begin_chunk(&mut self) {
        self.chunk = self.total;
        if self.total.bytes.is_multiple_of(INDEX_GROUP_BYTES) {
            if !self.groups.is_empty() {
                self.befores.push(self.total);
            }
            self.group = self.total;
            self.groups.push(Vec::with_capacity(
                self.blocks.div_ceil(INDEX_CHUNK_BYTES / INDEX_BLOCK_BYTES).min(CHUNKS_PER_INDEX_GROUP),
            ));
        }
        if let Some(group) = self.groups.last_mut() {
            let blocks = Vec::with_capacity(self.blocks.min(INDEX_CHUNK_BYTES / INDEX_BLOCK_BYTES));
            group.push(Chunk { before: self.total.minus(&self.group), blocks });
        }
    }
}

impl Sink for Builder {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        if self.total.bytes.is_multiple_of(INDEX_BLOCK_BYTES) && self.blocks > 0 {
            self.begin_block();
        }
        self.total.add(marks, len);
        true
    }
}

/// A text or a range that does not belong to the index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexError {
    /// The text's length differs from the length of the indexed text.
    Text {
        /// The length that the text should have, in bytes; after an edit, the least one.
        expected: usize,
        /// The length of the text that was given.
        len: usize,
    },
    /// The range to edit is not within the text, or ends before it begins.
    Range {
        /// The range.
        range: Range<usize>,
        /// The length of the text, in bytes.
        len: usize,
    },
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Text { expected, len } => {
                write!(f, "text length mismatch: the index was built for {expected} bytes, got {len}")
            }
            IndexError::Range { range, len } => {
                write!(f, "range {}..{} is out of bounds for a text of {len} bytes", range.start, range.end)
            }
        }
    }
}

impl core::error::Error for IndexError {}
