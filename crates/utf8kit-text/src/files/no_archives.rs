//! Without the feature `archives`: every file is what it is.

#[path = "archive/error.rs"]
mod error;

use std::io::{self, Read};
use std::path::Path;

pub use error::{ArchiveError, Format};

use crate::files::{FileError, Source};

/// How compressed files and archives are read: they are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpack {
    /// Of no meaning.
    pub max_expansion: u64,
}

/// The format that a file is packed in: none that is known.
pub fn sniff(_: &[u8]) -> Option<Format> {
    None
}

/// Gives `take` the source.
///
/// # Errors
/// What `take` returns.
pub fn each_text<E>(
    source: &Source,
    _: Option<Unpack>,
    take: &mut dyn FnMut(Result<Source, FileError>) -> Result<(), E>,
) -> Result<(), E> {
    take(Ok(source.clone()))
}

/// The source.
///
/// # Errors
/// None.
pub fn only_text(source: &Source, _: Option<Unpack>) -> Result<Source, FileError> {
    Ok(source.clone())
}

/// None that is known.
///
/// # Errors
/// None.
pub fn format_of(_: &Path) -> io::Result<Option<Format>> {
    Ok(None)
}

/// What is not reached.
pub(super) fn unpacked(
    _: Box<dyn Read + Send>,
    format: Format,
    _: Unpack,
) -> io::Result<Box<dyn Read + Send>> {
    Err(ArchiveError::Method(format.to_string()).into())
}
