//! Files and folders: walked in order, read in blocks on many threads, replaced atomically.
//!
//! # Features
//! Both are on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `archives` | reading compressed files and archives |
//! | `document` | [`edit_file`]: a file edited as a document |

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

mod append_log;
#[cfg(feature = "archives")]
mod archive;
#[cfg(not(feature = "archives"))]
#[path = "no_archives.rs"]
mod archive;
mod atomic;
mod blocks;
mod buffers;
mod byte_lengths;
mod check;
mod convert;
mod convert_file;
mod decoder;
#[cfg(feature = "archives")]
mod decompress;
#[cfg(not(feature = "archives"))]
#[path = "no_decompress.rs"]
mod decompress;
mod detect;
mod doubtful_lines;
mod dump;
#[cfg(feature = "document")]
mod edit_file;
mod error;
mod fingerprint;
mod format;
mod in_place;
pub mod json;
pub mod ledger;
mod lengths;
mod metadata;
mod monitor;
pub mod names;
mod original;
mod parallel;
mod path;
mod pending_file;
mod position;
mod preflight;
mod recorder;
mod rejects;
mod repair;
mod rows;
mod serialization;
mod sink;
mod skip;
mod source;
mod tail;
mod temporary;
pub mod undo;
mod walk;

pub use archive::{each_text, format_of, only_text, sniff};
pub use atomic::{HardLinks, Output, Replacement};
pub use blocks::{BLOCK, Beginning, Block, Blocks, Cut, MARGIN};
pub use byte_lengths::ByteLengths;
pub use check::{CheckOptions, FileCheck, check_file};
pub use convert::{Converted, convert_blocks};
pub use convert_file::{ConvertOptions, FileConversion, convert_file};
pub use decoder::Decoded;
pub use decompress::Unpack;
pub use detect::{detect_ahead, detect_blocks, detect_file};
pub use doubtful_lines::{DoubtfulLine, doubtful_lines};
pub use dump::{CheckedDump, ConvertedDump, DumpInput, check_dump, convert_dump, dump_evidence};
#[cfg(feature = "document")]
pub use edit_file::{OpenFile, edit_file};
pub use error::FileError;
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use format::{ArchiveError, Format};
pub use in_place::InPlace;
pub use ledger::Ledger;
pub use lengths::{ConvertedLengths, byte_lengths, converted_lengths};
pub use monitor::Monitor;
pub use original::{Changed, Original};
pub use parallel::{Pace, SMALL_FILES, batches, in_order};
pub use path::{canonical, folder_of, is_at};
pub use position::line_column;
pub use preflight::{BEGINNING_LEN, is_joined, looks_binary};
pub use preflight::{ill_formed, misread, other_encoding};
pub use recorder::Recorder;
pub use rejects::{FieldFields, Rejects, sidecar};
pub use repair::{Repair, RepairOptions, RepairSink, Repaired, policy_for, repair_file};
pub use rows::{place_of, validate_rows};
pub use sink::Sink;
pub use skip::Skip;
pub use source::{Input, Source, SourceKind, Stream, read_list};
pub use tail::Tail;
pub use walk::{Sources, WalkOptions};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
