//! Detects encodings: the best guess from the bytes, with the evidence for it.

mod candidates;
mod confidence;
pub mod context;
mod declaration;
mod detector;
mod ebcdic;
mod errors;
mod escapes;
mod excerpt;
mod guess;
pub mod legacy;
mod line_classifier;
pub mod lines;
pub mod names;
mod posterior;
mod previews;
mod sample;
mod sequences;
pub mod sniff;
mod suggestion;
#[cfg(test)]
mod tests;
mod truncation;
mod verdict;

pub use candidates::{Candidate, candidates};
pub use confidence::Confidence;
pub use declaration::{declared, declared_at};
pub use detector::{Detector, detect};
pub use guess::Guess;
pub use sample::{SAMPLE, Sample};
pub use sniff::SNIFF_LEN;
pub use suggestion::{Action, Suggestion};
