//! A file whose new content is on disk but has not replaced the old one yet.

use std::ffi::OsString;

use crate::{FileError, Monitor, Original, Output};

/// The new content of a file, and the file to replace.
#[derive(Debug)]
pub(super) struct PendingFile {
    pub(super) output: Output,
    pub(super) original: Original,
    pub(super) backup_suffix: OsString,
}

impl PendingFile {
    /// Replaces the file.
    pub(super) fn commit(self, progress: &mut dyn Monitor) -> Result<(), FileError> {
        self.output.replace(self.original, &self.backup_suffix, progress)
    }
}
