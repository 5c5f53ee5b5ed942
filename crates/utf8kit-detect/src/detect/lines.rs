//! Classifies the lines of a text as UTF-8, UTF-8 with errors, and other encodings.
//!
//! Sequences of UTF-8 occur by chance in text in other encodings: for one character in ten in the double-byte encodings
//! of East Asia, almost never elsewhere. So a line counts by the weight of its sequences: 1 for a sequence of two
//! bytes, 2 for three, 3 for four. By chance, one line in ten thousand weighs four or more.

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
    /// How many of them weigh too much to be UTF-8 by chance.
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
    /// The UTF-8 shapes of all lines.
    pub(super) shapes: Shapes,
}

/// The most lines that are weighed one by one. Among more lines, damage is a small part.
const MAX_LINES_WEIGHED: usize = 64;

/// The weight at which a line is not UTF-8 by chance.
const MIN_WEIGHT_OF_UTF8: u64 = 4;

/// Returns the UTF-8 shapes of a line, and the weight of its sequences.
fn weigh(line: &[u8]) -> (Shapes, u64) {
    let (mut weight, mut long) = (0, BTreeSet::new());
    let shapes = Shapes::with(line, |value, len| {
        // A repeated long sequence, which may be part of a repeated word, adds no evidence. Letters of two bytes do
        // recur.
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

/// The encoding of a line in a text with some lines of UTF-8.
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

    /// Adds a line. `left` is the number of bytes left in the text, including the line.
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

    /// Returns the other lines that are unlikely to be damaged UTF-8; all of them if there are none, or many lines.
    pub(super) fn undamaged(&self) -> Cow<'_, [u8]> {
        let lines = self.other_text.split_inclusive(|&byte| byte == b'\n').take(MAX_LINES_WEIGHED);
        // Overlong forms and surrogates occur in no other text.
        let is_shaped = |line: &[u8]| Shapes::of(line).is_mostly_shaped();
        let text: Vec<&[u8]> =
            lines.filter(|line| !is_shaped(line) && !legacy::is_likelier_damaged_utf8(line)).collect();
        if text.is_empty() || self.other > MAX_LINES_WEIGHED as u64 {
            return Cow::Borrowed(&self.other_text);
        }
        Cow::Owned(text.concat())
    }

    /// Reports whether part of the text is UTF-8, and not by chance. In a single-byte encoding, almost no sequences
    /// occur by chance.
    pub(super) fn has_utf8(&self, single_byte: bool) -> bool {
        let strong = self.strong + self.broken;
        let weak = self.utf8 > 0 && self.utf8 * 4 >= self.other && (single_byte || self.weight >= MIN_WEIGHT_OF_UTF8);
        strong > 0 && strong * 100 >= self.other || weak
    }

    /// Classifies the lines of UTF-8, given that the others are in a legacy encoding with this confidence.
    pub(super) fn verdicts(&self, legacy: Legacy, confidence: Confidence) -> Verdicts {
        // Genuine sequences of UTF-8 are not evidence for the encoding of the rest.
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
        // This many coincidences are unlikely.
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
        let non_ascii = || others.iter().filter(|byte| !byte.is_ascii()).take(MIN_LETTERS_FOR_GUESS).count();
        let known = || self.utf8_text.chars().filter(|c| !c.is_ascii()).take(MIN_LETTERS_FOR_GUESS).count();
        let is_doubtful =
            || non_ascii() + known() < MIN_LETTERS_FOR_GUESS || !reads_well(Codec::Legacy(legacy), &others);
        verdicts.few = confidence == Confidence::Possible && verdicts.garbled() > 0 && is_doubtful();
        verdicts
    }
}

/// Reports whether a line begins with a UTF-8 byte order mark. Text in other encodings never does.
fn is_marked(line: &[u8]) -> bool {
    has_bom(AnyEncoding::Utf8, line)
}

/// At most one in this many lines is UTF-8 by chance.
const LINES_PER_COINCIDENCE: u64 = 16;

/// How many non-ASCII letters, in both kinds of lines, are needed to trust a guess that is only possible.
const MIN_LETTERS_FOR_GUESS: usize = 5;

/// The classes of the lines that may be UTF-8, among others in a legacy encoding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verdicts {
    utf8: u64,
    /// Well formed by chance.
    legacy: u64,
    pub(super) doubtful: u64,
    /// Lines with both encodings.
    pub(super) within: u64,
    is_alien: bool,
    /// Whether lines in the other encoding have sequences of UTF-8 by chance, which cannot be distinguished from
    /// genuine ones.
    clash: bool,
    /// Whether the other lines are too few for a guess at their encoding, or do not read as text in it.
    few: bool,
}

impl Verdicts {
    /// Classifies the lines of a text, given its legacy encoding.
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

    /// Returns the action that makes the text UTF-8, given the encoding of the other lines.
    pub fn suggestion(self, encoding: &str) -> Option<Suggestion> {
        let fallback = || encoding.parse::<Fallback>().ok();
        // If most lines are UTF-8, the few doubtful ones are as well.
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

    /// Reports whether some lines are UTF-8 and none are doubtful.
    pub(crate) fn are_utf8(self) -> bool {
        self.utf8 > 0 && self.doubtful == 0
    }

    /// Reports whether decoding only the errors, or (`per_line`) whole lines with errors, from the legacy encoding
    /// certainly garbles text.
    pub fn are_garbled(self, per_line: bool) -> bool {
        self.legacy > 0 || if per_line { self.within > 0 } else { self.clash }
    }

    /// Returns the number of lines that a conversion would or might garble.
    pub fn garbled(self) -> u64 {
        self.utf8 + self.doubtful + self.within
    }
}
