//! Holds back the reports on files until they are replaced, which happens in groups if there is a ledger.

use std::mem;
use std::path::{Path, PathBuf};

use utf8kit_files::Ledger;

use crate::error::Error;
use crate::printer::Printer;

/// The reports on files, in order, and the ledger that records them.
#[derive(Debug)]
pub(crate) struct Pending<T> {
    ledger: Option<Ledger>,
    reports: Vec<(PathBuf, T)>,
}

impl<T> Pending<T> {
    /// Opens the ledger, if there is to be one.
    pub(crate) fn new(ledger: Option<&Path>) -> Result<Pending<T>, Error> {
        let mut ledger = ledger.map(Ledger::open).transpose()?;
        ledger.iter_mut().for_each(Ledger::group);
        Ok(Pending { ledger, reports: Vec::new() })
    }

    pub(crate) fn ledger(&mut self) -> Option<&mut Ledger> {
        self.ledger.as_mut()
    }

    /// Reports whether a path leads to the ledger.
    pub(crate) fn is_ledger(&self, path: &Path) -> bool {
        self.ledger.as_ref().is_some_and(|ledger| ledger.is_at(path))
    }

    /// Adds the report on a file that is or will be replaced.
    pub(crate) fn add(&mut self, path: &Path, report: T) {
        self.reports.push((path.to_owned(), report));
    }

    /// Replaces the remaining files.
    pub(crate) fn commit(&mut self, printer: &mut Printer) {
        if let Some(ledger) = &mut self.ledger {
            ledger.commit(printer);
        }
    }

    /// Takes the reports on replaced files, unless some files are still to be replaced. Reports on files that could not
    /// be replaced are dropped.
    pub(crate) fn settled(&mut self) -> impl Iterator<Item = (PathBuf, T)> + use<T> {
        let ledger = self.ledger.as_ref();
        let mut reports = match ledger {
            Some(ledger) if ledger.has_pending() => Vec::new(),
            _ => mem::take(&mut self.reports),
        };
        reports.retain(|(path, _)| !ledger.is_some_and(|ledger| ledger.has_failed(path)));
        reports.into_iter()
    }
}
