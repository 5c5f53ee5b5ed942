//! `utf8 convert`

use std::io;
use std::mem;

use crossbeam_channel::{Receiver, Sender, unbounded};
use utf8kit::{AnyEncoding, EncodingLabel, LineColumn, Summary};
use utf8kit_text::charset::{Charset, Codec, Fallback};
use utf8kit_text::convert::{
    Conversion, ConversionError, ConversionErrorKind, Converter, Counts, HEAD, Invalid, Plan, mistaken_kind,
};
use utf8kit_text::detect::{Confidence, Detector};
use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::{BLOCK, Block, Blocks, Input, Source, detect_blocks};
use utf8kit_text::repair::{RepairPolicy, Repairer};

use crate::args::{BomArg, ConvertArgs, Origin};
use crate::error::{Error, Status};
use crate::output::Output;
use crate::printer::Printer;
use crate::{input, options};

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, printer: &mut Printer) -> Result<Status, Error> {
    if args.list {
        for name in Charset::names() {
            printer.print(format_args!("{name}\n"))?;
        }
        return Ok(Status::Clean);
    }
    let invalid = if args.discard { Invalid::Remove } else { args.invalid.into() };
    let from = match args.from {
        Origin::Named(charset) => charset,
        // Each file has its own.
        Origin::Auto => Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8)),
    };
    let fallback = args.fallback.map(|fallback| Patching { fallback, per_line: args.per_line });
    if fallback.is_some() && dialect(from.writer()).is_none() {
        return Err(Error::usage("--fallback is for utf-8 and its dialects"));
    }
    let conversion = Conversion { from, to: args.to, invalid, bom: args.bom.into() };
    if args.bom == BomArg::Add && args.to.writer().mark().is_none() {
        return Err(Error::usage(format!("{} has no byte order mark to add", args.to)));
    }
    let sources = match args.paths.as_slice() {
        [] => vec![input::only(None)?],
        paths => paths.iter().map(|path| Source::named(path)).collect(),
    };
    let output = Output::create(args.output.as_deref())?;
    let mut conversions = Conversions {
        conversion,
        auto: args.from == Origin::Auto,
        fallback,
        patched: Counts::default(),
        threads: options::threads(args.threads),
        output,
        printer,
        counts: Counts::default(),
    };
    let mut whole = true;
    for source in &sources {
        match conversions.source(source) {
            Ok(()) => {}
            Err(Stop::Place(error)) => {
                conversions.tell(source, &error);
                return Ok(Status::Findings);
            }
            Err(Stop::Input(error)) => {
                whole = false;
                conversions.printer.error_at(&source.path, error);
            }
            Err(Stop::Output(error)) => return Err(error),
        }
    }
    let Conversions { output, counts, patched, .. } = conversions;
    if whole {
        output.commit()?;
    }
    if let (Some(patching), 1..) = (fallback, patched.total()) {
        let places = counted(patched.total(), "place");
        printer.message(format_args!("read {places} as {}: {patched}", patching.fallback));
    }
    if counts.total() > 0 {
        let places = counted(counts.total(), "place");
        printer.message(format_args!("{} {places}: {counts}", invalid.participle()));
    }
    Ok(Status::Clean)
}

/// Why a conversion ends early.
enum Stop {
    /// A place that cannot be carried over.
    Place(ConversionError),
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written.
    Output(Error),
}

/// What goes from source to source.
struct Conversions<'p> {
    conversion: Conversion,
    /// Whether each source is read as what it looks like.
    auto: bool,
    fallback: Option<Patching>,
    /// What was read in the fallback encoding.
    patched: Counts,
    threads: usize,
    output: Output,
    printer: &'p mut Printer,
    counts: Counts,
}

/// A block and what it became.
struct Converted {
    out: Vec<u8>,
    read: usize,
    counts: Counts,
    error: Option<ConversionError>,
}

impl Conversions<'_> {
    /// Converts one source.
    fn source(&mut self, source: &Source) -> Result<(), Stop> {
        let input = source.open().map_err(Stop::Input)?;
        let mut blocks = Blocks::of(input).map_err(Stop::Input)?;
        if self.auto {
            self.conversion.from = self.detected(source, &mut blocks).map_err(Stop::Input)?;
        }
        let head = blocks.head(HEAD).map_err(Stop::Input)?;
        self.printer.expect(blocks.len().unwrap_or(0));
        let plan = self.conversion.start(&head);
        self.output.write(&plan.prefix, self.printer).map_err(Stop::Output)?;
        let patch = self.fallback.and_then(|patching| patching.patch(plan.from));
        match (plan.splits(), patch) {
            (Some(encoding), None) => self.apart(blocks, &plan, encoding),
            (_, patch) => self.in_one(blocks, &plan, patch),
        }
    }

    /// What a source looks like: all of a file is asked, of what can be read once its beginning.
    fn detected(&mut self, source: &Source, blocks: &mut Blocks) -> io::Result<Charset> {
        let guess = match blocks.len() {
            Some(_) => detect_blocks(Blocks::of(source.open()?)?, self.threads.min(2))?,
            None => {
                let bytes = blocks.head(BLOCK)?;
                let mut detector = Detector::new();
                detector.push(&bytes);
                if bytes.len() < BLOCK { detector.finish() } else { detector.finish_early() }
            }
        };
        let Some(name) = guess.encoding else {
            return Err(io::Error::other("looks like no text: name its encoding with --from"));
        };
        let charset: Charset = name.parse().map_err(io::Error::other)?;
        let name = Name(&source.path);
        let doubled =
            guess.doubled.map_or(String::new(), |by_way| format!(", encoded twice by way of {by_way}"));
        if guess.confidence != Confidence::Certain || guess.doubled.is_some() {
            let confidence = guess.confidence.name();
            self.printer.message(format_args!("{name}: read as {charset}{doubled} ({confidence})"));
        }
        // In these a mark is no part of the text.
        let head = blocks.head(HEAD)?;
        let marked = [EncodingLabel::Utf16, EncodingLabel::Utf32].map(Charset::Named);
        let is_marked = |candidate: &Charset| {
            let (codec, mark) = candidate.reader(&head);
            mark > 0 && codec == charset.writer()
        };
        Ok(marked.into_iter().find(is_marked).unwrap_or(charset))
    }

    /// Converts each block by itself, with all threads.
    fn apart(&mut self, blocks: Blocks, plan: &Plan, encoding: AnyEncoding) -> Result<(), Stop> {
        // Buffers that were written out are used again.
        let (spent, spare): (Sender<Vec<u8>>, Receiver<Vec<u8>>) = unbounded();
        let work = |block: &mut Block| {
            let mut out = spare.try_recv().unwrap_or_default();
            out.clear();
            convert(plan, encoding, block, out)
        };
        blocks.each(self.threads, work, |converted| {
            let converted = converted.map_err(Stop::Input)?;
            self.output.write(&converted.out, self.printer).map_err(Stop::Output)?;
            let _ = spent.send(converted.out);
            self.counts.merge(&converted.counts);
            self.printer.advance(converted.read as u64);
            converted.error.map_or(Ok(()), |error| Err(Stop::Place(error)))
        })
    }

    /// Converts what cannot be cut, one block after the other; another thread may read ahead.
    fn in_one(&mut self, blocks: Blocks, plan: &Plan, mut patch: Option<Patch>) -> Result<(), Stop> {
        let mut converter = Converter::new(plan);
        let (mut out, mut skip) = (Vec::new(), plan.skip);
        let moved = |error: ConversionError, patch: &Option<Patch>| {
            let offset = patch.as_ref().map_or(error.offset, |patch| patch.source_offset(error.offset));
            Stop::Place(error.at(offset + plan.skip as u64))
        };
        let own = |block: &mut Block| (mem::take(&mut block.bytes), block.own.clone());
        blocks.each(self.threads.min(2), own, |block| {
            let (bytes, own) = block.map_err(Stop::Input)?;
            let text = bytes.get(own).and_then(|own| own.get(mem::take(&mut skip)..)).unwrap_or_default();
            out.clear();
            self.printer.advance(text.len() as u64);
            let text = patch.as_mut().map_or(text, |patch| patch.text(text, false));
            let pushed = converter.push(text, false, &mut out, &mut self.counts);
            self.output.write(&out, self.printer).map_err(Stop::Output)?;
            pushed.map_err(|error| moved(error, &patch))
        })?;
        out.clear();
        let text = patch.as_mut().map_or(&[][..], |patch| patch.text(&[], true));
        let ended = converter.push(text, true, &mut out, &mut self.counts);
        self.output.write(&out, self.printer).map_err(Stop::Output)?;
        if let Some(patch) = &patch {
            self.patched.merge(&patch.repairer.counts);
        }
        ended.map_err(|error| moved(error, &patch))
    }

    /// Tells where a strict conversion stopped, and why.
    fn tell(&mut self, source: &Source, error: &ConversionError) {
        let place = line_column(source, self.conversion.from, error.offset, self.threads);
        let place = place.map_or(String::new(), |place| format!(":{}:{}", place.line, place.column));
        let reason = error.describe(&self.conversion.from, &self.conversion.to);
        self.printer.message(format_args!("{}{place}: {reason}", Name(&source.path)));
    }
}

/// What is asked for where the input is ill-formed.
#[derive(Clone, Copy)]
struct Patching {
    fallback: Fallback,
    per_line: bool,
}

impl Patching {
    /// For an input in this encoding, if it is one that can be ill-formed in this sense.
    fn patch(self, from: Codec) -> Option<Patch> {
        let codec = self.fallback.codec();
        let policy =
            if self.per_line { RepairPolicy::FallbackLines(codec) } else { RepairPolicy::Fallback(codec) };
        let repairer = Repairer::new(policy, dialect(from)?);
        Some(Patch { repairer, out: Vec::new(), shift: 0, edits: Vec::new() })
    }
}

/// The dialect of UTF-8 that a codec is, if it is one.
fn dialect(codec: Codec) -> Option<AnyEncoding> {
    match codec {
        Codec::Native(encoding) if encoding.is_dialect() => Some(encoding),
        _ => None,
    }
}

/// Reads what is ill-formed in another encoding, before it is converted.
struct Patch {
    repairer: Repairer<'static>,
    out: Vec<u8>,
    /// By how much places before the last piece have moved, and where they moved further in it.
    shift: i64,
    edits: Vec<(u64, i64)>,
}

impl Patch {
    fn text(&mut self, text: &[u8], last: bool) -> &[u8] {
        self.out.clear();
        self.shift += self.edits.drain(..).map(|(_, shift)| shift).sum::<i64>();
        let edits = &mut self.edits;
        self.repairer.push(text, last, &mut self.out, &mut |edit| {
            let end = edit.offset + edit.before.len() as u64;
            edits.push((end, edit.after.len() as i64 - edit.before.len() as i64));
        });
        &self.out
    }

    /// Where in the source a place of the patched text is.
    fn source_offset(&self, patched: u64) -> u64 {
        let mut shift = self.shift;
        for &(end, further) in &self.edits {
            if end.saturating_add_signed(shift + further) > patched {
                break;
            }
            shift += further;
        }
        patched.saturating_add_signed(-shift)
    }
}

/// Converts the items that begin in a block; `out` is an empty buffer.
fn convert(plan: &Plan, encoding: AnyEncoding, block: &Block, mut out: Vec<u8>) -> Converted {
    let skip = plan.skip.saturating_sub(usize::try_from(block.base).unwrap_or(usize::MAX));
    let range = block.items(encoding);
    let start = range.start.max(skip);
    let items = block.bytes.get(start..range.end).unwrap_or_default();
    let mut counts = Counts::default();
    let mut error = Converter::new(plan).push(items, true, &mut out, &mut counts).err();
    let behind = block.bytes.get(start..).unwrap_or_default();
    match (&mut error, mistaken_kind(encoding, items, behind)) {
        (None, Some((seeming, real))) => counts.correct(seeming, real),
        (Some(error), Some((_, real))) if error.end() == items.len() as u64 => {
            error.kind = ConversionErrorKind::IllFormed(real)
        }
        _ => {}
    }
    if let Some(error) = &mut error {
        error.offset += block.base + start as u64;
    }
    Converted { out, read: items.len(), counts, error }
}

/// The line and column of a place in a file that can be read again, in an encoding that says what a line is.
fn line_column(source: &Source, from: Charset, offset: u64, threads: usize) -> Option<LineColumn> {
    let mut blocks = match source.open().ok()? {
        Input::File(file) => Blocks::of(Input::File(file)).ok()?,
        Input::Stdin(_) => return None,
    };
    blocks.len()?;
    let Codec::Native(encoding) = from.reader(&blocks.head(HEAD).ok()?).0 else { return None };
    let mut before = Summary::new(0);
    let work = |block: &mut Block| {
        let end = usize::try_from(offset.saturating_sub(block.base)).unwrap_or(usize::MAX);
        let own = block.own.start..block.own.end.min(end);
        (!own.is_empty()).then(|| Summary::of(encoding, &block.bytes, own, block.base, 0))
    };
    // Ends at the first block behind the place.
    let _ = blocks.each(threads, work, |summary| match summary {
        Ok(Some(summary)) => {
            before.merge(&summary);
            Ok(())
        }
        _ => Err(()),
    });
    Some(LineColumn::new(before.lines + 1, before.column + 1))
}
