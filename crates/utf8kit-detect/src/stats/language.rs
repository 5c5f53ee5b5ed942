//! The languages of a text, and how much of it is readable.

use std::collections::BTreeMap;

use crate::model::{Language, Scorer, readability};

/// The margin in nats by which a language must be likelier than any other to be named: a factor of 20.
const MIN_NATS_AHEAD: f32 = 3.0;

/// The approximate number of characters of adjacent lines that are assumed to be in one language.
const MIN_CHARACTERS_OF_PASSAGE: usize = 200;

/// Returns the ISO 639 code of the language of a text, if it has enough words.
///
/// ```
/// use utf8kit_detect::stats::language_of;
///
/// assert_eq!(language_of("Gr\u{FC}\u{DF}e aus K\u{F6}ln, das Wetter ist sch\u{F6}n"), Some("de"));
/// assert_eq!(language_of("x = 1"), None);
/// ```
pub fn language_of(text: &str) -> Option<&'static str> {
    let scorer = Scorer::of(text.chars());
    let (best, score) = scorer.likeliest();
    let mut others = Language::all().filter(|other| *other != best);
    let is_clear = others.all(|other| scorer.score(other) + other.prior() < score - MIN_NATS_AHEAD);
    (is_clear && best != Language::OTHER).then(|| best.code())
}

/// The languages of a text, and how much of it is readable. The profiles of several texts can be merged.
///
/// ```
/// use utf8kit_detect::stats::LanguageProfile;
///
/// let mut prose = LanguageProfile::of("Das Wetter ist heute sch\u{F6}n, und wir gehen alle spazieren.\n");
/// assert_eq!((prose.languages.get("de"), prose.readability()), (Some(&58), Some(1.0)));
/// prose.merge(&LanguageProfile::of(""));
/// assert_eq!(prose.code_points, 58);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LanguageProfile {
    /// Code points by the ISO 639 code of their language, `und` if unclear.
    pub languages: BTreeMap<&'static str, u64>,
    /// All code points.
    pub code_points: u64,
    /// Readable code points.
    readable: f64,
}

impl LanguageProfile {
    /// Reads a text.
    pub fn of(text: &str) -> LanguageProfile {
        let code_points = |text: &str| text.chars().count() as u64;
        let mut prose = LanguageProfile { code_points: code_points(text), ..LanguageProfile::default() };
        prose.readable = readability(text) * prose.code_points as f64;
        let mut rest = text;
        while !rest.is_empty() {
            let start = rest.char_indices().nth(MIN_CHARACTERS_OF_PASSAGE).map_or(rest.len(), |(at, _)| at);
            let after = rest.get(start..).unwrap_or_default();
            let end = after.find('\n').map_or(rest.len(), |feed| start + feed + 1);
            let (passage, next) = rest.split_at(end);
            *prose.languages.entry(language_of(passage).unwrap_or("und")).or_default() += code_points(passage);
            rest = next;
        }
        prose
    }

    /// Returns the share of the text that reads as some language, from 0 to 1; `None` for an empty text.
    pub fn readability(&self) -> Option<f64> {
        (self.code_points > 0).then(|| self.readable / self.code_points as f64)
    }

    /// Adds the languages of another text.
    pub fn merge(&mut self, other: &LanguageProfile) {
        for (language, count) in &other.languages {
            *self.languages.entry(language).or_default() += count;
        }
        self.code_points += other.code_points;
        self.readable += other.readable;
    }
}
