//! The encodings that a text may be in, given other text that belongs to it: what somebody adds to a file is mostly in
//! its language.

use std::collections::HashSet;

use utf8kit_encodings::charset::step::Shift;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::alphabets::coverage;
use crate::detect::languages::{SCRIPTS, script};
use crate::detect::legacy::double_byte::{ENCODINGS, Reading};
use crate::detect::legacy::has_letters;
use crate::detect::legacy::single_byte::SINGLE;
use crate::oddness::oddness;

/// The most bytes of a text that are decoded.
const READ: usize = 16 * 1024;

/// How well a text reads, at least, in an encoding that nothing else speaks for.
const READABLE: f64 = 0.5;

/// What speaks for an encoding in which a text has all non-ASCII letters of the other one.
const SHARED: f64 = 0.15;

/// What speaks against an encoding of another country.
const FOREIGN: f64 = 0.2;

/// An encoding that a text may be in, and how well the text reads in it beside another: 1 is best.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// The encoding.
    pub codec: Codec,
    /// How well the text reads.
    pub score: f64,
    /// The number of non-ASCII characters that it was told from.
    pub letters: u32,
}

/// Returns the encodings that have all of `beside`, with how well lines read in them, the best first. `own` are
/// encodings to consider in any case.
pub fn fits<'b>(lines: impl Iterator<Item = &'b [u8]>, beside: &str, own: &[Codec]) -> Vec<Fit> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.get(..READ).unwrap_or(line));
        if bytes.len() >= READ {
            break;
        }
    }
    let bytes = &bytes;
    let beyond: HashSet<char> = beside.chars().filter(|c| !c.is_ascii()).collect();
    let has_all = |codec: &Codec| beyond.iter().all(|&scalar| codec.says(scalar).is_some());
    let names = ENCODINGS.iter().map(|(name, _)| *name).chain(SINGLE);
    let others = names.filter_map(Legacy::labelled).map(Codec::Legacy).filter(|codec| !own.contains(codec));
    let codecs = own.iter().copied().chain(others).filter(has_all);
    let fit = |codec| {
        let (reads, text) = reading(codec, bytes, beside);
        let is_likely = reads >= READABLE || own.contains(&codec);
        let known: HashSet<char> = text.chars().filter(|c| beyond.contains(c)).collect();
        let shared = SHARED * known.len() as f64 / beyond.len().max(1) as f64;
        let score = reads + shared - strangeness(&text, beside) - foreign(codec, beside);
        let letters = text.chars().filter(|c| !c.is_ascii()).count() as u32;
        is_likely.then_some(Fit { codec, score, letters })
    };
    let mut fits: Vec<Fit> = codecs.filter_map(fit).collect();
    // Where two are as good, `own` come first.
    fits.sort_by(|one, other| other.score.total_cmp(&one.score));
    fits
}

/// What speaks against an encoding of another country: Japanese in one of Chinese or Korean, or Korean in one of
/// Chinese or Japanese.
fn foreign(codec: Codec, beside: &str) -> f64 {
    let has = |range: std::ops::RangeInclusive<char>| beside.chars().any(|c| range.contains(&c));
    let is_of = |names: &[&str]| names.contains(&codec.name());
    let is_japanese = has('\u{3041}'..='\u{30FA}') && is_of(&["GBK", "gb18030", "Big5", "EUC-KR"]);
    let is_korean = has('\u{AC00}'..='\u{D7A3}') && is_of(&["GBK", "gb18030", "Big5", "EUC-JP", "Shift_JIS"]);
    if is_japanese || is_korean { FOREIGN } else { 0.0 }
}

/// Returns how well bytes read in an encoding as text in the language of another, and their text.
fn reading(codec: Codec, bytes: &[u8], beside: &str) -> (f64, String) {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(step) = codec.step(Shift::Neutral, bytes.get(at..).unwrap_or_default(), &mut text) {
        at += step.len;
    }
    let name = if codec.name() == "GBK" { "gb18030" } else { codec.name() };
    let reads = match ENCODINGS.into_iter().find(|(known, _)| *known == name) {
        Some((name, rows)) => match Reading::of(bytes, &text, name, rows) {
            // Signs alone speak neither for it nor against it.
            reading if reading.characters > 0 && !has_letters(&text) => READABLE,
            reading => reading.score(),
        },
        None => {
            let letters = text.chars().chain(beside.chars()).filter(|c| !c.is_ascii());
            let letters: Vec<(char, u64)> = letters.map(|c| (c, 1)).collect();
            let own = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
            let capitals = text.chars().filter(|c| !c.is_ascii() && c.is_uppercase()).count();
            // Text in capitals is rare.
            coverage(&letters) - if capitals * 2 > own { 0.15 } else { 0.0 }
        }
    };
    (reads - oddness(&text).min(1.0), text)
}

/// Returns which part of the letters of two texts is in scripts that the other one lacks.
fn strangeness(one: &str, other: &str) -> f64 {
    let scripts = [one, other].map(|text| {
        let mut counts = [0_u32; SCRIPTS];
        text.chars().filter_map(script).for_each(|script| counts[script] += 1);
        counts
    });
    let all = scripts.map(|counts| counts.iter().sum::<u32>());
    if all.contains(&0) {
        return 0.0;
    }
    let lacking = |counts: &[u32; SCRIPTS], others: &[u32; SCRIPTS], all: u32| {
        let strange = counts.iter().zip(others).filter(|(_, other)| **other == 0).map(|(count, _)| count);
        f64::from(strange.sum::<u32>()) / f64::from(all)
    };
    lacking(&scripts[0], &scripts[1], all[0]) + lacking(&scripts[1], &scripts[0], all[1])
}
