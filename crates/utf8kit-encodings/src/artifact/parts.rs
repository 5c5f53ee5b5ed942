//! Lines of UTF-16 among lines of UTF-8 or of an encoding with 8 bits.

use super::change::{Change, is_alien};
use utf8kit::Piece;

/// The longest line whose end is waited for.
const LONGEST_LINE: usize = 1 << 20;

/// How many units of a line decide whether it is worth searching for its end. From each line in another encoding, the
/// search would take quadratic time.
const UNITS_AT_FIRST: usize = 1 << 12;

/// The fewest units in lines of UTF-16 that cannot be a coincidence in other text with NULs.
const MIN_CERTAIN_UNITS: usize = 3;

/// Up to this many bytes at the end of East Asian text are more likely its letters than ASCII that a program appended.
const MAX_EASTERN_TAIL: usize = 16;

/// Decodes the lines of UTF-16.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Whether the last line was in UTF-16.
    is_within: bool,
    /// The lines in UTF-16, how many units those with a line end or a mark have, and whether there was other text.
    wide: u64,
    units: usize,
    has_others: bool,
    /// Whether lines in UTF-16 have letters of East Asia.
    is_eastern: bool,
    /// The byte order of the first line in UTF-16, and so of all of them. A text that is entirely UTF-16 would seem to
    /// change its byte order wherever a byte 0A of a letter is mistaken for a line end.
    order: Option<Order>,
}

/// A byte order.
type Order = fn([u8; 2]) -> u16;

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
    pub(super) fn scan(&mut self, bytes: &[u8], piece: Piece, out: &mut Vec<u8>, change: Change<'_>) -> usize {
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
                    self.is_eastern |= text.contains(is_eastern);
                    if text.ends_with('\n') || is_marked(rest) {
                        self.units += len / 2;
                    }
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

    /// Reports whether the lines in UTF-16 are certain even if the others are not UTF-8.
    pub(super) fn are_certain(&self) -> bool {
        self.units >= MIN_CERTAIN_UNITS
    }

    /// Reads the next line of `rest`. `has_nuls` is whether `rest` contains NULs.
    fn line(&mut self, rest: &[u8], has_nuls: bool, last: bool) -> Line {
        let feed = memchr::memchr(b'\n', rest);
        let end = feed.map_or(rest.len(), |feed| feed + 1);
        let line = rest.get(..end).unwrap_or_default();
        if !last && (feed.is_none() || rest.len() < end + 2) {
            return Line::Open;
        }
        let orders: [Order; 2] = [u16::from_le_bytes, u16::from_be_bytes];
        let orders = self.order.map_or(orders, |order| [order; 2]);
        let is_rather_bytes = is_line_of_bytes(line, orders[0]);
        // A letter of East Asia may have a byte 0A.
        if self.is_within
            && self.is_eastern
            && let Line::Wide(len, text) = wide(rest, orders[0], true, last)
            && text.chars().all(|c| c.is_ascii() || is_eastern(c))
        {
            return Line::Wide(len, text);
        }
        // The last line of UTF-16 in East Asia may lack ASCII.
        if feed.is_none()
            && self.is_within
            && (!is_rather_bytes || self.is_eastern && rest.len() <= MAX_EASTERN_TAIL)
            && let Some(text) = last_line(rest, orders[0])
        {
            return Line::Wide(rest.len(), text);
        }
        if is_text(line) {
            // The bytes of East Asian characters may all be ASCII, but the line end after them is not.
            let own = rest.get(..=end).filter(|own| own.ends_with(b"\n\0")).unwrap_or_default();
            return match wide(own, orders[0], self.is_within, true) {
                Line::Wide(len, text) if len == own.len() => Line::Wide(len, text),
                _ => Line::Same(end),
            };
        }
        // After a line of another kind, UTF-16 has some ASCII, so it has a NUL.
        let is_ended = rest.get(end) != Some(&0) || line.len().is_multiple_of(2);
        let may_be_bytes = !line.iter().any(|byte| is_alien(*byte)) && (!self.is_within || is_rather_bytes);
        if feed.is_some() && is_ended && !is_marked(rest) && may_be_bytes {
            return Line::Same(end);
        }
        // UTF-16 without NULs contains neither ASCII nor line ends, and searching for these from each line of another
        // encoding would take quadratic time.
        let may_be_wide = has_nuls || rest.len() < 2;
        for order in orders.into_iter().filter(|_| may_be_wide) {
            match wide(rest, order, self.is_within, last) {
                Line::Same(_) => {}
                found => {
                    if matches!(found, Line::Wide(..)) {
                        self.order = Some(order);
                    }
                    return found;
                }
            }
        }
        // UTF-16 may also follow UTF-8 without a line end.
        let start = memchr::memchr(0, line).unwrap_or_default().saturating_sub(1);
        let behind = rest.get(start..).unwrap_or_default();
        let is_begun = start > 0 && rest.get(..start).is_some_and(is_text);
        if is_begun && !matches!(wide(behind, orders[0], false, last), Line::Same(_)) {
            return Line::Same(start);
        }
        Line::Same(end)
    }
}

/// Reports whether bytes are text in UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| is_alien(*byte)) && utf8kit::validate(bytes).is_ok()
}

/// Reports whether bytes begin with a byte order mark of UTF-16.
fn is_marked(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

/// Reports whether a line is more likely text in an 8-bit encoding: it has no controls, and most of its UTF-16 units
/// are pairs of ASCII bytes, private-use characters, or surrogates.
fn is_line_of_bytes(line: &[u8], order: Order) -> bool {
    let (units, _) = line.as_chunks::<2>();
    let is_letter = |byte: u8| matches!(byte, b'\t' | b'\r' | b'\n' | b' '..=b'~');
    let is_rather_bytes = |unit: &&[u8; 2]| {
        let [high, low] = order(**unit).to_be_bytes();
        is_letter(low) && is_letter(high) && high >= b' ' || matches!(high, 0xD8..=0xF8)
    };
    let bytes = units.iter().filter(is_rather_bytes).count();
    !line.iter().any(|byte| is_alien(*byte)) && bytes * 2 > units.len()
}

/// Reads the last line of a text in UTF-16 of East Asia, if all of it is letters and signs of East Asia.
fn last_line(rest: &[u8], order: Order) -> Option<String> {
    let (units, []) = rest.as_chunks::<2>() else { return None };
    let text = String::from_utf16(&units.iter().map(|unit| order(*unit)).collect::<Vec<_>>()).ok()?;
    text.chars().all(is_eastern).then_some(text)
}

/// Reports whether a character is a letter or sign of East Asia.
fn is_eastern(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF00}'..='\u{FFEF}')
}

/// Returns the units before a line feed.
fn units_of_line(units: &[[u8; 2]], order: Order) -> impl Iterator<Item = u16> {
    units.iter().map(move |unit| order(*unit)).take_while(|unit| *unit != 0x0A)
}

/// Reads a line of UTF-16; `Line::Same` if it is not one. After a line in another encoding, at least half of it must be
/// ASCII, or it must have a line end and no character from U+3000.
fn wide(rest: &[u8], read: fn([u8; 2]) -> u16, is_within: bool, last: bool) -> Line {
    const NONE: Line = Line::Same(0);
    let (units, odd) = rest.as_chunks::<2>();
    let is_rather_text = |line: &[u16]| {
        let ascii = line.iter().filter(|unit| **unit < 0x80).count();
        is_within || line.first() == Some(&0xFEFF) || ascii * 2 >= line.len()
    };
    let is_near = |line: &[u16]| line.iter().all(|unit| *unit < 0x3000);
    let (first, others) = units.split_at(units.len().min(UNITS_AT_FIRST));
    let mut line: Vec<u16> = units_of_line(first, read).collect();
    if line.len() == UNITS_AT_FIRST {
        if !is_rather_text(&line) && !is_near(&line) {
            return NONE;
        }
        line.extend(units_of_line(others, read));
    }
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
    let has_ascii = own.iter().any(|unit| *unit < 0x80);
    let is_rather_text = is_rather_text(&line) || has_end && is_near(own);
    let is_clean = !text.chars().any(|c| u8::try_from(c).is_ok_and(|c| is_alien(c) || matches!(c, 0x80..=0x9F)));
    if !has_ascii || !is_rather_text || !is_clean {
        return NONE;
    }
    Line::Wide(line.len() * 2, text)
}
