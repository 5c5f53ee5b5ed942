//! Replaces a file in place: the old file is opened and locked, and the new one written to the same folder.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::atomic::{links_to_replace, may_replace};
use crate::pending_file::PendingFile;
use crate::{FileError, HardLinks, Ledger, Monitor, Original, Output, temporary};

/// How files are replaced in place.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct InPlace<'o> {
    /// The suffix under which to keep a backup of the old file. No backup if it is empty.
    pub backup_suffix: OsString,
    /// What to do if the file has several hard links.
    pub hard_links: HardLinks,
    /// The ledger for the changes, so that they can be undone.
    pub ledger: Option<&'o mut Ledger>,
}

impl<'o> InPlace<'o> {
    /// Describes how files are replaced in place.
    pub fn new(backup_suffix: &OsStr, hard_links: HardLinks, ledger: Option<&'o mut Ledger>) -> InPlace<'o> {
        InPlace { backup_suffix: backup_suffix.to_owned(), hard_links, ledger }
    }

    /// Opens and locks a file that is to be replaced. Flushes pending replacements before blocking on the lock, so
    /// that two processes cannot deadlock.
    pub(super) fn open(&mut self, path: &Path, progress: &mut dyn Monitor) -> Result<Original, FileError> {
        temporary::sweep(path);
        let on_wait = || {
            if !self.ledger.as_deref_mut().is_some_and(|ledger| ledger.commit(progress)) {
                progress.wait_for_lock(path);
            }
        };
        Original::open(path, on_wait).map_err(|error| FileError::io(path, error))
    }

    /// Fails as [`InPlace::create`] does if a file is not to be replaced. Writes nothing.
    pub(super) fn check(&self, path: &Path, original: &Original) -> Result<(), FileError> {
        links_to_replace(path, original, self.hard_links, &self.backup_suffix)?;
        may_replace(path, original, &self.backup_suffix)
    }

    /// Starts the new file.
    pub(super) fn create(&self, path: &Path, original: &Original) -> Result<Output, FileError> {
        Output::in_place(path, original, self.hard_links, &self.backup_suffix)
    }

    /// Replaces a file. If there is a ledger, the changes must already be in it.
    pub(super) fn replace(
        &mut self,
        output: Output,
        original: Original,
        progress: &mut dyn Monitor,
    ) -> Result<(), FileError> {
        let pending = PendingFile { output, original, backup_suffix: self.backup_suffix.clone() };
        match &mut self.ledger {
            Some(ledger) => ledger.replace(pending, progress),
            None => pending.commit(progress),
        }
    }
}
