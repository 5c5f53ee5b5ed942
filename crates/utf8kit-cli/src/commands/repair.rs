//! `utf8 repair`: every error dealt with by a policy; on to an output, or in place.

use std::ffi::OsStr;
use std::io;
use std::mem;
use std::path::Path;

use crossbeam_channel::{Receiver, unbounded};
use utf8kit::{AnyEncoding, Each, Encoding as _, Policy};

use crate::blocks::{Block, Blocks};
use crate::charset::Fallback;
use crate::cli::{RepairArgs, RepairPolicy};
use crate::commands::convert::mistaken_kind;
use crate::diff::Differ;
use crate::fault::Tally;
use crate::in_place::Original;
use crate::input::{Input, Kind, Source, sources};
use crate::ledger::{Ledger, Printing};
use crate::mend::{Edit, Mend, Mender};
use crate::options::{EncodingName, threads};
use crate::output::{self, Output, Replacement};
use crate::printer::Printer;
use crate::sniff::{self, HEAD};
use crate::text::{Name, counted};
use crate::trouble::{Status, Trouble};
use crate::undo;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    if let Some(ledger) = &args.undo {
        return undo::run(args, ledger, printer);
    }
    let mend = mend(args)?;
    let mut repair = Repair {
        mend,
        encoding: args.encoding.encoding,
        binary: args.input.binary,
        threads: threads(args.threads),
        diff: args.diff,
        ledger: args.ledger.as_deref().map(Ledger::open).transpose()?,
        printer,
        tally: Tally::default(),
        repaired: 0,
    };
    match (&args.in_place, args.input.paths.as_slice()) {
        (None, _) if args.input.files_from.is_some() && !args.diff => {
            return Err(Trouble::usage("--files-from: only with --in-place or --diff"));
        }
        (Some(_), []) if args.input.files_from.is_none() => {
            return Err(Trouble::usage("--in-place needs a PATH"));
        }
        (in_place, _) if args.diff || in_place.is_some() => {
            let suffix = in_place.as_deref().unwrap_or_default();
            let mut files = 0_u64;
            for source in sources(&args.input, None)? {
                files += 1;
                let done = source.and_then(|source| repair.one_of_many(&source, suffix));
                done.unwrap_or_else(|trouble| repair.printer.trouble(&trouble));
            }
            if files > 1 && repair.repaired > 0 {
                repair.tell_total(files);
            }
        }
        (_, [] | [_]) => {
            let source = Source::only(args.input.paths.first().map(AsRef::as_ref))?;
            let at = |error: io::Error| Trouble::at(&source.path, error);
            let blocks = source.open().and_then(Blocks::of).map_err(at)?;
            let mut output = Output::create(args.output.as_deref())?;
            repair.source(&source, blocks, Some(&mut output))?;
            output.commit()?;
        }
        (_, _) => return Err(Trouble::usage("more than one PATH: only with --in-place or --diff")),
    }
    Ok(if repair.repaired > 0 && args.fail_if_repaired { Status::Findings } else { Status::Clean })
}

/// What the policy on the command line means.
fn mend(args: &RepairArgs) -> Result<Mend<'_>, Trouble> {
    let with = args.replacement.as_deref().unwrap_or("\u{FFFD}");
    let replace = |each| Mend::Errors(Policy::Replace { each, with });
    let mend = match args.policy {
        RepairPolicy::Replace => replace(Each::Subpart),
        RepairPolicy::ReplaceByte => replace(Each::Byte),
        RepairPolicy::ReplaceRun => replace(Each::Run),
        RepairPolicy::Java => replace(Each::Java),
        RepairPolicy::Remove => Mend::Errors(Policy::Remove),
        RepairPolicy::Escape => Mend::Errors(Policy::Escape),
        RepairPolicy::Unescape => Mend::Unescape,
        RepairPolicy::SameLength => Mend::Errors(Policy::SameLength),
        RepairPolicy::Undouble => Mend::Undouble,
        RepairPolicy::Fallback(Fallback(codec)) if args.per_line => Mend::FallbackLines(codec),
        RepairPolicy::Fallback(Fallback(codec)) => Mend::Fallback(codec),
    };
    let encoding = args.encoding.encoding;
    let is_dialect = matches!(encoding, EncodingName::Exactly(encoding) if encoding.is_dialect());
    match mend {
        Mend::Undouble if encoding != EncodingName::Exactly(AnyEncoding::Utf8) => {
            Err(Trouble::usage("--policy undouble is for utf-8"))
        }
        Mend::Fallback(_) | Mend::FallbackLines(_) if !is_dialect => {
            Err(Trouble::usage("--policy fallback is for utf-8 and its dialects"))
        }
        _ if args.replacement.is_some() && !matches!(mend, Mend::Errors(Policy::Replace { .. })) => {
            Err(Trouble::usage("--replacement goes with the replace policies and java only"))
        }
        _ if args.per_line && !matches!(mend, Mend::FallbackLines(_)) => {
            Err(Trouble::usage("--per-line goes with --policy fallback=LABEL only"))
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
    diff: bool,
    ledger: Option<Ledger>,
    printer: &'r mut Printer,
    /// What was done to all files, and how many that were.
    tally: Tally,
    repaired: u64,
}

/// A block that was read.
struct Piece {
    bytes: Vec<u8>,
    items: std::ops::Range<usize>,
    /// Whether there is nothing to do but for what the line or run of errors around it needs.
    spared: bool,
    /// What became of it, if it was mended apart from others, and what was done.
    mended: Option<(Vec<u8>, Tally)>,
}

impl Repair<'_> {
    /// Repairs a source into an output, if there is one, and tells what was changed. Whether anything was.
    fn source(
        &mut self,
        source: &Source,
        mut blocks: Blocks,
        output: Option<&mut Output>,
    ) -> Result<bool, Trouble> {
        let at = |error: io::Error| Trouble::at(&source.path, error);
        let encoding = self.encoding.resolve(&blocks.head(HEAD).map_err(at)?);
        self.printer.expect(blocks.len().unwrap_or(0));
        if let Some(ledger) = &mut self.ledger {
            ledger.begin();
        }
        let (spent, spare) = unbounded();
        // Who is told of each change is told in order.
        let apart = self.mend.splits(encoding) && !self.diff && self.ledger.is_none();
        let work = work(self.mend, encoding, apart, spare);
        let mut sink = Sink {
            path: &source.path,
            mender: Mender::new(self.mend, encoding),
            out: Vec::new(),
            differ: self.diff.then(|| Differ::new(encoding, &Name(&source.path), self.printer)),
            ledger: self.ledger.as_mut(),
            prints: (Printing::default(), Printing::default()),
            output,
            printer: self.printer,
        };
        blocks.each(self.threads, work, |piece| {
            let piece = piece.map_err(at)?;
            sink.piece(&piece)?;
            // Memory that was used is used again.
            for memory in [Some(piece.bytes), piece.mended.map(|(out, _)| out)].into_iter().flatten() {
                let _ = spent.send(memory);
            }
            Ok(())
        })?;
        let tally = sink.end()?;
        self.tell(source, &tally);
        Ok(tally.total() > 0)
    }

    /// Repairs a file where it is, or shows how it would be, unless there is nothing to repair in it.
    fn one_of_many(&mut self, source: &Source, suffix: &OsStr) -> Result<(), Trouble> {
        let at = |error: io::Error| Trouble::at(&source.path, error);
        let ours = self.ledger.as_ref().is_some_and(|ledger| ledger.is_at(&source.path));
        if ours || source.kind == Kind::Walked && is_by_product(&source.path, suffix) {
            return Ok(());
        }
        if self.diff {
            let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
            if self.passes_over(source, &blocks.head(HEAD).map_err(at)?) {
                return Ok(());
            }
            return self.source(source, blocks, None).map(|_| ());
        }
        if source.kind == Kind::Stdin {
            return Err(Trouble::at(&source.path, "standard input cannot be repaired in place"));
        }
        let printer = &mut *self.printer;
        let wait = || printer.message(format_args!("{}: waits for another program", Name(&source.path)));
        let original = Original::open(&source.path, wait).map_err(at)?;
        let blocks = || original.file.try_clone().and_then(|file| Blocks::of(Input::File(file)));
        if !self.needs_repair(source, blocks().map_err(at)?).map_err(at)? {
            return Ok(());
        }
        let new = Replacement::of(&source.path).map_err(at)?;
        let mut output = Output::Replacement(new);
        self.source(source, blocks().map_err(at)?, Some(&mut output))?;
        output.sync()?;
        original.is_as_it_was().map_err(at)?;
        if let (Output::Replacement(new), false) = (&output, suffix.is_empty()) {
            new.back_up(&original.file, suffix).map_err(at)?;
        }
        output.commit()
    }

    /// Whether a file of a folder that begins with `head` is none of our business.
    fn passes_over(&self, source: &Source, head: &[u8]) -> bool {
        source.kind == Kind::Walked && !self.binary && sniff::is_binary(head)
    }

    /// Whether a file is to be changed at all.
    fn needs_repair(&self, source: &Source, mut blocks: Blocks) -> io::Result<bool> {
        let head = blocks.head(HEAD)?;
        if self.passes_over(source, &head) {
            return Ok(false);
        }
        let encoding = self.encoding.resolve(&head);
        let (spent, spare) = unbounded();
        let mut mender = Mender::new(self.mend, encoding);
        let (mut out, mut found) = (Vec::new(), false);
        let mut notice = |_: Edit<'_>| found = true;
        // Ends at the first change.
        let untouched = blocks.each(self.threads, work(self.mend, encoding, false, spare), |piece| {
            let piece = piece.map_err(Some)?;
            let (begun, spared, rest) = piece.parts(&mender);
            for (part, spared) in [(begun, false), (spared, true), (rest, false)] {
                out.clear();
                if spared {
                    mender.pass(part.len());
                } else if !part.is_empty() {
                    mender.push(part, false, &mut out, &mut notice);
                }
            }
            let _ = spent.send(piece.bytes);
            if mender.tally.total() > 0 { Err(None) } else { Ok(()) }
        });
        match untouched {
            Ok(()) => mender.push(&[], true, &mut out, &mut notice),
            Err(None) => {}
            Err(Some(error)) => return Err(error),
        }
        Ok(found)
    }

    /// Tells what was changed in a source.
    fn tell(&mut self, source: &Source, tally: &Tally) {
        if tally.total() > 0 {
            self.tally.merge(tally);
            self.repaired += 1;
            let (name, places) = (Name(&source.path), counted(tally.total(), "place"));
            self.printer.message(format_args!("{name}: {} {places}: {tally}", self.repaired_word()));
        }
    }

    /// Tells what was changed in all.
    fn tell_total(&mut self, files: u64) {
        let (word, files) = (self.repaired_word(), counted(files, "file"));
        self.printer.message(format_args!("{word} {} of {files}: {}", self.repaired, self.tally));
    }

    fn repaired_word(&self) -> &'static str {
        if self.diff { "would repair" } else { "repaired" }
    }
}

/// Whether a file in a folder was made by a repair: a backup, or what a killed process left.
fn is_by_product(path: &Path, suffix: &OsStr) -> bool {
    let ends = path.as_os_str().as_encoded_bytes().ends_with(suffix.as_encoded_bytes());
    output::is_temporary(path) || !suffix.is_empty() && ends
}

/// What is done to a block apart from others: whether anything is to be done at all, and if it can be done `apart`,
/// that too.
fn work<'w>(
    mend: Mend<'w>,
    encoding: AnyEncoding,
    apart: bool,
    spare: Receiver<Vec<u8>>,
) -> impl Fn(&mut Block) -> Piece + Sync + 'w {
    let memory = move || spare.try_recv().unwrap_or_default();
    move |block| {
        let items = block.items(encoding);
        let own = block.bytes.get(items.clone()).unwrap_or_default();
        let spared = mend.spares(encoding, own);
        let mended = (apart && !spared).then(|| {
            let (mut mender, mut out) = (Mender::new(mend, encoding), memory());
            out.clear();
            mender.push(own, true, &mut out, &mut |_| {});
            let behind = block.bytes.get(items.start..).unwrap_or_default();
            if let Some((seeming, real)) = mistaken_kind(encoding, own, behind) {
                mender.tally.correct(seeming, real);
            }
            (out, mender.tally)
        });
        Piece { bytes: mem::replace(&mut block.bytes, memory()), items, spared, mended }
    }
}

impl Piece {
    /// What ends what is begun, what is passed over, and the rest.
    fn parts(&self, mender: &Mender<'_>) -> (&[u8], &[u8], &[u8]) {
        let piece = self.bytes.get(self.items.clone()).unwrap_or_default();
        let range = if self.spared { mender.spared(piece) } else { 0..0 };
        let (front, rest) = piece.split_at(range.end);
        let (begun, spared) = front.split_at(range.start);
        (begun, spared, rest)
    }
}

/// Where a repaired source goes, and who is told.
struct Sink<'s, 'm> {
    path: &'s Path,
    mender: Mender<'m>,
    out: Vec<u8>,
    differ: Option<Differ>,
    ledger: Option<&'s mut Ledger>,
    /// Of the old file and the new one, for the ledger.
    prints: (Printing, Printing),
    output: Option<&'s mut Output>,
    printer: &'s mut Printer,
}

impl Sink<'_, '_> {
    fn piece(&mut self, piece: &Piece) -> Result<(), Trouble> {
        if let Some((out, tally)) = &piece.mended {
            self.mender.pass(piece.items.len());
            self.mender.tally.merge(tally);
            self.printer.advance(piece.items.len() as u64);
            return self.output.as_mut().map_or(Ok(()), |output| output.write(out, self.printer));
        }
        let (begun, spared, rest) = piece.parts(&self.mender);
        if !begun.is_empty() {
            self.push(begun, false)?;
        }
        if !spared.is_empty() {
            self.pass(spared)?;
        }
        if !rest.is_empty() {
            self.push(rest, false)?;
        }
        self.printer.advance(piece.items.len() as u64);
        Ok(())
    }

    /// What stays as it is.
    fn pass(&mut self, piece: &[u8]) -> Result<(), Trouble> {
        self.mender.pass(piece.len());
        if let Some(differ) = &mut self.differ {
            differ.pass(piece);
            self.printer.bytes(differ.ready().as_bytes())?;
        }
        if self.ledger.is_some() {
            self.prints.0.update(piece);
            self.prints.1.update(piece);
        }
        self.output.as_mut().map_or(Ok(()), |output| output.write(piece, self.printer))
    }

    fn push(&mut self, piece: &[u8], last: bool) -> Result<(), Trouble> {
        self.out.clear();
        if let Some(differ) = &mut self.differ {
            differ.feed(piece);
        }
        let (differ, ledger, path) = (&mut self.differ, &mut self.ledger, self.path);
        let encoding = self.mender.encoding();
        let mut notice = |edit: Edit<'_>| {
            if let Some(differ) = differ {
                differ.edit(edit);
            }
            if let Some(ledger) = ledger {
                ledger.change(path, encoding.name(), edit);
            }
        };
        self.mender.push(piece, last, &mut self.out, &mut notice);
        if let Some(differ) = &mut self.differ {
            differ.settle(self.mender.offset());
            self.printer.bytes(differ.ready().as_bytes())?;
        }
        if self.ledger.is_some() {
            self.prints.0.update(piece);
            self.prints.1.update(&self.out);
        }
        self.output.as_mut().map_or(Ok(()), |output| output.write(&self.out, self.printer))
    }

    fn end(mut self) -> Result<Tally, Trouble> {
        self.push(&[], true)?;
        if let Some(differ) = &mut self.differ {
            differ.end();
            self.printer.bytes(differ.ready().as_bytes())?;
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.end(self.path, &self.prints.0, &self.prints.1)?;
        }
        Ok(self.mender.tally)
    }
}
