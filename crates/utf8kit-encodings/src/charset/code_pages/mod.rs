//! Encodings as data: `encodings.txt` lists them all, with their names and what they are for; `tables.rs` and the
//! files that it includes have the characters of those that the WHATWG Encoding Standard leaves out.

pub(crate) mod list;
pub(crate) mod packed;
mod page;
pub(crate) mod sequences;
mod tables;
#[cfg(feature = "rewrite")]
pub(crate) mod written;
#[cfg(not(feature = "rewrite"))]
#[path = "no_written.rs"]
pub(crate) mod written;

pub(crate) use page::Page;
pub(crate) use tables::APART;
pub use tables::{CP437, CP850, CP852};
