//! `path:line:column: message`, which editors and `grep` understand.

use utf8kit_text::display::Name;

use crate::error::Error;
use crate::printer::Printer;
use crate::report::{Checked, Finding, Report, Totals};

/// One line a finding.
pub(crate) struct Short {
    pub(crate) limit: usize,
}

impl Report for Short {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        let Finding { line, column, .. } = finding;
        printer.print(format_args!("{}:{line}:{column}: {}\n", Name(finding.path), finding.words.message()))
    }

    fn file(&mut self, _: &Checked<'_>, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }
}
