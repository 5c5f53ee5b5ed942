//! `utf8 check`: every ill-formed place of every file, in path order.

use std::io;
use std::path::Path;

use utf8kit::{AnyEncoding, Summary};

use crate::blocks::{AROUND, Block, Blocks};
use crate::cli::{BomRule, CheckArgs};
use crate::hint::Hint;
use crate::in_order::in_order;
use crate::input::{Kind, Source, sources};
use crate::options::{EncodingName, threads};
use crate::printer::Printer;
use crate::report::{self, Checked, Finding, Report, Totals};
use crate::sniff::{self, HEAD};
use crate::trouble::{Status, Trouble};

/// The most errors that a worker notes in a block. Where there are more, the block is gone through again, in
/// pieces, when it is its turn: so little is held in memory whatever the input.
const NOTED: usize = 4096;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    let sources = sources(&args.input, Some("."))?;
    let report = report::new(args);
    let rules = Rules {
        encoding: args.encoding.encoding,
        bom: args.bom,
        binary: args.input.binary,
        noted: report.limit().min(NOTED),
        hints: report.wants_hints() && args.encoding.encoding == EncodingName::Exactly(AnyEncoding::Utf8),
        threads: threads(args.threads),
    };
    let over_files = if sources.is_single() { 1 } else { rules.threads };
    let mut check = Check { rules: &rules, report, printer, totals: Totals::default() };
    let look = |block: &mut Block, source: Result<Source, Trouble>| {
        source.map(|source| {
            let seen = rules.look(&source, block);
            (source, seen)
        })
    };
    in_order(over_files, sources, Block::default, look, |seen| match seen {
        Ok((source, seen)) => check.take(&source, seen),
        Err(trouble) => {
            check.printer.trouble(&trouble);
            Ok(())
        }
    })?;
    check.report.end(&check.totals, check.printer)?;
    Ok(if check.totals.invalid_files > 0 { Status::Findings } else { Status::Clean })
}

/// What is asked of each file.
struct Rules {
    encoding: EncodingName,
    bom: BomRule,
    binary: bool,
    noted: usize,
    /// Whether to say what ill-formed files look like.
    hints: bool,
    threads: usize,
}

/// What a worker makes of a source.
enum Seen {
    /// A binary file: none of our business.
    Binary,
    /// A small file, checked.
    Whole(Start, Part),
    /// Anything larger: to be checked when it is its turn, with all threads.
    Large(Start, Blocks),
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
    /// Opens a source, and checks it if it is small.
    fn look(&self, source: &Source, block: &mut Block) -> io::Result<Seen> {
        let mut blocks = Blocks::of(source.open()?)?;
        if blocks.read_whole(block)? {
            let head = &block.bytes[..block.bytes.len().min(HEAD)];
            let Some(start) = self.start(source, head) else { return Ok(Seen::Binary) };
            let part = self.part(&start, block);
            return Ok(Seen::Whole(start, part));
        }
        let start = self.start(source, &blocks.head(HEAD)?);
        Ok(start.map_or(Seen::Binary, |start| Seen::Large(start, blocks)))
    }

    /// What the first bytes of a file say; `None` if it is binary and was not named.
    fn start(&self, source: &Source, head: &[u8]) -> Option<Start> {
        if source.kind == Kind::Walked && !self.binary && sniff::is_binary(head) {
            return None;
        }
        let encoding = self.encoding.resolve(head);
        let marked = sniff::has_bom(encoding, head);
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
        let told = summary.errors > 0 && self.noted > 0 || start.suspect && block.base == 0;
        Part { summary, block: told.then(|| std::mem::take(block)) }
    }
}

/// The check of all files.
struct Check<'c> {
    rules: &'c Rules,
    report: Box<dyn Report>,
    printer: &'c mut Printer,
    totals: Totals,
}

/// The check of a file, as far as it has come.
struct Progress<'f> {
    path: &'f Path,
    encoding: AnyEncoding,
    summary: Summary,
    /// How many more findings are to be told of.
    wanted: usize,
    hint: Option<Hint>,
}

impl Check<'_> {
    /// Takes a source when it is its turn.
    fn take(&mut self, source: &Source, seen: io::Result<Seen>) -> Result<(), Trouble> {
        let at = |error| Trouble::at(&source.path, error);
        let checked = match seen {
            Ok(Seen::Binary) => return Ok(()),
            Ok(Seen::Whole(start, part)) => {
                self.file(&source.path, &start, |check, file| check.part(file, part))
            }
            Ok(Seen::Large(start, blocks)) => self.file(&source.path, &start, |check, file| {
                check.printer.expect(blocks.len().unwrap_or(0));
                let rules = check.rules;
                let work = |block: &mut Block| rules.part(&start, block);
                blocks.each(rules.threads, work, |part| check.part(file, part.map_err(at)?))
            }),
            Err(error) => Err(at(error)),
        };
        match checked {
            // One bad file does not stop the others.
            Err(trouble @ Trouble::Other(_)) => {
                self.printer.trouble(&trouble);
                Ok(())
            }
            other => other,
        }
    }

    /// Checks a file, its parts being what `parts` gives.
    fn file(
        &mut self,
        path: &Path,
        start: &Start,
        parts: impl FnOnce(&mut Self, &mut Progress<'_>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let encoding = start.encoding;
        let mut file =
            Progress { path, encoding, summary: Summary::new(0), wanted: self.report.limit(), hint: None };
        if let Some(head) = start.bom.as_deref().filter(|_| file.wanted > 0) {
            self.report.finding(&Finding::bom(path, encoding, head), self.printer)?;
            file.wanted -= 1;
        }
        parts(self, &mut file)?;
        let checked = Checked {
            path,
            summary: &file.summary,
            bom: start.bom.is_some(),
            hint: file.hint.as_ref(),
        };
        self.totals.add(&checked);
        self.report.file(&checked, self.printer)
    }

    /// Takes the next part of a file.
    fn part(&mut self, file: &mut Progress<'_>, part: Part) -> Result<(), Trouble> {
        self.printer.advance(part.summary.bytes);
        let noted = part.summary.first_errors.len();
        if let Some(block) = part.block.as_ref().filter(|_| self.rules.hints && file.summary.errors == 0) {
            file.hint = Hint::of(block, part.summary.first_errors.first().map(|placed| placed.error));
        }
        match &part.block {
            Some(block) if file.wanted > noted && part.summary.errors > noted as u64 => {
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
    ) -> Result<(), Trouble> {
        let noted = std::mem::take(&mut next.first_errors);
        if let Some(block) = block {
            for error in noted.into_iter().take(file.wanted) {
                let finding = Finding::error(file.path, file.encoding, file.summary.place(error), block);
                self.report.finding(&finding, self.printer)?;
                file.wanted -= 1;
            }
        }
        file.summary.merge(&next);
        Ok(())
    }
}
