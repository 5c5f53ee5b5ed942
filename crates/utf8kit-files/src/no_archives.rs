//! Replaces `archive/` if the feature `archives` is off: every file is read without unpacking.

use std::io;
use std::path::Path;

use crate::decompress::Unpack;
use crate::format::Format;
use crate::{FileError, Source};

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
