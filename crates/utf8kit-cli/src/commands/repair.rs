//! `utf8 repair`: repairs every error according to a policy, into an output or in place.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use utf8kit::{AnyEncoding, Each, EncodingLabel, Policy};
use utf8kit_text::Counts;
use utf8kit_text::Ledger;
use utf8kit_text::charset::{Charset, Codec};
use utf8kit_text::detect::{HEAD, is_binary};
use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::{
    self, ArchiveError, Blocks, FileError, HardLinks, Kind, Recorder, RepairOptions, RepairSink, Sink as _,
    Source, Unpack, each_text, format_of, is_temporary, only_text, policy_for, repair_blocks, repair_file,
    repair_rows,
};
use utf8kit_text::repair::{Differ, Edit, RepairPolicy};
use utf8kit_text::rows::{RowFormat, RowOptions, RowSyntax};
use utf8kit_text::targets::RowRepair;

use crate::args::{PolicyArg, RepairArgs};
use crate::commands::reject::Rejection;
use crate::commands::{doubtful, undo};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::{self, sources};
use crate::options::threads;
use crate::output::Output;
use crate::printer::Printer;
use crate::render;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    if let Some(ledger) = &args.undo {
        return undo::run(args, ledger, printer);
    }
    if let Some(path) = &args.rows.reject {
        return reject(args, config, path, printer);
    }
    let encoding = args.read.encoding.label()?.unwrap_or(EncodingLabel::Exact(AnyEncoding::Utf8));
    let chosen = policy(args, args.policy.unwrap_or_default(), encoding)?;
    if args.list_doubtful {
        return doubtful::run(args, config, printer);
    }
    let rows = for_target(args, chosen, encoding)?;
    let mut repair = Repair {
        args,
        config,
        policy: chosen,
        encoding,
        rows,
        binary: args.read.input.binary,
        unpack: args.read.input.unpack.unpack(),
        threads: threads(args.read.threads),
        diff: args.diff,
        hard_links: args.hard_links.into(),
        ledger: args.ledger.as_deref().map(Ledger::open).transpose()?,
        printer,
        counts: Counts::default(),
        repaired: 0,
    };
    match (&args.in_place, args.read.input.paths.as_slice()) {
        (None, _) if args.read.input.files_from.is_some() && !args.diff => {
            return Err(Error::usage("--files-from: only with --in-place or --diff"));
        }
        (Some(_), []) if args.read.input.files_from.is_none() => {
            return Err(Error::usage("--in-place needs a PATH"));
        }
        (in_place, _) if args.diff || in_place.is_some() => {
            let suffix = in_place.as_deref().unwrap_or_default();
            let mut files = 0_u64;
            for source in sources(&args.read.input, None)? {
                files += 1;
                let done = source.map_err(Error::from).and_then(|source| repair.one_of_many(&source, suffix));
                done.or_else(|error| repair.printer.recover(error))?;
            }
            if files > 1 && repair.repaired + repair.counts.doubtful() > 0 {
                repair.report_total(files);
            }
        }
        (_, [path]) if path.is_dir() => {
            return Err(Error::usage(format!(
                "{} is a folder: repair its files with --in-place, or see what would change with --diff",
                Name(path)
            )));
        }
        (_, [] | [_]) => {
            let source = input::only(args.read.input.paths.first().map(AsRef::as_ref))?;
            let source = only_text(&source, repair.unpack)?;
            let at = |error: io::Error| Error::at(&source.path, error);
            let blocks = source.open().and_then(Blocks::of).map_err(at)?;
            repair.configure(&source)?;
            let mut output = Output::create(args.output.as_deref())?;
            repair.source(&source, blocks, Some(&mut output))?;
            output.commit()?;
        }
        (_, _) => return Err(Error::usage("more than one PATH: only with --in-place or --diff")),
    }
    Ok(if repair.repaired > 0 && args.fail_if_repaired { Status::Findings } else { Status::Clean })
}

/// Writes good rows to the output unchanged, and rejects the others.
fn reject(args: &RepairArgs, config: &Config, path: &Path, printer: &mut Printer) -> Result<Status, Error> {
    let refused = [
        (args.in_place.is_some(), "--in-place: name an output with -o"),
        (args.diff, "--diff"),
        (args.ledger.is_some(), "--ledger: what is put aside is not changed"),
        (args.per_line || args.replacement.is_some(), "--per-line and --replacement"),
        (
            args.policy.is_some_and(|policy| policy != PolicyArg::Replace),
            "--policy: bad rows are put aside as they are, good ones stay as they are",
        ),
    ];
    if let Some((_, what)) = refused.iter().find(|(given, _)| *given) {
        return Err(Error::usage(format!("--reject does not go with {what}")));
    }
    let ([] | [_]) = args.read.input.paths.as_slice() else {
        return Err(Error::usage("--reject takes one PATH, or standard input"));
    };
    let source = input::only(args.read.input.paths.first().map(AsRef::as_ref))?;
    let source = only_text(&source, args.read.input.unpack.unpack())?;
    let blocks = source.open().and_then(Blocks::of).map_err(|error| Error::at(&source.path, error))?;
    let mut output = Output::create(args.output.as_deref())?;
    let others: Vec<&Path> = [Some(&*source.path), args.output.as_deref()].into_iter().flatten().collect();
    let mut rejection =
        Rejection::new(&args.rows, args.target.demands(), path, &others, threads(args.read.threads))?;
    let utf8 = Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8));
    let encoding = args.read.encoding.encoding.or(config.of(&source)?.encoding).unwrap_or(utf8);
    rejection.source(&source, blocks, encoding, None, &mut output, printer)?;
    let rejected = rejection.commit()?;
    output.sync()?;
    output.commit()?;
    Ok(if rejected > 0 && args.fail_if_repaired { Status::Findings } else { Status::Clean })
}

/// Returns the repair for the target, if one is given.
fn for_target<'a>(
    args: &'a RepairArgs,
    policy: RepairPolicy<'a>,
    encoding: EncodingLabel,
) -> Result<Option<RowRepair<'a>>, Error> {
    let demands = args.target.demands();
    if !demands.is_any() {
        return Ok(None);
    }
    if encoding != EncodingLabel::Exact(AnyEncoding::Utf8) {
        return Err(Error::usage(format!(
            "--for and --max-bytes repair UTF-8, which is what is loaded: convert the file first, with `utf8 convert \
             --from {encoding}`"
        )));
    }
    let RepairPolicy::Errors(policy) = policy else {
        return Err(Error::usage(
            "--for and --max-bytes go with the policies that replace, remove or escape",
        ));
    };
    let utf8 = Codec::Native(AnyEncoding::Utf8);
    let lines = || RowSyntax::new(RowOptions::new(RowFormat::Lines), utf8);
    let syntax = match args.rows.syntax(utf8)? {
        Some(syntax) => syntax,
        None => lines().map_err(|error| Error::usage(error.to_string()))?,
    };
    let repair = RowRepair::new(syntax, demands, policy);
    let refused = "--policy escape writes backslashes, which no name of a file may have";
    repair.map(Some).ok_or_else(|| Error::usage(refused))
}

/// Returns the library's policy for a policy of the command line.
fn policy(args: &RepairArgs, policy: PolicyArg, encoding: EncodingLabel) -> Result<RepairPolicy<'_>, Error> {
    let with = args.replacement.as_deref().unwrap_or("\u{FFFD}");
    let replace = |each| RepairPolicy::Errors(Policy::Replace { each, with });
    let policy = match policy {
        PolicyArg::Replace => replace(Each::Subpart),
        PolicyArg::ReplaceByte => replace(Each::Byte),
        PolicyArg::ReplaceRun => replace(Each::Run),
        PolicyArg::Java => replace(Each::Java),
        PolicyArg::Remove => RepairPolicy::Errors(Policy::Remove),
        PolicyArg::Escape => RepairPolicy::Errors(Policy::Escape),
        PolicyArg::Unescape => RepairPolicy::Unescape,
        PolicyArg::SameLength => RepairPolicy::Errors(Policy::SameLength),
        PolicyArg::Undouble => RepairPolicy::Undouble(None),
        PolicyArg::Fallback(codec) if args.per_line => RepairPolicy::FallbackLines(codec.codec()),
        PolicyArg::Fallback(codec) => RepairPolicy::Fallback(codec.codec()),
    };
    let is_dialect = matches!(encoding, EncodingLabel::Exact(encoding) if encoding.is_dialect());
    match policy {
        RepairPolicy::Undouble(_) if encoding != EncodingLabel::Exact(AnyEncoding::Utf8) => {
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

/// The repair of one or more files.
struct Repair<'r> {
    args: &'r RepairArgs,
    config: &'r Config,
    /// The policy for the current source.
    policy: RepairPolicy<'r>,
    encoding: EncodingLabel,
    /// The repair for the target, which replaces both.
    rows: Option<RowRepair<'r>>,
    binary: bool,
    unpack: Option<Unpack>,
    threads: usize,
    diff: bool,
    hard_links: HardLinks,
    ledger: Option<Ledger>,
    printer: &'r mut Printer,
    /// The counts of all files, and the number of files.
    counts: Counts,
    repaired: u64,
}

impl Repair<'_> {
    /// Applies the configuration to a source. Returns `false` if the source is to be skipped.
    fn configure(&mut self, source: &Source) -> Result<bool, Error> {
        let settings = self.config.of(source)?;
        if source.kind == Kind::Walked && settings.excluded {
            return Ok(false);
        }
        let label = settings.label(self.args.read.encoding.label()?);
        if label.is_none() && source.kind == Kind::Walked {
            return Ok(false);
        }
        self.encoding =
            label.ok_or_else(|| Error::at(&source.path, "is configured to be in a legacy encoding"))?;
        let named = self.args.policy.or(settings.policy).unwrap_or_default();
        self.policy = policy(self.args, named, self.encoding)?;
        self.rows = for_target(self.args, self.policy, self.encoding)?;
        Ok(true)
    }

    /// Repairs a source into the output, if there is one, and reports the changes.
    fn source(
        &mut self,
        source: &Source,
        mut blocks: Blocks,
        output: Option<&mut Output>,
    ) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let encoding = self.encoding.resolve(&blocks.head(HEAD).map_err(at)?).0;
        let policy = policy_for(source, self.policy, encoding, self.threads).map_err(at)?;
        self.printer.expect(blocks.len().unwrap_or(0));
        let mut sink = Sink {
            diff: self.diff.then(|| Diff::new(encoding, &source.path, self.printer)),
            recorder: Recorder::new(&source.path, encoding, self.ledger.as_mut()),
            output,
            printer: self.printer,
        };
        let counts = match &self.rows {
            Some(rows) => repair_rows(&source.path, blocks, rows, self.threads, &mut sink)?,
            None => repair_blocks(&source.path, blocks, policy, encoding, self.threads, &mut sink)?,
        };
        sink.end()?;
        self.report_counts(source, &counts);
        Ok(())
    }

    /// Repairs a file in place, or prints the diff. Does nothing if there is nothing to repair.
    fn one_of_many(&mut self, source: &Source, suffix: &OsStr) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&source.path, error);
        let ours = self.ledger.as_ref().is_some_and(|ledger| ledger.is_at(&source.path));
        let walked = source.kind == Kind::Walked;
        if ours || walked && is_by_product(&source.path, suffix) || !self.configure(source)? {
            return Ok(());
        }
        let skip_binary = walked && !self.binary;
        if self.diff {
            return each_text(source, self.unpack, &mut |text| {
                let shown = text.map_err(Error::from).and_then(|text| self.show(&text));
                shown.or_else(|error| self.printer.recover(error))
            });
        }
        if source.kind == Kind::Stdin {
            return Err(Error::at(&source.path, "standard input cannot be repaired in place"));
        }
        if let (Some(_), Some(format)) = (self.unpack, format_of(&source.path).map_err(at)?) {
            // In a folder, skip it like any binary file.
            let error = ArchiveError::InPlace(format);
            let refused = FileError::Archive { path: source.path.clone(), error };
            return if skip_binary { Ok(()) } else { Err(refused.into()) };
        }
        let mut options = RepairOptions::default();
        options.policy = self.policy;
        options.encoding = self.encoding;
        options.threads = self.threads;
        options.backup_suffix = suffix.to_owned();
        options.hard_links = self.hard_links;
        options.skip_binary = skip_binary;
        options.ledger = self.ledger.as_mut();
        options.rows = self.rows.clone();
        let counts = repair_file(&source.path, &mut options, self.printer)?;
        self.report_counts(source, &counts);
        Ok(())
    }

    /// Prints the diff of a text.
    fn show(&mut self, text: &Source) -> Result<(), Error> {
        let at = |error: io::Error| Error::at(&text.path, error);
        let mut blocks = text.open().and_then(Blocks::of).map_err(at)?;
        let skip_binary = text.kind == Kind::Walked && !self.binary;
        if skip_binary && is_binary(&blocks.head(HEAD).map_err(at)?) {
            return Ok(());
        }
        self.source(text, blocks, None)
    }

    /// Reports the changes in a source.
    fn report_counts(&mut self, source: &Source, counts: &Counts) {
        if counts.total() + counts.doubtful() > 0 {
            self.counts.merge(counts);
            self.repaired += u64::from(counts.total() > 0);
            let (name, word, total) = (Name(&source.path), self.repaired_word(), counts.counted_total());
            self.printer.message(format_args!("{name}: {word} {total}: {counts}"));
        }
    }

    /// Reports the changes in all sources.
    fn report_total(&mut self, files: u64) {
        let (word, files) = (self.repaired_word(), counted(files, "file"));
        self.printer.message(format_args!("{word} {} of {files}: {}", self.repaired, self.counts));
    }

    fn repaired_word(&self) -> &'static str {
        if self.diff { "would repair" } else { "repaired" }
    }
}

/// Reports whether a file in a folder was created by a repair: a backup, or a file left by a killed process.
fn is_by_product(path: &Path, suffix: &OsStr) -> bool {
    let ends = path.as_os_str().as_encoded_bytes().ends_with(suffix.as_encoded_bytes());
    is_temporary(path) || !suffix.is_empty() && ends
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
        self.printer.advance(bytes);
        Ok(())
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
