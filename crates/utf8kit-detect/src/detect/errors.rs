//! Decides whether the errors of a text in UTF-8 are text in another encoding or damage.
//!
//! ```text
//! P(words | encoding) = P(encoding) * P(characters | language of the rest)   a word, or only its errors, decoded
//! P(words | damage)   = P(remaining or original characters | language of the rest) * P(errors)
//!                       where some words may be damaged, and the first such word is the least expected
//! P(words | unknown)  = P(unknown encoding) * P(remaining characters) * P(any letter) for each byte
//! ```
//!
//! Only words that contain an error count. The rest of the text determines the language.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::slice;

use utf8kit::explain::intended_sequence;
use utf8kit::{AnyEncoding, Encoding as _, ErrorKind, Utf8};
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::detect::posterior::{
    ALL, NATS_OF_BROKEN_UTF8, NATS_OF_CUT_END, NATS_OF_ERROR, NATS_OF_ERROR_BYTE, NATS_OF_FF_AS_CHARACTER,
    NATS_OF_FIRST_FF, NATS_OF_LEAD, NATS_OF_NEVER, NATS_OF_NEXT_ERROR, Prose,
};
use crate::detect::sequences::has_sequence;
use crate::model::encodings::{CANDIDATES, Candidate};

/// The most words with errors that are weighed, and the most bytes of a word on either side of an error.
const MAX_WORDS: usize = 64;
const MAX_BYTES_AROUND: usize = 48;

/// The log-probability that one byte of a sequence was lost and the rest is present.
const NATS_OF_LOST_BYTE: f32 = -8.0;

/// How much likelier than any other byte in damage are FE, and a sequence that is complete except for its value.
const NATS_OF_FE: f32 = 3.0;
const NATS_OF_COMPLETE_SEQUENCE: f32 = 6.0;

/// The log-probability of one more continuation byte of a sequence without its first one.
const NATS_OF_CONTINUATION: f32 = -4.2;

/// How much likelier a word is if it recurs in the text, and the minimum length of such a word in bytes.
const NATS_OF_RECURRING_WORD: f32 = 10.0;
const MIN_BYTES_OF_RECURRING_WORD: usize = 4;

/// The log-probabilities of an unknown encoding, and of each letter in it.
const NATS_OF_UNKNOWN_ENCODING: f32 = -9.0;
const NATS_OF_UNKNOWN_LETTER: f32 = -4.85;

/// The probability that a word is damaged where others are in another encoding, before any of them was read.
const PROBABILITY_OF_DAMAGED_WORD: f32 = 0.0025;

/// The margin in nats by which one word must be likelier in an encoding than damaged to be certainly in it; and the
/// margin for all words together, over damage and over any other encoding that gives different text.
const MIN_NATS_FOR_ONE_WORD: f32 = 3.5;
const MIN_NATS_FOR_ALL_WORDS: f32 = 1.0;

/// How many nats likelier a word is in an encoding than damaged if both give the same text, because decoding it then
/// loses nothing.
const NATS_OF_SAME_TEXT: f32 = 10.0;

/// By how many nats damage must be likelier than text, because replacing it loses text.
const MIN_NATS_FOR_DAMAGE: f32 = 1.5;

/// The words with errors, read in an encoding other than UTF-8.
struct InEncoding {
    candidate: &'static Candidate,
    /// The log-probability of all words, some of them damaged.
    score: f32,
    /// Whether each word is likelier in the encoding than damaged.
    has_all: bool,
    /// Whether some whole words are in it, including bytes that are sequences of UTF-8 by chance.
    has_coincidence: bool,
    /// The text of the words.
    text: Vec<char>,
}

/// The words of a text that contain errors.
pub(super) struct Errors {
    encodings: Vec<InEncoding>,
    /// The log-probabilities of damage, and of an unknown encoding.
    damage: f32,
    unknown: f32,
}

impl Errors {
    pub(super) fn of(bytes: &[u8]) -> Errors {
        let rest = Rest::of(bytes);
        let words: Vec<Word<'_>> = words(bytes).map(|(word, is_last)| rest.word(word, is_last)).collect();
        let prior = Candidate::of(Codec::Native(AnyEncoding::Utf8)).map_or(0.0, |utf8| utf8.prior);
        let damage = prior + NATS_OF_BROKEN_UTF8 + words.iter().map(|word| word.damage).sum::<f32>();
        let unknown = NATS_OF_UNKNOWN_ENCODING + words.iter().map(|word| word.unknown).sum::<f32>();
        let is_meant = |one: &&Candidate| matches!(one.codec, Codec::Legacy(_)) && one.keeps_ascii();
        let mut encodings: Vec<InEncoding> =
            CANDIDATES.iter().filter(is_meant).map(|one| rest.weigh(one, &words)).collect();
        encodings.sort_by(|one, other| other.score.total_cmp(&one.score));
        Errors { encodings, damage, unknown }
    }

    fn best(&self) -> f32 {
        self.encodings.first().map_or(f32::MIN, |best| best.score)
    }

    /// Reports whether the errors are more likely text in some encoding, known or unknown, than damage.
    pub(super) fn are_text(&self) -> bool {
        self.best() + MIN_NATS_FOR_DAMAGE > self.damage || self.unknown > self.damage
    }

    /// Reports whether they are most likely text in an unknown encoding.
    pub(super) fn are_unknown(&self) -> bool {
        self.unknown > self.damage.max(self.best())
    }

    /// Reports whether all of them are text in an encoding.
    pub(super) fn are_in(&self, legacy: Legacy) -> bool {
        self.encodings.iter().any(|one| one.candidate.codec == Codec::Legacy(legacy) && one.has_all)
    }

    /// Returns the encoding from which to decode only the errors: `likely` if possible, otherwise the likeliest. `None`
    /// if another encoding is nearly as likely and gives different text.
    pub(super) fn encoding(&self, likely: Option<Legacy>) -> Option<Legacy> {
        let least = self.damage + MIN_NATS_FOR_ALL_WORDS;
        let is_whole = |one: &&InEncoding| one.has_all && !one.has_coincidence && one.score > least;
        let mut all = self.encodings.iter().filter(is_whole);
        let first = all.next()?;
        let (same, others): (Vec<_>, Vec<_>) = all.partition(|one| one.text == first.text);
        if others.iter().any(|one| one.score + MIN_NATS_FOR_ALL_WORDS > first.score) {
            return None;
        }
        let is_likely = |one: &&&InEncoding| Some(one.candidate.codec) == likely.map(Codec::Legacy);
        match same.iter().find(is_likely).map_or(first, |one| *one).candidate.codec {
            Codec::Legacy(legacy) => Some(legacy),
            Codec::Native(_) => None,
        }
    }
}

/// A word with errors.
struct Word<'b> {
    bytes: &'b [u8],
    /// The ranges of its runs of errors, and the same ranges with a following ASCII byte that may be the second byte of
    /// a character.
    errors: Vec<Range<usize>>,
    with_trails: Vec<Range<usize>>,
    /// Whether it also has sequences of UTF-8.
    has_sequence: bool,
    damage: f32,
    /// The original word, if it is likely to have lost one byte.
    restored: Option<Vec<char>>,
    unknown: f32,
    /// Whether its errors are only fill bytes (FF) or the cut at the end of the text, which occur with any text.
    is_filled_or_cut: bool,
}

/// The text around the errors.
struct Rest {
    prose: Prose,
    /// Its non-ASCII characters, and the first bytes of their sequences.
    characters: BTreeSet<char>,
    leads: BTreeSet<u8>,
    /// Its words.
    words: HashSet<String>,
}

impl Rest {
    fn of(bytes: &[u8]) -> Rest {
        let whole = String::from_utf8_lossy(bytes);
        let text = || whole.chars().filter(|c| *c != '\u{FFFD}');
        let characters: BTreeSet<char> = text().filter(|c| !c.is_ascii()).collect();
        let leads = characters.iter().map(|c| c.encode_utf8(&mut [0; 4]).as_bytes()[0]).collect();
        let words = whole.split(|c: char| !c.is_alphabetic());
        let words = words.filter(|word| word.len() >= MIN_BYTES_OF_RECURRING_WORD).map(str::to_owned).collect();
        Rest { prose: Prose::among(text()), characters, leads, words }
    }

    /// Weighs a word, which may be the last one of the text.
    fn word<'b>(&self, bytes: &'b [u8], is_last: bool) -> Word<'b> {
        let mut errors: Vec<Range<usize>> = Vec::new();
        let (mut price, mut unknown, mut sequence) = (0.0, 0.0, 0..0);
        let mut is_filled_or_cut = true;
        for error in Utf8.errors(bytes) {
            let range = error.range();
            let own = bytes.get(range.clone()).unwrap_or_default();
            let is_burst = errors.last().is_some_and(|last| last.end == range.start);
            unknown += own
                .iter()
                .map(|byte| {
                    if *byte == 0xFF {
                        NATS_OF_UNKNOWN_LETTER + NATS_OF_FF_AS_CHARACTER
                    } else {
                        NATS_OF_UNKNOWN_LETTER
                    }
                })
                .sum::<f32>();
            let is_cut = is_last && error.kind == ErrorKind::Truncated && range.end == bytes.len();
            is_filled_or_cut &= is_cut || own == [0xFF];
            price += if sequence.contains(&range.start) {
                0.0
            } else if is_cut {
                NATS_OF_CUT_END + if self.is_expected(own) { 0.0 } else { NATS_OF_ERROR_BYTE }
            } else if is_burst && error.kind == ErrorKind::UnexpectedContinuation {
                NATS_OF_CONTINUATION
            } else {
                sequence = intended_sequence(Utf8, bytes, &error);
                let place = if is_burst { NATS_OF_NEXT_ERROR } else { NATS_OF_ERROR };
                place + self.left_over(own, error.kind)
            };
            match errors.last_mut() {
                Some(last) if is_burst => last.end = range.end,
                _ => errors.push(range),
            }
        }
        let is_trail = |end: usize| matches!(bytes.get(end), Some(0x30..=0x39 | 0x40..=0x7E));
        let with_trail = |one: &Range<usize>| one.start..one.end + usize::from(is_trail(one.end));
        let with_trails = errors.iter().map(with_trail).collect();
        let left = self.prose.score(replaced(bytes, &errors, |_, _| {}).into_iter(), &ALL);
        let recurs = if let [error] = &errors[..] { self.recurs(bytes, error, None) } else { 0.0 };
        let (mut damage, mut restored) = (left + recurs + price, None);
        for (score, text) in self.restored(bytes, &errors) {
            if score > damage {
                (damage, restored) = (score, Some(text));
            }
        }
        let (has_sequence, unknown) = (has_sequence(bytes), left + unknown);
        Word { bytes, errors, with_trails, has_sequence, damage, restored, unknown, is_filled_or_cut }
    }

    /// Returns how much likelier a word is because it recurs in the rest of the text, without the error within it or
    /// with a character in its place.
    fn recurs(&self, bytes: &[u8], error: &Range<usize>, restored: Option<char>) -> f32 {
        let utf8 = |range| str::from_utf8(bytes.get(range).unwrap_or_default()).unwrap_or_default();
        let is_apart = |c: char| !c.is_alphabetic();
        let before = utf8(0..error.start).rsplit(is_apart).next().unwrap_or_default();
        let after = utf8(error.end..bytes.len()).split(is_apart).next().unwrap_or_default();
        let word: String = before.chars().chain(restored).chain(after.chars()).collect();
        let is_within = restored.is_some() || !before.is_empty() && !after.is_empty();
        if is_within && self.words.contains(&word) { NATS_OF_RECURRING_WORD } else { 0.0 }
    }

    /// Returns the log-probability of an error. The rest of a sequence is likelier than other bytes if its lead is
    /// usual in this text or in most texts, and so are fill bytes.
    fn left_over(&self, error: &[u8], kind: ErrorKind) -> f32 {
        let [first, ..] = *error else { return 0.0 };
        match kind {
            _ if first == 0xFF => NATS_OF_ERROR_BYTE + NATS_OF_FIRST_FF,
            _ if first == 0xFE => NATS_OF_ERROR_BYTE + NATS_OF_FE,
            ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge => {
                NATS_OF_ERROR_BYTE + NATS_OF_COMPLETE_SEQUENCE
            }
            ErrorKind::Truncated if self.is_expected(error) => NATS_OF_ERROR_BYTE + NATS_OF_LEAD,
            _ => NATS_OF_ERROR_BYTE * error.len() as f32,
        }
    }

    /// Reports whether the text, or most texts, have sequences with the lead of an error.
    fn is_expected(&self, error: &[u8]) -> bool {
        let is_frequent = |first: &u8| matches!(first, 0xC3..=0xC5 | 0xE2 | 0xE3 | 0xEF | 0xF0);
        error.first().is_some_and(|first| self.leads.contains(first) || is_frequent(first))
    }

    /// Returns candidates for the original of a word in which one character lost a byte, each with its log-probability.
    /// The character must occur in the rest of the text.
    fn restored(&self, bytes: &[u8], errors: &[Range<usize>]) -> Vec<(f32, Vec<char>)> {
        let [error] = errors else { return Vec::new() };
        let own = bytes.get(error.clone()).unwrap_or_default();
        let lost_byte = |c: &&char| {
            let mut sequence = [0; 4];
            let sequence = c.encode_utf8(&mut sequence).as_bytes();
            sequence.get(1..) == Some(own) || sequence.split_last().is_some_and(|(_, rest)| rest == own)
        };
        let word = |c: &char| {
            let text = replaced(bytes, errors, |_, text| text.push(*c));
            let recurs = self.recurs(bytes, error, Some(*c));
            (NATS_OF_LOST_BYTE + recurs + self.prose.score(text.iter().copied(), &ALL), text)
        };
        self.characters.iter().filter(lost_byte).map(word).collect()
    }

    fn weigh(&self, candidate: &'static Candidate, words: &[Word<'_>]) -> InEncoding {
        let (score, text) = (candidate.prior, Vec::new());
        let mut found = InEncoding { candidate, score, has_all: true, has_coincidence: false, text };
        let mut margins = Vec::new();
        for word in words {
            let read = |ranges: &[Range<usize>]| {
                let mut cut = 0;
                let decode = |bytes: &[u8], text: &mut _| cut += usize::from(candidate.read(bytes, text));
                let text = replaced(word.bytes, ranges, decode);
                let damage = (cut + text.iter().filter(|c| **c == '\u{FFFD}').count()) as f32;
                let left = text.iter().copied().filter(|c| *c != '\u{FFFD}');
                (self.prose.score(left, &candidate.covers) + (NATS_OF_ERROR + NATS_OF_ERROR_BYTE) * damage, text)
            };
            let mut alone = read(&word.errors);
            if !candidate.is_single_byte() {
                // Any two bytes are a character of East Asia, and few of these occur in a text by chance.
                let is_of_rest = |text: &[char]| text.iter().all(|c| c.is_ascii() || self.characters.contains(c));
                let longer = Some(read(&word.with_trails)).filter(|(_, text)| is_of_rest(text));
                let own = Some(alone).filter(|(_, text)| !word.has_sequence || is_of_rest(text));
                let both = [own, longer].into_iter().flatten();
                alone = both.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((NATS_OF_NEVER, Vec::new()));
            }
            let is_open = word.has_sequence || !candidate.is_single_byte();
            let all = 0..word.bytes.len();
            let whole = is_open.then(|| read(slice::from_ref(&all))).filter(|whole| whole.0 > alone.0);
            found.has_coincidence |= whole.is_some();
            let (mut score, text) = whole.unwrap_or(alone);
            if word.restored.as_ref() == Some(&text) {
                score = score.max(word.damage + NATS_OF_SAME_TEXT);
            }
            found.has_all &= score > word.damage + MIN_NATS_FOR_ONE_WORD;
            if word.is_filled_or_cut {
                found.score += score.max(word.damage);
            } else {
                found.score += word.damage;
                margins.push(score - word.damage);
            }
            found.text.extend(text);
        }
        found.score += best_split(margins);
        found
    }
}

/// Returns the highest log-probability of any split into words in an encoding and damaged words, given how many nats
/// likelier each word is in the encoding. The more words are damaged, the likelier another damaged word is, because a
/// file written by broken programs (`samples/broken.txt`) has several kinds of damage next to one line in
/// windows-1252.
fn best_split(mut margins: Vec<f32>) -> f32 {
    margins.sort_by(|one, other| other.total_cmp(one));
    let mut split = margins.iter().sum::<f32>();
    let (mut best, mut damaged) = (split, 0.0);
    while let Some(margin) = margins.pop() {
        // The urn of Polya, with one word before the first.
        split += ((damaged + PROBABILITY_OF_DAMAGED_WORD) / (margins.len() as f32 + 1.0 - PROBABILITY_OF_DAMAGED_WORD))
            .ln()
            - margin;
        damaged += 1.0;
        best = best.max(split);
    }
    best
}

/// Returns the characters of a word in UTF-8, with some ranges decoded differently.
fn replaced(bytes: &[u8], ranges: &[Range<usize>], mut decode: impl FnMut(&[u8], &mut Vec<char>)) -> Vec<char> {
    let (mut text, mut at) = (Vec::new(), 0);
    let utf8 = |range: Range<usize>| str::from_utf8(bytes.get(range).unwrap_or_default()).unwrap_or_default();
    for range in ranges {
        text.extend(utf8(at..range.start).chars());
        decode(bytes.get(range.clone()).unwrap_or_default(), &mut text);
        at = range.end;
    }
    text.extend(utf8(at..bytes.len()).chars());
    text
}

/// Returns the first distinct words with errors, limited to the surroundings of the errors, and whether each ends the
/// text.
fn words(bytes: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for error in Utf8.errors(bytes) {
        let Range { start, end } = error.range();
        if let Some(last) = words.last_mut().filter(|last| last.end >= end) {
            let more = around_end(bytes, end);
            last.end = last.end.max(more);
            continue;
        }
        if words.len() == MAX_WORDS {
            break;
        }
        let first = words.last().map_or(0, |last| last.end);
        words.push(around_start(bytes, start).max(first)..around_end(bytes, end));
    }
    let mut seen = BTreeSet::new();
    let words = words.into_iter().filter_map(move |word| Some((bytes.get(word.clone())?, word.end == bytes.len())));
    words.filter(move |(word, _)| seen.insert(*word))
}

/// Returns the start of the word that has an error at `start`.
fn around_start(bytes: &[u8], start: usize) -> usize {
    let before = bytes.get(..start).unwrap_or_default();
    let mut len = before.iter().rev().take(MAX_BYTES_AROUND).take_while(|byte| !byte.is_ascii_whitespace()).count();
    while len > 0 && matches!(bytes.get(start - len), Some(0x80..=0xBF)) {
        len -= 1;
    }
    start - len
}

/// Returns the end of the word that has an error up to `end`.
fn around_end(bytes: &[u8], end: usize) -> usize {
    let after = bytes.get(end..).unwrap_or_default();
    let mut len = after.iter().take(MAX_BYTES_AROUND).take_while(|byte| !byte.is_ascii_whitespace()).count();
    while len > 0 && matches!(after.get(len), Some(0x80..=0xBF)) {
        len -= 1;
    }
    end + len
}
