//! Tests the hooks for pre-commit: they can be installed, and work.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{run_in, skip, status, text};

/// Returns the root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the words of each hook's entry.
fn entries() -> Vec<Vec<String>> {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entries = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: "));
    entries.map(|entry| entry.split(' ').map(str::to_owned).collect()).collect()
}

/// pre-commit runs `cargo install --bins --path .`, which installs the programs of the package at the root.
#[test]
fn hooks_install_the_program_they_call() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_str(&text(&metadata)).unwrap();
    let manifest = root().canonicalize().unwrap().join("Cargo.toml");
    let packages = metadata["packages"].as_array().unwrap();
    let package =
        packages.iter().find(|package| Path::new(package["manifest_path"].as_str().unwrap()) == manifest);
    let package = package.expect("a package at the root, not a virtual workspace");
    let programs: Vec<_> = package["targets"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|target| target["kind"][0] == "bin")
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert_eq!(entries().len(), 2);
    for entry in entries() {
        assert!(programs.contains(&entry[0].as_str()), "{} is none of {programs:?}", entry[0]);
    }
}

/// pre-commit runs an entry with file names as further arguments.
#[test]
fn hooks_do_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    for entry in entries() {
        let run =
            |name: &str| status(&run_in(folder.path(), entry[1..].iter().map(String::as_str).chain([name])));
        fs::write(folder.path().join("good"), "caf\u{E9}").unwrap();
        fs::write(folder.path().join("bad"), b"caf\xE9").unwrap();
        assert_eq!((run("good"), run("bad")), (0, 1), "{entry:?}");
        let repairs = entry[1] == "repair";
        assert_eq!(fs::read(folder.path().join("bad")).unwrap() == "caf\u{FFFD}".as_bytes(), repairs);
    }
}

/// The complete test, if pre-commit and a network are available. It builds the command in release mode, so it only runs
/// with `cargo test -p utf8kit-cli -- --ignored pre_commit`.
#[test]
#[ignore = "builds the command in release mode"]
fn pre_commit_installs_and_runs_the_hooks() {
    let pre_commit = Command::new("pre-commit").arg("--version").output();
    if !pre_commit.is_ok_and(|output| output.status.success()) {
        return skip("pre-commit is not there");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.txt"), b"caf\xE9\n").unwrap();
    for args in [&["init", "-q"][..], &["add", "."]] {
        assert!(Command::new("git").args(args).current_dir(folder.path()).status().unwrap().success());
    }
    let run = Command::new("pre-commit")
        .args(["try-repo", root().canonicalize().unwrap().to_str().unwrap(), "utf8-check", "--all-files"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(text(&run).contains("bad.txt:1:4"), "{}", text(&run));
}
