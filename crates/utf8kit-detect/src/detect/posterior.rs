//! The posterior probability of each encoding:
//!
//! ```text
//! P(bytes, encoding, language) = P(encoding) * P(language | encoding) * P(characters | language) * P(errors)
//! ```
//!
//! Encodings that give the same text are one candidate, and data that is not text is another.

use std::collections::HashMap;

use utf8kit::{Encoding as _, Error, ErrorKind, Utf8};
use utf8kit_encodings::charset::Codec;

use crate::detect::confidence::Confidence;
use crate::detect::excerpt::Excerpt;
use crate::model::encodings::{CANDIDATES, Candidate};
use crate::model::{Each, Language, MAX_LANGUAGES, Scorer};

/// The log-probabilities, in nats, of an error together with the letter it replaced, of another error right after it,
/// and of any particular byte in it.
pub(super) const NATS_OF_ERROR: f32 = -14.2;
pub(super) const NATS_OF_NEXT_ERROR: f32 = -4.6;
pub(super) const NATS_OF_ERROR_BYTE: f32 = -5.5;

/// In UTF-8, the remains of a letter are mostly its lead, which is one of few bytes, or a continuation byte.
pub(super) const NATS_OF_LEAD: f32 = 2.0;
const NATS_OF_STRAY_CONTINUATION: f32 = 0.5;

/// How much likelier the first error is in UTF-8, because most files are UTF-8.
pub(super) const NATS_OF_BROKEN_UTF8: f32 = 5.0;

/// The same if everything else is ASCII, so that only the error itself is evidence. In the report that `COPY` stops at
/// byte 0x92, that is the apostrophe of windows-1252.
const NATS_OF_LONE_ERROR: f32 = 4.4;

/// The log-probability of FF as a character, and how much likelier FF is than any other byte in damage: first in a run,
/// and after another one.
pub(super) const NATS_OF_FF_AS_CHARACTER: f32 = -8.0;
pub(super) const NATS_OF_FIRST_FF: f32 = 12.0;
const NATS_OF_NEXT_FF: f32 = 5.0;

/// The log-probability that a text ends within a character.
pub(super) const NATS_OF_CUT_END: f32 = -12.0;

/// The weight of a nat of the model, because letters are less independent than the model assumes.
pub(super) const WEIGHT_OF_TEXT: f32 = 0.5;
/// The weight where letters are independent: in names, and for a single letter. With at least this many bytes of text
/// around it, a single letter counts in full, because these determine its language.
const WEIGHT_OF_NAME: f32 = 0.7;
const WEIGHT_OF_LETTER_IN_CONTEXT: f32 = 1.0;
const MIN_BYTES_OF_CONTEXT: usize = 12;

/// The log-probability that bytes are not text.
const NATS_OF_DATA: f32 = -16.0;

/// The log-probability that text in UTF-16 consists only of ASCII bytes, with almost no NUL.
const NATS_OF_UTF16_AS_ASCII: f32 = -14.0;

/// The most UTF-16 characters that may all consist of two printable ASCII bytes. One in three characters of East Asia
/// does, but a space or line end has a NUL.
const MAX_UTF16_UNITS_AS_ASCII: usize = 8;

/// The least number of whole characters per damaged one in text in UTF-16 or UTF-32; the price is [`NATS_OF_NEVER`]
/// otherwise.
const MIN_CHARACTERS_PER_WIDE_ERROR: usize = 8;
pub(super) const NATS_OF_NEVER: f32 = -1000.0;

/// How much other text can change the log-probability of a language, at most, in nats.
const MAX_NATS_OF_CONTEXT: f32 = 8.0;

/// How many bytes are decoded in all encodings, and how much less likely than the best an encoding may be after them,
/// in nats. Later bytes cannot make up for more.
const BYTES_FOR_ALL_ENCODINGS: usize = 160;
const MAX_NATS_BEHIND_AT_FIRST: f32 = 150.0;

/// A legacy encoding that is less likely than the best one by this many nats has no influence on any answer.
const MAX_NATS_BEHIND: f32 = 30.0;

/// The margins at which an encoding is certain or likely, in nats.
const MIN_NATS_TO_BE_CERTAIN: f32 = 9.2;
const MIN_NATS_TO_BE_LIKELY: f32 = 4.0;

/// A text in an encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoredEncoding {
    pub(crate) codec: Codec,
    pub(crate) language: Language,
    /// The log-probability of the bytes, the encoding and the language.
    pub(crate) score: f32,
    /// The number of errors.
    pub(crate) damage: u32,
}

/// A text in all encodings, the likeliest first.
#[derive(Clone, Debug)]
pub(crate) struct Posterior {
    pub(crate) encodings: Vec<ScoredEncoding>,
    /// The log-probability that the bytes are not text.
    pub(crate) binary: f32,
    /// The weight of a nat when deciding whether an encoding is likely.
    weight: f32,
}

impl Posterior {
    /// Weighs all candidates.
    pub(crate) fn of(bytes: &[u8]) -> Posterior {
        Posterior::among(bytes, "", |_| true)
    }

    /// Weighs some candidates. `context` is text in the same language.
    pub(crate) fn among(bytes: &[u8], context: &str, is_meant: impl Fn(Codec) -> bool) -> Posterior {
        let meant = CANDIDATES.iter().filter(|one| is_meant(one.codec));
        Posterior::weigh(&Excerpt::of(bytes), &languages_of(context.chars()), meant)
    }

    /// Reports whether bytes are more likely text in an encoding than damaged UTF-8 or data.
    pub(crate) fn reads_well(codec: Codec, bytes: &[u8]) -> bool {
        Posterior::with(codec, bytes, |one| one.is_utf8()) == Some(0.0)
    }

    /// Returns by how many nats the likeliest of some encodings is likelier than `codec`; 0 if none is. `None` if the
    /// bytes are more likely data.
    pub(crate) fn with(codec: Codec, bytes: &[u8], is_meant: impl Fn(&Candidate) -> bool) -> Option<f32> {
        let own = Candidate::known(codec)?;
        let (excerpt, context) = (Excerpt::of(bytes), languages_of(std::iter::empty()));
        let score = |posterior: &Posterior| posterior.encodings.first().map_or(f32::MIN, |one| one.score);
        let found = Posterior::weigh(&excerpt, &context, std::iter::once(&*own));
        let others = Posterior::weigh(&excerpt, &context, CANDIDATES.iter().filter(|one| is_meant(one)));
        let (own, other) = (score(&found), score(&others));
        (own.max(other) > found.binary).then(|| (other - own).max(0.0))
    }

    fn weigh<'c>(excerpt: &Excerpt, languages: &Each, all: impl Iterator<Item = &'c Candidate>) -> Posterior {
        let mut candidates: Vec<&Candidate> = all.filter(|one| may_be(one, excerpt)).collect();
        if let Some(first) = excerpt.first(BYTES_FOR_ALL_ENCODINGS) {
            let texts = weigh(&first, languages, &candidates, MAX_NATS_BEHIND_AT_FIRST);
            let all = || texts.iter().flatten();
            let best = all().map(|one| one.score).fold(f32::MIN, f32::max);
            let left: Vec<Codec> =
                all().filter(|one| one.score > best - MAX_NATS_BEHIND_AT_FIRST).map(|one| one.codec).collect();
            let is_open = |one: &Candidate| !one.keeps_ascii() && !excerpt.is_mostly_words();
            candidates.retain(|one| is_open(one) || left.contains(&one.codec));
        }
        let texts = weigh(excerpt, languages, &candidates, MAX_NATS_BEHIND);
        let encodings = texts.iter().filter_map(|same| merged(same)).collect();
        let weight = match excerpt.non_ascii() {
            1 if excerpt.len() >= MIN_BYTES_OF_CONTEXT => WEIGHT_OF_LETTER_IN_CONTEXT,
            1 => WEIGHT_OF_NAME,
            _ => WEIGHT_OF_TEXT,
        };
        Posterior::sorted(encodings, excerpt.binary() + NATS_OF_DATA, weight)
    }

    /// Weighs some candidates for texts that are all in one encoding, each in a language of its own.
    pub(crate) fn of_each(texts: &[&[u8]], context: &str, is_meant: impl Fn(Codec) -> bool) -> Posterior {
        let candidates: Vec<&Candidate> = CANDIDATES.iter().filter(|one| is_meant(one.codec)).collect();
        let context = languages_of(context.chars());
        let mut binary = NATS_OF_DATA;
        // For each candidate, the indices of its texts among all distinct texts.
        let mut all: Vec<(Vec<usize>, Option<ScoredEncoding>)> = vec![(Vec::new(), None); candidates.len()];
        for text in texts {
            let excerpt = Excerpt::of(text);
            binary += excerpt.binary();
            for (place, same) in weigh(&excerpt, &context, &candidates, f32::INFINITY).iter().enumerate() {
                for scored in same {
                    let at = candidates.iter().position(|one| one.codec == scored.codec).unwrap_or_default();
                    let Some((places, sum)) = all.get_mut(at) else { continue };
                    places.push(place);
                    let prior = candidates.get(at).map_or(0.0, |one| one.prior);
                    let score = sum.map_or(scored.score, |sum| sum.score + scored.score - prior);
                    let damage = sum.map_or(0, |sum| sum.damage) + scored.damage;
                    *sum = Some(ScoredEncoding { score, damage, ..*scored });
                }
            }
        }
        let mut same: HashMap<Vec<usize>, Vec<ScoredEncoding>> = HashMap::new();
        all.into_iter().for_each(|(places, sum)| same.entry(places).or_default().extend(sum));
        Posterior::sorted(same.values().filter_map(|same| merged(same)).collect(), binary, WEIGHT_OF_NAME)
    }

    fn sorted(mut encodings: Vec<ScoredEncoding>, binary: f32, weight: f32) -> Posterior {
        encodings
            .sort_by(|one, other| other.score.total_cmp(&one.score).then(one.codec.name().cmp(other.codec.name())));
        Posterior { encodings, binary, weight }
    }

    /// Removes an encoding, and returns its score.
    pub(crate) fn remove(&mut self, codec: Codec) -> f32 {
        let at = self.encodings.iter().position(|one| one.codec == codec);
        at.map_or(f32::MIN, |at| self.encodings.remove(at).score)
    }

    /// Returns the likeliest encoding, unless the bytes are more likely data.
    pub(crate) fn best(&self) -> Option<&ScoredEncoding> {
        self.encodings.first().filter(|best| best.score > self.binary)
    }

    /// Returns by how many nats the likeliest encoding is likelier than all others together.
    pub(crate) fn margin(&self) -> f32 {
        self.margin_at(WEIGHT_OF_TEXT)
    }

    /// Returns the margin with `weight` as the weight of a nat.
    fn margin_at(&self, weight: f32) -> f32 {
        let Some(best) = self.encodings.first() else { return f32::MIN };
        let others = self.encodings.iter().skip(1).map(|one| one.score).chain([self.binary]);
        -sum(others.map(|score| weight * (score - best.score)))
    }

    /// Returns the confidence in the likeliest encoding.
    pub(crate) fn confidence(&self) -> Confidence {
        if self.margin() >= MIN_NATS_TO_BE_CERTAIN {
            Confidence::Certain
        } else if self.margin_at(self.weight) >= MIN_NATS_TO_BE_LIKELY {
            Confidence::Likely
        } else {
            Confidence::Possible
        }
    }
}

/// Returns the likeliest of the encodings that give the same text, with their total probability.
fn merged(same: &[ScoredEncoding]) -> Option<ScoredEncoding> {
    let best = same.iter().copied().reduce(|best, one| if one.score > best.score { one } else { best })?;
    Some(ScoredEncoding { score: sum(same.iter().map(|one| one.score)), ..best })
}

/// Returns the logarithm of the sum of numbers given by their logarithms.
fn sum(logarithms: impl Iterator<Item = f32> + Clone) -> f32 {
    let top = logarithms.clone().fold(f32::MIN, f32::max);
    top + logarithms.map(|one| (one - top).exp()).sum::<f32>().ln()
}

/// Reports whether an excerpt can be in an encoding at all.
fn may_be(one: &Candidate, excerpt: &Excerpt) -> bool {
    match one.unit {
        1 if one.is_ebcdic => excerpt.non_ascii() * 2 > excerpt.len(),
        1 => one.is_utf8() || !one.keeps_ascii() || excerpt.non_ascii() > 0,
        unit => {
            let most = if excerpt.is_printable_ascii() { MAX_UTF16_UNITS_AS_ASCII * unit } else { usize::MAX };
            (2 * unit..most).contains(&excerpt.len())
        }
    }
}

/// Rates an excerpt in some encodings, grouped by the text that they give. `languages` are the log-probabilities of the
/// languages, given other text. Legacy encodings that are less likely than the best of them by more than `behind` may
/// be left out. Every character lowers the probability, so a prefix of the text gives an upper bound for all of it.
pub(super) fn weigh(
    excerpt: &Excerpt,
    languages: &Each,
    candidates: &[&Candidate],
    behind: f32,
) -> Vec<Vec<ScoredEncoding>> {
    let distinct = [false, true].map(|keeps_ascii| distinct(excerpt.bytes_for(keeps_ascii)));
    let mut attempts: Vec<Attempt> = Vec::with_capacity(candidates.len());
    // For each candidate, the index of its attempt.
    let mut places = Vec::with_capacity(candidates.len());
    for &one in candidates {
        let key = Attempt::key(one, &distinct[usize::from(one.keeps_ascii())]);
        let place = attempts.iter().position(|other| key.is_some() && other.key == key);
        places.push(place.unwrap_or(attempts.len()));
        match place.and_then(|place| attempts.get_mut(place)) {
            Some(other) => other.prior = other.prior.max(one.prior),
            None => attempts.push(Attempt::new(one, key, excerpt)),
        }
    }
    let (mut characters, mut best) = (Vec::new(), Best::default());
    // The likeliest first: the others are compared with it.
    attempts.iter_mut().for_each(|one| one.read_on(excerpt, languages, &mut characters));
    let mut order: Vec<(f32, usize)> = attempts.iter().map(|one| one.most).zip(0..).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut found: Vec<(usize, Vec<ScoredEncoding>)> = Vec::new();
    for (_, place) in order {
        let Some(attempt) = attempts.get_mut(place) else { continue };
        while attempt.most >= best.least(attempt) - behind && !attempt.is_done(excerpt) {
            attempt.read_on(excerpt, languages, &mut characters);
        }
        let least = best.least(attempt) - behind;
        if attempt.most < least {
            continue;
        }
        let same = candidates.iter().zip(&places).filter(|(_, of)| **of == place);
        let mut encodings: Vec<ScoredEncoding> =
            same.filter_map(|(one, _)| attempt.encoding(one, excerpt, languages, least)).collect();
        encodings.iter().for_each(|encoding| best.add(encoding));
        let Some(attempt) = attempts.get(place) else { continue };
        let is_like = |other: usize| attempts.get(other).is_some_and(|other| attempt.is_like(other, excerpt));
        match found.iter_mut().find(|(other, _)| is_like(*other)) {
            Some((_, others)) => others.append(&mut encodings),
            None => found.push((place, encodings)),
        }
    }
    found.into_iter().map(|(_, encodings)| encodings).collect()
}

/// The log-probabilities of the languages in encodings that have all letters.
pub(super) const ALL: Each = [0.0; MAX_LANGUAGES];

/// The log-probabilities of the best encodings so far.
struct Best {
    /// In any encoding, in a legacy one, and in one without errors.
    any: f32,
    legacy: f32,
    whole: f32,
}

impl Default for Best {
    fn default() -> Best {
        Best { any: f32::MIN, legacy: f32::MIN, whole: f32::MIN }
    }
}

impl Best {
    fn add(&mut self, encoding: &ScoredEncoding) {
        self.any = self.any.max(encoding.score);
        if matches!(encoding.codec, Codec::Legacy(_)) {
            self.legacy = self.legacy.max(encoding.score);
            self.whole = if encoding.damage == 0 { self.whole.max(encoding.score) } else { self.whole };
        }
    }

    /// Returns the best of those that an attempt is compared with. UTF-8 is weighed in any case.
    fn least(&self, attempt: &Attempt) -> f32 {
        match attempt.first.codec {
            Codec::Native(_) if attempt.first.unit > 1 => self.any,
            Codec::Native(_) => f32::MIN,
            Codec::Legacy(_) if attempt.text.errors == 0 => self.whole,
            Codec::Legacy(_) => self.legacy,
        }
    }
}

/// The golden ratio's fraction in 64 bits, an odd number that mixes keys well.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the bytes that occur in a text.
fn distinct(bytes: &[u8]) -> Vec<u8> {
    let mut occurs = [false; 256];
    bytes.iter().for_each(|byte| occurs[usize::from(*byte)] = true);
    (0..=u8::MAX).filter(|byte| occurs[usize::from(*byte)]).collect()
}

/// The text that some encodings give, as far as it was read.
struct Attempt<'c> {
    first: &'c Candidate,
    /// The highest log-frequency of them.
    prior: f32,
    key: Option<u64>,
    text: Text,
    /// The number of bytes that were read.
    read: usize,
    is_cut: bool,
    /// An upper bound of the log-probability of the whole text.
    most: f32,
}

impl<'c> Attempt<'c> {
    fn new(first: &'c Candidate, key: Option<u64>, excerpt: &Excerpt) -> Attempt<'c> {
        let scorer = if first.keeps_ascii() { excerpt.ascii().clone() } else { Scorer::new() };
        let text = Text { scorer, errors: 0, bursts: 0, is_after_error: false, has_letters: false };
        Attempt { first, prior: first.prior, key, text, read: 0, is_cut: false, most: f32::INFINITY }
    }

    /// Returns a hash of the characters that a table gives for some bytes; `None` if the encoding is not a table.
    fn key(one: &Candidate, bytes: &[u8]) -> Option<u64> {
        let start = u64::from(one.keeps_ascii());
        let mixed = |key: u64, c: char| (key.rotate_left(29) ^ u64::from(c)).wrapping_mul(MULTIPLIER);
        Some(one.characters(bytes)?.fold(start, mixed))
    }

    fn is_done(&self, excerpt: &Excerpt) -> bool {
        self.read >= excerpt.bytes_for(self.first.keeps_ascii()).len()
    }

    /// Reads the next part.
    fn read_on(&mut self, excerpt: &Excerpt, languages: &Each, characters: &mut Vec<char>) {
        let rest = excerpt.bytes_for(self.first.keeps_ascii()).get(self.read..).unwrap_or_default();
        let part = self.first.part(rest);
        characters.clear();
        self.is_cut = self.first.read(part, characters);
        characters.iter().for_each(|c| self.text.push(*c));
        self.read += part.len();
        if self.is_done(excerpt) {
            self.text.scorer.end_word();
        }
        let text = self.text.scorer.upper_bound_with(languages, &ALL);
        self.most = self.prior + text + self.text.damage(self.first);
    }

    /// Rates the text in one of the encodings, unless that is sure to be less than `least`.
    fn encoding(&self, one: &Candidate, excerpt: &Excerpt, languages: &Each, least: f32) -> Option<ScoredEncoding> {
        let Attempt { text, is_cut, .. } = self;
        let cut = if *is_cut { NATS_OF_CUT_END } else { 0.0 };
        let context = one.prior + text.damage(one) + cut + price(one, text, excerpt);
        let (language, score) = text.scorer.total_with(languages, &one.covers, least - context)?;
        Some(ScoredEncoding { codec: one.codec, language, score: score + context, damage: text.errors })
    }

    /// Reports whether two encodings give the same text.
    fn is_like(&self, other: &Attempt, excerpt: &Excerpt) -> bool {
        let all = |one: &Candidate| {
            let mut text = Vec::new();
            one.read(excerpt.bytes_for(one.keeps_ascii()), &mut text);
            text
        };
        self.text.errors == other.text.errors
            && self.text.scorer.is_like(&other.text.scorer)
            && self.first.keeps_ascii() == other.first.keeps_ascii()
            && all(self.first) == all(other.first)
    }
}

/// Returns the evidence for or against an encoding other than its text.
fn price(one: &Candidate, text: &Text, excerpt: &Excerpt) -> f32 {
    let mut price = if one.keeps_ascii() { excerpt.nats_of_nuls() } else { 0.0 };
    if one.unit > 1 && excerpt.is_mostly_ascii() {
        price += NATS_OF_UTF16_AS_ASCII;
    }
    if one.unit > 1 && text.errors as usize * MIN_CHARACTERS_PER_WIDE_ERROR > text.scorer.len() {
        price += NATS_OF_NEVER;
    }
    let (fill, runs) = excerpt.fill();
    if fill > 0 && (one.has_fill || fill == excerpt.non_ascii()) {
        price += NATS_OF_FF_AS_CHARACTER;
    }
    if one.is_utf8() && text.errors > 0 {
        let is_alone = text.errors == 1 && !text.has_letters && fill == 0;
        price += if is_alone { NATS_OF_LONE_ERROR } else { NATS_OF_BROKEN_UTF8 };
        price += NATS_OF_FIRST_FF * runs as f32 + NATS_OF_NEXT_FF * (fill - runs) as f32;
        price += Utf8.errors(excerpt.bytes_for(true)).map(|error| left_over(&error)).sum::<f32>();
    }
    price
}

/// Returns how much likelier than any other bytes the bytes of an error are, as remains of a sequence.
fn left_over(error: &Error) -> f32 {
    match error.kind {
        ErrorKind::Truncated | ErrorKind::Overlong | ErrorKind::InvalidByte => NATS_OF_LEAD,
        ErrorKind::UnexpectedContinuation => NATS_OF_STRAY_CONTINUATION,
        _ => 0.0,
    }
}

/// An excerpt in an encoding.
struct Text {
    scorer: Scorer,
    /// The number of errors, and how many directly follow another one.
    errors: u32,
    bursts: u32,
    is_after_error: bool,
    /// Whether it has non-ASCII characters.
    has_letters: bool,
}

impl Text {
    fn push(&mut self, c: char) {
        let is_error = c == char::REPLACEMENT_CHARACTER;
        if is_error {
            self.errors += 1;
            self.bursts += u32::from(self.is_after_error);
        } else {
            self.scorer.push(c);
            self.has_letters |= !c.is_ascii();
        }
        self.is_after_error = is_error;
    }

    /// Returns the log-probability of the errors in an encoding.
    fn damage(&self, candidate: &Candidate) -> f32 {
        NATS_OF_ERROR * (self.errors - self.bursts) as f32
            + NATS_OF_NEXT_ERROR * self.bursts as f32
            + NATS_OF_ERROR_BYTE * (self.errors * candidate.unit as u32) as f32
    }
}

/// Returns the log-probability of each language, given other text, in the order of [`Language::all`].
pub(super) fn languages_of(context: impl Iterator<Item = char>) -> Each {
    let scorer = Scorer::of(context.take(Excerpt::MAX_BYTES_WEIGHED));
    let score = |language: Language| WEIGHT_OF_TEXT * scorer.score(language);
    let top = Language::all().map(score).fold(f32::MIN, f32::max);
    Language::each(|language| language.prior() + (score(language) - top).max(-MAX_NATS_OF_CONTEXT))
}

/// Rates how well text reads in the context of other text.
///
/// ```
/// use utf8kit_detect::context::Prose;
///
/// let prose = Prose::with_context("Gr\u{FC}\u{DF}e aus K\u{F6}ln");
/// assert!(prose.nats("gr\u{F6}\u{DF}er") > prose.nats("gr\u{C3}\u{B6}\u{C3}\u{178}er"));
/// ```
#[derive(Clone, Debug)]
pub struct Prose {
    /// The log-probabilities of the languages.
    languages: Each,
}

impl Prose {
    /// Rates text that is likely in the language of another one.
    pub fn with_context(text: &str) -> Prose {
        Prose::among(text.chars())
    }

    /// Rates text that is likely in the language of some characters.
    pub(super) fn among(text: impl Iterator<Item = char>) -> Prose {
        Prose { languages: languages_of(text) }
    }

    /// Returns the log-probability of a text. `covers` adds the log-probability of each language in an encoding.
    pub(super) fn score(&self, text: impl Iterator<Item = char>, covers: &Each) -> f32 {
        Scorer::of(text).total_with(&self.languages, covers, f32::MIN).map_or(f32::MIN, |(_, score)| score)
    }

    /// Returns the log-probability that a person wrote a text. U+FFFD costs as much as damage.
    pub fn nats(&self, text: &str) -> f32 {
        let is_lost = |c: &char| *c == char::REPLACEMENT_CHARACTER;
        let lost = text.chars().filter(is_lost).count();
        self.score(text.chars().filter(|c| !is_lost(c)), &ALL) + NATS_OF_ERROR * lost as f32
    }
}
