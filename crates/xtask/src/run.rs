//! Runs the steps of a test run, and counts their results.

use std::collections::BTreeSet;
use std::env;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::{Result, root};

/// Returns a command that runs `program` in the repository, with arguments split at spaces.
pub(crate) fn command(program: &str, arguments: &str) -> Command {
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace()).current_dir(root());
    command
}

/// Returns a command for the cargo that runs xtask.
pub(crate) fn cargo(arguments: &str) -> Command {
    command(&env::var("CARGO").unwrap_or_else(|_| "cargo".into()), arguments)
}

/// Runs a command and adopts its exit status.
pub(crate) fn succeeds(mut command: Command) -> Result {
    Ok(if command.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the output of a command if it succeeds.
pub(crate) fn prints(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Reports whether everything must be installed. If so, a missing program is a failure and not a skipped test.
fn is_strict() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}

/// The extent of a part to run: a sample in the default run, all of it if the part is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Sample,
    Whole,
}

/// Commands that run one after another, or a description of what must be installed for them.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) commands: Result<Vec<Command>, String>,
}

impl Step {
    pub(crate) fn new(name: impl Into<String>, commands: impl Into<Vec<Command>>) -> Step {
        Step { name: name.into(), commands: Ok(commands.into()) }
    }
}

/// Counts of tests.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Parses the last line of libtest: `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
    fn read(line: &str) -> Option<Counts> {
        let result = line.trim_start().strip_prefix("test result: ")?;
        let count = |what| {
            let mut parts = result.split("; ");
            let number = parts.find_map(|part| part.strip_suffix(what)?.rsplit(' ').next()?.parse().ok());
            number.unwrap_or(0)
        };
        Some(Counts { passed: count(" passed"), failed: count(" failed"), skipped: count(" ignored") })
    }

    /// A test that lacks a program prints `skipped: TEST: WHY` and returns. Libtest counts it as passed.
    fn skip(&mut self, tests: u64) {
        let tests = tests.min(self.passed);
        self.passed -= tests;
        self.skipped += tests;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// A test run. A step counts with its number of tests, or as one if it has none.
#[derive(Default)]
pub(crate) struct Run {
    total: Counts,
    summary: Vec<String>,
}

impl Run {
    /// Runs the commands of a step, up to the first that fails.
    pub(crate) fn step(&mut self, step: Step) {
        let name = step.name;
        let commands = match step.commands {
            Ok(commands) => commands,
            Err(needed) => return self.missing(&name, &needed),
        };
        println!("\n==> {name}");
        let start = Instant::now();
        let mut counts = Counts::default();
        let mut succeeded = true;
        for mut command in commands {
            succeeded = pass_on(&mut command, &mut counts).unwrap_or_else(|error| {
                println!("{}: {error}", command.get_program().display());
                false
            });
            if !succeeded {
                break;
            }
        }
        counts.failed += u64::from(!succeeded && counts.failed == 0);
        counts.passed += u64::from(succeeded && counts == Counts::default());
        let word = if counts.failed == 0 { "ok" } else { "FAILED" };
        self.add(word, counts, format!("{name} ({counts}; {:.0} s)", start.elapsed().as_secs_f64()));
    }

    /// Records a step for which something is missing.
    fn missing(&mut self, name: &str, needed: &str) {
        let strict = is_strict();
        let counts = Counts { failed: strict.into(), skipped: (!strict).into(), ..Counts::default() };
        let word = if strict { "FAILED" } else { "skipped" };
        self.add(word, counts, format!("{name}: needs {needed}"));
    }

    fn add(&mut self, word: &str, counts: Counts, text: String) {
        self.total.add(counts);
        self.summary.push(format!("{word:>7}  {text}"));
    }

    /// Prints the summary, with the total on the last line.
    pub(crate) fn finish(self) -> ExitCode {
        println!("\n{}\n\n{}", self.summary.join("\n"), self.total);
        if self.total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Runs a command, forwards its output, and counts the tests in it. Returns whether it succeeded.
fn pass_on(command: &mut Command, counts: &mut Counts) -> Result<bool> {
    // A target that is built only once builds and runs faster without incremental compilation.
    if !command.get_envs().any(|(name, _)| name == "CARGO_INCREMENTAL") {
        command.env("CARGO_INCREMENTAL", "0");
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().ok_or("no standard output")?;
    count(BufReader::new(output), counts)?;
    Ok(child.wait()?.success())
}

/// Forwards output and counts the tests in it.
fn count(output: impl BufRead, counts: &mut Counts) -> Result<()> {
    let mut skipped = BTreeSet::new();
    for line in output.split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        let test = line.strip_prefix("skipped: ").and_then(|line| line.split_once(": "));
        skipped.extend(test.map(|(test, _)| test.to_owned()));
        counts.add(Counts::read(&line).unwrap_or_default());
    }
    counts.skip(skipped.len() as u64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_libtest() {
        let line = "test result: FAILED. 33 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(Counts::read(line), Some(Counts { passed: 33, failed: 2, skipped: 1 }));
        assert_eq!(Counts::read("running 36 tests"), None);
    }

    #[test]
    fn what_tests_skip_has_not_passed() {
        let output = "..\nskipped: go: why\n.\nskipped: go: again\n\ntest result: ok. 3 passed; 0 failed; 1 ignored\n";
        let mut counts = Counts::default();
        count(output.as_bytes(), &mut counts).unwrap();
        assert_eq!(counts, Counts { passed: 2, failed: 0, skipped: 2 });
    }
}
