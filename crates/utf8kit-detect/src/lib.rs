//! Which encoding bytes are in, by one model of text in many languages; and text that was decoded in a wrong encoding.
//!
//! - [`detect`], [`candidates`], [`Detector`]: the best guess at an encoding, and the evidence for it.
//! - [`lines`], [`names`], [`context`], [`legacy`]: the same for lines, names, and text beside other text.
//! - [`sniff`]: what the first bytes of a file tell.
//! - [`mojibake`]: text that was decoded in a wrong encoding, found and undone.
//! - [`misread`]: what garbled text may have been.
//! - [`repair`]: errors and mojibake repaired by a policy, with a diff.
//! - [`model`]: the probability that a person wrote a text, and its language.
//! - [`stats`]: what a text consists of: blocks, scripts, and its size in other encodings.

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

mod common;
mod detect;
pub mod misread;
pub mod model;
pub mod mojibake;
pub mod repair;
pub mod stats;

pub use detect::{
    Action, Candidate, Confidence, Detector, Guess, SAMPLE, SNIFF_LEN, Sample, Suggestion, candidates,
    context, declared, detect, legacy, lines, names, sniff,
};
pub use mojibake::fix_mojibake;
pub use repair::{RepairPolicy, Repairer};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
