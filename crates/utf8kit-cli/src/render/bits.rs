//! Draws an item: its bytes side by side, with the bits of each below the bits of the code point.
//!
//! ```text
//!   payload          0010    000010    101100
//!   pattern      1110xxxx  10xxxxxx  10xxxxxx
//!   bytes        11100010  10000010  10101100
//! ```

use std::fmt::Write as _;

use anstyle::Style;
use utf8kit::{Bit, Explanation};

use crate::palette::BYTES;
use crate::printer::{BAD, FAINT};

/// Width of the row labels, in columns.
const LABEL: usize = 14;

/// Draws items, with or without colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Whether to use colour.
    pub(crate) colors: bool,
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
        let label = self.paint(FAINT, &format!("  {label:<width$}", width = LABEL - 2));
        format!("{label}{}\n", text.trim_end())
    }

    /// Returns all rows of an item.
    pub(crate) fn picture(self, item: &Explanation) -> String {
        let missing = if item.result.is_err() { item.length_class.saturating_sub(item.len) } else { 0 };
        let next = item.next.filter(|_| missing > 0);
        let bytes = || (0..item.len).map(|index| (index, item.bits(index)));
        let mut rows = String::new();
        if item.result.is_ok() {
            rows += &self.row("binary", &self.binary(item));
        }
        let payload = bytes().map(|(index, bits)| {
            self.cell(index, bits, |bit| match bit {
                Bit::Payload { set, .. } => digit(set),
                _ => ' ',
            })
        });
        let mut text = payload.collect::<Vec<_>>().join("  ");
        if item.base > 0 {
            let _ = write!(text, "  counts from {:X}", item.base);
        }
        if !text.trim().is_empty() {
            rows += &self.row("payload", &text);
        }
        let pattern = bytes().map(|(index, bits)| self.cell(index, bits, place));
        let absent = (0..missing).map(|_| self.paint(FAINT, "........"));
        rows += &self.row("pattern", &pattern.chain(absent).collect::<Vec<_>>().join("  "));
        let written = bytes().map(|(index, bits)| self.cell(index, bits, |bit| digit(bit.is_set())));
        let found = next.map(|byte| self.paint(BAD, &format!("{byte:08b}  <- next")));
        rows += &self.row("bytes", &written.chain(found).collect::<Vec<_>>().join("  "));
        rows += &self.numbers("hex", item, next, |byte| format!("{byte:02X}"));
        rows += &self.numbers("octal", item, next, |byte| format!("{byte:03o}"));
        rows
    }

    /// Returns the bit patterns of the bytes, such as `1110xxxx 10xxxxxx 10xxxxxx`.
    pub(crate) fn pattern(item: &Explanation) -> String {
        let plain = Pen { colors: false };
        let cells = (0..item.len).map(|index| plain.cell(index, item.bits(index), place));
        cells.collect::<Vec<_>>().join(" ")
    }

    /// Returns the code point's bits in groups of four. Each bit has the colour of the byte that stores it unchanged.
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

    /// Returns a value of at least `len` bits in groups of four, each bit in the style of its position.
    fn fours(self, value: u32, len: u32, style: impl Fn(u32) -> Style) -> String {
        let len = len.max(u32::BITS - value.leading_zeros()).max(1).next_multiple_of(4);
        let mut text = String::new();
        for position in (0..len).rev() {
            text += &self.paint(style(position), &digit(value >> position & 1 == 1).to_string());
            if position % 4 == 0 {
                text.push(' ');
            }
        }
        text
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

    /// Returns the bytes as hexadecimal numbers. For an error, the byte that interrupted it follows.
    fn numbers(
        self,
        label: &str,
        item: &Explanation,
        next: Option<u8>,
        show: impl Fn(u8) -> String,
    ) -> String {
        let own = item.bytes().iter().enumerate();
        let cells = own.map(|(index, &byte)| self.paint(color(index), &format!("{:>8}", show(byte))));
        let next = next.map(|byte| self.paint(BAD, &format!("{:>8}", show(byte))));
        self.row(label, &cells.chain(next).collect::<Vec<_>>().join("  "))
    }
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
    use utf8kit::{Cesu8, Encoding, Utf8, explain};

    fn picture(encoding: impl Encoding, bytes: &[u8]) -> String {
        let item = explain(encoding, bytes).next().expect("an item");
        Pen { colors: false }.picture(&item)
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
