//! `utf8 check`: reports every ill-formed place of every file, in path order.

mod follow;

use std::io;
use std::ops::Range;
use std::path::Path;

use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel, MAX_LEN, Summary, encode_in};
use utf8kit_text::charset::{Charset, has_bom};
use utf8kit_text::detect::{HEAD, Hint, Sample, is_binary};
use utf8kit_text::files::{
    BLOCK, Block, Blocks, FileError, Kind, MARGIN, SMALL_FILES, Source, Unpack, batches, detect_file,
    each_text, in_order, sniff,
};
use utf8kit_text::stats::{BytePairCounters, BytePairs};

use crate::args::{BomRule, CheckArgs, LineEndRule};
use crate::commands::check_rows;
use crate::config::{Config, Settings};
use crate::error::{Error, Status};
use crate::input::sources;
use crate::options::threads;
use crate::printer::Printer;
use crate::report::html::{ERRORS_A_FILE, Page};
use crate::report::{self, Checked, Finding, Phrases, Place, Report, Totals};

/// The most errors that a worker records per block. A block with more is checked again in pieces when its turn comes,
/// so memory use is bounded whatever the input.
const NOTED: usize = 4096;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let sources = sources(&args.read.input, Some("."))?;
    let in_rows = args.rows.rows.is_some() || args.target.demands().is_any();
    // Rows may be in a legacy encoding.
    let encoding = match args.read.encoding.label() {
        Err(_) if in_rows => None,
        label => label?,
    };
    let report = report::new(args);
    let page = args.report.as_ref().map(|_| Page::new());
    let recipients = Recipients { report, page, printer, totals: Totals::default() };
    let rules = Rules {
        config,
        encoding,
        bom: args.bom,
        line_ends: args.line_ends,
        binary: args.read.input.binary,
        noted: recipients.wanted(Found::default()).min(NOTED),
        hints: recipients.report.wants_hints() || recipients.page.is_some(),
        unpack: args.read.input.unpack.unpack(),
        threads: threads(args.read.threads),
        pairs: recipients.page.as_ref().map(|_| BytePairCounters::default()),
    };
    if in_rows && args.follow {
        return Err(Error::usage(
            "--follow checks bytes as they are appended, but --rows and --for need whole rows: give one of them",
        ));
    }
    if args.follow {
        return follow::run(args, rules, recipients);
    }
    if in_rows {
        let mut recipients = recipients;
        check_rows::run(args, sources, &rules, &mut recipients)?;
        return recipients.end(args, rules.pairs.as_ref());
    }
    let over_files = if sources.is_single() { 1 } else { rules.threads };
    let mut check = Check { rules: &rules, recipients, phrases: Phrases::default() };
    in_order(
        over_files,
        batches(sources, SMALL_FILES),
        Block::default,
        |block, batch| rules.examine_all(batch, block),
        |examined| {
            examined.into_iter().try_for_each(|examined| match examined {
                Ok((source, outcome)) => check.take(&source, outcome),
                Err(error) => {
                    check.recipients.unread(&error.into());
                    Ok(())
                }
            })
        },
    )?;
    check.recipients.end(args, rules.pairs.as_ref())
}

/// Returns the exit status for the totals.
fn status(args: &CheckArgs, totals: &Totals) -> Status {
    if totals.invalid_files > 0 && !args.exit_zero { Status::Findings } else { Status::Clean }
}

/// The rules for each file. Rules that were not given on the command line come from the configuration.
pub(super) struct Rules<'c> {
    pub(super) config: &'c Config,
    encoding: Option<EncodingLabel>,
    bom: Option<BomRule>,
    line_ends: Option<LineEndRule>,
    binary: bool,
    noted: usize,
    /// Whether to print the probable encoding of ill-formed files.
    hints: bool,
    pub(super) unpack: Option<Unpack>,
    pub(super) threads: usize,
    /// The counters of byte pairs, if needed.
    pub(super) pairs: Option<BytePairCounters>,
}

/// A source that a worker has processed.
type Examined = Result<(Source, Result<Outcome, Error>), FileError>;

/// What a worker did with a source.
enum Outcome {
    /// Skipped a binary file.
    Skipped,
    /// Checked a small file.
    Checked(Start, Box<Part>),
    /// Left a larger or compressed file to be checked with all threads when its turn comes.
    Deferred,
}

/// The rules for a file, given its start.
pub(super) struct Start {
    label: EncodingLabel,
    pub(super) encoding: AnyEncoding,
    /// The first bytes, if the presence or absence of a byte order mark is a finding.
    pub(super) bom: Option<Vec<u8>>,
    line_ends: Option<LineEndRule>,
    /// Whether to print a hint if the file is ill-formed, and whether to print one even if it is well formed.
    hints: bool,
    suspect: bool,
}

/// A block that was checked.
struct Part {
    summary: Summary,
    /// The first line end in the block that breaks the rule.
    line_end: Option<Range<usize>>,
    /// The block, if it has errors or hints to report.
    block: Option<Block>,
}

impl Rules<'_> {
    /// Examines each source of a batch.
    fn examine_all(&self, batch: Vec<Result<Source, FileError>>, block: &mut Block) -> Vec<Examined> {
        let mut held = 0;
        let mut examine = |source: Source| {
            // A batch holds few blocks, however many of its files are ill-formed.
            let outcome = if held < BLOCK { self.examine(&source, block) } else { Ok(Outcome::Deferred) };
            if let Ok(Outcome::Checked(_, part)) = &outcome {
                held += part.block.as_ref().map_or(0, |block| block.bytes.len());
            }
            (source, outcome)
        };
        batch.into_iter().map(|source| source.map(&mut examine)).collect()
    }

    /// Opens a source and checks it if it is small.
    fn examine(&self, source: &Source, block: &mut Block) -> Result<Outcome, Error> {
        let mut read = || Ok(source.is_regular()? && Blocks::of(source.open()?)?.read_whole(block)?);
        if !read().map_err(|error: io::Error| Error::at(&source.path, error))? {
            return Ok(Outcome::Deferred);
        }
        let head = &block.bytes[..block.bytes.len().min(HEAD)];
        if self.unpack.is_some() && sniff(head).is_some() {
            return Ok(Outcome::Deferred);
        }
        let Some(start) = self.start(source, head)? else { return Ok(Outcome::Skipped) };
        let part = self.part(&start, block);
        Ok(Outcome::Checked(start, Box::new(part)))
    }

    /// Applies the configuration and the first bytes of a file. Returns `None` for a file to skip: a binary or
    /// excluded file that was found in a folder, or a file in a legacy encoding.
    fn start(&self, source: &Source, head: &[u8]) -> Result<Option<Start>, Error> {
        let settings = self.config.of(source)?;
        let label = settings.label(self.encoding);
        Ok(label.and_then(|label| self.start_as(source, head, &settings, label)))
    }

    /// Does the same for a file in a known encoding.
    pub(super) fn start_as(
        &self,
        source: &Source,
        head: &[u8],
        settings: &Settings,
        label: EncodingLabel,
    ) -> Option<Start> {
        if source.kind == Kind::Walked && (settings.excluded || !self.binary && is_binary(head)) {
            return None;
        }
        let encoding = label.resolve(head).0;
        let marked = has_bom(encoding, head);
        let finding = match self.bom.or(settings.bom).unwrap_or_default() {
            BomRule::Allow => false,
            BomRule::Forbid => marked,
            BomRule::Require => !marked,
        };
        let bom = finding.then(|| head[..head.len().min(MARGIN)].to_vec());
        let hints = self.hints && label == EncodingLabel::Exact(AnyEncoding::Utf8);
        let line_ends = self.line_ends.or(settings.line_ends);
        let suspect = hints && source.kind != Kind::Walked;
        Some(Start { label, encoding, bom, line_ends, hints, suspect })
    }

    /// Checks a block.
    fn part(&self, start: &Start, block: &mut Block) -> Part {
        let summary = Summary::of(start.encoding, &block.bytes, block.own.clone(), block.base, self.noted);
        if let Some(pairs) = &self.pairs {
            pairs.count(&block.bytes[block.own.start.saturating_sub(1)..block.own.end]);
        }
        let line_end = start.line_ends.and_then(|rule| wrong_line_end(start.encoding, rule, block));
        let is_needed =
            summary.errors > 0 && self.noted > 0 || start.suspect && block.base == 0 || line_end.is_some();
        Part { summary, line_end, block: is_needed.then(|| std::mem::take(block)) }
    }
}

/// The check of all files.
struct Check<'c> {
    rules: &'c Rules<'c>,
    recipients: Recipients<'c>,
    phrases: Phrases,
}

/// The recipients of the results.
pub(super) struct Recipients<'c> {
    report: Box<dyn Report>,
    page: Option<Page>,
    pub(super) printer: &'c mut Printer,
    totals: Totals,
}

/// The progress of the check of a file.
struct Progress<'f> {
    path: &'f Path,
    encoding: AnyEncoding,
    hints: bool,
    summary: Summary,
    found: Found,
    /// Whether a wrong line end was found, and its position until it is reported.
    line_end: bool,
    next_line_end: Option<(Place, usize)>,
    hint: Option<Hint>,
}

/// The number of findings, and how many of them were the first of a sequence.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    errors: usize,
    places: usize,
}

impl Recipients<'_> {
    /// Returns how many more errors of a file must be located to report as many as requested.
    fn wanted(&self, found: Found) -> usize {
        // At most one error of each sequence is reported.
        let sequences = |limit: usize| match limit.saturating_sub(found.places) {
            0 => 0,
            // The first errors may belong to a sequence that was reported before.
            more => more.saturating_add(1).saturating_mul(MAX_LEN),
        };
        let limit = self.report.limit();
        let report =
            if self.report.by_sequence() { sequences(limit) } else { limit.saturating_sub(found.errors) };
        report.max(self.page.as_ref().map_or(0, |_| sequences(ERRORS_A_FILE)))
    }

    /// Passes a finding to all recipients.
    pub(super) fn finding(&mut self, found: &mut Found, finding: &Finding<'_>) -> Result<(), Error> {
        let first = finding.is_first();
        if let Some(page) = self.page.as_mut().filter(|_| first && found.places < ERRORS_A_FILE) {
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

    /// Reports a file that was checked.
    pub(super) fn file(&mut self, checked: &Checked<'_>) -> Result<(), Error> {
        self.totals.add(checked);
        if let Some(page) = &mut self.page {
            page.file(checked);
        }
        self.report.file(checked, self.printer)
    }

    /// Reports the totals.
    fn end(self, args: &CheckArgs, pairs: Option<&BytePairCounters>) -> Result<Status, Error> {
        let Recipients { mut report, page, printer, totals } = self;
        report.end(&totals, printer)?;
        if let (Some(page), Some(path)) = (page, &args.report) {
            page.write(path, &totals, &pairs.map_or_else(BytePairs::new, BytePairCounters::total), printer)?;
        }
        Ok(status(args, &totals))
    }

    /// Reports a file or folder that could not be read.
    pub(super) fn unread(&mut self, error: &Error) {
        self.printer.error(error);
        self.totals.unread += 1;
    }
}

impl Check<'_> {
    /// Processes a source when its turn comes.
    fn take(&mut self, source: &Source, outcome: Result<Outcome, Error>) -> Result<(), Error> {
        let checked = match outcome {
            Ok(Outcome::Skipped) => return Ok(()),
            Ok(Outcome::Checked(start, part)) => {
                self.file(source, &start, |check, file| check.part(file, *part))
            }
            Ok(Outcome::Deferred) => {
                return each_text(source, self.rules.unpack, &mut |text| {
                    let checked = text.map_err(Error::from).and_then(|text| self.large(&text));
                    self.recover(checked)
                });
            }
            Err(error) => Err(error),
        };
        self.recover(checked)
    }

    /// Continues after an error in a single file.
    fn recover(&mut self, checked: Result<(), Error>) -> Result<(), Error> {
        match checked {
            Err(error @ Error::Other(_)) => {
                self.recipients.unread(&error);
                Ok(())
            }
            other => other,
        }
    }

    /// Checks a file block by block with all threads.
    fn large(&mut self, source: &Source) -> Result<(), Error> {
        let at = |error| Error::at(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(HEAD).map_err(at)?;
        let Some(start) = self.rules.start(source, &head)? else { return Ok(()) };
        self.recipients.printer.expect(blocks.len().unwrap_or(0));
        self.file(source, &start, |check, file| {
            let rules = check.rules;
            let work = |block: &mut Block| rules.part(&start, block);
            blocks.each(rules.threads, work, |part| check.part(file, part.map_err(at)?))
        })
    }

    /// Checks a file whose parts are returned by `parts`.
    fn file(
        &mut self,
        source: &Source,
        start: &Start,
        parts: impl FnOnce(&mut Self, &mut Progress<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut file = self.begin(source, start)?;
        parts(self, &mut file)?;
        self.end(source, start, file)
    }

    /// Begins a file.
    fn begin<'f>(&mut self, source: &'f Source, start: &Start) -> Result<Progress<'f>, Error> {
        let (encoding, path) = (start.encoding, &*source.path);
        let mut file = Progress {
            path,
            encoding,
            hints: start.hints,
            summary: Summary::new(0),
            found: Found::default(),
            line_end: false,
            next_line_end: None,
            hint: None,
        };
        if let Some(head) = start.bom.as_deref() {
            let finding = Finding::bom(path, encoding, head, &mut self.phrases);
            self.recipients.finding(&mut file.found, &finding)?;
        }
        Ok(file)
    }

    /// Ends a file.
    fn end(&mut self, source: &Source, start: &Start, mut file: Progress<'_>) -> Result<(), Error> {
        if file.hint.is_some() && file.summary.errors > 0 && file.summary.bytes > BLOCK as u64 {
            // One block is not enough to guess the encoding of a long file.
            if source.is_regular().unwrap_or(false) {
                file.hint = detect_file(file.path).ok().and_then(|guess| Hint::from_guess(&guess));
            }
        }
        self.recipients.file(&Checked {
            path: file.path,
            label: Charset::Named(start.label),
            summary: &file.summary,
            bom: start.bom.is_some(),
            line_end: file.line_end,
            others: &[],
            hint: file.hint.as_ref(),
        })
    }

    /// Adds the next part of a file.
    fn part(&mut self, file: &mut Progress<'_>, part: Part) -> Result<(), Error> {
        self.recipients.printer.advance(part.summary.bytes);
        let noted = part.summary.first_errors.len();
        if let Some(block) = part.block.as_ref().filter(|_| file.hints && file.summary.errors == 0) {
            let mut error = part.summary.first_errors.first().map(|placed| placed.error);
            if let Some(error) = &mut error {
                error.offset -= block.base;
            }
            let whole = block.base == 0 && block.own.end == block.bytes.len();
            file.hint = Hint::of(Sample::new(&block.bytes, whole, error));
            if let Some(hint) = file.hint.as_ref().filter(|hint| hint.is_wide() && part.summary.errors > 0) {
                self.recipients.report.hint(file.path, hint, self.recipients.printer)?;
            }
        }
        if let (Some(range), Some(block), false) = (&part.line_end, &part.block, file.line_end) {
            let own = block.own.start..range.start;
            let mut before = file.summary.clone();
            before.merge(&Summary::of(file.encoding, &block.bytes, own, block.base, 0));
            let offset = block.base + range.start as u64;
            let place = Place { offset, line: before.lines + 1, column: before.column + 1 };
            (file.line_end, file.next_line_end) = (true, Some((place, range.len())));
        }
        match &part.block {
            Some(block)
                if self.recipients.wanted(file.found) > noted && part.summary.errors > noted as u64 =>
            {
                // There are no more errors than bytes, so each error in such a piece is recorded.
                for start in block.own.clone().step_by(NOTED) {
                    let piece = start..block.own.end.min(start + NOTED);
                    let summary = Summary::of(file.encoding, &block.bytes, piece, block.base, NOTED);
                    self.report_errors(file, summary, Some(block))?;
                }
                Ok(())
            }
            block => self.report_errors(file, part.summary, block.as_ref()),
        }
    }

    /// Reports the recorded errors in the next part of a file.
    fn report_errors(
        &mut self,
        file: &mut Progress<'_>,
        mut next: Summary,
        block: Option<&Block>,
    ) -> Result<(), Error> {
        let noted = std::mem::take(&mut next.first_errors);
        if let Some(block) = block {
            for error in noted.into_iter().take(self.recipients.wanted(file.found)) {
                let placed = file.summary.place(error);
                self.line_end(file, placed.error.offset, block)?;
                let finding = Finding::error(file.path, file.encoding, placed, block, &mut self.phrases);
                self.recipients.finding(&mut file.found, &finding)?;
            }
        }
        file.summary.merge(&next);
        block.map_or(Ok(()), |block| self.line_end(file, file.summary.bytes, block))
    }

    /// Reports a wrong line end, if it is before `offset` and was not reported yet.
    fn line_end(&mut self, file: &mut Progress<'_>, offset: u64, block: &Block) -> Result<(), Error> {
        let Some((place, len)) = file.next_line_end.filter(|next| next.0.offset < offset) else {
            return Ok(());
        };
        file.next_line_end = None;
        let finding = Finding::line_end(file.path, file.encoding, place, len, block, &mut self.phrases);
        self.recipients.finding(&mut file.found, &finding)
    }
}

/// Finds the first line end in a block that breaks the rule.
fn wrong_line_end(encoding: AnyEncoding, rule: LineEndRule, block: &Block) -> Option<Range<usize>> {
    let unit = encoding.unit();
    let [returned, feed] = [0x0D, 0x0A].map(|control| encode_in(encoding, control).ok());
    let (returned, feed) = (returned?, feed?);
    let mut feeds =
        block.own.clone().step_by(unit).filter(|&at| block.bytes.get(at..at + unit) == Some(&*feed));
    feeds.find_map(|at| {
        let before = at.checked_sub(unit).filter(|&before| block.bytes.get(before..at) == Some(&*returned));
        match (rule, before) {
            (LineEndRule::Lf, Some(start)) => Some(start..at + unit),
            (LineEndRule::Crlf, None) => Some(at..at + unit),
            _ => None,
        }
    })
}
