//! `utf8 convert` of any number of inputs to one output.

use std::io;
use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_detect::repair::{Patching, RepairPolicy};
use utf8kit_detect::{Confidence, Guess};
use utf8kit_encodings::Counts;
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::{Charset, Codec, has_bom};
use utf8kit_encodings::convert::{BomHandling, Conversion, ConversionError, Invalid, MAX_BOM_LEN};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{
    BEGINNING_LEN, Beginning, Blocks, FileError, Repair, Sink, Skip, Source, convert_blocks, convert_dump,
    detect_ahead, detect_blocks, is_joined, line_column, only_text, place_of,
};
use utf8kit_records::rows::{DumpConversion, DumpFormat, RowPlace, StoppedDump};

use super::decision::{bom_of, doubt};
use crate::action::{destination, written};
use crate::args::{ConvertArgs, Origin, UTF8};
use crate::commands::rejects::Rejection;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input;
use crate::loss;
use crate::output::Output;
use crate::printer::Printer;
use crate::suggestion::{self, Destination, Help};

/// Converts all inputs. Bad rows go to the file `reject`, if given.
pub(super) fn run(
    args: &ConvertArgs,
    conversion: Conversion,
    patching: Option<Patching>,
    reject: Option<&Path>,
    config: &Config,
    printer: &mut Printer,
) -> Result<Status, Error> {
    let sources = match input::roots(&args.input)? {
        paths if args.tail => vec![input::growing(&paths.unwrap_or_default())?],
        Some(paths) => paths.iter().map(|path| Source::named(path)).collect(),
        None => vec![input::only(None)?],
    };
    let threads = args.threads.count();
    let mut others: Vec<_> = sources.iter().map(|source| &*source.path).collect();
    let output = Output::create(args.output.output.as_deref(), &others)?;
    others.extend(written(args.output.output.as_deref()));
    let rejection =
        reject.map(|path| Rejection::new(&args.rows, args.target.demands(), path, &others, threads)).transpose()?;
    let (counts, patched) = (Counts::default(), Counts::default());
    let mut conversions = Conversions {
        args,
        conversion,
        bom: conversion.bom,
        patching,
        threads,
        output,
        rejection,
        printer,
        counts,
        patched,
        is_doubtful: false,
    };
    let mut whole = true;
    for source in &sources {
        if args.from.is_none() {
            conversions.conversion.from = config.of(source)?.encoding.unwrap_or(conversion.from);
        }
        let unpack = args.input.unpack.unpack().filter(|_| !args.tail);
        let text = only_text(source, unpack).map_err(Stop::from);
        match text.and_then(|text| conversions.source(&text)) {
            Ok(true) => {}
            Ok(false) => return Ok(Status::Findings),
            Err(Stop::Input(error)) => {
                whole = false;
                conversions.printer.error(&error.into());
            }
            Err(Stop::Output(error)) => return Err(error),
        }
    }
    conversions.report_counts();
    let Conversions { output, rejection, is_doubtful, .. } = conversions;
    if whole {
        rejection.map_or(Ok(0), Rejection::commit)?;
        output.commit()?;
    }
    Ok(if is_doubtful { Status::Findings } else { Status::Clean })
}

/// Why a source was not converted completely.
enum Stop {
    /// The input cannot be read.
    Input(FileError),
    /// The output cannot be written.
    Output(Error),
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Stop {
        Stop::Input(error)
    }
}

/// The state that is shared by all sources.
struct Conversions<'p> {
    args: &'p ConvertArgs,
    conversion: Conversion,
    /// The handling of byte order marks that the arguments ask for.
    bom: BomHandling,
    patching: Option<Patching>,
    threads: usize,
    output: Output,
    rejection: Option<Rejection<'p>>,
    printer: &'p mut Printer,
    /// The losses, and the counts of what was decoded from the fallback encoding.
    counts: Counts,
    patched: Counts,
    /// Whether any output may differ from what the user intended.
    is_doubtful: bool,
}

impl<'p> Conversions<'p> {
    /// Returns where the result goes.
    fn to(&self) -> Destination<'p> {
        destination(&self.args.output, &self.args.input).of(&self.conversion)
    }

    /// Converts one source. Returns `false` if a strict conversion stopped in it.
    fn source(&mut self, source: &Source) -> Result<bool, Stop> {
        let at = |error: io::Error| FileError::io(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        if self.args.from == Some(Origin::Auto) {
            match self.detected(source, &mut blocks).map_err(at)? {
                Some((from, guess)) => {
                    (self.conversion.from, self.conversion.bom) = (from, self.bom);
                    self.conversion.bom = bom_of(&guess, &self.conversion);
                }
                None => return Ok(false),
            }
        }
        let to = self.to();
        if let Some(rejection) = &mut self.rejection {
            let beginning = blocks.retain_prefix(BEGINNING_LEN);
            let filtered = rejection.source(
                source,
                blocks,
                self.conversion.from,
                Some(&self.conversion),
                &mut self.output,
                self.printer,
            );
            filtered.map_err(Stop::Output)?;
            if self.is_named_other() {
                let is_misread = loss::warn_of_misread(source, &beginning, &self.conversion, to, self.printer);
                self.is_doubtful |= is_misread && !self.args.force;
            }
            return Ok(true);
        }
        if let Some(format) = self.args.rows.dump().map_err(Stop::Output)? {
            return self.dump(source, blocks, format);
        }
        let head = blocks.head(MAX_BOM_LEN).map_err(at)?;
        let mut plan = self.conversion.start(&head);
        if source.is_regular().map_err(at)? && !self.args.tail {
            let again = source.open().and_then(Blocks::of);
            plan.rewrite.remove_marks = again.and_then(|blocks| is_joined(blocks, &plan)).map_err(at)?;
        }
        self.printer.begin(&blocks);
        let beginning = blocks.retain_prefix(BEGINNING_LEN);
        let converted = convert_blocks(&source.path, blocks, &plan, self.patching, self.threads, self)?;
        self.counts.merge(&converted.counts);
        self.patched.merge(&converted.patched);
        let is_lossy = match (plan.from, self.patching) {
            (Codec::Native(encoding), Some(patching)) if converted.patched.total() > 0 => {
                let policy = match patching.per_line {
                    true => RepairPolicy::FallbackLines(patching.fallback),
                    false => RepairPolicy::Fallback(patching.fallback),
                };
                let repair = Repair::Text { policy, encoding: EncodingLabel::Exact(encoding) };
                loss::warn("conversion", source, &beginning, &repair, self.threads, to, self.printer)
            }
            (Codec::Legacy(_), _) if has_bom(AnyEncoding::Utf8, &head) => {
                self.printer.message(format_args!(
                    "{}: begins with the byte order mark of UTF-8, and this conversion reads it as {}",
                    Name(&source.path),
                    self.conversion.from
                ));
                true
            }
            _ if converted.error.is_some() => false,
            _ if self.is_named_other() => loss::warn_of_misread(source, &beginning, &self.conversion, to, self.printer),
            _ if converted.counts.errors() > 0 && self.conversion.invalid != Invalid::Escape => {
                loss::warn_of_loss(source, &beginning, &self.conversion, to, self.printer)
            }
            _ => false,
        };
        self.is_doubtful |= is_lossy && !self.args.force;
        if converted.error.is_none() {
            self.is_doubtful |= loss::report_lengths(source, &beginning, &self.conversion, self.printer);
        }
        if let Some(error) = &converted.error {
            self.report_error(source, &beginning, error);
        }
        Ok(converted.error.is_none())
    }

    /// Converts a dump of a database from its declared encoding or a given one.
    fn dump(&mut self, source: &Source, blocks: Blocks, format: DumpFormat) -> Result<bool, Stop> {
        let given = match self.args.from {
            Some(Origin::Named(charset)) => Some(charset),
            _ => None,
        };
        let Conversion { to, invalid, .. } = self.conversion;
        let Some(conversion) = DumpConversion::new(format, to, invalid) else { return Ok(true) };
        self.printer.begin(&blocks);
        let done = convert_dump(&source.path, blocks, &conversion, given, self.threads, self)?;
        self.counts.merge(&done.counts);
        let (name, rows) = (Name(&source.path), format.name());
        if let Some(StoppedDump { error, from, place, .. }) = done.stopped {
            let place = place.map_or(String::new(), |place| format!(" ({place})"));
            let reason = match &error {
                Some(error) => error.describe(&from, &to),
                None => {
                    format!("declares {from}, which is not a known encoding: name the encoding with --from")
                }
            };
            let at = error.and_then(|error| line_column(source, Charset::Named(UTF8), error.offset, self.threads));
            let at = at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
            self.printer.message(format_args!("{name}{at}: {reason}{place}"));
            if given.is_none() && from == UTF8.name() {
                let is_utf8 = self.to().is_utf8();
                let words = suggestion::for_values(format, &source.path, self.to());
                let words = if is_utf8 { words } else { Help::default() };
                self.printer.message(format_args!("{name}: its values may be in several encodings{words}"));
            }
            return Ok(false);
        }
        if done.twice > 0 {
            let values = counted(done.twice, "value");
            self.printer.message(format_args!(
                "{name}: {values} declared to be in another encoding may be UTF-8, and would be encoded twice then: \
                 try --from utf-8, or utf8 mojibake --rows {rows} with the result"
            ));
        }
        if !done.declares {
            self.printer.message(format_args!("{name}: it declares no encoding: load it as {to}"));
        }
        Ok(true)
    }

    /// Reports whether the encoding to convert from is a legacy encoding or UTF-16, and was given and not detected.
    fn is_named_other(&self) -> bool {
        let codec = self.conversion.from.writer();
        self.args.from != Some(Origin::Auto)
            && match codec {
                Codec::Native(encoding) => encoding == AnyEncoding::Latin1 || encoding.unit() == 2,
                Codec::Legacy(_) => true,
            }
    }

    /// Detects the encoding of a source. Prints the candidates and returns `None` if it is uncertain.
    fn detected(&mut self, source: &Source, blocks: &mut Blocks) -> io::Result<Option<(Charset, Guess)>> {
        // A followed file never ends, so its encoding is detected from its present content.
        let guess = match self.args.tail {
            true => detect_blocks(Source::file(&source.path).open().and_then(Blocks::of)?, 1)?,
            false => detect_ahead(blocks, self.threads.min(2))?,
        };
        let Some(charset) = guess.charset(&blocks.head(MAX_BOM_LEN)?) else {
            return Err(io::Error::other("does not look like text: name its encoding with --from"));
        };
        let name = Name(&source.path);
        if guess.utf8_lines > 0 && guess.artifact != Some(Artifact::Utf16) {
            let skip = Skip::mixed(&guess);
            let instead = suggestion::instead(&skip, &source.path, self.to());
            let looks = skip.looks().unwrap_or_default();
            self.printer.message(format_args!("{name}: not converted: {looks}{instead}"));
            return Ok(None);
        }
        if let Some((what, help)) = doubt(&guess, &source.path, self.to()) {
            let encoding = guess.encoding.unwrap_or_default();
            let is = if guess.confidence == Confidence::Certain { "is" } else { "may be" };
            self.printer.message(format_args!("{name}: not converted: it {is} {encoding}{what}{help}"));
            return Ok(None);
        }
        if guess.confidence != Confidence::Certain {
            let (encoding, confidence) = (guess.encoding.unwrap_or_default(), guess.confidence.name());
            self.printer.message(format_args!("{name}: read as {encoding} ({confidence})"));
        }
        Ok(Some((charset, guess)))
    }

    /// Reports the place and the reason where a strict conversion stopped.
    fn report_error(&mut self, source: &Source, beginning: &Beginning, error: &ConversionError) {
        let place = line_column(source, self.conversion.from, error.offset, self.threads);
        let place = place.map_or(String::new(), |place| format!(":{}:{}", place.line, place.column));
        let reason = error.describe(&self.conversion.from, &self.conversion.to);
        let row = self.row(source, error.offset).map_or(String::new(), |row| format!(" ({row})"));
        let (looks, help) = loss::of_stop(error, source, Some(beginning), &self.conversion, self.to());
        self.printer.message(format_args!("{}{place}: {reason}{row}{looks}{help}", Name(&source.path)));
    }
}

impl Conversions<'_> {
    /// Reports the changes in all sources.
    fn report_counts(&mut self) {
        let Conversions { args, conversion, counts, patched, printer, .. } = self;
        if let (Some(fallback), 1..) = (args.patching().map(|patching| patching.fallback), patched.total()) {
            let places = counted(patched.total(), "place");
            printer.message(format_args!("read {places} as {fallback}: {patched}"));
        }
        if let characters @ 1.. = counts.transliterated() {
            printer.message(format_args!("transliterated {}", counted(characters, "character")));
        }
        if let Some(removed) = loss::removed_marks(counts) {
            printer.message(format_args!("{removed}"));
        }
        if counts.total() > 0 {
            let (word, total) = (conversion.invalid.participle(), counts.counted_total());
            printer.message(format_args!("{word} {total}: {counts}"));
        }
    }

    /// Returns the row and field of a position, if the source has rows and can be read again.
    fn row(&self, source: &Source, offset: u64) -> Option<RowPlace> {
        if !source.is_regular().ok()? {
            return None;
        }
        let mut blocks = source.open().and_then(Blocks::of).ok()?;
        let codec = self.conversion.from.reader(&blocks.head(MAX_BOM_LEN).ok()?).0;
        place_of(blocks, &self.args.rows.syntax(codec, &self.args.target.demands()).ok()??, offset).ok()?
    }
}

impl Sink for Conversions<'_> {
    type Error = Stop;

    fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.output.write(bytes, self.printer).map_err(Stop::Output)
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Stop> {
        self.printer.advance(bytes).map_err(Stop::Output)
    }
}
