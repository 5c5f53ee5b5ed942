//! `utf8 stats`: prints statistics about the text of each file and of all files together.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crossbeam_channel::unbounded;
use serde::{Serialize, Serializer};
use utf8kit::summary::Stats;
use utf8kit::{AnyEncoding, Converter, Policy, Utf8};
use utf8kit_detect::SNIFF_LEN;
use utf8kit_detect::stats::{Counter, LanguageProfile, Profile};
use utf8kit_encodings::charset::{Charset, Codec, has_bom};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::json::PathFields;
use utf8kit_files::{
    Block, Blocks, Cut, FileError, Pace, SMALL_FILES, Skip, Source, Unpack, batches, each_text, in_order, sniff,
};

use crate::args::{Format, StatsArgs, UTF8};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::json;
use crate::printer::Printer;
use crate::render::bars::{self, Subject};
use crate::skips::Skips;

const UTF8_TEXT: Codec = Codec::Native(AnyEncoding::Utf8);

/// The number of bytes of a file that are read for its languages and readability.
const BYTES_READ_FOR_LANGUAGES: usize = 32 * 1024;

/// The most threads. It is low because each has a counter for every code point.
const MAX_THREADS: usize = 4;

/// Runs the command.
pub(crate) fn run(args: &StatsArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let encoding = args.read.encoding.charset()?;
    let threads = args.read.threads.count().min(MAX_THREADS);
    let rules = Rules { args, config, encoding, threads, unpack: args.read.input.unpack.unpack() };
    let sources = sources(&args.read.input, Some("."))?;
    printer.begin_all(&sources);
    let over_files = if sources.is_single() { 1 } else { threads };
    // Counters are reused for the next batch, so there is one for each thread.
    let workers: Mutex<Vec<Worker>> = Mutex::default();
    let idle = || workers.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |(): &mut (), batch: Vec<Result<Source, FileError>>| {
        let mut worker = idle().pop().unwrap_or_default();
        let mut examine = |source: Source| {
            let outcome = rules.examine(&source, &mut worker);
            (source, outcome)
        };
        let examined: Vec<_> = batch.into_iter().map(|source| source.map(&mut examine)).collect();
        idle().push(worker);
        examined
    };
    let mut totals = Totals::default();
    in_order(
        Pace::Full,
        over_files,
        batches(sources, SMALL_FILES),
        || (),
        work,
        |examined| {
            examined.into_iter().try_for_each(|examined| match examined {
                Ok((source, Ok(Some(counted)))) => {
                    let bytes = counted.text.bytes;
                    totals.take(args, &source, Ok(counted), printer)?;
                    printer.advance(bytes)
                }
                Ok((source, Ok(None))) => each_text(&source, rules.unpack, &mut |text| match text {
                    Ok(text) => {
                        let counted = rules.count(&text, &mut totals.counter, printer);
                        totals.take(args, &text, counted, printer)
                    }
                    Err(error) => printer.recover(error.into()),
                }),
                Ok((source, Err(reason))) => totals.take(args, &source, Err(reason), printer),
                Err(error) => printer.recover(error.into()),
            })
        },
    )?;
    if totals.files > 1 || args.format == Format::Jsonl {
        let workers = workers.into_inner().unwrap_or_else(PoisonError::into_inner);
        report_total(args.format, &totals, workers, printer)?;
    }
    totals.skips.report(totals.all, true, printer);
    Ok(Status::Clean)
}

/// Reports the totals over all files and workers.
fn report_total(format: Format, totals: &Totals, mut workers: Vec<Worker>, printer: &mut Printer) -> Result<(), Error> {
    let label = totals.encoding.unwrap_or(UTF8_TEXT);
    let encoding = label.native();
    // The counter of a worker has cached the properties of most code points.
    let cached = workers.first_mut().map(|worker| std::mem::take(&mut worker.counter));
    let mut counter = cached.unwrap_or_default();
    workers.iter().map(|worker| &worker.all).chain([&totals.counter]).for_each(|all| counter.merge(all));
    let total = Subject { path: None, files: totals.files, encoding: label, bytes: totals.bytes, bom: None };
    let profile = counter.profile(encoding, totals.crlf);
    report(format, &total, &profile, &totals.prose, &totals.skips, printer)
}

/// The totals of all files.
#[derive(Default)]
struct Totals {
    files: u64,
    bytes: u64,
    crlf: u64,
    prose: LanguageProfile,
    /// Counts the files that the worker threads leave.
    counter: Counter,
    /// The encoding, if all files have the same; the total then includes lengths in it.
    encoding: Option<Codec>,
    /// The files that were not counted, and how many there are with them.
    skips: Skips,
    all: u64,
}

impl Totals {
    /// Reports a file, or why it was not counted.
    fn take(
        &mut self,
        args: &StatsArgs,
        source: &Source,
        counted: Result<Counted, Uncounted>,
        printer: &mut Printer,
    ) -> Result<(), Error> {
        let Counted { text, profile, prose } = match counted {
            Ok(counted) => counted,
            Err(Uncounted::Skipped(reason)) => {
                self.all += 1;
                self.skips.add(source, &reason, printer);
                return Ok(());
            }
            Err(Uncounted::Failed(error)) => return printer.recover(error),
        };
        self.files += 1;
        self.all += 1;
        self.bytes += text.bytes;
        self.crlf += text.crlf;
        self.prose.merge(&prose);
        self.encoding = Some(
            self.encoding.map_or(text.encoding, |before| if before == text.encoding { before } else { UTF8_TEXT }),
        );
        report(args.format, &text.subject(&source.path), &profile, &prose, &Skips::default(), printer)
    }
}

/// The counters of a thread.
#[derive(Default)]
struct Worker {
    block: Block,
    /// Counts the current file and all previous files.
    counter: Counter,
    all: Counter,
}

/// A file that was counted.
struct Counted {
    text: Text,
    profile: Box<Profile>,
    prose: LanguageProfile,
}

/// Why a file was not counted.
enum Uncounted {
    Skipped(Skip),
    Failed(Error),
}

impl From<Error> for Uncounted {
    fn from(error: Error) -> Uncounted {
        Uncounted::Failed(error)
    }
}

/// The rules for counting.
struct Rules<'c> {
    args: &'c StatsArgs,
    config: &'c Config,
    /// The encoding given on the command line.
    encoding: Option<Charset>,
    threads: usize,
    unpack: Option<Unpack>,
}

impl Rules<'_> {
    /// Opens a source and counts it. Returns `None` if it is large or compressed, and must be counted with all threads
    /// when its turn comes.
    fn examine(&self, source: &Source, worker: &mut Worker) -> Result<Option<Counted>, Uncounted> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let Worker { block, counter, all } = worker;
        if !source.is_regular().map_err(at)?
            || !source.open().and_then(Blocks::of).and_then(|blocks| blocks.read_whole(block)).map_err(at)?
        {
            return Ok(None);
        }
        let head = &block.bytes[..block.bytes.len().min(SNIFF_LEN)];
        if self.unpack.is_some() && sniff(head).is_some() {
            return Ok(None);
        }
        let label = self.encoding(source, head)?;
        let Codec::Native(encoding) = label else { return Ok(None) };
        let bom = has_bom(encoding, head);
        let ends = counter.count(encoding, &block.bytes);
        let prose = read(encoding, block.bytes.get(..BYTES_READ_FOR_LANGUAGES).unwrap_or(&block.bytes));
        let text = Text { encoding: label, bytes: block.bytes.len() as u64, bom, crlf: ends.crlf };
        let profile = Box::new(counter.profile(encoding, text.crlf));
        all.merge(counter);
        counter.clear();
        Ok(Some(Counted { text, profile, prose }))
    }

    /// Returns the encoding of a source, or the reason to skip it.
    fn encoding(&self, source: &Source, head: &[u8]) -> Result<Codec, Uncounted> {
        let settings = self.config.of(source)?;
        if let Some(reason) = settings.skip_by(source, head, self.args.read.input.binary) {
            return Err(Uncounted::Skipped(reason));
        }
        let charset = self.encoding.or(settings.encoding).unwrap_or(Charset::Named(UTF8));
        Ok(charset.reader(head).0)
    }

    /// Counts a source of any length, and adds it to the totals.
    fn count(&self, source: &Source, all: &mut Counter, printer: &mut Printer) -> Result<Counted, Uncounted> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?.at_rest();
        let head = blocks.head(SNIFF_LEN).map_err(at)?;
        let label = self.encoding(source, &head)?;
        // Text in a legacy encoding is counted as UTF-8.
        let mut decoded = None;
        if let Codec::Legacy(legacy) = label {
            let (text, done) = source.decoded(Charset::Legacy(legacy)).map_err(at)?;
            blocks = text.open().and_then(Blocks::of).map_err(at)?.at_rest();
            decoded = Some(done);
        }
        let encoding = label.native();
        let prose = read(encoding, &blocks.head(BYTES_READ_FOR_LANGUAGES).map_err(at)?);
        printer.begin(&blocks);
        let (mut bytes, mut ends) = (0, Stats::new());
        // Counters are reused for the next block, so there is one for each thread.
        let (back, idle) = unbounded::<Counter>();
        let work = |block: &mut Block| {
            let mut counter = idle.try_recv().unwrap_or_default();
            let items = block.items(encoding);
            let ends = counter.count(encoding, block.bytes.get(items).unwrap_or_default());
            let _ = back.send(counter);
            (block.own.len() as u64, ends)
        };
        blocks.each(Cut::Item(encoding), self.threads, work, |block| {
            let (len, found) = block.map_err(at)?;
            bytes += len;
            ends.merge(&found);
            printer.advance(len)
        })?;
        let mut counter = idle.try_recv().unwrap_or_default();
        idle.try_iter().for_each(|other| counter.merge(&other));
        let bom = decoded.is_none() && has_bom(encoding, &head);
        let mut text = Text { encoding: label, bytes, bom, crlf: ends.crlf };
        let mut profile = Box::new(counter.profile(encoding, text.crlf));
        if let Some(done) = decoded {
            (text.bytes, profile.errors) = (done.bytes(), done.errors());
        }
        all.merge(&counter);
        Ok(Counted { text, profile, prose })
    }
}

/// Reads the beginning of a text.
fn read(encoding: AnyEncoding, head: &[u8]) -> LanguageProfile {
    let mut text = Vec::new();
    // A lossy conversion never stops. A character that the end of the head cuts is left out.
    let _ = Converter::lossy(encoding, Utf8, Policy::REPLACE).push(head, &mut text);
    LanguageProfile::of(&String::from_utf8_lossy(&text))
}

/// The encoding of a file.
trait Native {
    /// Returns the encoding that is counted in.
    fn native(self) -> AnyEncoding;
}

impl Native for Codec {
    fn native(self) -> AnyEncoding {
        match self {
            Codec::Native(encoding) => encoding,
            _ => AnyEncoding::Utf8,
        }
    }
}

/// The text of a file.
struct Text {
    encoding: Codec,
    bytes: u64,
    bom: bool,
    crlf: u64,
}

impl Text {
    fn subject<'p>(&self, path: &'p Path) -> Subject<'p> {
        let Text { encoding, bytes, bom, .. } = *self;
        Subject { path: Some(path), files: 1, encoding, bytes, bom: Some(bom) }
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
    line_ends: LineEndCounts,
    #[serde(serialize_with = "by_index")]
    lengths: &'n [u64],
    #[serde(serialize_with = "by_index")]
    planes: &'n [u64],
    blocks: &'n BTreeMap<&'static str, u64>,
    scripts: &'n BTreeMap<&'static str, u64>,
    languages: &'n BTreeMap<&'static str, u64>,
    readability: Option<f64>,
    #[serde(serialize_with = "as_map")]
    sizes: &'n [(&'static str, Option<u64>)],
    #[serde(skip_serializing_if = "Skips::is_empty")]
    skipped: &'n Skips,
}

#[derive(Serialize)]
struct LineEndCounts {
    cr: u64,
    crlf: u64,
    lf: u64,
}

/// Writes counts by their index, without those that are 0.
fn by_index<S: Serializer>(counts: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().enumerate().filter(|&(_, &count)| count > 0))
}

/// Writes pairs of a name and a size as a map, in the order of the list.
fn as_map<S: Serializer>(sizes: &[(&str, Option<u64>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(sizes.iter().copied())
}

/// Prints the numbers.
fn report(
    format: Format,
    subject: &Subject<'_>,
    profile: &Profile,
    prose: &LanguageProfile,
    skipped: &Skips,
    printer: &mut Printer,
) -> Result<(), Error> {
    match format {
        Format::Jsonl => {}
        Format::Short => {
            let name = subject.path.map_or("total".to_owned(), |path| Name(path).to_string());
            let (bytes, code_points) = (counted(subject.bytes, "byte"), counted(profile.code_points, "code point"));
            let (lines, errors) = (counted(profile.lines(), "line"), counted(profile.errors, "error"));
            let encoding = subject.encoding.name();
            return printer.print(format_args!("{name}: {encoding}, {bytes}, {code_points}, {lines}, {errors}\n"));
        }
        _ => return bars::print(subject, profile, prose, printer),
    }
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
        line_ends: LineEndCounts { cr: profile.carriage_returns, crlf: profile.crlf, lf: profile.line_feeds },
        lengths: &profile.lengths,
        planes: &profile.planes,
        blocks: &profile.blocks,
        scripts: &profile.scripts,
        languages: &prose.languages,
        readability: prose.readability(),
        sizes: &profile.sizes,
        skipped,
    };
    json::line(&line, printer)
}
