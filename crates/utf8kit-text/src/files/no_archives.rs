//! Replaces `archive/` if the feature `archives` is off: every file is read as it is.

#[path = "archive/error.rs"]
mod error;

use std::io::{self, Read};
use std::path::Path;

pub use error::{ArchiveError, Format};

use crate::files::{FileError, Source};

/// How to read compressed files and archives. Has no effect without the feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpack {
    /// Has no effect.
    pub max_expansion: u64,
}

/// Returns the format of a compressed file or archive: always `None`.
pub fn sniff(_: &[u8]) -> Option<Format> {
    None
}

/// Passes the source to `take`.
///
/// # Errors
/// Any error of `take`.
pub fn each_text<E>(
    source: &Source,
    _: Option<Unpack>,
    take: &mut dyn FnMut(Result<Source, FileError>) -> Result<(), E>,
) -> Result<(), E> {
    take(Ok(source.clone()))
}

/// Returns the source.
///
/// # Errors
/// None.
pub fn only_text(source: &Source, _: Option<Unpack>) -> Result<Source, FileError> {
    Ok(source.clone())
}

/// Returns the format of a compressed file or archive: always `None`.
///
/// # Errors
/// None.
pub fn format_of(_: &Path) -> io::Result<Option<Format>> {
    Ok(None)
}

/// Never called.
pub(super) fn unpacked(
    _: Box<dyn Read + Send>,
    format: Format,
    _: Unpack,
) -> io::Result<Box<dyn Read + Send>> {
    Err(ArchiveError::Method(format.to_string()).into())
}
