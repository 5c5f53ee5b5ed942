//! Detection of encodings: the best guess from the bytes, with the evidence for it.

#[cfg(feature = "document")]
mod beside;
mod candidates;
mod chance;
mod confidence;
mod cut;
mod declaration;
mod detector;
mod ebcdic;
mod encodings;
mod escapes;
mod excerpt;
mod guess;
mod hint;
mod languages;
mod legacy;
mod lines;
#[cfg(all(feature = "files", feature = "unicode"))]
pub(crate) mod names;
mod pieces;
mod posterior;
#[cfg(feature = "files")]
mod readings;
mod remedy;
mod sample;
mod sequences;
pub(crate) mod sniff;
#[cfg(test)]
mod tests;

#[cfg(feature = "document")]
pub(crate) use beside::{Fit, fits};
pub(crate) use legacy::quality;
#[cfg(feature = "files")]
pub(crate) use legacy::{best as best_legacy, reads_best, reads_well, score};
#[cfg(feature = "files")]
pub(crate) use lines::Verdicts;
#[cfg(any(feature = "document", feature = "files"))]
pub(crate) use lines::{LineKind, line_kind};

pub use candidates::{Candidate, candidates};
pub use confidence::Confidence;
pub use declaration::declared;
pub use detector::{Detector, detect};
pub use guess::Guess;
pub use hint::Hint;
pub use remedy::{Advice, Remedy};
pub use sample::{SAMPLE, Sample};
#[cfg(feature = "files")]
pub(crate) use sniff::{AsciiLines, is_data, reads_as_wide};
pub use sniff::{SNIFF_LEN, is_binary, wide};
