//! Lines of a stream that comes in pieces; one of any length is cut where it grows too long.

use std::ops::Range;

use utf8kit::{AnyEncoding, floor_in};

/// The most bytes of a line that are looked at together.
const LONGEST_LINE: usize = 64 * 1024;

/// Cuts a stream into lines, each with its line feed.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// A line whose end is yet to come.
    begun: Vec<u8>,
    /// Bytes that were given out.
    offset: u64,
}

impl Lines {
    /// Whether no line is begun.
    pub(super) fn is_idle(&self) -> bool {
        self.begun.is_empty()
    }

    /// Bytes that were given out since the beginning.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Begins anew: a count from 0.
    pub(super) fn begin(&mut self) {
        self.offset = 0;
    }

    /// The lines that begin and end within a piece: none if a line is begun.
    pub(super) fn whole_lines(&self, piece: &[u8]) -> Range<usize> {
        let feed = |byte: &u8| *byte == b'\n';
        let end = piece.iter().rposition(feed).map_or(0, |at| at + 1);
        let start = if self.is_idle() { Some(0) } else { piece.iter().position(feed).map(|at| at + 1) };
        start.map_or(0..0, |start| start..end.max(start))
    }

    /// Gives out the lines that a piece ends, with the offset of each; the rest waits, unless it is the `last`.
    pub(super) fn push(
        &mut self,
        encoding: AnyEncoding,
        mut piece: &[u8],
        last: bool,
        mut take: impl FnMut(u64, &[u8]),
    ) {
        let mut give = |offset: &mut u64, line: &[u8]| {
            if !line.is_empty() {
                take(*offset, line);
                *offset += line.len() as u64;
            }
        };
        while !piece.is_empty() {
            let room = LONGEST_LINE - self.begun.len();
            let reach = piece.get(..room).unwrap_or(piece);
            let feed = reach.iter().position(|&byte| byte == b'\n');
            let (front, rest) = piece.split_at(feed.map_or(reach.len(), |at| at + 1));
            piece = rest;
            if feed.is_some() && self.begun.is_empty() {
                give(&mut self.offset, front);
                continue;
            }
            self.begun.extend_from_slice(front);
            if feed.is_some() {
                give(&mut self.offset, &self.begun);
                self.begun.clear();
            } else if self.begun.len() >= LONGEST_LINE {
                let cut = floor_in(encoding, &self.begun, self.begun.len() - 1).max(1);
                give(&mut self.offset, &self.begun[..cut]);
                self.begun.drain(..cut);
            }
        }
        if last {
            give(&mut self.offset, &self.begun);
            self.begun.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_in_any_pieces() {
        let mut text = b"one\n\ntwo \xC3\xA9\nlast".to_vec();
        text.extend("\u{20AC}".repeat(LONGEST_LINE).bytes());
        let cut = |size: usize| {
            let (mut lines, mut all) = (Lines::default(), Vec::new());
            for piece in text.chunks(size) {
                lines.push(AnyEncoding::Utf8, piece, false, |at, line| all.push((at, line.to_vec())));
            }
            lines.push(AnyEncoding::Utf8, b"", true, |at, line| all.push((at, line.to_vec())));
            all
        };
        let whole = cut(text.len());
        assert_eq!(
            whole[..3],
            [(0, b"one\n".to_vec()), (4, b"\n".to_vec()), (5, b"two \xC3\xA9\n".to_vec())]
        );
        assert!(whole.iter().all(|(_, line)| utf8kit::validate(line).is_ok() && line.len() <= LONGEST_LINE));
        assert!(whole == cut(1) && whole == cut(70_000));
    }
}
