//! Commands for developers of utf8kit. It has no dependencies, so that it builds in a second.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a developer")]

#[cfg(test)]
mod api;
#[cfg(test)]
mod arrows;
mod c;
mod code_pages;
mod compare;
mod corpora;
mod foreign;
mod generate;
#[path = "../../../bench/src/language.rs"]
mod language;
#[cfg(test)]
mod lines;
mod manifests;
mod miri;
mod mutants;
#[cfg(test)]
mod phrases;
mod python;
mod run;
mod samples;
mod size;
mod svg;
mod test;
mod tools;
mod version;
mod web;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test [PART...]    run the tests: every part marked *, or the parts named
  doctor            list what the tests need, and how to install what is missing
  mutants [...]     mutate all code, with options of cargo-mutants such as --file or --shard
  exhaustive [--part I/N]
                    check all strings of four bytes on every level: an hour or two, unless a part
  gen [--check] [--with UTF8]
                    write the generated files, or check them; with this `utf8` instead of building it
  compare           write into bench/record/programs.md which programs accept which bytes
  bench --submit    measure utf8kit and its peers on this machine: writes a record into bench/record/submitted/
  bench-report      write the newest record of bench/record/ as bench/record/report.md and bench/chart.svg
  corpora [--bytes N] [--out DIR] [--damage RATE]
                    write text in many languages: a file of N bytes each, with RATE (0 to 1) of them broken
  manifests VERSION SHA256SUMS DIR
                    write the manifests for Homebrew and winget from the checksums of a release
  version X.Y.Z [--check]
                    set the version in all manifests, or check that a release of it can be made
  size PROGRAM      check how many bytes of the library are in a program that only validates
  page [--build]    serve the page on this machine, or build it into web/dist for any static host

Parts of the tests:

";

type Result<T = ExitCode, E = Box<dyn Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test", parts @ ..] => test::run(parts),
        ["doctor"] => test::doctor(),
        ["mutants", options @ ..] => Ok(test::finish(mutants::all(options))),
        ["exhaustive", options @ ..] => run::succeeds(test::walk(options)),
        ["gen"] => generate::write(None),
        ["gen", "--with", utf8] => generate::write(Some(utf8.as_ref())),
        ["gen", "--check"] => generate::check(None),
        ["gen", "--check", "--with", utf8] => generate::check(Some(utf8.as_ref())),
        ["compare"] => compare::write(),
        ["bench", "--submit"] => run::succeeds(run::cargo(
            "run --release --package utf8kit-bench --features peers-cpp -- run --out bench/record/submitted",
        )),
        ["bench-report"] => run::succeeds(run::cargo("run --quiet --package utf8kit-bench -- report")),
        ["corpora", options @ ..] => corpora::write(options),
        ["manifests", version, sums, folder] => manifests::write(version, sums, folder),
        ["version", version] => version::set(version),
        ["version", version, "--check"] => version::check(version),
        ["size", program] => size::check(program),
        ["page"] => web::page(false),
        ["page", "--build"] => web::page(true),
        _ => Err(format!("{USAGE}{}", test::list()).into()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

/// Returns the root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns cargo's target folder: this program is `debug/xtask` in it.
fn target() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().nth(2).map_or_else(|| root().join("target"), Path::to_path_buf)
}
