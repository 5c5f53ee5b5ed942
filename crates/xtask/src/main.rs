//! What a developer of utf8kit runs. No dependency, so that it is there in a second.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a developer")]

mod compare;
mod corpora;
mod generate;
#[path = "../../../bench/src/language.rs"]
mod language;
mod parts;
mod run;
mod samples;
mod test;
mod web;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test              every test that this machine can run, and what is missing for the others
  avx512            the library's tests on an emulated processor with AVX-512: some minutes
  doctor            what of the optional parts is there, and how to get the rest
  gen [--check]     write the generated files and parts of files, or only compare them
  compare           write into COMPARE.md what other programs take for UTF-8
  page [--build]    serve the page on this machine, or build it into web/dist for any static host
  corpora [--bytes N] [--out DIR] [--damage RATE]
                    text of many languages: a file each of N bytes, a RATE (0 to 1) of them broken
  bench-report      turns the newest record of bench/record/ into the tables of COMPARE.md and bench/chart.svg
  exhaustive [--part I/N]
                    all strings of four bytes, every level against the definition; hours, unless a part";

type Outcome<T = ExitCode> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::all(),
        ["avx512"] => parts::avx512(),
        ["doctor"] => parts::doctor(),
        ["gen"] => generate::write(),
        ["gen", "--check"] => generate::check(),
        ["compare"] => compare::write(),
        ["page"] => web::page(false),
        ["page", "--build"] => web::page(true),
        ["corpora", options @ ..] => corpora::write(options),
        ["bench-report"] => run::succeeds(run::cargo("run --quiet --package utf8kit-bench -- report")),
        ["exhaustive", options @ ..] => {
            let mut walk = run::cargo("run --quiet --release --package utf8kit-bench --bin exhaustive --");
            walk.args(options);
            run::succeeds(walk)
        }
        _ => Err(USAGE.into()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

/// The repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Where cargo puts what it builds: this program is `debug/xtask` there.
fn target() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().nth(2).map_or_else(|| root().join("target"), Path::to_path_buf)
}
