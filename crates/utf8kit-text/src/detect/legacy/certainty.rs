//! Whether a text singles out one encoding. Text is converted unasked only if it does: a file that is left alone loses
//! nothing, and one that is read in the wrong encoding may.
//!
//! ```text
//! unknown  the letters are not as frequent as in a language that has them: it is in an encoding that is not known,
//! unusual  or, in Latin letters, in a language that is not known
//! foreign  an alphabet other than the Latin one, with letters of another language in between
//! control  characters that no text has
//! within   signs within words, which are letters in another encoding
//! alone    one letter: a capital, which a byte that begins a sequence of UTF-8 mostly is, or among signs, or in a code
//!          page of DOS or the Macintosh; or a few beside `FF`
//! few      a few letters in such a code page, many of which are alike: most of them give the same letters
//! rival    another encoding reads as well and gives other letters, not only capitals, or characters of East Asia for a
//!          few Latin ones (letters that all occur in lines of UTF-8 beside the text leave no doubt, if no other
//!          encoding gives such); unlikely: almost no text is in it, or it has Latin letters for those of East Asia
//! mixed    words of UTF-8, which an encoding that has letters or box drawing at all bytes can hold; or `à`, `í` or `ô`
//! ```

use std::collections::BTreeSet;
use std::fmt;

use utf8kit::Item;

use crate::alphabets::is_common;
use crate::charset::{Codec, Legacy};
use crate::detect::confidence::Confidence;
use crate::detect::languages::{WIDE, script};
use crate::detect::legacy::best::Best;
use crate::detect::legacy::double_byte::{ENCODINGS, Reading, with_cut_end};
use crate::detect::legacy::frequency::divergence;
use crate::detect::legacy::single_byte::{self, SingleByte, is_looked_for, is_seldom};
use crate::detect::legacy::triples::Triples;
use crate::detect::legacy::{WORSE, is_alien};
use crate::detect::sequences::{Shapes, sequences};
use crate::oddness::Character;

/// How far from its language a text may be, and how much farther if it has but one letter.
const FAR: f64 = 2.0;

/// So many letters of an alphabet that are far from its languages are not in it. Fewer are no evidence for an encoding
/// that is only looked for where no other is convincing.
const MANY: u64 = 24;

/// So many sequences of UTF-8 are unlikely to be most of a few characters of East Asia by chance.
const SEQUENCES: u64 = 3;

/// Fewer letters do not tell code pages of DOS and the Macintosh apart.
const LETTERS: u64 = 8;

/// One letter of so many may be of another language, in an alphabet other than the Latin one.
const FOREIGN: f64 = 0.005;

/// How much farther from its language a rival may be.
const FARTHER: f64 = 0.5;

/// In so many places a rival may read worse.
const SLIPS: f64 = 3.0;

/// Has letters of some language at the bytes of most letters of windows-1252, such as `ð` at that of `ä`. Almost no
/// text is in it.
const NO_RIVAL: &str = "hp-roman8";

/// How much nearer another encoding must be to replace the one that was found.
const CLEARLY: f64 = 1.0;

/// How much better another encoding must read that is no farther.
const BETTER: f64 = 0.005;

/// How much worse a rival may read in East Asia.
const NEAR: f64 = 0.05;

/// How well text of East Asia reads at least, and fewer characters may be letters of words, or of another country.
const TEXT: f64 = 0.7;
const SOME: u64 = 25;

/// How well Korean text reads, and at least how many of its syllables are usual ones: one of so many.
const KOREAN: f64 = 0.95;
const ONE_OF: usize = 4;

/// The hundred most frequent syllables: seven of ten in Korean text, and one of twenty in Chinese text that is read as
/// Korean.
const SYLLABLES: &str = "가값거경고과구그기나는니다대데도동되드들라력로를름리마만면명모문미바보부분비사상서설성션소수스습시식실아않압\
                         어없에여오옵용우위으은을음의이인일입있자작적전정제주지축치크키타터트파패표프하한할합해행형화";

/// The most bytes that are looked at.
const READ: usize = 64 * 1024;

/// Why a text may be in another encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::detect) enum Doubt {
    /// It is rather in an encoding that is not known.
    Unknown,
    Unusual,
    Foreign,
    Control,
    Within,
    Alone,
    Few,
    Rival(Legacy),
    /// Another encoding fits as well, but is unlikely to be meant: few texts are in it, or a few characters of East
    /// Asia are letters in it.
    Unlikely(Legacy),
    Mixed,
}

impl Doubt {
    /// Returns the encoding that fits as well.
    pub(in crate::detect) fn rival(self) -> Option<Legacy> {
        match self {
            Doubt::Rival(rival) | Doubt::Unlikely(rival) => Some(rival),
            _ => None,
        }
    }

    /// Reports whether any other encoding is likely if this one is only possible.
    pub(in crate::detect) fn leaves_open(self) -> bool {
        !matches!(self, Doubt::Few | Doubt::Unlikely(_))
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Unknown | Doubt::Unusual => f.write_str("no language has its letters as often as it does"),
            Doubt::Foreign => f.write_str("it has letters of several languages"),
            Doubt::Control => f.write_str("it has control characters that no text has"),
            Doubt::Within => f.write_str("it has signs within words"),
            Doubt::Alone => f.write_str("it has too few letters to be certain"),
            Doubt::Few => f.write_str("it has too few letters to tell similar code pages apart"),
            Doubt::Rival(rival) | Doubt::Unlikely(rival) => {
                write!(f, "{} fits as well, and gives other letters", rival.name())
            }
            Doubt::Mixed => f.write_str("some of its words are utf-8, and would be garbled by a conversion"),
        }
    }
}

/// Returns the encoding to name for a text of which this one is the best guess, and why the text may be in another.
/// `beside` are lines of UTF-8 in the same language.
pub(in crate::detect) fn singled_out(bytes: &[u8], best: Best, beside: &str) -> (Legacy, Option<Doubt>) {
    let bytes = bytes.get(..READ).unwrap_or(bytes);
    let is_possible = best.confidence == Confidence::Possible;
    let Some(own) = SingleByte::of(Codec::Legacy(best.legacy)) else {
        let is_mixed = has_words_of_utf8(bytes, best.legacy) || is_mostly_utf8(bytes, best);
        let doubt = if is_mixed { Some(Doubt::Mixed) } else { doubt_of_east(bytes, best) };
        return (best.legacy, doubt);
    };
    let text = Text::of(bytes);
    let doubt = match has_words_of_utf8(bytes, best.legacy) {
        true => Some(Doubt::Mixed),
        false if text.alone_has_letters_of(beside) == Some(best.legacy) => None,
        false => text.doubt(own, best).or(Some(Doubt::Mixed).filter(|_| has_vowel_of_utf8(bytes, own))),
    };
    let rival = doubt.and_then(Doubt::rival);
    let is_far = matches!(doubt, Some(Doubt::Unknown | Doubt::Unusual | Doubt::Foreign)) || rival.is_some();
    // A text that is not far from its language is rather in the encoding that it may be in as well, or in its own.
    let is_meant = |nearer: &Legacy| rival.is_none_or(|rival| rival == *nearer);
    let nearer = Some(own).filter(|_| is_possible || is_far).and_then(|own| text.nearer(own, best.legacy));
    match nearer.filter(is_meant) {
        Some(nearer) => (nearer, None),
        None => (best.legacy, doubt),
    }
}

/// What all encodings of single bytes are rated by.
struct Text {
    /// The non-ASCII bytes, each with its count.
    beyond: Vec<(u8, u64)>,
    triples: Triples,
}

/// A text as read in an encoding.
struct Read {
    /// The number of its letters, of the capitals among them, and of its signs.
    number: u64,
    capitals: u64,
    signs: u64,
    is_latin: bool,
    /// Whether some of its characters are control characters.
    has_controls: bool,
    /// How far it is from its language, and the share of letters that this language has.
    far: f64,
    covered: f64,
}

impl Text {
    fn of(bytes: &[u8]) -> Text {
        let counts = (0_u8..=255).zip(single_byte::counts(bytes));
        let beyond = counts.filter(|(byte, count)| !byte.is_ascii() && *count > 0).collect();
        Text { beyond, triples: Triples::of(bytes) }
    }

    /// Returns the text in an encoding; `None` if it lacks a character.
    fn read(&self, encoding: SingleByte) -> Option<Read> {
        let mut characters = Vec::with_capacity(self.beyond.len());
        let (mut number, mut capitals, mut signs) = (0, 0, 0);
        let (mut is_latin, mut has_controls) = (true, false);
        for &(byte, count) in &self.beyond {
            let Character { c, is_alphabetic, is_uppercase, .. } = encoding.sign(byte)?;
            characters.push((c, count));
            *if is_alphabetic { &mut number } else { &mut signs } += count;
            has_controls |= c.is_control();
            capitals += if is_uppercase { count } else { 0 };
            is_latin &= !is_alphabetic || c < 'Ͱ';
        }
        let fit = divergence(&characters, self.triples.different());
        let far = fit.map_or(0.0, |fit| if is_latin && fit.is_pangram { fit.far.min(0.0) } else { fit.far });
        Some(Read {
            number,
            capitals,
            signs,
            is_latin,
            has_controls,
            far,
            covered: fit.map_or(1.0, |fit| fit.covered),
        })
    }

    /// Iterates over all encodings of single bytes with the text as read in them.
    fn readings(&self) -> impl Iterator<Item = (Legacy, SingleByte, Read)> {
        let all = SingleByte::all().chain(SingleByte::others());
        all.filter_map(|(legacy, encoding)| Some((legacy, encoding, self.read(encoding)?)))
    }

    /// Returns how well the text reads in an encoding.
    fn well(&self, read: &Read, encoding: SingleByte) -> f64 {
        read.covered - encoding.oddness_of(&self.triples)
    }

    /// Reports whether an encoding makes another text of the bytes than another encoding does.
    fn differs(&self, one: SingleByte, other: SingleByte) -> bool {
        self.beyond.iter().any(|(byte, _)| one.character(*byte) != other.character(*byte))
    }

    /// Returns the encoding that alone gives letters that all occur in another text in the same language.
    fn alone_has_letters_of(&self, beside: &str) -> Option<Legacy> {
        let small = beside.chars().filter(|c| !c.is_ascii()).flat_map(char::to_lowercase);
        let letters: BTreeSet<char> = small.filter(|c| c.is_alphabetic()).collect();
        if letters.is_empty() {
            return None;
        }
        let is_known = |c: char| c.to_lowercase().all(|small| letters.contains(&small));
        let has_known = |encoding: SingleByte, read: &Read| {
            let characters = || self.beyond.iter().filter_map(|(byte, _)| encoding.sign(*byte));
            read.number > 0
                && !read.has_controls
                && characters()
                    .all(|sign| if sign.is_alphabetic { is_known(sign.c) } else { is_written(sign.c) })
        };
        let mut all = self.readings().filter(|(_, encoding, read)| has_known(*encoding, read));
        let (legacy, own, _) = all.next()?;
        all.all(|(_, other, _)| !self.differs(own, other)).then_some(legacy)
    }

    /// Returns why the text may be in another encoding than the best guess.
    fn doubt(&self, own: SingleByte, best: Best) -> Option<Doubt> {
        // Its accents are characters of their own, which no other encoding has.
        if best.legacy.name() == "windows-1258" {
            return None;
        }
        let read = self.read(own)?;
        let is_known = read.is_latin || read.number.min(self.triples.different()) < MANY;
        // Few texts are in some encodings.
        let is_far = read.is_far() || is_seldom(best.legacy) && read.far > FAR / 2.0;
        if is_far || !is_known && read.is_in_capitals() {
            // All letters of another alphabet are evidence, and not a few of them only.
            return Some(if is_known { Doubt::Unusual } else { Doubt::Unknown });
        }
        // Text in another alphabet has many of its letters.
        if !is_known && read.is_farther(FAR / 2.0) {
            return Some(Doubt::Unusual);
        }
        if !read.is_latin && read.covered < 1.0 - FOREIGN.min(1.0 / read.number.max(1) as f64) {
            return Some(Doubt::Foreign);
        }
        if read.has_controls {
            return Some(Doubt::Control);
        }
        if own.has_sign_within(&self.triples) {
            return Some(Doubt::Within);
        }
        // Almost no text in Latin letters has `FF`, and damaged UTF-8 may.
        let has_ff = || read.is_latin && self.beyond.iter().any(|(byte, _)| *byte == 0xFF);
        let is_frequent = is_of_windows_or_iso(best.legacy);
        let is_alone = if read.is_latin { read.capitals == 1 } else { read.signs > 1 };
        let is_alone = is_alone && read.number == 1 || !is_frequent && read.number < 2 + read.capitals;
        if read.number < LETTERS && (is_alone || has_ff()) {
            return Some(Doubt::Alone);
        }
        if read.number < LETTERS && !is_frequent {
            return Some(Doubt::Few);
        }
        let is_meant = |other: Legacy| read.number >= LETTERS || !is_seldom(other);
        let mut rivals = best.rivals().filter(|(other, _)| is_meant(*other));
        let beyond: u64 = self.beyond.iter().map(|(_, count)| count).sum();
        let well = self.well(&read, own) - WORSE.min(SLIPS / beyond.max(1) as f64);
        let is_rival = |other: SingleByte| {
            self.read(other).is_some_and(|rival| {
                self.differs(own, other)
                    && self.well(&rival, other) >= well
                    && rival.far <= read.far.max(0.0) + FARTHER
                    && (read.is_in_capitals() || !rival.is_in_capitals())
            })
        };
        if let Some((rival, _)) = rivals.find(|(_, other)| is_rival(*other)) {
            return Some(Doubt::Rival(rival));
        }
        let others = SingleByte::others().filter(|(other, _)| other.name() != NO_RIVAL);
        // A few letters are no evidence for an encoding that few texts are in, unless it has letters for signs.
        let has_more = |other: SingleByte| self.read(other).is_some_and(|rival| rival.number > read.number);
        let seldom = SingleByte::all().filter(|(other, encoding)| is_seldom(*other) && has_more(*encoding));
        if let Some((rival, _)) = others.chain(seldom).find(|(_, other)| is_rival(*other)) {
            return Some(if is_frequent { Doubt::Unlikely(rival) } else { Doubt::Rival(rival) });
        }
        // A few Latin letters may be a word of East Asia.
        let east = ENCODINGS.iter().zip(best.east).find(|(_, one)| one.is_some_and(|one| one.is_text(2)));
        let ((name, _), _) = east.filter(|_| read.is_latin && read.number < LETTERS)?;
        Legacy::labelled(name).map(Doubt::Rival)
    }

    /// Returns the encoding in which the letters are as frequent as in a language, if they are not in the one that was
    /// found.
    fn nearer(&self, own: SingleByte, legacy: Legacy) -> Option<Legacy> {
        let has_words = |read: &Read| read.number >= LETTERS && !read.is_in_capitals();
        // In an encoding without these letters, there may be none to count.
        let read = self.read(own).filter(has_words);
        let (far, score) = read.map_or((f64::INFINITY, 0.0), |read| (read.far, self.well(&read, own)));
        let near =
            self.readings().filter(|(other, ..)| *other != legacy).filter_map(|(other, encoding, read)| {
                let well = self.well(&read, encoding);
                let is_nearer = read.far + CLEARLY <= far || read.far <= far && well > score + BETTER;
                let is_enough = read.is_latin || read.number >= MANY || is_looked_for(other);
                let is_near = has_words(&read) && !read.is_far() && is_nearer && is_enough;
                (is_near && well >= score - WORSE).then_some((other, read.far - well))
            });
        near.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(legacy, _)| legacy)
    }
}

impl Read {
    /// Reports whether the letters are too far from a language.
    fn is_far(&self) -> bool {
        self.is_farther(FAR)
    }

    fn is_farther(&self, far: f64) -> bool {
        self.number > 0 && self.far > far * (1.0 + 2.0 / self.number as f64)
    }

    /// Reports whether most letters are capitals. Those of an alphabet without capitals have often the bytes of
    /// capitals of another one, in the same order.
    fn is_in_capitals(&self) -> bool {
        self.capitals * 10 >= self.number * 9
    }
}

/// Reports whether a sign is one that texts have: none of the box drawing that code pages of DOS have.
fn is_written(sign: char) -> bool {
    !('\u{2500}'..'\u{2600}').contains(&sign)
}

/// Returns why a text may be in another encoding than one of East Asia.
fn doubt_of_east(bytes: &[u8], best: Best) -> Option<Doubt> {
    let name = best.legacy.name();
    let mut readings = ENCODINGS.iter().zip(best.east).filter_map(|((name, _), read)| Some((*name, read?)));
    let (_, own) = readings.clone().find(|(own, _)| *own == name)?;
    if own.score() < TEXT {
        return Some(Doubt::Unusual);
    }
    // Kana have the bytes of frequent characters in Chinese, and fewer Chinese characters have those of Korean ones.
    let is_korean = name == "EUC-KR"
        && own.score() >= KOREAN
        && (own.characters >= SOME || has_usual_syllables(bytes, best.legacy));
    let is_plain = own.has_kana || is_korean;
    let is_near = |it: &Reading| it.score() >= own.score() - NEAR && (it.has_kana || !is_plain);
    let is_rival =
        |(other, it): &(&str, Reading)| *other != name && is_near(it) && (it.has_kana || *other != "EUC-JP");
    if let Some((rival, _)) = readings.find(is_rival) {
        return Legacy::labelled(rival).map(Doubt::Rival);
    }
    // The letters of a few words may be pairs, accented ones with what follows them.
    if own.characters >= SOME {
        return None;
    }
    let text = Text::of(bytes);
    let read = |(legacy, encoding): (Legacy, SingleByte)| {
        // Few letters of another alphabet may be far from any text.
        let far = |read: &Read| if read.is_latin { FAR } else { 2.0 * FAR };
        let is_near = |read: &Read| read.covered == 1.0 && !read.is_farther(far(read));
        // Most are odd, which takes less time to find out.
        let is_plain = encoding.oddness_of(&text.triples) == 0.0;
        let read = Some(encoding).filter(|_| is_plain).and_then(|one| text.read(one)).filter(is_near)?;
        Some(if read.is_latin { Doubt::Unlikely(legacy) } else { Doubt::Rival(legacy) })
    };
    SingleByte::all().filter_map(read).min_by_key(|doubt| !doubt.leaves_open())
}

/// Reports whether most characters of East Asia are sequences of UTF-8 as well, of which one in ten is by chance.
fn is_mostly_utf8(bytes: &[u8], best: Best) -> bool {
    let own = ENCODINGS.iter().zip(best.east).find(|((name, _), _)| *name == best.legacy.name());
    let characters = own.and_then(|(_, reading)| reading).map_or(u64::MAX, |reading| reading.characters);
    let good = Shapes::of(bytes).good;
    good >= SEQUENCES && 2 * good >= characters
}

/// Reports whether enough syllables of a text in Korean are usual ones.
fn has_usual_syllables(bytes: &[u8], legacy: Legacy) -> bool {
    // The end may be cut off within one.
    let text = with_cut_end(bytes, 2).find_map(|part| legacy.text_of(part));
    let Some(text) = text else { return false };
    let beyond: Vec<char> = text.chars().filter(|c| !c.is_ascii()).collect();
    beyond.iter().filter(|c| SYLLABLES.contains(**c)).count() * ONE_OF >= beyond.len()
}

/// Reports whether a word has a letter of UTF-8 that reads as a capital before a space that does not break, a soft
/// hyphen or an accent. A word in capitals may end in that capital, as `MANHÃ` does.
fn has_vowel_of_utf8(bytes: &[u8], own: SingleByte) -> bool {
    let sign = |at: usize| bytes.get(at).and_then(|byte| own.sign(*byte));
    let is_capital = |at: usize| sign(at).is_some_and(|sign| sign.is_uppercase);
    bytes.windows(2).enumerate().any(|(start, pair)| {
        // Before the start is nothing.
        let [first, second] = [2, 1].map(|back| start.wrapping_sub(back));
        matches!(pair, [0xC2 | 0xC3 | 0xC5, 0xA0 | 0xAD | 0xB4])
            && own.character(pair[0]).is_some_and(|c| matches!(c, 'Ã' | 'Â' | 'Ă' | 'Ĺ'))
            && sign(start + 1).is_some_and(|sign| !sign.is_alphabetic)
            && (sign(second).is_some_and(|sign| sign.c.is_lowercase())
                || sign(start + 2).is_some_and(|sign| sign.is_alphabetic)
                    && !(is_capital(first) && is_capital(second)))
    })
}

/// Reports whether a text has non-ASCII words that are UTF-8, each between bytes of ASCII: of two characters of East
/// Asia or more, or of letters of one alphabet other than the Latin one. Or quotation marks and dashes after ASCII, or,
/// where sequences are unlikely to be there by chance, letters of Vietnamese; or a character of East Asia alone, whose
/// three bytes are unlikely to be text in an encoding of pairs.
fn has_words_of_utf8(bytes: &[u8], legacy: Legacy) -> bool {
    let (is_alien, has_pairs) = (is_alien(legacy), !legacy.is_single_byte());
    // It is no part of a pair.
    let is_apart = |byte: Option<&u8>| byte.is_none_or(|byte| *byte < 0x40 && !byte.is_ascii_digit());
    let is_telling = |item: Item| {
        let before = || item.offset.checked_sub(1).and_then(|at| bytes.get(at));
        let is_alone = || is_apart(before()) && is_apart(bytes.get(item.offset + item.len));
        let after_ascii = || before().is_none_or(u8::is_ascii);
        item.len == 3
            && item.result.ok().and_then(char::from_u32).is_some_and(|c| match c {
                '–' | '—' | '‘' | '’' | '“' | '”' | '…' => after_ascii(),
                '\u{1E00}'..='\u{1EFF}' => is_alien,
                c => has_pairs && c >= WIDE && is_common(c) && is_alone(),
            })
    };
    let mut words = bytes.split(u8::is_ascii).filter(|word| word.len() >= 6);
    sequences(bytes).any(is_telling)
        || words.any(|word| {
            let is_word = |text: &str| {
                let scripts: Vec<_> = text.chars().map(script).collect();
                let is_wide = text.chars().all(|c| c >= WIDE && is_common(c));
                let is_one =
                    scripts[0].is_some_and(|one| one > 0) && scripts.iter().all(|one| *one == scripts[0]);
                is_wide && scripts.len() > 1 || is_one && scripts.len() > 2
            };
            std::str::from_utf8(word).is_ok_and(is_word)
        })
}

/// Reports whether an encoding is one that most text is in.
fn is_of_windows_or_iso(legacy: Legacy) -> bool {
    ["windows-", "ISO-8859-", "KOI8-"].iter().any(|family| legacy.name().starts_with(family))
}
