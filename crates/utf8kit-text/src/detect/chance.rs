//! Lines that are well-formed UTF-8 among lines of a legacy encoding: are they UTF-8, or well formed by chance?
//!
//! A sequence of UTF-8 reads as a combination in the legacy encoding that nobody writes: `Ã©`, `РќР`. Where the
//! encoding has letters for all bytes, as in East Asia, both readings of a short line can make sense.

use std::ops::Range;

use utf8kit::Item;

use crate::alphabets::{Languages, is_common, is_sign};
use crate::charset::{Codec, Legacy};
use crate::detect::languages::{SCRIPTS, are_of, languages_of, script};
use crate::detect::legacy::double_byte::{ENCODINGS, FREQUENT, Reading, Rows};
use crate::detect::legacy::tally::Tally;
use crate::detect::legacy::{is_alien, oddness_in};
use crate::detect::sequences::{runs, sequences};
use crate::oddness::{ODD, oddness};

/// What a line is that is well-formed UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Utf8,
    Legacy,
    Doubtful,
}

/// Judges lines among others in a legacy encoding.
pub(super) struct Chance {
    legacy: Legacy,
    /// How frequent the characters of each row are, if it is an encoding of several bytes.
    rows: Option<(&'static str, Rows)>,
    /// The languages that the other lines may be in.
    languages: Languages,
    /// Whether lines with but one non-ASCII character are usual.
    has_short: bool,
    /// The scripts that most letters of the other lines are in.
    scripts: [bool; SCRIPTS],
}

/// The weight at which a line is UTF-8 beyond chance: see `lines`.
pub(super) const STRONG: u64 = 4;

/// The most non-ASCII characters in a line that is a few sequences of UTF-8 by chance.
const SHORT: usize = 6;

/// One line of so many must have but one non-ASCII character for such lines to be usual.
const SHORT_LINES: usize = 4;

/// Returns a character as it is in words: a consonant alone is none.
fn word_of(c: char) -> String {
    let vowel = if c.is_alphabetic() && c < 'Ͱ' { "a" } else { "" };
    format!("{vowel}{}{vowel}", c.to_lowercase())
}

/// Counts the non-ASCII characters.
fn beyond(text: &str) -> usize {
    text.bytes().filter(|&lead| lead >= 0xC0).count()
}

impl Chance {
    /// Learns from the lines that are not UTF-8, given their characters.
    pub(super) fn among(legacy: Legacy, Tally { characters, lines, short }: Tally) -> Chance {
        let rows = ENCODINGS.into_iter().find(|(name, _)| *name == legacy.name());
        let has_short = short * SHORT_LINES >= lines.max(1);
        let mut scripts = [0_usize; SCRIPTS];
        for &(c, times) in &characters {
            if let Some(script) = script(c) {
                scripts[script] += times;
            }
        }
        let all: usize = scripts.iter().sum();
        let scripts = scripts.map(|count| count > 0 && count * 8 >= all);
        Chance { legacy, rows, languages: languages_of(&characters), has_short, scripts }
    }

    /// Reports whether a line, or its sequences, is UTF-8 by chance: it is in the scripts of the other lines if it is
    /// in their encoding, and else has no letter of them.
    pub(super) fn is_chance(&self, line: &[u8]) -> bool {
        let utf8 = String::from_utf8_lossy(line);
        let is_own = |c: char| script(c).is_some_and(|script| self.scripts[script]);
        let is_word = |one: char, next: char| one.is_ascii_alphabetic() && matches!(script(next), Some(0));
        let words = || utf8.chars().zip(utf8.chars().skip(1)).any(|(a, b)| is_word(a, b) || is_word(b, a));
        if beyond(&utf8) > SHORT
            || utf8.chars().any(|c| !c.is_ascii() && (is_own(c) || is_sign(c)))
            || words()
        {
            return false;
        }
        let is_text = |text: String| {
            text.chars().all(|c| c.is_ascii() || is_own(c) || is_sign(c))
                && (self.rows.is_some() || oddness(&text) <= ODD)
        };
        self.legacy.text_of(line).is_some_and(is_text)
    }

    /// Reports whether the other lines rarely read as text. Characters of several bytes are not looked at.
    pub(super) fn is_odd(&self, others: &[u8]) -> bool {
        self.rows.is_none() && oddness_in(Codec::Legacy(self.legacy), others).is_none_or(|odd| odd > ODD)
    }

    /// Judges a line, given its text in UTF-8.
    pub(super) fn verdict(&self, line: &str) -> Verdict {
        let Some(other) = self.legacy.text_of(line.as_bytes()) else { return Verdict::Utf8 };
        let common = line.chars().all(|c| c.is_ascii() || is_common(c));
        if let Some((name, rows)) = self.rows {
            let own = self.share(line, name, rows);
            let legacy = Reading::of(line.as_bytes(), &other, name, rows);
            let strong = line.chars().map(|c| c.len_utf8() as u64 - 1).sum::<u64>() >= STRONG;
            return match (common && own >= FREQUENT, legacy.score() >= FREQUENT) {
                (true, false) => Verdict::Utf8,
                (_, false) if common && strong => Verdict::Utf8,
                (true, true) if strong => Verdict::Utf8,
                (false, true) if !common || self.has_short || beyond(line) > 1 => Verdict::Legacy,
                _ => Verdict::Doubtful,
            };
        }
        match self.is_natural(&other) {
            _ if common && self.is_natural(line) => Verdict::Utf8,
            true if common => Verdict::Doubtful,
            true => Verdict::Legacy,
            false if common || is_alien(self.legacy) => Verdict::Utf8,
            false => Verdict::Doubtful,
        }
    }

    /// Reports whether a line that is not UTF-8 contains sequences of it that are not there by chance, and whether it
    /// contains some that are.
    pub(super) fn sequences(&self, line: &[u8]) -> (bool, bool) {
        let (mut has_utf8, mut has_others) = (false, false);
        for Range { start, end } in runs(line) {
            let run = line.get(start..end).unwrap_or_default();
            // Each of its sequences alone may be there by chance.
            if std::str::from_utf8(run).is_ok_and(|word| self.is_word(word)) {
                has_utf8 = true;
                continue;
            }
            for mut item in sequences(run) {
                let Some(c) = item.result.ok().and_then(char::from_u32) else { continue };
                item.offset += start;
                let around = item.offset.saturating_sub(1)..(item.offset + item.len + 1).min(line.len());
                let around = line.get(around).unwrap_or_default();
                let is_other = self.legacy.text_of(around).is_some_and(|text| self.is_natural(&text))
                    && !self.is_capital_and_signs(line, &item);
                has_others |= is_other;
                has_utf8 |= !is_other && (is_sign(c) || self.is_natural(&word_of(c)));
            }
        }
        (has_utf8, has_others)
    }

    /// Reports whether several characters are a word in a script and a language of the other lines.
    fn is_word(&self, text: &str) -> bool {
        text.chars().nth(1).is_some()
            && text.chars().all(|c| script(c).is_some_and(|script| self.scripts[script]))
            && self.is_natural(text)
    }

    /// Reports whether a sequence reads as a capital with signs behind it, as `Ã©`, within a word or alone.
    fn is_capital_and_signs(&self, line: &[u8], item: &Item) -> bool {
        let (before, rest) = line.split_at(item.offset.min(line.len()));
        let begins = before.last().is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_lowercase());
        let text = self.legacy.text_of(rest.get(..item.len).unwrap_or_default());
        let mut chars = text.iter().flat_map(|text| text.chars());
        begins && chars.next().is_some_and(char::is_uppercase) && !chars.any(char::is_alphabetic)
    }

    /// Reports whether a text may be in the language of the other lines.
    fn is_natural(&self, text: &str) -> bool {
        oddness(text) == 0.0 && are_of(self.languages, text)
    }

    /// Returns the share of characters that are frequent in an encoding, or letters within words.
    fn share(&self, text: &str, name: &str, rows: Rows) -> f64 {
        let (mut all, mut good) = (0.0_f64, 0.0);
        let mut before = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let is_latin = |other: Option<char>| other.is_some_and(|other| other.is_ascii_alphabetic());
            if !c.is_ascii() {
                all += 1.0;
                let bytes = self.legacy.bytes_of(c);
                let reads = bytes.map(|bytes| Reading::of(&bytes, c.encode_utf8(&mut [0; 4]), name, rows));
                let is_word = c < '\u{2E80}'
                    && c.is_alphabetic()
                    && (is_latin(before) || is_latin(chars.peek().copied()));
                let is_frequent = c >= '\u{2E80}' && reads.is_some_and(|reading| reading.frequent > 0.0);
                good += f64::from(u8::from(is_word || is_frequent));
            }
            before = Some(c);
        }
        good / all.max(1.0)
    }
}
