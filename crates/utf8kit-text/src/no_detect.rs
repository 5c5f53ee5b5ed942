//! Replaces `detect/` if the feature `detect` is off: UTF-16, UTF-32 and binary data are known from their first bytes.

#[path = "detect/sniff.rs"]
pub(crate) mod sniff;

pub use sniff::{SNIFF_LEN, is_binary, wide};
