//! Lines of UTF-16 among lines of UTF-8.

use super::change::{Change, is_alien};
use utf8kit::Piece;

/// The longest line whose end is waited for.
const LONGEST_LINE: usize = 1 << 20;

/// Decodes the lines of UTF-16.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Whether the last line was in UTF-16.
    is_within: bool,
    /// The lines in UTF-16, and whether there was other text.
    wide: u64,
    has_others: bool,
}

/// A line, or the part of one that is in one encoding.
enum Line {
    /// The number of bytes that stay unchanged.
    Same(usize),
    /// The number of bytes of UTF-16, and their text.
    Wide(usize, String),
    /// More input is needed.
    Open,
}

impl Parts {
    pub(super) fn scan(
        &mut self,
        bytes: &[u8],
        piece: Piece,
        out: &mut Vec<u8>,
        change: Change<'_>,
    ) -> usize {
        let (mut at, mut nul) = (0, memchr::memchr(0, bytes));
        while let Some(rest @ [_, ..]) = bytes.get(at..) {
            if nul.is_some_and(|nul| nul < at) {
                nul = memchr::memchr(0, rest).map(|nul| at + nul);
            }
            match self.line(rest, nul.is_some(), piece.is_last() || rest.len() > LONGEST_LINE) {
                Line::Open => break,
                Line::Same(len) => {
                    let same = rest.get(..len).unwrap_or_default();
                    out.extend_from_slice(same);
                    self.has_others |= same.iter().any(|byte| !byte.is_ascii_whitespace());
                    (self.is_within, at) = (false, at + len);
                }
                Line::Wide(len, text) => {
                    out.extend_from_slice(text.as_bytes());
                    change(at, rest.get(..len).unwrap_or_default(), text.as_bytes());
                    self.wide += 1;
                    (self.is_within, at) = (true, at + len);
                }
            }
        }
        at
    }

    /// Reports whether a text that begins with `head` is UTF-8 once its UTF-16 lines are decoded.
    pub(super) fn are_in(head: &[u8], is_whole: bool) -> bool {
        let (mut parts, mut out) = (Parts::default(), Vec::new());
        parts.scan(head, Piece::last_if(is_whole), &mut out, &mut |_, _, _| {});
        parts.are_mixed() && is_text(&out)
    }

    /// Reports whether there are lines of both kinds.
    pub(super) fn are_mixed(&self) -> bool {
        self.wide > 0 && self.has_others
    }

    /// Reads the next line of `rest`. `has_nuls` is whether `rest` contains NULs.
    fn line(&self, rest: &[u8], has_nuls: bool, last: bool) -> Line {
        let feed = memchr::memchr(b'\n', rest);
        let end = feed.map_or(rest.len(), |feed| feed + 1);
        let line = rest.get(..end).unwrap_or_default();
        if !last && (feed.is_none() || rest.len() < end + 2) {
            return Line::Open;
        }
        let reads: [fn([u8; 2]) -> u16; 2] = [u16::from_le_bytes, u16::from_be_bytes];
        if is_text(line) {
            // The bytes of East Asian characters may all be ASCII, but the line end after them is not.
            let own = rest.get(..=end).filter(|own| own.ends_with(b"\n\0")).unwrap_or_default();
            return match wide(own, reads[0], self.is_within, true) {
                Line::Wide(len, text) if len == own.len() => Line::Wide(len, text),
                _ => Line::Same(end),
            };
        }
        // UTF-16 without NULs contains neither ASCII nor line ends, and searching for these from each line of another
        // encoding would take quadratic time.
        let may_be_wide = has_nuls || rest.len() < 2;
        for read in reads.into_iter().filter(|_| may_be_wide) {
            match wide(rest, read, self.is_within, last) {
                Line::Same(_) => {}
                found => return found,
            }
        }
        // UTF-16 may also follow UTF-8 without a line end.
        let start = memchr::memchr(0, line).unwrap_or_default().saturating_sub(1);
        let behind = rest.get(start..).unwrap_or_default();
        let is_begun = start > 0 && rest.get(..start).is_some_and(is_text);
        if is_begun && !matches!(wide(behind, reads[0], false, last), Line::Same(_)) {
            return Line::Same(start);
        }
        Line::Same(end)
    }
}

/// Reports whether bytes are text in UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| is_alien(*byte)) && utf8kit::validate(bytes).is_ok()
}

/// Reads a line of UTF-16; `Line::Same` if it is not one. After a line in another encoding, at least half of it must be
/// ASCII, or it must have a line end and no character from U+3000.
fn wide(rest: &[u8], read: fn([u8; 2]) -> u16, is_within: bool, last: bool) -> Line {
    const NONE: Line = Line::Same(0);
    let (units, odd) = rest.as_chunks::<2>();
    let mut line: Vec<u16> = units.iter().map(|unit| read(*unit)).take_while(|unit| *unit != 0x0A).collect();
    let has_end = line.len() < units.len();
    if has_end {
        line.push(0x0A);
    } else if !odd.is_empty() || !last {
        let is_plausible = line.iter().filter(|unit| **unit < 0x80).count() * 2 >= line.len();
        return if last || !is_plausible { NONE } else { Line::Open };
    }
    let is_marked = line.first() == Some(&0xFEFF);
    let own = line.get(usize::from(is_marked)..).unwrap_or_default();
    let Ok(text) = String::from_utf16(own) else { return NONE };
    let ascii = own.iter().filter(|unit| **unit < 0x80).count();
    let is_near = own.iter().all(|unit| *unit < 0x3000) && has_end;
    let is_rather_text = ascii * 2 >= own.len() || is_within || is_marked || is_near;
    let is_clean =
        !text.chars().any(|c| u8::try_from(c).is_ok_and(|c| is_alien(c) || matches!(c, 0x80..=0x9F)));
    if own.is_empty() || ascii == 0 || !is_rather_text || !is_clean {
        return NONE;
    }
    Line::Wide(line.len() * 2, text)
}
