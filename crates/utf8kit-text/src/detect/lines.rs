//! UTF-8 line by line: sorts the lines of a text into UTF-8, UTF-8 with errors, and other encodings.
//!
//! Sequences of UTF-8 occur by chance in text of another encoding: in the double-byte encodings of East Asia one
//! character in ten is one, elsewhere hardly any. So a line counts by the weight of its sequences: 1 for a sequence of
//! two bytes, 2 for three, 3 for four. One line in ten thousand weighs four or more by chance.

use std::collections::BTreeSet;

use crate::alphabets::is_common;
use crate::charset::{Fallback, Legacy};
use crate::detect::chance::{Chance, STRONG, Verdict};
use crate::detect::confidence::Confidence;
use crate::detect::legacy::is_alien;
use crate::detect::remedy::Remedy;
use crate::detect::sequences::{items_at, places};

/// The non-ASCII lines of a text, counted by encoding.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Lines that are well-formed UTF-8, and their text.
    pub(super) utf8: u64,
    pub(super) utf8_text: String,
    /// How many of them have a weight beyond chance.
    strong: u64,
    /// The total weight of the sequences.
    weight: u64,
    /// Lines of UTF-8 with errors, and their text.
    pub(super) broken: u64,
    broken_text: Vec<u8>,
    /// All other lines.
    pub(super) other: u64,
    /// Other lines that contain a sequence of UTF-8.
    pub(super) both: u64,
    /// The text of the other lines.
    pub(super) other_text: Vec<u8>,
}

/// Reports whether a sequence of UTF-8 is evidence. Two-byte sequences of rare characters are not. Cyrillic and Greek
/// letters in East Asian encodings all look like those.
pub(super) fn is_telling(value: u32, len: usize) -> bool {
    len > 2 || len == 2 && char::from_u32(value).is_some_and(is_common)
}

/// What speaks for UTF-8 in a line, and what against it.
struct Weighed {
    sequences: u64,
    weight: u64,
    errors: u64,
}

fn weigh(line: &[u8]) -> Weighed {
    let mut weighed = Weighed { sequences: 0, weight: 0, errors: 0 };
    let mut long = BTreeSet::new();
    for place in places(line) {
        weighed.errors += place.errors;
        for item in items_at(line, place.range) {
            match item.result {
                Ok(value) if is_telling(value, item.len) => {
                    weighed.sequences += 1;
                    // A word that occurs again is no more evidence. Letters do occur again.
                    if item.len == 2 || long.insert(value) {
                        weighed.weight += item.len as u64 - 1;
                    }
                }
                Ok(_) => {}
                Err(_) => weighed.errors += 1,
            }
        }
    }
    weighed
}

/// Reports whether a line with errors is UTF-8 nonetheless.
fn is_broken(weight: u64, errors: u64) -> bool {
    weight >= STRONG.max(3 * errors)
}

/// The encoding of a line of a text of which some lines are UTF-8.
#[cfg(any(feature = "document", feature = "files"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Only ASCII.
    Ascii,
    /// UTF-8, perhaps with errors.
    Utf8,
    /// Another encoding.
    Other,
}

/// Returns the encoding of a line of a text of which some lines are UTF-8.
#[cfg(any(feature = "document", feature = "files"))]
pub(crate) fn line_kind(line: &[u8]) -> LineKind {
    if line.is_ascii() {
        return LineKind::Ascii;
    }
    let Weighed { weight, errors, .. } = weigh(line);
    if errors == 0 || is_broken(weight, errors) { LineKind::Utf8 } else { LineKind::Other }
}

impl Lines {
    pub(super) fn of(text: &[u8]) -> Lines {
        let mut lines = Lines::default();
        for line in text.split_inclusive(|&byte| byte == b'\n').filter(|line| !line.is_ascii()) {
            lines.add(line);
        }
        lines
    }

    fn add(&mut self, line: &[u8]) {
        let Weighed { sequences, weight, errors } = weigh(line);
        if errors == 0 {
            self.utf8 += 1;
            self.utf8_text.push_str(std::str::from_utf8(line).unwrap_or_default());
            self.strong += u64::from(weight >= STRONG);
            self.weight += weight;
        } else if is_broken(weight, errors) {
            self.broken += 1;
            self.broken_text.extend_from_slice(line);
        } else {
            self.other += 1;
            self.both += u64::from(sequences > 0);
            self.other_text.extend_from_slice(line);
        }
    }

    /// Reports whether part of the text is UTF-8 beyond chance. In a single-byte encoding, hardly any sequences occur
    /// by chance.
    pub(super) fn has_utf8(&self, single_byte: bool) -> bool {
        let strong = self.strong + self.broken;
        let weak = self.utf8 > 0 && self.utf8 * 4 >= self.other && (single_byte || self.weight >= STRONG);
        strong > 0 && strong * 100 >= self.other || weak
    }

    /// Judges the lines of UTF-8 beside the others, which are in a legacy encoding, with this confidence.
    pub(super) fn verdicts(&self, legacy: Legacy, confidence: Confidence) -> Verdicts {
        let chance = Chance::among(legacy, &self.other_text);
        let mut verdicts = Verdicts::default();
        let broken = self.broken_text.split_inclusive(|&byte| byte == b'\n');
        let (by_chance, broken): (Vec<_>, Vec<_>) = broken.partition(|line| chance.is_chance(line));
        verdicts.within = broken.len() as u64;
        let (others, mut by_chance) = (self.other, by_chance.len() as u64);
        for line in self.utf8_text.split_inclusive('\n') {
            match chance.verdict(line) {
                Verdict::Legacy => verdicts.legacy += 1,
                _ if chance.is_chance(line.as_bytes()) => by_chance += 1,
                Verdict::Utf8 => verdicts.utf8 += 1,
                Verdict::Doubtful => verdicts.doubtful += 1,
            }
        }
        // More of them are none.
        let is_chance = by_chance * CHANCE <= others;
        *if is_chance { &mut verdicts.legacy } else { &mut verdicts.doubtful } += by_chance;
        let others = self.other_text.split_inclusive(|&byte| byte == b'\n');
        verdicts.within += others.filter(|line| chance.has_sequence(line)).count() as u64;
        verdicts.is_alien = is_alien(legacy);
        let beyond = self.other_text.iter().filter(|byte| !byte.is_ascii()).count();
        let known = self.utf8_text.chars().filter(|c| !c.is_ascii()).count();
        let is_doubtful = || beyond + known < ENOUGH || chance.is_odd(&self.other_text);
        verdicts.few = confidence == Confidence::Possible && is_doubtful();
        verdicts
    }
}

/// At most one line of so many is UTF-8 by chance.
const CHANCE: u64 = 16;

/// How many letters beyond ASCII it takes to believe a guess that is only possible: in both kinds of lines.
const ENOUGH: usize = 5;

/// How many lines are UTF-8, as judged beside others in a legacy encoding.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Verdicts {
    utf8: u64,
    /// Well formed by chance.
    legacy: u64,
    pub(super) doubtful: u64,
    /// Lines with both.
    pub(super) within: u64,
    is_alien: bool,
    /// Whether the other lines are too few for a guess at their encoding, or hardly read as text in it.
    few: bool,
}

impl Verdicts {
    /// Judges the lines of a text that is said to be in a legacy encoding.
    #[cfg(feature = "files")]
    pub(crate) fn of(text: &[u8], legacy: Legacy) -> Verdicts {
        Lines::of(text).verdicts(legacy, Confidence::Certain)
    }

    /// Adds the verdicts on more lines.
    #[cfg(feature = "files")]
    pub(crate) fn merge(&mut self, more: Verdicts) {
        self.utf8 += more.utf8;
        self.legacy += more.legacy;
        self.doubtful += more.doubtful;
        self.within += more.within;
        self.is_alien |= more.is_alien;
        self.few |= more.few;
    }

    /// Returns what makes a text UTF-8 whose other lines are in a legacy encoding, if that is certain.
    pub(crate) fn remedy(self, encoding: &str) -> Option<Remedy> {
        let fallback = || encoding.parse::<Fallback>().ok();
        match self {
            _ if self.garbled() == 0 => {
                encoding.parse().ok().map(|from| Remedy::Convert { from, strip_bom: false })
            }
            // Most lines of UTF-8 speak for the few in doubt.
            Verdicts { doubtful, utf8, legacy, .. } if legacy > 0 || doubtful * 8 > utf8 || self.few => None,
            // Decoding a whole line would garble its UTF-8.
            Verdicts { within: 1.., is_alien, .. } => fallback().filter(|_| is_alien).map(Remedy::Fallback),
            _ => fallback().map(Remedy::FallbackLines),
        }
    }

    /// Returns the number of lines that a conversion would garble, or may.
    pub(crate) fn garbled(self) -> u64 {
        self.utf8 + self.doubtful + self.within
    }
}
