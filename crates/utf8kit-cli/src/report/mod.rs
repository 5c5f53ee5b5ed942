//! How `check` reports its findings: one file per format.

pub(crate) mod github;
mod help;
pub(crate) mod html;
pub(crate) mod human;
pub(crate) mod jsonl;
mod line;
pub(crate) mod list;
pub(crate) mod sarif;
pub(crate) mod short;

use std::path::Path;

use utf8kit_detect::Guess;

use crate::error::Error;
use crate::printer::Printer;
use crate::results::{Checked, Finding, Totals};

/// Receives all findings, file by file in path order.
pub(crate) trait Report {
    /// Returns how many findings per file the report accepts. It receives the first ones, in order.
    fn limit(&self) -> usize;

    /// Reports whether the report uses guesses about files.
    fn uses_guesses(&self) -> bool {
        false
    }

    /// Reports whether the report treats the errors of one sequence as one finding. If so, it receives only the first
    /// error.
    fn by_sequence(&self) -> bool {
        false
    }

    /// Called before the findings of a file that is in a different encoding, with the guess.
    fn guess(&mut self, _: &Path, _: &Guess, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    /// Called for each finding.
    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error>;

    /// Called at the end of each file.
    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error>;

    /// Called after the last file.
    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Error>;
}
