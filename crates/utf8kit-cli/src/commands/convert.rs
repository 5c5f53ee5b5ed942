//! `utf8 convert`

use std::io;
use std::mem;

use crossbeam_channel::{Receiver, Sender, unbounded};
use utf8kit::{AnyEncoding, Encoding as _, ErrorKind, LineColumn, Summary, floor_in};

use crate::blocks::{Block, Blocks};
use crate::charset::{Charset, Codec};
use crate::cli::{ConvertArgs, ConvertBom, Invalid};
use crate::conversion::{HEAD, Machine, Plan, Recipe};
use crate::fault::{Fault, Reason, Tally};
use crate::input::{Input, Source};
use crate::options;
use crate::output::Output;
use crate::printer::Printer;
use crate::text::{Name, counted};
use crate::trouble::{Status, Trouble};

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    if args.list {
        for name in Charset::names() {
            printer.print(format_args!("{name}\n"))?;
        }
        return Ok(Status::Clean);
    }
    let invalid = if args.discard { Invalid::Remove } else { args.invalid };
    let recipe = Recipe { from: args.from, to: args.to, invalid, bom: args.bom };
    if args.bom == ConvertBom::Add && args.to.writer().mark().is_none() {
        return Err(Trouble::usage(format!("{} has no byte order mark to add", args.to)));
    }
    let sources = match args.paths.as_slice() {
        [] => vec![Source::only(None)?],
        paths => paths.iter().map(|path| Source::named(path)).collect(),
    };
    let output = Output::create(args.output.as_deref())?;
    let mut conversion = Conversion {
        recipe,
        threads: options::threads(args.threads),
        output,
        printer,
        tally: Tally::default(),
    };
    let mut whole = true;
    for source in &sources {
        match conversion.source(source) {
            Ok(()) => {}
            Err(Stop::Fault(fault)) => {
                conversion.tell(source, &fault);
                return Ok(Status::Findings);
            }
            Err(Stop::Input(error)) => {
                whole = false;
                conversion.printer.trouble_at(&source.path, error);
            }
            Err(Stop::Output(trouble)) => return Err(trouble),
        }
    }
    let Conversion { output, tally, .. } = conversion;
    if whole {
        output.commit()?;
    }
    if tally.total() > 0 {
        let places = counted(tally.total(), "place");
        printer.message(format_args!("{} {places}: {tally}", invalid.participle()));
    }
    Ok(Status::Clean)
}

/// Why a conversion ends early.
enum Stop {
    /// A place that cannot be carried over.
    Fault(Fault),
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written.
    Output(Trouble),
}

/// What goes from source to source.
struct Conversion<'p> {
    recipe: Recipe,
    threads: usize,
    output: Output,
    printer: &'p mut Printer,
    tally: Tally,
}

/// A block and what it became.
struct Converted {
    out: Vec<u8>,
    read: usize,
    tally: Tally,
    fault: Option<Fault>,
}

impl Conversion<'_> {
    /// Converts one source.
    fn source(&mut self, source: &Source) -> Result<(), Stop> {
        let input = source.open().map_err(Stop::Input)?;
        let mut blocks = Blocks::of(input).map_err(Stop::Input)?;
        let head = blocks.head(HEAD).map_err(Stop::Input)?;
        self.printer.expect(blocks.len().unwrap_or(0));
        let plan = self.recipe.start(&head);
        self.output.write(&plan.prefix, self.printer).map_err(Stop::Output)?;
        match plan.splits() {
            Some(encoding) => self.apart(blocks, &plan, encoding),
            None => self.in_one(blocks, &plan),
        }
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
            self.tally.merge(&converted.tally);
            self.printer.advance(converted.read as u64);
            converted.fault.map_or(Ok(()), |fault| Err(Stop::Fault(fault)))
        })
    }

    /// Converts what cannot be cut, one block after the other; another thread may read ahead.
    fn in_one(&mut self, blocks: Blocks, plan: &Plan) -> Result<(), Stop> {
        let mut machine = Machine::new(plan);
        let (mut out, mut skip) = (Vec::new(), plan.skip);
        let moved = |fault: Fault| Stop::Fault(Fault { offset: fault.offset + plan.skip as u64, ..fault });
        let own = |block: &mut Block| (mem::take(&mut block.bytes), block.own.clone());
        blocks.each(self.threads.min(2), own, |block| {
            let (bytes, own) = block.map_err(Stop::Input)?;
            let text = bytes.get(own).and_then(|own| own.get(mem::take(&mut skip)..)).unwrap_or_default();
            out.clear();
            let pushed = machine.push(text, false, &mut out, &mut self.tally);
            self.output.write(&out, self.printer).map_err(Stop::Output)?;
            self.printer.advance(text.len() as u64);
            pushed.map_err(moved)
        })?;
        out.clear();
        let ended = machine.push(&[], true, &mut out, &mut self.tally);
        self.output.write(&out, self.printer).map_err(Stop::Output)?;
        ended.map_err(moved)
    }

    /// Tells where a strict conversion stopped, and why.
    fn tell(&mut self, source: &Source, fault: &Fault) {
        let place = line_column(source, self.recipe.from, fault.offset, self.threads);
        let place = place.map_or(String::new(), |place| format!(":{}:{}", place.line, place.column));
        let reason = fault.describe(&self.recipe.from, &self.recipe.to);
        self.printer.message(format_args!("{}{place}: {reason}", Name(&source.path)));
    }
}

/// Converts the items that begin in a block; `out` is an empty buffer.
fn convert(plan: &Plan, encoding: AnyEncoding, block: &Block, mut out: Vec<u8>) -> Converted {
    let skip = plan.skip.saturating_sub(usize::try_from(block.base).unwrap_or(usize::MAX));
    let range = block.items(encoding);
    let start = range.start.max(skip);
    let items = block.bytes.get(start..range.end).unwrap_or_default();
    let mut tally = Tally::default();
    let mut fault = Machine::new(plan).push(items, true, &mut out, &mut tally).err();
    let behind = block.bytes.get(start..).unwrap_or_default();
    match (&mut fault, mistaken_kind(encoding, items, behind)) {
        (None, Some((seeming, real))) => tally.correct(seeming, real),
        (Some(fault), Some((_, real))) if fault.end() == items.len() as u64 => {
            fault.reason = Reason::IllFormed(real)
        }
        _ => {}
    }
    if let Some(fault) = &mut fault {
        fault.offset += block.base + start as u64;
    }
    Converted { out, read: items.len(), tally, fault }
}

/// If the last of `items` is an error whose kind the byte behind it decides: the kind that it seems to be by
/// `items` alone, and the kind that it is, as they go on in `behind`.
fn mistaken_kind(encoding: AnyEncoding, items: &[u8], behind: &[u8]) -> Option<(ErrorKind, ErrorKind)> {
    let last = floor_in(encoding, items, items.len().checked_sub(1)?);
    let kind = |bytes: &[u8]| encoding.decode(bytes)?.result.err();
    let (seeming, real) = (kind(items.get(last..)?)?, kind(behind.get(last..)?)?);
    (seeming != real).then_some((seeming, real))
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
    Some(LineColumn { line: before.lines + 1, column: before.column + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_see_past_the_block() {
        let mistaken = mistaken_kind(AnyEncoding::Utf8, b"a\xE0", b"a\xE0\x80");
        assert_eq!(mistaken, Some((ErrorKind::Truncated, ErrorKind::Overlong)));
        assert_eq!(mistaken_kind(AnyEncoding::Utf8, b"ab", b"abc"), None);
    }
}
