//! Workflow commands, which GitHub shows next to the lines they refer to. GitHub shows ten per step and only logs the
//! rest, without their location, so the location is repeated in the message.

use std::path::Path;

use utf8kit_encodings::display::{Name, counted};

use crate::error::Error;
use crate::printer::Printer;
use crate::report::Report;
use crate::report::line::Line;
use crate::results::{Checked, Finding, Totals};

/// Writes one workflow command per finding.
pub(crate) struct Github {
    limit: usize,
    /// Number of findings printed for the current file.
    printed: u64,
    line: Line,
    /// The name of the current file, as part of a message.
    name: String,
}

impl Github {
    /// Limits the report to `limit` findings per file.
    pub(crate) fn new(limit: usize) -> Github {
        Github { limit, printed: 0, line: Line::default(), name: String::new() }
    }
}

impl Report for Github {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        self.printed += 1;
        let &Finding { path, line, column, kind, .. } = finding;
        let [title, message] = finding.phrase.rendered(|description| {
            let message = format!(": {}\n", data(&description.message()));
            [format!(",title=utf8 {kind}::").into_bytes(), message.into_bytes()]
        });
        let in_message = &mut self.name;
        self.line
            .name(path, |path| {
                let name = name(path);
                *in_message = data(&name);
                format!("::error file={},line=", property(&name)).into_bytes()
            })
            .number(line)
            .text(b",col=")
            .number(column)
            .text(title)
            .text(self.name.as_bytes())
            .text(b":")
            .number(line)
            .text(b":")
            .number(column)
            .text(message)
            .print(printer)
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        let left = (file.errors() + file.damage.total()).saturating_sub(std::mem::take(&mut self.printed));
        if left == 0 {
            return Ok(());
        }
        let name = name(file.path);
        let message = data(&format!("{name}: {} more", counted(left, "error")));
        printer.print(format_args!("::error file={},title=utf8::{message}\n", property(&name)))
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }
}

/// Returns the displayed name of a file.
fn name(path: &Path) -> String {
    Name(path).to_string()
}

/// Escapes text for the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes text for a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
