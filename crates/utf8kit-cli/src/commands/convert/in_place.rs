//! `utf8 convert --in-place`: converts files and folders in place.

use std::fs::File;
use std::path::{Path, PathBuf};

use utf8kit_detect::{SNIFF_LEN, declared};
use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::convert::{Conversion, Converter, Invalid};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{
    Blocks, ConvertOptions, ConvertedLengths, FileConversion, FileError, Fingerprint, InPlace, Skip, Source,
    SourceKind, convert_file, converted_lengths,
};
use utf8kit_records::rows::DumpFormat::{MysqlDump, PgDump};

use super::decision::{Decision, Planner};
use super::plan::{Action, Step};
use crate::args::{ConvertArgs, Format};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::json;
use crate::loss;
use crate::pending::Pending;
use crate::printer::Printer;
use crate::render;
use crate::skips::{About, Skips};
use crate::suggestion::{Destination, Help};

/// Converts the files that the arguments name.
pub(super) fn run(
    args: &ConvertArgs,
    conversion: Conversion,
    config: &Config,
    printer: &mut Printer,
) -> Result<Status, Error> {
    let job = Job::new(args, conversion, config, printer)?;
    job.each(sources(&args.input, None)?, |job, source| job.source(&source?))
}

/// Carries out a plan.
pub(super) fn carry_out(
    args: &ConvertArgs,
    conversion: Conversion,
    plan: &Path,
    config: &Config,
    printer: &mut Printer,
) -> Result<Status, Error> {
    let job = Job::new(args, conversion, config, printer)?;
    job.each(json::lines(plan)?, |job, step: Step| job.planned(&step))
}

/// The conversion of many files.
struct Job<'j> {
    args: &'j ConvertArgs,
    planner: Planner<'j>,
    printer: &'j mut Printer,
    /// Whether a file was skipped that needs attention.
    stopped: bool,
    converted: u64,
    /// The ledger, and the reports on files that are still to be replaced.
    pending: Pending<Vec<String>>,
    skips: Skips,
}

impl<'j> Job<'j> {
    fn new(
        args: &'j ConvertArgs,
        conversion: Conversion,
        config: &'j Config,
        printer: &'j mut Printer,
    ) -> Result<Job<'j>, Error> {
        Ok(Job {
            args,
            planner: Planner { args, conversion, config },
            printer,
            stopped: false,
            converted: 0,
            pending: Pending::new(args.in_place.ledger())?,
            skips: Skips::default(),
        })
    }

    /// Calls `take` for each file, and reports the results, even before an error that ends the command.
    fn each<T>(
        mut self,
        files: impl IntoIterator<Item = T>,
        mut take: impl FnMut(&mut Self, T) -> Result<(), Error>,
    ) -> Result<Status, Error> {
        let mut number = 0;
        for file in files {
            number += 1;
            if let Err(error) = take(&mut self, file).or_else(|error| self.printer.recover(error)) {
                self.end(number);
                return Err(error);
            }
        }
        Ok(self.end(number))
    }

    /// Reports the number of files and returns the exit status.
    fn end(mut self, files: u64) -> Status {
        self.pending.commit(self.printer);
        self.report_settled();
        self.skips.report(files, self.converted > 0, self.printer);
        if self.converted > 0 {
            let files = counted(self.converted, "file");
            let word = if self.args.preview.is_on() { "would convert" } else { "converted" };
            self.printer.message(format_args!("{word} {files}"));
        }
        let is_fixed = self.converted > 0 && self.args.status.exit_non_zero_on_fix;
        if self.stopped || is_fixed { Status::Findings } else { Status::Clean }
    }

    /// Plans the step for a source, and performs or prints it.
    fn source(&mut self, source: &Source) -> Result<(), Error> {
        let path = &source.path;
        if self.pending.is_ledger(path) || source.is_by_product(self.args.in_place.suffix()) {
            return Ok(());
        }
        if source.kind == SourceKind::Stdin {
            return Err(Error::at(path, "standard input cannot be converted in place"));
        }
        // Opening a pipe would wait for a writer.
        if !source.is_regular().map_err(|error| Error::at(path, error))? {
            return Err(Error::at(path, "not a regular file, so it is not replaced"));
        }
        let mut blocks = source.open().and_then(Blocks::of).map_err(|error| Error::at(path, error))?;
        let head = blocks.head(SNIFF_LEN).map_err(|error| Error::at(path, error))?;
        if let Some(reason) = self.planner.unsuited(source, &head)? {
            self.skips.add(source, &reason, self.printer);
            return Ok(());
        }
        let (mut step, decision) = self.planner.plan(source, &head, blocks)?;
        self.take(source, &mut step, decision)
    }

    /// Performs a step of a plan that was passed back.
    fn planned(&mut self, step: &Step) -> Result<(), Error> {
        let path: PathBuf =
            step.path.to_path().ok_or_else(|| Error::usage("the plan has a path that is invalid on this system"))?;
        if step.action != Action::Convert {
            return Ok(());
        }
        let conversion = self.planner.conversion_of(step, &path)?;
        let now = File::open(&path).and_then(|file| Fingerprint::of(&file));
        let now = now.map_err(|error| Error::at(&path, error))?;
        let as_planned = step.size.is_none_or(|size| size == now.size)
            && step.blake3.as_ref().is_none_or(|blake3| *blake3 == now.blake3);
        if !as_planned {
            return Err(Error::at(&path, "it has changed since the plan was made, so it is skipped"));
        }
        self.take(&Source::file(&path), &mut step.clone(), Decision::Convert(conversion))
    }

    /// Performs a step, or determines its effect.
    fn take(&mut self, source: &Source, step: &mut Step, decision: Decision) -> Result<(), Error> {
        let path = &source.path;
        let conversion = match decision {
            Decision::Convert(conversion) => conversion,
            Decision::Skip(reason) => {
                let to = self.planner.conversion;
                return self.skip(source, step, &reason, &to);
            }
            Decision::Leave(help) => return self.leave(path, step, &help),
        };
        let stale = if self.args.preview.is_on() { Vec::new() } else { self.stale(source, &conversion)? };
        let mut options = ConvertOptions::default();
        options.in_place = InPlace::new(
            self.args.in_place.suffix(),
            self.args.in_place.record.links.hard_links.into(),
            self.pending.ledger(),
        );
        options.dry_run = self.args.preview.is_on();
        options.force = self.args.force;
        options.per_line = step.per_line;
        let outcome = match convert_file(path, &conversion, &mut options, self.printer) {
            Err(FileError::Skipped { reason, .. }) => return self.skip(source, step, &reason, &conversion),
            outcome => outcome?,
        };
        match outcome {
            FileConversion::Same => step.action = Action::Keep,
            FileConversion::Converted(counts) => {
                step.action = Action::Convert;
                let mut report = stale;
                if let characters @ 1.. = counts.transliterated() {
                    report.push(format!("transliterated {}", counted(characters, "character")));
                }
                report.extend(loss::removed_marks(&counts));
                if counts.total() > 0 {
                    let (word, total) = (conversion.invalid.participle(), counts.counted_total());
                    report.push(format!("{word} {total}: {counts}"));
                }
                if self.args.preview.diff {
                    self.diff(path, &conversion)?;
                }
                self.pending.add(path, report);
                self.report_settled();
            }
            FileConversion::Stopped(error) => {
                let (looks, help) = loss::of_stop(&error, source, None, &conversion, Destination::IN_PLACE);
                step.reason = error.describe(&conversion.from, &conversion.to) + &looks;
                return self.leave(path, step, &help);
            }
            _ => {}
        }
        if self.args.preview.is_on() { self.show(path, step) } else { Ok(()) }
    }

    /// Warns of a declaration or configuration that will be wrong once the file is converted.
    fn stale(&self, source: &Source, conversion: &Conversion) -> Result<Vec<String>, Error> {
        let to = conversion.to;
        let head = source.open().and_then(Blocks::of).and_then(|mut blocks| blocks.head(SNIFF_LEN));
        let head = beginning(&head.map_err(|error| Error::at(&source.path, error))?, conversion.from);
        let by_dump = || [MysqlDump, PgDump].into_iter().find_map(|format| format.declared_by(&head));
        let declared = declared(&head).or_else(by_dump);
        let is_other = |charset: &Charset| charset.writer() != to.writer();
        let declares = declared
            .filter(is_other)
            .map(|other| format!("it is in {to} now, but still declares {other}: change the declaration"));
        let configured = self.planner.config.of(source)?.encoding.filter(is_other).map(|other| {
            format!(
                "it is in {to} now, but configured to be in {other}, so Git or editors will misread it: change \
                 the configuration"
            )
        });
        let lengths = source.open().and_then(Blocks::of);
        let lengths = lengths.and_then(|blocks| converted_lengths(blocks, conversion)).ok().flatten();
        let lengths = lengths.and_then(|lengths| match lengths {
            ConvertedLengths::Right(lengths) => Some(loss::updated(&lengths)),
            ConvertedLengths::Wrong(lengths) => Some(format!("it had {lengths}, which have changed")),
            _ => None,
        });
        Ok(declares.into_iter().chain(configured).chain(lengths).collect())
    }

    /// Reports the changes to the files that have been replaced.
    fn report_settled(&mut self) {
        for (path, report) in self.pending.settled() {
            self.converted += 1;
            for line in report {
                self.printer.message(format_args!("{}: {line}", Name(&path)));
            }
        }
    }

    /// Skips a file that must not be converted.
    fn skip(&mut self, source: &Source, step: &mut Step, reason: &Skip, conversion: &Conversion) -> Result<(), Error> {
        let about = About(reason, &source.path, Destination::IN_PLACE.of(conversion));
        step.reason = about.inline();
        let is_shown = self.args.preview.is_on() && !self.args.preview.diff && self.args.format != Format::Jsonl;
        if is_shown {
            self.skips.add_listed(source, reason, self.printer);
        } else {
            self.skips.add_about(source, about, self.printer);
        }
        step.action = if *reason == Skip::Done { Action::Keep } else { Action::Skip };
        if self.args.preview.is_on() { self.show(&source.path, step) } else { Ok(()) }
    }

    /// Reports why a file is skipped.
    fn leave(&mut self, path: &Path, step: &mut Step, help: &Help) -> Result<(), Error> {
        step.action = Action::Skip;
        self.stopped = true;
        if self.args.preview.is_on() {
            step.reason += &help.inline();
            return self.show(path, step);
        }
        self.printer.message(format_args!("{}: skipped: {}{help}", Name(path), step.reason));
        Ok(())
    }

    /// Prints the diff of a file that would be converted.
    fn diff(&mut self, path: &Path, conversion: &Conversion) -> Result<(), Error> {
        let old = std::fs::read(path).map_err(|error| Error::at(path, error))?;
        let new = converted(&old, conversion);
        self.printer.bytes(render::versions::diff(&old, &new, path, "converted", self.printer).as_bytes())
    }

    /// Prints a step of the plan.
    fn show(&mut self, path: &Path, step: &Step) -> Result<(), Error> {
        if self.args.preview.diff {
            return Ok(());
        }
        if self.args.format == Format::Jsonl {
            return json::line(step, self.printer);
        }
        let (action, from) = (step.action.name(), step.from.as_deref().unwrap_or("unknown"));
        let confidence = step.confidence.as_deref().unwrap_or_default();
        let what = format!("{from:<14} {confidence:<8}  {}", Name(path));
        self.printer.step(&format!("{action:<7}"), &what, &step.reason)
    }
}

/// Returns the beginning of a file as text, without a byte order mark.
fn beginning(head: &[u8], from: Charset) -> Vec<u8> {
    let mut reading = Conversion::default();
    reading.from = from;
    reading.invalid = Invalid::REPLACE;
    converted(head.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(head), &reading)
}

/// Returns the converted bytes, up to the point where a strict conversion stops.
fn converted(bytes: &[u8], conversion: &Conversion) -> Vec<u8> {
    let plan = conversion.start(bytes);
    let mut out = Vec::new();
    let rest = bytes.get(plan.skip..).unwrap_or_default();
    let _ = Converter::new(&plan).push(rest, true, &mut out, &mut Counts::default());
    out
}
