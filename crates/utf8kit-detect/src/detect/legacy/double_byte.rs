//! Detection of the double-byte encodings of East Asia. Each has its frequent characters in rows of their own, so the
//! share of these rows rates how plausible the encoding is.

use std::collections::BTreeSet;

use utf8kit_encodings::charset::Legacy;

use crate::alphabets::{coverage, is_alphabetic};

/// The statistics of a text as decoded from one of the encodings.
#[derive(Clone, Copy, Debug)]
pub(in crate::detect) struct Reading {
    /// The number of characters of two bytes or more.
    pub(in crate::detect) characters: u64,
    /// The share of frequent characters.
    pub(in crate::detect) frequent: f64,
    /// The share of characters that are frequent here or in another country.
    pub(in crate::detect) foreign: f64,
    /// The share of characters directly after an ASCII letter, where Western text has accented letters.
    pub(in crate::detect) glued: f64,
}

/// The names of the encodings and their frequent rows.
pub(in crate::detect) const ENCODINGS: [(&str, Rows); 5] = [
    ("EUC-KR", |lead, trail| match lead {
        0xB0..=0xC8 if trail >= 0xA1 => Frequency::Frequent,
        // Kana and Chinese characters.
        0xAA | 0xAB | 0xCA..=0xFD if trail >= 0xA1 => Frequency::Foreign,
        0xA1..=0xA5 | 0xA8 | 0xA9 | 0xAC if trail >= 0xA1 => Frequency::Neutral,
        _ => Frequency::Rare,
    }),
    ("EUC-JP", |lead, _| match lead {
        0xA4 | 0xA5 | 0xB0..=0xCF => Frequency::Frequent,
        0xD0..=0xF4 => Frequency::Foreign,
        0x8F | 0xA1..=0xA3 | 0xA6 | 0xA7 => Frequency::Neutral,
        _ => Frequency::Rare,
    }),
    ("Shift_JIS", |lead, trail| match (lead, trail) {
        (0x82, 0x9F..=0xF1) | (0x83, 0x40..=0x96) | (0x89..=0x97, _) | (0x88, 0x9F..) | (0x98, ..=0x72) => {
            Frequency::Frequent
        }
        (0x81 | 0x84, _) | (0x82, 0x4F..=0x9A) | (0x83, 0x9F..) => Frequency::Neutral,
        _ => Frequency::Rare,
    }),
    ("gb18030", |lead, trail| match (lead, trail) {
        (_, 0x30..=0x39) | (0xB0..=0xD7, 0xA1..) => Frequency::Frequent,
        // Kana and non-simplified characters.
        (0xA4 | 0xA5, 0xA1..=0xF6) | (0xD8..=0xF7, 0xA1..) | (0x81..=0xA0, _) | (0xAA.., ..=0xA0) => {
            Frequency::Foreign
        }
        // Punctuation: the last is the en dash.
        (0xA1 | 0xA3 | 0xA6..=0xA8, 0xA1..) | (0xA8, 0x43) => Frequency::Neutral,
        _ => Frequency::Rare,
    }),
    ("Big5", |lead, _| match lead {
        0xA4..=0xC6 => Frequency::Frequent,
        0xA1..=0xA3 | 0xC7 | 0xC8 => Frequency::Neutral,
        _ => Frequency::Rare,
    }),
];

/// The share of frequent characters from which a text reads well.
pub(in crate::detect) const FREQUENT: f64 = 0.85;

/// Returns the statistics of bytes in one of these encodings, if they are well formed in it.
pub(in crate::detect) fn read(bytes: &[u8], encoding: &str) -> Option<Reading> {
    let (name, rows) = ENCODINGS.into_iter().find(|(name, _)| *name == encoding)?;
    let text = Legacy::labelled(encoding)?.text_of(bytes)?;
    Some(Reading::of(bytes, &text, name, rows))
}

/// Returns bytes whose end may cut off a character of `len` bytes: all, and then fewer by one byte at a time.
pub(in crate::detect) fn with_cut_end(bytes: &[u8], len: usize) -> impl Iterator<Item = &[u8]> {
    (0..len).filter_map(|less| bytes.get(..bytes.len().checked_sub(less)?))
}

/// Returns the frequency of a character, given its two bytes.
pub(in crate::detect) type Rows = fn(u8, u8) -> Frequency;

/// The frequency of the characters of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::detect) enum Frequency {
    Frequent,
    /// Frequent in text of another country.
    Foreign,
    Rare,
    Neutral,
}

impl Reading {
    /// Returns how well the text reads: 1 is best.
    pub(in crate::detect) fn score(&self) -> f64 {
        self.frequent - self.glued
    }

    /// Reports whether this is text, mostly in frequent characters, or also in those of another country.
    pub(in crate::detect) fn is_text(&self, least: u64) -> bool {
        let is_mixed = self.score() >= 0.5 && self.foreign - self.glued >= 0.95;
        self.characters >= least && (self.score() >= FREQUENT || is_mixed)
    }

    /// Computes the statistics for `text`, which is well formed in the encoding and decodes to `read`.
    pub(in crate::detect) fn of(text: &[u8], read: &str, name: &str, frequency: Rows) -> Reading {
        let (mut characters, mut frequent, mut wide, mut rare, mut glued) =
            (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
        let mut foreign = 0_u64;
        let (mut before, mut rest, mut leads) = (b' ', text, [false; 256]);
        while let [lead, tail @ ..] = rest {
            rest = tail;
            if lead.is_ascii() {
                before = *lead;
                continue;
            }
            let single = name == "Shift_JIS" && (0xA1..=0xDF).contains(lead);
            let Some(&trail) = tail.first().filter(|_| !single) else {
                rare += 1; // half-width katakana
                continue;
            };
            let len = bytes_after(name, *lead, trail);
            rest = tail.get(len..).unwrap_or_default();
            characters += 1;
            match frequency(*lead, trail) {
                // Four-byte characters do not occur by chance.
                Frequency::Frequent if len == 3 => wide += 1,
                Frequency::Frequent => {
                    frequent += 1;
                    leads[usize::from(*lead)] = true;
                }
                Frequency::Foreign => {
                    rare += 1;
                    foreign += 1;
                }
                Frequency::Rare => rare += 1,
                Frequency::Neutral => {
                    before = b' ';
                    continue;
                }
            }
            glued += u64::from(before.is_ascii_alphabetic());
            before = b' ';
        }
        // Characters in few rows are from an alphabet in some other encoding.
        let rows = leads.iter().filter(|&&seen| seen).count() as u64;
        if has_few_rows(name, rows, frequent, read) {
            rare += std::mem::take(&mut frequent);
        }
        frequent += wide;
        let (letters, good, mixed) = letters(read);
        glued += mixed;
        let all = (frequent + rare + letters) as f64;
        let share = |part: f64| if all == 0.0 { 0.0 } else { part / all };
        let own = frequent as f64 + good;
        Reading {
            characters,
            frequent: share(own),
            foreign: share(own + foreign as f64),
            glued: share(glued as f64),
        }
    }
}

/// Returns the number of different characters of a non-ASCII text.
fn different(text: &str) -> u64 {
    text.chars().filter(|c| !c.is_ascii()).collect::<BTreeSet<_>>().len() as u64
}

/// Returns the number of letters of non-ASCII alphabets, which are as plausible as in any other encoding; how many
/// of them are in the best language; and how many of Greek or Cyrillic are in a Latin word.
fn letters(text: &str) -> (u64, f64, u64) {
    let is_letter = |c: &char| !c.is_ascii() && *c < '\u{2E80}' && is_alphabetic(*c);
    let letters: Vec<_> = text.chars().filter(is_letter).map(|c| (c, 1)).collect();
    let is_mixed = |(one, next): &(char, char)| one.is_ascii_alphabetic() && *next >= 'Ͱ' && is_letter(next);
    let mixed = text.chars().zip(text.chars().skip(1)).filter(is_mixed).count() as u64;
    let good = if letters.is_empty() { 0.0 } else { coverage(&letters) * letters.len() as f64 };
    (letters.len() as u64, good, mixed)
}

/// Returns the number of bytes of a character after its lead: EUC-JP has characters of three bytes, GB 18030 of four,
/// and all have characters of two.
fn bytes_after(name: &str, lead: u8, trail: u8) -> usize {
    match (name, lead, trail) {
        ("EUC-JP", 0x8F, _) => 2,
        ("gb18030", _, 0x30..=0x39) => 3,
        _ => 1,
    }
}

/// Reports whether so many frequent characters are in fewer rows than those of a text in the encoding. In Big5, where
/// fewer rows are frequent, a character that occurs again counts once, unless there are almost no others: two of them
/// over and over are a word in some other encoding as well.
fn has_few_rows(name: &str, rows: u64, frequent: u64, text: &str) -> bool {
    match name {
        "Big5" if rows * 4 < frequent.min(40) => {
            let different = different(text);
            different < 4 || rows * 4 < different
        }
        "EUC-KR" | "gb18030" => rows < 4 && frequent >= 12,
        _ => false,
    }
}
