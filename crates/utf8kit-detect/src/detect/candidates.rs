//! All encodings that a text may be in, with their probabilities.

use utf8kit::AnyEncoding;
use utf8kit::Encoding as _;
use utf8kit_encodings::charset::Codec;

use crate::detect::detector::detect;
use crate::detect::posterior::{Posterior, WEIGHT_OF_TEXT};

/// The probability below which an encoding is left out.
const MIN_PROBABILITY: f64 = 1e-9;

/// An encoding that a text may be in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The name of the encoding.
    pub encoding: &'static str,
    /// Its probability: 1 is certain.
    pub score: f64,
}

/// Returns the encodings that a text may be in, the likeliest first. The first one is the guess of [`detect`]; in the
/// others, the text is well formed. If several give the same text, only the most frequent one is listed. Empty if the
/// input is not text.
///
/// ```
/// use utf8kit_detect::candidates;
///
/// let found = candidates(b"Bl\xE5b\xE6rgr\xF8d");
/// assert_eq!(found[0].encoding, "windows-1252");
/// assert!(found.iter().any(|candidate| candidate.encoding == "windows-1257"));
/// assert_eq!(candidates("na\u{EF}ve".as_bytes()).len(), 1);
/// ```
pub fn candidates(bytes: &[u8]) -> Vec<Candidate> {
    let Some(first) = detect(bytes).encoding else { return Vec::new() };
    let is_well_formed = |native: AnyEncoding| native.validate(bytes).is_ok();
    if first.parse().is_ok_and(|native| native != AnyEncoding::Latin1 && is_well_formed(native)) {
        return vec![Candidate { encoding: first, score: 1.0 }];
    }
    let is_meant = |codec| matches!(codec, Codec::Legacy(_) | Codec::Native(AnyEncoding::Utf8));
    let Posterior { mut encodings, .. } = Posterior::among(bytes, "", is_meant);
    encodings.retain(|one| one.damage == 0 || one.codec.name() == first);
    let top = encodings.first().map_or(0.0, |one| one.score);
    let weight = |score: f32| f64::from(WEIGHT_OF_TEXT * (score - top)).exp();
    let all: f64 = encodings.iter().map(|one| weight(one.score)).sum();
    let found = encodings
        .iter()
        .map(|one| Candidate { encoding: one.codec.name(), score: weight(one.score) / all })
        .filter(|one| one.score > MIN_PROBABILITY || one.encoding == first);
    let (own, rest): (Vec<Candidate>, Vec<Candidate>) = found.partition(|one| one.encoding == first);
    let own = own.first().map_or(0.0, |own| own.score);
    let mut found = vec![Candidate { encoding: first, score: own }];
    found.extend(rest);
    found
}
