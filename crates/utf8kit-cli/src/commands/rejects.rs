//! `--reject`: writes bad rows to a separate file and the others to the output.

use std::io;
use std::path::Path;

use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::convert::{Conversion, MAX_BOM_LEN};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{Blocks, Source};
use utf8kit_files::{Rejects, sidecar, validate_rows};
use utf8kit_records::RowSink;
use utf8kit_records::targets::Demands;
use utf8kit_records::validator::{BadRow, CheckedChunk, ProblemKind, RowValidator};

use crate::action::is_same;
use crate::args::RowArgs;
use crate::error::Error;
use crate::output::Output;
use crate::printer::Printer;
use crate::tally::Tally;

/// The reason why `--for` and `--max-bytes` do not apply to some text.
pub(crate) const NOT_UTF8: &str = "--for, --max-bytes and --max-chars apply to text in utf-8: convert to that";

/// Separates the rows of a command's inputs.
pub(crate) struct Rejection<'r> {
    rows: &'r RowArgs,
    demands: Demands,
    path: &'r Path,
    rejects: Rejects,
    threads: usize,
}

impl<'r> Rejection<'r> {
    /// Writes bad rows to the given file, which must not be one of `others`.
    pub(crate) fn new(
        rows: &'r RowArgs,
        demands: Demands,
        path: &'r Path,
        others: &[&Path],
        threads: usize,
    ) -> Result<Rejection<'r>, Error> {
        check_name(path, others)?;
        Ok(Rejection { rows, demands, path, rejects: Rejects::create(path)?, threads })
    }

    /// Separates the rows of a source. Good rows go to the output, and are converted if a conversion is given.
    pub(crate) fn source(
        &mut self,
        source: &Source,
        mut blocks: Blocks,
        from: Charset,
        conversion: Option<&Conversion>,
        output: &mut Output,
        printer: &mut Printer,
    ) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let head = blocks.head(MAX_BOM_LEN).map_err(at)?;
        let Some(syntax) = self.rows.syntax(from.reader(&head).0, &self.demands)? else { return Ok(()) };
        let validator = match conversion.map(|conversion| conversion.start(&head)) {
            Some(plan) => {
                output.write(&plan.prefix, printer)?;
                RowValidator::convertible(syntax, &plan)
            }
            None => RowValidator::well_formed(syntax),
        };
        let validator = validator.demanding(self.demands.clone()).ok_or_else(|| Error::usage(NOT_UTF8))?;
        printer.begin(&blocks);
        let mut sink = Sides {
            path: &source.path,
            rejects: &mut self.rejects,
            output,
            converts: conversion.is_some(),
            printer,
            found: RowFindings::default(),
        };
        validate_rows(&source.path, blocks, &validator, self.threads, &mut sink)?;
        let found = sink.found;
        self.rejects.end_row()?;
        found.report(&source.path, &sidecar(self.path), printer);
        Ok(())
    }

    /// Completes the file of bad rows. This must precede the output, so that nothing is lost if the output fails.
    /// Returns the number of bad rows.
    pub(crate) fn commit(self) -> Result<u64, Error> {
        let count = self.rejects.count;
        self.rejects.commit()?;
        Ok(count)
    }
}

/// Checks that the file for bad rows is not also an input or another output.
pub(crate) fn check_name(path: &Path, others: &[&Path]) -> Result<(), Error> {
    let reasons = sidecar(path);
    if path.as_os_str() == "-" {
        return Err(Error::usage("--reject takes a file: the rows that pass go to standard output"));
    }
    match others.iter().find(|other| is_same(path, other) || is_same(&reasons, other)) {
        Some(other) => Err(Error::usage(format!("--reject: {} is already an input or output", Name(other)))),
        None => Ok(()),
    }
}

/// The destinations of a source's rows.
struct Sides<'s> {
    path: &'s Path,
    rejects: &'s mut Rejects,
    output: &'s mut Output,
    /// Whether good rows are written as converted or unchanged.
    converts: bool,
    printer: &'s mut Printer,
    found: RowFindings,
}

/// The findings in the rows of a source.
#[derive(Default)]
struct RowFindings {
    rows: u64,
    bad: u64,
    kinds: Tally,
    /// The numbers of the first rows with an unclosed quote. Such a row is assumed to end with its line.
    broken: Vec<u64>,
}

/// The most row numbers in a message.
const MAX_ROWS_NAMED: usize = 5;

impl RowSink for Sides<'_> {
    type Error = Error;

    fn begin(&mut self, checked: &CheckedChunk) -> Result<(), Error> {
        self.found.rows += checked.chunk.rows;
        Ok(())
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Error> {
        self.printer.advance(bytes)
    }

    fn good(&mut self, rows: &[u8], becomes: &[u8]) -> Result<(), Error> {
        self.output.write(if self.converts { becomes } else { rows }, self.printer)
    }

    fn bad(&mut self, row: &BadRow<'_>) -> Result<(), Error> {
        let found = &mut self.found;
        found.bad += u64::from(!row.continues);
        self.rejects.put(self.path, row, &mut |problem| found.add(row.number, problem.kind))?;
        Ok(())
    }
}

impl RowFindings {
    fn add(&mut self, row: u64, kind: ProblemKind) {
        self.kinds.add(kind.name(), 1);
        if kind == ProblemKind::BrokenQuote && self.broken.len() < MAX_ROWS_NAMED {
            self.broken.push(row);
        }
    }

    /// Reports which rows of a source were rejected, and where the reasons are.
    fn report(self, path: &Path, reasons: &Path, printer: &mut Printer) {
        if self.bad == 0 {
            return;
        }
        let (name, rows) = (Name(path), counted(self.rows, "row"));
        printer.message(format_args!(
            "{name}: rejected {} of {rows} ({}): see {}",
            self.bad,
            self.kinds,
            Name(reasons)
        ));
        if let [_, ..] = &self.broken[..] {
            let numbers: Vec<_> = self.broken.iter().map(u64::to_string).collect();
            let all = self.kinds.of(ProblemKind::BrokenQuote.name());
            let more = if all > self.broken.len() as u64 { ", ..." } else { "" };
            printer.message(format_args!(
                "{name}: a quote is not closed in row {}{more}: such a row is assumed to end with its line, \
                 and the next line to begin a row",
                numbers.join(", ")
            ));
        }
    }
}
