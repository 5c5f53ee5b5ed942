//! `path:line:column: message`, which editors and `grep` understand.

use utf8kit_encodings::display::Name;

use crate::error::Error;
use crate::printer::Printer;
use crate::report::Report;
use crate::report::line::Line;
use crate::results::{Checked, Finding, Totals};

/// Writes one line per finding.
pub(crate) struct Short {
    limit: usize,
    line: Line,
}

impl Short {
    /// Limits the report to `limit` findings per file.
    pub(crate) fn new(limit: usize) -> Short {
        Short { limit, line: Line::default() }
    }
}

impl Report for Short {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        let [message, _] =
            finding.phrase.rendered(|description| [format!(": {}\n", description.message()).into_bytes(), Vec::new()]);
        self.line
            .name(finding.path, |path| format!("{}:", Name(path)).into_bytes())
            .number(finding.line)
            .text(b":")
            .number(finding.column)
            .text(message)
            .print(printer)
    }

    fn file(&mut self, _: &Checked<'_>, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }
}
