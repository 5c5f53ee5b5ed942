//! For people: each error with its bytes, what was expected and what a lax decoder would have read.

use crate::options::EncodingName;
use crate::printer::{BAD, FAINT, GOOD, Printer, STRONG};
use crate::report::{Checked, Finding, Report, Totals};
use crate::text::{Hex, Name, counted, is_harmful};
use crate::trouble::Trouble;

/// How many bytes are shown on either side of an error.
const NEAR: usize = 6;

/// A report for people.
pub(crate) struct Human {
    limit: usize,
    encoding: EncodingName,
    /// Findings of the file at hand that were printed.
    printed: u64,
}

impl Human {
    /// At most so many findings a file.
    pub(crate) fn new(limit: usize, encoding: EncodingName) -> Human {
        Human { limit, encoding, printed: 0 }
    }
}

impl Report for Human {
    fn limit(&self) -> usize {
        self.limit
    }

    fn wants_hints(&self) -> bool {
        true
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Trouble> {
        self.printed += 1;
        let (strong, bad, faint) = (printer.style(STRONG), printer.style(BAD), printer.style(FAINT));
        let &Finding { path, line, column, offset, bytes, .. } = finding;
        let (name, what) = (Name(path), &finding.words.what);
        printer.print(format_args!("{strong}{name}:{line}:{column}{strong:#}: {bad}{what}{bad:#}\n"))?;

        let before = &finding.before[finding.before.len().saturating_sub(NEAR)..];
        let after = &finding.after[..finding.after.len().min(NEAR)];
        let (before_hex, after_hex) = (Hex(before), Hex(after));
        let text = [before, bytes, after].map(visible);
        printer.print(format_args!("  byte {offset}: {faint}{before_hex}{faint:#} "))?;
        printer.print(format_args!("[{bad}{}{bad:#}] {faint}{after_hex}{faint:#}", Hex(bytes)))?;
        printer.print(format_args!("  {faint}{}[{}]{}{faint:#}\n", text[0], text[1], text[2]))?;
        for line in [&finding.words.expected, &finding.words.lax].into_iter().flatten() {
            printer.print(format_args!("  {line}\n"))?;
        }
        Ok(())
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Trouble> {
        let printed = std::mem::take(&mut self.printed);
        if file.errors() > 0 {
            self.totals(file, printed, printer)?;
        }
        match file.hint {
            Some(hint) => printer.print(format_args!("{}: {}\n\n", Name(file.path), hint.about(file.path))),
            None if file.errors() > 0 => printer.print(format_args!("\n")),
            None => Ok(()),
        }
    }

    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Trouble> {
        let (bad, good) = (printer.style(BAD), printer.style(GOOD));
        let (files, errors) = (counted(totals.files, "file"), counted(totals.errors, "error"));
        let (bytes, encoding) = (counted(totals.bytes, "byte"), self.encoding.name());
        match totals.invalid_files {
            _ if totals.files == 0 => printer.print(format_args!("no files\n")),
            0 => printer.print(format_args!(
                "{good}{files} checked, none ill-formed{good:#} ({bytes} of {encoding})\n"
            )),
            invalid => printer.print(format_args!(
                "{files} checked, {bad}{invalid} ill-formed{bad:#}: {errors} in {bytes} of {encoding}\n"
            )),
        }
    }
}

impl Human {
    /// How many errors of which kinds a file has.
    fn totals(&self, file: &Checked<'_>, printed: u64, printer: &mut Printer) -> Result<(), Trouble> {
        let (strong, faint) = (printer.style(STRONG), printer.style(FAINT));
        let kinds = file.kinds().filter(|&(_, count)| count > 0);
        let kinds: Vec<_> = kinds.map(|(kind, count)| format!("{count} {kind}")).collect();
        let (name, errors) = (Name(file.path), counted(file.errors(), "error"));
        printer.print(format_args!("{strong}{name}{strong:#}: {errors} ({})", kinds.join(", ")))?;
        if printed < file.errors() {
            printer.print(format_args!(
                "{faint}, the first {printed} shown (--max-errors 0 for all){faint:#}"
            ))?;
        }
        printer.print(format_args!("\n"))
    }
}

/// Bytes as text, with a dot for what cannot be shown.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.extend(chunk.valid().chars().map(|c| if is_harmful(c) { '.' } else { c }));
        text.extend(chunk.invalid().iter().map(|_| '.'));
    }
    text
}
