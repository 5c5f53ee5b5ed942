//! Workflow commands, which GitHub shows beside the lines they speak of. It shows ten a step and logs the rest, without
//! their places: so the place is in the message too.

use utf8kit_text::display::{Name, counted};

use crate::error::Error;
use crate::printer::Printer;
use crate::report::{Checked, Finding, Report, Totals};

/// One command a finding.
pub(crate) struct Github {
    pub(crate) limit: usize,
    /// Findings of the file at hand that were printed.
    pub(crate) printed: u64,
}

impl Report for Github {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        self.printed += 1;
        let Finding { line, column, kind, .. } = finding;
        let name = Name(finding.path).to_string();
        let message = format!("{name}:{line}:{column}: {}", finding.words.message());
        printer.print(format_args!(
            "::error file={},line={line},col={column},title=utf8 {kind}::{}\n",
            property(&name),
            data(&message)
        ))
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        let left = file.errors() - std::mem::take(&mut self.printed);
        if left == 0 {
            return Ok(());
        }
        let name = Name(file.path).to_string();
        let message = data(&format!("{name}: {} more", counted(left, "error")));
        printer.print(format_args!("::error file={},title=utf8::{message}\n", property(&name)))
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }
}

/// A text as the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
