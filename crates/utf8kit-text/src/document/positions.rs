//! Positions of a text in its bytes, and of bytes in the text.

use std::ops::Range;

use crate::document::Document;
use crate::document::put::Put;

impl Document<'_> {
    /// Returns the range of bytes of [`Document::to_bytes`] that a range of the text is written as. A range that begins
    /// or ends within a piece is extended to all of it.
    ///
    /// ```
    /// use utf8kit_text::document::Document;
    ///
    /// let document = Document::open(b"caf\xE9\r\nau lait");
    /// assert_eq!(document.to_bytes_range(3..6), 3..6); // "é" and the line end
    /// assert_eq!(document.to_text_range(3..6), 3..6);
    /// ```
    pub fn to_bytes_range(&self, range: Range<usize>) -> Range<usize> {
        if self.recoded {
            return range;
        }
        let puts = if self.splices.is_empty() { Vec::new() } else { self.put().1 };
        let start = self.byte_of(range.start, &puts, false);
        start..self.byte_of(range.end.max(range.start), &puts, range.end > range.start).max(start)
    }

    /// Returns the byte at which the text begins (or with `end`, ended) at a place.
    fn byte_of(&self, text: usize, puts: &[Put], end: bool) -> usize {
        let mut original = text;
        let mut shift = 0_isize;
        for (put, splice) in puts.iter().zip(&self.splices) {
            if text < put.text.start || (end && text == put.text.start) {
                break;
            }
            if text < put.text.end || (end && text == put.text.end) {
                return if end { put.bytes.end } else { put.bytes.start };
            }
            original = splice.old.end + (text - put.text.end);
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

    /// Returns the range of the text that a range of bytes of [`Document::to_bytes`] is shown as. A range that begins
    /// or ends within a piece is extended to all of it.
    pub fn to_text_range(&self, range: Range<usize>) -> Range<usize> {
        if self.recoded {
            return range;
        }
        let puts = if self.splices.is_empty() { Vec::new() } else { self.put().1 };
        let start = self.text_of(range.start, &puts, false);
        start..self.text_of(range.end, &puts, range.end > range.start).max(start)
    }

    /// Returns the place in the original text at which a byte of the original begins.
    pub(super) fn text_at(&self, byte: usize) -> usize {
        self.text_of(byte, &[], false)
    }

    fn text_of(&self, byte: usize, puts: &[Put], end: bool) -> usize {
        let (mut shift, mut text_shift) = (0_isize, 0_isize);
        for (put, splice) in puts.iter().zip(&self.splices) {
            if byte < put.bytes.start || (end && byte == put.bytes.start) {
                break;
            }
            if byte < put.bytes.end || (end && byte == put.bytes.end) {
                return if end { put.text.end } else { put.text.start };
            }
            shift = put.bytes.end as isize - put.old as isize;
            text_shift = put.text.end as isize - splice.old.end as isize;
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
}
