//! Repairs sources one by one: into an output, as a diff, or in place.

use std::io;
use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit_detect::SNIFF_LEN;
use utf8kit_detect::repair::{Differ, Edit, RepairPolicy};
use utf8kit_encodings::Counts;
use utf8kit_encodings::display::{Argument, Name, counted};
use utf8kit_files::{
    self, BEGINNING_LEN, Beginning, Blocks, FileError, InPlace, Recorder, Repair, RepairOptions, RepairSink, Repaired,
    Sink as _, Skip, Source, SourceKind, format_of, looks_binary, repair_file,
};
use utf8kit_records::rows::LeftInDump;

use crate::action::destination;
use crate::action::place::Repairing;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::loss;
use crate::output::Output;
use crate::pending::Pending;
use crate::printer::Printer;
use crate::render;
use crate::skips::Skips;
use crate::suggestion::{Destination, Help};

/// The repair of one or more files.
pub(super) struct Repairs<'r> {
    args: &'r dyn Repairing,
    config: &'r Config,
    pub(super) printer: &'r mut Printer,
    /// The counts of all files, and the number of files.
    counts: Counts,
    repaired: u64,
    /// The ledger, and the counts of files that are still to be replaced.
    pending: Pending<Counts>,
    skips: Skips,
    /// Whether any values of a dump were left unrepaired and need attention.
    incomplete: bool,
    /// Whether a text may have lost something, or has places that are left as they are.
    is_doubtful: bool,
    /// Whether `utf8 mojibake` lists the lines that are left as they are.
    lists_doubtful: bool,
}

impl<'r> Repairs<'r> {
    pub(super) fn new(
        args: &'r dyn Repairing,
        config: &'r Config,
        printer: &'r mut Printer,
    ) -> Result<Repairs<'r>, Error> {
        Ok(Repairs {
            args,
            config,
            printer,
            counts: Counts::default(),
            repaired: 0,
            pending: Pending::new(args.write().in_place.ledger())?,
            skips: Skips::default(),
            incomplete: false,
            is_doubtful: false,
            lists_doubtful: false,
        })
    }

    /// Returns how to repair a source, or `None` if it is skipped.
    pub(super) fn of(&mut self, source: &Source) -> Result<Option<Repair>, Error> {
        let settings = self.config.of(source)?;
        let walked = source.kind == SourceKind::Walked;
        let label = settings.label(self.args.read().encoding.label()?);
        let skip = settings.skip(source, self.args.read().input.binary);
        let reason = match (skip, label, settings.encoding) {
            (Some(reason), ..) => reason,
            (None, Some(label), _) => return self.args.repair(&settings, label).map(Some),
            (None, None, Some(charset)) if walked => Skip::Legacy(charset),
            _ => return Err(Error::at(&source.path, "it is configured to be in a legacy encoding")),
        };
        self.skip(source, &reason);
        Ok(None)
    }

    fn skip(&mut self, source: &Source, reason: &Skip) {
        self.skips.add(source, reason, self.printer);
    }

    /// Repairs a source into the output, or shows what would change, and reports the changes.
    pub(super) fn source(
        &mut self,
        source: &Source,
        mut blocks: Blocks,
        repair: Repair,
        output: Option<&mut Output>,
    ) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let threads = self.args.read().threads.count();
        let encoding = repair.encoding(&blocks.head(SNIFF_LEN).map_err(at)?);
        let repair = repair.with_evidence_of(source, threads).map_err(at)?;
        self.printer.begin(&blocks);
        let beginning = blocks.retain_prefix(BEGINNING_LEN);
        let mut sink = Sink {
            diff: self.args.write().preview.diff.then(|| Diff::new(encoding, &source.path, self.printer)),
            recorder: Recorder::new(&source.path, encoding, self.pending.ledger()),
            output,
            printer: self.printer,
        };
        let done = repair.run(&source.path, blocks, threads, &mut sink)?;
        sink.end()?;
        self.report(source, &repair, &done);
        let to = destination(&self.args.write().output, &self.args.read().input);
        if is_mojibake(&repair) {
            self.note_legacy(source, Some(&beginning), to, &done);
        }
        if done.counts.total() > 0 {
            let is_lossy = loss::warn("repair", source, &beginning, &repair, threads, to, self.printer);
            self.is_doubtful |= is_lossy && !self.args.forces();
        }
        Ok(())
    }

    /// Reports what the repair of a dump left unchanged.
    fn report_skipped_rows(&mut self, source: &Source, rows: &str, left: LeftInDump) {
        let name = Name(&source.path);
        if left.outside > 0 {
            let errors = counted(left.outside, "error");
            self.printer.message(format_args!("{name}: left {errors} outside of values, in names or comments"));
        }
        if left.otherwise > 0 {
            let values = counted(left.otherwise, "value");
            self.printer.message(format_args!(
                "{name}: left {values} that the dump declares to be in another encoding than UTF-8: see utf8 check \
                 --rows {rows} {}",
                Argument(&source.path)
            ));
            self.incomplete = true;
        }
    }

    /// Repairs a file in place. Does nothing if there is nothing to repair.
    pub(super) fn in_place(&mut self, source: &Source, repair: &Repair) -> Result<(), Error> {
        if let Some(done) = self.replace(source, repair)? {
            self.report(source, repair, &done);
            if is_mojibake(repair) {
                self.note_legacy(source, None, Destination::IN_PLACE, &done);
            }
        }
        Ok(())
    }

    /// Replaces a file, or in a dry run only checks that it would be replaced. Returns `None` if it is skipped.
    pub(super) fn replace(&mut self, source: &Source, repair: &Repair) -> Result<Option<Repaired>, Error> {
        if source.kind == SourceKind::Stdin {
            return Err(Error::at(&source.path, "standard input cannot be repaired in place"));
        }
        let format = format_of(&source.path).map_err(|error| Error::at(&source.path, error))?;
        if let (Some(_), Some(format)) = (self.args.read().input.unpack.unpack(), format) {
            self.skip(source, &Skip::Packed(format));
            return Ok(None);
        }
        let mut options = RepairOptions::default();
        options.dry_run = self.args.write().preview.is_on();
        options.in_place = InPlace::new(
            self.args.write().in_place.suffix(),
            self.args.write().in_place.record.links.hard_links.into(),
            self.pending.ledger(),
        );
        options.threads = self.args.read().threads.count();
        options.skip_binary = source.kind == SourceKind::Walked && !self.args.read().input.binary;
        options.force = self.args.forces();
        match repair_file(&source.path, repair, &mut options, self.printer) {
            Ok(done) => Ok(Some(done)),
            Err(FileError::Skipped { reason, .. }) => {
                self.skip(source, &reason);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Shows the changes in a text.
    pub(super) fn show(&mut self, text: &Source, repair: Repair) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&text.path, error);
        let mut blocks = text.open().and_then(Blocks::of).map_err(at)?;
        let skip_binary = text.kind == SourceKind::Walked && !self.args.read().input.binary;
        let again = || text.open().and_then(Blocks::of);
        if skip_binary && looks_binary(&blocks.head(SNIFF_LEN).map_err(at)?, again) {
            self.skip(text, &Skip::Binary);
            return Ok(());
        }
        self.source(text, blocks, repair, None)
    }

    /// Reports that a source is in another encoding, which a repair of mojibake leaves as it is.
    fn note_legacy(&mut self, source: &Source, beginning: Option<&Beginning>, to: Destination<'_>, done: &Repaired) {
        let is_changed = done.counts.total() > 0;
        let is_found = loss::note_legacy(source, beginning, to, is_changed, self.printer);
        self.is_doubtful |= is_found && !self.args.forces();
    }

    /// Reports whether a path leads to the ledger.
    pub(super) fn is_ledger(&self, path: &Path) -> bool {
        self.pending.is_ledger(path)
    }

    /// Reports the changes in a source once it has been replaced, and what was left unchanged.
    fn report(&mut self, source: &Source, repair: &Repair, done: &Repaired) {
        let counts = done.counts;
        if counts.total() + counts.doubtful() + counts.kept() > 0 {
            self.pending.add(&source.path, counts);
        }
        self.lists_doubtful = is_mojibake(repair);
        self.report_settled();
        if let Repair::Dump(dump) = repair {
            self.report_skipped_rows(source, dump.format().name(), done.left);
        }
    }

    fn report_settled(&mut self) {
        for (path, counts) in self.pending.settled() {
            self.counts.merge(&counts);
            self.repaired += u64::from(counts.total() > 0);
            let (name, word, total) = (Name(&path), self.repaired_word(), counts.counted_total());
            let help = match counts.doubtful() > 0 && self.lists_doubtful {
                true => Help::command(format!("utf8 mojibake --list-doubtful {}", Argument(&path))),
                false => Help::default(),
            };
            self.is_doubtful |= counts.doubtful() > 0;
            self.printer.message(format_args!("{name}: {word} {total}: {counts}{help}"));
        }
    }

    /// Reports the changes in all sources.
    pub(super) fn report_total(&mut self, files: u64) {
        self.pending.commit(self.printer);
        self.report_settled();
        if files > 1 && self.repaired + self.counts.doubtful() + self.counts.kept() > 0 {
            let (word, files) = (self.repaired_word(), counted(files, "file"));
            self.printer.message(format_args!("{word} {} of {files}: {}", self.repaired, self.counts));
        }
        self.skips.report(files, self.repaired > 0, self.printer);
    }

    fn repaired_word(&self) -> &'static str {
        if self.args.write().preview.is_on() { "would repair" } else { "repaired" }
    }

    /// Returns the exit status.
    pub(super) fn status(&self) -> Status {
        match () {
            () if self.incomplete => Status::Error,
            () if self.is_doubtful => Status::Findings,
            () if self.repaired > 0 && self.args.write().status.exit_non_zero_on_fix => Status::Findings,
            () => Status::Clean,
        }
    }
}

/// Reports whether a repair decodes lines that were encoded twice.
fn is_mojibake(repair: &Repair) -> bool {
    matches!(repair, Repair::Text { policy: RepairPolicy::Mojibake(_), .. })
}

/// The diff of a source, printed as the repair proceeds.
struct Diff {
    differ: Differ,
    /// Printed before the first hunk.
    header: Option<String>,
}

impl Diff {
    fn new(encoding: AnyEncoding, path: &Path, printer: &Printer) -> Diff {
        Diff { differ: Differ::new(encoding), header: Some(render::diff::header(&Name(path), "repaired", printer)) }
    }

    /// Prints the complete hunks.
    fn print(&mut self, printer: &mut Printer) -> Result<(), Error> {
        for hunk in self.differ.ready() {
            let text = self.header.take().unwrap_or_default() + &render::diff::hunk(&hunk, printer);
            printer.bytes(text.as_bytes())?;
        }
        Ok(())
    }
}

/// The destination of a repaired source, and the recipients of its changes.
struct Sink<'s> {
    diff: Option<Diff>,
    recorder: Recorder<'s>,
    output: Option<&'s mut Output>,
    printer: &'s mut Printer,
}

impl utf8kit_files::Sink for Sink<'_> {
    type Error = Error;

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.as_mut().map_or(Ok(()), |output| output.write(bytes, self.printer))
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Error> {
        self.printer.advance(bytes)
    }
}

impl RepairSink for Sink<'_> {
    fn uses_edits(&self) -> bool {
        self.diff.is_some() || self.recorder.is_recording()
    }

    fn piece(&mut self, piece: &[u8]) {
        self.recorder.piece(piece);
        if let Some(diff) = &mut self.diff {
            diff.differ.feed(piece);
        }
    }

    fn edit(&mut self, edit: Edit<'_>) {
        if let Some(diff) = &mut self.diff {
            diff.differ.edit(edit);
        }
        self.recorder.edit(edit);
    }

    fn repaired(&mut self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        self.recorder.repaired(bytes);
        if let Some(diff) = &mut self.diff {
            diff.differ.settle(offset);
            diff.print(self.printer)?;
        }
        self.write(bytes)
    }

    fn unchanged(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.recorder.piece(piece);
        self.recorder.repaired(piece);
        if let Some(diff) = &mut self.diff {
            diff.differ.pass(piece);
            diff.print(self.printer)?;
        }
        self.write(piece)
    }
}

impl Sink<'_> {
    fn end(mut self) -> Result<(), Error> {
        if let Some(diff) = &mut self.diff {
            diff.differ.end();
            diff.print(self.printer)?;
        }
        Ok(self.recorder.end()?)
    }
}
