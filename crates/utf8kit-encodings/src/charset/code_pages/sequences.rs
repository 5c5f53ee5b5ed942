//! Encodings of several bytes per character that are defined by a table, which [`packed`](super::packed) describes. Of
//! codes that begin with other codes, the longest is read.

use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

use super::packed::{Code, Text, unpacked};
use super::{tables, written};
use crate::charset::tokens::{Held, Joining, Token};
use crate::charset::widths::other_of;

static DATA: &[u8] = include_bytes!("sequences.bin");

static SEQUENCES: LazyLock<Vec<Sequences>> = LazyLock::new(|| {
    let sequences = tables::SEQUENCES.iter().enumerate();
    let sequences = sequences.map(|(place, &(name, _, shifts, ..))| Sequences {
        name,
        shifts,
        place,
        maps: OnceLock::new(),
        codes: OnceLock::new(),
    });
    sequences.collect()
});

/// An encoding of several bytes per character, defined by a table.
pub(crate) struct Sequences {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether 0E shifts to codes of two bytes, and 0F back to single bytes.
    pub(crate) shifts: bool,
    /// The index of its packed table.
    place: usize,
    maps: OnceLock<Maps>,
    /// The code of each text, which only writers need.
    codes: OnceLock<Vec<(Text, Code)>>,
}

struct Maps {
    texts: Vec<(Code, Text)>,
    /// The index of the first code that begins with each byte, and the number of codes.
    starts: Vec<usize>,
    /// The rest of the texts of more than two characters, which are written by the codes of their parts.
    long: Vec<(Code, String)>,
    /// Whether some codes begin with others.
    has_prefixes: bool,
    /// Whether ASCII characters are their own bytes.
    keeps_ascii: bool,
    /// Whether 1B selects sets.
    has_sets: bool,
}

/// The current selection: nothing, codes of two bytes (0E), or a set.
pub(crate) type Selected = u8;

/// The shifts to codes of two bytes and back.
const SHIFTS: [u8; 2] = [0x0E, 0x0F];

/// The byte that begins an escape sequence, and the byte after it that selects no set.
const ESCAPE: u8 = 0x1B;
const NO_SET: u8 = b's';

fn code(bytes: &[u8]) -> Code {
    let mut padded = [0; 4];
    padded.iter_mut().zip(bytes).for_each(|(to, &byte)| *to = byte);
    (u32::from_be_bytes(padded), bytes.len() as u8)
}

impl Sequences {
    /// Returns the table of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Sequences> {
        SEQUENCES.iter().find(|sequences| sequences.name == name)
    }

    fn maps(&self) -> &Maps {
        self.maps.get_or_init(|| {
            let mut long = Vec::new();
            let texts = unpacked(&tables::SEQUENCES, DATA, self.place, &mut long);
            let singles = texts.iter().filter(|((_, len), _)| *len == 1);
            let singles: HashSet<u32> = singles.map(|((bytes, _), _)| bytes >> 24).collect();
            let has_prefixes =
                !self.shifts && texts.iter().any(|((bytes, len), _)| *len > 1 && singles.contains(&(bytes >> 24)));
            let is_own = |byte: u8| {
                let own = texts.binary_search_by_key(&code(&[byte]), |(code, _)| *code);
                own.is_ok_and(|at| texts.get(at).is_some_and(|(_, text)| *text == (char::from(byte), None)))
            };
            let keeps_ascii = !self.shifts && !has_prefixes && (0..128).all(is_own);
            let has_sets = texts.iter().any(|&(code, _)| set_of(code).is_some());
            let start = |byte: u32| texts.partition_point(|&((code, _), _)| code >> 24 < byte);
            let starts = (0..=256).map(start).collect();
            Maps { texts, starts, long, has_prefixes, keeps_ascii, has_sets }
        })
    }

    fn codes(&self) -> &[(Text, Code)] {
        self.codes.get_or_init(|| {
            let is_long = |known: Code| self.maps().long.iter().any(|(code, _)| *code == known);
            let texts = self.maps().texts.iter().filter(|(code, _)| !is_long(*code));
            let mut codes: Vec<_> = texts.map(|&(code, text)| (text, code)).collect();
            // Of several codes, keep the shortest, and the first of these.
            codes.sort_unstable_by_key(|&(text, (bytes, len))| (text, len, bytes));
            codes.dedup_by_key(|(text, _)| *text);
            codes
        })
    }

    /// Reports whether ASCII characters are their own bytes.
    pub(crate) fn keeps_ascii(&self) -> bool {
        self.maps().keeps_ascii && !self.maps().has_sets
    }

    /// Reports whether the meaning of a byte depends on the bytes before it.
    pub(crate) fn is_stateful(&self) -> bool {
        self.shifts || self.maps().has_sets
    }

    /// Returns the bytes that undo a selection.
    pub(crate) fn back(&self) -> &'static [u8] {
        if self.shifts { &SHIFTS[1..] } else { &[ESCAPE, NO_SET] }
    }

    /// Iterates over all codes, with their text.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = (Vec<u8>, String)> {
        self.maps().texts.iter().map(|&((code, len), (first, second))| {
            let bytes = code.to_be_bytes()[..usize::from(len)].to_vec();
            let rest = self.maps().long.iter().find(|(known, _)| *known == (code, len));
            let rest = rest.map_or("", |(_, rest)| rest).chars();
            (bytes, [first].into_iter().chain(second).chain(rest).collect())
        })
    }

    /// Returns the text of a code.
    pub(crate) fn text_of(&self, bytes: &[u8]) -> Option<Text> {
        let texts = &self.maps().texts;
        let at = texts.binary_search_by_key(&code(bytes), |(code, _)| *code).ok()?;
        texts.get(at).map(|(_, text)| *text)
    }

    /// Returns the code of a text, without shifts.
    pub(crate) fn code_of(&self, text: Text) -> Option<([u8; 4], usize)> {
        if let (scalar, None) = text
            && let Some((code, len)) = written::code_of(self.name, scalar)
            && self.text_of(code.to_be_bytes().get(..usize::from(len))?) == Some(text)
        {
            return Some((code.to_be_bytes(), usize::from(len)));
        }
        let codes = self.codes();
        let (_, (code, len)) = codes.get(codes.binary_search_by_key(&text, |(text, _)| *text).ok()?)?;
        Some((code.to_be_bytes(), usize::from(*len)))
    }

    /// Reports whether a character has a code with some mark.
    pub(crate) fn may_be_joined(&self, scalar: char) -> bool {
        let codes = self.codes();
        let at = codes.partition_point(|&((first, second), _)| (first, second) <= (scalar, None));
        codes.get(at).is_some_and(|((first, _), _)| *first == scalar)
    }

    /// Returns the token at the start of some bytes, which end the text if they are the `last`, and updates the
    /// selection.
    pub(in crate::charset) fn token(&'static self, selected: &mut Selected, bytes: &[u8], last: bool) -> Token {
        let Some(&first) = bytes.first() else { return Token::Incomplete };
        if self.shifts && SHIFTS.contains(&first) {
            *selected = if first == SHIFTS[0] { first } else { 0 };
            return Token::Text(1, None);
        }
        if self.maps().has_sets && (first == ESCAPE || *selected != 0 && first > b' ') {
            return self.token_of_set(selected, first, bytes.get(1).copied());
        }
        let lens = match (self.shifts, *selected != 0) {
            (false, _) => 1..=4,
            (true, false) => 1..=1,
            (true, true) => 2..=2,
        };
        let Maps { texts, starts, long, has_prefixes, .. } = self.maps();
        let place = usize::from(first);
        let texts = starts.get(place).zip(starts.get(place + 1)).and_then(|(start, end)| texts.get(*start..*end));
        let texts = texts.unwrap_or_default();
        let mut found = None;
        for len in 1..=bytes.len().min(*lens.end()) {
            let prefix = code(&bytes[..len]);
            // The code of the first byte alone precedes all others.
            let at = if len == 1 { 0 } else { texts.partition_point(|&(code, _)| code < prefix) };
            let rest = texts.get(at..).unwrap_or_default();
            let last = prefix.0 | u32::MAX.checked_shr(8 * len as u32).unwrap_or(0);
            if let Some((code, text)) = rest.first().filter(|(code, _)| *code == prefix && lens.contains(&len)) {
                let rest = long.iter().find(|(known, _)| known == code).map(|(_, rest)| &**rest);
                found = Some(rest.map_or(Token::Text(len, Some(*text)), |rest| Token::Long(len, *text, rest)));
                if !has_prefixes {
                    break;
                }
            }
            let is_longer = |&&((code, other), _): &&(Code, Text)| {
                code <= last && usize::from(other) > len && lens.contains(&usize::from(other))
            };
            if !rest.iter().take(4).any(|entry| is_longer(&entry)) {
                return found.unwrap_or(Token::Malformed((len - 1).max(1)));
            }
        }
        match found {
            // A longer code may follow.
            Some(found) if !has_prefixes || last => found,
            _ => Token::Incomplete,
        }
    }
}

impl Sequences {
    /// Returns the token of an escape sequence or of a byte of a set.
    fn token_of_set(&self, selected: &mut Selected, first: u8, second: Option<u8>) -> Token {
        let texts = &self.maps().texts;
        let is_set = |set: u8| texts.iter().any(|&(code, _)| set_of(code) == Some(set));
        match (first, second) {
            (ESCAPE, None) => Token::Incomplete,
            (ESCAPE, Some(NO_SET)) => {
                *selected = 0;
                Token::Text(2, None)
            }
            (ESCAPE, Some(set)) if is_set(set) => {
                *selected = set;
                Token::Text(2, None)
            }
            (ESCAPE, Some(_)) => Token::Malformed(1),
            (byte, _) => {
                let own = code(&[ESCAPE, *selected, byte]);
                let found = texts.binary_search_by_key(&own, |(code, _)| *code).ok().and_then(|at| texts.get(at));
                found.map_or(Token::Malformed(1), |&(_, text)| Token::Text(1, Some(text)))
            }
        }
    }
}

/// Returns the set that a code belongs to.
fn set_of((bytes, len): Code) -> Option<u8> {
    let [first, set, ..] = bytes.to_be_bytes();
    (len == 3 && first == ESCAPE).then_some(set)
}

impl fmt::Debug for Sequences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Sequences {
    fn eq(&self, other: &Sequences) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Sequences {}

/// Decodes a stream.
pub(crate) struct Decoder {
    table: &'static Sequences,
    selected: Selected,
    held: Held,
}

impl Decoder {
    pub(crate) fn new(table: &'static Sequences) -> Decoder {
        Decoder { table, selected: 0, held: Held::default() }
    }

    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read and, if
    /// there is such a span, its length and the number of bytes that were read after it.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        let mut token = |bytes: &[u8], last| self.table.token(&mut self.selected, bytes, last);
        let (read, malformed) = self.held.read(input, text, |bytes| token(bytes, false));
        if !last || malformed.is_some() {
            return (read, malformed);
        }
        self.held.read_last(text, |bytes| token(bytes, true));
        let len = self.held.end();
        (read, (len > 0).then_some((len, 0)))
    }
}

/// Encodes a stream.
pub(crate) struct Encoder {
    table: &'static Sequences,
    selected: Selected,
    /// A character that the next one may combine with.
    held: Option<char>,
    /// Whether only characters are written that are read as they were.
    pub(crate) is_exact: bool,
}

impl Encoder {
    pub(crate) fn new(table: &'static Sequences) -> Encoder {
        Encoder { table, selected: 0, held: None, is_exact: false }
    }

    /// Returns the code of a text, or of the same sign in the width that another vendor reads, or a code that is only
    /// written.
    fn code_of(&self, text: Text) -> Option<([u8; 4], usize)> {
        let (sign, None) = text else { return self.table.code_of(text) };
        let other = || self.table.code_of((other_of(sign)?, None));
        let written = || {
            let (code, len) = written::code_of(self.table.name, sign).filter(|_| !self.is_exact)?;
            Some((code.to_be_bytes(), usize::from(len)))
        };
        self.table.code_of(text).or_else(other).or_else(written)
    }

    fn select(&mut self, to: Selected, out: &mut Vec<u8>) {
        match to {
            _ if self.selected == to => {}
            0 => out.extend_from_slice(self.table.back()),
            _ if self.table.shifts => out.push(to),
            set => out.extend_from_slice(&[ESCAPE, set]),
        }
        self.selected = to;
    }
}

impl Joining for Encoder {
    fn held(&mut self) -> &mut Option<char> {
        &mut self.held
    }

    fn has(&mut self, scalar: char) -> bool {
        self.code_of((scalar, None)).is_some()
    }

    fn may_be_joined(&self, scalar: char) -> bool {
        self.table.may_be_joined(scalar)
    }

    #[cfg(feature = "rewrite")]
    fn composed(&self, letter: char, mark: char) -> Option<char> {
        let composed = unicode_normalization::char::compose(letter, mark)?;
        let last = |c| self.code_of((c, None)).and_then(|(bytes, len)| bytes.get(..len)?.last().copied());
        // The letter is the last byte, after its marks.
        (last(composed)? == last(letter)? && last(letter)?.is_ascii()).then_some(composed)
    }

    fn write(&mut self, text: Text, out: &mut Vec<u8>) -> bool {
        let Some((bytes, len)) = self.code_of(text) else { return false };
        match set_of((u32::from_be_bytes(bytes), len as u8)) {
            Some(set) => {
                self.select(set, out);
                out.extend_from_slice(&bytes[2..len]);
            }
            None => {
                self.select(if self.table.shifts && len == 2 { SHIFTS[0] } else { 0 }, out);
                out.extend_from_slice(&bytes[..len]);
            }
        }
        true
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.select(0, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::tokens::in_pieces;

    #[test]
    fn every_code_goes_both_ways() {
        for table in SEQUENCES.iter() {
            assert!(table.all().count() > 190, "{}", table.name);
            for (code, text) in table.all() {
                let bytes = match table.shifts && code.len() == 2 {
                    true => [&SHIFTS[..1], &code, &SHIFTS[1..]].concat(),
                    false => code,
                };
                let (mut read, mut written, mut again) = (String::new(), Vec::new(), String::new());
                for (at, byte) in bytes.iter().enumerate() {
                    let last = at + 1 == bytes.len();
                    let mut text = String::new();
                    let end = Decoder::push(&mut decoder(table, &bytes[..at]), &[*byte], last, &mut text);
                    assert_eq!(end, (1, None), "{} {bytes:02X?}", table.name);
                }
                assert_eq!(Decoder::new(table).push(&bytes, true, &mut read), (bytes.len(), None));
                assert_eq!(read, text, "{} {bytes:02X?}", table.name);
                assert_eq!(Encoder::new(table).push(&text, true, &mut written), None, "{} {text}", table.name);
                Decoder::new(table).push(&written, true, &mut again);
                assert_eq!(again, text, "{} {written:02X?}", table.name);
            }
        }
    }

    #[cfg(feature = "rewrite")]
    #[test]
    fn letters_apart_from_their_marks_are_written() {
        for (text, bytes) in [
            ("cafe\u{301}", &b"caf\xE2e"[..]),
            ("cafe\u{301}s", b"caf\xE2es"),
            ("e\u{302}\u{301}", b"\xE3\xE2e"),
            ("n\u{310}", b"\xEFn"),
        ] {
            for name in ["ANSEL", "MARC-8"] {
                let mut encoder = Encoder::new(Sequences::named(name).expect("a table"));
                let mut out = Vec::new();
                for c in text.chars() {
                    assert_eq!(encoder.push(c.encode_utf8(&mut [0; 4]), false, &mut out), None, "{name} {text}");
                }
                assert_eq!(encoder.push("", true, &mut out), None);
                assert_eq!(out.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{name} {text}");
            }
        }
    }

    fn decoder(table: &'static Sequences, bytes: &[u8]) -> Decoder {
        let mut decoder = Decoder::new(table);
        decoder.push(bytes, false, &mut String::new());
        decoder
    }

    #[test]
    fn texts_and_errors() {
        let cases: [(&str, &str, &[u8]); 12] = [
            ("EUC-TW", "a\u{4E00}\u{4E28}", b"a\xC4\xA1\x8E\xA3\xA1\xA1"),
            ("Johab", "\u{AC00}b", b"\x88\x61b"),
            ("Shift_JIS-2004", "\u{304B}\u{309A}\u{304B}", b"\x82\xF5\x82\xA9"),
            ("CP930", "A\u{4E00}\u{4E8C}B", b"\xC1\x0E\x45\x41\x45\x42\x0F\xC2"),
            ("T.61-8BIT", "caf\u{E9}", b"caf\xC2e"),
            ("VNI", "Ti\u{1EBF}ng Vi\u{1EC7}t \u{110}\u{1EDD}i A", b"Tie\xE1ng Vie\xE4t \xD1\xF4\xF8i A"),
            // "Tamil, gentle speech, Sri Lanka": vowels before their letter, and two letters in one.
            ("TSCII", "தமிழ், மெல், பொ, க்ஷ", b"\xBE\xC1\xA2\xFA, \xA6\xC1\xF8, \xA6\xC0\xA1, \xEC\x84"),
            // "Victory": its first letter is from Sanskrit.
            ("TSCII", "ஜெயம்", b"\xA6\x83\xC2\xF5"),
            ("EUC-JP-MS", "\u{2170}\u{9ED1}\u{E000}", b"\x8F\xF3\xF3\x8F\xF4\xFE\xF5\xA1"),
            ("CP933", "\u{AC00}", b"\x0E\x88\x61\x0F"),
            ("MARC-8", "Besan\u{E7}on, 12 m\u{B2}, H\u{2082}O", b"Besan\xF0con, 12 m\x1Bp2\x1Bs, H\x1Bb2\x1BsO"),
            ("MARC-8", "\u{207B}\u{B9}\u{3B1}\u{3B2}", b"\x1Bp-1\x1Bgab\x1Bs"),
        ];
        for (name, text, bytes) in cases {
            let table = Sequences::named(name).expect("a table");
            let mut out = Vec::new();
            assert_eq!(Encoder::new(table).push(text, true, &mut out), None, "{name}");
            assert_eq!(out.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{name}");
        }
        // Codes of several letters, also before a vowel that stands before them, and at the end of the text.
        for (name, bytes, text) in [
            ("TSCII", &b"\x82, \x87\xA2\xA6\x84"[..], "ஸ்ரீ, க்ஷிஷெ"),
            ("TSCII", b"\xA6\xB8\xA1\xA6\xB8\xA7\xA6", "கொகெேெ"),
            ("TSCII", b"\x8A\xA4\x8A\xA5\x8B\xA4", "ஸுஸூஹு"),
            ("VNI", b"A\xD9AA\xC1a\xF9O", "ÁAẤáO"),
        ] {
            let table = Sequences::named(name).expect("a table");
            for size in 1..=bytes.len() {
                let read = in_pieces(bytes, size, {
                    let mut decoder = Decoder::new(table);
                    move |piece, last, text| decoder.push(piece, last, text)
                });
                assert_eq!(read, (text.to_owned(), 0), "{name} in pieces of {size}");
            }
        }
        for (name, bytes, end) in [
            ("VNI", &b"Vie\xD9t"[..], (4, Some((1, 0)))),
            ("EUC-TW", b"a\x8E\xA2", (3, Some((2, 0)))),
            ("EUC-TW", b"\xC4a", (1, Some((1, 0)))),
            ("CP930", b"\x0E\x45", (2, Some((1, 0)))),
            ("MARC-8", b"\x1Bpx\x1Bs", (3, Some((1, 0)))),
            ("MARC-8", b"a\x1Bxb", (2, Some((1, 0)))),
            ("MARC-8", b"a\x1B", (2, Some((1, 0)))),
        ] {
            let table = Sequences::named(name).expect("a table");
            assert_eq!(Decoder::new(table).push(bytes, true, &mut String::new()), end, "{name}");
        }
    }
}
