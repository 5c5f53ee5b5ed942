//! `utf8 convert --in-place`: converts files and folders in place. The plan can be printed first, edited and passed
//! back.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use utf8kit_text::Ledger;
use utf8kit_text::charset::Charset;
use utf8kit_text::convert::Conversion;
use utf8kit_text::detect::{Confidence, Guess, HEAD, is_binary};
use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::{
    Blocks, ConvertOptions, HardLinks, Kind, Outcome, Source, Sources, Unpack, WalkOptions, convert_file,
    detect_blocks, format_of, is_temporary, sniff,
};
use utf8kit_text::json::PathFields;

use crate::args::{ConvertArgs, Format, Origin, RewriteArgs};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::json;
use crate::printer::{FAINT, Printer, STRONG};

/// The action for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// Convert it.
    Convert,
    /// Keep it; it needs no conversion.
    Keep,
    /// Skip it; the user should look at it.
    Skip,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Convert => "convert",
            Action::Keep => "keep",
            Action::Skip => "skip",
        }
    }
}

/// The marker of the lines of a plan.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Plan {
    #[default]
    Plan,
}

/// A line of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    #[serde(default)]
    r#type: Plan,
    #[serde(flatten)]
    path: PathFields,
    action: Action,
    #[serde(default)]
    from: Option<String>,
    to: String,
    #[serde(default)]
    confidence: Option<String>,
    #[serde(default)]
    reason: String,
    /// The size of the file when the plan was made.
    #[serde(default)]
    size: Option<u64>,
    #[serde(flatten)]
    rewrite: RewriteArgs,
}

/// Runs the command.
pub(crate) fn run(
    args: &ConvertArgs,
    suffix: &OsStr,
    conversion: Conversion,
    config: &Config,
    printer: &mut Printer,
) -> Result<Status, Error> {
    let mut job = Job {
        conversion,
        rewrite: args.rewrite,
        auto: args.from == Some(Origin::Auto),
        config: args.from.is_none().then_some(config),
        unpack: args.unpack.unpack(),
        dry_run: args.dry_run,
        format: args.format,
        hard_links: args.hard_links.into(),
        suffix,
        ledger: args.ledger.as_deref().map(Ledger::open).transpose()?,
        printer,
        stopped: false,
        converted: 0,
    };
    match &args.plan {
        Some(plan) => {
            for step in steps(plan)? {
                let done = job.planned(&step);
                done.or_else(|error| job.printer.recover(error))?;
            }
        }
        None if args.paths.is_empty() => return Err(Error::usage("--in-place needs a PATH or a --plan")),
        None => {
            for source in Sources::new(args.paths.clone(), &WalkOptions::default())? {
                let done = source.map_err(Error::from).and_then(|source| job.source(&source));
                done.or_else(|error| job.printer.recover(error))?;
            }
        }
    }
    let Job { converted, stopped, printer, dry_run, .. } = job;
    if converted > 0 {
        let files = counted(converted, "file");
        let word = if dry_run { "would convert" } else { "converted" };
        printer.message(format_args!("{word} {files}"));
    }
    Ok(if stopped { Status::Findings } else { Status::Clean })
}

/// Reads the steps of a plan.
fn steps(plan: &Path) -> Result<Vec<Step>, Error> {
    let at = |error| Error::at(plan, error);
    let lines = BufReader::new(File::open(plan).map_err(at)?).lines();
    let mut steps = Vec::new();
    for (index, line) in lines.enumerate() {
        let line = line.map_err(at)?;
        if !line.trim().is_empty() {
            let step = serde_json::from_str(&line);
            steps.push(step.map_err(|error| Error::at(plan, format_args!("line {}: {error}", index + 1)))?);
        }
    }
    Ok(steps)
}

/// The conversion of many files.
struct Job<'j> {
    conversion: Conversion,
    rewrite: RewriteArgs,
    auto: bool,
    /// The configuration to look up the encoding of a file in, if none was given.
    config: Option<&'j Config>,
    unpack: Option<Unpack>,
    dry_run: bool,
    format: Format,
    hard_links: HardLinks,
    suffix: &'j OsStr,
    ledger: Option<Ledger>,
    printer: &'j mut Printer,
    /// Whether a file was skipped that needs attention.
    stopped: bool,
    converted: u64,
}

impl Job<'_> {
    /// Plans the step for a source, and performs or prints it.
    fn source(&mut self, source: &Source) -> Result<(), Error> {
        let path = &source.path;
        let ours = self.ledger.as_ref().is_some_and(|ledger| ledger.is_at(path));
        if ours || source.kind == Kind::Walked && is_temporary(path) {
            return Ok(());
        }
        if source.kind == Kind::Stdin {
            return Err(Error::at(path, "standard input cannot be converted in place"));
        }
        match self.step(source)? {
            Some((mut step, conversion)) => self.take(path, &mut step, conversion),
            None => Ok(()),
        }
    }

    /// Plans the step for a source. Returns `None` for a binary file that was found in a folder.
    fn step(&self, source: &Source) -> Result<Option<(Step, Option<Conversion>)>, Error> {
        let path = &source.path;
        let at = |error| Error::at(path, error);
        let mut step = Step {
            r#type: Plan::Plan,
            path: PathFields::of(path),
            action: Action::Skip,
            from: None,
            to: self.conversion.to.to_string(),
            confidence: None,
            reason: String::new(),
            size: fs::metadata(path).ok().map(|metadata| metadata.len()),
            rewrite: self.rewrite,
        };
        if let (Some(_), Some(format)) = (self.unpack, format_of(path).map_err(at)?) {
            step.reason = format!("{format} cannot be changed in place");
            return Ok((source.kind != Kind::Walked).then_some((step, None)));
        }
        let mut blocks = source.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(HEAD).map_err(at)?;
        if source.kind == Kind::Walked && (is_binary(&head) || sniff(&head).is_some()) {
            return Ok(None);
        }
        if !self.auto {
            let configured = self.config.map(|config| config.of(source)).transpose()?;
            let from = configured.and_then(|of| of.encoding).unwrap_or(self.conversion.from);
            step.from = Some(from.to_string());
            return Ok(Some((step, Some(self.conversion_from(from)))));
        }
        let guess = detect_blocks(blocks, 1).map_err(at)?;
        step.from = guess.encoding.map(str::to_owned);
        step.confidence = Some(guess.confidence.name().to_owned());
        step.reason = guess.evidence.join("; ");
        let doubt = doubt(&guess);
        let from = guess.charset(&head).filter(|_| doubt.is_none());
        if let Some(doubt) = doubt {
            step.reason = format!("{doubt}: {}", step.reason);
        }
        Ok(Some((step, from.map(|from| self.conversion_from(from)))))
    }

    /// Returns the conversion of a file in another encoding.
    fn conversion_from(&self, from: Charset) -> Conversion {
        let mut conversion = self.conversion;
        conversion.from = from;
        conversion
    }

    /// Performs a step of a plan that was passed back.
    fn planned(&mut self, step: &Step) -> Result<(), Error> {
        let path: PathBuf = step
            .path
            .to_path()
            .ok_or_else(|| Error::usage("the plan has a path that is invalid on this system"))?;
        if step.action != Action::Convert {
            return Ok(());
        }
        let named = |name: &str| {
            name.parse::<Charset>().map_err(|error| Error::at(&path, format_args!("{name}: {error}")))
        };
        let from = step
            .from
            .as_deref()
            .ok_or_else(|| Error::at(&path, "the plan lacks the encoding to convert from"))?;
        let mut conversion = self.conversion_from(named(from)?);
        (conversion.to, conversion.rewrite) = (named(&step.to)?, step.rewrite.rewrite());
        if fs::metadata(&path).is_ok_and(|metadata| step.size.is_some_and(|size| size != metadata.len())) {
            return Err(Error::at(&path, "it has changed since the plan was made; left alone"));
        }
        self.take(&path, &mut step.clone(), Some(conversion))
    }

    /// Performs a step, or finds out what it would do.
    fn take(&mut self, path: &Path, step: &mut Step, conversion: Option<Conversion>) -> Result<(), Error> {
        let Some(conversion) = conversion else { return self.left_alone(path, step) };
        let mut options = ConvertOptions::default();
        options.backup_suffix = self.suffix.to_owned();
        options.hard_links = self.hard_links;
        options.ledger = self.ledger.as_mut();
        options.dry_run = self.dry_run;
        match convert_file(path, &conversion, &mut options, self.printer)? {
            Outcome::Same => step.action = Action::Keep,
            Outcome::Converted(counts) => {
                step.action = Action::Convert;
                self.converted += 1;
                if let characters @ 1.. = counts.transliterated() {
                    let characters = counted(characters, "character");
                    self.printer.message(format_args!("{}: transliterated {characters}", Name(path)));
                }
                if counts.total() > 0 {
                    let (word, total) = (conversion.invalid.participle(), counts.counted_total());
                    self.printer.message(format_args!("{}: {word} {total}: {counts}", Name(path)));
                }
            }
            Outcome::Stopped(error) => {
                let reason = error.describe(&conversion.from, &conversion.to);
                step.reason = format!("byte {}: {reason}", error.offset);
                return self.left_alone(path, step);
            }
            _ => {}
        }
        if self.dry_run { self.show(path, step) } else { Ok(()) }
    }

    /// Reports why a file is skipped.
    fn left_alone(&mut self, path: &Path, step: &mut Step) -> Result<(), Error> {
        step.action = Action::Skip;
        self.stopped = true;
        if self.dry_run {
            return self.show(path, step);
        }
        self.printer.message(format_args!("{}: left alone: {}", Name(path), step.reason));
        Ok(())
    }

    /// Prints a step of the plan.
    fn show(&mut self, path: &Path, step: &Step) -> Result<(), Error> {
        if self.format == Format::Jsonl {
            return json::line(step, self.printer);
        }
        let (strong, faint) = (self.printer.style(STRONG), self.printer.style(FAINT));
        let (action, from) = (step.action.name(), step.from.as_deref().unwrap_or("unknown"));
        let confidence = step.confidence.as_deref().unwrap_or_default();
        self.printer.print(format_args!(
            "{strong}{action:<7}{strong:#}  {from:<14} {confidence:<8}  {}  {faint}{}{faint:#}\n",
            Name(path),
            step.reason
        ))
    }
}

/// Returns the reason not to act on a guess, if there is one.
fn doubt(guess: &Guess) -> Option<&'static str> {
    match guess {
        Guess { encoding: None, .. } => Some("no text"),
        Guess { doubled: Some(_), .. } => Some("encoded twice, see repair --policy undouble"),
        Guess { mixed: Some(_), .. } => Some("more than one encoding, see detect"),
        Guess { confidence: Confidence::Possible, .. } => Some("not sure, name its encoding"),
        _ => None,
    }
}
