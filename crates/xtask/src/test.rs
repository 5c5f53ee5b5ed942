//! The parts of the test run.

use std::env::consts::EXE_SUFFIX;
use std::process::{Command, ExitCode};

use crate::run::{Extent, Run, Step, cargo, command, prints};
use crate::tools::PEERS;
use crate::{Result, c, foreign, miri, mutants, python, target, web};

/// A part of the test run.
struct Part {
    name: &'static str,
    about: &'static str,
    /// Whether it runs if no part is named.
    by_default: bool,
    steps: fn(Extent) -> Vec<Step>,
}

/// All parts, in the order of the default run. To add one, add a row here and a file with its steps.
const PARTS: &[Part] = &[
    Part { name: "lints", about: "format, lints with and without std, documentation", by_default: true, steps: lints },
    Part {
        name: "tests",
        about: "all tests of the workspace, the benchmark's peers, the examples, the generated files",
        by_default: true,
        steps: tests,
    },
    Part {
        name: "foreign",
        about: "the library on other processors, under emulation (by default a sample)",
        by_default: true,
        steps: foreign::steps,
    },
    Part {
        name: "web",
        about: "the npm package and the page, in Node, Chromium and Firefox",
        by_default: true,
        steps: web::steps,
    },
    Part {
        name: "c",
        about: "the C library: header, symbols, and examples in C, C++ and Go, with sanitizers and valgrind",
        by_default: true,
        steps: c::steps,
    },
    Part {
        name: "python",
        about: "the Python package: the wheel built once, pytest with Sail and a small Spark cluster",
        by_default: true,
        steps: python::steps,
    },
    Part { name: "miri", about: "the library in Miri (by default a sample)", by_default: true, steps: miri::steps },
    Part {
        name: "spark",
        about: "the Python package on Spark, with executors killed and gigabytes read: minutes",
        by_default: false,
        steps: python::spark,
    },
    Part {
        name: "quick",
        about: "format, lints, the library's tests: below three minutes",
        by_default: false,
        steps: quick,
    },
    Part {
        name: "exhaustive",
        about: "all strings of three bytes around a block, and of four bytes: an hour or two",
        by_default: false,
        steps: exhaustive,
    },
    Part {
        name: "avx512",
        about: "the library on an emulated processor with AVX-512: some minutes",
        by_default: false,
        steps: foreign::avx512,
    },
    Part {
        name: "package",
        about: "the crates as they would be published: their archives build alone",
        by_default: false,
        steps: package,
    },
    Part {
        name: "mutants",
        about: "mutations of what the branch changed, which the tests must notice",
        by_default: false,
        steps: mutants::steps,
    },
];

/// A single build for all tests, so that nothing is compiled twice. (The features of a dependency depend on all
/// packages of a build.)
const WORKSPACE: &str =
    "--workspace --features utf8kit-bench/peers,utf8kit/bytes,utf8kit/hold,utf8kit/serde,utf8kit/tokio-util";

/// Runs the named parts, or all that run by default.
pub(crate) fn run(names: &[&str]) -> Result {
    let mut parts = Vec::new();
    for name in names {
        let part = PARTS.iter().find(|part| part.name == *name);
        parts.push(part.ok_or_else(|| format!("no part is named {name}; the parts are\n\n{}", list()))?);
    }
    let mut extent = Extent::Whole;
    if parts.is_empty() {
        parts = PARTS.iter().filter(|part| part.by_default).collect();
        extent = Extent::Sample;
    }
    Ok(finish(parts.iter().flat_map(|part| (part.steps)(extent))))
}

/// Runs steps, and prints their counts.
pub(crate) fn finish(steps: impl IntoIterator<Item = Step>) -> ExitCode {
    let mut run = Run::default();
    steps.into_iter().for_each(|step| run.step(step));
    run.finish()
}

/// Returns the list of parts, one per line.
pub(crate) fn list() -> String {
    let line = |part: &Part| {
        let mark = if part.by_default { '*' } else { ' ' };
        format!("  {:<10} {mark} {}\n", part.name, part.about)
    };
    PARTS.iter().map(line).collect()
}

/// Prints the parts that are ready, and the requirements of the others.
pub(crate) fn doctor() -> Result {
    println!("Parts of the tests");
    for part in PARTS {
        for step in (part.steps)(Extent::Whole) {
            report(part.name, &step.name, step.commands.map(drop));
        }
    }
    println!("\nPrograms that the tests compare with");
    for (tool, purpose) in PEERS {
        report(tool.program, purpose, tool.find().map(drop));
    }
    Ok(ExitCode::SUCCESS)
}

fn report(name: &str, what: &str, found: Result<(), String>) {
    match found {
        Ok(()) => println!("  {name:<10}  ready    {what}"),
        Err(needed) => println!("  {name:<10}  missing  {what}: needs {needed}"),
    }
}

fn quick(_: Extent) -> Vec<Step> {
    let library = Step::new("library", [cargo("test --quiet --package utf8kit")]);
    vec![format(), clippy(), library]
}

fn lints(_: Extent) -> Vec<Step> {
    let lint = |package| cargo(&format!("clippy --quiet --no-default-features {package} -- -D warnings"));
    let without_std = ["--package utf8kit", "--package utf8kit --features alloc"].map(lint);
    let alone = [
        "--package utf8kit-encodings",
        "--package utf8kit-encodings --features rewrite",
        "--package utf8kit-encodings --features unicode",
        "--package utf8kit-detect",
        "--package utf8kit-document",
        "--package utf8kit-records",
        "--package utf8kit-files",
        "--package utf8kit-files --features archives",
        "--package utf8kit-files --features document",
    ]
    .map(lint);
    let mut documentation = cargo("doc --quiet --workspace --no-deps");
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    vec![
        format(),
        clippy(),
        Step::new("lints without std", without_std),
        Step::new("lints of each crate alone", alone),
        Step::new("documentation", [documentation]),
    ]
}

fn format() -> Step {
    Step::new("format", [cargo("fmt --all --check")])
}

fn clippy() -> Step {
    Step::new("lints", [cargo(&format!("clippy --quiet {WORKSPACE} --all-targets -- -D warnings"))])
}

fn tests(_: Extent) -> Vec<Step> {
    vec![
        Step::new("tests", [cargo(&format!("test --quiet {WORKSPACE} --no-fail-fast"))]),
        Step::new("links without std", links_without_std()),
        Step { name: "size of a program that validates".into(), commands: size_of_validation() },
        Step::new("examples in README.md", examples()),
        Step::new("generated files", [generated_files()]),
    ]
}

/// Checks the generated files with the `utf8` built by the tests.
fn generated_files() -> Command {
    let mut check = cargo("xtask gen --check --with");
    check.arg(target().join("debug").join(format!("utf8{EXE_SUFFIX}")));
    check
}

/// Builds and runs a program without std, alloc and unwinding that uses the library.
fn links_without_std() -> Vec<Command> {
    let folder = target().join("without-std");
    let program = folder.join("program");
    let mut build = cargo("build --quiet --package utf8kit --no-default-features --target-dir");
    build.arg(&folder);
    let mut link = command("rustc", "--edition 2024 -C panic=abort -C opt-level=1 crates/xtask/src/without_std.rs");
    link.arg("-o").arg(&program);
    link.arg("--extern").arg(format!("utf8kit={}", folder.join("debug/libutf8kit.rlib").display()));
    vec![build, link, Command::new(program)]
}

/// Builds a program that only validates, and measures it.
fn size_of_validation() -> Result<Vec<Command>, String> {
    if prints(&mut command("nm", "--version")).is_none() {
        return Err("nm (of GNU's binutils)".into());
    }
    let folder = target().join("without-std");
    let program = folder.join("validates");
    let mut build = cargo("build --release --quiet --package utf8kit --no-default-features --target-dir");
    build.arg(&folder);
    let options = "--edition 2024 -C panic=abort -C opt-level=3 -C lto=fat crates/xtask/src/validates.rs";
    let mut link = command("rustc", options);
    link.arg("-o").arg(&program);
    link.arg("--extern").arg(format!("utf8kit={}", folder.join("release/libutf8kit.rlib").display()));
    let mut measure = cargo("xtask size");
    measure.arg(program);
    Ok(vec![build, link, measure])
}

/// Runs the examples in README.md, like rustdoc runs those of the library.
fn examples() -> Vec<Command> {
    let folder = target().join("debug");
    let mut test = command("rustdoc", "--test README.md --edition 2024 --test-args --quiet");
    test.arg("--extern").arg(format!("utf8kit={}", folder.join("libutf8kit.rlib").display()));
    vec![cargo("build --quiet --package utf8kit"), test]
}

fn exhaustive(_: Extent) -> Vec<Step> {
    vec![
        Step::new(
            "all strings of three bytes in blocks",
            [cargo("test --quiet --package utf8kit --lib -- --ignored every_string_of_three_bytes")],
        ),
        Step::new("all strings of four bytes", [walk(&[])]),
    ]
}

fn package(_: Extent) -> Vec<Step> {
    vec![Step::new("packages", [cargo("publish --quiet --workspace --dry-run --locked")])]
}

/// Runs all strings of four bytes, or a part of them.
pub(crate) fn walk(options: &[&str]) -> Command {
    let mut walk = cargo("run --quiet --release --package utf8kit-bench --bin exhaustive --");
    walk.args(options);
    walk
}
