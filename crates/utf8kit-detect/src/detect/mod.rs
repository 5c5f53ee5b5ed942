//! Detection of encodings: the best guess from the bytes, with the evidence for it.

mod beside;
mod candidates;
mod chance;
mod confidence;
mod cut;
mod declaration;
mod detector;
mod ebcdic;
mod encodings;
mod errors;
mod escapes;
mod excerpt;
mod guess;
mod legacy;
mod lines;
pub mod names;
mod posterior;
mod previews;
mod sample;
mod sequences;
pub(crate) mod sniff;
mod suggestion;
#[cfg(test)]
mod tests;
mod verdict;

pub use beside::{Fit, fits};
pub use legacy::{best as best_legacy, reads_best, reads_well, score};
pub use lines::Verdicts;
pub use lines::{LineKind, line_kind};
pub use posterior::Prose;

pub use candidates::{Candidate, candidates};
pub use confidence::Confidence;
pub use declaration::declared;
pub use detector::{Detector, detect};
pub use guess::Guess;
pub use sample::{SAMPLE, Sample};
pub use sniff::{AsciiLines, is_data, reads_as_wide};
pub use sniff::{SNIFF_LEN, is_binary, wide};
pub use suggestion::{Action, Suggestion};
