//! Text handling beyond bytes: the layer between [`utf8kit`], which knows UTF-8, and the user interfaces: the command
//! `utf8`, the Python package and the web page.
//!
//! - [`charset`]: encodings by name, including the legacy ones of the WHATWG Encoding Standard.
//! - [`convert`]: a stream from any encoding to any other.
//! - [`mend`]: damage that lost nothing, undone.
//! - [`mod@detect`]: the best guess at an encoding, and the evidence for it.
//! - [`repair`]: errors and mojibake repaired by a policy, with a diff.
//! - [`document`]: text edited without changing other bytes, and damage between two versions of a file.
//! - [`rows`]: the records of CSV, TSV, JSON lines and plain lines.
//! - [`targets`]: what databases and formats refuse, and rows repaired for them.
//! - [`judge`]: which rows are bad, and why.
//! - [`stored`]: formats that store texts by their lengths: dBase, MARC.
//! - [`stats`]: what a text consists of: blocks, scripts, and its size in other encodings.
//! - [`unicode`]: names, blocks and scripts of code points.
//! - [`mod@describe`]: errors in plain words.
//! - [`files`]: files and folders, read in blocks on many threads and replaced atomically, with a ledger and its undo.
//!
//! # Features
//! All are on by default. The rest works the same without any of them.
//!
//! | feature | what it adds |
//! |---|---|
//! | `legacy` | the encodings of the WHATWG Encoding Standard, through `encoding_rs` |
//! | `detect` | `legacy`, [`detect::detect`] and hints, by the text model |
//! | `rewrite` | normal forms and transliteration |
//! | `document` | `detect`, `rewrite` and the module [`document`] |
//! | `hold` | [`Hold`] |
//! | `unicode` | `hold`, `rewrite`, names, blocks and scripts of code points |
//! | `files` | `detect`, `unicode`, the module [`files`], and ledgers |
//! | `archives` | `files`, and what is in compressed files and archives |
//!
//! Without `files` the crate compiles for `wasm32-unknown-unknown`.

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

#[cfg_attr(not(feature = "detect"), expect(dead_code, reason = "mojibake asks for usual letters alone"))]
mod alphabets;
pub mod charset;
pub mod convert;
mod counts;
pub mod describe;
#[cfg(feature = "detect")]
pub mod detect;
#[cfg(not(feature = "detect"))]
#[path = "no_detect.rs"]
pub mod detect;
pub mod display;
#[cfg(feature = "document")]
pub mod document;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "files")]
pub mod json;
pub mod judge;
pub mod mend;
#[cfg(feature = "detect")]
pub mod misread;
pub mod model;
pub mod mojibake;
#[cfg(feature = "detect")]
mod oddness;
#[cfg(test)]
mod random;
mod reading;
mod refusal;
pub mod repair;
pub mod rows;
pub mod stats;
pub mod stored;
pub mod targets;
#[cfg(feature = "unicode")]
pub mod unicode;
#[cfg(not(feature = "unicode"))]
#[path = "no_unicode.rs"]
pub mod unicode;

pub use charset::Charset;
pub use convert::{Conversion, Converter};
pub use counts::Counts;
pub use describe::describe;
#[cfg(feature = "detect")]
pub use detect::{candidates, detect};
#[cfg(feature = "files")]
pub use files::ledger::Ledger;
#[cfg(feature = "files")]
pub use files::{check_file, repair_file};
pub use mojibake::undouble;
pub use repair::{RepairPolicy, Repairer};

#[cfg(feature = "hold")]
pub use utf8kit::Hold;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
