//! Detection of encodings and of misdecoded text, by one model of text in many languages.
//!
//! - [`detect`], [`candidates`], [`Detector`]: the best guess at an encoding, with the evidence for it.
//! - [`lines`], [`names`], [`context`], [`legacy`]: the same for lines, names, and text in the context of other text.
//! - [`sniff`]: detection from the first bytes of a file.
//! - [`mojibake`]: finds and repairs text that was decoded in a wrong encoding.
//! - [`originals`]: candidates for the original of garbled text.
//! - [`repair`]: repairs errors and mojibake by a policy, with a diff.
//! - [`model`]: the probability that a person wrote a text, and its language.
//! - [`stats`]: counts of blocks and scripts, and the size of a text in other encodings.

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

mod common;
mod detect;
pub mod model;
pub mod mojibake;
pub mod originals;
pub mod repair;
pub mod stats;

pub use detect::{
    Action, Candidate, Confidence, Detector, Guess, SAMPLE, SNIFF_LEN, Sample, Suggestion, candidates, context,
    declared, declared_at, detect, legacy, lines, names, sniff,
};
pub use mojibake::fix_mojibake;
pub use repair::{RepairPolicy, Repairer};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
