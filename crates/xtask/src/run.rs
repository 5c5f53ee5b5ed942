//! Steps of a test run, and the sum of what they found.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::{Outcome, root};

/// `program` in the repository, with arguments as a shell without quotes would split them.
pub(crate) fn command(program: &str, arguments: &str) -> Command {
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace()).current_dir(root());
    command
}

/// The cargo that runs us.
pub(crate) fn cargo(arguments: &str) -> Command {
    command(&env::var("CARGO").unwrap_or_else(|_| "cargo".into()), arguments)
}

/// Runs a command whose success is ours.
pub(crate) fn succeeds(mut command: Command) -> Outcome {
    Ok(if command.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Counts of tests.
#[derive(Clone, Copy, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// What libtest says at the end: `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
    fn read(line: &str) -> Option<Tally> {
        let result = line.trim_start().strip_prefix("test result: ")?;
        let count = |what| {
            let mut parts = result.split("; ");
            let number = parts.find_map(|part| part.strip_suffix(what)?.rsplit(' ').next()?.parse().ok());
            number.unwrap_or(0)
        };
        Some(Tally { passed: count(" passed"), failed: count(" failed"), skipped: count(" ignored") })
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// A test run. A step counts as its tests, or as one where it has none.
pub(crate) struct Run {
    total: Tally,
    summary: Vec<String>,
    /// On a machine that should have everything, what is missing has failed.
    strict: bool,
}

impl Run {
    pub(crate) fn new() -> Run {
        let strict = env::var("CI").is_ok_and(|value| value == "true");
        Run { total: Tally::default(), summary: Vec::new(), strict }
    }

    /// Runs commands up to the first that fails.
    pub(crate) fn step(&mut self, name: &str, commands: Vec<Command>) {
        println!("\n==> {name}");
        let start = Instant::now();
        let mut tally = Tally::default();
        let mut succeeded = true;
        for mut command in commands {
            succeeded = pass_on(&mut command, &mut tally).unwrap_or_else(|error| {
                println!("{}: {error}", command.get_program().display());
                false
            });
            if !succeeded {
                break;
            }
        }
        tally.failed += u64::from(!succeeded && tally.failed == 0);
        tally.passed += u64::from(succeeded && tally.passed == 0);
        let word = if tally.failed == 0 { "ok" } else { "FAILED" };
        self.add(word, tally, format!("{name} ({tally}; {:.0} s)", start.elapsed().as_secs_f64()));
    }

    /// Notes a step that this machine lacks something for.
    pub(crate) fn missing(&mut self, name: &str, how_to_get: &str) {
        let tally = Tally { failed: self.strict.into(), skipped: (!self.strict).into(), ..Tally::default() };
        self.add(
            if self.strict { "FAILED" } else { "not run" },
            tally,
            format!("{name}: needs {how_to_get}"),
        );
    }

    fn add(&mut self, word: &str, tally: Tally, text: String) {
        self.total.add(tally);
        self.summary.push(format!("{word:>7}  {text}"));
    }

    /// Prints the summary.
    pub(crate) fn finish(self) -> ExitCode {
        println!("\n{}\n\n{}", self.summary.join("\n"), self.total);
        if self.total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Runs a command, passes its output on, and adds up the tests in it; says whether it succeeded.
fn pass_on(command: &mut Command, tally: &mut Tally) -> Outcome<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    for line in BufReader::new(child.stdout.take().ok_or("no standard output")?).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.add(Tally::read(&line).unwrap_or_default());
    }
    Ok(child.wait()?.success())
}
