//! Repairs an input in blocks, or a file in place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem;
use std::ops::Range;
use std::path::Path;

use utf8kit::{AnyEncoding, Encoding as _, EncodingLabel};

use crate::convert::mistaken_kind;
use crate::counts::Counts;
use crate::detect::{SNIFF_LEN, is_binary};
use crate::files::buffers::Buffers;
use crate::files::harm::other_encoding;
use crate::files::ledger::{Conversion, Ledger};
use crate::files::pending::Pending;
use crate::files::{
    Block, Blocks, Cut, FileError, Fingerprinter, HardLinks, Input, Monitor, Original, Output, Sink, Skip,
    Source, atomic, repair_rows, rows_need_repair,
};
use crate::repair::{Detours, Edit, RepairPolicy, Repairer};
use crate::targets::RowRepair;

/// Receives a repaired input and its edits, in order.
pub trait RepairSink: Sink {
    /// Reports whether it uses edits. If not, only the methods of [`Sink`] may be called.
    fn wants_edits(&self) -> bool;

    /// Receives the next piece of the input, which may be edited.
    fn piece(&mut self, piece: &[u8]) {
        let _ = piece;
    }

    /// Receives an edit of the pieces so far.
    fn edit(&mut self, edit: Edit<'_>) {
        let _ = edit;
    }

    /// Receives the repaired bytes of the pieces so far. All edits before this offset of the input have been reported.
    ///
    /// # Errors
    /// Any error that keeps it from being written.
    fn repaired(&mut self, bytes: &[u8], offset: u64) -> Result<(), Self::Error> {
        let _ = offset;
        self.write(bytes)
    }

    /// Receives the next piece of the input, which is unchanged.
    ///
    /// # Errors
    /// Any error that keeps it from being written.
    fn unchanged(&mut self, piece: &[u8]) -> Result<(), Self::Error> {
        self.write(piece)
    }
}

/// A block that was read.
struct Piece {
    bytes: Vec<u8>,
    items: Range<usize>,
    /// Whether the block needs no repair, except for a line or run of errors that crosses its ends.
    unchanged: bool,
    /// The repaired bytes and the counts, if the block was repaired independently.
    repaired: Option<(Vec<u8>, Counts)>,
}

impl Piece {
    /// Splits the block into the part that ends a line or run of errors, the part to skip, and the rest. The flag marks
    /// the part to skip.
    fn parts(&self, repairer: &Repairer) -> [(&[u8], bool); 3] {
        let piece = self.bytes.get(self.items.clone()).unwrap_or_default();
        let range = if self.unchanged { repairer.skippable(piece) } else { 0..0 };
        let (front, rest) = piece.split_at(range.end);
        let (begun, unchanged) = front.split_at(range.start);
        [(begun, false), (unchanged, true), (rest, false)]
    }
}

/// Returns the work for one block: finds out whether it needs a repair and, if blocks can be repaired independently
/// (`independent`), repairs it.
fn work<'w>(
    policy: &'w RepairPolicy,
    encoding: AnyEncoding,
    independent: bool,
    buffers: &'w Buffers,
) -> impl Fn(&mut Block) -> Piece + Sync + 'w {
    move |block| {
        let items = block.items(encoding);
        let own = block.bytes.get(items.clone()).unwrap_or_default();
        let unchanged = policy.leaves_unchanged(encoding, own);
        let repaired = (independent && !unchanged).then(|| {
            let (mut repairer, mut out) = (Repairer::new(policy, encoding), buffers.take());
            out.clear();
            repairer.push(own, true, &mut out, &mut |_| {});
            let behind = block.bytes.get(items.start..).unwrap_or_default();
            if let Some((seeming, real)) = mistaken_kind(encoding, own, behind) {
                repairer.counts.correct(seeming, real);
            }
            (out, repairer.counts)
        });
        Piece { bytes: mem::replace(&mut block.bytes, buffers.take()), items, unchanged, repaired }
    }
}

/// Repairs an input into a sink, on many threads if errors are independent of each other. Returns the counts.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
pub fn repair_blocks<S: RepairSink>(
    path: &Path,
    blocks: Blocks,
    policy: &RepairPolicy,
    encoding: AnyEncoding,
    threads: usize,
    sink: &mut S,
) -> Result<Counts, S::Error> {
    let buffers = Buffers::default();
    let independent = policy.splits(encoding) && !sink.wants_edits();
    let mut repairer = Repairer::new(policy, encoding);
    let mut out = Vec::new();
    blocks.each(Cut::Item(encoding), threads, work(policy, encoding, independent, &buffers), |piece| {
        let piece = piece.map_err(|error| FileError::io(path, error))?;
        let len = piece.items.len();
        if let Some((out, counts)) = piece.repaired {
            repairer.pass(len);
            repairer.counts.merge(&counts);
            sink.write(&out)?;
            buffers.give(out);
        } else {
            for (part, unchanged) in piece.parts(&repairer) {
                match unchanged {
                    _ if part.is_empty() => {}
                    true => {
                        repairer.pass(part.len());
                        sink.unchanged(part)?;
                    }
                    false => push(&mut repairer, part, false, &mut out, sink)?,
                }
            }
        }
        buffers.give(piece.bytes);
        sink.advance(len as u64)
    })?;
    push(&mut repairer, &[], true, &mut out, sink)?;
    Ok(repairer.counts)
}

fn push<S: RepairSink>(
    repairer: &mut Repairer,
    piece: &[u8],
    last: bool,
    out: &mut Vec<u8>,
    sink: &mut S,
) -> Result<(), S::Error> {
    out.clear();
    sink.piece(piece);
    repairer.push(piece, last, out, &mut |edit| sink.edit(edit));
    sink.repaired(out, repairer.offset())
}

/// Returns what a repair would change in an input, and how all certain lines of it were encoded twice. Stops at the
/// first change unless later lines matter.
///
/// # Errors
/// Fails if the input cannot be read.
fn survey(
    blocks: Blocks,
    policy: &RepairPolicy,
    encoding: AnyEncoding,
    threads: usize,
) -> io::Result<(Counts, Detours)> {
    let buffers = Buffers::default();
    let mut repairer = Repairer::new(policy, encoding);
    let to_the_end = matches!(policy, RepairPolicy::Undouble(_));
    let mut out = Vec::new();
    let work = work(policy, encoding, false, &buffers);
    let all = blocks.each_while(Cut::Item(encoding), threads, work, |piece| {
        for (part, unchanged) in piece.parts(&repairer) {
            out.clear();
            if unchanged {
                repairer.pass(part.len());
            } else if !part.is_empty() {
                repairer.push(part, false, &mut out, &mut |_| {});
            }
        }
        buffers.give(piece.bytes);
        repairer.counts.total() == 0 || to_the_end
    })?;
    if all {
        repairer.push(&[], true, &mut out, &mut |_| {});
    }
    Ok((repairer.counts, repairer.proven()))
}

/// Returns the policy for a source. If the source can be read twice, the policy includes the evidence of all its
/// lines; otherwise only earlier lines count as evidence.
///
/// # Errors
/// Any error from reading the source.
pub fn policy_for(
    source: &Source,
    policy: &RepairPolicy,
    encoding: AnyEncoding,
    threads: usize,
) -> io::Result<RepairPolicy> {
    if *policy != RepairPolicy::Undouble(None) || !source.is_regular()? {
        return Ok(policy.clone());
    }
    let (_, proven) = survey(Blocks::of(source.open()?)?, policy, encoding, threads)?;
    Ok(policy.with_evidence(proven))
}

/// Options for [`repair_file`].
#[derive(Debug)]
#[non_exhaustive]
pub struct RepairOptions<'o> {
    /// The policy. Default: one U+FFFD for each maximal subpart.
    pub policy: RepairPolicy,
    /// The expected encoding. Default: UTF-8.
    pub encoding: EncodingLabel,
    /// Number of threads. Default: 1.
    pub threads: usize,
    /// The suffix under which to keep a backup of the old file. No backup if it is empty.
    pub backup_suffix: OsString,
    /// What to do if the file has several hard links.
    pub hard_links: HardLinks,
    /// Leave binary files alone.
    pub skip_binary: bool,
    /// Repair a file even if it is text in another encoding, which the repair would replace.
    pub force: bool,
    /// The ledger for the changes, so that they can be undone.
    pub ledger: Option<&'o mut Ledger>,
    /// The repair of UTF-8 for a target, which replaces `policy` and `encoding`.
    pub rows: Option<RowRepair>,
}

impl Default for RepairOptions<'_> {
    fn default() -> Self {
        RepairOptions {
            policy: RepairPolicy::default(),
            encoding: EncodingLabel::Exact(AnyEncoding::Utf8),
            threads: 1,
            backup_suffix: OsString::new(),
            hard_links: HardLinks::default(),
            skip_binary: false,
            force: false,
            ledger: None,
            rows: None,
        }
    }
}

/// Repairs a file in place, and returns what was changed. The file is replaced atomically, even across a crash: at any
/// moment it is completely the old one or completely the new one. Owner, mode, access control lists and extended
/// attributes are kept. A file without errors is not touched.
///
/// # Errors
/// A [`FileError`] if the file cannot be read or replaced; it is then unchanged (but see [`HardLinks::Write`]).
/// [`FileError::Skipped`] if it is left alone, above all if it is text in another encoding, which the repair would
/// replace. [`FileError::Cancelled`] if `progress` asks to stop.
///
/// ```
/// use utf8kit_text::files::{RepairOptions, repair_file};
///
/// let path = std::env::temp_dir().join("utf8kit-repair-file-example");
/// std::fs::write(&path, b"b\xFFd").unwrap();
/// let counts = repair_file(&path, &mut RepairOptions::default(), &mut ()).unwrap();
/// assert_eq!((counts.total(), counts.to_string()), (1, "1 invalid_byte".to_owned()));
/// assert_eq!(std::fs::read(&path).unwrap(), "b\u{FFFD}d".as_bytes());
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn repair_file(
    path: &Path,
    options: &mut RepairOptions<'_>,
    progress: &mut dyn Monitor,
) -> Result<Counts, FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    atomic::sweep(path);
    let original = open(path, options.ledger.as_deref_mut(), progress)?;
    let blocks = || original.file.try_clone().and_then(|file| Blocks::of(Input::File(file))).map_err(at);
    let mut first = blocks()?;
    let head = first.head(SNIFF_LEN).map_err(at)?;
    let (encoding, threads) = (options.encoding.resolve(&head).0, options.threads);
    if options.skip_binary && is_binary(&head) {
        return Err(FileError::skipped(path, Skip::Binary));
    }
    let policy = match &options.rows {
        Some(rows) => {
            if !rows_need_repair(first, rows, threads).map_err(at)? {
                return Ok(Counts::default());
            }
            options.policy.clone()
        }
        None => {
            let (found, proven) = survey(first, &options.policy, encoding, threads).map_err(at)?;
            if found.total() == 0 {
                return Ok(found);
            }
            options.policy.with_evidence(proven)
        }
    };
    if !options.force
        && let Some(reason) = other_encoding(blocks()?, &policy, encoding).map_err(at)?
    {
        return Err(FileError::skipped(path, reason));
    }
    let mut output = Output::in_place(path, &original, options.hard_links, &options.backup_suffix)?;
    let second = blocks()?;
    progress.expect(second.len().unwrap_or(0));
    let ledger = options.ledger.as_deref_mut();
    let mut sink = InPlace { output: &mut output, progress, recorder: Recorder::new(path, encoding, ledger) };
    let counts = match &options.rows {
        Some(rows) => repair_rows(path, second, rows, threads, &mut sink)?,
        None => repair_blocks(path, second, &policy, encoding, threads, &mut sink)?,
    };
    sink.recorder.close();
    replace(output, original, &options.backup_suffix, options.ledger.as_deref_mut(), progress)?;
    Ok(counts)
}

/// Opens and locks a file that is to be replaced. Files that wait to be replaced are replaced before it is waited for:
/// it may be one of them, or another program may wait for one of them.
pub(super) fn open(
    path: &Path,
    mut ledger: Option<&mut Ledger>,
    progress: &mut dyn Monitor,
) -> Result<Original, FileError> {
    let waiting = || {
        if !ledger.as_deref_mut().is_some_and(|ledger| ledger.commit(progress)) {
            progress.wait_for_lock(path);
        }
    };
    Original::open(path, waiting).map_err(|error| FileError::io(path, error))
}

/// Replaces a file after its changes are in the ledger, if there is one.
pub(super) fn replace(
    output: Output,
    original: Original,
    backup_suffix: &OsStr,
    ledger: Option<&mut Ledger>,
    progress: &mut dyn Monitor,
) -> Result<(), FileError> {
    let pending = Pending { output, original, backup_suffix: backup_suffix.to_owned() };
    match ledger {
        Some(ledger) => ledger.replace(pending, progress),
        None => pending.commit(progress),
    }
}

/// The destination of a file that is repaired in place.
pub(super) struct InPlace<'s> {
    pub(super) output: &'s mut Output,
    pub(super) progress: &'s mut dyn Monitor,
    pub(super) recorder: Recorder<'s>,
}

impl Sink for InPlace<'_> {
    type Error = FileError;

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.output.put(bytes)
    }

    fn advance(&mut self, bytes: u64) -> Result<(), FileError> {
        if self.progress.advance(bytes).is_break() { Err(FileError::Cancelled) } else { Ok(()) }
    }
}

impl RepairSink for InPlace<'_> {
    fn wants_edits(&self) -> bool {
        self.recorder.is_recording()
    }

    fn piece(&mut self, piece: &[u8]) {
        self.recorder.piece(piece);
    }

    fn edit(&mut self, edit: Edit<'_>) {
        self.recorder.edit(edit);
    }

    fn repaired(&mut self, bytes: &[u8], _: u64) -> Result<(), FileError> {
        self.recorder.repaired(bytes);
        self.write(bytes)
    }

    fn unchanged(&mut self, piece: &[u8]) -> Result<(), FileError> {
        self.recorder.piece(piece);
        self.recorder.repaired(piece);
        self.write(piece)
    }
}

/// Records the repair of a file in a ledger, if there is one.
pub struct Recorder<'r> {
    path: &'r Path,
    encoding: AnyEncoding,
    ledger: Option<&'r mut Ledger>,
    before: Fingerprinter,
    after: Fingerprinter,
}

impl<'r> Recorder<'r> {
    /// Starts a file that is repaired.
    pub fn new(path: &'r Path, encoding: AnyEncoding, ledger: Option<&'r mut Ledger>) -> Recorder<'r> {
        Recorder::starting(path, encoding, None, ledger)
    }

    /// Starts a file that is repaired or converted.
    pub(super) fn starting(
        path: &'r Path,
        encoding: AnyEncoding,
        conversion: Option<Conversion>,
        mut ledger: Option<&'r mut Ledger>,
    ) -> Recorder<'r> {
        if let Some(ledger) = &mut ledger {
            ledger.begin(conversion);
        }
        let (before, after) = (Fingerprinter::default(), Fingerprinter::default());
        Recorder { path, encoding, ledger, before, after }
    }

    /// Reports whether there is a ledger.
    pub fn is_recording(&self) -> bool {
        self.ledger.is_some()
    }

    /// Adds the next piece of the file.
    pub fn piece(&mut self, piece: &[u8]) {
        if self.is_recording() {
            self.before.update(piece);
        }
    }

    /// Adds an edit.
    pub fn edit(&mut self, edit: Edit<'_>) {
        if let Some(ledger) = &mut self.ledger {
            ledger.change(self.path, self.encoding.name(), edit);
        }
    }

    /// Adds the next piece of the repaired file.
    pub fn repaired(&mut self, bytes: &[u8]) {
        if self.is_recording() {
            self.after.update(bytes);
        }
    }

    /// Ends the file. When this returns, the ledger is on disk.
    ///
    /// # Errors
    /// A [`FileError`] if the ledger cannot be written.
    pub fn end(self) -> Result<(), FileError> {
        let Some(ledger) = self.ledger else { return Ok(()) };
        ledger.end(&self.before, &self.after);
        ledger.sync()
    }

    /// Ends the file, without flushing the ledger.
    pub(super) fn close(self) {
        if let Some(ledger) = self.ledger {
            ledger.end(&self.before, &self.after);
        }
    }
}
