//! `utf8 repair`: every error dealt with by a policy; on to an output, or in place.

use std::ffi::OsStr;
use std::io;
use std::mem;
use std::path::Path;

use crossbeam_channel::{Receiver, unbounded};
use utf8kit::{AnyEncoding, Each, Encoding as _, Policy};
use utf8kit_text::charset::EncodingName;
use utf8kit_text::convert::{Counts, mistaken_kind};
use utf8kit_text::detect::{HEAD, is_binary};
use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::{Block, Blocks, Input, Kind, Original, Source, is_temporary};
use utf8kit_text::repair::ledger::{Fingerprinter, Ledger};
use utf8kit_text::repair::{Differ, Edit, RepairPolicy, Repairer};

use crate::args::{PolicyArg, RepairArgs};
use crate::commands::undo;
use crate::error::{Error, Status};
use crate::input::{self, sources};
use crate::options::threads;
use crate::output::Output;
use crate::printer::Printer;
use crate::render;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, printer: &mut Printer) -> Result<Status, Error> {
    if let Some(ledger) = &args.undo {
        return undo::run(args, ledger, printer);
    }
    let policy = policy(args)?;
    let mut repair = Repair {
        policy,
        encoding: args.encoding.encoding,
        binary: args.input.binary,
        threads: threads(args.threads),
        diff: args.diff,
        ledger: args.ledger.as_deref().map(Ledger::open).transpose()?,
        printer,
        counts: Counts::default(),
        repaired: 0,
    };
    match (&args.in_place, args.input.paths.as_slice()) {
        (None, _) if args.input.files_from.is_some() && !args.diff => {
            return Err(Error::usage("--files-from: only with --in-place or --diff"));
        }
        (Some(_), []) if args.input.files_from.is_none() => {
            return Err(Error::usage("--in-place needs a PATH"));
        }
        (in_place, _) if args.diff || in_place.is_some() => {
            let suffix = in_place.as_deref().unwrap_or_default();
            let mut files = 0_u64;
            for source in sources(&args.input, None)? {
                files += 1;
                let done = source.map_err(Error::from).and_then(|source| repair.one_of_many(&source, suffix));
                done.unwrap_or_else(|error| repair.printer.error(&error));
            }
            if files > 1 && repair.repaired > 0 {
                repair.tell_total(files);
            }
        }
        (_, [] | [_]) => {
            let source = input::only(args.input.paths.first().map(AsRef::as_ref))?;
            let at = |error: io::Error| Error::at(&source.path, error);
            let blocks = source.open().and_then(Blocks::of).map_err(at)?;
            let mut output = Output::create(args.output.as_deref())?;
            repair.source(&source, blocks, Some(&mut output))?;
            output.commit()?;
        }
        (_, _) => return Err(Error::usage("more than one PATH: only with --in-place or --diff")),
    }
    Ok(if repair.repaired > 0 && args.fail_if_repaired { Status::Findings } else { Status::Clean })
}

/// What the policy on the command line means.
fn policy(args: &RepairArgs) -> Result<RepairPolicy<'_>, Error> {
    let with = args.replacement.as_deref().unwrap_or("\u{FFFD}");
    let replace = |each| RepairPolicy::Errors(Policy::Replace { each, with });
    let policy = match args.policy {
        PolicyArg::Replace => replace(Each::Subpart),
        PolicyArg::ReplaceByte => replace(Each::Byte),
        PolicyArg::ReplaceRun => replace(Each::Run),
        PolicyArg::Java => replace(Each::Java),
        PolicyArg::Remove => RepairPolicy::Errors(Policy::Remove),
        PolicyArg::Escape => RepairPolicy::Errors(Policy::Escape),
        PolicyArg::Unescape => RepairPolicy::Unescape,
        PolicyArg::SameLength => RepairPolicy::Errors(Policy::SameLength),
        PolicyArg::Undouble => RepairPolicy::Undouble,
        PolicyArg::Fallback(codec) if args.per_line => RepairPolicy::FallbackLines(codec.codec()),
        PolicyArg::Fallback(codec) => RepairPolicy::Fallback(codec.codec()),
    };
    let encoding = args.encoding.encoding;
    let is_dialect = matches!(encoding, EncodingName::Exactly(encoding) if encoding.is_dialect());
    match policy {
        RepairPolicy::Undouble if encoding != EncodingName::Exactly(AnyEncoding::Utf8) => {
            Err(Error::usage("--policy undouble is for utf-8"))
        }
        RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) if !is_dialect => {
            Err(Error::usage("--policy fallback is for utf-8 and its dialects"))
        }
        _ if args.replacement.is_some()
            && !matches!(policy, RepairPolicy::Errors(Policy::Replace { .. })) =>
        {
            Err(Error::usage("--replacement goes with the replace policies and java only"))
        }
        _ if args.per_line && !matches!(policy, RepairPolicy::FallbackLines(_)) => {
            Err(Error::usage("--per-line goes with --policy fallback=LABEL only"))
        }
        _ => Ok(policy),
    }
}

/// The repair of one file or many.
struct Repair<'r> {
    policy: RepairPolicy<'r>,
    encoding: EncodingName,
    binary: bool,
    threads: usize,
    diff: bool,
    ledger: Option<Ledger>,
    printer: &'r mut Printer,
    /// What was done to all files, and how many that were.
    counts: Counts,
    repaired: u64,
}

/// A block that was read.
struct Piece {
    bytes: Vec<u8>,
    items: std::ops::Range<usize>,
    /// Whether there is nothing to do but for what the line or run of errors around it needs.
    spared: bool,
    /// What became of it, if it was repaired apart from others, and what was done.
    repaired: Option<(Vec<u8>, Counts)>,
}

impl Repair<'_> {
    /// Repairs a source into an output, if there is one, and tells what was changed. Whether anything was.
    fn source(
        &mut self,
        source: &Source,
        mut blocks: Blocks,
        output: Option<&mut Output>,
    ) -> Result<bool, Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let encoding = self.encoding.resolve(&blocks.head(HEAD).map_err(at)?);
        self.printer.expect(blocks.len().unwrap_or(0));
        if let Some(ledger) = &mut self.ledger {
            ledger.begin();
        }
        let (spent, spare) = unbounded();
        // Who is told of each change is told in order.
        let apart = self.policy.splits(encoding) && !self.diff && self.ledger.is_none();
        let work = work(self.policy, encoding, apart, spare);
        let mut sink = Sink {
            path: &source.path,
            repairer: Repairer::new(self.policy, encoding),
            out: Vec::new(),
            differ: self.diff.then(|| Diff::new(encoding, &source.path, self.printer)),
            ledger: self.ledger.as_mut(),
            prints: (Fingerprinter::default(), Fingerprinter::default()),
            output,
            printer: self.printer,
        };
        blocks.each(self.threads, work, |piece| {
            let piece = piece.map_err(at)?;
            sink.piece(&piece)?;
            // Memory that was used is used again.
            for memory in [Some(piece.bytes), piece.repaired.map(|(out, _)| out)].into_iter().flatten() {
                let _ = spent.send(memory);
            }
            Ok::<_, Error>(())
        })?;
        let counts = sink.end()?;
        self.tell(source, &counts);
        Ok(counts.total() > 0)
    }

    /// Repairs a file where it is, or shows how it would be, unless there is nothing to repair in it.
    fn one_of_many(&mut self, source: &Source, suffix: &OsStr) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
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
            return Err(Error::at(&source.path, "standard input cannot be repaired in place"));
        }
        let printer = &mut *self.printer;
        let wait = || printer.message(format_args!("{}: waits for another program", Name(&source.path)));
        let original = Original::open(&source.path, wait).map_err(at)?;
        let blocks = || original.file.try_clone().and_then(|file| Blocks::of(Input::File(file)));
        if !self.needs_repair(source, blocks().map_err(at)?).map_err(at)? {
            return Ok(());
        }
        let mut output = Output::create(Some(&source.path))?;
        self.source(source, blocks().map_err(at)?, Some(&mut output))?;
        output.sync()?;
        original.is_as_it_was().map_err(at)?;
        if let (Output::File(new), false) = (&output, suffix.is_empty()) {
            new.back_up(&original.file, suffix)?;
        }
        output.commit()
    }

    /// Whether a file of a folder that begins with `head` is none of our business.
    fn passes_over(&self, source: &Source, head: &[u8]) -> bool {
        source.kind == Kind::Walked && !self.binary && is_binary(head)
    }

    /// Whether a file is to be changed at all.
    fn needs_repair(&self, source: &Source, mut blocks: Blocks) -> io::Result<bool> {
        let head = blocks.head(HEAD)?;
        if self.passes_over(source, &head) {
            return Ok(false);
        }
        let encoding = self.encoding.resolve(&head);
        let (spent, spare) = unbounded();
        let mut repairer = Repairer::new(self.policy, encoding);
        let (mut out, mut found) = (Vec::new(), false);
        let mut notice = |_: Edit<'_>| found = true;
        // Ends at the first change.
        let untouched = blocks.each(self.threads, work(self.policy, encoding, false, spare), |piece| {
            let piece = piece.map_err(Some)?;
            let (begun, spared, rest) = piece.parts(&repairer);
            for (part, spared) in [(begun, false), (spared, true), (rest, false)] {
                out.clear();
                if spared {
                    repairer.pass(part.len());
                } else if !part.is_empty() {
                    repairer.push(part, false, &mut out, &mut notice);
                }
            }
            let _ = spent.send(piece.bytes);
            if repairer.counts.total() > 0 { Err(None) } else { Ok(()) }
        });
        match untouched {
            Ok(()) => repairer.push(&[], true, &mut out, &mut notice),
            Err(None) => {}
            Err(Some(error)) => return Err(error),
        }
        Ok(found)
    }

    /// Tells what was changed in a source.
    fn tell(&mut self, source: &Source, counts: &Counts) {
        if counts.total() > 0 {
            self.counts.merge(counts);
            self.repaired += 1;
            let (name, places) = (Name(&source.path), counted(counts.total(), "place"));
            self.printer.message(format_args!("{name}: {} {places}: {counts}", self.repaired_word()));
        }
    }

    /// Tells what was changed in all.
    fn tell_total(&mut self, files: u64) {
        let (word, files) = (self.repaired_word(), counted(files, "file"));
        self.printer.message(format_args!("{word} {} of {files}: {}", self.repaired, self.counts));
    }

    fn repaired_word(&self) -> &'static str {
        if self.diff { "would repair" } else { "repaired" }
    }
}

/// Whether a file in a folder was made by a repair: a backup, or what a killed process left.
fn is_by_product(path: &Path, suffix: &OsStr) -> bool {
    let ends = path.as_os_str().as_encoded_bytes().ends_with(suffix.as_encoded_bytes());
    is_temporary(path) || !suffix.is_empty() && ends
}

/// What is done to a block apart from others: whether anything is to be done at all, and if it can be done `apart`,
/// that too.
fn work<'w>(
    policy: RepairPolicy<'w>,
    encoding: AnyEncoding,
    apart: bool,
    spare: Receiver<Vec<u8>>,
) -> impl Fn(&mut Block) -> Piece + Sync + 'w {
    let memory = move || spare.try_recv().unwrap_or_default();
    move |block| {
        let items = block.items(encoding);
        let own = block.bytes.get(items.clone()).unwrap_or_default();
        let spared = policy.spares(encoding, own);
        let repaired = (apart && !spared).then(|| {
            let (mut repairer, mut out) = (Repairer::new(policy, encoding), memory());
            out.clear();
            repairer.push(own, true, &mut out, &mut |_| {});
            let behind = block.bytes.get(items.start..).unwrap_or_default();
            if let Some((seeming, real)) = mistaken_kind(encoding, own, behind) {
                repairer.counts.correct(seeming, real);
            }
            (out, repairer.counts)
        });
        Piece { bytes: mem::replace(&mut block.bytes, memory()), items, spared, repaired }
    }
}

impl Piece {
    /// What ends what is begun, what is passed over, and the rest.
    fn parts(&self, repairer: &Repairer<'_>) -> (&[u8], &[u8], &[u8]) {
        let piece = self.bytes.get(self.items.clone()).unwrap_or_default();
        let range = if self.spared { repairer.spared(piece) } else { 0..0 };
        let (front, rest) = piece.split_at(range.end);
        let (begun, spared) = front.split_at(range.start);
        (begun, spared, rest)
    }
}

/// The diff of a source, printed as it goes.
struct Diff {
    differ: Differ,
    /// Printed before the first hunk.
    header: Option<String>,
}

impl Diff {
    fn new(encoding: AnyEncoding, path: &Path, printer: &Printer) -> Diff {
        Diff { differ: Differ::new(encoding), header: Some(render::diff::header(&Name(path), printer)) }
    }

    /// Prints the hunks that are done.
    fn print(&mut self, printer: &mut Printer) -> Result<(), Error> {
        for hunk in self.differ.ready() {
            let text = self.header.take().unwrap_or_default() + &render::diff::hunk(&hunk, printer);
            printer.bytes(text.as_bytes())?;
        }
        Ok(())
    }
}

/// Where a repaired source goes, and who is told.
struct Sink<'s, 'm> {
    path: &'s Path,
    repairer: Repairer<'m>,
    out: Vec<u8>,
    differ: Option<Diff>,
    ledger: Option<&'s mut Ledger>,
    /// Of the old file and the new one, for the ledger.
    prints: (Fingerprinter, Fingerprinter),
    output: Option<&'s mut Output>,
    printer: &'s mut Printer,
}

impl Sink<'_, '_> {
    fn piece(&mut self, piece: &Piece) -> Result<(), Error> {
        if let Some((out, counts)) = &piece.repaired {
            self.repairer.pass(piece.items.len());
            self.repairer.counts.merge(counts);
            self.printer.advance(piece.items.len() as u64);
            return self.output.as_mut().map_or(Ok(()), |output| output.write(out, self.printer));
        }
        let (begun, spared, rest) = piece.parts(&self.repairer);
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
    fn pass(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.repairer.pass(piece.len());
        if let Some(differ) = &mut self.differ {
            differ.differ.pass(piece);
            differ.print(self.printer)?;
        }
        if self.ledger.is_some() {
            self.prints.0.update(piece);
            self.prints.1.update(piece);
        }
        self.output.as_mut().map_or(Ok(()), |output| output.write(piece, self.printer))
    }

    fn push(&mut self, piece: &[u8], last: bool) -> Result<(), Error> {
        self.out.clear();
        if let Some(differ) = &mut self.differ {
            differ.differ.feed(piece);
        }
        let (differ, ledger, path) = (&mut self.differ, &mut self.ledger, self.path);
        let encoding = self.repairer.encoding();
        let mut notice = |edit: Edit<'_>| {
            if let Some(differ) = differ {
                differ.differ.edit(edit);
            }
            if let Some(ledger) = ledger {
                ledger.change(path, encoding.name(), edit);
            }
        };
        self.repairer.push(piece, last, &mut self.out, &mut notice);
        if let Some(differ) = &mut self.differ {
            differ.differ.settle(self.repairer.offset());
            differ.print(self.printer)?;
        }
        if self.ledger.is_some() {
            self.prints.0.update(piece);
            self.prints.1.update(&self.out);
        }
        self.output.as_mut().map_or(Ok(()), |output| output.write(&self.out, self.printer))
    }

    fn end(mut self) -> Result<Counts, Error> {
        self.push(&[], true)?;
        if let Some(differ) = &mut self.differ {
            differ.differ.end();
            differ.print(self.printer)?;
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.end(self.path, &self.prints.0, &self.prints.1)?;
        }
        Ok(self.repairer.counts)
    }
}
