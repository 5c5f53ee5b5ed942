//! Single-byte encodings that are defined by a table.

use std::fmt;
use std::sync::OnceLock;

use super::tables::{
    CP037, CP437, CP500, CP737, CP775, CP850, CP852, CP855, CP857, CP860, CP861, CP862, CP863, CP865, CP869,
    CP1047, CP1125, HP_ROMAN8, MAC_CE, MAC_GREEK, MAC_TURKISH,
};

/// A single-byte encoding, defined by a table. In a table, U+FFFD means that a byte has no character.
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
enum Chars {
    /// ASCII, followed by these.
    Upper(&'static [char; 128]),
    All(&'static [char; 256]),
}

impl Page {
    const fn new(name: &'static str, labels: &'static [&'static str], chars: Chars) -> Page {
        Page { name, labels, chars, bytes: OnceLock::new() }
    }

    /// Returns the character of a byte; `None` if it has none.
    pub(crate) fn char_of(&self, byte: u8) -> Option<char> {
        let c = match self.chars {
            Chars::All(all) => all[usize::from(byte)],
            Chars::Upper(upper) => {
                upper.get(usize::from(byte).wrapping_sub(128)).copied().unwrap_or(char::from(byte))
            }
        };
        Some(c).filter(|c| *c != char::REPLACEMENT_CHARACTER)
    }

    /// Returns the byte of a character.
    pub(crate) fn byte_of(&self, scalar: char) -> Option<u8> {
        let bytes = self.bytes.get_or_init(|| {
            let mut bytes = vec![0; 0x1_0000].into_boxed_slice();
            for byte in 0..=255 {
                if let Some(place) = self.char_of(byte).and_then(|c| bytes.get_mut(c as usize)) {
                    *place = u16::from(byte) + 1;
                }
            }
            bytes
        });
        bytes.get(scalar as usize)?.checked_sub(1).map(|byte| byte as u8)
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        self.name == other.name
    }
}

impl Eq for Page {}

/// All code pages.
pub(crate) static PAGES: [Page; 21] = [
    Page::new("CP437", &["ibm437", "437", "cspc8codepage437"], Chars::Upper(&CP437)),
    Page::new("CP737", &["ibm737", "737"], Chars::Upper(&CP737)),
    Page::new("CP775", &["ibm775", "775", "cspc775baltic"], Chars::Upper(&CP775)),
    Page::new("CP850", &["ibm850", "850", "cspc850multilingual"], Chars::Upper(&CP850)),
    Page::new("CP852", &["ibm852", "852", "cspcp852"], Chars::Upper(&CP852)),
    Page::new("CP855", &["ibm855", "855", "csibm855"], Chars::Upper(&CP855)),
    Page::new("CP857", &["ibm857", "857", "csibm857"], Chars::Upper(&CP857)),
    Page::new("CP860", &["ibm860", "860", "csibm860"], Chars::Upper(&CP860)),
    Page::new("CP861", &["ibm861", "861", "cp-is", "csibm861"], Chars::Upper(&CP861)),
    Page::new("CP862", &["ibm862", "862", "cspc862latinhebrew"], Chars::Upper(&CP862)),
    Page::new("CP863", &["ibm863", "863", "csibm863"], Chars::Upper(&CP863)),
    Page::new("CP865", &["ibm865", "865", "csibm865"], Chars::Upper(&CP865)),
    Page::new("CP869", &["ibm869", "869", "cp-gr", "csibm869"], Chars::Upper(&CP869)),
    Page::new("CP1125", &["ibm1125", "1125", "ruscii"], Chars::Upper(&CP1125)),
    Page::new("x-mac-ce", &["mac-ce", "macce", "mac-centraleurope", "mac_latin2"], Chars::Upper(&MAC_CE)),
    Page::new("x-mac-greek", &["mac-greek", "macgreek", "mac_greek"], Chars::Upper(&MAC_GREEK)),
    Page::new("x-mac-turkish", &["mac-turkish", "macturkish", "mac_turkish"], Chars::Upper(&MAC_TURKISH)),
    Page::new("hp-roman8", &["roman8", "r8", "cshproman8"], Chars::Upper(&HP_ROMAN8)),
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
            let back = |byte| page.char_of(byte).is_none_or(|c| page.byte_of(c) == Some(byte));
            assert!((0..=255).all(back), "{}", page.name);
            assert_eq!(page.byte_of('\u{4E00}'), None);
            assert_eq!(page.byte_of('\u{FFFD}'), None);
        }
    }
}
