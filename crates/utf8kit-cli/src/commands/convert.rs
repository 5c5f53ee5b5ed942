//! `utf8 convert`: converts inputs to one output.

use std::io;

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_text::Counts;
use utf8kit_text::charset::{Charset, Codec};
use utf8kit_text::convert::{Conversion, ConversionError, HEAD, Invalid};
use utf8kit_text::detect::Confidence;
use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::place_of;
use utf8kit_text::files::{
    Blocks, FileError, Sink, Source, convert_blocks, detect_ahead, line_column, only_text,
};
use utf8kit_text::repair::Patching;
use utf8kit_text::rows::RowPlace;

use crate::args::{BomArg, ConvertArgs, Origin, RowArgs};
use crate::commands::convert_in_place;
use crate::commands::reject::Rejection;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::output::Output;
use crate::printer::Printer;
use crate::{input, options};

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    if args.list {
        for name in Charset::names() {
            printer.print(format_args!("{name}\n"))?;
        }
        return Ok(Status::Clean);
    }
    let invalid = if args.discard { Invalid::Remove } else { args.invalid.into() };
    let from = match args.from {
        Some(Origin::Named(charset)) => charset,
        // Each file has its own encoding.
        Some(Origin::Auto) | None => Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8)),
    };
    let patching = args.fallback.map(|fallback| {
        let mut patching = Patching::new(fallback.codec());
        patching.per_line = args.per_line;
        patching
    });
    if patching.is_some() && !is_dialect(from.writer()) {
        return Err(Error::usage("--fallback is for utf-8 and its dialects"));
    }
    let rewrite = args.rewrite.rewrite();
    let mut conversion = Conversion::new(from, args.to);
    (conversion.invalid, conversion.bom, conversion.rewrite) = (invalid, args.bom.into(), rewrite);
    if args.bom == BomArg::Add && args.to.writer().mark().is_none() {
        return Err(Error::usage(format!("{} has no byte order mark to add", args.to)));
    }
    if let Some(suffix) = &args.in_place {
        return convert_in_place::run(args, suffix, conversion, config, printer);
    }
    let sources = match args.paths.as_slice() {
        [] => vec![input::only(None)?],
        paths => paths.iter().map(|path| Source::named(path)).collect(),
    };
    let output = Output::create(args.output.as_deref())?;
    let rejection = match &args.rows.reject {
        Some(path) if invalid == Invalid::Strict && patching.is_none() && !rewrite.transliterate => {
            let others = sources.iter().map(|source| &*source.path).chain(args.output.as_deref());
            let others: Vec<_> = others.collect();
            Some(Rejection::new(
                &args.rows,
                args.target.demands(),
                path,
                &others,
                options::threads(args.threads),
            )?)
        }
        Some(_) => {
            let refused = "--reject puts aside what --invalid, --fallback and --transliterate deal with: \
                           give one of them";
            return Err(Error::usage(refused));
        }
        None if args.target.demands().is_any() => {
            return Err(Error::usage(
                "--for and --max-bytes go with --reject here, which puts rows aside; to change them, pass the result \
                 on to `utf8 repair --for`",
            ));
        }
        None => None,
    };
    let mut conversions = Conversions {
        conversion,
        auto: args.from == Some(Origin::Auto),
        patching,
        threads: options::threads(args.threads),
        output,
        rows: &args.rows,
        rejection,
        printer,
        counts: Counts::default(),
        patched: Counts::default(),
    };
    let mut whole = true;
    for source in &sources {
        if args.from.is_none() {
            conversions.conversion.from = config.of(source)?.encoding.unwrap_or(from);
        }
        let text = only_text(source, args.unpack.unpack()).map_err(Stop::from);
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
    let Conversions { output, rejection, counts, patched, .. } = conversions;
    if whole {
        rejection.map_or(Ok(0), Rejection::commit)?;
        output.commit()?;
    }
    if let (Some(fallback), 1..) = (args.fallback, patched.total()) {
        let places = counted(patched.total(), "place");
        printer.message(format_args!("read {places} as {fallback}: {patched}"));
    }
    if let characters @ 1.. = counts.transliterated() {
        printer.message(format_args!("transliterated {}", counted(characters, "character")));
    }
    if counts.total() > 0 {
        let (word, total) = (invalid.participle(), counts.counted_total());
        printer.message(format_args!("{word} {total}: {counts}"));
    }
    Ok(Status::Clean)
}

/// Reports whether the encoding is UTF-8 or a dialect of it.
fn is_dialect(codec: Codec) -> bool {
    matches!(codec, Codec::Native(encoding) if encoding.is_dialect())
}

/// The reason why a source is not converted to its end.
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
    conversion: Conversion,
    /// Whether the encoding of each source is detected.
    auto: bool,
    patching: Option<Patching>,
    threads: usize,
    output: Output,
    rows: &'p RowArgs,
    rejection: Option<Rejection<'p>>,
    printer: &'p mut Printer,
    /// The losses, and the counts of what was decoded from the fallback encoding.
    counts: Counts,
    patched: Counts,
}

impl Conversions<'_> {
    /// Converts one source. Returns `false` if a strict conversion stopped in it.
    fn source(&mut self, source: &Source) -> Result<bool, Stop> {
        let at = |error: io::Error| FileError::io(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        if self.auto {
            self.conversion.from = self.detected(source, &mut blocks).map_err(at)?;
        }
        if let Some(rejection) = &mut self.rejection {
            let sifted = rejection.source(
                source,
                blocks,
                self.conversion.from,
                Some(&self.conversion),
                &mut self.output,
                self.printer,
            );
            return sifted.map(|()| true).map_err(Stop::Output);
        }
        let plan = self.conversion.start(&blocks.head(HEAD).map_err(at)?);
        self.printer.expect(blocks.len().unwrap_or(0));
        let converted = convert_blocks(&source.path, blocks, &plan, self.patching, self.threads, self)?;
        self.counts.merge(&converted.counts);
        self.patched.merge(&converted.patched);
        if let Some(error) = &converted.error {
            self.report_error(source, error);
        }
        Ok(converted.error.is_none())
    }

    /// Detects the encoding of a source.
    fn detected(&mut self, source: &Source, blocks: &mut Blocks) -> io::Result<Charset> {
        let guess = detect_ahead(blocks, self.threads.min(2))?;
        let Some(charset) = guess.charset(&blocks.head(HEAD)?) else {
            return Err(io::Error::other("does not look like text: name its encoding with --from"));
        };
        if guess.confidence != Confidence::Certain || guess.doubled.is_some() {
            let name = Name(&source.path);
            let (encoding, confidence) = (guess.encoding.unwrap_or_default(), guess.confidence.name());
            let doubled = guess
                .doubled
                .map_or(String::new(), |encoding| format!(", encoded twice by way of {encoding}"));
            self.printer.message(format_args!("{name}: read as {encoding}{doubled} ({confidence})"));
        }
        Ok(charset)
    }

    /// Reports where a strict conversion stopped, and why.
    fn report_error(&mut self, source: &Source, error: &ConversionError) {
        let place = line_column(source, self.conversion.from, error.offset, self.threads);
        let place = place.map_or(String::new(), |place| format!(":{}:{}", place.line, place.column));
        let reason = error.describe(&self.conversion.from, &self.conversion.to);
        let row = self.row(source, error.offset).map_or(String::new(), |row| format!(" ({row})"));
        self.printer.message(format_args!("{}{place}: {reason}{row}", Name(&source.path)));
    }
}

impl Conversions<'_> {
    /// Returns the row and field of a place, if the source has rows and can be read again.
    fn row(&self, source: &Source, offset: u64) -> Option<RowPlace> {
        if !source.is_regular().ok()? {
            return None;
        }
        let mut blocks = source.open().and_then(Blocks::of).ok()?;
        let codec = self.conversion.from.reader(&blocks.head(HEAD).ok()?).0;
        place_of(blocks, &self.rows.syntax(codec).ok()??, offset).ok()?
    }
}

impl Sink for Conversions<'_> {
    type Error = Stop;

    fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.output.write(bytes, self.printer).map_err(Stop::Output)
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Stop> {
        self.printer.advance(bytes);
        Ok(())
    }
}
