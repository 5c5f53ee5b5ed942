//! `utf8 check --rows` and `--for`: reports the problems of each row.

use std::io;
use std::path::Path;

use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, Encoding as _, Utf8, Validator};
use utf8kit_detect::{Guess, SNIFF_LEN};
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::display::Name;
use utf8kit_files::{Blocks, FileError, Rejects, Source, detect_file, each_text, validate_rows};
use utf8kit_records::RowSink;
use utf8kit_records::rows::RowPlace;
use utf8kit_records::targets::ViolationKind;
use utf8kit_records::validator::{BadRow, CheckedChunk, Problem, ProblemKind, RowValidator};

use super::dump::Dump;
use super::recipients::{FindingCount, Recipients};
use super::rules::Rules;
use crate::args::{CheckArgs, UTF8};
use crate::commands::rejects;
use crate::config::Settings;
use crate::error::Error;
use crate::results::{Checked, Finding, Phrases};
use crate::tally::Tally;

/// Pieces up to this length are counted code point by code point, because a summary costs more.
const MAX_BYTES_BY_ITEM: usize = 256;

/// Checks the rows of all sources.
pub(super) fn run(
    args: &CheckArgs,
    sources: impl Iterator<Item = Result<Source, FileError>>,
    rules: &Rules<'_>,
    recipients: &mut Recipients<'_>,
) -> Result<(), Error> {
    let rejects = match &args.rows.reject {
        Some(path) => {
            rejects::check_name(path, &args.read.input.paths.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
            Some(Rejects::create(path)?)
        }
        None => None,
    };
    let mut check = CheckRows { rules, recipients, rejects, phrases: Phrases::default() };
    for source in sources {
        let mut take = |text: Result<Source, FileError>| {
            match text.map_err(Error::from).and_then(|text| check.file(&text)) {
                // Continue with the next file.
                Err(error @ Error::Other(_)) => {
                    check.recipients.unread(&error);
                    Ok(())
                }
                other => other,
            }
        };
        match source {
            Ok(source) => each_text(&source, rules.unpack, &mut take)?,
            Err(error) => take(Err(error))?,
        }
    }
    Ok(check.rejects.map_or(Ok(()), Rejects::commit)?)
}

/// Checks the lines of one file.
pub(super) fn check(source: &Source, rules: &Rules<'_>, recipients: &mut Recipients<'_>) -> Result<(), Error> {
    let (rejects, phrases) = (None, Phrases::default());
    CheckRows { rules, recipients, rejects, phrases }.file(source)
}

struct CheckRows<'c, 'p> {
    rules: &'c Rules<'c>,
    recipients: &'c mut Recipients<'p>,
    rejects: Option<Rejects>,
    phrases: Phrases,
}

impl CheckRows<'_, '_> {
    fn file(&mut self, source: &Source) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(SNIFF_LEN).map_err(at)?;
        let settings = self.rules.config.of(source)?;
        let named = self.rules.args.read.encoding.charset()?.or(settings.encoding);
        let charset = named.unwrap_or_else(|| Charset::Named(self.rules.assumed(&head)));
        // A UTF-8 byte order mark may also precede text in a legacy encoding.
        let label = if let Charset::Named(label) = charset { label } else { UTF8 };
        if let Some(reason) = settings.skip_by(source, &head, self.rules.args.read.input.binary) {
            self.recipients.skipped(source, &reason);
            return Ok(());
        }
        let file_rules = self.rules.file_rules(source, &head, &settings, label);
        if let Some(format) = self.rules.args.rows.dump()? {
            // A declaration in a dump is specific to it, so it overrides the configuration.
            let given = self.rules.args.read.encoding.charset()?;
            let (rules, phrases) = (self.rules, &mut self.phrases);
            let dump = Dump { source, blocks, format, given };
            return dump.check(&file_rules, rules, self.recipients, phrases);
        }
        let (validator, shown) = self.validator(charset.reader(&head).0, &settings)?;
        self.recipients.printer.begin(&blocks);
        // Text in a legacy encoding is shown as bytes, like anything else that is not UTF-8.
        let codec = validator.syntax().codec();
        let encoding = if let Codec::Native(encoding) = codec { encoding } else { AnyEncoding::Utf8 };
        let mut sink = Rows {
            path: &source.path,
            encoding,
            validator: &validator,
            shown,
            rules: self.rules,
            recipients: self.recipients,
            phrases: &mut self.phrases,
            rejects: self.rejects.as_mut(),
            found: FindingCount::default(),
            summary: Summary::new(0),
            at: (0, 0),
            exact: false,
            guess: None,
            is_guessed: self.rules.uses_guesses(label) && source.is_regular().map_err(at)?,
            others: Tally::default(),
            may_be_utf8: None,
        };
        if matches!(codec, Codec::Legacy(_)) && source.is_regular().map_err(at)? {
            sink.may_be_utf8 = Some(MaybeUtf8 { validator: Validator::new(Utf8), is_ascii: true });
        }
        if let Some(finding) = file_rules.finding(&source.path, sink.phrases) {
            sink.recipients.finding(&mut sink.found, &finding)?;
        }
        validate_rows(&source.path, blocks, &validator, self.rules.threads, &mut sink)?;
        let Rows { summary, others, may_be_utf8, guess, .. } = sink;
        if let Some(rejects) = &mut self.rejects {
            rejects.end_row()?;
        }
        self.recipients.file(&Checked {
            label: charset,
            bom: file_rules.beginning(),
            others,
            guess: guess.as_ref(),
            ..Checked::new(&source.path, &summary)
        })?;
        if may_be_utf8.is_some_and(MaybeUtf8::ends_as_utf8) {
            self.recipients.printer.message(format_args!(
                "{}: checked as {charset}, as named or configured, but it is UTF-8",
                Name(&source.path)
            ));
        }
        Ok(())
    }

    /// Returns the validator of the rows, and whether rows are reported.
    fn validator(&self, codec: Codec, settings: &Settings) -> Result<(RowValidator, bool), Error> {
        let demands = settings.demands(&self.rules.args.target);
        let syntax = self.rules.args.rows.syntax_or_lines(codec, &demands)?;
        let validator = RowValidator::well_formed(syntax).summarising().demanding(demands);
        Ok((validator.ok_or_else(|| Error::usage(rejects::NOT_UTF8))?, self.rules.args.rows.rows.is_some()))
    }
}

/// The progress in the rows of a file.
struct Rows<'r, 'p> {
    path: &'r Path,
    encoding: AnyEncoding,
    validator: &'r RowValidator,
    /// Whether rows are reported.
    shown: bool,
    rules: &'r Rules<'r>,
    recipients: &'r mut Recipients<'p>,
    phrases: &'r mut Phrases,
    rejects: Option<&'r mut Rejects>,
    found: FindingCount,
    summary: Summary,
    /// The number of line feeds before the current byte, and of code points and errors since the last one.
    at: (u64, u64),
    /// Whether that position is needed in this chunk.
    exact: bool,
    /// The guess at what the file is, and whether it is to be made at the first error.
    guess: Option<Guess>,
    is_guessed: bool,
    /// The problems that are not errors of the encoding.
    others: Tally,
    /// Checks whether a file in a legacy encoding is actually UTF-8, until that is ruled out.
    may_be_utf8: Option<MaybeUtf8>,
}

/// Text that has been UTF-8 so far.
struct MaybeUtf8 {
    validator: Validator<Utf8>,
    is_ascii: bool,
}

impl MaybeUtf8 {
    /// Adds a piece. `None` if it is not UTF-8.
    fn with(mut self, piece: &[u8]) -> Option<MaybeUtf8> {
        self.is_ascii &= piece.is_ascii();
        self.validator.push(piece).is_ok().then_some(self)
    }

    /// Reports whether all of it is UTF-8 and not only ASCII.
    fn ends_as_utf8(self) -> bool {
        !self.is_ascii && self.validator.finish().is_ok()
    }
}

impl RowSink for Rows<'_, '_> {
    type Error = Error;

    fn begin(&mut self, checked: &CheckedChunk) -> Result<(), Error> {
        if let Some(pairs) = &self.rules.pairs {
            pairs.count(&checked.chunk.bytes);
        }
        self.at = (self.summary.lines, self.summary.column);
        self.exact = !checked.verdicts.is_empty();
        self.may_be_utf8 = self.may_be_utf8.take().and_then(|text| text.with(&checked.chunk.bytes));
        if let Some(summary) = &checked.summary {
            self.summary.merge(summary);
        }
        Ok(())
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Error> {
        self.recipients.printer.advance(bytes)
    }

    fn good(&mut self, rows: &[u8], _: &[u8]) -> Result<(), Error> {
        if self.exact {
            self.pass(rows);
        }
        Ok(())
    }

    fn bad(&mut self, row: &BadRow<'_>) -> Result<(), Error> {
        if let Some(rejects) = &mut self.rejects {
            rejects.put(self.path, row, &mut |_| ())?;
        }
        let mut places = row.places();
        let mut end = 0;
        for problem in row.problems() {
            self.pass(&row.bytes[end..problem.offset]);
            end = problem.offset;
            let place = self.shown.then(|| places.at(problem.offset));
            self.report_problem(row, &problem, place)?;
        }
        self.pass(&row.bytes[end..]);
        Ok(())
    }
}

impl Rows<'_, '_> {
    /// Advances over a piece of the file.
    fn pass(&mut self, piece: &[u8]) {
        let (mut lines, mut column) = (0, 0);
        match self.validator.syntax().codec() {
            Codec::Native(encoding) if piece.len() < MAX_BYTES_BY_ITEM => {
                let mut at = 0;
                while let Some(step) = encoding.decode(&piece[at..]) {
                    at += step.len();
                    (lines, column) =
                        if step.result == Ok(u32::from('\n')) { (lines + 1, 0) } else { (lines, column + 1) };
                }
            }
            _ => {
                let summary = self.validator.summary(piece, 0);
                (lines, column) = (summary.lines, summary.column);
            }
        }
        let before = if lines == 0 { self.at.1 } else { 0 };
        self.at = (self.at.0 + lines, before + column);
    }

    /// Reports a problem at the current position.
    fn report_problem(&mut self, row: &BadRow<'_>, problem: &Problem, place: Option<RowPlace>) -> Result<(), Error> {
        let is_error = matches!(problem.kind, ProblemKind::IllFormed(_));
        if !is_error {
            self.others.add(problem.kind.name(), 1);
        }
        let may_be_sign = problem.kind.name() == ViolationKind::Control.name();
        if (is_error || may_be_sign) && std::mem::take(&mut self.is_guessed) {
            let guess = detect_file(self.path).ok().and_then(Guess::unless_utf8);
            // Of valid text, only the controls that are signs are of interest.
            let is_of_interest = |guess: &Guess| !guess.is_well_formed() || guess.artifact == Some(Artifact::Signs);
            self.guess = guess.filter(is_of_interest);
            if let Some(guess) = &self.guess {
                self.recipients.guess(self.path, guess)?;
            }
        }
        let (line, column) = (self.at.0 + 1, self.at.1 + 1);
        let finding = {
            let text = (row.bytes, row.offset);
            Finding::in_row(self.path, self.encoding, (line, column), text, problem, place, self.phrases)
        };
        self.recipients.finding(&mut self.found, &finding)
    }
}
