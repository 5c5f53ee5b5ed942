//! `path:line:column: message`, which editors and `grep` understand.

use crate::printer::Printer;
use crate::report::{Checked, Finding, Report, Totals};
use crate::text::Name;
use crate::trouble::Trouble;

/// One line a finding.
pub(crate) struct Short {
    pub(crate) limit: usize,
}

impl Report for Short {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Trouble> {
        let Finding { line, column, .. } = finding;
        printer.print(format_args!("{}:{line}:{column}: {}\n", Name(finding.path), finding.words.message()))
    }

    fn file(&mut self, _: &Checked<'_>, _: &mut Printer) -> Result<(), Trouble> {
        Ok(())
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Trouble> {
        Ok(())
    }
}
