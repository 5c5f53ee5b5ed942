//! `utf8 detect`: prints the best guess at the encoding of each file, with the evidence.

use std::path::Path;

use serde::Serialize;
use utf8kit_text::detect::{Advice, Guess, Remedy, SNIFF_LEN};
use utf8kit_text::display::{Name, plain};
use utf8kit_text::files::{Blocks, FileError, Pace, Source, batches, detect_blocks, each_text, in_order};
use utf8kit_text::json::PathFields;
use utf8kit_text::mend::Mend;

use crate::args::{DetectArgs, Format};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::json;
use crate::printer::{FAINT, Printer, STRONG};
use crate::remedy::{self, Destination};
use crate::skips::Skips;

/// Number of files per batch. Detection takes longer than a check, so fewer than
/// [`SMALL_FILES`](utf8kit_text::files::SMALL_FILES) are enough.
const BATCH: usize = 16;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let sources = sources(&args.input, None)?;
    let threads = args.threads.count();
    // For a single file, another thread can read ahead.
    let (over_files, ahead) = if sources.is_single() { (1, threads.min(2)) } else { (threads, 1) };
    let examine = |text: Result<Source, FileError>| {
        let text = text?;
        let at = |error| Error::at(&text.path, error);
        let mut blocks = text.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(SNIFF_LEN).map_err(at)?;
        let guess = match config.of(&text)?.skip_by(&text, &head, args.input.binary) {
            Some(reason) => Err(reason),
            None => Ok(detect_blocks(blocks, ahead).map_err(at)?),
        };
        Ok((text, guess.map(|guess| (guess.readings(&head), guess))))
    };
    let unpack = args.input.unpack.unpack();
    let examine_all = |batch: Vec<Result<Source, FileError>>| {
        let mut examined = Vec::new();
        for source in batch {
            let mut take = |text| {
                examined.push(examine(text));
                Ok::<_, ()>(())
            };
            // `take` never returns an error.
            let _ = match source {
                Ok(source) => each_text(&source, unpack, &mut take),
                Err(error) => take(Err(error)),
            };
        }
        examined
    };
    let (mut files, mut skips) = (0, Skips::default());
    in_order(
        Pace::Full,
        over_files,
        batches(sources, BATCH),
        || (),
        |(), batch| examine_all(batch),
        |examined| {
            files += examined.len() as u64;
            examined.into_iter().try_for_each(|examined| match examined {
                Ok((source, Ok((readings, guess)))) => {
                    report(args.format, &source.path, &guess, &readings, printer)
                }
                Ok((source, Err(reason))) => {
                    skips.add(&source, &reason, printer);
                    Ok(())
                }
                Err(error @ Error::Config(_)) => Err(error),
                Err(error) => {
                    printer.error(&error);
                    Ok(())
                }
            })
        },
    )?;
    skips.report(files, true, printer);
    Ok(Status::Clean)
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
struct Line<'g> {
    r#type: &'static str,
    #[serde(flatten)]
    path: PathFields,
    encoding: Option<&'static str>,
    confidence: &'static str,
    evidence: &'g [String],
    doubled: Option<&'static str>,
    mixed: Option<&'static str>,
    others: &'g [&'static str],
    remedy: Option<String>,
    sure: bool,
}

/// Prints a guess, and how the file reads in each encoding that it may be in.
fn report(
    format: Format,
    path: &Path,
    guess: &Guess,
    readings: &[(&'static str, String)],
    printer: &mut Printer,
) -> Result<(), Error> {
    let advice = guess.advice().filter(|advice| !advice.is_open());
    if format == Format::Short {
        return printer.print(format_args!("{}\n", guess.encoding.unwrap_or("unknown")));
    }
    if format == Format::Jsonl {
        let line = Line {
            r#type: "file",
            path: PathFields::of(path),
            encoding: guess.encoding,
            confidence: guess.confidence.name(),
            evidence: &guess.evidence,
            doubled: guess.doubled,
            mixed: guess.mixed,
            others: &guess.others,
            sure: advice.as_ref().is_some_and(Advice::is_sure),
            remedy: advice.and_then(|advice| remedy::command(advice.remedy)),
        };
        return json::line(&line, printer);
    }
    let (strong, faint) = (printer.style(STRONG), printer.style(FAINT));
    let encoding = guess.encoding.unwrap_or("binary");
    let doubled = guess.doubled.map_or(String::new(), |name| format!(", encoded twice by way of {name}"));
    let confidence = guess.confidence.name();
    printer.print(format_args!(
        "{}: {strong}{encoding}{strong:#}{doubled} {faint}({confidence}){faint:#}\n",
        Name(path)
    ))?;
    for evidence in &guess.evidence {
        printer.print(format_args!("  {faint}{evidence}{faint:#}\n"))?;
    }
    for (encoding, words) in readings {
        printer.print(format_args!("  {faint}as {encoding}:{faint:#} {}\n", plain(words)))?;
    }
    for note in &guess.notes {
        printer.print(format_args!("  {note}\n"))?;
    }
    let to_do = advice.and_then(|advice| remedy::to_do(Some(&advice), path, Destination::OUTPUT));
    let is_advised = matches!(guess.remedy, Some(Remedy::Mend(_)));
    let nuls = (guess.mend() == Some(Mend::Nuls) && !is_advised)
        .then(|| remedy::for_nuls(path, Destination::OUTPUT));
    let all = [to_do, nuls].into_iter().flatten();
    all.into_iter().try_for_each(|to_do| printer.print(format_args!("  {to_do}\n")))
}
