//! The recipients of results: a report, and an HTML page if one is written.

use std::path::Path;

use utf8kit::MAX_LEN;
use utf8kit_detect::Guess;
use utf8kit_detect::stats::{BytePairCounters, BytePairs};
use utf8kit_files::{Skip, Source};

use crate::args::{CheckArgs, Format};
use crate::error::{Error, Status};
use crate::printer::Printer;
use crate::report::html::{MAX_ERRORS_DRAWN_PER_FILE, Page};
use crate::report::{Report, github, human, jsonl, list, sarif, short};
use crate::results::{Checked, Finding, Totals};
use crate::tally::Tally;

/// Returns the report that `args` ask for.
fn report(args: &CheckArgs, verbose: bool) -> Box<dyn Report> {
    let limit = |default| match args.max_errors.unwrap_or(default) {
        0 => usize::MAX,
        limit => limit,
    };
    match args.format {
        _ if args.quiet => Box::new(list::Quiet),
        _ if args.list => Box::new(list::List { null: args.read.input.null }),
        Format::Human => {
            let limit = limit(if args.tail || verbose { 0 } else { human::DEFAULT_PICTURES });
            Box::new(human::Human::new(limit, args.commands()))
        }
        Format::Short => Box::new(short::Short::new(limit(0))),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(limit(0))),
        Format::Sarif => Box::new(sarif::Sarif::new(limit(0))),
        Format::Github => Box::new(github::Github::new(limit(0))),
    }
}

/// The recipients of the results.
pub(super) struct Recipients<'c> {
    report: Box<dyn Report>,
    page: Option<Page>,
    pub(super) printer: &'c mut Printer,
    totals: Totals,
}

/// The number of findings, and how many of them were the first of a sequence.
#[derive(Clone, Copy, Default)]
pub(super) struct FindingCount {
    errors: usize,
    places: usize,
}

impl<'c> Recipients<'c> {
    pub(super) fn new(args: &CheckArgs, printer: &'c mut Printer) -> Result<Recipients<'c>, Error> {
        args.report.as_deref().map_or(Ok(()), Page::may_replace)?;
        let damage = (args.staged || args.against.is_some()).then(Tally::default);
        let totals = Totals { damage, names: args.names, ..Totals::default() };
        let page = args.report.as_ref().map(|_| Page::new());
        Ok(Recipients { report: report(args, printer.is_verbose()), page, printer, totals })
    }

    /// Reports whether any recipient uses guesses about files.
    pub(super) fn uses_guesses(&self) -> bool {
        self.report.uses_guesses() || self.page.is_some()
    }

    /// Reports whether any recipient uses the counts of byte pairs.
    pub(super) fn uses_byte_pairs(&self) -> bool {
        self.page.is_some()
    }

    /// Passes on the guess about a file, before its findings.
    pub(super) fn guess(&mut self, path: &Path, guess: &Guess) -> Result<(), Error> {
        self.report.guess(path, guess, self.printer)
    }

    /// Returns how many more errors of a file must be located to report the requested number.
    pub(super) fn wanted(&self, found: FindingCount) -> usize {
        // At most one error of each sequence is reported.
        let sequences = |limit: usize| match limit.saturating_sub(found.places) {
            0 => 0,
            // The first errors may belong to a sequence that was reported before.
            more => more.saturating_add(1).saturating_mul(MAX_LEN),
        };
        let limit = self.report.limit();
        let report = if self.report.by_sequence() { sequences(limit) } else { limit.saturating_sub(found.errors) };
        report.max(self.page.as_ref().map_or(0, |_| sequences(MAX_ERRORS_DRAWN_PER_FILE)))
    }

    /// Passes a finding to all recipients.
    pub(super) fn finding(&mut self, found: &mut FindingCount, finding: &Finding<'_>) -> Result<(), Error> {
        let first = finding.is_first();
        if let Some(page) = self.page.as_mut().filter(|_| first && found.places < MAX_ERRORS_DRAWN_PER_FILE) {
            page.finding(finding);
        }
        let reported = match self.report.by_sequence() {
            true if first => found.places,
            true => usize::MAX,
            false => found.errors,
        };
        found.errors += 1;
        found.places += usize::from(first);
        if reported < self.report.limit() { self.report.finding(finding, self.printer) } else { Ok(()) }
    }

    /// Passes a damaged place, the index-th of its file, to all recipients.
    pub(super) fn damage(&mut self, index: usize, finding: &Finding<'_>) -> Result<(), Error> {
        self.totals.doubtful += u64::from(finding.before.is_some_and(|before| before.doubtful));
        if let Some(page) = self.page.as_mut().filter(|_| index < MAX_ERRORS_DRAWN_PER_FILE) {
            page.damage(finding);
        }
        if index < self.report.limit() { self.report.finding(finding, self.printer) } else { Ok(()) }
    }

    /// Reports a file that was checked.
    pub(super) fn file(&mut self, checked: &Checked<'_>) -> Result<(), Error> {
        self.totals.add(checked);
        if let Some(page) = &mut self.page {
            page.file(checked);
        }
        self.report.file(checked, self.printer)
    }

    /// Reports the totals.
    pub(super) fn end(self, args: &CheckArgs, pairs: Option<&BytePairCounters>) -> Result<Status, Error> {
        let Recipients { mut report, page, printer, totals } = self;
        report.end(&totals, printer)?;
        if let (Some(page), Some(path)) = (page, &args.report) {
            page.write(path, &totals, &pairs.map_or_else(BytePairs::new, BytePairCounters::total), printer)?;
        }
        Ok(status(&totals))
    }

    /// Reports a file that is skipped.
    pub(super) fn skipped(&mut self, source: &Source, reason: &Skip) {
        self.totals.skipped.add(source, reason, self.printer);
    }

    /// Reports a file or folder that could not be read.
    pub(super) fn unread(&mut self, error: &Error) {
        self.printer.error(error);
        self.totals.unread += 1;
    }
}

/// Returns the exit status for the totals.
fn status(totals: &Totals) -> Status {
    if totals.invalid_files > 0 { Status::Findings } else { Status::Clean }
}
