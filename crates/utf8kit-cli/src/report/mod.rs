//! How `check` tells what it found: one file a format.

mod github;
pub(crate) mod html;
mod human;
mod jsonl;
mod line;
mod list;
mod phrases;
mod sarif;
mod short;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use utf8kit::{AnyEncoding, Encoding as _, ErrorKind, PlacedError, Summary, intended_sequence, strip_bom};
use utf8kit_text::charset::Charset;
use utf8kit_text::detect::Hint;
use utf8kit_text::display::counted;
use utf8kit_text::files::Block;
use utf8kit_text::rows::{BadRow, Flaw, FlawKind, RowPlace};

use crate::args::{CheckArgs, Format};
use crate::error::Error;
use crate::printer::Printer;

pub(crate) use phrases::{Phrase, Phrases};

/// The kind of a finding about the byte order mark. Those of errors are the names of [`ErrorKind`].
pub(crate) const BOM: &str = "bom";

/// The kind of a finding about line ends.
pub(crate) const LINE_ENDS: &str = "line_ends";

/// Is told of everything, file by file in path order.
pub(crate) trait Report {
    /// How many findings of each file it wants to be told of, in order.
    fn limit(&self) -> usize;

    /// Whether it tells what files look like.
    fn wants_hints(&self) -> bool {
        false
    }

    /// Whether errors of one sequence are one finding to it: then it is told of the first.
    fn by_sequence(&self) -> bool {
        false
    }

    /// Before the findings of a file that is in another encoding altogether: what it looks like.
    fn hint(&mut self, _: &Path, _: &Hint, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    /// A finding.
    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error>;

    /// A file is done.
    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error>;

    /// All files are done.
    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Error>;
}

/// The report that `args` ask for.
pub(crate) fn new(args: &CheckArgs) -> Box<dyn Report> {
    let limit = |default| match args.max_errors.unwrap_or(default) {
        0 => usize::MAX,
        limit => limit,
    };
    match args.format {
        _ if args.quiet => Box::new(list::Quiet),
        _ if args.list => Box::new(list::List { null: args.input.null }),
        Format::Human => Box::new(human::Human::new(limit(if args.follow { 0 } else { 20 }))),
        Format::Short => Box::new(short::Short::new(limit(0))),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(limit(0))),
        Format::Sarif => Box::new(sarif::Sarif::new(limit(0))),
        Format::Github => Box::new(github::Github::new(limit(0))),
    }
}

/// Where something is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// In bytes.
    pub(crate) offset: u64,
    /// From 1.
    pub(crate) line: u64,
    /// From 1, in code points.
    pub(crate) column: u64,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug)]
pub(crate) struct Finding<'f> {
    pub(crate) path: &'f Path,
    /// What the file was read as.
    pub(crate) encoding: AnyEncoding,
    /// Where it begins in the file, in bytes.
    pub(crate) offset: u64,
    /// What it is called in JSON.
    pub(crate) kind: &'static str,
    /// What is at hand of the file around it.
    text: &'f [u8],
    /// Where in that it is.
    own: Range<usize>,
    /// Where in that the sequence is that was meant: see [`utf8kit::intended_sequence`].
    sequence: Range<usize>,
    /// From 1.
    pub(crate) line: u64,
    /// From 1, in code points.
    pub(crate) column: u64,
    /// What is wrong with it.
    pub(crate) phrase: &'f Phrase,
    /// Where it is in rows, if the input has them.
    pub(crate) row: Option<RowPlace>,
}

impl<'f> Finding<'f> {
    /// An error in a block; its place is that in the file.
    pub(crate) fn error(
        path: &'f Path,
        encoding: AnyEncoding,
        placed: PlacedError,
        block: &'f Block,
        phrases: &'f mut Phrases,
    ) -> Self {
        let text = &block.bytes[..];
        let mut error = placed.error;
        error.offset -= block.base;
        let own = error.range();
        let sequence = intended_sequence(encoding, text, &error);
        let phrase = phrases.about(encoding, &text[own.start..], sequence.end - own.start, own.len());
        Finding {
            path,
            encoding,
            offset: placed.error.offset,
            kind: error.kind.name(),
            text,
            own,
            sequence,
            line: placed.line + 1,
            column: placed.column + 1,
            phrase,
            row: None,
        }
    }

    /// A byte order mark that is there and should not be, or is not there and should be.
    pub(crate) fn bom(
        path: &'f Path,
        encoding: AnyEncoding,
        head: &'f [u8],
        phrases: &'f mut Phrases,
    ) -> Self {
        let len = head.len() - strip_bom(encoding, head).len();
        let phrase = phrases.fixed(if len > 0 {
            "byte order mark, where none is allowed"
        } else {
            "no byte order mark, where one is required"
        });
        let (own, sequence) = (0..len, 0..len);
        Finding {
            path,
            encoding,
            offset: 0,
            kind: BOM,
            text: head,
            own,
            sequence,
            line: 1,
            column: 1,
            phrase,
            row: None,
        }
    }

    /// What is wrong with a row, at a line and column.
    pub(crate) fn in_row(
        path: &'f Path,
        encoding: AnyEncoding,
        (line, column): (u64, u64),
        bad: &BadRow<'f>,
        flaw: &Flaw,
        row: Option<RowPlace>,
        phrases: &'f mut Phrases,
    ) -> Self {
        let own = flaw.offset..flaw.offset + flaw.len;
        let sequence = match (flaw.kind, u8::try_from(flaw.len)) {
            (FlawKind::IllFormed(kind), Ok(len)) => {
                intended_sequence(encoding, bad.bytes, &utf8kit::Error::new(flaw.offset as u64, len, kind))
            }
            _ => own.clone(),
        };
        let mut words = flaw.words.clone();
        if let Some(row) = &row {
            words.what = format!("{row}: {}", words.what);
        }
        let offset = bad.offset + flaw.offset as u64;
        let phrase = phrases.once(words);
        let text = bad.bytes;
        Finding {
            path,
            encoding,
            offset,
            kind: flaw.kind.name(),
            text,
            own,
            sequence,
            line,
            column,
            phrase,
            row,
        }
    }

    /// A line end that is none of those that should be: `len` bytes at a place of a block.
    pub(crate) fn line_end(
        path: &'f Path,
        encoding: AnyEncoding,
        place: Place,
        len: usize,
        block: &'f Block,
        phrases: &'f mut Phrases,
    ) -> Self {
        let Place { offset, line, column } = place;
        let start = usize::try_from(offset - block.base).unwrap_or(usize::MAX).min(block.bytes.len());
        let own = start..block.bytes.len().min(start + len);
        let phrase = phrases.fixed(if len > encoding.unit() {
            "line end: CR LF, where LF alone is asked for"
        } else {
            "line end: LF alone, where CR LF is asked for"
        });
        let (kind, text, sequence) = (LINE_ENDS, &block.bytes[..], own.clone());
        Finding { path, encoding, offset, kind, text, own, sequence, line, column, phrase, row: None }
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &'f [u8] {
        &self.text[self.own.clone()]
    }

    /// The bytes before the sequence, as far as they are at hand.
    pub(crate) fn before(&self) -> &'f [u8] {
        &self.text[..self.sequence.start]
    }

    /// The bytes of the sequence.
    pub(crate) fn sequence(&self) -> &'f [u8] {
        &self.text[self.sequence.clone()]
    }

    /// The bytes behind the sequence, as far as they are at hand.
    pub(crate) fn after(&self) -> &'f [u8] {
        &self.text[self.sequence.end..]
    }

    /// Where the sequence begins in the file.
    pub(crate) fn sequence_offset(&self) -> u64 {
        self.offset - (self.own.start - self.sequence.start) as u64
    }

    /// Whether it is the first error of its sequence.
    pub(crate) fn is_first(&self) -> bool {
        self.own.start == self.sequence.start
    }

    /// What is wrong, of a sequence as a whole.
    pub(crate) fn title(&self) -> String {
        let what = &self.phrase.words.what;
        // Behind the first error of a sequence, each byte is one.
        match 1 + self.sequence.len() - self.own.len() {
            1 => what.clone(),
            errors => format!("{what}: {errors} errors of one sequence"),
        }
    }
}

/// A file that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked<'f> {
    pub(crate) path: &'f Path,
    /// What it was checked as.
    pub(crate) label: Charset,
    pub(crate) summary: &'f Summary,
    /// Whether the byte order mark is a finding.
    pub(crate) bom: bool,
    /// Whether a line end is one.
    pub(crate) line_end: bool,
    /// What else was found, by kind.
    pub(crate) others: &'f [(&'static str, u64)],
    /// What it looks like.
    pub(crate) hint: Option<&'f Hint>,
}

impl Checked<'_> {
    /// All findings.
    pub(crate) fn errors(&self) -> u64 {
        self.summary.errors + self.other()
    }

    /// All findings, errors of one sequence being one.
    pub(crate) fn places(&self) -> u64 {
        self.summary.places + self.other()
    }

    /// Findings that are no errors of the encoding.
    fn other(&self) -> u64 {
        let others: u64 = self.others.iter().map(|(_, count)| count).sum();
        u64::from(self.bom) + u64::from(self.line_end) + others
    }

    /// The kinds of what was found and how many of each: the six of the taxonomy, and others if there is one.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let errors = ErrorKind::ALL.iter().map(|&kind| (kind.name(), self.summary.of_kind(kind)));
        let lines = self.line_end.then_some((LINE_ENDS, 1));
        errors.chain(self.bom.then_some((BOM, 1))).chain(lines).chain(self.others.iter().copied())
    }
}

/// The encodings of all files, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels(Vec<Charset>);

impl Labels {
    /// One file more.
    pub(crate) fn add(&mut self, label: Charset) {
        if !self.0.contains(&label) {
            self.0.push(label);
        }
    }
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(Charset::to_string).collect();
        f.write_str(&names.join(", "))
    }
}

/// All files together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Totals {
    pub(crate) files: u64,
    /// Files and folders that could not be read, which are not among the files.
    #[serde(skip)]
    pub(crate) unread: u64,
    pub(crate) invalid_files: u64,
    pub(crate) errors: u64,
    /// Errors of one sequence are one place.
    pub(crate) places: u64,
    pub(crate) bytes: u64,
}

/// How many errors in how many places: `12 places, 34 errors`, or the errors alone if each has its own.
pub(crate) fn places_and_errors(places: u64, errors: u64) -> String {
    let found = counted(errors, "error");
    if places == errors { found } else { format!("{}, {found}", counted(places, "place")) }
}

impl Totals {
    /// One file more.
    pub(crate) fn add(&mut self, file: &Checked<'_>) {
        self.files += 1;
        self.invalid_files += u64::from(file.errors() > 0);
        self.errors += file.errors();
        self.places += file.places();
        self.bytes += file.summary.bytes;
    }
}
