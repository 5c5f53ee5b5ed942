//! The bytes of a text that are not UTF-8, piece by piece: are they words and signs in another encoding, or what is
//! left of sequences of UTF-8?
//!
//! ```text
//! run    non-ASCII bytes, next to each other, with an error among them
//!          mostly sequences of UTF-8, or in the shape of one (overlong, a surrogate, too large): damage
//!          anything else: foreign
//! piece  foreign runs with the ASCII around them, up to white space or a run of UTF-8
//! ```
//!
//! Between sequences of UTF-8, a single byte that begins none of the text is a letter, if it makes usual pairs, and two
//! are a character, if that occurs in the text or is frequent; so are one and the ASCII behind it, if that occurs.
//!
//! A piece is text if some encoding has words and signs in their places there, in letters of the language that the rest
//! of the text is in. What damage leaves rarely reads so: a byte that begins a sequence is a capital, a later one
//! is mostly a sign, and either is within a word.
//!
//! Damage is also what is left of a sequence where the file was cut, a letter of the text without its first byte, a
//! byte within a word that occurs without it, and single bytes beside at least as much certain damage.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use utf8kit::{Encoding as _, ErrorKind, Utf8};
use utf8kit_encodings::charset::Legacy;

use crate::alphabets::{Languages, coverage, is_common, is_sign};
use crate::detect::languages::{WIDE, are_of, languages};
use crate::detect::legacy::double_byte::{self, ENCODINGS};
use crate::detect::legacy::habits::is_in_place;
use crate::detect::legacy::single_byte::{SINGLE, is_seldom};
use crate::detect::legacy::{candidates, has_words};
use crate::detect::sequences::{Shapes, has_sequence, runs};
use crate::oddness::{ODD, oddness};

/// The most pieces that are looked at.
const MOST: usize = 256;

/// Up to so many pieces, one that is text is enough.
const FEW: usize = 3;

/// A word of so many letters occurs twice in a text rather than being what another one lacks a letter of.
const WORD: usize = 4;

/// Fewer letters are no evidence for an encoding that few texts are in.
const SOME: usize = 4;

/// So many errors next to each other, which are not parts of sequences, are rather a word than damage.
const LONG: u64 = 4;

/// So many errors in such words are in an encoding, even if none is known that has them.
const WORDS: u64 = 8;

/// How many ASCII bytes on either side of a run belong to its piece.
const AROUND: usize = 32;

/// The text around the pieces: what is UTF-8.
#[derive(Debug, Default)]
struct Beside {
    /// The languages that it may be in, if it is in one.
    languages: Option<Languages>,
    /// The number of non-ASCII letters.
    number: usize,
    letters: BTreeMap<char, usize>,
    /// Letters next to each other, one of them non-ASCII.
    pairs: BTreeSet<(char, char)>,
    /// Non-ASCII letters that are a word.
    words: BTreeSet<char>,
}

/// From so many letters on, a text has the usual ones of its language.
const LETTERS: usize = 60;

/// A letter that occurs less often has other pairs, too.
const SEEN: usize = 16;

/// From so many letters on, a text has most of the usual pairs of its language.
const PAIRS: usize = 200;

impl Beside {
    fn of(text: &str) -> Beside {
        let small: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
        let mut beside = Beside::default();
        let (mut known, mut latin, mut before) = (Vec::new(), 0, [' ', ' ']);
        for c in small.into_iter().chain([' ']) {
            let [first, middle] = before;
            if is_letter(middle) {
                beside.number += 1;
                *beside.letters.entry(middle).or_default() += 1;
                known.push((middle, 1));
                if !first.is_alphabetic() && !c.is_alphabetic() {
                    beside.words.insert(middle);
                }
            }
            latin += usize::from(c.is_ascii_alphabetic());
            if middle.is_alphabetic() && c.is_alphabetic() && (is_letter(middle) || is_letter(c)) {
                beside.pairs.insert((middle, c));
            }
            before = [middle, c];
        }
        let in_one = || coverage(&known).0 >= 0.9 && beside.number * 100 >= latin;
        beside.languages = Some(languages(text)).filter(|_| beside.number > 0 && in_one());
        beside
    }

    /// Reports whether a text is words of its language, and signs in their places: `has_signs` means that the encoding
    /// is known to be the one of signs.
    fn has(&self, text: &str, legacy: Legacy, has_signs: bool) -> bool {
        let small: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
        // No text has `ÿ` alone.
        if small.iter().all(|c| c.is_ascii() || *c == 'ÿ') {
            return false;
        }
        let letters: BTreeSet<char> = small.iter().copied().filter(|c| is_letter(*c)).collect();
        let counted: Vec<(char, u64)> = letters.iter().map(|c| (*c, 1)).collect();
        let in_one = || coverage(&counted).0 >= 1.0;
        // In another alphabet than the text, it may be in any language.
        let is_own = |c: &char| is_latin(*c) == self.letters.keys().any(|own| is_latin(*own));
        let in_language = match self.languages {
            _ if letters.is_empty() => has_signs || HAVE_SIGNS.contains(&legacy.name()),
            _ if letters.len() == 1 && RARE.contains(&legacy.name()) => false,
            Some(languages) if are_of(languages, text) => self.knows(&small, &letters),
            Some(_) if letters.iter().any(is_own) => letters.len() > 1 && in_one(),
            _ => {
                in_one()
                    && (letters.len() > 1 || !letters.iter().any(is_own) || FREQUENT.contains(&legacy.name()))
            }
        };
        let alone = || matches!(small[..], [one] if self.words.contains(&one));
        let odd = if letters.len() > 2 { 2.0 * ODD } else { 0.0 };
        in_language && oddness(text) <= odd && (has_words(text) || alone()) && are_in_place(text)
    }

    /// Reports whether a run between two characters is a sequence of the text without its first byte.
    fn restores(&self, before: Option<char>, run: &[u8], after: Option<char>) -> bool {
        let is_pair = |a: Option<char>, b: Option<char>| match (a, b) {
            (Some(a), Some(b)) if a.is_alphabetic() && b.is_alphabetic() => self.pairs.contains(&(a, b)),
            _ => true,
        };
        let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
        let small = |c: Option<char>| c.map(lower);
        let is_lower = |c: Option<char>| c.is_some_and(char::is_lowercase);
        let is_upper = |c: Option<char>| c.is_some_and(char::is_uppercase);
        let in_capitals = is_upper(before) && !is_lower(after) || is_upper(after) && !is_lower(before);
        let touches = [before, after].into_iter().flatten().any(char::is_alphabetic);
        match *run {
            [last @ 0x80..=0xBF] if touches => (0xC3..=0xDF_u8).any(|lead| {
                let letter = std::str::from_utf8(&[lead, last]).ok().and_then(|text| text.chars().next());
                // Which also gives the letter that was there.
                let reads_so =
                    |legacy: Legacy| letter.is_some_and(|c| legacy.bytes_of(c) == Some(run.to_vec()));
                !FREQUENT.into_iter().chain(["ISO-8859-2"]).filter_map(Legacy::labelled).any(reads_so)
                    && is_lower(letter) != in_capitals
                    && is_lower(before) <= is_lower(letter)
                    && letter.is_some_and(|c| self.letters.contains_key(&lower(c)))
                    && is_pair(small(before), small(letter))
                    && is_pair(small(letter), small(after))
            }),
            // Dashes and quotation marks
            [0x80, 0x90..=0xBF] => true,
            _ => false,
        }
    }

    /// Reports whether a byte in an encoding is a letter of the text, with the letters around it, one of them in UTF-8.
    fn has_letter(&self, lone: &Lone, legacy: Legacy) -> bool {
        let [byte] = lone.bytes[..] else { return false };
        let Some(c) = legacy.text_of(&[byte]).and_then(|text| text.chars().next()) else { return false };
        let around = || [lone.before, lone.after].into_iter().flatten();
        let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
        let is_pair = |a: Option<char>, b: Option<char>| match (a, b) {
            (Some(a), Some(b)) if a.is_alphabetic() && b.is_alphabetic() => {
                self.pairs.contains(&(lower(a), lower(b)))
            }
            _ => true,
        };
        is_letter(c)
            && !is_seldom(legacy)
            && c.is_uppercase() == around().any(char::is_uppercase)
            && around().any(|other| is_letter(other) && is_latin(other) == is_latin(c))
            && (self.letters.contains_key(&lower(c))
                || self.languages.is_some_and(|languages| are_of(languages, c.encode_utf8(&mut [0; 4]))))
            && match c {
                _ if self.number < LETTERS => true,
                '\u{370}'.. if byte >= 0xC0 => true,
                '\u{370}'.. => {
                    let is_known = |a: Option<char>, b: Option<char>| {
                        a.zip(b).is_some_and(|(a, b)| self.pairs.contains(&(lower(a), lower(b))))
                    };
                    is_known(lone.before, Some(c)) || is_known(Some(c), lone.after)
                }
                _ => is_pair(lone.before, Some(c)) && is_pair(Some(c), lone.after),
            }
    }

    /// Reports whether letters occur in the text, where it is long enough.
    fn knows(&self, small: &[char], letters: &BTreeSet<char>) -> bool {
        let known = letters.iter().filter(|c| self.letters.contains_key(c)).count();
        let is_pair = |pair: &[char]| matches!(pair, [a, b] if self.pairs.contains(&(*a, *b)));
        let is_long = self.number >= LETTERS.max(8 * self.letters.len());
        (!is_long || known * 4 >= letters.len() * 3)
            && (self.number < PAIRS
                || small.windows(2).any(is_pair)
                || letters.len() > 2
                || letters.iter().any(|c| self.letters.get(c).is_some_and(|count| *count < SEEN))
                || letters.iter().any(|c| *c >= 'Ͱ'))
    }
}

/// Reports whether a letter is Latin: those of Vietnamese are behind the other alphabets.
fn is_latin(c: char) -> bool {
    c < 'Ͱ' || matches!(c, '\u{1E00}'..='\u{1EFF}')
}

/// Reports whether a character is a non-ASCII letter.
fn is_letter(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic() && !is_sign(c)
}

/// Bytes between sequences of UTF-8, with the characters around them.
#[derive(Debug)]
struct Lone {
    before: Option<char>,
    bytes: Vec<u8>,
    after: Option<char>,
}

impl Lone {
    /// Finds the bytes in a run, between what is before and after that. `leads` are the first bytes of all sequences.
    fn of(run: &[u8], before: Option<char>, after: Option<char>, leads: &BTreeSet<u8>) -> Option<Lone> {
        let (mut start, mut end) = (run.len(), 0);
        for error in Utf8.errors(run) {
            (start, end) = (start.min(error.range().start), error.range().end);
        }
        let (head, rest) = run.split_at_checked(start)?;
        let (bytes, tail) = rest.split_at_checked(end.checked_sub(start)?)?;
        let before = std::str::from_utf8(head).ok()?.chars().next_back().or(before);
        let after = std::str::from_utf8(tail).ok()?.chars().next().or(after);
        let is_alone = match *bytes {
            [0xC0..0xE0] => !leads.contains(&bytes[0]),
            [_] => true,
            [_, _] => !is_cut_off(bytes) && !has_sequence(bytes),
            // The rest of a sequence, or its beginning
            _ => bytes.iter().any(|byte| *byte >= 0xC0) && !is_cut_off(bytes) && !has_sequence(bytes),
        };
        (is_alone && bytes.len() < run.len()).then(|| Lone { before, bytes: bytes.to_vec(), after })
    }
}

/// The pieces of a text that are not UTF-8.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// The rest.
    pub(super) utf8: String,
    /// Its characters of East Asia.
    wide: HashSet<char>,
    beside: Beside,
    /// Each with the ASCII around it.
    foreign: Vec<Vec<u8>>,
    /// Those between sequences that are letters in some encoding.
    lone: Vec<Lone>,
    /// Whether there is damage as well.
    damaged: bool,
    /// The number of runs that are certainly damage.
    damages: usize,
    /// Whether an error has a byte that tells: see [`is_telling`].
    is_telling: bool,
}

impl Pieces {
    pub(super) fn of(bytes: &[u8]) -> Pieces {
        let (good, bad): (Vec<_>, Vec<_>) =
            runs(bytes).partition(|run| std::str::from_utf8(&bytes[run.clone()]).is_ok());
        let leads: BTreeSet<u8> = good.iter().map(|run| bytes[run.start]).collect();
        let all = good.iter().flat_map(|run| &bytes[run.clone()]).copied();
        let all_leads: BTreeSet<u8> = all.filter(|byte| *byte >= 0xC0).collect();
        let mut pieces = Pieces::default();
        let (mut last, mut end_of_text) = (0..0, 0); // the range of the last piece
        let mut tried = 0;
        for run in &bad {
            pieces.utf8.push_str(std::str::from_utf8(&bytes[end_of_text..run.start]).unwrap_or_default());
            pieces.utf8.push('\n'); // what is around the run is no word
            end_of_text = run.end;
        }
        pieces.utf8.push_str(std::str::from_utf8(&bytes[end_of_text..]).unwrap_or_default());
        pieces.beside = Beside::of(&pieces.utf8);
        pieces.wide = pieces.utf8.chars().filter(|c| *c >= WIDE).collect();
        let utf8 = std::mem::take(&mut pieces.utf8);
        let words =
            LazyCell::new(|| -> HashSet<&str> { utf8.split(|c: char| !c.is_alphanumeric()).collect() });
        for run in bad {
            let ascii = |at: Option<usize>| at.and_then(|at| bytes.get(at)).map(|byte| char::from(*byte));
            let (before, after) = (ascii(run.start.checked_sub(1)), ascii(Some(run.end)));
            let bad = &bytes[run.clone()];
            let mut errors = Utf8.errors(bad).flat_map(|error| &bad[error.range()]);
            // Languages with letters beyond Latin-1 have both.
            let is_new =
                |lead: &u8| matches!(lead, 0xC4 | 0xC5) && all_leads.range(0xC4..=0xC5).next().is_none();
            pieces.is_telling = pieces.is_telling || errors.any(|byte| is_telling(byte) || is_new(byte));
            if let Some(lone) = Lone::of(bad, before, after, &all_leads).filter(|_| tried < MOST) {
                tried += 1;
                let mut encodings = SINGLE.into_iter().filter_map(Legacy::labelled);
                if pieces.has_pairs(&lone.bytes)
                    || pieces.is_character(&lone)
                    || encodings.any(|legacy| pieces.beside.has_letter(&lone, legacy))
                {
                    // The last byte of the sequence before it, a second time, perhaps.
                    pieces.damaged |= is_repeated(bad);
                    pieces.lone.push(lone);
                    continue;
                }
            }
            // Of a text in another alphabet, ASCII on both sides is not the rest of a word.
            let is_apart = matches!(*bad, [0xCC..=0xFF]) && before.is_some() && after.is_some();
            if !pieces.has_pairs(bad) && !is_apart && is_damage(bad, &leads)
                || pieces.beside.restores(before, bad, after)
                || interrupted(&bytes[..run.start], bad, &bytes[run.end..])
                    .is_some_and(|word| words.contains(&*word))
            {
                pieces.damaged = true;
                pieces.damages += usize::from(is_certain(bad));
                continue;
            }
            let start = around(&bytes[..run.start]);
            let end = run.end + around_end(&bytes[run.end..]);
            if start < last.end {
                if let Some(piece) = pieces.foreign.last_mut() {
                    piece.extend_from_slice(&bytes[last.end..end]);
                }
                last.end = end;
            } else if pieces.foreign.len() < MOST {
                pieces.foreign.push(bytes[start..end].to_vec());
                last = start..end;
            }
        }
        drop(words);
        pieces.utf8 = utf8;
        pieces
    }

    /// Returns the pieces as lines.
    pub(super) fn joined(&self) -> Vec<u8> {
        let lone = self.lone.iter().map(|lone| lone.bytes.clone());
        self.foreign.iter().cloned().chain(lone).collect::<Vec<_>>().join(&b'\n')
    }

    /// Reports whether some of the pieces, or as many as damage rarely leaves, are text in one encoding, even if that
    /// is not known.
    pub(super) fn are_text(&self) -> bool {
        if self.foreign.iter().map(|piece| errors_in_words(piece)).sum::<u64>() >= WORDS {
            return true;
        }
        // Beside as much damage, single bytes are damage, too.
        let is_single = |piece: &Vec<u8>| piece.iter().filter(|byte| !byte.is_ascii()).count() == 1;
        if self.damages >= self.number() && self.foreign.iter().all(is_single) {
            return false;
        }
        let most = candidates().map(|legacy| self.natural_in(legacy)).max().unwrap_or_default();
        most > 0 && (self.number() <= FEW || most * 3 >= self.number())
    }

    /// Reports whether nothing in it is damage in any text, and some is unlikely to be the beginning of a letter, so
    /// that lines that another encoding has may be in that.
    pub(super) fn may_be_text(&self) -> bool {
        self.damages == 0 && self.is_telling
    }

    /// Reports whether there are pieces, which are text in no encoding that is looked for, and nothing that is
    /// certainly damage.
    pub(super) fn are_unknown(&self) -> bool {
        !self.damaged && self.foreign.iter().flatten().any(is_telling)
    }

    /// Returns the number of pieces, and of bytes between sequences.
    fn number(&self) -> usize {
        self.foreign.len() + self.lone.len()
    }

    /// Reports whether all errors are text in an encoding.
    fn are_in(&self, legacy: Legacy) -> bool {
        self.natural_in(legacy) == self.number()
    }

    /// Returns the encoding in which all errors are text: this one, if possible. None if a run has sequences of UTF-8,
    /// too, which are there by chance, as decoding the errors alone would garble it.
    pub(super) fn encoding(&self, likely: Legacy) -> Option<Legacy> {
        let mut all = std::iter::once(likely).chain(candidates());
        let is_one = |legacy| self.share_of_one_language(legacy).is_none_or(|share| share == 1.0);
        all.find(|legacy| !self.damaged && self.are_in(*legacy) && is_one(*legacy))
            .filter(|_| self.number() > 0 && !self.foreign.iter().any(|piece| has_sequence(piece)))
    }

    /// Returns which part of the Latin letters of all pieces is of one language in an encoding of single bytes. `None`
    /// if there are none.
    fn share_of_one_language(&self, legacy: Legacy) -> Option<f64> {
        let text = if legacy.is_single_byte() { legacy.text_of(&self.joined()) } else { None }?;
        let small = text.chars().flat_map(char::to_lowercase).filter(|c| is_letter(*c) && is_latin(*c));
        let letters: Vec<_> = small.map(|c| (c, 1)).collect();
        (!letters.is_empty()).then(|| coverage(&letters).0)
    }

    /// Reports whether all errors are text in an encoding, or all of them together are in one language.
    pub(super) fn are_rather_in(&self, legacy: Legacy) -> bool {
        self.are_in(legacy) || self.share_of_one_language(legacy) == Some(1.0)
    }

    /// Returns the number of pieces that are text in an encoding.
    fn natural_in(&self, legacy: Legacy) -> usize {
        if is_seldom(legacy) && self.foreign.iter().flatten().filter(|byte| !byte.is_ascii()).count() < SOME {
            return 0;
        }
        // Words in an encoding tell that signs are in it, too.
        let is_natural = |piece: &Vec<u8>, has_signs: bool| {
            if let Some(reading) = double_byte::read(piece, legacy.name()) {
                return reading.is_text(2) || self.has_characters(legacy, piece);
            }
            legacy.text_of(piece).is_some_and(|text| self.beside.has(&text, legacy, has_signs))
        };
        let number = |has_signs| self.foreign.iter().filter(|piece| is_natural(piece, has_signs)).count();
        let natural = number(false);
        let natural = if natural > 0 { number(true) } else { 0 };
        let is_letter = |lone: &Lone| {
            self.beside.has_letter(lone, legacy)
                || !legacy.is_single_byte()
                    && (self.has_characters(legacy, &lone.bytes) || self.is_character(lone))
        };
        let letters = self.lone.iter().filter(|lone| is_letter(lone));
        natural + letters.count()
    }

    /// Reports whether a run is characters of two bytes that occur in the rest of the text.
    fn has_pairs(&self, run: &[u8]) -> bool {
        !run.is_empty()
            && ENCODINGS
                .iter()
                .filter_map(|(name, _)| Legacy::labelled(name))
                .any(|one| self.has_characters(one, run))
    }

    /// Reports whether two bytes beside a character of East Asia are a frequent one in some encoding, or whether a byte
    /// and the ASCII behind it are one that occurs in the text.
    fn is_character(&self, lone: &Lone) -> bool {
        let is_wide = |c: Option<char>| c.is_some_and(|c| c >= WIDE);
        let is_frequent = |pair: &[u8], name: &str| {
            double_byte::read(pair, name).is_some_and(|one| one.characters == 1 && one.frequent == 1.0)
        };
        match (&lone.bytes[..], lone.after) {
            (&[first], Some(second @ '@'..='~')) => {
                is_wide(lone.before) && self.has_pairs(&[first, second as u8])
            }
            (pair @ [_, _], after) if is_wide(lone.before) || is_wide(after) => {
                ENCODINGS.iter().any(|(name, _)| is_frequent(pair, name))
            }
            _ => false,
        }
    }

    /// Reports whether the characters of a piece occur in the rest of the text.
    fn has_characters(&self, legacy: Legacy, piece: &[u8]) -> bool {
        legacy.text_of(piece).is_some_and(|text| {
            text.chars().filter(|c| !c.is_ascii()).all(|c| c >= WIDE && self.wide.contains(&c))
        })
    }
}

/// Reports whether a byte is none that begins most non-ASCII letters in Latin text, nor one that no text has.
fn is_telling(byte: &u8) -> bool {
    matches!(byte, 0x80..=0xC2 | 0xC6..=0xFD)
}

/// Counts the errors in the runs of a piece that are rather words in non-ASCII letters.
fn errors_in_words(piece: &[u8]) -> u64 {
    let shapes = runs(piece).map(|run| Shapes::of(&piece[run]));
    let words = shapes.filter(|one| one.bad >= LONG && one.bad > 2 * (one.good + one.shaped + one.cut));
    words.map(|one| one.bad).sum()
}

/// Returns the word that a run is a single byte within.
fn interrupted(before: &[u8], run: &[u8], after: &[u8]) -> Option<String> {
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
    let start = before.len() - before.iter().rev().take(AROUND).take_while(is_letter).count();
    let end = after.iter().take(AROUND).take_while(is_letter).count();
    let word = String::from_utf8([&before[start..], &after[..end]].concat()).ok()?;
    (start < before.len() && end > 0 && run.len() == 1 && word.len() >= WORD).then_some(word)
}

/// Returns where the piece of a run begins that these bytes come before.
fn around(before: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_graphic();
    before.len() - before.iter().rev().take(AROUND).take_while(is_part).count()
}

/// Returns how many of the bytes after a run belong to its piece.
fn around_end(after: &[u8]) -> usize {
    after.iter().take(AROUND).take_while(|byte| byte.is_ascii_graphic()).count()
}

/// Reports whether a run is what damage left of UTF-8. `leads` are the first bytes of the sequences elsewhere.
fn is_damage(run: &[u8], leads: &BTreeSet<u8>) -> bool {
    // The beginning of a sequence.
    let is_lead = |lead: u8| leads.contains(&lead) || matches!(lead, 0xE2 | 0xE3 | 0xEF..);
    // Almost no text has what these begin.
    let is_rare = matches!(*run, [0xE2, 0xA0..=0xA3 | 0xB0..=0xBF, ..] | [0xF1..=0xFF, ..]);
    if matches!(*run, [lead @ ..0xE0] if leads.contains(&lead))
        || run.len() > 1 && is_lead(run[0]) && !is_rare && is_cut_off(run)
    {
        return true;
    }
    // What reads as an overlong letter is a frequent syllable of Korean.
    let is_korean = || leads.iter().any(|lead| (0xEB..=0xEC).contains(lead));
    if matches!(*run, [0xC0 | 0xC1, trail] if trail > 0xA0 && (run[0] == 0xC1 && leads.is_empty() || is_korean()))
    {
        return false;
    }
    if is_repeated(run) {
        return true;
    }
    let Shapes { good, bad, shaped, .. } = Shapes::of(run);
    let well: Vec<_> = Utf8.items(run).filter(|item| item.result.is_ok()).collect();
    let expected = well.iter().filter(|item| leads.contains(&run[item.offset])).count() as u64;
    let is_long = |item: &&utf8kit::Item| {
        item.len > 2 && item.result.is_ok_and(|value| char::from_u32(value).is_some_and(is_common))
    };
    let long = well.iter().filter(is_long).count() as u64;
    shaped == bad || 2 * expected >= bad || long >= 2 * bad || leads.is_empty() && good >= 3 * bad
}

/// Reports whether the errors of a run are the last bytes of the sequences before them, a second time.
fn is_repeated(run: &[u8]) -> bool {
    Utf8.errors(run).all(|error| {
        let before = error.range().start.checked_sub(1).and_then(|at| run.get(at));
        error.kind == ErrorKind::UnexpectedContinuation && before == run.get(error.range().start)
    })
}

/// Reports whether a run is damage in any text: sequences that are overlong, surrogates or too large, or cut off.
fn is_certain(run: &[u8]) -> bool {
    let Shapes { bad, shaped, .. } = Shapes::of(run);
    shaped == bad || run.len() > 1 && is_cut_off(run)
}

/// Reports whether a run is one sequence that was cut off.
fn is_cut_off(run: &[u8]) -> bool {
    Utf8.errors(run)
        .next()
        .is_some_and(|error| error.kind == ErrorKind::Truncated && error.range() == (0..run.len()))
}

/// The encodings of signs: others have mostly the same, or none.
const HAVE_SIGNS: [&str; 3] = ["windows-1252", "macintosh", "CP850"];

/// The encodings of a single letter in a text whose language is not known.
const FREQUENT: [&str; 5] = ["windows-1252", "windows-1250", "windows-1254", "macintosh", "CP850"];

/// Encodings that a single letter is not evidence for.
const RARE: [&str; 2] = ["ISO-8859-10", "ISO-8859-16"];

/// Reports whether all signs of a non-ASCII text are where they are written.
fn are_in_place(text: &str) -> bool {
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let after = chars.peek().copied();
        if !c.is_ascii() && (!c.is_alphabetic() || is_sign(c)) && !is_in_place(before, c, after) {
            return false;
        }
        before = Some(c);
    }
    true
}
