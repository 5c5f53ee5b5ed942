//! `utf8 detect`: the best guess at the encoding of each file, with the evidence.

use std::io;
use std::mem;
use std::path::Path;

use serde::Serialize;
use utf8kit::{Utf8, Validator};

use crate::blocks::{Block, Blocks};
use crate::cli::{DetectArgs, Format};
use crate::evidence::{Guess, SAMPLE, Sample};
use crate::in_order::in_order;
use crate::input::{Kind, Source, sources};
use crate::json::{self, PathFields};
use crate::options;
use crate::printer::{FAINT, Printer, STRONG};
use crate::sniff::{self, HEAD};
use crate::text::{Argument, Name};
use crate::trouble::{Status, Trouble};

/// How many files a thread takes at a time.
const BATCH: usize = 16;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    let mut sources = sources(&args.input, None)?;
    let threads = options::threads(args.threads);
    // Of one file, another thread may read ahead.
    let (over_files, ahead) = if sources.is_single() { (1, threads.min(2)) } else { (threads, 1) };
    let batches = std::iter::from_fn(move || {
        let batch: Vec<_> = sources.by_ref().take(BATCH).collect();
        (!batch.is_empty()).then_some(batch)
    });
    let look_at = |source: Result<Source, Trouble>| {
        let source = source?;
        let guess =
            look(&source, args.input.binary, ahead).map_err(|error| Trouble::at(&source.path, error))?;
        Ok((source.path, guess))
    };
    in_order(
        over_files,
        batches,
        || (),
        |(), batch| batch.into_iter().map(look_at).collect::<Vec<_>>(),
        |seen| {
            seen.into_iter().try_for_each(|seen| match seen {
                Ok((path, Some(guess))) => report(args.format, &path, &guess, printer),
                Ok((_, None)) => Ok(()),
                Err(trouble) => {
                    printer.trouble(&trouble);
                    Ok(())
                }
            })
        },
    )?;
    Ok(Status::Clean)
}

/// Looks at a source; `None` if it is a binary file that nobody named.
fn look(source: &Source, binary: bool, threads: usize) -> io::Result<Option<Guess>> {
    let mut blocks = Blocks::of(source.open()?)?;
    if source.kind == Kind::Walked && !binary && sniff::is_binary(&blocks.head(HEAD)?) {
        return Ok(None);
    }
    guess(blocks, threads).map(Some)
}

/// What an input looks like.
pub(crate) fn guess(blocks: Blocks, threads: usize) -> io::Result<Guess> {
    let mut validator = Validator::new(Utf8);
    let (mut bytes, mut error, mut whole) = (Vec::new(), None, true);
    let own = |block: &mut Block| (mem::take(&mut block.bytes), block.own.clone());
    // Read until nothing more can be learned.
    let read = blocks.each(threads, own, |block| {
        let (piece, own) = block.map_err(Some)?;
        let piece = piece.get(own).unwrap_or_default();
        let (sampled, rest) = piece.split_at(piece.len().min(SAMPLE - bytes.len()));
        bytes.extend_from_slice(sampled);
        whole &= rest.is_empty();
        error = error.or_else(|| validator.push(piece).err());
        if error.is_some() && !whole { Err(None) } else { Ok(()) }
    });
    match read {
        Err(Some(trouble)) => return Err(trouble),
        Err(None) => {}
        Ok(()) => error = error.or_else(|| validator.finish().err()),
    }
    Ok(Sample { bytes: &bytes, whole, error }.weigh())
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
    remedy: Option<String>,
}

/// Prints a guess.
fn report(format: Format, path: &Path, guess: &Guess, printer: &mut Printer) -> Result<(), Trouble> {
    let remedy = guess.remedy.as_ref().map(|arguments| format!("utf8 {arguments}"));
    if format == Format::Jsonl {
        let line = Line {
            r#type: "file",
            path: PathFields::of(path),
            encoding: guess.encoding,
            confidence: guess.confidence.name(),
            evidence: &guess.evidence,
            doubled: guess.doubled,
            remedy,
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
    match remedy {
        Some(remedy) => {
            printer.print(format_args!("  {faint}to UTF-8:{faint:#} {remedy} {}\n", Argument(path)))
        }
        None => Ok(()),
    }
}
