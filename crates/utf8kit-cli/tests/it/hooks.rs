//! Tests that the pre-commit hooks can be installed and work.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{has, run_in, skip, status, text};

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

/// pre-commit installs the project at the root, which must depend on the wheel of this version, with the program.
#[test]
fn hooks_install_the_program_they_call() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap().parse::<toml::Table>().unwrap();
    let (project, wheel) = (read("pyproject.toml"), read("python/pyproject.toml"));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(project["project"]["version"].as_str(), Some(version));
    let needed = format!("{}=={version}", wheel["project"]["name"].as_str().unwrap());
    assert_eq!(project["project"]["dependencies"].as_array().unwrap(), &[needed.into()]);
    assert_eq!(project["project"]["requires-python"], wheel["project"]["requires-python"]);
    let programs = wheel["project"]["scripts"].as_table().unwrap();
    assert_eq!(entries().len(), 3);
    for entry in entries() {
        assert!(programs.contains_key(&entry[0]), "{} is not one of {programs:?}", entry[0]);
    }
}

/// The action installs a release only if its checksum is right.
#[test]
#[cfg(target_os = "linux")]
fn the_action_fetches_and_verifies_the_program() {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let tools = ["bash", "curl", "sha256sum", "tar"];
    if !tools.iter().all(|tool| has(tool)) || !["x86_64", "aarch64"].contains(&std::env::consts::ARCH) {
        return skip("the action has nothing to run with");
    }
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("download/v1.2.3");
    fs::create_dir_all(&release).unwrap();
    let name = format!("utf8-v1.2.3-{target}");
    let script = format!(
        "mkdir {name} && cp '{}' {name}/utf8 && tar -czf {name}.tar.gz {name} && sha256sum *.gz > SHA256SUMS",
        env!("CARGO_BIN_EXE_utf8")
    );
    assert!(Command::new("bash").args(["-c", &script]).current_dir(&release).status().unwrap().success());
    let fetch = |into: &str| {
        let mut command = Command::new(root().join(".github/fetch.sh"));
        command.arg(folder.path().join(into)).env("UTF8KIT_VERSION", "v1.2.3");
        command.env("UTF8KIT_RELEASES", format!("file://{}", folder.path().display()));
        command.env_remove("RUNNER_OS").env_remove("RUNNER_ARCH").output().unwrap()
    };
    let fetched = fetch("one");
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
    let version = Command::new(Path::new(text(&fetched).trim()).join("utf8")).arg("--version").output().unwrap();
    assert!(text(&version).starts_with("utf8 "), "{}", text(&version));
    let sums = fs::read_to_string(release.join("SHA256SUMS")).unwrap();
    fs::write(release.join("SHA256SUMS"), format!("{}{}", "0".repeat(64), &sums[64..])).unwrap();
    assert!(!fetch("two").status.success(), "a wrong checksum");
}

/// pre-commit runs an entry with file names as further arguments.
#[test]
fn hooks_do_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    // `--staged` is tested with its repository: `document::a_history_of_damage_is_found_and_undone`.
    for entry in entries().into_iter().filter(|entry| entry[2..] != ["--staged"]) {
        let run = |name: &str| status(&run_in(folder.path(), entry[1..].iter().map(String::as_str).chain([name])));
        fs::write(folder.path().join("good"), "caf\u{E9}").unwrap();
        fs::write(folder.path().join("bad"), b"caf\xC3").unwrap();
        fs::write(folder.path().join("legacy"), b"caf\xE9").unwrap();
        assert_eq!((run("good"), run("bad")), (0, 1), "{entry:?}");
        let repairs = entry[1] == "repair";
        assert_eq!(fs::read(folder.path().join("bad")).unwrap() == "caf\u{FFFD}".as_bytes(), repairs);
        // Text that a conversion would keep is not replaced.
        assert_eq!(run("legacy"), if repairs { 2 } else { 1 }, "{entry:?}");
        assert_eq!(fs::read(folder.path().join("legacy")).unwrap(), b"caf\xE9");
    }
}

/// The complete test. It needs pre-commit, a network, and this version on PyPI or at `PIP_FIND_LINKS`: `cargo test -p
/// utf8kit-cli -- --ignored pre_commit`.
#[test]
#[ignore = "needs the wheel of this version"]
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
