//! Detection of encodings: the best guess from the bytes, with the evidence for it.

#[cfg(feature = "document")]
mod beside;
#[cfg(feature = "detect")]
mod candidates;
#[cfg(feature = "detect")]
mod chance;
#[cfg(feature = "detect")]
mod confidence;
#[cfg(feature = "detect")]
mod cut;
#[cfg(feature = "detect")]
mod declaration;
#[cfg(feature = "detect")]
mod double_byte;
#[cfg(feature = "detect")]
mod ebcdic;
#[cfg(feature = "detect")]
mod escapes;
#[cfg(feature = "detect")]
mod guess;
#[cfg(feature = "detect")]
mod habits;
#[cfg(feature = "detect")]
mod hint;
#[cfg(feature = "detect")]
mod legacy;
#[cfg(feature = "detect")]
mod lines;
#[cfg(all(feature = "detect", feature = "files", feature = "unicode"))]
pub(crate) mod names;
#[cfg(feature = "detect")]
mod pieces;
#[cfg(feature = "detect")]
mod remedy;
#[cfg(feature = "detect")]
mod sequences;
#[cfg(feature = "detect")]
mod single_byte;
pub(crate) mod sniff;
#[cfg(feature = "detect")]
mod tally;
#[cfg(feature = "detect")]
mod telling;
#[cfg(all(test, feature = "detect"))]
mod tests;

#[cfg(feature = "document")]
pub(crate) use beside::{Fit, fits};
#[cfg(feature = "document")]
pub(crate) use declaration::declared;
#[cfg(all(feature = "detect", feature = "files"))]
pub(crate) use legacy::{best as best_legacy, quality, reads_well};
#[cfg(all(feature = "detect", feature = "files"))]
pub(crate) use lines::Verdicts;
#[cfg(all(feature = "detect", any(feature = "document", feature = "files")))]
pub(crate) use lines::{LineKind, line_kind};

#[cfg(feature = "detect")]
pub use candidates::{Candidate, candidates};
#[cfg(feature = "detect")]
pub use confidence::Confidence;
#[cfg(feature = "detect")]
pub use guess::{Detector, Guess, SAMPLE, Sample, detect};
#[cfg(feature = "detect")]
pub use hint::Hint;
#[cfg(feature = "detect")]
pub use remedy::Remedy;
pub use sniff::{SNIFF_LEN, is_binary, wide};
