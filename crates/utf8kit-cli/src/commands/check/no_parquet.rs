//! Replaces `parquet.rs` in builds without support for Parquet.

use utf8kit_files::{Source, SourceKind};

use super::recipients::Recipients;
use crate::error::Error;
use crate::results::Phrases;

/// Reports whether a named file is a Parquet file. Read as text, its strings would be lost among other bytes. In a
/// folder, it is skipped as binary.
pub(super) fn is_parquet(source: &Source, head: &[u8]) -> bool {
    let is_named = source.kind != SourceKind::Walked;
    is_named && head.starts_with(b"PAR1") && source.is_regular().unwrap_or(false)
}

/// Fails, because this build cannot read the file.
pub(super) fn check(source: &Source, _: &mut Recipients<'_>, _: &mut Phrases) -> Result<(), Error> {
    let what = "a Parquet file, which this build does not read: build it with `--features parquet`";
    Err(Error::at(&source.path, what))
}
