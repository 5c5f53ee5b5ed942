//! Detection of encodings: the best guess from the bytes, with the evidence for it.

#[cfg(feature = "document")]
mod beside;
mod best;
mod candidates;
mod certainty;
mod chance;
mod confidence;
mod cut;
mod declaration;
mod detector;
mod double_byte;
mod ebcdic;
mod escapes;
mod frequency;
mod guess;
mod habits;
mod hint;
mod languages;
mod legacy;
mod lines;
#[cfg(all(feature = "files", feature = "unicode"))]
pub(crate) mod names;
mod pieces;
mod remedy;
mod sample;
mod sequences;
mod single_byte;
pub(crate) mod sniff;
mod tally;
mod telling;
#[cfg(test)]
mod tests;
mod triples;

#[cfg(feature = "document")]
pub(crate) use beside::{Fit, fits};
#[cfg(feature = "document")]
pub(crate) use declaration::declared;
#[cfg(feature = "files")]
pub(crate) use legacy::{best as best_legacy, quality, reads_well};
#[cfg(feature = "files")]
pub(crate) use lines::Verdicts;
#[cfg(any(feature = "document", feature = "files"))]
pub(crate) use lines::{LineKind, line_kind};

pub use candidates::{Candidate, candidates};
pub use confidence::Confidence;
pub use detector::{Detector, detect};
pub use guess::Guess;
pub use hint::Hint;
pub use remedy::Remedy;
pub use sample::{SAMPLE, Sample};
pub use sniff::{SNIFF_LEN, is_binary, wide};
