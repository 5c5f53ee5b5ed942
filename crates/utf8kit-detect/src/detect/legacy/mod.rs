//! Which legacy encoding a text is in, and how it reads in one.

mod best;
pub(super) mod double_byte;
pub(super) mod habits;
pub(super) mod single_byte;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::{Charset, Codec, Legacy};

use crate::alphabets::coverage;
use crate::detect::confidence::Confidence;
use crate::detect::posterior::Posterior;
use crate::model::Scorer;
use crate::oddness::oddness;
pub(super) use best::Doubt;
pub(super) use best::{Best, weigh};
use double_byte::ENCODINGS;
use single_byte::{SINGLE, SingleByte};

/// The most bytes of a text that are decoded.
const READ: usize = 64 * 1024;

/// How much less likely an encoding is that reads nearly as well, at most, in nats.
const NEARLY: f32 = 7.0;

/// Reports whether bytes are well formed in an encoding.
pub(super) fn is_well_formed(codec: Codec, bytes: &[u8]) -> bool {
    match SingleByte::of(codec) {
        Some(encoding) => encoding.has_all(bytes),
        None => codec.text_of(bytes).is_some(),
    }
}

/// Returns the oddness of bytes as text in an encoding; `None` if they are malformed in it.
pub(super) fn oddness_in(codec: Codec, bytes: &[u8]) -> Option<f64> {
    match SingleByte::of(codec) {
        Some(encoding) => encoding.has_all(bytes).then(|| encoding.oddness(bytes)),
        None => codec.text_of(bytes).map(|text| oddness(&text)),
    }
}

/// Reports whether bytes are rather text in an encoding than damaged UTF-8, or not text at all.
pub fn reads_well(codec: Codec, bytes: &[u8]) -> bool {
    Posterior::reads_well(codec, bytes)
}

/// Reports whether bytes are rather damaged UTF-8 than text in any other encoding.
pub(super) fn is_rather_damaged(bytes: &[u8]) -> bool {
    let utf8 = Codec::Native(AnyEncoding::Utf8);
    let is_meant = |codec| matches!(codec, Codec::Legacy(_)) || codec == utf8;
    let posterior = Posterior::among(bytes, "", is_meant);
    posterior.best().is_none_or(|best| best.codec == utf8)
}

/// Reports whether bytes read nearly as well in an encoding as in any other.
pub fn reads_best(codec: Codec, bytes: &[u8]) -> bool {
    Posterior::with(codec, bytes, |_| true).is_some_and(|behind| behind < NEARLY)
}

/// Returns the logarithm of the probability of bytes as text in an encoding, in nats. `None` if they are malformed.
pub fn score(codec: Codec, bytes: &[u8]) -> Option<f32> {
    codec.text_of(bytes).map(|text| Scorer::of(text.chars()).total())
}

/// Returns the encodings that are looked for.
pub(super) fn candidates() -> impl Iterator<Item = Legacy> {
    let east = ENCODINGS.iter().map(|(name, _)| *name);
    SINGLE.into_iter().chain(east).filter_map(Legacy::labelled)
}

/// Reports whether a text contains non-ASCII letters.
pub(super) fn has_letters(text: &str) -> bool {
    text.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

/// Returns how well bytes read in an encoding: 1 is best. `None` if they are malformed in it. Text in capitals is rare.
pub fn quality(codec: Codec, bytes: &[u8]) -> Option<f64> {
    if let Some(reading) = double_byte::read(bytes, name_of(codec)) {
        return Some(reading.score());
    }
    let text = codec.text_of(bytes)?;
    let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
    let letters = beyond.iter().filter(|(c, _)| c.is_alphabetic()).count();
    let capitals = beyond.iter().filter(|(c, _)| c.is_uppercase()).count();
    // Signs alone say little.
    let signs = if letters == 0 { 0.3 } else { 0.0 };
    let shouted = if capitals * 2 > letters { 0.15 } else { 0.0 };
    Some(coverage(&beyond) - oddness(&text).min(1.0) - signs - shouted)
}

/// Returns the name of the encoding of which it is a subset, as GBK is of gb18030, or its own.
pub(super) fn name_of(codec: Codec) -> &'static str {
    if codec.name() == "GBK" { "gb18030" } else { codec.name() }
}

/// Returns the best guess at the encoding of values that are not UTF-8, and whether it is at least likely.
pub fn best(values: &[u8], beside: &str) -> (Legacy, bool) {
    let best = weigh(values, beside);
    (best.legacy, best.confidence != Confidence::Possible)
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
