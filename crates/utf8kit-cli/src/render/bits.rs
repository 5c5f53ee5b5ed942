//! Draws a code point or error: its bytes side by side, with the bits of each below the bits of the code point.
//!
//! ```text
//!   payload          0010    000010    101100
//!   pattern      1110xxxx  10xxxxxx  10xxxxxx
//!   bytes        11100010  10000010  10101100
//! ```
//!
//! Bytes that do not fit into the columns follow below.

use std::ops::Range;

use anstyle::Style;
use utf8kit::explain::{Bit, Explanation};

use crate::columns::wrapped;
use crate::palette::BYTES;
use crate::printer::{BAD, FAINT};

/// Width of the row labels, in columns.
const LABEL_COLUMNS: usize = 14;

/// Width of a byte, and of the space between two.
const BYTE_COLUMNS: usize = 8;
const BYTE_GAP: &str = "  ";

/// The pointer to the byte that interrupted a sequence.
const NEXT: &str = "  <- next";

/// Draws items, with or without colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Whether to use colour.
    pub(crate) colors: bool,
    /// The width of the picture.
    pub(crate) columns: usize,
}

impl Pen {
    /// Returns the style, or plain if there is no colour.
    pub(crate) fn style(self, style: Style) -> Style {
        if self.colors { style } else { Style::new() }
    }

    /// Returns text in a style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let style = self.style(style);
        format!("{style}{text}{style:#}")
    }

    /// Returns a row with a label and its text.
    pub(crate) fn row(self, label: &str, text: &str) -> String {
        let label = self.paint(FAINT, &format!("  {label:<width$}", width = LABEL_COLUMNS - 2));
        format!("{label}{}\n", text.trim_end())
    }

    /// Returns a row with a label and words, in as many lines as they take. All but the first are `deeper`.
    pub(crate) fn words(self, label: &str, text: &str, deeper: usize) -> String {
        self.row(label, &wrapped(text, LABEL_COLUMNS, LABEL_COLUMNS + deeper, self.columns))
    }

    /// Returns all rows of an item.
    pub(crate) fn picture(self, item: &Explanation) -> String {
        let missing = if item.result.is_err() { item.length_class.saturating_sub(item.len) } else { 0 };
        let next = item.next.filter(|_| missing > 0);
        let mut rows = String::new();
        if item.result.is_ok() {
            rows += &self.binary(item);
        }
        let number = item.len + missing;
        for strip in strips(number, BYTE_COLUMNS + BYTE_GAP.len(), self.columns) {
            let bytes = || strip.clone().take_while(|index| *index < item.len);
            let bits = |show: fn(Bit) -> char| {
                bytes().map(move |index| self.cell(index, item.bits(index), show)).collect::<Vec<_>>()
            };
            let end = LABEL_COLUMNS + strip.len() * (BYTE_COLUMNS + BYTE_GAP.len()) - BYTE_GAP.len();
            let (is_last, is_next) = (strip.end == number, strip.contains(&item.len));
            let next = next.filter(|_| is_next);
            let mut payload = bits(|bit| match bit {
                Bit::Payload { set, .. } => digit(set),
                _ => ' ',
            })
            .join(BYTE_GAP);
            if item.base > 0 && is_last {
                let base = format!("counts from {:X}", item.base);
                let fits = end + BYTE_GAP.len() + base.len() <= self.columns;
                let gap = if fits { BYTE_GAP.to_owned() } else { format!("\n{}", " ".repeat(LABEL_COLUMNS)) };
                payload += &(gap + &base);
            }
            if !payload.trim().is_empty() {
                rows += &self.row("payload", &payload);
            }
            let absent = strip.len() - bytes().count();
            let mut pattern = bits(place);
            pattern.extend((0..absent).map(|_| self.paint(FAINT, "........")));
            rows += &self.row("pattern", &pattern.join(BYTE_GAP));
            let mut written = bits(|bit| digit(bit.is_set()));
            let arrow = if end + NEXT.len() <= self.columns { NEXT } else { "" };
            written.extend(next.map(|byte| self.paint(BAD, &format!("{byte:08b}{arrow}"))));
            rows += &self.row("bytes", &written.join(BYTE_GAP));
            let numbers = |show: fn(u8) -> String| {
                let own = bytes().zip(item.bytes().get(strip.start..).unwrap_or_default());
                let own = own.map(|(index, &byte)| self.paint(color(index), &format!("{:>8}", show(byte))));
                let next = next.map(|byte| self.paint(BAD, &format!("{:>8}", show(byte))));
                own.chain(next).collect::<Vec<_>>().join(BYTE_GAP)
            };
            rows += &self.row("hex", &numbers(|byte| format!("{byte:02X}")));
            rows += &self.row("octal", &numbers(|byte| format!("{byte:03o}")));
        }
        rows
    }

    /// Returns the bit patterns of the bytes, such as `1110xxxx 10xxxxxx 10xxxxxx`.
    pub(crate) fn pattern(item: &Explanation) -> String {
        let plain = Pen { colors: false, columns: usize::MAX };
        let cells = (0..item.len).map(|index| plain.cell(index, item.bits(index), place));
        cells.collect::<Vec<_>>().join(" ")
    }

    /// Returns the row of the code point's bits, in groups of four. Each bit has the colour of the byte that stores it
    /// unchanged.
    fn binary(self, item: &Explanation) -> String {
        if item.base > 0 {
            return self.fours(item.result.unwrap_or(0), 0, |_| Style::new());
        }
        let mut owner = [0; 32];
        for index in 0..item.len {
            for bit in item.bits(index) {
                if let Bit::Payload { position, .. } = bit
                    && let Some(owner) = owner.get_mut(usize::from(position))
                {
                    *owner = index;
                }
            }
        }
        self.fours(item.payload, item.payload_len(), |position| match owner.get(position as usize) {
            Some(&owner) if position < item.payload_len() => color(owner),
            _ => FAINT,
        })
    }

    /// Returns the row of a value of at least `len` bits in groups of four, each bit in the style of its position.
    fn fours(self, value: u32, len: u32, style: impl Fn(u32) -> Style) -> String {
        let groups = len.max(u32::BITS - value.leading_zeros()).max(1).div_ceil(4);
        let bit = |position| self.paint(style(position), &digit(value >> position & 1 == 1).to_string());
        let group = |group: usize| {
            let lowest = (groups - 1 - group as u32) * 4;
            (lowest..lowest + 4).rev().map(bit).collect::<String>()
        };
        let lines = strips(groups as usize, "0000 ".len(), self.columns).map(|line| line.map(group));
        let lines: Vec<_> = lines.map(|line| line.collect::<Vec<_>>().join(" ")).collect();
        self.row("binary", &lines.join(&format!("\n{}", " ".repeat(LABEL_COLUMNS))))
    }

    /// Returns the bits of a byte, with faint markers.
    fn cell(self, index: usize, bits: [Bit; 8], show: impl Fn(Bit) -> char) -> String {
        let mut text = String::new();
        let marker = |bit: &Bit| matches!(bit, Bit::Marker(_));
        for run in bits.chunk_by(|a, b| marker(a) == marker(b)) {
            let style = if run.first().is_some_and(marker) { FAINT } else { color(index) };
            text += &self.paint(style, &run.iter().map(|&bit| show(bit)).collect::<String>());
        }
        text
    }
}

/// Divides the cells next to the label evenly among as few lines as the columns allow. `width` includes the space after
/// a cell.
fn strips(number: usize, width: usize, columns: usize) -> impl Iterator<Item = Range<usize>> {
    // The last cell has no space after it. A space is at most two columns.
    let most = (columns.saturating_sub(LABEL_COLUMNS).saturating_add(BYTE_GAP.len()) / width).max(1);
    let len = number.div_ceil(number.div_ceil(most).max(1)).max(1);
    (0..number).step_by(len).map(move |start| start..number.min(start + len))
}

fn digit(set: bool) -> char {
    if set { '1' } else { '0' }
}

/// Returns the character for a bit in a pattern.
fn place(bit: Bit) -> char {
    match bit {
        Bit::Marker(set) => digit(set),
        _ => 'x',
    }
}

/// Returns the colour of a byte.
fn color(index: usize) -> Style {
    BYTES.get(index % BYTES.len()).map_or(Style::new(), |shade| shade.terminal.on_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use utf8kit::explain::explain;
    use utf8kit::{Cesu8, Encoding, Utf8};

    fn picture(encoding: impl Encoding<Unit = u8>, bytes: &[u8]) -> String {
        let item = explain(encoding, bytes).next().expect("an item");
        Pen { colors: false, columns: 80 }.picture(&item)
    }

    #[test]
    fn a_code_point() {
        let rows = "  binary      0010 0000 1010 1100\n  \
                      payload         0010    000010    101100\n  \
                      pattern     1110xxxx  10xxxxxx  10xxxxxx\n  \
                      bytes       11100010  10000010  10101100\n  \
                      hex               E2        82        AC\n  \
                      octal            342       202       254\n";
        assert_eq!(picture(Utf8, "\u{20AC}".as_bytes()), rows);
    }

    #[test]
    fn a_pair_counts_from_above_the_first_plane() {
        let rows = picture(Cesu8, b"\xED\xA0\xBD\xED\xB8\x80");
        assert!(rows.contains("counts from 10000"), "{rows}");
    }

    #[test]
    fn an_error_shows_what_broke_it_off() {
        let rows = "  payload         0010    000010\n  \
                      pattern     1110xxxx  10xxxxxx  ........\n  \
                      bytes       11100010  10000010  01000001  <- next\n  \
                      hex               E2        82        41\n  \
                      octal            342       202       101\n";
        assert_eq!(picture(Utf8, b"\xE2\x82A"), rows);
    }
}
