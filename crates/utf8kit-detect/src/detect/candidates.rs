//! All encodings that a text may be in, by how well it reads in them.

use utf8kit::AnyEncoding;
use utf8kit::Encoding as _;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::detect::detector::detect;
use crate::detect::legacy;
use crate::detect::legacy::double_byte::with_cut_end;
use crate::detect::sequences::Shapes;

/// The most bytes of a text that are decoded.
const READ: usize = 16 * 1024;

/// An encoding that a text may be in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The name of the encoding.
    pub encoding: &'static str,
    /// How well the text reads in it: 1 is best. For UTF-8, the part of what is non-ASCII that is well formed.
    pub score: f64,
}

/// Returns the encodings that a text may be in, the likeliest first, which is what [`detect`] says. Where two give the
/// same text, the more frequent one is listed. Empty if the input is not text.
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
    let own = match first.parse::<AnyEncoding>() {
        Ok(native) => Codec::Native(native),
        Err(_) => match Legacy::labelled(first) {
            Some(legacy) => Codec::Legacy(legacy),
            None => return vec![Candidate { encoding: first, score: 1.0 }],
        },
    };
    let is_whole = |native: AnyEncoding| native.validate(bytes).is_ok();
    if matches!(own, Codec::Native(native) if is_whole(native) && native != AnyEncoding::Latin1) {
        return vec![Candidate { encoding: first, score: 1.0 }];
    }
    // A sample may end within a character.
    let sample = bytes.get(..READ).unwrap_or(bytes);
    let len = if sample.len() < bytes.len() { 4 } else { 1 };
    let read = |codec: Codec| {
        let mut parts = with_cut_end(sample, len);
        parts.find_map(|part| Some((legacy::quality(codec, part)?, codec.text_of(part)?)))
    };
    let mut texts = Vec::new();
    let mut rest = Vec::new();
    let own_score = match read(own) {
        Some((score, text)) => {
            texts.push(text);
            score
        }
        None => {
            let Shapes { good, bad, .. } = Shapes::of(sample);
            good as f64 / (good + bad).max(1) as f64
        }
    };
    for other in legacy::candidates().filter(|legacy| legacy.name() != first) {
        if let Some((score, text)) = read(Codec::Legacy(other)).filter(|(score, _)| *score > 0.0)
            && !texts.contains(&text)
        {
            texts.push(text);
            rest.push(Candidate { encoding: other.name(), score });
        }
    }
    rest.sort_by(|one, other| other.score.total_cmp(&one.score));
    rest.insert(0, Candidate { encoding: first, score: own_score });
    rest
}
