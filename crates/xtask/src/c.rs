//! Tests the C library: its header, its symbols, and the examples in C, C++ and Go.

use std::env::consts::OS;
use std::process::Command;

use crate::run::{Extent, Step, cargo, command};
use crate::target;
use crate::tools::Tool;

const MAKE: Tool = Tool { program: "make", install: "apt-get install make" };
const C: Tool = Tool { program: "cc", install: "apt-get install gcc libc6-dev" };
const CPP: Tool = Tool { program: "c++", install: "apt-get install g++" };
const VALGRIND: Tool = Tool { program: "valgrind", install: "apt-get install valgrind" };
const GO: Tool = Tool { program: "go", install: "apt-get install golang-go" };

pub(crate) fn steps(_: Extent) -> Vec<Step> {
    vec![
        Step::new("C header", [cargo("test --quiet --package utf8kit-c")]),
        step("C and C++, also with sanitizers", "check", &[C, CPP]),
        step("C under valgrind", "check-valgrind", &[C, CPP, VALGRIND]),
        step("Go", "check-go", &[C, GO]),
    ]
}

/// Returns a step that makes a target of the library's Makefile, with the tools it needs.
fn step(name: &str, goal: &str, tools: &[Tool]) -> Step {
    let found = [MAKE].iter().chain(tools).try_for_each(|tool| tool.find().map(drop));
    let found = if OS == "linux" { found } else { Err("Linux".to_owned()) };
    Step { name: name.into(), commands: found.map(|()| vec![make(goal)]) }
}

fn make(goal: &str) -> Command {
    let mut make = command("make", "--silent --directory crates/utf8kit-c");
    make.arg(format!("BUILD={}", target().join("c").display()));
    make.arg(format!("TARGET={}", target().display())).arg(goal);
    make
}
