//! Tests the arrows of ARCHITECTURE.md: which parts may use which, in the library and among the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::root;

/// The layers of the library, lowest first, beginning with the vocabulary. Files that are not listed are doors, the top
/// layer. A file may use the layers below it, and within its layer its own room, the rest of the vocabulary or of the
/// doors, and what [`BESIDE`] allows.
const FLOORS: &[&[&str]] = &[
    &["error", "policy", "encoding", "layout"],
    &["grammar", "arch"],
    &["out"],
    &["scalar"],
    &["kernel", "swar"],
    &["dispatch"],
    &[
        "convert/progress",
        "convert/route",
        "convert/stretch",
        "convert/repair",
        "convert/measure",
        "convert/engine",
    ],
];

/// Rooms of one layer of which the first may use the second. Plain words do the work that a kernel describes.
const BESIDE: &[(&str, &str)] = &[("swar", "kernel")];

/// For each crate of the workspace, those it may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("utf8kit", &[]),
    ("utf8kit-text", &["utf8kit"]),
    ("utf8kit-cli", &["utf8kit", "utf8kit-text"]),
    ("utf8kit-wasm", &["utf8kit", "utf8kit-text"]),
    ("utf8kit-wasm-text", &["utf8kit", "utf8kit-text"]),
    ("utf8kit-c", &["utf8kit"]),
    ("xtask", &[]),
];

#[test]
fn the_library_uses_what_is_below() {
    let mut wrong = Vec::new();
    for (user, used) in uses() {
        for used in used {
            let (above, below) = (floor(&user), floor(&used));
            let beside = (room(&user), room(&used));
            let ground_or_doors = above == 0 || above == FLOORS.len();
            let allowed = beside.0 == beside.1 || ground_or_doors || BESIDE.contains(&beside);
            if below > above || below == above && !allowed {
                wrong.push(format!("{user} uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "against the arrows of ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn the_library_has_no_circle() {
    // Cycles are between rooms, as a folder's files and its `mod.rs` may use each other. The doors of `convert/` are a
    // room of their own.
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (user, used) in uses() {
        let of = |file: &str| match (room(file), floor(file)) {
            ("convert", FLOORS_BELOW_DOORS) => "convert, inside".to_string(),
            (room, _) => room.to_string(),
        };
        let user = of(&user);
        let used = used.iter().map(|used| of(used)).filter(|used| *used != user);
        rooms.entry(user.clone()).or_default().extend(used);
    }
    // Repeatedly remove rooms that use no remaining room.
    while let Some(free) = rooms.iter().find(|(_, used)| !used.iter().any(|used| rooms.contains_key(used))) {
        let free = free.0.clone();
        rooms.remove(&free);
    }
    assert!(rooms.is_empty(), "rooms that use each other: {rooms:#?}");
}

/// The layer right below the doors.
const FLOORS_BELOW_DOORS: usize = FLOORS.len() - 1;

#[test]
fn crates_depend_downwards() {
    for folder in fs::read_dir(root().join("crates")).expect("crates/").flatten() {
        let name = folder.file_name().into_string().expect("a name in UTF-8");
        let Ok(manifest) = fs::read_to_string(folder.path().join("Cargo.toml")) else { continue };
        let allowed = CRATES.iter().find(|(known, _)| *known == name).map(|(_, allowed)| *allowed);
        let Some(allowed) = allowed else { panic!("{name} is not in the list of this test") };
        let dependencies = manifest.lines().take_while(|line| !line.starts_with("[dev-dependencies"));
        for line in dependencies.filter(|line| line.starts_with("utf8kit")) {
            let used = line.split([' ', '=', '.']).next().unwrap_or_default();
            assert!(allowed.contains(&used), "{name} depends on {used}");
        }
    }
}

/// Returns the folder of a file, or the file itself.
fn room(file: &str) -> &str {
    file.split('/').next().unwrap_or(file)
}

fn floor(file: &str) -> usize {
    let listed = |floor: &&[&str]| floor.contains(&file) || floor.contains(&room(file));
    FLOORS.iter().position(listed).unwrap_or(FLOORS.len())
}

/// Returns the files of the library except its tests and `lib.rs`, each with the files that it uses: paths without
/// `.rs` and `/mod`.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let source = root().join("crates/utf8kit/src");
    let mut files = Vec::new();
    collect(&source, &source, &mut files);
    let known: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut all = BTreeMap::new();
    for (name, text) in &files {
        let mut used = BTreeSet::new();
        for path in paths(text, name) {
            // The longest part of the path that is a file.
            let parts: Vec<&str> = path.split("::").collect();
            let file = (1..=parts.len().min(2))
                .rev()
                .map(|n| parts[..n].join("/"))
                .find(|p| known.contains(p.as_str()));
            used.extend(file.filter(|file| file != name));
        }
        all.insert(name.clone(), used);
    }
    all
}

fn collect(folder: &Path, source: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the library's source").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(source).expect("inside").with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        if path.is_dir() && name != "tests" {
            collect(&path, source, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "lib" {
            let name = name.strip_suffix("/mod").unwrap_or(&name).to_string();
            files.push((name, fs::read_to_string(&path).expect("a file of the source")));
        }
    }
}

/// Returns the paths within the crate that a file uses, without `crate::` and with groups expanded.
fn paths(text: &str, file: &str) -> Vec<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    // The module that `super` refers to: for `a/b` it is `a`, for `a` (or `a/mod`) the crate.
    let above = file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_string() + "::");
    let mut all = Vec::new();
    for (start, prefix) in [("crate::", String::new()), ("super::", above)] {
        for (at, _) in code.match_indices(start) {
            let mut rest = &code[at + start.len()..];
            expand(&mut rest, &prefix, &mut all);
        }
    }
    all
}

/// Parses one path, or a group of paths, at the start of `code`.
fn expand(code: &mut &str, prefix: &str, all: &mut Vec<String>) {
    *code = code.trim_start();
    if let Some(group) = code.strip_prefix('{') {
        *code = group;
        while !code.is_empty() {
            expand(code, prefix, all);
            *code = code.trim_start().trim_start_matches(',').trim_start();
            if let Some(rest) = code.strip_prefix('}') {
                *code = rest;
                return;
            }
        }
        return;
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    *code = rest;
    let path = format!("{prefix}{name}");
    match code.strip_prefix("::") {
        Some(rest) if end > 0 => {
            *code = rest;
            expand(code, &format!("{path}::"), all);
        }
        _ => {
            // Skip `as name`, and anything that cannot be parsed.
            let past = code.find([',', '}', ';']).unwrap_or(code.len());
            if code.starts_with(" as ") || end == 0 {
                *code = &code[past.max(usize::from(end == 0 && past == 0 && !code.is_empty()))..];
            }
            all.push(path);
        }
    }
}
