//! `utf8 check --rows pgdump` and `mysqldump`: reports the errors of each value.

use std::fmt;

use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, Utf8};
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::display::{Argument, Name};
use utf8kit_files::{Blocks, CheckedDump, DumpInput, Source, check_dump};
use utf8kit_records::rows::{DumpErrors, DumpFormat};
use utf8kit_records::validator::{Problem, ProblemKind};

use super::recipients::{FindingCount, Recipients};
use super::rules::{FileRules, Rules};
use crate::args::UTF8;
use crate::error::Error;
use crate::results::{Checked, Finding, Phrases};
use crate::suggestion::{self, Destination, HELP};
use crate::tally::Tally;

/// A dump that is checked.
pub(super) struct Dump<'d> {
    pub(super) source: &'d Source,
    pub(super) blocks: Blocks,
    pub(super) format: DumpFormat,
    /// The encoding of the session. It overrides what the dump declares.
    pub(super) given: Option<Charset>,
}

/// The progress of the check.
struct Progress<'p, 'r> {
    source: &'p Source,
    recipients: &'p mut Recipients<'r>,
    phrases: &'p mut Phrases,
    found: FindingCount,
    summary: Summary,
    /// The number of malformed values.
    malformed: u64,
}

impl Dump<'_> {
    /// Checks the dump, and reports the result.
    pub(super) fn check(
        self,
        file_rules: &FileRules,
        rules: &Rules<'_>,
        recipients: &mut Recipients<'_>,
        phrases: &mut Phrases,
    ) -> Result<(), Error> {
        let Dump { source, blocks, format, given } = self;
        recipients.printer.begin(&blocks);
        let (found, summary) = (FindingCount::default(), Summary::new(0));
        let mut progress = Progress { source, recipients, phrases, found, summary, malformed: 0 };
        if let Some(finding) = file_rules.finding(&source.path, progress.phrases) {
            progress.recipients.finding(&mut progress.found, &finding)?;
        }
        let (mut other, mut utf8, mut others) = (None, 0, 0);
        let input = DumpInput::new(format, given, rules.threads);
        check_dump(&source.path, blocks, input, |checked| -> Result<(), Error> {
            if let Some(pairs) = &rules.pairs {
                pairs.count(&checked.chunk.bytes);
            }
            if other.is_none() {
                other = checked.chunk.other_encoding();
            }
            let counted = checked.chunk.declared_otherwise();
            (utf8, others) = (utf8 + counted.0, others + counted.1);
            progress.add(&checked)?;
            progress.recipients.printer.advance(checked.chunk.bytes.len() as u64)
        })?;
        let Progress { summary, malformed, .. } = progress;
        let mut kinds = Tally::default();
        if malformed > 0 {
            kinds.add(ProblemKind::Malformed.name(), malformed);
        }
        recipients.file(&Checked {
            label: given.unwrap_or(Charset::Named(UTF8)),
            bom: file_rules.beginning(),
            others: kinds,
            ..Checked::new(&source.path, &summary)
        })?;
        let errors = summary.errors;
        if errors > 0
            && other.is_none()
            && given.is_none()
            && file_rules.guesses
            && source.is_regular().unwrap_or(false)
        {
            let (name, path) = (Name(&source.path), &source.path);
            let words = suggestion::for_values(format, path, Destination::OUTPUT);
            recipients.printer.message(format_args!("{name}: its values may be in several encodings{words}"));
        }
        if let (Some(other), None, false) = (other, given, rules.args.quiet) {
            let about = OtherEncoding { source, format, other: &other, utf8, others };
            recipients.printer.message(about);
        }
        Ok(())
    }
}

/// Reports that a dump declares another encoding than UTF-8, and suggests what to do.
struct OtherEncoding<'o> {
    source: &'o Source,
    format: DumpFormat,
    other: &'o str,
    /// The number of its non-ASCII values that are UTF-8 nonetheless, and of those that are not.
    utf8: u64,
    others: u64,
}

impl fmt::Display for OtherEncoding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherEncoding { source, format, other, utf8, others } = self;
        let (name, path, rows) = (Name(&source.path), Argument(&source.path), format.name());
        write!(f, "{name}: it declares {other} as its encoding, so it was checked in {other}")?;
        match (utf8, others) {
            (0, 0) => Ok(()),
            (0, _) => write!(f, "\n{HELP}utf8 convert --rows {rows} {path}"),
            (_, 0) => write!(
                f,
                ", but all of it is UTF-8: it was encoded twice\n{HELP}utf8 convert --rows {rows} --from utf-8 {path}"
            ),
            _ => write!(
                f,
                ", but {} UTF-8: a conversion would encode these twice",
                match utf8 {
                    1 => "a value of it is".to_owned(),
                    more => format!("{more} values of it are"),
                }
            ),
        }
    }
}

impl Progress<'_, '_> {
    /// Adds a chunk.
    fn add(&mut self, checked: &CheckedDump) -> Result<(), Error> {
        let chunk = &checked.chunk;
        let DumpErrors { errors, summary, malformed, .. } = checked.errors(self.recipients.wanted(self.found));
        let (mut lines, mut column, mut end) = (self.summary.lines, self.summary.column, 0);
        for error in errors {
            // An error in an escape may lie before the previous error.
            let next = error.offset.max(end);
            (lines, column) = position_after((lines, column), &chunk.bytes[end..next]);
            end = next;
            let mut problem = Problem::new(error.offset, error.len, error.description);
            problem.kind = error.kind.map_or(ProblemKind::Malformed, ProblemKind::IllFormed);
            let (path, text) = (&*self.source.path, (&chunk.bytes[..], chunk.base));
            let place = (lines + 1, column + 1);
            let finding = Finding::in_row(path, AnyEncoding::Utf8, place, text, &problem, error.place, self.phrases);
            self.recipients.finding(&mut self.found, &finding)?;
        }
        self.summary.merge(&summary);
        self.malformed += malformed;
        Ok(())
    }
}

/// Returns the position after a piece: the number of line feeds, and of code points and errors since the last one.
fn position_after((lines, column): (u64, u64), piece: &[u8]) -> (u64, u64) {
    let piece = Summary::of(Utf8, piece, 0..piece.len(), 0, 0);
    (lines + piece.lines, if piece.lines > 0 { piece.column } else { column + piece.column })
}
