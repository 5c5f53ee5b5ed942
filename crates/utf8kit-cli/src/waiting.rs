//! What is to be said of files once they are replaced, which they are in groups if there is a ledger.

use std::mem;
use std::path::{Path, PathBuf};

use utf8kit_text::Ledger;

/// Reports on files, in order.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    reports: Vec<(PathBuf, T)>,
}

impl<T> Default for Waiting<T> {
    fn default() -> Waiting<T> {
        Waiting { reports: Vec::new() }
    }
}

impl<T> Waiting<T> {
    /// Adds the report on a file that is or will be replaced.
    pub(crate) fn add(&mut self, path: &Path, report: T) {
        self.reports.push((path.to_owned(), report));
    }

    /// Takes the reports on files that were replaced, unless some still wait for that. Those on files that could not
    /// be replaced are dropped.
    pub(crate) fn settled(&mut self, ledger: Option<&Ledger>) -> impl Iterator<Item = (PathBuf, T)> + use<T> {
        let mut reports = match ledger {
            Some(ledger) if ledger.is_waiting() => Vec::new(),
            _ => mem::take(&mut self.reports),
        };
        reports.retain(|(path, _)| !ledger.is_some_and(|ledger| ledger.has_failed(path)));
        reports.into_iter()
    }
}
