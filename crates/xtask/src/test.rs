//! Every test, in order of how soon it tells.

use std::process::Command;

use crate::parts::parts;
use crate::run::{Run, cargo, command};
use crate::{Outcome, target};

pub(crate) fn all() -> Outcome {
    let mut run = Run::new();
    run.step("format", vec![cargo("fmt --all --check")]);
    run.step("lints", vec![cargo("clippy --quiet --workspace --all-targets -- -D warnings")]);
    run.step("lints without std", WITHOUT_STD.iter().map(|features| lint_library(features)).collect());
    run.step("documentation", vec![documentation()]);
    run.step("links without std", links_without_std()?);
    run.step("tests", vec![cargo("test --quiet --workspace --no-fail-fast")]);
    run.step(
        "benchmark with its peers",
        vec![cargo("test --quiet --package utf8kit-bench --features peers")],
    );
    run.step("examples in README.md", examples()?);
    run.step("generated files", vec![cargo("xtask gen --check")]);
    for part in parts() {
        match part.commands {
            Ok(commands) => run.step(part.name, commands),
            Err(how_to_get) => run.missing(part.name, &how_to_get),
        }
    }
    Ok(run.finish())
}

const WITHOUT_STD: &[&str] = &["--no-default-features", "--no-default-features --features alloc"];

fn lint_library(features: &str) -> Command {
    cargo(&format!("clippy --quiet --package utf8kit {features} -- -D warnings"))
}

fn documentation() -> Command {
    let mut command = cargo("doc --quiet --workspace --no-deps");
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// A program without std, alloc and unwinding that uses the library: it is built and run.
fn links_without_std() -> Outcome<Vec<Command>> {
    let folder = target().join("without-std");
    let program = folder.join("program");
    let mut build = cargo("build --quiet --package utf8kit --no-default-features --target-dir");
    build.arg(&folder);
    let mut link =
        command("rustc", "--edition 2024 -C panic=abort -C opt-level=1 crates/xtask/src/without_std.rs");
    link.arg("-o").arg(&program);
    link.arg("--extern").arg(format!("utf8kit={}", folder.join("debug/libutf8kit.rlib").display()));
    Ok(vec![build, link, Command::new(program)])
}

/// The examples in README.md, as rustdoc runs those of the library.
fn examples() -> Outcome<Vec<Command>> {
    let folder = target().join("debug");
    let mut test = command("rustdoc", "--test README.md --edition 2024 --test-args --quiet");
    test.arg("--extern").arg(format!("utf8kit={}", folder.join("libutf8kit.rlib").display()));
    Ok(vec![cargo("build --quiet --package utf8kit"), test])
}
