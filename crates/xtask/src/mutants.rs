//! Mutation tests: cargo-mutants changes one place of the code at a time, and some test must fail. Its settings are in
//! `.cargo/mutants.toml`.

use crate::run::{Step, command, prints};
use crate::target;
use crate::test::Extent;

/// Mutates what this branch changed since it left the main branch.
pub(crate) fn steps(_: Extent) -> Vec<Step> {
    let diff = target().join("branch.diff");
    let branches = ["origin/main", "main"];
    let base = branches
        .iter()
        .find_map(|branch| prints(command("git", "merge-base HEAD").arg(branch)))
        .ok_or_else(|| "a branch `main` to compare with (git fetch origin main:main)".to_owned());
    let commands = installed().and(base).map(|base| {
        let mut write = command("git", "diff");
        write.arg(format!("--output={}", diff.display())).arg(base);
        let mut mutate = command("cargo", "mutants --no-shuffle --in-diff");
        mutate.arg(&diff);
        vec![write, mutate]
    });
    vec![Step { name: "mutants of what the branch changed".into(), commands }]
}

/// Mutates everything. `options` are passed to cargo-mutants, such as `--shard 1/8` or `--file PATH`.
pub(crate) fn all(options: &[&str]) -> Vec<Step> {
    let commands = installed().map(|()| {
        let mut mutate = command("cargo", "mutants --no-shuffle");
        mutate.args(options);
        vec![mutate]
    });
    vec![Step { name: "mutants".into(), commands }]
}

fn installed() -> Result<(), String> {
    let version = prints(&mut command("cargo", "mutants --version"));
    version.map(drop).ok_or_else(|| "cargo-mutants (cargo install --locked cargo-mutants)".into())
}
