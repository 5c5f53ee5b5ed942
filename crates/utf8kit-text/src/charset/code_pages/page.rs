//! Single-byte encodings that are defined by a table.

use std::sync::OnceLock;

use super::tables::{CP037, CP437, CP500, CP850, CP852, CP1047};

/// A single-byte encoding, defined by a table.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its other names.
    pub(crate) labels: &'static [&'static str],
    chars: Chars,
    /// The byte of each character, plus one; 0 if there is none.
    bytes: OnceLock<Box<[u16]>>,
}

/// The characters that bytes stand for.
#[derive(Debug)]
enum Chars {
    /// ASCII, followed by these.
    Upper(&'static [char; 128]),
    All(&'static [char; 256]),
}

impl Page {
    const fn new(name: &'static str, labels: &'static [&'static str], chars: Chars) -> Page {
        Page { name, labels, chars, bytes: OnceLock::new() }
    }

    /// Returns the character of a byte.
    pub(crate) fn char_of(&self, byte: u8) -> char {
        match self.chars {
            Chars::All(all) => all[usize::from(byte)],
            Chars::Upper(upper) => {
                upper.get(usize::from(byte).wrapping_sub(128)).copied().unwrap_or(char::from(byte))
            }
        }
    }

    /// Returns the byte of a character.
    pub(crate) fn byte_of(&self, scalar: char) -> Option<u8> {
        let bytes = self.bytes.get_or_init(|| {
            let mut bytes = vec![0; 0x1_0000].into_boxed_slice();
            for byte in 0..=255 {
                if let Some(place) = bytes.get_mut(self.char_of(byte) as usize) {
                    *place = u16::from(byte) + 1;
                }
            }
            bytes
        });
        bytes.get(scalar as usize)?.checked_sub(1).map(|byte| byte as u8)
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        self.name == other.name
    }
}

impl Eq for Page {}

/// All code pages.
pub(crate) static PAGES: [Page; 6] = [
    Page::new("CP437", &["ibm437", "437", "cspc8codepage437"], Chars::Upper(&CP437)),
    Page::new("CP850", &["ibm850", "850", "cspc850multilingual"], Chars::Upper(&CP850)),
    Page::new("CP852", &["ibm852", "852", "cspcp852"], Chars::Upper(&CP852)),
    Page::new("CP037", &["ibm037", "ebcdic-cp-us", "csibm037"], Chars::All(&CP037)),
    Page::new("CP500", &["ibm500", "ebcdic-cp-be", "csibm500"], Chars::All(&CP500)),
    Page::new("CP1047", &["ibm1047", "ibm-1047"], Chars::All(&CP1047)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_go_both_ways() {
        for page in &PAGES {
            assert!((0..=255).all(|byte| page.byte_of(page.char_of(byte)) == Some(byte)), "{}", page.name);
            assert_eq!(page.byte_of('\u{416}'), None);
        }
    }
}
