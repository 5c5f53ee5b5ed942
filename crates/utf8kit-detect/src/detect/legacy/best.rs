//! The likeliest legacy encoding, and the next likeliest.

use std::fmt;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::detect::confidence::Confidence;
use crate::detect::line_classifier::LineClassifier;
use crate::detect::posterior::{Posterior, ScoredEncoding};
use crate::detect::sequences::has_sequence;
use crate::model::encodings::Candidate;
use crate::model::surprise;

/// The likeliest encoding of a text that is not UTF-8.
#[derive(Clone, Debug)]
pub(in crate::detect) struct Best {
    pub(in crate::detect) legacy: Legacy,
    pub(in crate::detect) confidence: Confidence,
    /// Other encodings that it may be in and that give different text, the likeliest first.
    pub(in crate::detect) others: Vec<Legacy>,
    /// Why the text may be in another encoding.
    pub(in crate::detect) doubt: Option<Doubt>,
    /// Whether it is likelier than damaged UTF-8 and than data.
    pub(in crate::detect) is_text: bool,
}

/// Why a text may be in another encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::detect) enum Doubt {
    /// It is unlikely to be text in any encoding that is known.
    Unknown,
    /// Another encoding fits nearly as well.
    Rival(Legacy),
    /// Some of its words are UTF-8.
    Mixed,
    /// It declares another encoding, in which it reads worse.
    Declared,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Unknown => f.write_str("it does not read well in any encoding"),
            Doubt::Rival(rival) => {
                write!(f, "{} fits nearly as well, and gives different letters", rival.name())
            }
            Doubt::Declared => f.write_str("it declares another encoding, in which it reads worse"),
            Doubt::Mixed => f.write_str("some of its words are utf-8, and would be garbled by a conversion"),
        }
    }
}

impl Best {
    /// Returns the names of the other encodings that it may be in.
    pub(in crate::detect) fn others(&self) -> Vec<&'static str> {
        self.others.iter().map(|one| one.name()).collect()
    }
}

/// How many encodings are named in addition to the likeliest, and how much less likely they may be, in nats.
const MAX_OTHERS_NAMED: usize = 2;
const MAX_NATS_BEHIND: f32 = 14.0;

/// Returns the likeliest encoding of a text that is not UTF-8. `context` are lines of UTF-8 in the same text, in the
/// same language.
pub(in crate::detect) fn weigh(bytes: &[u8], context: &str) -> Best {
    let is_meant = |codec| matches!(codec, Codec::Legacy(_) | Codec::Native(AnyEncoding::Utf8 | AnyEncoding::Cesu8));
    best(bytes, Posterior::among(bytes, context, is_meant))
}

/// Returns the same, given how likely each encoding is.
pub(in crate::detect) fn best(bytes: &[u8], mut posterior: Posterior) -> Best {
    posterior.encodings.retain(|one| !one.codec.is_wide());
    let mut score_of = |native| posterior.remove(Codec::Native(native));
    let utf8 = score_of(AnyEncoding::Utf8).max(score_of(AnyEncoding::Cesu8));
    let legacy = |scored: &ScoredEncoding| match scored.codec {
        Codec::Legacy(legacy) => Some(legacy),
        Codec::Native(_) => None,
    };
    let Some((first, own)) = posterior.encodings.first().and_then(|first| Some((first, legacy(first)?))) else {
        let doubt = Some(Doubt::Unknown);
        let (confidence, others) = (Confidence::Possible, Vec::new());
        return Best { legacy: WESTERN, confidence, others, doubt, is_text: false };
    };
    let near = posterior.encodings.iter().skip(1).take_while(|one| one.score > first.score - MAX_NATS_BEHIND);
    let others: Vec<Legacy> =
        near.filter(|one| one.damage <= first.damage).filter_map(legacy).take(MAX_OTHERS_NAMED).collect();
    let head = bytes.get(..super::MAX_BYTES_DECODED).unwrap_or(bytes);
    let is_text = first.score > utf8.max(posterior.binary);
    let doubt = if !is_text || is_of_relative(bytes, first) {
        Some(Doubt::Unknown)
    } else if has_sequence(head) && LineClassifier::among(own, bytes).has_words(head) {
        Some(Doubt::Mixed)
    } else {
        let rival = others.first().copied().map(Doubt::Rival);
        rival.filter(|_| posterior.confidence() == Confidence::Possible)
    };
    let confidence = if doubt.is_some() { Confidence::Possible } else { posterior.confidence() };
    Best { legacy: own, confidence, others, doubt, is_text }
}

/// The test for an unknown relative of the encoding with other letters at some bytes: the log-frequency of such
/// relatives, and the surprise allowed in a letter of foreign words, in nats.
const NATS_OF_UNKNOWN_RELATIVE: f32 = 18.0;
const NATS_ALLOWED_PER_FOREIGN_LETTER: f32 = 0.15;

/// Reports whether a text is more likely in an unknown relative of an encoding.
fn is_of_relative(bytes: &[u8], scored: &ScoredEncoding) -> bool {
    let Some(candidate) = Candidate::of(scored.codec) else { return false };
    let mut text = Vec::new();
    let bytes = bytes.get(..super::MAX_BYTES_DECODED / 16).unwrap_or(bytes);
    candidate.read(bytes, &mut text);
    let non_ascii = text.iter().filter(|c| !c.is_ascii()).count();
    surprise(text.iter().copied(), scored.language)
        > NATS_OF_UNKNOWN_RELATIVE + NATS_ALLOWED_PER_FOREIGN_LETTER * non_ascii as f32
}
