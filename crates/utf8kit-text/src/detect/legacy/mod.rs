//! Detection of a legacy encoding, and the confidence in it: weighs chardetng's guess against other encodings.
//!
//! ```text
//! multibyte encodings:   the share of frequent characters                                        (double_byte)
//! single-byte encodings: the share of letters that a single language has                         (alphabets)
//!                        symbols within words, capitals after lowercase letters, mixed scripts   (oddness)
//!                        between those that read as well: usual letters, signs in their places,
//!                        the language of the ASCII words                                         (habits)
//! ```
//!
//! A guess stands unless another encoding is clearly better. The confidence depends on how well the text reads, and on
//! how much worse it reads in the next best encoding that gives a different text. `bench/detection.py` measures how
//! often the guess is right.

pub(super) mod best;
pub(super) mod certainty;
pub(super) mod double_byte;
mod frequency;
pub(super) mod habits;
pub(super) mod single_byte;
pub(super) mod tally;
mod telling;
mod triples;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::alphabets::{Languages, coverage};
use crate::charset::legacy::guess;
use crate::charset::{Charset, Codec, Legacy};
use crate::detect::confidence::Confidence;
use crate::detect::languages::{WIDE, counted, coverage_in_common, languages_with};
use crate::oddness::{ODD, oddness};
use best::{Best, NEXT, first_few};
use double_byte::{ENCODINGS, Reading, Readings, with_cut_end};
use habits::{Habits, is_in_place};
use single_byte::{SINGLE, SingleByte, is_seldom};
use tally::Tally;
use telling::{condensed, telling};
use triples::Triples;

/// Fewer characters are rather signs, if they are in their places.
const SIGNS: u64 = 4;

/// From so many characters on, chardetng knows which letters are frequent.
const ENOUGH: u64 = 24;

/// So many capitals without a small letter are rather the letters of an alphabet without capitals, in an encoding that
/// is not known: Hebrew of DOS reads as capitals of IBM866.
const SHOUTED: u64 = 100;

/// How much better text in a language that few texts are in must read.
const RARE: f64 = 0.01;

/// How much better text in an encoding that few texts are in must read to make another one doubtful.
const SELDOM: f64 = 0.03;

/// How much better text in capitals must read than text in an alphabet without capitals.
const LOUD: f64 = 0.05;

/// How well text reads that is in the alphabet of the lines of UTF-8 beside it.
const SURE: f64 = 0.99;

/// The most bytes of a text that are decoded.
const READ: usize = 64 * 1024;

/// The encodings of [`SINGLE`] with the languages that are written in them.
static SERVED: LazyLock<Vec<(Legacy, Languages)>> = LazyLock::new(|| {
    let languages = |(legacy, encoding): (Legacy, SingleByte)| {
        let mut letters: Vec<char> = (128..=255).filter_map(|byte| encoding.character(byte)).collect();
        letters.sort_unstable();
        (legacy, languages_with(|c| c.is_ascii() || letters.binary_search(&c).is_ok()))
    };
    SingleByte::all().map(languages).collect()
});

/// The most bytes of a text whose habits are looked at.
const HABITS: usize = 2048;

/// How much worse a rival may read.
pub(super) const WORSE: f64 = 0.02;

/// How much worse text may read in an encoding that is named beside the best one.
const NEAR: f64 = 0.3;

/// The most frequent of the code pages of DOS.
const DOS: &str = "CP850";

/// The text as decoded from one encoding.
struct Candidate {
    legacy: Legacy,
    /// Its place among those that are looked for.
    place: usize,
    /// How well it reads: 1 is best.
    score: f64,
    /// The number of different letters that speak for it.
    evidence: usize,
    text: String,
    /// Whether most of its non-ASCII letters are capitals.
    shouts: bool,
    /// Whether it has so many capitals, and nothing else non-ASCII, that it is unlikely to be text.
    only_shouts: bool,
    /// Whether all of its letters are capitals of an alphabet other than the Latin one.
    is_loud: bool,
    /// Whether it is in a language that few texts are in.
    is_rare: bool,
    /// How unusual its letters and signs are.
    doubt: f64,
}

/// Returns the best guess at the encoding of a text that is not UTF-8, with the confidence in it. `whole` means that
/// the bytes are the whole text. `beside` are lines of UTF-8 in the same text, which are in the same language.
pub(crate) fn weigh(bytes: &[u8], whole: bool, beside: &str) -> Best {
    if let Some(dos) = Legacy::labelled(DOS).filter(|_| are_spaces(bytes)) {
        return Best::new(dos, Confidence::Possible);
    }
    let telling = telling(bytes);
    let guessed = guess(&condensed(telling), whole && telling.len() == bytes.len());
    if guessed.name() == "ISO-2022-JP" {
        return Best::new(guessed, Confidence::Likely);
    }
    let cut = !whole || bytes.len() > READ;
    let bytes = bytes.get(..READ).unwrap_or(bytes);
    // Text in another alphabet has almost no lines of East Asia, nor has text in Latin letters a few characters.
    let is_of =
        |latin: bool| move |c: &char| !c.is_ascii() && *c < WIDE && c.is_alphabetic() && (*c < 'Ͱ') == latin;
    let beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let is_western = !beside.chars().any(|c| c >= WIDE)
        && (beside.chars().filter(is_of(false)).nth(1).is_some()
            || beside.chars().filter(is_of(true)).nth(4 * beyond).is_some());
    let east = best_double_byte(bytes, cut, guessed).filter(|_| !is_western);
    let is_single = guessed.is_single_byte();
    let is_alphabetic = |c: &char| !c.is_ascii() && *c < WIDE && c.is_alphabetic();
    let is_known = beside.chars().filter(is_alphabetic).nth(1).is_some();
    let counted = Counted::of(bytes, beside);
    if let Some((east, good)) = east
        && good >= 0.8
        && (!is_single || good >= 2.0)
        && !(is_known && counted.is_covered(SURE))
    {
        return east; // however well it reads in other encodings
    }
    match (east, best_of_bytes(bytes, guessed, &counted)) {
        // The lines of UTF-8 are in the alphabet of the others.
        (_, Some((west, better))) if is_known && better >= SURE => west,
        (Some((east, good)), west) => match west {
            Some((west, better)) if is_single && (good < 0.95 || better > 0.9) && good < 2.0 => {
                west.before(east)
            }
            Some((west, better)) if good < 0.5 && better > good || good < 0.8 && better >= SURE => {
                west.before(east)
            }
            Some((west, _)) => east.before(west),
            None => east,
        },
        (None, Some((west, _))) => west,
        (None, None) => Best::new(guessed, Confidence::Possible),
    }
}

/// Returns the best multibyte encoding, if the text reads well in it.
fn best_double_byte(bytes: &[u8], cut: bool, guessed: Legacy) -> Option<(Best, f64)> {
    let number = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let mut all: Readings = [None; ENCODINGS.len()];
    let mut read = |(place, &(name, frequency)): (usize, &(&'static str, _))| {
        let legacy = Legacy::labelled(name)?;
        // The sample may cut off the end of a character.
        let mut parts = with_cut_end(bytes, if cut { 4 } else { 1 });
        let (text, decoded) = parts.find_map(|part| Some((part, legacy.text_of(part)?)))?;
        let reading = Reading::of(text, &decoded, name, frequency);
        all[place] = Some(reading);
        // A sign of one byte before an ASCII letter is as likely.
        let is_double = reading.characters > 2 || number as u64 > reading.characters;
        (reading.characters > 0 && is_double).then_some((legacy, reading, reading.score(), decoded))
    };
    let mut readings: Vec<_> = ENCODINGS.iter().enumerate().filter_map(&mut read).collect();
    if let Some(&(legacy, ..)) = readings.iter().find(|one| one.1.wide >= 10) {
        return Some((Best { east: all, ..Best::new(legacy, Confidence::Likely) }, 2.0));
    }
    let is_japanese = |one: &(Legacy, Reading, f64, String)| one.1.has_kana && one.2 >= 0.8;
    // In Chinese text, two of three characters are also frequent in Korean text. A larger share is not chance.
    if let [korean, others @ ..] = &mut *readings
        && korean.0.name() == "EUC-KR"
        && !others.iter().any(is_japanese)
        && korean.2 >= 0.95
    {
        others.iter_mut().for_each(|other| other.2 -= 0.3);
    }
    // If it does not look like text of its own country, it may be that of another.
    if readings.iter().all(|one| one.2 < 0.9) {
        readings.iter_mut().for_each(|one| one.2 = one.2.max(0.9 * one.1.foreign - one.1.glued));
    }
    // The kana of EUC-JP are frequent characters in Big5, and are not counted against Korean text.
    if readings.iter().any(is_japanese) {
        readings.iter_mut().filter(|one| !one.1.has_kana).for_each(|other| other.2 -= 0.3);
    }
    readings.sort_by(|one, other| other.2.total_cmp(&one.2));
    let first = readings.first()?;
    let own = readings.iter().find(|one| is_same(one.0, guessed)).filter(|own| own.2 >= first.2 - 0.05);
    let &(legacy, reading, score, ref text) = own.unwrap_or(first);
    let mut others = readings.iter().filter(|one| one.3 != *text).peekable();
    let margin = score - others.peek().map_or(0.0, |rival| rival.2);
    let next = first_few(others.filter(|one| one.2 >= score - NEAR).map(|one| one.0));
    let confidence = match own {
        // chardetng disagrees.
        None if reading.has_kana && score >= 0.95 && margin >= 0.2 && reading.characters >= 5 => {
            Confidence::Likely
        }
        None => Confidence::Possible,
        Some(_) if score >= 0.97 && margin >= 0.2 && reading.characters >= 25 => Confidence::Certain,
        Some(_) if score >= 0.9 && margin >= 0.1 && reading.characters >= 5 => Confidence::Likely,
        Some(_) if score >= 0.5 && margin >= 0.5 && reading.characters >= 10 => Confidence::Likely,
        Some(_) => Confidence::Possible,
    };
    Some((Best { next, east: all, ..Best::new(legacy, confidence) }, score))
}

/// Reports whether two encodings are the same, or one is a superset of the other.
fn is_same(one: Legacy, other: Legacy) -> bool {
    one == other || [one, other].iter().all(|legacy| matches!(legacy.name(), "GBK" | "gb18030"))
}

/// Reports whether two encodings have the same small letters, but for one, and other capitals.
fn is_twin(one: Legacy, other: Legacy) -> bool {
    one != other
        && [one, other].iter().all(|legacy| matches!(legacy.name(), "windows-1251" | "x-mac-cyrillic"))
}

/// What is counted once for all single-byte encodings.
struct Counted {
    /// How often each byte occurs.
    counts: [u64; 256],
    /// The non-ASCII ones, and how many there are in all.
    beyond: Vec<u8>,
    number: u64,
    /// The characters of the lines of UTF-8: a quarter of the evidence, as which letters it has is certain.
    known: Vec<(char, u64)>,
    /// How much each other character counts.
    weight: u64,
}

impl Counted {
    fn of(bytes: &[u8], beside: &str) -> Counted {
        let counts = single_byte::counts(bytes);
        let beyond: Vec<u8> = (128..=255).filter(|&byte| counts[usize::from(byte)] > 0).collect();
        let number: u64 = beyond.iter().map(|&byte| counts[usize::from(byte)]).sum();
        let mut known = BTreeMap::<char, u64>::new();
        counted(beside).into_iter().for_each(|(c, count)| *known.entry(c).or_default() += count as u64);
        let weight = 3 * known.values().sum::<u64>().max(1);
        let known = known.into_iter().map(|(c, count)| (c, count * number.max(1))).collect();
        Counted { counts, beyond, number, known, weight }
    }

    /// Returns the characters in an encoding, each with its count; `None` if it lacks one.
    fn characters(&self, encoding: SingleByte) -> Option<Vec<(char, u64)>> {
        let counted = |&byte: &u8| Some((encoding.character(byte)?, self.counts[usize::from(byte)]));
        self.beyond.iter().map(counted).collect()
    }

    /// Returns the share of characters, those of the lines of UTF-8 too, that fit a single language, and how many
    /// different ones do.
    fn covered(&self, characters: &[(char, u64)]) -> (f64, usize) {
        coverage(&[&self.weighted(characters)[..], &self.known].concat())
    }

    fn weighted(&self, characters: &[(char, u64)]) -> Vec<(char, u64)> {
        characters.iter().map(|&(c, count)| (c, count * self.weight)).collect()
    }

    /// Reports whether the text may read so well in an encoding: its score is at most what is covered.
    fn is_covered(&self, least: f64) -> bool {
        let mut texts = SingleByte::all().filter_map(|(_, encoding)| self.characters(encoding));
        texts.any(|characters| self.covered(&characters).0 >= least)
    }

    /// Returns the text as read in an encoding; `None` if it lacks one of the characters.
    fn read(
        &self,
        place: usize,
        (legacy, encoding): (Legacy, SingleByte),
        triples: &Triples,
    ) -> Option<Candidate> {
        let counted = self.characters(encoding)?;
        let (covered, different) = self.covered(&counted);
        let weighted = self.weighted(&counted);
        let odd = encoding.oddness_of(triples);
        let capitals: u64 = counted.iter().filter(|(c, _)| c.is_uppercase()).map(|(_, count)| count).sum();
        let is_uncommon = self.known.is_empty() && coverage_in_common(&weighted) < covered - RARE;
        // Signs alone are rather in an encoding of Latin letters.
        let is_rare = is_uncommon || different == 0 && encoding.character(0xE0).is_some_and(|c| c >= 'Ͱ');
        let (score, shouts) = (covered - odd.min(1.0), capitals * 2 > self.number);
        let only_shouts = capitals == self.number && capitals >= SHOUTED;
        let is_loud = capitals == self.number && counted.iter().all(|(c, _)| *c >= 'Ͱ');
        let text = counted.into_iter().map(|(c, _)| c).collect();
        let doubt = 0.0;
        Some(Candidate {
            legacy,
            place,
            score,
            evidence: different,
            text,
            shouts,
            only_shouts,
            is_loud,
            is_rare,
            doubt,
        })
    }
}

/// Returns the best single-byte encoding.
fn best_of_bytes(bytes: &[u8], guessed: Legacy, counted: &Counted) -> Option<(Best, f64)> {
    let (number, triples) = (counted.number, Triples::of(bytes));
    let read = |(place, one)| counted.read(place, one, &triples);
    let has_enough = number >= SIGNS || !counted.known.is_empty();
    let is_meant = |(_, one): &(usize, (Legacy, SingleByte))| has_enough || !is_seldom(one.0);
    let all = SingleByte::all().enumerate().filter(is_meant);
    let mut candidates: Vec<_> = all.filter_map(read).collect();
    let prior = |one: &Candidate| {
        one.score - one.doubt - if one.is_rare { RARE } else { 0.0 } - if one.is_loud { LOUD } else { 0.0 }
    };
    add_doubts(&mut candidates, bytes);
    candidates.sort_by(|one, other| prior(other).total_cmp(&prior(one)));
    let first = candidates.first()?;
    // A few signs in their places are rather signs than letters.
    let is_sign = |own: &Candidate| number < SIGNS && first.evidence == 0 && own.evidence > 0;
    let near = 0.02_f64.min(1.5 / number as f64);
    // Of a few letters, it is no evidence for an encoding that few texts are in.
    let is_unlikely = number < SIGNS && guessed.name() == "ISO-8859-4";
    let is_near = |own: &&Candidate| prior(own) >= prior(first) - near && !is_sign(own) && !is_unlikely;
    let own = candidates.iter().find(|one| one.legacy == guessed).filter(is_near);
    let chosen = own.unwrap_or(first);
    // All-capital text is rare, but text in one Russian encoding decodes to it from another.
    let weight = |one: &Candidate| {
        let seldom = if is_seldom(one.legacy) { SELDOM } else { 0.0 };
        one.score - if one.shouts { 0.15 } else { 0.0 } - seldom
    };
    let others = candidates.iter().filter(|one| one.text != chosen.text);
    let rival = others.max_by(|one, other| weight(one).total_cmp(&weight(other)));
    let margin = weight(chosen) - rival.map_or(-1.0, weight);
    let Candidate { legacy, score, evidence, doubt, only_shouts, .. } = *chosen;
    let is_twin =
        |one: &Candidate| is_twin(one.legacy, legacy) && one.score >= score && one.text != chosen.text;
    let has_twin = candidates.iter().any(is_twin);
    // chardetng's guess reads nearly as well.
    let is_contested = number < ENOUGH
        && legacy != guessed
        && candidates
            .iter()
            .any(|one| one.legacy == guessed && one.score >= score - 0.05 && one.text != chosen.text);
    let is_unusual = number < ENOUGH && doubt > habits::MOST / 4.0;
    let confidence = if !guessed.is_single_byte() || is_contested || is_unusual || only_shouts {
        Confidence::Possible
    } else if score >= 0.99 && margin >= 0.1 && number >= 50 && evidence >= 4 {
        Confidence::Certain
    } else if score >= 0.99 && legacy == guessed && number >= 24 && evidence >= 4 && !has_twin {
        // Other encodings read as well, but chardetng knows which letters are frequent.
        Confidence::Likely
    } else if score >= 0.95
        && margin >= 0.02
        && evidence > 0
        && (number >= 4 || legacy == guessed)
        // An input without ASCII is not text.
        && number < bytes.len() as u64
    {
        Confidence::Likely
    } else {
        Confidence::Possible
    };
    let is_rival = |one: &&Candidate| one.score >= score - WORSE && one.text != chosen.text;
    let rivals = candidates.iter().filter(is_rival).fold(0, |bits, one| bits | 1 << one.place);
    let mut texts = vec![&chosen.text];
    let mut next = [None; NEXT];
    for slot in &mut next {
        let is_new = |one: &&Candidate| one.score >= score - NEAR && !texts.contains(&&one.text);
        let Some(other) = candidates.iter().find(is_new) else { break };
        texts.push(&other.text);
        *slot = Some(other.legacy);
    }
    Some((Best { rivals, next, ..Best::new(legacy, confidence) }, score - doubt))
}

/// Rates the habits in the candidates among which they decide.
fn add_doubts(candidates: &mut [Candidate], bytes: &[u8]) {
    let best = candidates.iter().map(|one| one.score).fold(0.0, f64::max);
    let is_near = |one: &Candidate| one.score >= best - habits::MOST;
    let mut near: Vec<&mut Candidate> = candidates.iter_mut().filter(|one| is_near(one)).collect();
    if near.windows(2).all(|pair| pair[0].text == pair[1].text) {
        return;
    }
    let bytes = bytes.get(..HABITS).unwrap_or(bytes);
    let habits = Habits::of(bytes);
    for one in &mut near {
        // Signs and letters where the text is cut off rarely count.
        let served = SERVED.iter().find(|(legacy, _)| *legacy == one.legacy);
        let served = served.map(|(_, languages)| *languages).unwrap_or_default();
        one.doubt = one.legacy.text_of(bytes).map_or(0.0, |text| habits.doubt(&text, served));
    }
}

/// Reports whether bytes are well formed in an encoding.
pub(super) fn is_well_formed(codec: Codec, bytes: &[u8]) -> bool {
    match SingleByte::of(codec) {
        Some(encoding) => encoding.has_all(bytes),
        None => Tally::of(codec, bytes).is_some(),
    }
}

/// Returns the oddness of bytes as text in an encoding; `None` if they are malformed in it.
pub(super) fn oddness_in(codec: Codec, bytes: &[u8]) -> Option<f64> {
    match SingleByte::of(codec) {
        Some(encoding) => encoding.has_all(bytes).then(|| encoding.oddness(bytes)),
        None => codec.text_of(bytes).map(|text| oddness(&text)),
    }
}

/// Reports whether bytes read as text in an encoding: rarely anything in it is odd, and most letters are those of one
/// language.
pub(crate) fn reads_well(codec: Codec, bytes: &[u8]) -> bool {
    // No text has `ÿ` alone. Code pages of DOS have a space there.
    if !bytes.iter().any(|byte| (0x80..0xFF).contains(byte)) {
        return codec.name() == DOS && are_spaces(bytes);
    }
    if let Some(reading) = double_byte::read(bytes, codec.name()) {
        // Characters of four bytes are not there by chance.
        let is_wide = reading.wide > 0 && reading.wide == reading.characters;
        return is_wide
            || reading.is_text(2)
            || codec.text_of(bytes).is_some_and(|text| is_punctuated(&text));
    }
    if let Some(encoding) = SingleByte::of(codec) {
        return encoding.beyond_ascii(bytes).is_some_and(|beyond| {
            coverage(&beyond).0 > 0.5
                && encoding.oddness(bytes) <= ODD
                && are_words(encoding.characters(bytes))
        });
    }
    codec.text_of(bytes).is_some_and(|text| {
        let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
        coverage(&beyond).0 > 0.5 && oddness(&text) <= ODD && has_words(&text)
    })
}

/// Reports whether all non-ASCII bytes are small letters of one language in an encoding of single bytes, several
/// different ones, however odd they are together: `Zażółć`. Damage leaves signs as well.
pub(super) fn are_letters_of_one_language(codec: Codec, bytes: &[u8]) -> bool {
    let beyond = SingleByte::of(codec).and_then(|encoding| encoding.beyond_ascii(bytes)).unwrap_or_default();
    beyond.len() as u64 >= SIGNS && beyond.iter().all(|(c, _)| c.is_lowercase()) && coverage(&beyond).0 == 1.0
}

/// Reports whether all non-ASCII bytes are where a space that does not break is written, and are one in the code
/// pages of DOS.
fn are_spaces(bytes: &[u8]) -> bool {
    let is_space = |at: usize| {
        let ascii = |at: Option<usize>| at.and_then(|at| bytes.get(at)).map(|byte| char::from(*byte));
        let (before, after) = (ascii(at.checked_sub(1)), ascii(Some(at + 1)));
        let is_letter = before.is_some_and(|c| c.is_ascii_alphabetic());
        bytes[at] == 0xFF && (is_in_place(before, '\u{A0}', after) || is_letter && after == Some('.'))
    };
    let mut beyond = (0..bytes.len()).filter(|at| !bytes[*at].is_ascii()).peekable();
    beyond.peek().is_some() && beyond.all(is_space)
}

/// Reports whether bytes read as text in any of the encodings that are looked for.
pub(super) fn reads_well_in_any(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..READ).unwrap_or(bytes);
    let few = bytes.iter().filter(|byte| !byte.is_ascii()).count() < SIGNS as usize;
    candidates().any(|legacy| !(few && is_seldom(legacy)) && reads_well(Codec::Legacy(legacy), bytes))
}

/// Reports whether all of a non-ASCII text is punctuation in its place.
fn is_punctuated(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii() || ('‐'..='…').contains(&c)) && oddness(text) == 0.0
}

/// Returns the encodings that are looked for.
pub(super) fn candidates() -> impl Iterator<Item = Legacy> {
    let east = ENCODINGS.iter().map(|(name, _)| *name);
    SINGLE.into_iter().chain(east).filter_map(Legacy::labelled)
}

/// Reports whether a text contains non-ASCII letters.
#[cfg(feature = "document")]
pub(super) fn has_letters(text: &str) -> bool {
    text.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

/// Returns how well bytes read in an encoding: 1 is best. `None` if they are malformed in it. Text in capitals is rare.
pub(crate) fn quality(codec: Codec, bytes: &[u8]) -> Option<f64> {
    let (quality, is_in_capitals) = quality_in_any_case(codec, bytes)?;
    Some(quality - if is_in_capitals { 0.15 } else { 0.0 })
}

/// Returns how well bytes read in an encoding, whatever the case, and whether they are text in capitals.
pub(crate) fn quality_in_any_case(codec: Codec, bytes: &[u8]) -> Option<(f64, bool)> {
    if let Some(reading) = double_byte::read(bytes, name_of(codec)) {
        return Some((reading.score(), false));
    }
    let text = codec.text_of(bytes)?;
    let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
    let letters = beyond.iter().filter(|(c, _)| c.is_alphabetic()).count();
    let capitals = beyond.iter().filter(|(c, _)| c.is_uppercase()).count();
    // Signs alone say little.
    let signs = if letters == 0 { 0.3 } else { 0.0 };
    Some((coverage(&beyond).0 - oddness(&text).min(1.0) - signs, capitals * 2 > letters))
}

/// Returns the name of the encoding of which it is a subset, as GBK is of gb18030, or its own.
pub(super) fn name_of(codec: Codec) -> &'static str {
    if codec.name() == "GBK" { "gb18030" } else { codec.name() }
}

/// Returns the best guess at the encoding of values that are not UTF-8, and whether it is at least likely.
#[cfg(feature = "files")]
pub(crate) fn best(values: &[u8], beside: &str) -> (Legacy, bool) {
    let best = weigh(values, true, beside);
    (best.legacy, best.confidence != Confidence::Possible)
}

/// Reports whether a non-ASCII letter is part of a word, or there are only signs. In Latin, it may be a word.
pub(super) fn has_words(text: &str) -> bool {
    are_words(text.chars())
}

fn are_words(chars: impl Iterator<Item = char>) -> bool {
    // Thai words have marks between letters.
    let is_letter =
        |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() || matches!(c, '\u{E31}'..='\u{E4E}'));
    let (mut before, mut has_letters, mut has_signs) = (None, false, false);
    let mut chars = chars.peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii() && c.is_alphabetic() {
            if c < 'Ͱ' || is_letter(before) || is_letter(chars.peek().copied()) {
                return true;
            }
            has_letters = true;
        }
        has_signs |= !c.is_ascii() && !matches!(c, '\u{200E}' | '\u{200F}');
        before = Some(c);
    }
    has_signs && !has_letters
}

/// Reports whether a text reads as well in its declared encoding as in the guessed one.
pub(super) fn is_as_good(declared: Charset, guessed: Legacy, bytes: &[u8]) -> bool {
    let codec = declared.writer();
    let is_of_bytes = !matches!(codec, Codec::Native(native) if native.unit() > 1 || native.is_dialect());
    if !is_of_bytes {
        return false;
    }
    match (oddness_in(codec, bytes), oddness_in(Codec::Legacy(guessed), bytes)) {
        (Some(declared), Some(guessed)) => declared <= guessed * 1.5 + 0.05,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// Reports whether sequences of UTF-8 rarely occur by chance in an encoding. They do if most non-ASCII bytes
/// are letters that occur next to each other in any order.
pub(super) fn is_alien(encoding: Legacy) -> bool {
    encoding.is_single_byte() && !matches!(encoding.name(), "windows-874" | "IBM866" | "CP737" | "CP855")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, legacy: Legacy) -> Vec<u8> {
        text.chars().flat_map(|c| legacy.bytes_of(c).unwrap_or_else(|| panic!("{c}"))).collect()
    }

    #[test]
    fn what_chardetng_does_not_look_for() {
        let russian = "Моя земля такая большая, что я её всю никогда не видел. Для меня это тайна.";
        let german = "Die Straße ist für alle da: Füße müssen größer werden, schöne grüne Bäume über Köln.";
        // In windows-1258, accents follow their letters.
        let vietnamese = "Ti\u{EA}\u{301}ng Vi\u{EA}\u{323}t la\u{300} m\u{F4}\u{323}t ng\u{F4}n ng\u{1B0}\u{303} \
                          thu\u{F4}\u{323}c ho\u{323} Nam A\u{301}, \u{111}\u{1B0}\u{1A1}\u{323}c no\u{301}i \
                          chu\u{309} y\u{EA}\u{301}u ta\u{323}i Vi\u{EA}\u{323}t Nam.";
        for (text, name) in [
            (russian, "x-mac-cyrillic"),
            (russian, "windows-1251"),
            (german, "macintosh"),
            (german, "windows-1252"),
            (vietnamese, "windows-1258"),
        ] {
            let legacy = Legacy::labelled(name).expect("a label");
            assert_eq!(weigh(&encoded(text, legacy), true, "").legacy.name(), name);
        }
    }
}
