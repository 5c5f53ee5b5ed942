//! Text in one encoding that was read in another, neither of them UTF-8: `Âå÷åðíèé` for `Вечерний`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use utf8kit_encodings::charset::Codec;

use crate::model::encodings::{CANDIDATES, Candidate};
use crate::mojibake::detours::{MAX_WRITTEN_ENCODINGS, Pairs};
use crate::mojibake::east_asian::is_east_asian;
use crate::mojibake::encodings::{ENCODINGS, Misread, is_control};
use crate::mojibake::layer::{score, score_in, score_of_least, score_or_rubbish};
use crate::mojibake::prices::{
    MIN_NATS_GAINED, NATS_OF_CONTROL, NATS_OF_OTHER_CONTROL, NATS_OF_PAIR, NATS_OF_PAIR_AGAIN,
};

/// An extra price, in nats, of these encodings. Without it, text in languages that the model lacks is decoded as text
/// in others: the Friulian and Kurdish translations of GTK and `iso-codes` became Latvian.
const NATS_OF_SELDOM: [(&str, f32); 2] = [("windows-1257", 10.0), ("ISO-8859-13", 10.0)];

/// The fewest non-ASCII characters that identify an encoding without other evidence, and the fewest letters in a line:
/// rows of one sign, and box drawings, identify none.
const MIN_CHARACTERS: usize = 3;
const MIN_LETTERS_OF_LINE: usize = 5;

/// From this many characters in ascending order of code points, a line is a list and not text.
const MIN_CHARACTERS_OF_LIST: usize = 8;

/// Before the whole line, a sample of its words with non-ASCII characters is scored: the size of the sample in
/// characters, the most nats that the other words can add, and the least cost of a character in such words, in nats.
/// Of 12,376 lines that a script garbled and that are repaired without the sample, 5 are not repaired with it.
const CHARACTERS_OF_SAMPLE: usize = 48;
const MAX_NATS_OF_OTHER_WORDS: f32 = 8.0;
const MIN_NATS_PER_CHARACTER_OF_WORDS: f32 = 2.4;

/// A line is examined only if a character in its words with non-ASCII letters costs at least this many nats on average;
/// in prose it costs 2 to 3. The second limit applies if most letters are non-ASCII: no such line that a script garbled
/// costs less than 4.6. For 60,000 garbled lines, limits of 2.4 and 3.6 give the same results.
const MIN_NATS_PER_CHARACTER: f32 = 2.8;
const MIN_NATS_PER_OTHER_CHARACTER: f32 = 4.2;

/// The highest average cost of a character, in nats, at which a text reads as words: `MAX_NATS_OF_WORDS_WITHOUT_GAIN`,
/// and `NATS_PER_NAT_GAINED` more for each nat that the text saves against the line, up to `MAX_NATS_OF_WORDS`. Fitted
/// to separate 482 lines that a script garbled from the lists of letters in CLDR's `characters.json` and in source
/// code, and from the Universal Declaration of Human Rights in languages that the model does not know (Sango, Khasi,
/// Mixtec, Inari Sami).
const MAX_NATS_OF_WORDS: f32 = 4.35;
const MAX_NATS_OF_WORDS_WITHOUT_GAIN: f32 = 3.0;
const NATS_PER_NAT_GAINED: f32 = 0.45;

/// The same limit if other lines of the text went through the pair, and for text of East Asia.
const MAX_NATS_OF_WORDS_AGAIN: f32 = 4.7;
const MAX_NATS_OF_EAST_ASIAN_WORDS: f32 = 8.5;

/// The fewest letters of a word that is evidence for a language, except in East Asia.
const MIN_LETTERS_OF_WORD: usize = 3;

/// A candidate for the original of a line.
pub(super) struct Original {
    pub(super) text: String,
    pub(super) score: f32,
    /// Whether it does not read as words.
    pub(super) is_unsure: bool,
    pub(super) pairs: Pairs,
    pub(super) written: &'static str,
    pub(super) read: &'static str,
}

/// An encoding that a text was in.
struct Written {
    encoding: &'static Candidate,
    name: &'static str,
    /// What it costs more, in nats, that a text was in it.
    price: f32,
}

/// The encodings of the detector in which ASCII is ASCII. Few texts are in the other encodings of several bytes, which
/// take long to decode.
static WRITTEN: LazyLock<Vec<Written>> = LazyLock::new(|| {
    let all = CANDIDATES.iter().filter(|one| one.keeps_ascii() && matches!(one.codec, Codec::Legacy(_)));
    let all = all.filter(|one| one.is_single_byte() || one.prior >= MIN_PRIOR_OF_MULTI_BYTE);
    all.take(MAX_WRITTEN_ENCODINGS).map(Written::of).collect()
});

impl Written {
    fn of(encoding: &'static Candidate) -> Written {
        let name = encoding.codec.name();
        let seldom = NATS_OF_SELDOM.iter().find(|(seldom, _)| *seldom == name);
        let price = seldom.map_or(0.0, |(_, price)| *price) - encoding.prior;
        // Four-byte sequences are rare, and the other name is known better.
        let name = if name == "gb18030" { "GBK" } else { name };
        Written { encoding, name, price }
    }

    /// Decodes bytes, unless they are not text. `is_cut` tells whether they may end within a character.
    fn decoded(&self, bytes: &[u8], is_cut: bool) -> Option<String> {
        let mut text = Vec::new();
        let ends_within = self.encoding.read(bytes, &mut text);
        (!text.iter().any(is_implausible_char) && (is_cut || !ends_within)).then(|| String::from_iter(text))
    }
}

/// Reports whether almost no text has a character.
fn is_implausible_char(c: &char) -> bool {
    is_control(*c) || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FFFD}')
}

/// The lowest log-frequency of an encoding of several bytes, in nats.
const MIN_PRIOR_OF_MULTI_BYTE: f32 = -2.0;

/// Returns the encodings that a text was read in, each with its place among all.
fn reads() -> impl Iterator<Item = (usize, &'static Misread, f32)> {
    ENCODINGS.iter().enumerate().filter_map(|(at, read)| Some((at, read, read.price_of_pair?)))
}

/// Returns the bytes of a text in an encoding. Controls stand for the same bytes, because programs that mean
/// windows-1252 decode Latin-1.
fn bytes_in(read: &Misread, text: &str) -> Option<Vec<u8>> {
    let latin1 = |c: char| u8::try_from(c).ok().filter(|_| is_control(c));
    let byte = |c: char| match u8::try_from(c) {
        Ok(ascii @ 0..0x80) => Some(ascii),
        _ => read.byte(c).or_else(|| latin1(c)),
    };
    text.chars().map(byte).collect()
}

/// The bytes of a line in the encodings that it may have been misdecoded in.
struct Bytes {
    bytes: Vec<u8>,
    /// The likeliest of the encodings, and its price.
    read: &'static Misread,
    price: f32,
    pairs: Pairs,
}

/// Returns the bytes of a line in each encoding that it may have been misdecoded in.
fn bytes_of(line: &str, proven: Pairs) -> Vec<Bytes> {
    let mut all: Vec<Bytes> = Vec::new();
    let is_asked = |read: usize| proven.is_empty() || proven.contains_read(read);
    for (at, read, price) in reads().filter(|(at, ..)| is_asked(*at)) {
        let Some(bytes) = bytes_in(read, line) else { continue };
        let pairs = Pairs::read(at);
        match all.iter_mut().find(|other| other.bytes == bytes) {
            Some(same) => {
                same.pairs = same.pairs.or(pairs);
                if price < same.price {
                    (same.read, same.price) = (read, price);
                }
            }
            None => all.push(Bytes { bytes, read, price, pairs }),
        }
    }
    all
}

/// Reports whether lines of a text can be in one of these encodings and read in another.
pub(super) fn may_be(text: &str) -> bool {
    !text.is_ascii()
        && text
            .lines()
            .filter(|line| !line.is_ascii())
            .any(|line| reads().any(|(_, read, _)| bytes_in(read, line).is_some()))
}

/// Reports whether a line is odd enough to be examined without evidence from other lines.
pub(super) fn are_possible(line: &str) -> bool {
    let is_telling = |c: &char| !c.is_ascii() && !matches!(c, '\u{2500}'..='\u{259F}');
    let mut telling = line.chars().filter(is_telling);
    let first = telling.clone().next();
    let letters = line.chars().filter(|c| !c.is_ascii() || c.is_ascii_alphabetic()).count();
    if telling.clone().nth(MIN_CHARACTERS - 1).is_none()
        || letters < MIN_LETTERS_OF_LINE
        || telling.all(|c| Some(c) == first)
        || reads().all(|(_, read, _)| bytes_in(read, line).is_none())
    {
        return false;
    }
    // The letters of the others, as in the escapes of an address, tell nothing of these.
    let words = non_ascii_words(line, 0);
    let ascii = words.chars().filter(char::is_ascii_alphabetic).count();
    let is_of_other_script = words.chars().filter(|c| !c.is_ascii()).count() > ascii;
    let odd = if is_of_other_script { MIN_NATS_PER_OTHER_CHARACTER } else { MIN_NATS_PER_CHARACTER };
    cost_per_character(&words).is_some_and(|cost| cost >= odd)
}

/// Returns the average cost in nats of a character in words with non-ASCII characters and at least `min_letters`
/// letters. `None` if there is no such word.
fn cost_of_words(line: &str, min_letters: usize) -> Option<f32> {
    cost_per_character(&non_ascii_words(line, min_letters))
}

fn cost_per_character(words: &str) -> Option<f32> {
    (!words.is_empty()).then(|| -score(words) / words.chars().count() as f32)
}

/// Returns the words with non-ASCII characters and at least `min_letters` letters.
fn non_ascii_words(line: &str, min_letters: usize) -> String {
    let words = line.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let words = words.filter(|word| !word.is_ascii() && letters(word) >= min_letters);
    words.collect::<Vec<_>>().join(" ")
}

/// Reports whether a line is a list of letters: most of its non-ASCII characters are consecutive code points, or all of
/// many ascend. An alphabet is as unlikely as text as its decoding in another encoding.
fn is_alphabet(line: &str) -> bool {
    let chars: Vec<u32> = line.chars().filter(|c| !c.is_ascii()).map(u32::from).collect();
    let pairs = || chars.iter().zip(chars.iter().skip(1));
    let in_order = pairs().filter(|&(before, c)| before + 1 == *c).count();
    in_order >= MIN_CHARACTERS && in_order * 2 >= chars.len()
        || chars.len() >= MIN_CHARACTERS_OF_LIST && pairs().all(|(before, c)| before < c)
}

/// Reports whether the candidate `text` for a line reads as words of a language in the model. Lists of letters, parts
/// of patterns and other languages do not, and their original cannot be recovered.
pub(super) fn are_words(text: &str, line: &str, is_proven: bool) -> bool {
    let costs_at_most = |most: f32| cost_of_words(text, 1).is_some_and(|cost| cost <= most);
    if text.contains(is_east_asian) {
        return costs_at_most(MAX_NATS_OF_EAST_ASIAN_WORDS) && (is_proven || has_neighbours(text));
    }
    if is_proven {
        return costs_at_most(MAX_NATS_OF_WORDS_AGAIN);
    }
    let before = cost_of_words(line, 0).unwrap_or_default();
    let most = |cost: f32| match has_sign_in_word(line) && !has_sign_in_word(text) {
        true => MAX_NATS_OF_WORDS,
        false => (MAX_NATS_OF_WORDS_WITHOUT_GAIN + NATS_PER_NAT_GAINED * (before - cost)).min(MAX_NATS_OF_WORDS),
    };
    cost_of_words(text, MIN_LETTERS_OF_WORD).is_some_and(|cost| cost <= most(cost)) && !is_alphabet(text)
}

/// Reports whether most characters of East Asia stand beside another one. Both cases of a letter are one character of
/// GBK: the keys of a keyboard, as in xkeyboard-config's `symbols/ru`, would be a list of these.
fn has_neighbours(text: &str) -> bool {
    let (mut all, mut alone) = (0, 0);
    for run in text.split(|c| !is_east_asian(c)).filter(|run| !run.is_empty()) {
        let count = run.chars().count();
        all += count;
        alone += usize::from(count == 1);
    }
    alone * 2 < all
}

/// Reports whether a Latin-1 sign stands between letters, as in `lu»ouèký`. No list and no language has such words.
fn has_sign_in_word(text: &str) -> bool {
    let is_sign = |c: char| matches!(c, '\u{80}'..='\u{BF}') && !c.is_alphabetic();
    let chars: Vec<char> = text.chars().collect();
    chars.windows(3).any(
        |three| matches!(three, &[one, sign, other] if is_sign(sign) && one.is_alphabetic() && other.is_alphabetic()),
    )
}

/// The first words with non-ASCII characters, which are scored before all of a line.
struct Sample {
    /// Their places in characters, including the blanks after them. Each character is a byte of the text that was read.
    words: Vec<Range<usize>>,
    /// The score that a decoding of the sample needs for the decoded line to be likelier.
    least: f32,
    /// A cache of whether each decoding reaches that score.
    is_likely: HashMap<String, bool>,
}

impl Sample {
    /// Takes the words of a line. `None` if no text can be likelier by `price`.
    fn of(line: &str, price: f32) -> Option<Sample> {
        let (mut at, mut count) = (0, 0);
        let (mut words, mut text, mut is_all) = (Vec::new(), String::new(), true);
        for word in line.split_inclusive(' ') {
            let len = word.chars().count();
            if !word.is_ascii() {
                let own = len.min(CHARACTERS_OF_SAMPLE - count);
                words.push(at..at + own);
                text.extend(word.chars().take(own));
                is_all &= own == len;
                count += own;
            }
            at += len;
        }
        let score = score_or_rubbish(&text);
        let least = score + if is_all { price } else { 0.0 } - MAX_NATS_OF_OTHER_WORDS;
        let most = -MIN_NATS_PER_CHARACTER_OF_WORDS * count as f32;
        (!is_all || least <= most).then(|| Sample { words, least, is_likely: HashMap::new() })
    }

    /// Returns their bytes.
    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.words.iter().filter_map(|word| bytes.get(word.clone())).flatten().copied().collect()
    }

    /// Reports whether the words are plausible text.
    fn may_be(&mut self, text: String) -> bool {
        let least = self.least;
        let is_likely = |text: &String| score_of_least(text, least).is_some();
        *self.is_likely.entry(text).or_insert_with_key(is_likely)
    }
}

/// Returns the candidates for the original of a line that are likelier than the line, given pairs proven by other
/// lines.
pub(super) fn candidates(line: &str, proven: Pairs) -> Vec<Original> {
    let has_controls = line.contains(is_control);
    let is_open = has_controls || !proven.is_empty() || are_possible(line);
    if line.is_ascii() || is_alphabet(line) || !is_open {
        return Vec::new();
    }
    let is_proven = !proven.is_empty();
    let (price, price_of_others) = match (is_proven, has_controls) {
        (true, _) => (NATS_OF_PAIR_AGAIN, NATS_OF_PAIR_AGAIN),
        // It was certainly read as Latin-1, so only the original encoding is open.
        (_, true) => (NATS_OF_CONTROL, NATS_OF_OTHER_CONTROL),
        _ => (NATS_OF_PAIR, NATS_OF_PAIR),
    };
    let Some(mut sample) = Sample::of(line, price) else { return Vec::new() };
    // No text costs more than rubbish.
    let base = score_or_rubbish(line);
    let mut found: Vec<Original> = Vec::new();
    for Bytes { bytes, read, price: price_of_read, pairs: reads } in bytes_of(line, proven) {
        let read = if has_controls && read.label == "windows-1252" { "latin1" } else { read.label };
        let words = sample.bytes(&bytes);
        let is_asked = |at: usize| !is_proven || proven.contains_written(at);
        for (at, written) in WRITTEN.iter().enumerate().filter(|(at, _)| is_asked(*at)) {
            let is_text = written.encoding.is_in_one_script(&words)
                && written.decoded(&words, true).is_some_and(|words| sample.may_be(words));
            let text = if is_text { written.decoded(&bytes, false) } else { None };
            let Some(text) = text.filter(|text| text != line) else { continue };
            // Reading windows-1252 as Latin-1 is not evidence for any pair.
            let is_alike = (written.name, read) == ("windows-1252", "latin1");
            let pairs = if is_alike { Pairs::default() } else { reads.written(at) };
            let price = if is_alike { price } else { price_of_others + written.price };
            let price = if is_proven { price } else { price + price_of_read };
            let Some(score) = score_in(written.encoding, &text, base + price + MIN_NATS_GAINED) else {
                continue;
            };
            let score = score - base - price;
            if score < MIN_NATS_GAINED {
                continue;
            }
            if let Some(same) = found.iter_mut().find(|was| was.text == text) {
                if score > same.score {
                    (same.score, same.written, same.read) = (score, written.name, read);
                }
                let is_alike = is_alike || same.pairs.is_empty();
                same.pairs = if is_alike { Pairs::default() } else { same.pairs.or(pairs) };
                continue;
            }
            let is_unsure = !is_alike && !are_words(&text, line, is_proven);
            // A line with controls is certainly damaged, so its other explanations need this one as a rival.
            if !is_unsure || has_controls {
                found.push(Original { text, score, is_unsure, pairs, written: written.name, read });
            }
        }
    }
    let is_utf8 = |encoding: &Misread| {
        let bytes = line.chars().map(|c| if c.is_ascii() { b' ' } else { encoding.byte(c).unwrap_or(b' ') });
        utf8kit::validate(&bytes.collect::<Vec<u8>>()).is_ok_and(|text| !text.is_ascii())
    };
    if !found.is_empty() && ENCODINGS.iter().any(is_utf8) {
        return Vec::new();
    }
    found
}
