//! Tests the Python package: creates a virtual environment under `target/`, builds the wheel into it once, and runs
//! pytest.

use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;
use std::process::Command;

use crate::run::{Extent, Step, command, prints};
use crate::target;
use crate::tools::Tool;

const JAVA: Tool = Tool { program: "java", install: "apt-get install default-jdk-headless" };

/// Returns the step for all tests except those that take minutes. Sail and one small Spark cluster are included.
pub(crate) fn steps(_: Extent) -> Vec<Step> {
    vec![step("Python", "not heavy", Ok(()))]
}

/// Returns the step for tests that take minutes: Spark clusters whose executors are killed, gigabytes, measurements.
pub(crate) fn spark(_: Extent) -> Vec<Step> {
    vec![step("Spark", "heavy", JAVA.find().map(drop))]
}

fn step(name: &str, marked: &str, ready: Result<(), String>) -> Step {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let commands = ready.and_then(|()| has_python(python)).map(|()| commands(python, marked));
    Step { name: name.into(), commands }
}

/// Checks for Python 3.11 with venv; else returns what to install.
fn has_python(python: &str) -> Result<(), String> {
    let check = "import sys,venv,ensurepip;assert(sys.version_info>=(3,11))";
    let found = prints(command(python, "-c").arg(check));
    found.map(drop).ok_or_else(|| "Python 3.11 with venv (apt-get install python3-venv)".into())
}

fn commands(python: &str, marked: &str) -> Vec<Command> {
    let environment = target().join("python");
    let program = |name: &str| -> PathBuf {
        environment.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(format!("{name}{EXE_SUFFIX}"))
    };
    let own_python = program("python").into_os_string().into_string().unwrap_or_default();
    let mut make = command(python, "-m venv");
    make.arg(&environment);
    let install = "-m pip install --quiet --disable-pip-version-check --prefer-binary -r python/requirements-test.txt";
    // Reuses the build of the other tests.
    let mut build = command(&own_python, "-m maturin develop --quiet --profile dev -m python/Cargo.toml");
    build.env("VIRTUAL_ENV", &environment).env("CARGO_TARGET_DIR", target());
    let mut test = command(&own_python, "-m pytest -q -p no:cacheprovider python/tests");
    // A file's tests share a server.
    test.args(["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "-m", marked])
        .env("PYSPARK_PYTHON", &own_python);
    vec![make, command(&own_python, install), build, test]
}
