//! How `check` tells what it found: one file a format.

mod github;
pub(crate) mod html;
mod human;
mod jsonl;
mod list;
mod sarif;
mod short;

use std::path::Path;

use serde::Serialize;
use utf8kit::{AnyEncoding, ErrorKind, PlacedError, Summary, strip_bom};
use utf8kit_text::describe::Description;
use utf8kit_text::detect::Hint;
use utf8kit_text::files::Block;

use crate::args::{CheckArgs, CheckFormat};
use crate::error::Error;
use crate::printer::Printer;

/// The kind of a finding about the byte order mark; all others are those of [`ErrorKind`].
pub(crate) const BOM: &str = "bom";

/// Is told of everything, file by file in path order.
pub(crate) trait Report {
    /// How many findings of each file it wants to be told of, in order.
    fn limit(&self) -> usize;

    /// Whether it tells what files look like.
    fn wants_hints(&self) -> bool {
        false
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
        CheckFormat::Human => Box::new(human::Human::new(limit(20), args.encoding.encoding)),
        CheckFormat::Short => Box::new(short::Short { limit: limit(0) }),
        CheckFormat::Jsonl => Box::new(jsonl::Jsonl { limit: limit(0) }),
        CheckFormat::Sarif => Box::new(sarif::Sarif::new(limit(0))),
        CheckFormat::Github => Box::new(github::Github { limit: limit(0), printed: 0 }),
    }
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
    /// Its bytes.
    pub(crate) bytes: &'f [u8],
    /// The bytes before it, as far as they are at hand.
    pub(crate) before: &'f [u8],
    /// The bytes behind it, as far as they are at hand.
    pub(crate) after: &'f [u8],
    /// From 1.
    pub(crate) line: u64,
    /// From 1, in code points.
    pub(crate) column: u64,
    /// What is wrong with it.
    pub(crate) words: Description,
}

impl<'f> Finding<'f> {
    /// An error in a block; its place is that in the file.
    pub(crate) fn error(
        path: &'f Path,
        encoding: AnyEncoding,
        placed: PlacedError,
        block: &'f Block,
    ) -> Self {
        let at =
            usize::try_from(placed.error.offset - block.base).unwrap_or(usize::MAX).min(block.bytes.len());
        let (before, rest) = block.bytes.split_at(at);
        let (bytes, after) = rest.split_at(rest.len().min(placed.error.len.into()));
        Finding {
            path,
            encoding,
            offset: placed.error.offset,
            kind: placed.error.kind.name(),
            bytes,
            before,
            after,
            line: placed.line + 1,
            column: placed.column + 1,
            words: Description::about(encoding, rest),
        }
    }

    /// A byte order mark that is there and should not be, or is not there and should be.
    pub(crate) fn bom(path: &'f Path, encoding: AnyEncoding, head: &'f [u8]) -> Self {
        let after = strip_bom(encoding, head);
        let (bytes, _) = head.split_at(head.len() - after.len());
        let what = if !bytes.is_empty() {
            "byte order mark, where none is allowed"
        } else {
            "no byte order mark, where one is required"
        };
        let words = Description::new(what);
        Finding { path, encoding, offset: 0, kind: BOM, bytes, before: &[], after, line: 1, column: 1, words }
    }
}

/// A file that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked<'f> {
    pub(crate) path: &'f Path,
    pub(crate) summary: &'f Summary,
    /// Whether the byte order mark is a finding.
    pub(crate) bom: bool,
    /// What it looks like.
    pub(crate) hint: Option<&'f Hint>,
}

impl Checked<'_> {
    /// All findings.
    pub(crate) fn errors(&self) -> u64 {
        self.summary.errors + u64::from(self.bom)
    }

    /// The kinds of what was found and how many of each: the six of the taxonomy, and `bom` if it is one.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let errors = ErrorKind::ALL.iter().map(|&kind| (kind.name(), self.summary.of_kind(kind)));
        errors.chain(self.bom.then_some((BOM, 1)))
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
    pub(crate) bytes: u64,
}

impl Totals {
    /// One file more.
    pub(crate) fn add(&mut self, file: &Checked<'_>) {
        self.files += 1;
        self.invalid_files += u64::from(file.errors() > 0);
        self.errors += file.errors();
        self.bytes += file.summary.bytes;
    }
}
