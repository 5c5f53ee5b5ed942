//! `utf8 check`: every ill-formed place of every file, in path order.

use std::io;
use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel, MAX_LEN, Summary};
use utf8kit_text::charset::has_bom;
use utf8kit_text::detect::{HEAD, Hint, Sample, is_binary};
use utf8kit_text::files::{
    AROUND, BLOCK, Block, Blocks, FileError, Kind, Source, Unpack, detect_file, each_text, in_order, sniff,
};
use utf8kit_text::stats::{BytePairCounters, BytePairs};

use crate::args::{BomRule, CheckArgs};
use crate::error::{Error, Status};
use crate::input::sources;
use crate::options::threads;
use crate::printer::Printer;
use crate::report::html::{ERRORS_A_FILE, Page};
use crate::report::{self, Checked, Finding, Phrases, Report, Totals};

/// The most errors that a worker notes in a block. Where there are more, the block is gone through again, in
/// pieces, when it is its turn: so little is held in memory whatever the input.
const NOTED: usize = 4096;

/// How many files a thread takes at a time: handing them over one by one costs more than checking small ones.
const BATCH: usize = 64;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, printer: &mut Printer) -> Result<Status, Error> {
    let mut sources = sources(&args.input, Some("."))?;
    let report = report::new(args);
    let page = args.report.as_ref().map(|_| Page::new(args.encoding.encoding));
    let told = Told { report, page, printer, totals: Totals::default() };
    let rules = Rules {
        encoding: args.encoding.encoding,
        bom: args.bom,
        binary: args.input.binary,
        noted: told.wanted(Found::default()).min(NOTED),
        hints: (told.report.wants_hints() || told.page.is_some())
            && args.encoding.encoding == EncodingLabel::Exact(AnyEncoding::Utf8),
        unpack: args.input.unpack.unpack(),
        threads: threads(args.threads),
        pairs: told.page.as_ref().map(|_| BytePairCounters::default()),
    };
    let over_files = if sources.is_single() { 1 } else { rules.threads };
    let mut check = Check { rules: &rules, told, phrases: Phrases::default() };
    let batches = std::iter::from_fn(move || {
        let batch: Vec<_> = sources.by_ref().take(BATCH).collect();
        (!batch.is_empty()).then_some(batch)
    });
    in_order(
        over_files,
        batches,
        Block::default,
        |block, batch| rules.look_at_all(batch, block),
        |seen| {
            seen.into_iter().try_for_each(|seen| match seen {
                Ok((source, seen)) => check.take(&source, seen),
                Err(error) => {
                    check.told.unread(&error.into());
                    Ok(())
                }
            })
        },
    )?;
    let Told { mut report, page, printer, totals } = check.told;
    report.end(&totals, printer)?;
    if let (Some(page), Some(path)) = (page, &args.report) {
        page.write(
            path,
            &totals,
            &rules.pairs.as_ref().map_or_else(BytePairs::new, BytePairCounters::total),
            printer,
        )?;
    }
    Ok(if totals.invalid_files > 0 { Status::Findings } else { Status::Clean })
}

/// What is asked of each file.
struct Rules {
    encoding: EncodingLabel,
    bom: BomRule,
    binary: bool,
    noted: usize,
    /// Whether to say what ill-formed files look like.
    hints: bool,
    unpack: Option<Unpack>,
    threads: usize,
    /// Where byte pairs are counted, if anybody wants to know.
    pairs: Option<BytePairCounters>,
}

/// What a worker makes of a source.
enum Seen {
    /// A binary file: none of our business.
    Binary,
    /// A small file, checked.
    Whole(Start, Box<Part>),
    /// Anything larger, or packed: to be checked when it is its turn, with all threads.
    Later,
}

/// What the start of a file says.
struct Start {
    encoding: AnyEncoding,
    /// The first bytes, if it is a finding that they are a byte order mark, or that they are none.
    bom: Option<Vec<u8>>,
    /// Whether to say what it looks like even if it is well formed.
    suspect: bool,
}

/// A block that was checked.
struct Part {
    summary: Summary,
    /// The block, if there are errors or a suspicion to be told of.
    block: Option<Block>,
}

impl Rules {
    /// Looks at each source of a batch.
    fn look_at_all(
        &self,
        batch: Vec<Result<Source, FileError>>,
        block: &mut Block,
    ) -> Vec<Result<(Source, io::Result<Seen>), FileError>> {
        let mut held = 0;
        let mut look = |source: Source| {
            // Few blocks wait with their batch, however many of its files are ill-formed.
            let seen = if held < BLOCK { self.look(&source, block) } else { Ok(Seen::Later) };
            if let Ok(Seen::Whole(_, part)) = &seen {
                held += part.block.as_ref().map_or(0, |block| block.bytes.len());
            }
            (source, seen)
        };
        batch.into_iter().map(|source| source.map(&mut look)).collect()
    }

    /// Opens a source, and checks it if it is small.
    fn look(&self, source: &Source, block: &mut Block) -> io::Result<Seen> {
        if !source.is_regular()? || !Blocks::of(source.open()?)?.read_whole(block)? {
            return Ok(Seen::Later);
        }
        let head = &block.bytes[..block.bytes.len().min(HEAD)];
        if self.unpack.is_some() && sniff(head).is_some() {
            return Ok(Seen::Later);
        }
        let Some(start) = self.start(source, head) else { return Ok(Seen::Binary) };
        let part = self.part(&start, block);
        Ok(Seen::Whole(start, Box::new(part)))
    }

    /// What the first bytes of a file say; `None` if it is binary and was not named.
    fn start(&self, source: &Source, head: &[u8]) -> Option<Start> {
        if source.kind == Kind::Walked && !self.binary && is_binary(head) {
            return None;
        }
        let encoding = self.encoding.resolve(head).0;
        let marked = has_bom(encoding, head);
        let finding = match self.bom {
            BomRule::Allow => false,
            BomRule::Forbid => marked,
            BomRule::Require => !marked,
        };
        let bom = finding.then(|| head[..head.len().min(AROUND)].to_vec());
        Some(Start { encoding, bom, suspect: self.hints && source.kind != Kind::Walked })
    }

    /// Checks a block.
    fn part(&self, start: &Start, block: &mut Block) -> Part {
        let summary = Summary::of(start.encoding, &block.bytes, block.own.clone(), block.base, self.noted);
        if let Some(pairs) = &self.pairs {
            pairs.count(&block.bytes[block.own.start.saturating_sub(1)..block.own.end]);
        }
        let told = summary.errors > 0 && self.noted > 0 || start.suspect && block.base == 0;
        Part { summary, block: told.then(|| std::mem::take(block)) }
    }
}

/// The check of all files.
struct Check<'c> {
    rules: &'c Rules,
    told: Told<'c>,
    phrases: Phrases,
}

/// Who is told of it.
struct Told<'c> {
    report: Box<dyn Report>,
    page: Option<Page>,
    printer: &'c mut Printer,
    totals: Totals,
}

/// The check of a file, as far as it has come.
struct Progress<'f> {
    path: &'f Path,
    encoding: AnyEncoding,
    summary: Summary,
    found: Found,
    hint: Option<Hint>,
}

/// Findings, and how many of them were the first of a sequence.
#[derive(Clone, Copy, Default)]
struct Found {
    errors: usize,
    places: usize,
}

impl Told<'_> {
    /// How many more errors of a file have to be known, so that all are told of that are asked for.
    fn wanted(&self, found: Found) -> usize {
        // Of each sequence with errors only one may be told of.
        let sequences = |limit: usize| match limit.saturating_sub(found.places) {
            0 => 0,
            // The first errors may belong to a sequence that was told of.
            more => more.saturating_add(1).saturating_mul(MAX_LEN),
        };
        let limit = self.report.limit();
        let report =
            if self.report.by_sequence() { sequences(limit) } else { limit.saturating_sub(found.errors) };
        report.max(self.page.as_ref().map_or(0, |_| sequences(ERRORS_A_FILE)))
    }

    /// Tells of a finding those who want to know.
    fn finding(&mut self, found: &mut Found, finding: &Finding<'_>) -> Result<(), Error> {
        let first = finding.is_first();
        if let Some(page) = self.page.as_mut().filter(|_| first && found.places < ERRORS_A_FILE) {
            page.finding(finding);
        }
        let told = match self.report.by_sequence() {
            true if first => found.places,
            true => usize::MAX,
            false => found.errors,
        };
        found.errors += 1;
        found.places += usize::from(first);
        if told < self.report.limit() { self.report.finding(finding, self.printer) } else { Ok(()) }
    }

    /// Tells of a file that was checked.
    fn file(&mut self, checked: &Checked<'_>) -> Result<(), Error> {
        self.totals.add(checked);
        if let Some(page) = &mut self.page {
            page.file(checked);
        }
        self.report.file(checked, self.printer)
    }

    /// Tells of a file or folder that could not be read.
    fn unread(&mut self, error: &Error) {
        self.printer.error(error);
        self.totals.unread += 1;
    }
}

impl Check<'_> {
    /// Takes a source when it is its turn.
    fn take(&mut self, source: &Source, seen: io::Result<Seen>) -> Result<(), Error> {
        let checked = match seen {
            Ok(Seen::Binary) => return Ok(()),
            Ok(Seen::Whole(start, part)) => self.file(source, &start, |check, file| check.part(file, *part)),
            Ok(Seen::Later) => {
                return each_text(source, self.rules.unpack, &mut |text| {
                    let checked = text.map_err(Error::from).and_then(|text| self.large(&text));
                    self.recover(checked)
                });
            }
            Err(error) => Err(Error::at(&source.path, error)),
        };
        self.recover(checked)
    }

    /// One bad file does not stop the others.
    fn recover(&mut self, checked: Result<(), Error>) -> Result<(), Error> {
        match checked {
            Err(error @ Error::Other(_)) => {
                self.told.unread(&error);
                Ok(())
            }
            other => other,
        }
    }

    /// Checks a file block by block, with all threads.
    fn large(&mut self, source: &Source) -> Result<(), Error> {
        let at = |error| Error::at(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(HEAD).map_err(at)?;
        let Some(start) = self.rules.start(source, &head) else { return Ok(()) };
        self.told.printer.expect(blocks.len().unwrap_or(0));
        self.file(source, &start, |check, file| {
            let rules = check.rules;
            let work = |block: &mut Block| rules.part(&start, block);
            blocks.each(rules.threads, work, |part| check.part(file, part.map_err(at)?))
        })
    }

    /// Checks a file, its parts being what `parts` gives.
    fn file(
        &mut self,
        source: &Source,
        start: &Start,
        parts: impl FnOnce(&mut Self, &mut Progress<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (encoding, path) = (start.encoding, &*source.path);
        let mut file =
            Progress { path, encoding, summary: Summary::new(0), found: Found::default(), hint: None };
        if let Some(head) = start.bom.as_deref() {
            let finding = Finding::bom(path, encoding, head, &mut self.phrases);
            self.told.finding(&mut file.found, &finding)?;
        }
        parts(self, &mut file)?;
        if file.hint.is_some() && file.summary.errors > 0 && file.summary.bytes > BLOCK as u64 {
            // What a long file looks like is not told from one block of it.
            if source.is_regular().unwrap_or(false) {
                file.hint = detect_file(path).ok().and_then(|guess| Hint::from_guess(&guess));
            }
        }
        let checked =
            Checked { path, summary: &file.summary, bom: start.bom.is_some(), hint: file.hint.as_ref() };
        self.told.file(&checked)
    }

    /// Takes the next part of a file.
    fn part(&mut self, file: &mut Progress<'_>, part: Part) -> Result<(), Error> {
        self.told.printer.advance(part.summary.bytes);
        let noted = part.summary.first_errors.len();
        if let Some(block) = part.block.as_ref().filter(|_| self.rules.hints && file.summary.errors == 0) {
            let mut error = part.summary.first_errors.first().map(|placed| placed.error);
            if let Some(error) = &mut error {
                error.offset -= block.base;
            }
            let whole = block.base == 0 && block.own.end == block.bytes.len();
            file.hint = Hint::of(Sample { bytes: &block.bytes, whole, error });
        }
        match &part.block {
            Some(block) if self.told.wanted(file.found) > noted && part.summary.errors > noted as u64 => {
                // More errors than bytes there are not: in such pieces each is noted.
                for start in block.own.clone().step_by(NOTED) {
                    let piece = start..block.own.end.min(start + NOTED);
                    let summary = Summary::of(file.encoding, &block.bytes, piece, block.base, NOTED);
                    self.tell(file, summary, Some(block))?;
                }
                Ok(())
            }
            block => self.tell(file, part.summary, block.as_ref()),
        }
    }

    /// Tells of the errors noted in what comes next in a file.
    fn tell(
        &mut self,
        file: &mut Progress<'_>,
        mut next: Summary,
        block: Option<&Block>,
    ) -> Result<(), Error> {
        let noted = std::mem::take(&mut next.first_errors);
        if let Some(block) = block {
            for error in noted.into_iter().take(self.told.wanted(file.found)) {
                let placed = file.summary.place(error);
                let finding = Finding::error(file.path, file.encoding, placed, block, &mut self.phrases);
                self.told.finding(&mut file.found, &finding)?;
            }
        }
        file.summary.merge(&next);
        Ok(())
    }
}
