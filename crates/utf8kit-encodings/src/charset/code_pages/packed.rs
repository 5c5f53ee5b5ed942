//! Packed tables: for each length of a code, from one byte to four, runs of successive codes.
//!
//! The packer in `code_pages.py` writes `sequences.bin` and `written.bin`. A run consists of the number of codes that
//! are skipped before it; twice the number of its codes, plus one if their characters are consecutive; and then the
//! characters (only the first if they are consecutive), each by its distance from the previous one. A table may list
//! only its differences from another table.

use std::collections::BTreeMap;

/// The text of a code: a character, or a character with a mark.
pub(crate) type Text = (char, Option<char>);

/// A code: its bytes, the first one highest, and their number.
pub(super) type Code = (u32, u8);

/// A packed table: its name, the index of the table on which it is based, whether 0E shifts to codes of two bytes, and
/// the offset and length of its data.
pub(super) type Table = (&'static str, Option<usize>, bool, usize, usize);

/// Returns the texts of all codes of a packed table, sorted, and adds what follows the first two characters to `long`.
pub(super) fn unpacked(
    tables: &[Table],
    data: &'static [u8],
    place: usize,
    long: &mut Vec<(Code, String)>,
) -> Vec<(Code, Text)> {
    let Some(&(_, base, _, start, len)) = tables.get(place) else { return Vec::new() };
    let mut packed = Packed { data: data.get(start..start + len).unwrap_or_default(), last: 0 };
    let mut texts = Vec::new();
    for len in 1..=4 {
        let mut at = 0;
        for _ in 0..packed.number() {
            at += packed.number();
            let header = packed.number();
            let is_range = header & 1 == 1;
            for place in 0..header >> 1 {
                let code = (at << (32 - 8 * u32::from(len)), len);
                let text = match is_range && place > 0 {
                    true => packed.next(),
                    false => packed.text(code, long),
                };
                texts.push((code, text));
                at += 1;
            }
        }
    }
    // A base precedes the tables that are based on it.
    match base {
        Some(base) => {
            let mut all: BTreeMap<Code, Text> = unpacked(tables, data, base, long).into_iter().collect();
            all.extend(texts);
            texts = all.into_iter().collect();
        }
        None => texts.sort_unstable_by_key(|&(code, _)| code),
    }
    // This is how a table removes codes of its base.
    texts.retain(|(_, text)| text.0 != char::REPLACEMENT_CHARACTER);
    texts
}

/// The rest of a table's data.
struct Packed {
    data: &'static [u8],
    last: u32,
}

impl Packed {
    fn byte(&mut self) -> u32 {
        let (first, rest) = self.data.split_first().unwrap_or((&0, &[]));
        self.data = rest;
        u32::from(*first)
    }

    fn number(&mut self) -> u32 {
        let (mut value, mut bits) = (0_u32, 0);
        loop {
            let byte = self.byte();
            value |= (byte & 0x7F).checked_shl(bits).unwrap_or(0);
            bits += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }

    fn char(&mut self) -> char {
        let first = self.byte();
        self.last = match first {
            ..176 => (self.last + 1 + first).wrapping_sub(64),
            176..254 => (self.last + 1 + ((first - 176) << 8) + self.byte()).wrapping_sub(4096),
            _ => self.byte() << 16 | self.byte() << 8 | self.byte(),
        };
        char::from_u32(self.last).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Returns the text of a code, and adds the rest of it to `long` if it has more than two characters.
    fn text(&mut self, code: Code, long: &mut Vec<(Code, String)>) -> Text {
        let more = self.data.iter().take_while(|byte| **byte == 0xFF).count();
        self.data = self.data.get(more..).unwrap_or_default();
        let text = (self.char(), (more > 0).then(|| self.char()));
        if more > 1 {
            long.push((code, (1..more).map(|_| self.char()).collect()));
        }
        text
    }

    fn next(&mut self) -> Text {
        self.last += 1;
        (char::from_u32(self.last).unwrap_or(char::REPLACEMENT_CHARACTER), None)
    }
}
