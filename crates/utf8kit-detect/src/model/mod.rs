//! One model of text: the log-probability that a person wrote these characters.
//!
//! ```text
//! P(text | language) = product over characters of P(class | class before) * P(letter | two letters before, language)
//! ```
//!
//! Classes (space, small letter, capital, digit, opening sign, ...) have the same transitions in all languages. Letters
//! have a table of pairs for each language, and the most informative triples. Characters of East Asia have their
//! frequencies. A word may be foreign, at a price: it belongs to the language, to its script in general, or, in ASCII,
//! to English or code, whichever is likeliest. So the cost of a word is bounded for each language, and markup costs the
//! same in all of them.
//!
//! All costs are sixteenths of a nat, and add up. Only `encodings`, which has how frequent each one is, depends on
//! bytes.

pub(crate) mod encodings;
mod hash;
mod language;
mod readability;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use language::Each;
pub use language::Language;
pub use readability::readability;

pub(crate) use table::MAX_LANGUAGES;
use table::{CLASSES, Character, LANES, NO_SCRIPT, Script, TABLE};

/// Costs are sixteenths of a nat.
const COST_UNITS_PER_NAT: f32 = 16.0;

/// The most nats by which all languages together are likelier than one of them: ln 128.
pub(crate) const MAX_NATS_OF_ALL_LANGUAGES: f32 = 4.9;

/// Terms below this, in nats, are negligible in a sum that includes 1.
const MIN_NATS_IN_SUM: f32 = -14.0;

/// The costs of a word of the language itself, of another language of its script, of English or code, and of an unknown
/// language: ln 0.92, ln 0.08, ln 0.25, ln 0.004.
const COST_OF_OWN_WORD: u16 = 1;
const COST_OF_FOREIGN_WORD: i32 = 40;
const COST_OF_ENGLISH_WORD: i32 = 22;
const COST_OF_UNKNOWN_WORD: i32 = 88;

/// The maximum cost of a letter in an ASCII word, which may be an abbreviation or code: 3.7 nats.
const MAX_COST_OF_ASCII_LETTER: i32 = 59;

/// The costs of an East Asian character in its own language, in another language of East Asia, and in any other
/// language.
const COST_OF_OWN_IDEOGRAPH: i32 = 0;
const COST_OF_FOREIGN_IDEOGRAPH: i32 = 56;
const COST_OF_UNKNOWN_IDEOGRAPH: i32 = 44;

/// The costs of small letters and capitals within words: ln 0.9965, ln 0.0035, ln 0.72, ln 0.28, and of camel case:
/// ln 0.03.
const SMALL_AFTER_SMALL: u8 = 0;
const CAPITAL_AFTER_SMALL: u8 = 90;
const SMALL_AFTER_CAPITAL: u8 = 5;
const CAPITAL_AFTER_CAPITAL: u8 = 20;
const CAMEL_CASE: u8 = 56;

/// The cost of a space, ASCII sign, dash or box drawing that repeats the previous character: ln 0.2.
const COST_OF_REPEATED_SIGN: i32 = 26;

/// Classes, by their indices in the table.
const SPACE: u8 = 0;
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const SIGN: u8 = 6;
const DASH: u8 = 10;
const BOX: u8 = 13;

/// Reads text, and adds up its costs in each language.
///
/// ```
/// use utf8kit_detect::model::{Language, Scorer};
///
/// let score = |text: &str| Scorer::of(text.chars()).likeliest();
/// let (language, nats) = score("Die Stra\u{DF}e ist f\u{FC}r alle da");
/// assert_eq!(language.code(), "de");
/// assert!(nats > score("Die Stra\u{C3}\u{178}e ist f\u{C3}\u{BC}r alle da").1 + 20.0);
/// ```
#[derive(Clone)]
pub struct Scorer {
    /// The costs in all languages.
    base: i32,
    /// The additional costs in each language.
    own: [i32; MAX_LANGUAGES],
    /// The costs of the current word so far in each language of its script, and its number of letters.
    word: [u16; LANES],
    letters: i32,
    /// Whether the word is ASCII.
    is_plain: bool,
    /// The last two letters, by their indices.
    places: [u8; 2],
    /// The last character.
    last: char,
    class: u8,
    home: u8,
    count: u32,
}

impl Default for Scorer {
    fn default() -> Scorer {
        Scorer::new()
    }
}

impl Scorer {
    /// Creates a scorer that has read nothing.
    pub fn new() -> Scorer {
        Scorer {
            base: 0,
            own: [0; MAX_LANGUAGES],
            word: [0; LANES],
            letters: 0,
            is_plain: true,
            places: [0; 2],
            last: '\0',
            class: SPACE,
            home: NO_SCRIPT,
            count: 0,
        }
    }

    /// Reads all characters of a text.
    pub fn of(text: impl Iterator<Item = char>) -> Scorer {
        let mut scorer = Scorer::new();
        text.for_each(|c| scorer.push(c));
        scorer.end_word();
        scorer
    }

    /// Adds the score of another scorer, which has read other words.
    pub(crate) fn add(&mut self, other: &Scorer) {
        self.base += other.base;
        self.count += other.count;
        self.own.iter_mut().zip(other.own).for_each(|(own, more)| *own += more);
    }

    /// Reports whether it has read text of the same costs.
    pub(crate) fn is_like(&self, other: &Scorer) -> bool {
        (self.base, self.count, &self.own) == (other.base, other.count, &other.own)
    }

    /// Subtracts the score of another scorer, which has read the beginning of the same text, up to the end of a word.
    pub(crate) fn remove(&mut self, other: &Scorer) {
        self.base -= other.base;
        self.count -= other.count;
        self.own.iter_mut().zip(other.own).for_each(|(own, less)| *own -= less);
    }

    /// Reports whether a character is a letter of words. After any other character, the score does not depend on the
    /// text before it.
    pub(crate) fn is_of_word(c: char) -> bool {
        let table = &*TABLE;
        usize::from(table.character(c).home) < table.scripts.len()
    }

    /// Returns the number of characters that were read.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Reports whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Reads the next character.
    pub fn push(&mut self, c: char) {
        let table = &*TABLE;
        let Character { class, home, place, cost } = table.character(c);
        self.count += 1;
        let scripts = table.scripts.len();
        let is_of_table = usize::from(home) < scripts;
        let is_inside = home == self.home && usize::from(home) <= scripts;
        if !is_inside {
            self.end_word();
        }
        let step = match (is_inside, self.class, class) {
            (false, before, _) => {
                table.follow.get(usize::from(before)).map_or(0, |row| row[usize::from(class) % CLASSES])
            }
            (_, SMALL, CAPITAL) if c.is_ascii() => CAMEL_CASE,
            (_, SMALL, CAPITAL) => CAPITAL_AFTER_SMALL,
            (_, CAPITAL, SMALL) => SMALL_AFTER_CAPITAL,
            (_, CAPITAL, CAPITAL) => CAPITAL_AFTER_CAPITAL,
            _ => SMALL_AFTER_SMALL,
        };
        self.base += i32::from(step);
        if is_of_table {
            if let Some(script) = table.scripts.get(usize::from(home)) {
                self.letter(script, place);
                self.is_plain &= c.is_ascii();
                self.letters += 1;
            }
        } else if usize::from(home) == scripts {
            let costs = table.east(c);
            let common = i32::from(costs[table::EAST_ASIAN_LANGUAGES]);
            let other = common + COST_OF_UNKNOWN_IDEOGRAPH;
            self.base += other;
            let first = table.first_east_asian;
            for (own, &cost) in self.own.iter_mut().skip(first).zip(&costs[..table::EAST_ASIAN_LANGUAGES]) {
                *own += (i32::from(cost) + COST_OF_OWN_IDEOGRAPH).min(common + COST_OF_FOREIGN_IDEOGRAPH) - other;
            }
        } else if (self.last, self.home) == (c, NO_SCRIPT) && matches!(class, SPACE | SIGN | DASH | BOX) {
            // Blank lines, indentation, rules of signs.
            self.base += COST_OF_REPEATED_SIGN.min(i32::from(step) + i32::from(cost)) - i32::from(step);
        } else {
            self.base += i32::from(cost);
        }
        (self.class, self.home, self.last) = (class, home, c);
    }

    /// Adds the cost of a letter, or of the bound of a word (0), after the previous ones.
    #[inline]
    fn letter(&mut self, script: &Script, place: u8) {
        let row = script.row(self.places[0], self.places[1], place);
        // Rows are whole vectors.
        for (sums, costs) in self.word.as_chunks_mut::<16>().0.iter_mut().zip(row.as_chunks::<16>().0) {
            for (sum, &cost) in sums.iter_mut().zip(costs) {
                *sum = sum.saturating_add(u16::from(cost));
            }
        }
        self.places = [self.places[1], place];
    }

    /// Adds the word at its lowest cost: as a word of the language, or as a foreign one.
    pub fn end_word(&mut self) {
        let table = &*TABLE;
        if self.letters == 0 {
            return;
        }
        let Some(script) = table.scripts.get(usize::from(self.home)) else { return };
        self.letter(script, 0);
        let common = i32::from(self.word[script.common()]);
        let is_latin = usize::from(self.home) == table.latin;
        let (mut foreign, mut other) = (common + COST_OF_FOREIGN_WORD, common + COST_OF_UNKNOWN_WORD);
        if is_latin && self.is_plain {
            other = i32::from(self.word[table.english]).min(MAX_COST_OF_ASCII_LETTER * (self.letters + 1))
                + COST_OF_ENGLISH_WORD;
            foreign = foreign.min(other);
        }
        self.base += other;
        // In sixteen bits, because that is twice as fast.
        let foreign = u16::try_from(foreign).unwrap_or(u16::MAX);
        let words = self.word.get(..script.languages.len()).unwrap_or_default();
        for (own, &word) in self.own.get_mut(script.first..).unwrap_or_default().iter_mut().zip(words) {
            *own += i32::from(word.saturating_add(COST_OF_OWN_WORD).min(foreign)) - other;
        }
        self.word = [0; LANES];
        (self.letters, self.is_plain, self.places) = (0, true, [0; 2]);
        self.home = NO_SCRIPT;
    }

    /// Returns the log-probability of the text in a language, in nats, up to its last whole word.
    pub fn score(&self, language: Language) -> f32 {
        let own = self.own.get(language.at()).copied().unwrap_or_default();
        -(self.base + own) as f32 / COST_UNITS_PER_NAT
    }

    /// Returns the likeliest language, and the log-probability of the text and that language.
    pub fn likeliest(&self) -> (Language, f32) {
        let scores = Language::all().map(|language| (language, self.score(language) + language.prior()));
        scores.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((Language::OTHER, f32::MIN))
    }

    /// Returns the log-probability of the text in any language, in nats.
    pub fn total(&self) -> f32 {
        self.total_of_priors(1.0)
    }

    /// Returns the total log-probability of the text, with the languages' log-priors multiplied by a factor.
    pub(crate) fn total_of_priors(&self, factor: f32) -> f32 {
        let scores = self.scores(factor);
        let top = highest(&scores);
        top + sum(&scores, top).ln()
    }

    /// Returns the log-probability of the text and its likeliest language, with the log-priors multiplied by a factor.
    pub(crate) fn likeliest_of_priors(&self, factor: f32) -> f32 {
        highest(&self.scores(factor))
    }

    /// Returns the log-probability of the text and each language, the one for any other the last.
    fn scores(&self, factor: f32) -> [f32; MAX_LANGUAGES + 1] {
        let mut scores = [f32::MIN; MAX_LANGUAGES + 1];
        for (score, (own, prior)) in scores.iter_mut().zip(self.own.iter().zip(&TABLE.priors)) {
            *score = -(self.base + own) as f32 / COST_UNITS_PER_NAT + factor * prior;
        }
        scores[MAX_LANGUAGES] = -self.base as f32 / COST_UNITS_PER_NAT + factor * Language::OTHER.prior();
        scores
    }

    /// Returns the likeliest language, and the total log-probability of the text. A language's log-prior is the sum of
    /// its entries in the two lists. `None` if it is sure to be less than `least`.
    pub(crate) fn total_with(&self, priors: &Each, more: &Each, least: f32) -> Option<(Language, f32)> {
        let scores = self.scores_with(priors, more);
        let top = highest(&scores);
        if top + MAX_NATS_OF_ALL_LANGUAGES < least {
            return None;
        }
        let first = Language::all().zip(&scores).find(|(_, score)| **score == top);
        Some((first.map_or(Language::OTHER, |(language, _)| language), top + sum(&scores, top).ln()))
    }

    /// Returns an upper bound of the log-probability that [`Scorer::total_with`] returns.
    pub(crate) fn upper_bound_with(&self, priors: &Each, more: &Each) -> f32 {
        highest(&self.scores_with(priors, more)) + MAX_NATS_OF_ALL_LANGUAGES
    }

    /// Returns the log-probability of the text and each language. For a language without costs of its own, the base
    /// decides.
    fn scores_with(&self, priors: &Each, more: &Each) -> Each {
        let mut scores = [0.0; MAX_LANGUAGES];
        for (at, score) in scores.iter_mut().enumerate() {
            *score = -(self.base + self.own[at]) as f32 / COST_UNITS_PER_NAT + (priors[at] + more[at]);
        }
        scores
    }
}

/// Returns the sum of probabilities, as multiples of the highest one.
fn sum(scores: &[f32], top: f32) -> f32 {
    let differences = scores.iter().map(|score| score - top);
    differences.filter(|&less| less > MIN_NATS_IN_SUM).map(f32::exp).sum()
}

/// Returns the highest score.
fn highest(scores: &[f32]) -> f32 {
    // Eight at a time.
    let (eights, rest) = scores.as_chunks::<8>();
    let mut tops = [f32::MIN; 8];
    for eight in eights {
        tops.iter_mut().zip(eight).for_each(|(top, score)| *top = if score > top { *score } else { *top });
    }
    tops.iter().chain(rest).fold(f32::MIN, |top, score| top.max(*score))
}

/// Returns the likeliest language of a text.
///
/// ```
/// use utf8kit_detect::model::language;
///
/// assert_eq!(language("Wie geht es dir heute, mein Freund?").code(), "de");
/// assert_eq!(language("\u{41A}\u{430}\u{43A} \u{434}\u{435}\u{43B}\u{430}?").script(), "Cyrl");
/// ```
pub fn language(text: &str) -> Language {
    Scorer::of(text.chars()).likeliest().0
}

/// The surprise allowed for a character in the language of a text: 7 nats.
const COST_ALLOWED_PER_CHARACTER: i32 = 112;

/// Returns the excess surprise of the non-ASCII letters and signs in words of a language, in nats. It is high if
/// letters were decoded from a wrong encoding.
pub(crate) fn surprise(text: impl Iterator<Item = char>, language: Language) -> f32 {
    let table = &*TABLE;
    let (mut sum, mut places, mut before, mut last) = (0, [0, 0], (0_u8, NO_SCRIPT), ' ');
    let own = |script: &Script| language.at().checked_sub(script.first).filter(|lane| *lane < script.languages.len());
    for c in text {
        let Character { class, home, place, cost } = table.character(c);
        let step = table.follow.get(usize::from(before.0)).map_or(0, |row| row[usize::from(class) % CLASSES]);
        let (cost, now) = match table.scripts.get(usize::from(home)) {
            Some(script) => {
                if home != before.1 {
                    places = [0, 0];
                }
                let lane = own(script).unwrap_or(script.common());
                let row = script.row(places[0], places[1], place);
                places = [places[1], place];
                (row.get(lane).copied().map_or(0, i32::from), (class, home))
            }
            None => {
                places = [0, 0];
                let is_inside = before.1 != NO_SCRIPT;
                (i32::from(cost) + if is_inside { i32::from(step) } else { 0 } - COST_ALLOWED_PER_SIGN, (class, home))
            }
        };
        if !c.is_ascii() || !last.is_ascii() && c.is_alphabetic() {
            sum += (cost - COST_ALLOWED_PER_CHARACTER).max(0);
        }
        (before, last) = (now, c);
    }
    sum as f32 / COST_UNITS_PER_NAT
}

/// A sign in a word is less surprising than its cost, by 5 nats.
const COST_ALLOWED_PER_SIGN: i32 = 80;

/// Returns a letter and the mark after it as one character, for text with separate Vietnamese tones.
pub fn compose(base: char, mark: char) -> Option<char> {
    TABLE.compose(base, mark)
}
