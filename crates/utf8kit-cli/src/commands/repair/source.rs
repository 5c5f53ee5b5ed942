//! The repair of one source after another: into an output, as a diff, or in place.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit_text::Counts;
use utf8kit_text::Ledger;
use utf8kit_text::detect::{SNIFF_LEN, is_binary};
use utf8kit_text::display::{Argument, Name, counted};
use utf8kit_text::files::{
    self, Blocks, DumpInput, FileError, Recorder, RepairOptions, RepairSink, Sink as _, Skip, Source,
    SourceKind, dump_evidence, format_of, policy_for, repair_blocks, repair_dump, repair_dump_file,
    repair_file, repair_rows,
};
use utf8kit_text::repair::{Differ, Edit};
use utf8kit_text::rows::{DumpFormat, DumpRepair, LeftInDump};

use crate::action::repair::Rules;
use crate::args::RepairArgs;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::loss;
use crate::output::Output;
use crate::printer::Printer;
use crate::render;
use crate::skips::Skips;
use crate::waiting::Waiting;

/// The repair of one or more files.
pub(super) struct Repair<'r> {
    args: &'r RepairArgs,
    config: &'r Config,
    ledger: Option<Ledger>,
    pub(super) printer: &'r mut Printer,
    /// The counts of all files, and the number of files.
    counts: Counts,
    repaired: u64,
    /// The counts of files that wait to be replaced.
    waiting: Waiting<Counts>,
    skips: Skips,
    /// Whether values of a dump were left that need attention.
    incomplete: bool,
}

impl<'r> Repair<'r> {
    pub(super) fn new(
        args: &'r RepairArgs,
        config: &'r Config,
        printer: &'r mut Printer,
    ) -> Result<Repair<'r>, Error> {
        let mut ledger = args.ledger.as_deref().map(Ledger::open).transpose()?;
        ledger.iter_mut().for_each(Ledger::group);
        Ok(Repair {
            args,
            config,
            ledger,
            printer,
            counts: Counts::default(),
            repaired: 0,
            waiting: Waiting::default(),
            skips: Skips::default(),
            incomplete: false,
        })
    }

    /// Returns how to repair a source, or `None` if it is skipped.
    pub(super) fn rules(&mut self, source: &Source) -> Result<Option<Rules>, Error> {
        let settings = self.config.of(source)?;
        let walked = source.kind == SourceKind::Walked;
        let label = settings.label(self.args.read.encoding.label()?);
        let skip = settings.skip(source, self.args.read.input.binary);
        let reason = match (skip, label, settings.encoding) {
            (Some(reason), ..) => reason,
            (None, Some(label), _) => return self.args.rules(&settings, label).map(Some),
            (None, None, Some(charset)) if walked => Skip::Legacy(charset),
            _ => return Err(Error::at(&source.path, "is configured to be in a legacy encoding")),
        };
        self.skip(source, &reason);
        Ok(None)
    }

    fn skip(&mut self, source: &Source, reason: &Skip) {
        self.skips.add(source, reason, self.printer);
    }

    /// Repairs a source into the output, or else prints the diff, and reports the changes.
    pub(super) fn source(
        &mut self,
        source: &Source,
        mut blocks: Blocks,
        rules: &Rules,
        output: Option<&mut Output>,
    ) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let threads = self.args.read.threads.count();
        let head = blocks.head(SNIFF_LEN).map_err(at)?;
        let encoding = rules.encoding.resolve(&head).0;
        if let Some(dump) = &rules.dump {
            return self.dump(source, blocks, dump, output);
        }
        let policy = policy_for(source, &rules.policy, encoding, threads).map_err(at)?;
        self.printer.begin(&blocks);
        let beginning = blocks.keep_beginning(SNIFF_LEN);
        let mut sink = Sink {
            diff: output.is_none().then(|| Diff::new(encoding, &source.path, self.printer)),
            recorder: Recorder::new(&source.path, encoding, self.ledger.as_mut()),
            output,
            printer: self.printer,
        };
        let counts = match &rules.rows {
            Some(rows) => repair_rows(&source.path, blocks, rows, threads, &mut sink)?,
            None => repair_blocks(&source.path, blocks, &policy, encoding, threads, &mut sink)?,
        };
        sink.end()?;
        self.report_counts(source, &counts);
        if counts.total() > 0 && rules.rows.is_none() {
            loss::warn("repair", source, beginning.bytes(), (&policy, encoding), self.printer);
        }
        Ok(())
    }

    /// Repairs the values of a dump into the output, or else prints the diff, and reports the changes.
    fn dump(
        &mut self,
        source: &Source,
        blocks: Blocks,
        dump: &DumpRepair,
        output: Option<&mut Output>,
    ) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let threads = self.args.read.threads.count();
        let input = DumpInput::new(dump.format(), None, threads);
        let is_regular = source.is_regular().map_err(at)?;
        let evidence = || {
            let blocks = source.open().and_then(Blocks::of)?;
            dump_evidence(blocks, input, dump.undoubles())
        };
        let mut dump = dump.clone();
        if dump.needs_evidence() {
            if !is_regular {
                return Err(Error::at(
                    &source.path,
                    "this repair reads the dump twice: give it as a file, unpacked",
                ));
            }
            dump = dump.with_evidence(evidence().map_err(at)?);
        }
        self.printer.begin(&blocks);
        let mut sink = Sink {
            diff: output.is_none().then(|| Diff::new(AnyEncoding::Utf8, &source.path, self.printer)),
            recorder: Recorder::new(&source.path, AnyEncoding::Utf8, self.ledger.as_mut()),
            output,
            printer: self.printer,
        };
        let (counts, left) = repair_dump(&source.path, blocks, &dump, threads, &mut sink)?;
        sink.end()?;
        self.report_counts(source, &counts);
        self.report_left(source, dump.format(), left);
        if counts.total() > 0
            && is_regular
            && let Some(policy) = dump.may_lose_text()
            && let Some(encoding) = evidence().map_err(at)?.lost_by(policy)
        {
            let loss = loss::of(policy, "their");
            let (name, rows) = (Name(&source.path), dump.format().name());
            self.printer.message(format_args!(
                "{name}: values of it read as {encoding} or the like, and this repair {loss}; utf8 repair \
                 --rows {rows} --per-table fallback=auto {} keeps it",
                Argument(&source.path)
            ));
        }
        Ok(())
    }

    /// Reports what a repair of a dump left as it is.
    fn report_left(&mut self, source: &Source, format: DumpFormat, left: LeftInDump) {
        let name = Name(&source.path);
        if left.outside > 0 {
            let errors = counted(left.outside, "error");
            self.printer
                .message(format_args!("{name}: left {errors} outside of values, in names or comments"));
        }
        if left.otherwise > 0 {
            let (values, rows) = (counted(left.otherwise, "value"), format.name());
            self.printer.message(format_args!(
                "{name}: left {values} that the dump declares to be in another encoding than UTF-8: see utf8 check \
                 --rows {rows} {}",
                Argument(&source.path)
            ));
            self.incomplete = true;
        }
    }

    /// Repairs a file in place. Does nothing if there is nothing to repair.
    pub(super) fn in_place(&mut self, source: &Source, rules: Rules, suffix: &OsStr) -> Result<(), Error> {
        if source.kind == SourceKind::Stdin {
            return Err(Error::at(&source.path, "standard input cannot be repaired in place"));
        }
        let skip_binary = source.kind == SourceKind::Walked && !self.args.read.input.binary;
        let format = format_of(&source.path).map_err(|error| Error::at(&source.path, error))?;
        if let (Some(_), Some(format)) = (self.args.read.input.unpack.unpack(), format) {
            self.skip(source, &Skip::Packed(format));
            return Ok(());
        }
        let mut options = RepairOptions::default();
        options.policy = rules.policy;
        options.encoding = rules.encoding;
        options.threads = self.args.read.threads.count();
        options.backup_suffix = suffix.to_owned();
        options.hard_links = self.args.hard_links.into();
        options.skip_binary = skip_binary;
        options.force = self.args.force;
        options.ledger = self.ledger.as_mut();
        options.rows = rules.rows;
        if let Some(dump) = rules.dump {
            match repair_dump_file(&source.path, &mut options, &dump, self.printer) {
                Ok((counts, left)) => {
                    self.report_counts(source, &counts);
                    self.report_left(source, dump.format(), left);
                }
                Err(FileError::Skipped { reason, .. }) => self.skip(source, &reason),
                Err(error) => return Err(error.into()),
            }
            return Ok(());
        }
        match repair_file(&source.path, &mut options, self.printer) {
            Ok(counts) => self.report_counts(source, &counts),
            Err(FileError::Skipped { reason, .. }) => self.skip(source, &reason),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Prints the diff of a text.
    pub(super) fn show(&mut self, text: &Source, rules: &Rules) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&text.path, error);
        let mut blocks = text.open().and_then(Blocks::of).map_err(at)?;
        let skip_binary = text.kind == SourceKind::Walked && !self.args.read.input.binary;
        if skip_binary && is_binary(&blocks.head(SNIFF_LEN).map_err(at)?) {
            self.skip(text, &Skip::Binary);
            return Ok(());
        }
        self.source(text, blocks, rules, None)
    }

    /// Reports whether a path leads to the ledger.
    pub(super) fn is_ledger(&self, path: &Path) -> bool {
        self.ledger.as_ref().is_some_and(|ledger| ledger.is_at(path))
    }

    /// Reports the changes in a source, once it is replaced.
    fn report_counts(&mut self, source: &Source, counts: &Counts) {
        if counts.total() + counts.doubtful() + counts.kept() > 0 {
            self.waiting.add(&source.path, *counts);
        }
        self.report_settled();
    }

    fn report_settled(&mut self) {
        for (path, counts) in self.waiting.settled(self.ledger.as_ref()) {
            self.counts.merge(&counts);
            self.repaired += u64::from(counts.total() > 0);
            let (name, word, total) = (Name(&path), self.repaired_word(), counts.counted_total());
            self.printer.message(format_args!("{name}: {word} {total}: {counts}"));
        }
    }

    /// Reports the changes in all sources.
    pub(super) fn report_total(&mut self, files: u64) {
        if let Some(ledger) = &mut self.ledger {
            ledger.commit(self.printer);
        }
        self.report_settled();
        if files > 1 && self.repaired + self.counts.doubtful() + self.counts.kept() > 0 {
            let (word, files) = (self.repaired_word(), counted(files, "file"));
            self.printer.message(format_args!("{word} {} of {files}: {}", self.repaired, self.counts));
        }
        self.skips.report(files, self.repaired > 0, self.printer);
    }

    fn repaired_word(&self) -> &'static str {
        if self.args.diff { "would repair" } else { "repaired" }
    }

    /// Returns the exit status.
    pub(super) fn status(&self) -> Status {
        match () {
            () if self.incomplete => Status::Error,
            () if self.repaired > 0 && self.args.fail_if_repaired => Status::Findings,
            () => Status::Clean,
        }
    }
}

/// The diff of a source, printed as the repair proceeds.
struct Diff {
    differ: Differ,
    /// Printed before the first hunk.
    header: Option<String>,
}

impl Diff {
    fn new(encoding: AnyEncoding, path: &Path, printer: &Printer) -> Diff {
        Diff { differ: Differ::new(encoding), header: Some(render::diff::header(&Name(path), printer)) }
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

impl files::Sink for Sink<'_> {
    type Error = Error;

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.as_mut().map_or(Ok(()), |output| output.write(bytes, self.printer))
    }

    fn advance(&mut self, bytes: u64) -> Result<(), Error> {
        self.printer.advance(bytes)
    }
}

impl RepairSink for Sink<'_> {
    fn wants_edits(&self) -> bool {
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
