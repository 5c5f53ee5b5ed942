//! `utf8 mojibake --list-doubtful`: lists the lines that may have been encoded twice in several ways, without evidence
//! for one of the ways.

use serde::Serialize;
use utf8kit_detect::SNIFF_LEN;
use utf8kit_detect::mojibake;
use utf8kit_encodings::display::{Name, counted, plain};
use utf8kit_files::json::PathFields;
use utf8kit_files::{Blocks, DoubtfulLine, Source, doubtful_lines, each_text, policy_for};

use crate::args::{Format, MojibakeArgs};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::json;
use crate::printer::{FAINT, Printer, STRONG};
use crate::skips::Skips;

/// Runs the command.
pub(crate) fn run(args: &MojibakeArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let (mut files, mut found, mut all, mut skips) = (0, 0, 0, Skips::default());
    for source in sources(&args.read.input, None)? {
        let listed = source.map_err(Error::from).and_then(|source| {
            each_text(&source, args.read.input.unpack.unpack(), &mut |text| {
                let text = text?;
                all += 1;
                let listed = list(args, config, &text, &mut skips, printer);
                let lines = listed.or_else(|error| printer.recover(error).map(|()| 0))?;
                files += u64::from(lines > 0);
                found += lines;
                Ok::<_, Error>(())
            })
        });
        listed.or_else(|error| printer.recover(error))?;
    }
    match args.format {
        Format::Jsonl => json::line(&Summary { r#type: "summary", files, doubtful: found }, printer)?,
        _ if found > 0 => {
            let (lines, files) = (counted(found, "doubtful line"), counted(files, "file"));
            printer.message(format_args!("{lines} in {files}"));
        }
        _ => {}
    }
    skips.report(all, true, printer);
    Ok(if found > 0 { Status::Findings } else { Status::Clean })
}

/// Lists the lines of one text and returns how many there are.
fn list(
    args: &MojibakeArgs,
    config: &Config,
    text: &Source,
    skips: &mut Skips,
    printer: &mut Printer,
) -> Result<u64, Error> {
    let at = |error| Error::at(&text.path, error);
    let mut blocks = text.open().and_then(Blocks::of).map_err(at)?;
    let head = blocks.head(SNIFF_LEN).map_err(at)?;
    if let Some(reason) = config.of(text)?.skip_by(text, &head, args.read.input.binary) {
        skips.add(text, &reason, printer);
        return Ok(0);
    }
    let policy = policy_for(text, &args.policy(), args.read.threads.count()).map_err(at)?;
    let mut found = 0;
    doubtful_lines(&text.path, blocks, &policy, |line| {
        found += 1;
        print(args.format, text, line, printer)
    })?;
    Ok(found)
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
struct Line<'l> {
    r#type: &'static str,
    #[serde(flatten)]
    path: PathFields,
    offset: u64,
    line: u64,
    text: &'l str,
    candidates: Vec<Candidate<'l>>,
}

/// A possible decoding of a line.
#[derive(Serialize)]
struct Candidate<'l> {
    by_way_of: Vec<&'static str>,
    text: &'l str,
}

/// The last line of `--format jsonl`.
#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    files: u64,
    doubtful: u64,
}

/// Prints a line.
fn print(format: Format, text: &Source, line: DoubtfulLine<'_>, printer: &mut Printer) -> Result<(), Error> {
    let shown = |text: &str| plain(text.trim_end());
    let ways = |was: &mojibake::Candidate| was.ways().collect::<Vec<_>>().join("/");
    let name = Name(&text.path);
    match format {
        Format::Jsonl => {
            let candidates = line.candidates.iter();
            let candidates = candidates.map(|candidate| Candidate {
                by_way_of: candidate.ways().collect(),
                text: candidate.text.trim_end_matches('\n'),
            });
            let line = Line {
                r#type: "doubtful",
                path: PathFields::of(&text.path),
                offset: line.offset,
                line: line.number,
                text: line.text,
                candidates: candidates.collect(),
            };
            json::line(&line, printer)
        }
        Format::Short => {
            let candidates = line.candidates.iter();
            let candidates = candidates.map(|candidate| format!("{} {:?}", ways(candidate), shown(&candidate.text)));
            let candidates: Vec<_> = candidates.collect();
            printer.print(format_args!("{name}:{}: doubtful: {}\n", line.number, candidates.join(", ")))
        }
        _ => {
            let (strong, faint) = (printer.style(STRONG), printer.style(FAINT));
            let text = shown(line.text);
            printer.print(format_args!("{strong}{name}:{}{strong:#}: {text}\n", line.number))?;
            line.candidates.iter().try_for_each(|candidate| {
                let (text, ways) = (shown(&candidate.text), ways(candidate));
                printer.print(format_args!("  {text}  {faint}by way of {ways}{faint:#}\n"))
            })
        }
    }
}
