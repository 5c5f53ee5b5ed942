//! The encoding of names of files: short, each perhaps in another language, and all in one encoding.

use std::collections::BTreeSet;

use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::Legacy;

use super::confidence::Confidence;
use super::legacy;
use super::legacy::Best;
use super::legacy::double_byte;
use super::legacy::single_byte::{SINGLE, is_seldom};
use crate::alphabets::coverage;
use crate::oddness::oddness;

/// Returns the best guess at the encoding of names that are not UTF-8. `beside` are names of UTF-8 in the same place.
pub fn weigh(names: &[&[u8]], beside: &str) -> Best {
    let names: Vec<&[u8]> = names.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let sample = names.join(&b'\n');
    let best = legacy::weigh(&sample, beside);
    let is_east = || {
        let mut east = double_byte::ENCODINGS.iter().filter_map(|(name, _)| Legacy::labelled(name));
        east.any(|legacy| names.iter().all(|name| may_be(legacy, name)))
    };
    // A few letters of one byte may be characters of two.
    let is_open = best.legacy.is_single_byte() && names.len() == 1 && is_east();
    if best.confidence != Confidence::Possible && !is_open || best.legacy.name() == "ISO-2022-JP" {
        return best;
    }
    // Not all of the text is in one language, but each name is.
    let texts = |legacy: Legacy| -> Option<Vec<String>> {
        names.iter().map(|name| legacy.text_of(name).filter(|text| is_name(legacy, name, text))).collect()
    };
    let all = SINGLE.into_iter().chain(double_byte::ENCODINGS.iter().map(|(name, _)| *name));
    let all = all.filter_map(Legacy::labelled).filter(|legacy| !is_seldom(*legacy));
    let readings: BTreeSet<_> = all.filter_map(texts).collect();
    let reads = texts(best.legacy).is_some_and(|texts| readings.contains(&texts));
    let is_sure = readings.len() == 1;
    Best { confidence: if reads && is_sure { Confidence::Likely } else { Confidence::Possible }, ..best }
}

/// Reports whether a name reads as one: in letters of one language, with nothing odd.
fn is_name(legacy: Legacy, name: &[u8], text: &str) -> bool {
    if let Some(reading) = double_byte::read(name, legacy.name()) {
        return reading.is_text(1);
    }
    let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
    // Signs stand behind letters: `m³`, but not `³ód¼`.
    let is_sign =
        |c: char| !c.is_ascii() && !c.is_alphabetic() && !matches!(c, '’' | '·' | '\u{300}'..='\u{36F}');
    let leads = text.chars().zip(text.chars().skip(1)).any(|(c, next)| is_sign(c) && next.is_alphabetic());
    coverage(&beyond) >= 1.0 && oddness(text) <= 0.0 && !leads && longest_run(text) < RUN
}

/// The number of Latin non-ASCII letters that no word has in a row. Those of other scripts look so in Latin.
const RUN: usize = 4;

/// Returns the number of Latin non-ASCII letters in a row.
fn longest_run(text: &str) -> usize {
    let is_latin = |c: char| matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}');
    text.split(|c| !is_latin(c)).map(|run| run.chars().count()).max().unwrap_or_default()
}

/// Reports whether a name may be one in an encoding: in letters of one language, with nothing odd.
pub fn may_be(legacy: Legacy, name: &[u8]) -> bool {
    legacy.text_of(name).is_some_and(|text| is_name(legacy, name, &text))
}

/// Reports whether a name reads as one in an encoding, with nothing but non-ASCII letters.
pub fn reads(codec: Codec, name: &[u8]) -> bool {
    let Codec::Legacy(legacy) = codec else { return false };
    let are_letters = |text: &str| text.chars().all(|c| c.is_ascii() || c.is_alphabetic());
    legacy.text_of(name).is_some_and(|text| are_letters(&text) && is_name(legacy, name, &text))
}
