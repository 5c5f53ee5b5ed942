//! Records that hold text: rows, dumps of databases and messages of Protocol Buffers, read as the system that loads
//! them reads them; which are bad, why, and what systems refuse.
//!
//! - [`rows`]: the records of CSV, TSV, JSON lines and plain lines; dumps; Protocol Buffers.
//! - [`targets`]: what databases and formats refuse, and rows repaired for them.
//! - [`validator`]: which rows are bad, and why.

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

pub mod rows;
mod sink;
pub mod targets;
pub mod validator;
mod violation;

pub use sink::RowSink;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
