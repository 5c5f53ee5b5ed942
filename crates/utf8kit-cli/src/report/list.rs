//! File names only, or nothing at all.

use utf8kit_encodings::display::Name;

use crate::error::Error;
use crate::printer::Printer;
use crate::report::Report;
use crate::results::{Checked, Finding, Totals};

/// The names of files with findings: raw for scripts, escaped on a terminal.
pub(crate) struct List {
    /// Whether each name ends with a NUL instead of a line feed.
    pub(crate) null: bool,
}

impl Report for List {
    fn limit(&self) -> usize {
        0
    }

    fn finding(&mut self, _: &Finding<'_>, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        if file.errors() + file.damage.total() == 0 {
            return Ok(());
        }
        if printer.out_is_terminal() && !self.null {
            return printer.print(format_args!("{}\n", Name(file.path)));
        }
        printer.bytes(file.path.as_os_str().as_encoded_bytes())?;
        printer.bytes(if self.null { b"\0" } else { b"\n" })
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }
}

/// No output: the exit status is the result.
pub(crate) struct Quiet;

impl Report for Quiet {
    fn limit(&self) -> usize {
        0
    }

    fn finding(&mut self, _: &Finding<'_>, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    fn file(&mut self, _: &Checked<'_>, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, _: &Totals, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }
}
