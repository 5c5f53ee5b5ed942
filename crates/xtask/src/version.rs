//! The version of all packages, which several kinds of manifests repeat.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::{Result, root};

/// The names of files that may contain it.
const MANIFESTS: &[&str] = &["Cargo.toml", "pyproject.toml", "package.json", "jsr.json", "Makefile"];

/// The folders that contain manifests, at any depth.
const FOLDERS: &[&str] = &["crates", "python", "web", "bench", "fuzz"];

/// Sets the version in every manifest, and lets the tools update their lock files.
pub(crate) fn set(new: &str) -> Result {
    let old = current()?;
    for path in manifests()? {
        let text = fs::read_to_string(&path)?;
        let set: String =
            own_lines(&text).map(|(line, own)| if own { line.replace(&old, new) } else { line.to_owned() }).collect();
        if set != text {
            fs::write(&path, set)?;
            println!("{}", path.strip_prefix(root())?.display());
        }
    }
    println!(
        "now run `cargo check` and `npm install --package-lock-only`, and date the topmost section of CHANGELOG.md"
    );
    Ok(ExitCode::SUCCESS)
}

/// Fails unless every manifest has the workspace's version, and CHANGELOG.md begins with a dated section for it.
pub(crate) fn check(released: &str) -> Result {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
    let newest = changelog.lines().find_map(|line| line.strip_prefix("## ")).unwrap_or_default();
    let date = newest.strip_prefix(&format!("{released} (")).and_then(|rest| rest.strip_suffix(')'));
    if !date.is_some_and(|date| date.len() == 10 && date.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())) {
        return Err(format!("CHANGELOG.md must begin with \"## {released} (YYYY-MM-DD)\", not \"## {newest}\"").into());
    }
    let current = current()?;
    if current != released {
        return Err(format!("the manifests have version {current}: run `cargo xtask version {released}`").into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the version in the workspace's manifest.
fn current() -> Result<String> {
    let text = fs::read_to_string(root().join("Cargo.toml"))?;
    let version = text.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    Ok(version.ok_or("Cargo.toml has no version")?.to_owned())
}

/// Reports for each line of a manifest whether it may hold the version of one of our packages: the first line that
/// begins with `version`, unless that is a dependency's, and lines that name a package of ours.
fn own_lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut in_head = true;
    text.split_inclusive('\n').map(move |line| {
        let start = line.trim_start();
        in_head &= !start.starts_with("[dependencies") && !start.starts_with("\"dependencies");
        let states = in_head && ["version = ", "\"version\"", "VERSION = "].iter().any(|key| start.starts_with(key));
        (line, states || start.contains("utf8kit") && start.contains(|c: char| c.is_ascii_digit()))
    })
}

/// Returns every manifest of the repository.
fn manifests() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    find(root(), &mut found, false)?;
    for folder in FOLDERS {
        find(&root().join(folder), &mut found, true)?;
    }
    Ok(found)
}

fn find(folder: &Path, found: &mut Vec<PathBuf>, deeper: bool) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if MANIFESTS.iter().any(|manifest| name == *manifest) {
            found.push(entry.path());
        } else if deeper && entry.file_type()?.is_dir() && name != "node_modules" && name != "target" {
            find(&entry.path(), found, true)?;
        }
    }
    Ok(())
}

#[test]
fn every_manifest_has_the_version_of_the_workspace() {
    let version = current().unwrap();
    let mut holding = 0;
    for path in manifests().unwrap() {
        let text = fs::read_to_string(&path).unwrap();
        let private = text.contains("publish = false") || text.contains("\"private\": true");
        for (line, _) in own_lines(&text).filter(|(_, own)| *own) {
            let numbers = line.split(|c: char| !c.is_ascii_digit() && c != '.');
            for stated in numbers.filter(|number| number.matches('.').count() == 2 && number.len() > 4) {
                assert!(stated == version || private && !line.contains("utf8kit"), "{}: {line}", path.display());
                holding += usize::from(stated == version);
            }
        }
    }
    assert!(holding >= 10, "only {holding} places hold {version}");
}
