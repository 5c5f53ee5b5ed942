//! Lines of a stream that arrives in pieces; long lines are split.

use std::ops::Range;

use utf8kit::Encoding as _;
use utf8kit::{AnyEncoding, Piece};

/// The most bytes of a line that are processed together.
const MAX_BYTES_OF_LINE: usize = 64 * 1024;

/// How far from its end a long line is cut at a blank or a quotation mark.
const MAX_BYTES_BEFORE_CUT: usize = 4 * 1024;

/// Splits a stream into lines, each with its line feed.
#[derive(Debug, Default)]
pub struct Lines {
    /// A line whose end has not been read.
    begun: Vec<u8>,
    /// The number of bytes that were returned.
    offset: u64,
}

impl Lines {
    /// Reports whether no line is incomplete.
    pub(super) fn is_idle(&self) -> bool {
        self.begun.is_empty()
    }

    /// Returns the incomplete line.
    pub(super) fn begun(&self) -> &[u8] {
        &self.begun
    }

    /// Returns the number of bytes returned since the beginning.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Starts over with the offset 0.
    pub(super) fn begin(&mut self) {
        self.offset = 0;
    }

    /// Returns the range of lines that begin and end within a piece. Empty if a line is incomplete.
    pub(super) fn whole_lines(&self, piece: &[u8]) -> Range<usize> {
        let feed = |byte: &u8| *byte == b'\n';
        let end = piece.iter().rposition(feed).map_or(0, |at| at + 1);
        let start = if self.is_idle() { Some(0) } else { piece.iter().position(feed).map(|at| at + 1) };
        start.map_or(0..0, |start| start..end.max(start))
    }

    /// Calls a function with each line that a piece completes, and its offset. The rest is kept, unless this is the
    /// last piece.
    pub fn push(&mut self, encoding: AnyEncoding, mut bytes: &[u8], piece: Piece, mut take: impl FnMut(u64, &[u8])) {
        let mut give = |offset: &mut u64, line: &[u8]| {
            if !line.is_empty() {
                take(*offset, line);
                *offset += line.len() as u64;
            }
        };
        while !bytes.is_empty() {
            let capacity = MAX_BYTES_OF_LINE - self.begun.len();
            let reach = bytes.get(..capacity).unwrap_or(bytes);
            let feed = reach.iter().position(|&byte| byte == b'\n');
            let (front, rest) = bytes.split_at(feed.map_or(reach.len(), |at| at + 1));
            bytes = rest;
            if feed.is_some() && self.begun.is_empty() {
                give(&mut self.offset, front);
                continue;
            }
            self.begun.extend_from_slice(front);
            if feed.is_some() {
                give(&mut self.offset, &self.begun);
                self.begun.clear();
            } else if self.begun.len() >= MAX_BYTES_OF_LINE {
                let cut = gap(encoding, &self.begun)
                    .unwrap_or_else(|| encoding.floor_char_boundary(&self.begun, self.begun.len() - 1).max(1));
                give(&mut self.offset, &self.begun[..cut]);
                self.begun.drain(..cut);
            }
        }
        if piece.is_last() {
            give(&mut self.offset, &self.begun);
            self.begun.clear();
        }
    }
}

/// Returns the end of the last blank or quotation mark near the end of a line, which is not within an escape.
fn gap(encoding: AnyEncoding, line: &[u8]) -> Option<usize> {
    let start = line.len().saturating_sub(MAX_BYTES_BEFORE_CUT);
    let is_gap = |byte: &u8| matches!(byte, b' ' | b'"');
    let found = line.get(start..line.len() - 1)?.iter().rposition(is_gap)?;
    (encoding.unit() == 1).then_some(start + found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_in_any_pieces() {
        let mut text = b"one\n\ntwo \xC3\xA9\nlast".to_vec();
        text.extend("\u{20AC}".repeat(MAX_BYTES_OF_LINE).bytes());
        let cut = |size: usize| {
            let (mut lines, mut all) = (Lines::default(), Vec::new());
            for piece in text.chunks(size) {
                lines.push(AnyEncoding::Utf8, piece, Piece::Partial, |at, line| all.push((at, line.to_vec())));
            }
            lines.push(AnyEncoding::Utf8, b"", Piece::Last, |at, line| all.push((at, line.to_vec())));
            all
        };
        let whole = cut(text.len());
        assert_eq!(whole[..3], [(0, b"one\n".to_vec()), (4, b"\n".to_vec()), (5, b"two \xC3\xA9\n".to_vec())]);
        assert!(whole.iter().all(|(_, line)| utf8kit::validate(line).is_ok() && line.len() <= MAX_BYTES_OF_LINE));
        assert!(whole == cut(1) && whole == cut(70_000));
    }

    #[test]
    fn whole_lines_begin_and_end_in_the_piece() {
        let mut lines = Lines::default();
        let cases: [(&[u8], Range<usize>); 6] =
            [(b"", 0..0), (b"a", 0..0), (b"\n", 0..1), (b"a\nb", 0..2), (b"a\nb\n", 0..4), (b"\n\nb", 0..2)];
        for (piece, whole) in cases {
            assert_eq!(lines.whole_lines(piece), whole, "{piece:?}");
        }
        // The first line feed ends the incomplete line.
        lines.push(AnyEncoding::Utf8, b"begun", Piece::Partial, |_, _| panic!("nothing ends"));
        let cases: [(&[u8], Range<usize>); 6] =
            [(b"", 0..0), (b"a", 0..0), (b"\n", 1..1), (b"a\nb", 2..2), (b"a\nb\n", 2..4), (b"\n\nb", 1..2)];
        for (piece, whole) in cases {
            assert_eq!(lines.whole_lines(piece), whole, "{piece:?} behind a line that is begun");
        }
    }

    #[test]
    fn lines_know_where_they_begin() {
        let (mut lines, mut all) = (Lines::default(), Vec::new());
        for (piece, last) in [(&b"ab"[..], false), (b"c\nd\ne", false), (b"f\n", false), (b"g", true)] {
            lines.push(AnyEncoding::Utf8, piece, Piece::last_if(last), |at, line| all.push((at, line.to_vec())));
        }
        let expected: [(u64, &[u8]); 4] = [(0, b"abc\n"), (4, b"d\n"), (6, b"ef\n"), (9, b"g")];
        assert_eq!(all, expected.map(|(at, line)| (at, line.to_vec())));
        assert_eq!((lines.offset(), lines.is_idle()), (10, true));
    }

    #[test]
    fn a_line_is_cut_only_where_it_is_too_long() {
        for len in [MAX_BYTES_OF_LINE - 2, MAX_BYTES_OF_LINE - 1, MAX_BYTES_OF_LINE, MAX_BYTES_OF_LINE + 1] {
            let mut text = vec![b'x'; len];
            text.push(b'\n');
            for size in [1, 1000, text.len()] {
                let (mut lines, mut lens) = (Lines::default(), Vec::new());
                for piece in text.chunks(size) {
                    lines.push(AnyEncoding::Utf8, piece, Piece::Partial, |_, line| lens.push(line.len()));
                }
                lines.push(AnyEncoding::Utf8, b"", Piece::Last, |_, line| lens.push(line.len()));
                let cut = MAX_BYTES_OF_LINE - 1;
                let expected = if len < MAX_BYTES_OF_LINE { vec![len + 1] } else { vec![cut, len + 1 - cut] };
                assert_eq!(lens, expected, "{len} bytes in pieces of {size}");
            }
        }
    }
}
