//! Which characters end a line.

/// Which characters end a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineEnds {
    /// U+000A alone, as `wc` and `grep` count.
    LineFeed,
    /// U+000A, U+000D U+000A, and U+000D by itself: what the Language Server Protocol prescribes, and Python's
    /// universal newlines.
    #[default]
    Universal,
    /// The same, and U+000B, U+000C, U+0085, U+2028 and U+2029: the mandatory breaks of The Unicode Standard (5.8, UAX
    /// #14).
    Unicode,
}

impl LineEnds {
    /// Reports whether the byte at `at` is the last byte of a line end. A carriage return before a line feed is not.
    ///
    /// ```
    /// use utf8kit::LineEnds;
    /// let ends = |text: &[u8], line_ends: LineEnds| (0..text.len()).filter(|&at| line_ends.end_at(text, at)).count();
    /// assert_eq!(ends(b"a\r\nb\rc\n", LineEnds::Universal), 3);
    /// assert_eq!(ends(b"a\r\nb\rc\n", LineEnds::LineFeed), 2);
    /// assert_eq!(ends("a\u{2028}b\u{85}".as_bytes(), LineEnds::Unicode), 2);
    /// ```
    #[must_use]
    pub fn end_at(self, text: &[u8], at: usize) -> bool {
        let (line, rest) = text.split_at(text.len().min(at.saturating_add(1)));
        line.len() > at && self.end_len(line) > 0 && !(line.ends_with(b"\r") && rest.starts_with(b"\n"))
    }

    /// Returns the length of the line end at the end of a text, or 0 if there is none.
    pub(crate) fn end_len(self, text: &[u8]) -> usize {
        let (universal, unicode) = (self != LineEnds::LineFeed, self == LineEnds::Unicode);
        match text {
            [.., b'\r', b'\n'] if universal => 2,
            [.., b'\n'] => 1,
            [.., b'\r'] if universal => 1,
            [.., 0x0B | 0x0C] if unicode => 1,
            [.., 0xC2, 0x85] if unicode => 2,
            [.., 0xE2, 0x80, 0xA8 | 0xA9] if unicode => 3,
            _ => 0,
        }
    }
}
