//! Encodings as data: `encodings.txt` lists them all, with their names and what they are for; `tables.rs` has the
//! characters of the single-byte ones that the WHATWG Encoding Standard leaves out.

#[cfg(feature = "legacy")]
pub(crate) mod list;
#[cfg_attr(not(feature = "legacy"), expect(dead_code, reason = "only the upper halves of some are needed"))]
mod page;
#[cfg_attr(not(feature = "legacy"), expect(dead_code, reason = "only the upper halves of some are needed"))]
pub(crate) mod sequences;
#[cfg_attr(not(feature = "legacy"), expect(dead_code, reason = "only the upper halves of some are needed"))]
mod tables;

#[cfg(feature = "legacy")]
pub(crate) use page::Page;
#[cfg(feature = "legacy")]
pub(crate) use tables::APART;
pub(crate) use tables::{CP437, CP850, CP852};
