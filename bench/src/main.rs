//! Benchmarks utf8kit and its peers in one run. See `USAGE`, and BIAS.md for the biases of this benchmark.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a developer")]

mod corpus;
mod definition;
mod language;
mod measure;
mod operation;
mod peers;
mod record;
mod report;
#[cfg(test)]
mod tests;

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: utf8kit-bench run [--level NAME]... [--corpora DIR] [--only TEXT]... [--size BYTES] [--out FILE]
       utf8kit-bench report

  run      measures, prints ratios, and writes a record: on each level of the machine but scalar, with made-up text,
           64 KiB each, unless told otherwise; `--only` keeps the operations whose names hold a text; FILE may be a
           folder
  report   turns the newest record of bench/record/ into bench/record/report.md and bench/chart.svg";

type Result<T = (), E = Box<dyn Error>> = std::result::Result<T, E>;

/// The arguments of `run`.
#[derive(Default)]
struct Options {
    levels: Vec<String>,
    corpora: Option<PathBuf>,
    only: Vec<String>,
    size: usize,
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["run", rest @ ..] => options(rest).and_then(|options| measure::all(&options, rest)),
        ["one-level", level, rest @ ..] => options(rest).and_then(|options| measure::level(level, &options)),
        ["report"] => report::write(),
        _ => Err(USAGE.into()),
    };
    outcome.map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::from(2)
        },
        |()| ExitCode::SUCCESS,
    )
}

fn options(words: &[&str]) -> Result<Options> {
    let mut options = Options { size: 64 << 10, ..Options::default() };
    for pair in words.chunks(2) {
        match pair {
            ["--level", level] => options.levels.push((*level).into()),
            ["--corpora", folder] => options.corpora = Some(folder.into()),
            ["--only", text] => options.only.push((*text).into()),
            ["--size", bytes] => options.size = bytes.parse()?,
            ["--out", file] => options.out = Some(file.into()),
            _ => return Err(format!("unknown, or without a value: {}\n\n{USAGE}", pair.join(" ")).into()),
        }
    }
    Ok(options)
}
