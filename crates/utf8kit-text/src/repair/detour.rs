//! The encodings that UTF-8 is mistaken for, and the characters of a line that are bytes of UTF-8 in one of them.

use std::ops::Range;

use utf8kit::AnyEncoding;

use crate::alphabets::is_common;
use crate::charset::Legacy;
use crate::charset::code_pages::{CP437, CP850, CP852};
use crate::repair::weight::{is_control, weigh};

/// The encodings that UTF-8 is mistaken for, most frequent first.
pub(super) const DETOURS: [&str; 14] = [
    "windows-1252",
    "latin1",
    "windows-1251",
    "windows-1250",
    "windows-1253",
    "windows-1254",
    "windows-1257",
    "iso-8859-2",
    "macintosh",
    "cp437",
    "cp850",
    "cp852",
    "ibm866",
    "koi8-r",
];

/// An encoding that UTF-8 was mistaken for.
#[derive(Debug)]
pub(super) struct Detour {
    /// The bytes of its non-ASCII characters, sorted by character.
    pub(super) bytes: Vec<(char, u8)>,
}

/// Characters that are the bytes of a single character.
#[derive(Debug)]
pub(super) struct Sequence {
    /// Their range in the line.
    pub(super) range: Range<usize>,
    pub(super) becomes: char,
    /// Whether the decoded character is so rare that only the context speaks for the sequence.
    pub(super) rare: bool,
    pub(super) weight: u32,
}

impl Detour {
    pub(super) fn named(name: &str) -> Detour {
        let page = match name {
            "cp437" => Some(CP437),
            "cp850" => Some(CP850),
            "cp852" => Some(CP852),
            _ => None,
        };
        let legacy = Legacy::labelled(name).filter(|_| name != AnyEncoding::Latin1.name());
        let character = |byte: u8| match (page, legacy) {
            (Some(page), _) => page.chars().nth(usize::from(byte).checked_sub(0x80)?),
            (None, Some(legacy)) => legacy.text_of(&[byte])?.chars().next(),
            (None, None) => Some(char::from(byte)),
        };
        let beyond_ascii = 0x80..=0xFF;
        let mut bytes: Vec<_> =
            beyond_ascii.clone().filter_map(|byte| Some((character(byte)?, byte))).collect();
        // Bytes without a character are mostly decoded as controls and Latin-1.
        let rest =
            beyond_ascii.filter(|&byte| character(byte).is_none()).map(|byte| (char::from(byte), byte));
        let rest: Vec<_> = rest.filter(|(c, _)| bytes.iter().all(|(other, _)| other != c)).collect();
        bytes.extend(rest);
        bytes.sort_unstable();
        Detour { bytes }
    }

    /// Decodes some bytes from the mistaken encoding.
    #[cfg(test)]
    pub(super) fn read(&self, bytes: &[u8]) -> Option<String> {
        let beyond = |byte| self.bytes.iter().find(|(_, other)| *other == byte).map(|&(c, _)| c);
        bytes.iter().map(|&byte| if byte < 0x80 { Some(char::from(byte)) } else { beyond(byte) }).collect()
    }

    fn byte(&self, c: char) -> Option<u8> {
        if c.is_ascii() {
            return Some(c as u8);
        }
        let found = self.bytes.binary_search_by_key(&c, |&(c, _)| c).ok()?;
        self.bytes.get(found).map(|&(_, byte)| byte)
    }

    /// Returns the sequences of a line, and how many non-ASCII characters are in none.
    pub(super) fn sequences(&self, line: &str) -> (Vec<Sequence>, usize) {
        let (mut sequences, mut strays) = (Vec::new(), 0);
        let (mut at, mut before) = (0, None);
        while let Some(first) = line.get(at..).and_then(|rest| rest.chars().next()) {
            let mut len = first.len_utf8();
            if !first.is_ascii() {
                match self.sequence(line.get(at..).unwrap_or_default(), before) {
                    Some(sequence) => {
                        len = sequence.range.len();
                        sequences.push(Sequence { range: at..at + len, ..sequence });
                    }
                    None => strays += 1,
                }
            }
            before = line.get(..at + len).and_then(|text| text.chars().next_back());
            at += len;
        }
        (sequences, strays)
    }

    /// Returns the sequence at the start of `rest`.
    fn sequence(&self, rest: &str, before: Option<char>) -> Option<Sequence> {
        let mut bytes = [0; 4];
        let mut chars = rest.chars();
        let mut count = 0;
        for (byte, c) in bytes.iter_mut().zip(chars.by_ref()) {
            let Some(found) = self.byte(c) else { break };
            *byte = found;
            count += 1;
        }
        let (becomes, used) = utf8kit::decode(bytes.get(..count)?).and_then(Result::ok)?;
        if used < 2 || matches!(becomes, '\u{E000}'..='\u{F8FE}' | '\u{F0000}'..) {
            return None;
        }
        let mut around = rest.chars();
        let shown: Vec<char> = around.by_ref().take(used).collect();
        // Controls occur in no text, so a sequence with one counts whatever it decodes to.
        let rare = !is_common(becomes) && !shown.iter().any(|&c| is_control(c));
        let weight = weigh(before, &shown, around.next(), becomes);
        Some(Sequence { range: 0..shown.iter().map(|c| c.len_utf8()).sum(), becomes, rare, weight })
    }
}
