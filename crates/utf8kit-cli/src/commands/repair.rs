//! `utf8 repair`: every error dealt with by a policy; on to an output, or in place.

use std::ffi::OsStr;
use std::io;

use utf8kit::{AnyEncoding, Converter, Each, Policy, unescape_some, validate_in};

use crate::blocks::{Block, Blocks};
use crate::cli::{RepairArgs, RepairPolicy};
use crate::fault::Tally;
use crate::input::{Kind, Source, sources};
use crate::options::{EncodingName, threads};
use crate::output::{Output, Replacement};
use crate::printer::Printer;
use crate::sniff::{self, HEAD};
use crate::text::{Name, counted};
use crate::trouble::{Status, Trouble};

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    let mut repair = Repair {
        mend: mend(args.policy, args.replacement.as_deref())?,
        encoding: args.encoding.encoding,
        binary: args.input.binary,
        threads: threads(args.threads),
        printer,
        changed: false,
    };
    match (&args.in_place, args.input.paths.as_slice()) {
        (None, _) if args.input.files_from.is_some() => {
            return Err(Trouble::usage("--files-from: only with --in-place"));
        }
        (Some(_), []) if args.input.files_from.is_none() => {
            return Err(Trouble::usage("--in-place needs a PATH"));
        }
        (Some(suffix), _) => {
            for source in sources(&args.input, None)? {
                let done = source.and_then(|source| repair.in_place(&source, suffix));
                done.unwrap_or_else(|trouble| repair.printer.trouble(&trouble));
            }
        }
        (None, [] | [_]) => {
            let source = Source::only(args.input.paths.first().map(AsRef::as_ref))?;
            let mut output = Output::create(args.output.as_deref())?;
            repair.source(&source, &mut output)?;
            output.commit()?;
        }
        (None, _) => return Err(Trouble::usage("more than one PATH: only with --in-place")),
    }
    Ok(if repair.changed && args.fail_if_repaired { Status::Findings } else { Status::Clean })
}

/// What is done to each file.
#[derive(Clone, Copy)]
enum Mend<'t> {
    /// Each error is dealt with.
    Errors(Policy<'t>),
    /// Escapes are undone.
    Unescape,
}

/// What a policy on the command line means.
fn mend(policy: RepairPolicy, replacement: Option<&str>) -> Result<Mend<'_>, Trouble> {
    let replace = |each| Mend::Errors(Policy::Replace { each, with: replacement.unwrap_or("\u{FFFD}") });
    let mend = match policy {
        RepairPolicy::Replace => replace(Each::Subpart),
        RepairPolicy::ReplaceByte => replace(Each::Byte),
        RepairPolicy::ReplaceRun => replace(Each::Run),
        RepairPolicy::Java => replace(Each::Java),
        RepairPolicy::Remove => Mend::Errors(Policy::Remove),
        RepairPolicy::Escape => Mend::Errors(Policy::Escape),
        RepairPolicy::Unescape => Mend::Unescape,
        RepairPolicy::SameLength => Mend::Errors(Policy::SameLength),
    };
    match mend {
        Mend::Errors(Policy::Replace { .. }) => Ok(mend),
        _ if replacement.is_some() => {
            Err(Trouble::usage("--replacement goes with the replace policies and java only"))
        }
        _ => Ok(mend),
    }
}

/// The repair of one file or many.
struct Repair<'r> {
    mend: Mend<'r>,
    encoding: EncodingName,
    binary: bool,
    threads: usize,
    printer: &'r mut Printer,
    /// Whether anything was changed.
    changed: bool,
}

impl Repair<'_> {
    /// Repairs a source into an output, and tells what was changed. Whether anything was.
    fn source(&mut self, source: &Source, output: &mut Output) -> Result<bool, Trouble> {
        let at = |error: io::Error| Trouble::at(&source.path, error);
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        let mut mender = Mender::new(self.mend, self.encoding.resolve(&blocks.head(HEAD).map_err(at)?));
        self.printer.expect(blocks.len().unwrap_or(0));
        // Another thread may read ahead.
        let own = |block: &mut Block| (std::mem::take(&mut block.bytes), block.own.clone());
        blocks.each(self.threads.min(2), own, |block| {
            let (bytes, own) = block.map_err(at)?;
            self.printer.advance(own.len() as u64);
            output.write(mender.push(&bytes[own], false), self.printer)
        })?;
        output.write(mender.push(&[], true), self.printer)?;
        self.tell(source, &mender);
        Ok(mender.changed())
    }

    /// Repairs a file where it is, unless there is no error in it.
    fn in_place(&mut self, source: &Source, suffix: &OsStr) -> Result<(), Trouble> {
        let at = |error: io::Error| Trouble::at(&source.path, error);
        if !source.is_regular().map_err(at)? {
            return Err(Trouble::at(&source.path, "not a regular file, so not to be replaced"));
        }
        if !self.needs_repair(source).map_err(at)? {
            return Ok(());
        }
        let mut output = Output::Replacement(Replacement::of(&source.path).map_err(at)?);
        if !self.source(source, &mut output)? {
            return Ok(());
        }
        if let (Output::Replacement(new), false) = (&output, suffix.is_empty()) {
            new.back_up(suffix).map_err(at)?;
        }
        output.commit()
    }

    /// Whether a file is to be changed at all.
    fn needs_repair(&self, source: &Source) -> io::Result<bool> {
        let mut blocks = Blocks::of(source.open()?)?;
        let head = blocks.head(HEAD)?;
        if source.kind == Kind::Walked && !self.binary && sniff::is_binary(&head) {
            return Ok(false);
        }
        let encoding = self.encoding.resolve(&head);
        let work = |block: &mut Block| match self.mend {
            Mend::Errors(_) => validate_in(encoding, &block.bytes[block.items(encoding)]).is_err(),
            Mend::Unescape => block.bytes.contains(&b'\\'),
        };
        // Ends at the first block that is to be changed.
        let untouched = blocks.each(self.threads, work, |found| match found {
            Ok(false) => Ok(()),
            Ok(true) => Err(None),
            Err(error) => Err(Some(error)),
        });
        match untouched {
            Ok(()) => Ok(false),
            Err(None) => Ok(true),
            Err(Some(error)) => Err(error),
        }
    }

    /// Tells what was changed in a source.
    fn tell(&mut self, source: &Source, mender: &Mender<'_>) {
        self.changed |= mender.changed();
        if mender.tally.total() > 0 {
            let (name, places) = (Name(&source.path), counted(mender.tally.total(), "place"));
            self.printer.message(format_args!("{name}: repaired {places}: {}", mender.tally));
        }
    }
}

/// The repair of a stream.
struct Mender<'t> {
    tool: Tool<'t>,
    tally: Tally,
    read: u64,
    written: u64,
    out: Vec<u8>,
}

/// What it is done with.
enum Tool<'t> {
    /// The library's converter, from an encoding to itself.
    Converter(Box<Converter<'t, AnyEncoding, AnyEncoding>>),
    /// Undoes escapes; holds back what may be the beginning of one.
    Unescape(AnyEncoding, Vec<u8>),
}

impl<'t> Mender<'t> {
    fn new(mend: Mend<'t>, encoding: AnyEncoding) -> Self {
        let tool = match mend {
            Mend::Errors(policy) => Tool::Converter(Box::new(Converter::lossy(encoding, encoding, policy))),
            Mend::Unescape => Tool::Unescape(encoding, Vec::new()),
        };
        Mender { tool, tally: Tally::default(), read: 0, written: 0, out: Vec::new() }
    }

    /// Takes the next piece, or the end of the input; what can be written.
    fn push(&mut self, piece: &[u8], last: bool) -> &[u8] {
        self.out.clear();
        match &mut self.tool {
            Tool::Converter(converter) => {
                let tally = &mut self.tally;
                let pushed = if last {
                    converter.finish_observed(&mut self.out, |change| tally.add(change.kind))
                } else {
                    converter.push_observed(piece, &mut self.out, |change| tally.add(change.kind))
                };
                debug_assert!(pushed.is_ok(), "a lossy converter has an answer to everything");
            }
            Tool::Unescape(encoding, held) => {
                held.extend_from_slice(piece);
                let read = unescape_some(*encoding, held, last, &mut self.out);
                held.drain(..read);
            }
        }
        self.read += piece.len() as u64;
        self.written += self.out.len() as u64;
        &self.out
    }

    /// Whether the output differs from the input: escapes, when undone, become shorter.
    fn changed(&self) -> bool {
        self.tally.total() > 0 || self.read != self.written
    }
}
