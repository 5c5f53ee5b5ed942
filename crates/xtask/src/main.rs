//! What a developer of utf8kit runs. No dependency, so that it is there in a second.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a developer")]

mod corpora;
mod generate;
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
  doctor            what of the optional parts is there, and how to get the rest
  gen [--check]     write the generated files and parts of files, or only compare them
  page [--build]    serve the page on this machine, or build it into web/dist for any static host
  corpora [--bytes N] [--out DIR] [--damage RATE]
                    text of many languages: a file each of N bytes, a RATE (0 to 1) of them broken";

type Outcome<T = ExitCode> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::all(),
        ["doctor"] => parts::doctor(),
        ["gen"] => generate::write(),
        ["gen", "--check"] => generate::check(),
        ["page"] => web::page(false),
        ["page", "--build"] => web::page(true),
        ["corpora", options @ ..] => corpora::write(options),
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
