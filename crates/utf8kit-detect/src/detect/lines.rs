//! UTF-8 line by line: sorts the lines of a text into UTF-8, UTF-8 with errors, and other encodings.
//!
//! Sequences of UTF-8 occur by chance in text of another encoding: in the double-byte encodings of East Asia one
//! character in ten is one, elsewhere almost no. So a line counts by the weight of its sequences: 1 for a sequence of
//! two bytes, 2 for three, 3 for four. One line in ten thousand weighs four or more by chance.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeSet;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::{Codec, Fallback, Legacy, has_bom};

use crate::detect::confidence::Confidence;
use crate::detect::legacy::{self, is_alien, reads_well};
use crate::detect::line_classifier::{LineClassifier, Verdict};
use crate::detect::sequences::{Shapes, has_sequence, without_sequences};
use crate::detect::suggestion::{Action, Suggestion};

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
    /// What all of them have of UTF-8.
    pub(super) shapes: Shapes,
}

/// The most lines that are weighed one by one: in more of them, damage is a small part.
const MOST_LINES: usize = 64;

/// The weight at which a line is UTF-8 beyond chance.
const MIN_WEIGHT_OF_UTF8: u64 = 4;

/// Returns what a line has of UTF-8, and the weight of its sequences.
fn weigh(line: &[u8]) -> (Shapes, u64) {
    let (mut weight, mut long) = (0, BTreeSet::new());
    let shapes = Shapes::with(line, |value, len| {
        // A word that occurs again is no more evidence. Letters do occur again.
        if len == 2 || long.insert(value) {
            weight += len as u64 - 1;
        }
    });
    (shapes, weight)
}

/// Reports whether a line with errors is UTF-8 nonetheless.
fn is_broken(weight: u64, errors: u64) -> bool {
    weight >= MIN_WEIGHT_OF_UTF8.max(3 * errors)
}

/// The encoding of a line of a text of which some lines are UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineKind {
    /// Only ASCII.
    Ascii,
    /// UTF-8, perhaps with errors.
    Utf8,
    /// Another encoding.
    Other,
}

impl LineKind {
    /// Returns the encoding of a line. Other lines of the text are UTF-8.
    ///
    /// ```
    /// use utf8kit_detect::lines::LineKind;
    ///
    /// let kinds = [&b"ascii"[..], "d\u{E9}j\u{E0} vu".as_bytes(), b"d\xE9j\xE0 vu"].map(LineKind::of);
    /// assert_eq!(kinds, [LineKind::Ascii, LineKind::Utf8, LineKind::Other]);
    /// ```
    pub fn of(line: &[u8]) -> LineKind {
        if line.is_ascii() {
            return LineKind::Ascii;
        }
        let (shapes, weight) = weigh(line);
        if shapes.bad == 0 || is_broken(weight, shapes.bad) { LineKind::Utf8 } else { LineKind::Other }
    }
}

impl Lines {
    pub(super) fn of(text: &[u8]) -> Lines {
        let mut lines = Lines::default();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text).map(|feed| feed + 1).chain([text.len()]) {
            if let Some(line) = text.get(start..end).filter(|line| !line.is_ascii()) {
                lines.add(line, text.len() - start);
            }
            start = end;
        }
        lines
    }

    /// Adds a line, with which that many bytes are left.
    fn add(&mut self, line: &[u8], left: usize) {
        let (shapes, weight) = weigh(line);
        self.shapes += shapes;
        if shapes.bad == 0 {
            self.utf8 += 1;
            self.utf8_text.push_str(std::str::from_utf8(line).unwrap_or_default());
            self.strong += u64::from(weight >= MIN_WEIGHT_OF_UTF8);
            self.weight += weight;
        } else if is_broken(weight, shapes.bad) {
            self.broken += 1;
            self.broken_text.extend_from_slice(line);
        } else {
            self.other += 1;
            if self.other_text.is_empty() {
                self.other_text.reserve(left);
            }
            self.both += u64::from(shapes.good > 0);
            self.other_text.extend_from_slice(line);
        }
    }

    /// Returns the first of the other lines that are not rather damaged UTF-8: all of them if there are none.
    pub(super) fn undamaged(&self) -> Cow<'_, [u8]> {
        let lines = self.other_text.split_inclusive(|&byte| byte == b'\n').take(MOST_LINES);
        // Overlong forms and surrogates are in no other text.
        let is_shaped = |line: &[u8]| Shapes::of(line).is_mostly_shaped();
        let text: Vec<&[u8]> =
            lines.filter(|line| !is_shaped(line) && !legacy::is_rather_damaged(line)).collect();
        if text.is_empty() || self.other > MOST_LINES as u64 {
            return Cow::Borrowed(&self.other_text);
        }
        Cow::Owned(text.concat())
    }

    /// Reports whether part of the text is UTF-8 beyond chance. In a single-byte encoding, almost no sequences occur
    /// by chance.
    pub(super) fn has_utf8(&self, single_byte: bool) -> bool {
        let strong = self.strong + self.broken;
        let weak = self.utf8 > 0
            && self.utf8 * 4 >= self.other
            && (single_byte || self.weight >= MIN_WEIGHT_OF_UTF8);
        strong > 0 && strong * 100 >= self.other || weak
    }

    /// Classifies the lines of UTF-8 beside the others, which are in a legacy encoding, with this confidence.
    pub(super) fn verdicts(&self, legacy: Legacy, confidence: Confidence) -> Verdicts {
        // Sequences of UTF-8 that are not there by chance tell nothing about the encoding of the rest.
        let others = LazyCell::new(|| match self.both > 0 && is_alien(legacy) {
            true => Cow::Owned(without_sequences(&self.other_text)),
            false => Cow::Borrowed(&self.other_text[..]),
        });
        let classifier = LazyCell::new(|| LineClassifier::among(legacy, &others));
        let mut verdicts = Verdicts::default();
        let broken = self.broken_text.split_inclusive(|&byte| byte == b'\n');
        let (by_chance, broken): (Vec<_>, Vec<_>) = broken.partition(|line| classifier.is_coincidence(line));
        verdicts.within = broken.len() as u64;
        let mut by_chance = by_chance.len() as u64;
        for line in self.utf8_text.split_inclusive('\n') {
            match classifier.verdict(line) {
                Verdict::Legacy => verdicts.legacy += 1,
                _ if classifier.is_coincidence(line.as_bytes()) => by_chance += 1,
                Verdict::Utf8 => verdicts.utf8 += 1,
                Verdict::Doubtful => verdicts.doubtful += 1,
            }
        }
        // More of them are none.
        let is_coincidence = by_chance * LINES_PER_COINCIDENCE <= self.other;
        *if is_coincidence { &mut verdicts.legacy } else { &mut verdicts.doubtful } += by_chance;
        verdicts.is_alien = is_alien(legacy);
        if verdicts.is_alien {
            let lines = self.other_text.split_inclusive(|&byte| byte == b'\n');
            for line in lines.filter(|line| has_sequence(line)) {
                let (has_utf8, has_others) = classifier.sequences(line);
                verdicts.within += u64::from(has_utf8 || is_marked(line));
                verdicts.clash |= has_others;
            }
        } else if self.both > 0 {
            verdicts.within += u64::from(is_marked(&self.other_text));
            verdicts.clash = true;
        }
        let beyond = || others.iter().filter(|byte| !byte.is_ascii()).take(MIN_LETTERS_FOR_GUESS).count();
        let known = || self.utf8_text.chars().filter(|c| !c.is_ascii()).take(MIN_LETTERS_FOR_GUESS).count();
        let is_doubtful =
            || beyond() + known() < MIN_LETTERS_FOR_GUESS || !reads_well(Codec::Legacy(legacy), &others);
        verdicts.few = confidence == Confidence::Possible && verdicts.garbled() > 0 && is_doubtful();
        verdicts
    }
}

/// Reports whether a line begins with the mark of UTF-8, which no text does in another encoding.
fn is_marked(line: &[u8]) -> bool {
    has_bom(AnyEncoding::Utf8, line)
}

/// At most one line of that many is UTF-8 by chance.
const LINES_PER_COINCIDENCE: u64 = 16;

/// How many non-ASCII letters it takes to believe a guess that is only possible: in both kinds of lines.
const MIN_LETTERS_FOR_GUESS: usize = 5;

/// How many lines are UTF-8, as judged beside others in a legacy encoding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verdicts {
    utf8: u64,
    /// Well formed by chance.
    legacy: u64,
    pub(super) doubtful: u64,
    /// Lines with both.
    pub(super) within: u64,
    is_alien: bool,
    /// Whether lines of the other encoding have sequences of UTF-8 by chance, which nobody can tell from the errors.
    clash: bool,
    /// Whether the other lines are too few for a guess at their encoding, or rarely read as text in it.
    few: bool,
}

impl Verdicts {
    /// Classifies the lines of a text that is said to be in a legacy encoding.
    pub fn of(text: &[u8], legacy: Legacy) -> Verdicts {
        Lines::of(text).verdicts(legacy, Confidence::Certain)
    }

    /// Adds the verdicts on more lines.
    pub fn merge(&mut self, more: Verdicts) {
        self.utf8 += more.utf8;
        self.legacy += more.legacy;
        self.doubtful += more.doubtful;
        self.within += more.within;
        self.is_alien |= more.is_alien;
        self.clash |= more.clash;
        self.few |= more.few;
    }

    /// Returns what makes a text UTF-8 whose other lines are in a legacy encoding.
    pub fn suggestion(self, encoding: &str) -> Option<Suggestion> {
        let fallback = || encoding.parse::<Fallback>().ok();
        // Most lines of UTF-8 speak for the few in doubt.
        let is_sure = self.legacy == 0 && self.doubtful * 8 <= self.utf8 && !self.few;
        let action = match self {
            _ if self.garbled() == 0 => {
                return encoding.parse().ok().map(Action::convert).map(Suggestion::sure);
            }
            // Decoding a whole line would garble its UTF-8.
            Verdicts { within: 1.., is_alien, clash, .. } => {
                fallback().filter(|_| is_sure && is_alien && !clash).map(Action::Fallback)
            }
            Verdicts { legacy: 1.., .. } => None,
            _ => fallback().map(Action::FallbackLines),
        };
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Likely };
        Some(Suggestion { confidence, ..Suggestion::sure(action?) })
    }

    /// Reports whether lines are UTF-8, and all that may be are.
    pub(crate) fn are_utf8(self) -> bool {
        self.utf8 > 0 && self.doubtful == 0
    }

    /// Reports whether decoding the errors alone from the legacy encoding, or the lines with errors as a whole
    /// (`per_line`), garbles what is certainly in the other encoding.
    pub fn are_garbled(self, per_line: bool) -> bool {
        self.legacy > 0 || if per_line { self.within > 0 } else { self.clash }
    }

    /// Returns the number of lines that a conversion would garble, or may.
    pub fn garbled(self) -> u64 {
        self.utf8 + self.doubtful + self.within
    }
}
