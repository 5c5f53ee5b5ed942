//! `utf8 stats`: what files are made of, each and all together.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crossbeam_channel::unbounded;
use serde::Serialize;
use utf8kit::{AnyEncoding, Encoding as _, Stats};
use utf8kit_text::charset::has_bom;
use utf8kit_text::detect::{HEAD, is_binary};
use utf8kit_text::files::{Block, Blocks, FileError, Kind, Source, each_text};
use utf8kit_text::json::PathFields;
use utf8kit_text::stats::{Counter, Profile};

use crate::args::{Format, StatsArgs};
use crate::config::{Config, Wish};
use crate::error::{Error, Status};
use crate::input::sources;
use crate::printer::Printer;
use crate::render::bars;
use crate::{json, options};

/// The most threads: each has a counter for every code point.
const THREADS: usize = 4;

/// Runs the command.
pub(crate) fn run(args: &StatsArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let mut files = 0_u64;
    let mut bytes = 0;
    let mut pairs = 0;
    let mut all = Counter::default();
    // With one encoding for all, the total has lengths in it.
    let mut common = None;
    let threads = options::threads(args.threads).min(THREADS);
    let mut take = |text: Result<Source, FileError>| {
        let counted = text.map_err(Error::from).and_then(|source| {
            let counted = config.of(&source).map(|wish| count(&source, &wish, args, threads, printer))?;
            counted.map(|text| (text, source.path.clone())).map_err(|error| Error::at(&source.path, error))
        });
        let (text, path) = match counted {
            Ok((Some(text), path)) => (text, path),
            Ok((None, _)) => return Ok::<_, Error>(()),
            Err(error @ Error::Config(_)) => return Err(error),
            Err(error) => {
                printer.error(&error);
                return Ok(());
            }
        };
        let profile = text.counter.profile(text.encoding, text.pairs);
        report(args.format, &Subject::of(Some(&path), &text), &profile, printer)?;
        files += 1;
        bytes += text.bytes;
        pairs += text.pairs;
        all.merge(&text.counter);
        common = Some(common.map_or(text.encoding, |before| {
            if before == text.encoding { before } else { AnyEncoding::Utf8 }
        }));
        Ok(())
    };
    for source in sources(&args.input, Some("."))? {
        match source {
            Ok(source) => each_text(&source, args.input.unpack.unpack(), &mut take)?,
            Err(error) => take(Err(error))?,
        }
    }
    if files != 1 || args.format == Format::Jsonl {
        let encoding = common.unwrap_or(AnyEncoding::Utf8);
        let total = Subject { path: None, files, encoding, bytes, bom: None };
        report(args.format, &total, &all.profile(encoding, pairs), printer)?;
    }
    Ok(Status::Clean)
}

/// A file that was counted.
struct Text {
    encoding: AnyEncoding,
    bytes: u64,
    bom: bool,
    pairs: u64,
    counter: Counter,
}

/// Counts a source; `None` if it is a binary file that nobody named.
fn count(
    source: &Source,
    wish: &Wish,
    args: &StatsArgs,
    threads: usize,
    printer: &mut Printer,
) -> io::Result<Option<Text>> {
    let mut blocks = Blocks::of(source.open()?)?;
    let head = blocks.head(HEAD)?;
    let Some(label) = wish.label(args.encoding.encoding) else { return Ok(None) };
    if source.kind == Kind::Walked && (wish.excluded || !args.input.binary && is_binary(&head)) {
        return Ok(None);
    }
    printer.expect(blocks.len().unwrap_or(0));
    let encoding = label.resolve(&head).0;
    let (mut bytes, mut ends) = (0, Stats::new());
    // Each counter goes from block to block; together they are as many as there are threads.
    let (back, idle) = unbounded::<Counter>();
    let work = |block: &mut Block| {
        let mut counter = idle.try_recv().unwrap_or_default();
        let items = block.items(encoding);
        let ends = counter.count(encoding, block.bytes.get(items).unwrap_or_default());
        let _ = back.send(counter);
        (block.own.len() as u64, ends)
    };
    blocks.each(threads, work, |block| {
        let (len, found) = block?;
        bytes += len;
        ends.merge(&found);
        printer.advance(len);
        Ok::<_, io::Error>(())
    })?;
    let mut counter = idle.try_recv().unwrap_or_default();
    idle.try_iter().for_each(|other| counter.merge(&other));
    Ok(Some(Text { encoding, bytes, bom: has_bom(encoding, &head), pairs: ends.both, counter }))
}

/// What the numbers are about.
pub(crate) struct Subject<'p> {
    /// The file; `None`: all of them.
    pub(crate) path: Option<&'p Path>,
    /// How many files.
    pub(crate) files: u64,
    /// What they were read as.
    pub(crate) encoding: AnyEncoding,
    /// Their size.
    pub(crate) bytes: u64,
    /// Whether the file begins with a byte order mark.
    pub(crate) bom: Option<bool>,
}

impl<'p> Subject<'p> {
    fn of(path: Option<&'p Path>, text: &Text) -> Subject<'p> {
        Subject { path, files: 1, encoding: text.encoding, bytes: text.bytes, bom: Some(text.bom) }
    }
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
struct Line<'n> {
    r#type: &'static str,
    #[serde(flatten)]
    path: Option<PathFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    encoding: &'static str,
    bytes: u64,
    code_points: u64,
    lines: u64,
    errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bom: Option<bool>,
    line_ends: BTreeMap<&'static str, u64>,
    lengths: BTreeMap<usize, u64>,
    planes: BTreeMap<usize, u64>,
    blocks: &'n BTreeMap<&'static str, u64>,
    scripts: &'n BTreeMap<&'static str, u64>,
    sizes: BTreeMap<&'static str, Option<u64>>,
}

/// Prints the numbers.
fn report(
    format: Format,
    subject: &Subject<'_>,
    profile: &Profile,
    printer: &mut Printer,
) -> Result<(), Error> {
    if format == Format::Human {
        return bars::print(subject, profile, printer);
    }
    let some = |counts: &[u64]| -> BTreeMap<usize, u64> {
        counts.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
    };
    let ends = [("lf", profile.line_feeds), ("cr", profile.carriage_returns), ("crlf", profile.pairs)];
    let line = Line {
        r#type: if subject.path.is_some() { "file" } else { "total" },
        path: subject.path.map(PathFields::of),
        files: subject.path.is_none().then_some(subject.files),
        encoding: subject.encoding.name(),
        bytes: subject.bytes,
        code_points: profile.code_points,
        lines: profile.lines(),
        errors: profile.errors,
        bom: subject.bom,
        line_ends: ends.into(),
        lengths: some(&profile.lengths),
        planes: some(&profile.planes),
        blocks: &profile.blocks,
        scripts: &profile.scripts,
        sizes: profile.sizes.iter().copied().collect(),
    };
    json::line(&line, printer)
}
