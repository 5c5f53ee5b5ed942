//! Converts positions between a text and its bytes, and between units of the text.

use std::ops::Range;

use utf8kit::index::{Indexed, TextIndex};
use utf8kit::{ColumnUnit, LineColumn, LineEnds};

use crate::Document;
use crate::put::WrittenSplice;
use crate::view::Finder;

impl Document<'_> {
    /// Returns the range of [`Document::to_bytes`] for a range of the text. A range that begins or ends within a piece
    /// is extended to the whole piece.
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// let document = Document::open(b"caf\xE9\r\nau lait");
    /// assert_eq!(document.to_bytes_range(3..6), 3..6); // "é" and the line end
    /// assert_eq!(document.to_text_range(3..6), 3..6);
    /// ```
    pub fn to_bytes_range(&self, range: Range<usize>) -> Range<usize> {
        if self.recoded {
            return self.recoded_byte(range.start)..self.recoded_byte(range.end.max(range.start));
        }
        let written_splices = self.written_splices();
        let start = self.byte_of(range.start, &written_splices, false);
        start..self.byte_of(range.end.max(range.start), &written_splices, range.end > range.start).max(start)
    }

    /// Returns the byte at which the text at a position begins or, with `end`, at which the text before it ends.
    fn byte_of(&self, text: usize, written_splices: &[WrittenSplice], end: bool) -> usize {
        let mut original = text;
        let mut shift = 0_isize;
        for put in written_splices {
            if text < put.text.start || (end && text == put.text.start) {
                break;
            }
            if text < put.text.end || (end && text == put.text.end) {
                return if end { put.bytes.end } else { put.bytes.start };
            }
            original = put.old_text + (text - put.text.end);
            shift = put.bytes.end as isize - put.old as isize;
        }
        let mut pieces = self.view.pieces_at(original);
        let piece = match end {
            true => pieces
                .next()
                .map(|piece| if piece.text.start == original { piece.bytes.start } else { piece.bytes.end }),
            false => pieces
                .find(|piece| piece.text.end > original || piece.text.start >= original)
                .map(|piece| piece.bytes.start),
        };
        piece.unwrap_or(self.view.bytes.len()).saturating_add_signed(shift)
    }

    /// Returns the range of the text for a range of [`Document::to_bytes`]. A range that begins or ends within a piece
    /// is extended to the whole piece.
    pub fn to_text_range(&self, range: Range<usize>) -> Range<usize> {
        if self.recoded {
            let start = self.recoded_text(range.start, false);
            return start..self.recoded_text(range.end, range.end > range.start).max(start);
        }
        let written_splices = self.written_splices();
        let start = self.text_of(range.start, &written_splices, false);
        start..self.text_of(range.end, &written_splices, range.end > range.start).max(start)
    }

    /// Returns the position in the original text of a byte of the original.
    pub(super) fn text_at(&self, finder: &mut Finder<'_>, byte: usize) -> usize {
        if byte <= self.view.mark {
            return 0;
        }
        finder.piece_of_byte(byte).map_or(self.view.text.len(), |piece| piece.text.start)
    }

    /// Converts an offset in the text, in bytes, to a position in a unit. Within a character, this is the position of
    /// the character; beyond the end, the end.
    ///
    /// ```
    /// use utf8kit::ColumnUnit;
    /// use utf8kit_document::Document;
    ///
    /// let document = Document::open("d\u{E9}j\u{E0} \u{1F600}!".as_bytes());
    /// let at = document.text().find('!').unwrap();
    /// assert_eq!(document.position_of(at, ColumnUnit::CodePoints), 6);
    /// assert_eq!(document.position_of(at, ColumnUnit::Utf16), 7);
    /// assert_eq!(document.offset_of(7, ColumnUnit::Utf16), Some(at));
    /// assert_eq!(document.offset_of(6, ColumnUnit::Utf16), None); // between two surrogates
    /// ```
    pub fn position_of(&self, offset: usize, unit: ColumnUnit) -> usize {
        let offset = utf8kit::floor_char_boundary(self.text().as_bytes(), offset);
        self.indexed().map_or(0, |at| at.position(offset, unit))
    }

    /// Converts a position in a unit to an offset in the text, in bytes; `None` if it is within a character or beyond
    /// the end.
    pub fn offset_of(&self, position: usize, unit: ColumnUnit) -> Option<usize> {
        let at = self.indexed()?;
        let offset = at.offset(position, unit)?;
        (at.position(offset, unit) == position).then_some(offset)
    }

    /// Returns the line and column of an offset in the text, in bytes. Lines end with a line feed.
    ///
    /// ```
    /// use utf8kit::{ColumnUnit, LineColumn, LineEnds};
    /// use utf8kit::index::{Indexed, TextIndex};
    /// use utf8kit_document::Document;
    ///
    /// let document = Document::open(b"caf\xE9\r\nau lait");
    /// let place = document.line_column(9, ColumnUnit::Utf16);
    /// assert_eq!(place, LineColumn::new(2, 4));
    /// assert_eq!(document.offset_at(place, ColumnUnit::Utf16), Some(9));
    /// ```
    pub fn line_column(&self, offset: usize, unit: ColumnUnit) -> LineColumn {
        let offset = utf8kit::floor_char_boundary(self.text().as_bytes(), offset);
        self.indexed().map_or(LineColumn::new(1, 1), |at| at.line_column(offset, unit))
    }

    /// Returns the offset in the text, in bytes, of a line and column; `None` if there is no such line, the line is
    /// shorter, or the column is within a character. The position after the last character of a line is in the line,
    /// the position after its line feed is not.
    pub fn offset_at(&self, place: LineColumn, unit: ColumnUnit) -> Option<usize> {
        let at = self.indexed()?;
        let line = at.line_content(place.line)?;
        let column = usize::try_from(place.column.checked_sub(1)?).ok()?;
        let offset = self.offset_of(at.position(line.start, unit).checked_add(column)?, unit)?;
        (offset <= line.end).then_some(offset)
    }

    /// Returns the text with its index. Never `None`.
    fn indexed(&self) -> Option<Indexed<'_>> {
        let text = self.text().as_bytes();
        self.index.get_or_init(|| TextIndex::with_line_ends(text, LineEnds::LineFeed)).on(text).ok()
    }

    fn text_of(&self, byte: usize, written_splices: &[WrittenSplice], end: bool) -> usize {
        let (mut shift, mut text_shift) = (0_isize, 0_isize);
        for put in written_splices {
            if byte < put.bytes.start || (end && byte == put.bytes.start) {
                break;
            }
            if byte < put.bytes.end || (end && byte == put.bytes.end) {
                return if end { put.text.end } else { put.text.start };
            }
            shift = put.bytes.end as isize - put.old as isize;
            text_shift = put.text.end as isize - put.old_text as isize;
        }
        let byte = byte.saturating_add_signed(-shift);
        let text = match end {
            true => self.view.piece_of_byte(byte.saturating_sub(1)).map(|piece| piece.text.end),
            false => self.view.piece_of_byte(byte).map(|piece| piece.text.start),
        };
        let mark = byte <= self.view.mark;
        let text = if mark { 0 } else { text.unwrap_or(self.view.text.len()) };
        text.saturating_add_signed(text_shift)
    }

    /// Returns the byte of a position in a text that was written as UTF-8, in which only line ends may be longer.
    fn recoded_byte(&self, place: usize) -> usize {
        let text = self.text().as_bytes();
        place + self.returns().take_while(|feed| *feed < place.min(text.len())).count()
    }

    /// Returns the position in such a text at which the character of a byte begins or, with `end`, at which the
    /// character of the byte before it ends.
    fn recoded_text(&self, byte: usize, end: bool) -> usize {
        // The line ends that begin before the byte.
        let before = self.returns().enumerate().take_while(|(index, feed)| feed + index < byte);
        let (before, last) = before.last().map_or((0, None), |(index, feed)| (index + 1, Some(feed)));
        let text = self.text();
        match last {
            Some(feed) if feed + before == byte => feed + usize::from(end),
            _ if end => utf8kit::ceil_char_boundary(text.as_bytes(), byte - before),
            _ => utf8kit::floor_char_boundary(text.as_bytes(), byte - before),
        }
    }

    /// Returns the line feeds that became CR LF in a text that was written as UTF-8.
    fn returns(&self) -> impl Iterator<Item = usize> {
        let (bytes, text, mut before) = (self.to_bytes(), self.text().as_bytes(), 0);
        memchr::memchr_iter(b'\n', text).filter(move |feed| {
            let is_longer = bytes.get(feed + before) == Some(&b'\r');
            before += usize::from(is_longer);
            is_longer
        })
    }
}
