//! Replaces `detect/` if the feature `detect` is off: UTF-16 and UTF-32 are known by their byte order marks, and binary
//! data from its first bytes.

#[path = "detect/sniff.rs"]
pub(crate) mod sniff;

pub use sniff::{SNIFF_LEN, is_binary, wide};
