//! Mutation tests: cargo-mutants changes one place of the code at a time, and some test must fail. Its settings are in
//! `.cargo/mutants.toml`.

use std::process::Command;

use crate::run::{Extent, Step, command, prints};
use crate::target;

/// The packages to mutate, and the packages whose tests must detect the mutation. Tests of the command cover much of
/// the crates below it.
const GROUPS: [(&str, &str); 2] = [
    ("utf8kit", "--package utf8kit --test-package utf8kit"),
    (
        "utf8kit-cli and the crates that it is built on",
        "--package utf8kit-encodings --package utf8kit-detect --package utf8kit-document --package utf8kit-records \
         --package utf8kit-files --package utf8kit-cli \
         --test-package utf8kit-encodings,utf8kit-detect,utf8kit-document \
         --test-package utf8kit-records,utf8kit-files,utf8kit-cli",
    ),
];

/// Mutates the changes of this branch since it left the main branch.
pub(crate) fn steps(_: Extent) -> Vec<Step> {
    let branches = ["origin/main", "main"];
    let base = branches
        .iter()
        .find_map(|branch| prints(command("git", "merge-base HEAD").arg(branch)))
        .ok_or_else(|| "a branch `main` to compare with (git fetch origin main:main)".to_owned());
    let base = installed().and(base);
    let step = |(names, packages)| {
        let commands = base.clone().map(|base| {
            let diff = target().join("branch.diff");
            let mut write = command("git", "diff");
            write.arg(format!("--output={}", diff.display())).arg(base);
            let mut mutate = mutate(packages);
            mutate.arg("--in-diff").arg(&diff);
            vec![write, mutate]
        });
        Step { name: format!("mutants of what the branch changed in {names}"), commands }
    };
    GROUPS.map(step).into()
}

/// Mutates everything. `options` are passed to cargo-mutants, such as `--shard 1/8` or `--file PATH`.
pub(crate) fn all(options: &[&str]) -> Vec<Step> {
    let step = |(names, packages)| {
        let commands = installed().map(|()| {
            let mut mutate = mutate(packages);
            mutate.args(options);
            vec![mutate]
        });
        Step { name: format!("mutants of {names}"), commands }
    };
    GROUPS.map(step).into()
}

/// Returns the command that mutates some packages. Incremental compilation takes seconds instead of a minute, because
/// each build follows a change of one line.
fn mutate(packages: &str) -> Command {
    let mut mutate = command("cargo", "mutants --no-shuffle");
    mutate.args(packages.split(' ')).env("CARGO_INCREMENTAL", "1");
    mutate
}

fn installed() -> Result<(), String> {
    let version = prints(&mut command("cargo", "mutants --version"));
    version.map(drop).ok_or_else(|| "cargo-mutants (cargo install --locked cargo-mutants)".into())
}
