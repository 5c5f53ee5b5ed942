//! Text in an encoding of single bytes, by its bytes: how often each occurs, and which follow each other, tells as much
//! as the decoded text.

use std::sync::LazyLock;

use utf8kit_encodings::charset::{Codec, Legacy};

use crate::oddness::Character;
use crate::oddness::oddness;

/// The candidates among the single-byte encodings, most frequent first.
pub(in crate::detect) const SINGLE: [&str; 35] = [
    "windows-1252",
    "windows-1251",
    "windows-1250",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "KOI8-U",
    "ISO-8859-2",
    "ISO-8859-15",
    "ISO-8859-5",
    "ISO-8859-6",
    "ISO-8859-7",
    "ISO-8859-8",
    "ISO-8859-13",
    "ISO-8859-4",
    "ISO-8859-3",
    "ISO-8859-16",
    "IBM866",
    "macintosh",
    "x-mac-cyrillic",
    "CP850",
    "CP852",
    "CP437",
    "ISO-8859-10",
    "CP857",
    "CP775",
    "CP862",
    "CP737",
    "CP855",
    "x-mac-ce",
    "x-mac-turkish",
];

/// How many of the last ones are so seldom that few letters are no evidence for them.
const SELDOM: usize = 7;

/// Reports whether few letters are no evidence for an encoding.
pub(in crate::detect) fn is_seldom(legacy: Legacy) -> bool {
    SINGLE[SINGLE.len() - SELDOM..].contains(&legacy.name())
}

/// One of the encodings of [`SINGLE`], by the character at each byte. ASCII is ASCII in all of them.
#[derive(Clone, Copy)]
pub(in crate::detect) struct SingleByte(&'static [Option<Character>; 256]);

type Table = (Legacy, [Option<Character>; 256]);

static CHARACTERS: LazyLock<Vec<Table>> = LazyLock::new(|| tables(&SINGLE));

fn tables(names: &[&str]) -> Vec<Table> {
    let character = |legacy: Legacy, byte: u8| legacy.text_of(&[byte])?.chars().next().map(Character::new);
    let legacies = names.iter().filter_map(|name| Legacy::labelled(name));
    legacies.map(|legacy| (legacy, std::array::from_fn(|byte| character(legacy, byte as u8)))).collect()
}

/// Counts each byte.
pub(in crate::detect) fn counts(bytes: &[u8]) -> [u64; 256] {
    let mut counts = [0; 256];
    bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    counts
}

impl SingleByte {
    /// Iterates over all of them.
    pub(in crate::detect) fn all() -> impl Iterator<Item = (Legacy, SingleByte)> {
        CHARACTERS.iter().map(|(legacy, characters)| (*legacy, SingleByte(characters)))
    }

    /// Returns the encoding, if it is one of them.
    pub(in crate::detect) fn of(codec: Codec) -> Option<SingleByte> {
        SingleByte::all().find(|(legacy, _)| codec == Codec::Legacy(*legacy)).map(|(_, encoding)| encoding)
    }

    /// Returns the character at a byte.
    pub(in crate::detect) fn character(self, byte: u8) -> Option<char> {
        self.sign(byte).map(|sign| sign.c)
    }

    /// Returns the character at a byte, with its properties.
    pub(in crate::detect) fn sign(self, byte: u8) -> Option<Character> {
        self.0[usize::from(byte)]
    }

    /// Iterates over the characters that some bytes have.
    pub(in crate::detect) fn characters(self, bytes: &[u8]) -> impl Iterator<Item = char> {
        bytes.iter().filter_map(move |&byte| self.character(byte))
    }

    /// Reports whether all bytes have a character: the bytes are well formed.
    pub(in crate::detect) fn has_all(self, bytes: &[u8]) -> bool {
        self.0.iter().all(Option::is_some) || self.beyond_ascii(bytes).is_some()
    }

    /// Returns the non-ASCII characters, each with its count; `None` if a byte has none.
    pub(in crate::detect) fn beyond_ascii(self, bytes: &[u8]) -> Option<Vec<(char, u64)>> {
        let counts = (0_u8..=255).zip(counts(bytes));
        let beyond = counts.filter(|(byte, count)| !byte.is_ascii() && *count > 0);
        beyond.map(|(byte, count)| Some((self.character(byte)?, count))).collect()
    }

    /// Returns the oddness of the text that the bytes are, which have a character each.
    pub(in crate::detect) fn oddness(self, bytes: &[u8]) -> f64 {
        oddness(&self.characters(bytes).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn bytes_tell_what_the_text_does() {
        let mut random = Random::new(3);
        for (legacy, encoding) in SingleByte::all() {
            assert!((0..128).all(|byte| encoding.character(byte) == Some(char::from(byte))), "{legacy:?}");
            assert!((128..=255).all(|byte| encoding.character(byte).is_none_or(|c| !c.is_ascii())));
            for len in [0, 1, 2, 50, 500, 20_000] {
                let bytes: Vec<u8> = (0..len)
                    .map(|_| random.below(256) as u8)
                    .filter(|byte| len < 3 || encoding.character(*byte).is_some())
                    .collect();
                let text = legacy.text_of(&bytes);
                assert_eq!(encoding.has_all(&bytes), text.is_some());
                let Some(text) = text else { continue };
                assert_eq!(encoding.characters(&bytes).collect::<String>(), text);
                assert_eq!(encoding.oddness(&bytes), oddness(&text), "{legacy:?}");
                let beyond = encoding.beyond_ascii(&bytes).unwrap_or_default();
                let number: u64 = beyond.iter().map(|(_, count)| count).sum();
                assert_eq!(number, text.chars().filter(|c| !c.is_ascii()).count() as u64);
                let count = |c: &char| text.chars().filter(|other| other == c).count() as u64;
                assert!(beyond.iter().all(|(c, number)| count(c) == *number));
            }
        }
    }
}
