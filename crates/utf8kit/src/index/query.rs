//! The queries: an index together with its text.

use alloc::vec::Vec;
use core::ops::Range;

use super::TextIndex;
use super::find::Section;
use super::tally::{Stop, Tally, Wanted};
use crate::boundary::floor_char_boundary;
use crate::dispatch;
use crate::grammar::is_continuation;
use crate::kernels::count::Starts;
use crate::line_ends::LineEnds;
use crate::position::{ColumnUnit, LineColumn};

/// A position as in the Language Server Protocol: a line and the code units before it in that line, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct LspPosition {
    /// The line, from 0.
    pub line: usize,
    /// The number of units of the line before the position. Client and server agree on the unit; the default is UTF-16
    /// code units.
    pub character: usize,
}

impl LspPosition {
    /// Creates a position, both numbers from 0.
    #[must_use]
    pub const fn new(line: usize, character: usize) -> LspPosition {
        LspPosition { line, character }
    }
}

/// An index together with its text: see [`TextIndex::on`]. Offsets are in bytes; an offset past the end stands for the
/// end.
///
/// # A language server whose clients count differently
/// ```
/// use std::ops::Range;
/// use utf8kit::ColumnUnit;
/// use utf8kit::index::{IndexError, LspPosition, TextIndex};
///
/// struct Document {
///     text: String,
///     index: TextIndex,
/// }
///
/// impl Document {
///     fn open(text: &str) -> Document {
///         Document { text: text.to_string(), index: TextIndex::new(text.as_bytes()) }
///     }
///
///     /// A change by a client, in the position encoding that was agreed on with it.
///     fn change(
///         &mut self,
///         range: Range<LspPosition>,
///         new: &str,
///         unit: ColumnUnit,
///     ) -> Result<(), IndexError> {
///         let range = self.index.on(self.text.as_bytes())?.lsp_bytes(range, unit);
///         self.text.replace_range(range.clone(), new);
///         self.index.edit(range, self.text.as_bytes())
///     }
///
///     /// A diagnostic for another client.
///     fn place(&self, range: Range<usize>, unit: ColumnUnit) -> Result<Range<LspPosition>, IndexError> {
///         Ok(self.index.on(self.text.as_bytes())?.lsp_range(range, unit))
///     }
/// }
///
/// let mut document = Document::open("print('😀', naïve)\n");
/// let place = |character| LspPosition::new(0, character);
/// document.change(place(12)..place(17), "x", ColumnUnit::Utf16)?;
/// assert_eq!(document.text, "print('😀', x)\n");
/// let at = document.text.find('x').unwrap();
/// assert_eq!(document.place(at..at + 1, ColumnUnit::Utf16)?, place(12)..place(13));
/// assert_eq!(document.place(at..at + 1, ColumnUnit::Bytes)?, place(14)..place(15));
/// assert_eq!(document.place(at..at + 1, ColumnUnit::CodePoints)?, place(11)..place(12));
/// # Ok::<(), IndexError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Indexed<'a> {
    index: &'a TextIndex,
    text: &'a [u8],
}

/// The results of the previous query of several.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// From its position to the end of its block.
    part: Section,
    /// The line, from 0, and where it begins.
    line: (usize, Tally),
}

impl<'a> Indexed<'a> {
    #[inline]
    pub(super) fn new(index: &'a TextIndex, text: &'a [u8]) -> Self {
        Indexed { index, text }
    }

    /// Returns the position of an offset, in a unit. Within an item, this is the item's position; in bytes, it is the
    /// offset itself.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::TextIndex;
    /// let text = "a😀b".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// assert_eq!([0, 1, 3, 5, 6, 99].map(|offset| at.position(offset, ColumnUnit::Utf16)), [0, 1, 1, 3, 4, 4]);
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn position(&self, offset: usize, unit: ColumnUnit) -> usize {
        self.position_from(&mut Cursor::default(), offset, unit)
    }

    /// Returns the positions of many offsets, in any order; [`Indexed::position`] of each. Ascending ones are faster.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::TextIndex;
    /// let text = "naïve".as_bytes();
    /// let index = TextIndex::new(text);
    /// assert_eq!(index.on(text)?.positions(&[0, 4, 6], ColumnUnit::CodePoints), [0, 3, 5]);
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn positions(&self, offsets: &[usize], unit: ColumnUnit) -> Vec<usize> {
        let mut cursor = Cursor::default();
        offsets.iter().map(|&offset| self.position_from(&mut cursor, offset, unit)).collect()
    }

    /// Returns the offset of a position in a unit; `None` if it is beyond the end, which itself is valid. A position
    /// within an item, such as between two surrogates, gives the item's start.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::TextIndex;
    /// let text = "a😀b".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// let offsets = [1, 2, 3, 4, 5].map(|position| at.offset(position, ColumnUnit::Utf16));
    /// assert_eq!(offsets, [Some(1), Some(1), Some(5), Some(6), None]);
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn offset(&self, position: usize, unit: ColumnUnit) -> Option<usize> {
        Some(self.place(&mut Cursor::default(), position, unit)?.bytes)
    }

    /// Returns the offsets of many positions, in any order; [`Indexed::offset`] of each. Ascending ones are faster.
    #[must_use]
    pub fn offsets(&self, positions: &[usize], unit: ColumnUnit) -> Vec<Option<usize>> {
        let mut cursor = Cursor::default();
        let offset = |&position| Some(self.place(&mut cursor, position, unit)?.bytes);
        positions.iter().map(offset).collect()
    }

    /// Converts a position from one unit to another; `None` if it is beyond the end. A position within an item gives
    /// the item's position.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::TextIndex;
    /// let text = "😀😀b".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// assert_eq!(at.convert(4, ColumnUnit::Utf16, ColumnUnit::CodePoints), Some(2));
    /// assert_eq!(at.convert(4, ColumnUnit::Utf16, ColumnUnit::Bytes), Some(8));
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn convert(&self, position: usize, from: ColumnUnit, to: ColumnUnit) -> Option<usize> {
        Some(self.place(&mut Cursor::default(), position, from)?.in_unit(to))
    }

    /// Returns the line and column of the item that contains the byte at `offset`, like
    /// [`crate::Encoding::line_column`], with the line ends of the index. In bytes, the column is the column of the
    /// byte itself. A line end is the last item, or the last two items, of the line that it ends.
    ///
    /// ```
    /// use utf8kit::{ColumnUnit, LineColumn};
    /// use utf8kit::index::TextIndex;
    /// let text = "one\rzwei €5".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// assert_eq!(at.line_column(12, ColumnUnit::CodePoints), LineColumn::new(2, 7));
    /// assert_eq!(at.offset_at(LineColumn::new(2, 7), ColumnUnit::CodePoints), Some(12));
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn line_column(&self, offset: usize, unit: ColumnUnit) -> LineColumn {
        self.line_column_from(&mut Cursor::default(), offset, unit)
    }

    /// Returns the lines and columns of many offsets, in any order; [`Indexed::line_column`] of each. Ascending ones
    /// are faster.
    #[must_use]
    pub fn line_columns(&self, offsets: &[usize], unit: ColumnUnit) -> Vec<LineColumn> {
        let mut cursor = Cursor::default();
        offsets.iter().map(|&offset| self.line_column_from(&mut cursor, offset, unit)).collect()
    }

    /// Returns the offset of a line and column, like [`crate::Encoding::offset_at`], with the line ends of the index.
    /// `None` if there is no such line, or the line has no such column; the position right after its last item, where
    /// the next line begins, is valid. A column within an item gives the item's start.
    #[must_use]
    pub fn offset_at(&self, place: LineColumn, unit: ColumnUnit) -> Option<usize> {
        let range = self.line_range(place.line)?;
        let column = usize::try_from(place.column.checked_sub(1)?).ok()?;
        let start = self.position(range.start, unit);
        let offset = self.offset(start.checked_add(column)?, unit)?;
        (offset < range.end || offset == range.end && column == self.position(range.end, unit).saturating_sub(start))
            .then_some(offset)
    }

    /// Returns the range of a line (from 1), including its line end; `None` if there is no such line.
    ///
    /// ```
    /// use utf8kit::index::TextIndex;
    /// let text = b"one\r\ntwo";
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// assert_eq!([1, 2, 3].map(|line| at.line_range(line)), [Some(0..5), Some(5..8), None]);
    /// assert_eq!(at.line_content(1), Some(0..3));
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn line_range(&self, line: u64) -> Option<Range<usize>> {
        let line = usize::try_from(line.checked_sub(1)?).ok()?;
        (line < self.index.lines()).then(|| self.line_start(line).bytes..self.line_end(line))
    }

    /// Returns the range of a line (from 1) without its line end; `None` if there is no such line.
    #[must_use]
    pub fn line_content(&self, line: u64) -> Option<Range<usize>> {
        let Range { start, end } = self.line_range(line)?;
        Some(start..self.content_end(start, end))
    }

    /// Returns the position of an offset as in the Language Server Protocol. Within an item, this is the item's
    /// position, and within U+000D U+000A, the end of the line.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::{LspPosition, TextIndex};
    /// let text = "one\r\n😀 two".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// assert_eq!(at.lsp_position(10, ColumnUnit::Utf16), LspPosition::new(1, 3));
    /// assert_eq!(at.lsp_position(4, ColumnUnit::Utf16), LspPosition::new(0, 3));
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn lsp_position(&self, offset: usize, unit: ColumnUnit) -> LspPosition {
        self.lsp_position_from(&mut Cursor::default(), offset, unit)
    }

    /// Returns the positions of many offsets, in any order; [`Indexed::lsp_position`] of each. Ascending ones are
    /// faster.
    #[must_use]
    pub fn lsp_positions(&self, offsets: &[usize], unit: ColumnUnit) -> Vec<LspPosition> {
        let mut cursor = Cursor::default();
        offsets.iter().map(|&offset| self.lsp_position_from(&mut cursor, offset, unit)).collect()
    }

    /// Returns the offset of a position of the Language Server Protocol, clamped as it prescribes: beyond the end of a
    /// line it is the end of the line, before its line end. Beyond the last line it is the end of the text. A position
    /// within an item gives the item's start.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::{LspPosition, TextIndex};
    /// let text = "one\r\n😀 two".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// let offset = |line, character| at.lsp_offset(LspPosition::new(line, character), ColumnUnit::Utf16);
    /// assert_eq!((offset(1, 3), offset(1, 1), offset(0, 99), offset(2, 0)), (10, 5, 3, 13));
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn lsp_offset(&self, position: LspPosition, unit: ColumnUnit) -> usize {
        self.lsp_offset_from(&mut Cursor::default(), position, unit)
    }

    /// Returns the offsets of many positions, in any order; [`Indexed::lsp_offset`] of each. Ascending ones are faster.
    #[must_use]
    pub fn lsp_offsets(&self, positions: &[LspPosition], unit: ColumnUnit) -> Vec<usize> {
        let mut cursor = Cursor::default();
        positions.iter().map(|&position| self.lsp_offset_from(&mut cursor, position, unit)).collect()
    }

    /// Returns the Language Server Protocol's range of a range of bytes.
    #[must_use]
    pub fn lsp_range(&self, range: Range<usize>, unit: ColumnUnit) -> Range<LspPosition> {
        let mut cursor = Cursor::default();
        let start = self.lsp_position_from(&mut cursor, range.start, unit);
        start..self.lsp_position_from(&mut cursor, range.end, unit)
    }

    /// Returns the range of bytes of a range of the Language Server Protocol, each end clamped like
    /// [`Indexed::lsp_offset`]. If a range ends before it begins, its ends are exchanged.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit::index::{LspPosition, TextIndex};
    /// let text = "one\r\n😀 two".as_bytes();
    /// let index = TextIndex::new(text);
    /// let at = index.on(text)?;
    /// let range = LspPosition::new(0, 9)..LspPosition::new(1, 2);
    /// assert_eq!(at.lsp_bytes(range, ColumnUnit::Utf16), 3..9);
    /// # Ok::<(), utf8kit::index::IndexError>(())
    /// ```
    #[must_use]
    pub fn lsp_bytes(&self, range: Range<LspPosition>, unit: ColumnUnit) -> Range<usize> {
        let mut cursor = Cursor::default();
        let start = self.lsp_offset_from(&mut cursor, range.start, unit);
        let end = self.lsp_offset_from(&mut cursor, range.end, unit);
        start.min(end)..start.max(end)
    }

    #[inline]
    fn position_from(&self, cursor: &mut Cursor, offset: usize, unit: ColumnUnit) -> usize {
        let quickly = match unit {
            ColumnUnit::Bytes => Some(offset.min(self.text.len())),
            ColumnUnit::CodePoints => self.quickly(cursor, offset),
            ColumnUnit::Utf16 => None,
        };
        quickly.unwrap_or_else(|| self.place_of(cursor, offset, false).in_unit(unit))
    }

    /// Counts the items before an offset as the bytes that are not continuations, which is faster. `None` if the block
    /// contains stray continuations, or the offset is within an item.
    #[inline]
    fn quickly(&self, cursor: &mut Cursor, offset: usize) -> Option<usize> {
        if is_continuation(*self.text.get(offset)?) {
            return None;
        }
        if offset < cursor.part.start.bytes || offset >= cursor.part.end.bytes {
            cursor.part = self.index.block_of_byte(offset);
        }
        let Section { start, end } = cursor.part;
        if end.minus(&start).is_narrow() {
            return Some(start.items + offset - start.bytes);
        }
        let before = dispatch::count(self.text.get(start.bytes..offset)?, Starts);
        let after = dispatch::count(self.text.get(offset..end.bytes)?, Starts);
        (before + after == end.items.wrapping_sub(start.items)).then_some(start.items + before)
    }

    fn line_column_from(&self, cursor: &mut Cursor, offset: usize, unit: ColumnUnit) -> LineColumn {
        let place = self.place_of(cursor, offset, true);
        let line = place.ends;
        let column = place.in_unit(unit).saturating_sub(self.line_start_from(cursor, line).in_unit(unit));
        LineColumn { line: line as u64 + 1, column: column as u64 + 1 }
    }

    fn lsp_position_from(&self, cursor: &mut Cursor, offset: usize, unit: ColumnUnit) -> LspPosition {
        let mut offset = self.before_feed(offset);
        if unit == ColumnUnit::Bytes {
            offset = floor_char_boundary(self.text, offset);
        }
        let place = self.place_of(cursor, offset, true);
        let line = place.ends;
        let start = self.line_start_from(cursor, line);
        LspPosition { line, character: place.in_unit(unit).saturating_sub(start.in_unit(unit)) }
    }

    fn lsp_offset_from(&self, cursor: &mut Cursor, position: LspPosition, unit: ColumnUnit) -> usize {
        let LspPosition { line, character } = position;
        if line >= self.index.lines() {
            return self.text.len();
        }
        let (known, start) = cursor.line;
        if line == known || line == 0 {
            let start = if line == 0 { Tally::default() } else { start };
            cursor.part = Section { start, end: start };
        } else if line <= cursor.part.start.ends || line > cursor.part.end.ends {
            cursor.part = self.index.block(|tally| tally.ends, line.saturating_sub(1));
        }
        let walk = self.index.walk(self.text, &cursor.part, line, unit, character);
        cursor.line = (line, walk.line);
        match walk.stop {
            Stop::Unit(at, false) if unit == ColumnUnit::Bytes => self.before_feed(floor_char_boundary(self.text, at)),
            Stop::Unit(at, second) => self.before_feed(if second { at.saturating_sub(3) } else { at }),
            Stop::LineEnd(last) => self.content_end(walk.line.bytes, last + 1),
            Stop::Range => self.far_along(cursor, &walk.line, character, unit),
        }
    }

    /// Returns the offset of a character in a long line or in the last line, given the counts before the line.
    fn far_along(&self, cursor: &mut Cursor, line: &Tally, character: usize, unit: ColumnUnit) -> usize {
        match self.place(cursor, line.in_unit(unit).saturating_add(character), unit) {
            Some(place) if place.ends == line.ends => self.before_feed(place.bytes),
            _ => self.content_end(line.bytes, self.line_end(line.ends)),
        }
    }

    /// Returns the counts before the item that contains a byte, except that `bytes` is the number of bytes before the
    /// byte itself.
    #[inline]
    fn place_of(&self, cursor: &mut Cursor, offset: usize, lines: bool) -> Tally {
        if offset >= self.text.len() {
            return self.index.total;
        }
        let part = cursor.part;
        if offset < part.start.bytes || offset >= part.end.bytes {
            cursor.part = self.index.block_of_byte(offset);
        }
        let (before, line) = self.index.before(self.text, &cursor.part, offset, lines);
        cursor.part.start = before;
        if let Some(line) = line {
            cursor.line = (line.ends, line);
        }
        // Every other byte begins an item.
        let within = self.text.get(offset).is_some_and(|&byte| is_continuation(byte))
            && floor_char_boundary(self.text, offset) < offset;
        Tally { items: before.items.saturating_sub(usize::from(within)), ..before }
    }

    /// Returns the counts before the item at a position; `None` if the position is beyond the end.
    #[inline]
    fn place(&self, cursor: &mut Cursor, position: usize, unit: ColumnUnit) -> Option<Tally> {
        let total = self.index.total;
        if position >= total.in_unit(unit) {
            return (position == total.in_unit(unit)).then_some(total);
        }
        let wanted = match unit {
            ColumnUnit::Bytes => {
                let start = floor_char_boundary(self.text, position);
                return Some(self.place_of(cursor, start, true));
            }
            ColumnUnit::CodePoints => Wanted::Items,
            ColumnUnit::Utf16 => Wanted::Utf16,
        };
        let part = cursor.part;
        if position < part.start.in_unit(unit) || position >= part.end.in_unit(unit) {
            cursor.part = match unit {
                ColumnUnit::CodePoints => self.index.block(|tally| tally.items, position),
                _ => self.index.block(|tally| tally.items + tally.fours, position),
            };
        }
        let (place, second) = self.index.nth(self.text, &cursor.part, wanted, position);
        if second {
            // The item may begin in the block before.
            return Some(Tally { bytes: place.bytes.saturating_sub(3), items: place.items.saturating_sub(1), ..place });
        }
        cursor.part.start = place;
        Some(place)
    }

    /// Returns the counts before a line (from 0), which must exist.
    fn line_start(&self, line: usize) -> Tally {
        self.line_start_from(&mut Cursor::default(), line)
    }

    fn line_start_from(&self, cursor: &mut Cursor, line: usize) -> Tally {
        let (known, start) = cursor.line;
        if line == known {
            return start;
        }
        let Some(end) = line.checked_sub(1) else { return Tally::default() };
        let part = self.index.block(|tally| tally.ends, end);
        let (end, _) = self.index.nth(self.text, &part, Wanted::LineEnds, end);
        // The last byte of U+0085, U+2028 and U+2029 begins no item.
        let is_item = self.text.get(end.bytes).is_some_and(u8::is_ascii);
        let last = Tally { bytes: 1, items: usize::from(is_item), fours: 0, ends: 1 };
        let start = end.plus(&last);
        cursor.line = (line, start);
        start
    }

    /// Returns the end of a line (from 0), which must exist.
    fn line_end(&self, line: usize) -> usize {
        if line + 1 < self.index.lines() { self.line_start(line + 1).bytes } else { self.text.len() }
    }

    /// Returns the end of a line without its line end.
    fn content_end(&self, start: usize, end: usize) -> usize {
        end - self.index.line_ends.end_len(self.text.get(start..end).unwrap_or_default())
    }

    /// Returns the offset before U+000D U+000A if the given one is within.
    #[inline]
    fn before_feed(&self, offset: usize) -> usize {
        let universal = self.index.line_ends != LineEnds::LineFeed;
        match (offset.checked_sub(1), self.text.get(offset)) {
            (Some(before), Some(b'\n')) if universal && self.text.get(before) == Some(&b'\r') => before,
            _ => offset,
        }
    }
}
