//! Checks files: small ones on many threads, large ones block by block.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit::summary::{PlacedError, Summary};
use utf8kit_detect::{Guess, SNIFF_LEN};
use utf8kit_encodings::charset::Charset;
use utf8kit_files::{
    BLOCK, Block, Blocks, Cut, Pace, SMALL_FILES, Source, Sources, batches, detect_file, each_text, in_order,
};

use super::comparison::{Compared, OldVersions};
use super::doubts::{Doubt, Wrong, guess_of};
use super::examine::{CheckResult, Examined, examine_all};
use super::recipients::{FindingCount, Recipients};
use super::rules::{CheckMethod, CheckedBlock, FileRules, Lines, MAX_ERRORS_PER_PIECE, Rules};
use super::{parquet, rows};
use crate::commands::versions::{Elsewhere, Versions};
use crate::error::Error;
use crate::results::{Checked, Damaged, Finding, Phrases, Place};
use crate::tally::Tally;

/// Checks all sources, and looks for damage since a version.
pub(super) fn run(
    sources: Sources,
    version: Option<&OsStr>,
    rules: &Rules<'_>,
    recipients: &mut Recipients<'_>,
) -> Result<(), Error> {
    recipients.printer.begin_all(&sources);
    let over_files = if sources.is_single() { 1 } else { rules.threads };
    let old = |name| Versions::named(name, &rules.args.read.input.paths);
    let against = OldVersions(version.map(old).transpose()?);
    let mut check = Check::new(rules, recipients, &against);
    in_order(
        Pace::Full,
        over_files,
        batches(sources, SMALL_FILES),
        Block::default,
        |block, batch| examine_all(rules, &against, batch, block),
        |examined| {
            examined.into_iter().try_for_each(|examined| match examined {
                Ok(examined) => check.take(examined),
                Err(error) => {
                    check.recipients.unread(&error.into());
                    Ok(())
                }
            })
        },
    )?;
    against.elsewhere().iter().for_each(|elsewhere| match elsewhere {
        Elsewhere::Other(error) => check.recipients.unread(error),
        Elsewhere::Submodule(message) => check.recipients.printer.message(message),
    });
    Ok(())
}

/// The check of all files.
pub(super) struct Check<'c, 'p> {
    pub(super) rules: &'c Rules<'c>,
    pub(super) recipients: &'c mut Recipients<'p>,
    pub(super) phrases: Phrases,
    against: &'c OldVersions,
    /// The damage in the current file, if that was examined.
    pub(super) compared: Option<Result<Option<Compared>, Error>>,
}

/// The progress of the check of a file.
pub(super) struct CheckProgress<'f> {
    path: &'f Path,
    encoding: AnyEncoding,
    /// The problems of valid text, counted by kind, and those in the current block, until they are reported.
    doubts: Tally,
    next_doubts: VecDeque<(Place, Wrong)>,
    guesses: bool,
    /// The first bytes of a live input, and their first error, for guessing what the input is.
    sample: Option<(Vec<u8>, Option<utf8kit::Error>)>,
    summary: Summary,
    found: FindingCount,
    /// Whether a wrong line end was found, and its position until it is reported.
    line_end: bool,
    next_line_end: Option<(Place, usize, &'static str)>,
    guess: Option<Guess>,
    /// The declaration that is wrong, and the right one.
    declaration: Option<(String, String)>,
}

impl<'c, 'p> Check<'c, 'p> {
    pub(super) fn new(
        rules: &'c Rules<'c>,
        recipients: &'c mut Recipients<'p>,
        against: &'c OldVersions,
    ) -> Check<'c, 'p> {
        Check { rules, recipients, phrases: Phrases::default(), against, compared: None }
    }
}

impl Check<'_, '_> {
    /// Reports the damage in a file, and returns the count of each kind.
    fn damage(&mut self, source: &Source, encoding: AnyEncoding) -> Result<Tally, Error> {
        let compared = self.compared.take().unwrap_or_else(|| self.against.compare(source, self.rules));
        let Some(compared) = compared? else { return Ok(Tally::default()) };
        let damaged = Damaged::new(&compared.old, &compared.new, &compared.comparison);
        let mut counts = Tally::default();
        for (index, damage) in compared.comparison.damage.iter().enumerate() {
            counts.add(damage.kind.name(), 1);
            let finding = Finding::damage(&source.path, encoding, &damaged, damage, &mut self.phrases);
            self.recipients.damage(index, &finding)?;
        }
        Ok(counts)
    }

    /// Reports the damage in a file whose configured encoding is a legacy one.
    pub(super) fn legacy(&mut self, source: &Source) -> Result<(), Error> {
        let damage = self.damage(source, AnyEncoding::Utf8)?;
        self.recipients.file(&Checked { damage, ..Checked::new(&source.path, &Summary::new(0)) })
    }

    /// Checks a file in a legacy encoding line by line.
    fn lines(&mut self, source: &Source) -> Result<(), Error> {
        rows::check(source, self.rules, self.recipients)?;
        if self.against.0.is_some() { self.legacy(source) } else { Ok(()) }
    }

    /// Processes a source when its turn comes.
    pub(super) fn take(&mut self, examined: Examined) -> Result<(), Error> {
        let Examined { source, outcome, compared } = examined;
        self.compared = compared;
        let checked = match outcome {
            Ok(CheckResult::Skipped(reason)) => {
                self.recipients.skipped(&source, &reason);
                return Ok(());
            }
            Ok(CheckResult::Checked(file_rules, checked)) => {
                let bytes = checked.summary.bytes;
                let done = self.file(&source, &file_rules, |check, file| check.add(file, *checked));
                done.and_then(|()| self.recipients.printer.advance(bytes))
            }
            Ok(CheckResult::Lines) => self.lines(&source),
            Ok(CheckResult::Deferred) => {
                return each_text(&source, self.rules.unpack, &mut |text| {
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
        let in_lines = self.rules.args.target.demands().is_any();
        // Input that can be read only once is read by rows from the start.
        if in_lines && !source.is_regular().map_err(at)? {
            return rows::check(source, self.rules, self.recipients);
        }
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(SNIFF_LEN).map_err(at)?;
        if parquet::is_parquet(source, &head) && !in_lines {
            return parquet::check(source, self.recipients, &mut self.phrases);
        }
        let file_rules = match self.rules.method(source, &head)? {
            CheckMethod::Blocks(file_rules) => file_rules,
            CheckMethod::Lines => return self.lines(source),
            CheckMethod::Skip(reason) => {
                self.recipients.skipped(source, &reason);
                return Ok(());
            }
        };
        if let Some(lines) = self.rules.lines(source, &file_rules)? {
            return self.demanded(source, &file_rules, blocks, &lines);
        }
        self.recipients.printer.begin(&blocks);
        self.file(source, &file_rules, |check, file| {
            let rules = check.rules;
            let work = |block: &mut Block| rules.check(&file_rules, block);
            blocks.each(Cut::LineEnd(file_rules.encoding), rules.threads, work, |checked| {
                let checked = checked.map_err(at)?;
                let bytes = checked.summary.bytes;
                check.add(file, checked)?;
                check.recipients.printer.advance(bytes)
            })
        })
    }

    /// Checks the lines of a file that can be read twice. It is read by blocks while these show that there is nothing
    /// to find; otherwise, it is read again by rows.
    fn demanded(
        &mut self,
        source: &Source,
        file_rules: &FileRules,
        blocks: Blocks,
        lines: &Lines,
    ) -> Result<(), Error> {
        let rules = self.rules;
        let mut summary = Summary::new(0);
        let clean = lines.quick && rules.pairs.is_none() && {
            let work = |block: &mut Block| lines.pass(block).then(|| rules.check(file_rules, block).summary);
            let cut = Cut::Item(file_rules.encoding);
            let all = blocks.each(cut, rules.threads, work, |checked| -> Result<(), ()> {
                summary.merge(&checked.ok().flatten().ok_or(())?);
                Ok(())
            });
            all.is_ok()
        };
        if !clean {
            return rows::check(source, rules, self.recipients);
        }
        let file = self.begin(source, file_rules)?;
        self.end(source, file_rules, CheckProgress { summary, ..file })
    }

    /// Checks a file whose blocks are checked by `blocks`.
    pub(super) fn file(
        &mut self,
        source: &Source,
        file_rules: &FileRules,
        blocks: impl FnOnce(&mut Self, &mut CheckProgress<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut file = self.begin(source, file_rules)?;
        blocks(self, &mut file)?;
        self.end(source, file_rules, file)
    }

    /// Begins a file.
    pub(super) fn begin<'f>(&mut self, source: &'f Source, file_rules: &FileRules) -> Result<CheckProgress<'f>, Error> {
        let (encoding, path) = (file_rules.encoding, &*source.path);
        let mut file = CheckProgress {
            path,
            encoding,
            doubts: Tally::default(),
            next_doubts: VecDeque::new(),
            guesses: file_rules.guesses,
            sample: (file_rules.doubts && self.recipients.printer.is_live()).then(Default::default),
            summary: Summary::new(0),
            found: FindingCount::default(),
            line_end: false,
            next_line_end: None,
            guess: None,
            declaration: None,
        };
        if let Some(finding) = file_rules.finding(path, &mut self.phrases) {
            self.recipients.finding(&mut file.found, &finding)?;
        }
        Ok(file)
    }

    /// Ends a file.
    pub(super) fn end(
        &mut self,
        source: &Source,
        file_rules: &FileRules,
        mut file: CheckProgress<'_>,
    ) -> Result<(), Error> {
        if let Some((bytes, error)) =
            file.sample.take().filter(|(_, error)| error.is_some() || file.summary.errors == 0)
        {
            let whole = bytes.len() as u64 == file.summary.bytes;
            match error {
                Some(_) => {
                    file.guess = guess_of(&bytes, whole, error).filter(|_| file.guesses);
                }
                None => {
                    self.doubt(&mut file, &bytes, Doubt::of(&bytes, whole, true))?;
                    self.doubts(&mut file, u64::MAX, (&bytes, 0))?;
                }
            }
        }
        if file.guess.is_some() && file.summary.errors > 0 && file.summary.bytes > BLOCK as u64 {
            // One block is too little to guess the encoding of a long file.
            if source.is_regular().unwrap_or(false) {
                file.guess = detect_file(file.path).ok().and_then(Guess::unless_utf8);
            }
        }
        let damage = self.damage(source, file.encoding)?;
        self.recipients.file(&Checked {
            label: Charset::Named(file_rules.label),
            bom: file_rules.beginning(),
            doubts: file.doubts,
            line_end: file_rules.line_ends.filter(|_| file.line_end),
            damage,
            guess: file.guess.as_ref(),
            declaration: file.declaration.as_ref(),
            ..Checked::new(file.path, &file.summary)
        })
    }

    /// Adds the next block of a file.
    pub(super) fn add(&mut self, file: &mut CheckProgress<'_>, checked: CheckedBlock) -> Result<(), Error> {
        let noted = checked.summary.first_errors.len();
        if let (Some((bytes, error)), Some(block)) = (&mut file.sample, &checked.block)
            && block.base + block.own.start as u64 == bytes.len() as u64
            && bytes.len() < BLOCK
        {
            bytes.extend_from_slice(block.bytes.get(block.own.clone()).unwrap_or_default());
            *error = error.or(checked.summary.first_errors.first().map(|placed| placed.error));
        }
        if let Some(block) = checked.block.as_ref().filter(|_| file.sample.is_none()) {
            self.doubt(file, &block.bytes, checked.doubt)?;
        }
        if let Some(block) = &checked.block {
            let found = checked.attacks.into_iter();
            let before = file.summary.clone();
            place_doubts(file, before, found, block.own.start, (&block.bytes, block.base));
        }
        if let Some(block) = checked.block.as_ref().filter(|_| file.guesses && file.summary.errors == 0)
            && let Some(PlacedError { mut error, .. }) = checked.summary.first_errors.first().copied()
        {
            error.offset -= block.base;
            let whole = file.sample.is_none() && block.base == 0 && block.own.end == block.bytes.len();
            let error = match file.encoding.unit() {
                1 => Some(error),
                _ => utf8kit::validate(&block.bytes).err(),
            };
            file.guess = guess_of(&block.bytes, whole, error);
            if let Some(guess) = &file.guess {
                self.recipients.guess(file.path, guess)?;
            }
        }
        if let (Some((range, what)), Some(block), false) = (&checked.line_end, &checked.block, file.line_end) {
            let own = block.own.start..range.start;
            let mut before = file.summary.clone();
            before.merge(&Summary::of(file.encoding, &block.bytes, own, block.base, 0));
            let offset = block.base + range.start as u64;
            let place = Place { offset, line: before.lines + 1, column: before.column + 1 };
            (file.line_end, file.next_line_end) = (true, Some((place, range.len(), *what)));
        }
        match &checked.block {
            Some(block) if self.recipients.wanted(file.found) > noted && checked.summary.errors > noted as u64 => {
                // Such a piece has at most as many errors as bytes, so all its errors are recorded.
                for start in block.own.clone().step_by(MAX_ERRORS_PER_PIECE) {
                    let piece = start..block.own.end.min(start + MAX_ERRORS_PER_PIECE);
                    let summary = Summary::of(file.encoding, &block.bytes, piece, block.base, MAX_ERRORS_PER_PIECE);
                    self.report_errors(file, summary, Some(block))?;
                }
                Ok(())
            }
            block => self.report_errors(file, checked.summary, block.as_ref()),
        }
    }

    /// Reports problems and notes about a file whose beginning is valid.
    fn doubt(&mut self, file: &mut CheckProgress<'_>, text: &[u8], doubt: Option<Doubt>) -> Result<(), Error> {
        let Some(doubt) = doubt else { return Ok(()) };
        if let Some(guess) = &doubt.guess {
            self.recipients.guess(file.path, guess)?;
        }
        file.guess = doubt.guess.filter(|_| file.guesses);
        file.declaration = doubt.declaration;
        place_doubts(file, Summary::new(0), doubt.wrong.into_iter(), 0, (text, 0));
        Ok(())
    }

    /// Reports the problems before `offset` of valid text, which is part of `text`, which begins at `base`.
    fn doubts(&mut self, file: &mut CheckProgress<'_>, offset: u64, (text, base): (&[u8], u64)) -> Result<(), Error> {
        while let Some((place, wrong)) = file.next_doubts.pop_front() {
            if place.offset >= offset {
                file.next_doubts.push_front((place, wrong));
                break;
            }
            let Wrong { kind, range, what } = wrong;
            let start = usize::try_from(place.offset - base).unwrap_or(text.len()).min(text.len());
            let own = start..text.len().min(start + range.len());
            file.doubts.add(kind, 1);
            let finding = Finding::doubt(file.path, (kind, place), (text, own), what, &mut self.phrases);
            self.recipients.finding(&mut file.found, &finding)?;
        }
        Ok(())
    }

    /// Reports the recorded errors in the next block of a file.
    fn report_errors(
        &mut self,
        file: &mut CheckProgress<'_>,
        mut next: Summary,
        block: Option<&Block>,
    ) -> Result<(), Error> {
        let noted = std::mem::take(&mut next.first_errors);
        if let Some(block) = block {
            for error in noted.into_iter().take(self.recipients.wanted(file.found)) {
                let placed = file.summary.place(error);
                self.doubts(file, placed.error.offset, (&block.bytes, block.base))?;
                self.line_end(file, placed.error.offset, block)?;
                let finding = Finding::error(file.path, file.encoding, placed, block, &mut self.phrases);
                self.recipients.finding(&mut file.found, &finding)?;
            }
        }
        file.summary.merge(&next);
        let Some(block) = block else { return Ok(()) };
        // An empty place may stand for the whole text.
        self.doubts(file, file.summary.bytes.max(1), (&block.bytes, block.base))?;
        self.line_end(file, file.summary.bytes, block)
    }

    /// Reports a wrong line end, if it lies before `offset` and was not reported yet.
    fn line_end(&mut self, file: &mut CheckProgress<'_>, offset: u64, block: &Block) -> Result<(), Error> {
        let Some((place, len, what)) = file.next_line_end.filter(|next| next.0.offset < offset) else {
            return Ok(());
        };
        file.next_line_end = None;
        let finding = Finding::line_end(file.path, file.encoding, (place, len), what, block, &mut self.phrases);
        self.recipients.finding(&mut file.found, &finding)
    }
}

/// Adds problems of `text`, which begins at `base`, to those that are to be reported. `before` describes the file up to
/// `at` in the text.
fn place_doubts(
    file: &mut CheckProgress<'_>,
    mut before: Summary,
    found: impl Iterator<Item = Wrong>,
    mut at: usize,
    (text, base): (&[u8], u64),
) {
    for wrong in found {
        let next = wrong.range.start.max(at);
        before.merge(&Summary::of(file.encoding, text, at..next, base, 0));
        at = next;
        let offset = base + wrong.range.start as u64;
        let place = Place { offset, line: before.lines + 1, column: before.column + 1 };
        file.next_doubts.push_back((place, wrong));
    }
    file.next_doubts.make_contiguous().sort_by_key(|(place, _)| place.offset);
}
