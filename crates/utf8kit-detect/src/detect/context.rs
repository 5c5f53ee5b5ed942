//! The encodings that a text may be in, given other text that belongs to it. Text that is added to a file is mostly in
//! the file's language.

use std::borrow::Cow;
use std::collections::HashSet;

use utf8kit_encodings::charset::Codec;

use crate::detect::excerpt::Excerpt;
use crate::detect::posterior::{languages_of, weigh};
use crate::model::encodings::{CANDIDATES, Candidate};

pub use crate::detect::posterior::Prose;

/// The most bytes of lines that are read.
const MAX_BYTES_OF_LINES: usize = 16 * 1024;

/// An encoding that a text may be in, with its probability given another text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScoredCodec {
    /// The encoding.
    pub codec: Codec,
    /// The log-probability, in nats.
    pub nats: f32,
}

/// Returns the legacy encodings that lines may be in, the likeliest first. The encodings must be able to represent
/// `context`. Those in `own` are always considered.
///
/// ```
/// use utf8kit_detect::context::ranked;
///
/// let lines = [&b"Gr\xFC\xDFe aus K\xF6ln"[..]];
/// assert_eq!(ranked(lines.into_iter(), "sch\u{F6}n", &[])[0].codec.name(), "windows-1252");
/// ```
pub fn ranked<'b>(lines: impl Iterator<Item = &'b [u8]>, context: &str, own: &[Codec]) -> Vec<ScoredCodec> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.get(..MAX_BYTES_OF_LINES).unwrap_or(line));
        if bytes.len() >= MAX_BYTES_OF_LINES {
            break;
        }
    }
    let non_ascii: HashSet<char> = context.chars().filter(|c| !c.is_ascii()).collect();
    let has_all = |codec: Codec| non_ascii.iter().all(|&scalar| codec.says(scalar).is_some());
    let is_legacy = |one: &&Candidate| matches!(one.codec, Codec::Legacy(_)) && one.keeps_ascii();
    let others = CANDIDATES.iter().filter(is_legacy).filter(|one| !own.contains(&one.codec));
    let all = own.iter().filter_map(|codec| Candidate::known(*codec)).chain(others.map(Cow::Borrowed));
    let all: Vec<Cow<Candidate>> = all.filter(|one| has_all(one.codec)).collect();
    let all: Vec<&Candidate> = all.iter().map(|one| &**one).collect();
    let texts = weigh(&Excerpt::of(&bytes), &languages_of(context.chars()), &all, f32::INFINITY);
    let mut ranked: Vec<ScoredCodec> =
        texts.iter().flatten().map(|one| ScoredCodec { codec: one.codec, nats: one.score }).collect();
    ranked.sort_by(|one, other| other.nats.total_cmp(&one.nats));
    ranked
}
