//! Encodings as data: `encodings.txt` lists them all, with their names and what they are for; `tables.rs` has the
//! characters of the single-byte ones that the WHATWG Encoding Standard leaves out.

pub(crate) mod list;
mod page;
pub(crate) mod sequences;
mod tables;

pub(crate) use page::Page;
pub(crate) use tables::APART;
pub use tables::{CP437, CP850, CP852};
