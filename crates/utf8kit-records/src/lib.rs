//! Records that hold text: rows, dumps of databases and messages of Protocol Buffers, parsed exactly as the system that
//! loads them parses them. Reports bad records and text that systems reject.
//!
//! - [`rows`]: the records of CSV, TSV, JSON lines and plain lines; dumps; Protocol Buffers.
//! - [`targets`]: text that databases and formats reject, and repairs of rows for them.
//! - [`validator`]: bad rows, and the reasons.

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
