//! Replaces `decompress.rs` if the feature `archives` is off: nothing is decompressed.

use std::io::{self, Read};

use crate::format::{ArchiveError, Format};

/// How to read compressed files and archives. Has no effect without the feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpack {
    /// Has no effect.
    pub max_expansion: u64,
}

/// Never called.
pub(crate) fn unpacked(_: Box<dyn Read + Send>, format: Format, _: Unpack) -> io::Result<Box<dyn Read + Send>> {
    Err(ArchiveError::Method(format.to_string()).into())
}
