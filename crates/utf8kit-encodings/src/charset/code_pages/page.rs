//! Single-byte encodings that are defined by a table.

use std::fmt;

use super::tables::{PAGES, ROWS};

/// A single-byte encoding, defined by a table.
pub(crate) struct Page {
    /// Its name.
    pub(crate) name: &'static str,
    /// The rows of its characters, 16 each. Pages share most rows.
    rows: [u16; 16],
}

/// The rows of ASCII.
const ASCII: [u16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Stands for no character in a row.
const NONE: u16 = 0xFFFD;

/// Returns numbers of 16 bits, in little-endian order, as rows of `N`.
pub(super) const fn rows<const N: usize, const ROWS: usize>(bytes: &[u8]) -> [[u16; N]; ROWS] {
    assert!(bytes.len() == 2 * N * ROWS);
    let (mut rows, mut at) = ([[0; N]; ROWS], 0);
    while at < N * ROWS {
        rows[at / N][at % N] = u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
        at += 1;
    }
    rows
}

impl Page {
    pub(super) const fn new(name: &'static str, rows: [u16; 16]) -> Page {
        Page { name, rows }
    }

    /// Returns the page of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Page> {
        PAGES.iter().find(|page| page.name == name)
    }

    fn rows(&self) -> impl Iterator<Item = &'static [u16; 16]> {
        self.rows.iter().filter_map(|row| ROWS.get(usize::from(*row)))
    }

    /// Returns the character of a byte; `None` if it has none.
    pub(crate) fn char_of(&self, byte: u8) -> Option<char> {
        let row = ROWS.get(usize::from(self.rows[usize::from(byte >> 4)]))?;
        let value = row[usize::from(byte & 0xF)];
        char::from_u32(u32::from(value)).filter(|_| value != NONE)
    }

    /// Returns the byte of a character; if there are several, the ASCII byte, or else the first one.
    pub(crate) fn byte_of(&self, scalar: char) -> Option<u8> {
        if scalar.is_ascii() && self.char_of(scalar as u8) == Some(scalar) {
            return Some(scalar as u8);
        }
        let value = u16::try_from(u32::from(scalar)).ok().filter(|value| *value != NONE)?;
        let mut rows = self.rows().enumerate();
        rows.find_map(|(at, row)| Some((at * 16 + row.iter().position(|&other| other == value)?) as u8))
    }

    /// Reports whether ASCII characters are their own bytes.
    pub(crate) fn keeps_ascii(&self) -> bool {
        self.rows.starts_with(&ASCII)
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Page {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_go_both_ways() {
        for page in &PAGES {
            for c in (0..=255).filter_map(|byte| page.char_of(byte)) {
                let back = page.byte_of(c).and_then(|byte| page.char_of(byte));
                assert_eq!(back, Some(c), "{}", page.name);
            }
            let keeps_ascii = (0..128).all(|byte| page.char_of(byte) == Some(char::from(byte)));
            assert_eq!(page.keeps_ascii(), keeps_ascii, "{}", page.name);
            assert_eq!(page.byte_of('\u{4E00}'), None);
            assert_eq!(page.byte_of('\u{FFFD}'), None);
        }
    }
}
