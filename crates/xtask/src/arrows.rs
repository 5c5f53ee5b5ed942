//! Tests the arrows of ARCHITECTURE.md: the permitted dependencies within a crate and among the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::root;

/// A layer of a crate: folders and files that may use the layers below.
enum Floor {
    /// They do not use each other.
    Apart(&'static [&'static str]),
    /// They may use each other, in one direction.
    Together(&'static [&'static str]),
}

use Floor::{Apart, Together};

/// The layers of each crate, lowest first. `*` stands for all files that are not listed.
const FLOORS: &[(&str, &[Floor])] = &[
    (
        "utf8kit",
        &[
            Together(&["error", "policy", "encoding", "layout", "line_ends"]),
            Apart(&["grammar", "simd"]),
            Apart(&["out"]),
            Apart(&["reference"]),
            Apart(&["kernels"]),
            Apart(&["swar"]),
            Apart(&["dispatch"]),
            // The loop of conversion. The other files of `convert/` are the public functions.
            Together(&[
                "convert/limits", "convert/progress", "convert/route", "convert/pair", "convert/repair",
                "convert/replacement", "convert/measure", "convert/engine",
            ]),
            Together(&["*"]),
        ],
    ),
    (
        "utf8kit-encodings",
        &[
            Apart(&["display", "unicode", "no_unicode", "chunks"]),
            Apart(&["describe", "violation"]),
            Apart(&["charset", "counts", "artifact", "byte_lengths"]),
            Apart(&["convert"]),
        ],
    ),
    (
        "utf8kit-detect",
        &[
            Apart(&["common", "model"]),
            Apart(&["mojibake"]),
            Apart(&["detect", "stats"]),
            Apart(&["originals", "repair"]),
        ],
    ),
    ("utf8kit-document", &[Together(&["*"])]),
    ("utf8kit-records", &[Apart(&["violation", "rows"]), Apart(&["targets"]), Apart(&["validator"]), Apart(&["sink"])]),
    ("utf8kit-files", &[Together(&["*"])]),
    (
        "utf8kit-cli",
        &[
            Apart(&["columns", "error", "memo", "palette", "progress", "suggestion", "tally"]),
            Apart(&["args", "level"]),
            Apart(&["config"]),
            Apart(&["action"]),
            Apart(&["printer"]),
            Apart(&["input", "output", "json", "skips"]),
            Apart(&["results"]),
            Apart(&["render"]),
            Apart(&["report"]),
            // `mod.rs` uses all commands, several commands use `reject`.
            Together(&["*"]),
        ],
    ),
    (
        "utf8kit-python",
        &[
            Apart(&["command", "encoding", "memory", "policy", "signals"]),
            Apart(&["input"]),
            Apart(&["error", "string"]),
            Together(&["*"]),
        ],
    ),
];

/// For each crate of the workspace, the crates it may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("utf8kit", &[]),
    ("utf8kit-encodings", &["utf8kit"]),
    ("utf8kit-detect", &["utf8kit", "utf8kit-encodings"]),
    ("utf8kit-document", &["utf8kit", "utf8kit-encodings", "utf8kit-detect"]),
    ("utf8kit-records", &["utf8kit", "utf8kit-encodings", "utf8kit-detect"]),
    ("utf8kit-files", &["utf8kit", "utf8kit-encodings", "utf8kit-detect", "utf8kit-document", "utf8kit-records"]),
    ("utf8kit-parquet", &["utf8kit", "utf8kit-detect", "utf8kit-records", "utf8kit-files"]),
    (
        "utf8kit-cli",
        &[
            "utf8kit", "utf8kit-encodings", "utf8kit-detect", "utf8kit-document", "utf8kit-records", "utf8kit-files",
            "utf8kit-parquet",
        ],
    ),
    ("utf8kit-wasm", &["utf8kit", "utf8kit-encodings", "utf8kit-detect", "utf8kit-document"]),
    ("utf8kit-c", &["utf8kit"]),
    ("utf8kit-testing", &[]),
    ("xtask", &[]),
];

#[test]
fn files_use_what_is_below() {
    let mut wrong = Vec::new();
    for &(name, floors) in FLOORS {
        for (user, used) in &uses(name) {
            for used in used {
                let allowed = match (place(floors, user), place(floors, used)) {
                    (Some((above, user)), Some((below, used))) => {
                        below < above || user == used || below == above && matches!(floors[above], Together(_))
                    }
                    _ => false,
                };
                if !allowed {
                    wrong.push(format!("{name}: {user} uses {used}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "against the arrows of ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn no_circle_of_folders() {
    for &(name, floors) in FLOORS {
        let folder = |file: &str| match place(floors, file) {
            Some((floor, "*")) => format!("{floor}: {}", file.split('/').next().unwrap_or(file)),
            Some((floor, folder)) => format!("{floor}: {folder}"),
            None => file.to_string(),
        };
        let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (user, used) in uses(name) {
            let user = folder(&user);
            let used = used.iter().map(|used| folder(used)).filter(|used| *used != user);
            folders.entry(user.clone()).or_default().extend(used);
        }
        let circles = circles(&folders, 0);
        assert!(circles.is_empty(), "folders of {name} that use each other: {circles:#?}");
    }
}

#[test]
fn no_circle_of_more_than_two_files() {
    for (name, _) in CRATES {
        let files = uses(name);
        let circles = circles(&files, 2);
        assert!(circles.is_empty(), "files of {name} that use each other: {circles:#?}");
    }
}

/// Returns the cycles of a graph with more than `allowed` nodes.
fn circles(graph: &BTreeMap<String, BTreeSet<String>>, allowed: usize) -> BTreeSet<BTreeSet<&str>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for from in graph.keys() {
        let (all, mut next) = (reached.entry(from).or_default(), vec![from]);
        while let Some(node) = next.pop() {
            next.extend(graph.get(node).into_iter().flatten().filter(|used| all.insert(used)));
        }
    }
    let circle = |node: &str| -> BTreeSet<&str> {
        reached[node].iter().copied().filter(|other| reached.get(other).is_some_and(|all| all.contains(node))).collect()
    };
    reached.keys().map(|node| circle(node)).filter(|circle| circle.len() > allowed).collect()
}

#[test]
fn only_the_command_names_its_options() {
    for name in
        ["utf8kit", "utf8kit-encodings", "utf8kit-detect", "utf8kit-document", "utf8kit-records", "utf8kit-files"]
    {
        let source = root().join("crates").join(name).join("src");
        let mut files = Vec::new();
        collect(&source, &source, &mut files);
        files.retain(|(file, _)| !file.contains("/tests/"));
        for (file, text) in files {
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let options = code.filter(|line| {
                line.match_indices("--").any(|(at, _)| line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
            });
            assert_eq!(options.collect::<Vec<_>>(), Vec::<&str>::new(), "{name}: {file}");
        }
    }
}

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

/// Returns the layer of a file, and the folder or file by which it is listed there.
fn place(floors: &'static [Floor], file: &str) -> Option<(usize, &'static str)> {
    let listed = |entry: &str| {
        entry == file || file.strip_prefix(entry).is_some_and(|rest| rest.starts_with('/')) || entry == "*"
    };
    floors.iter().enumerate().find_map(|(floor, Apart(folders) | Together(folders))| {
        folders.iter().find(|entry| listed(entry)).map(|entry| (floor, *entry))
    })
}

/// Returns the files of a crate except its tests and its root, each with the files that it uses: paths without `.rs`
/// and `/mod`.
fn uses(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let source = match name {
        "utf8kit-python" => root().join("python/src"),
        name => root().join("crates").join(name).join("src"),
    };
    let mut files = Vec::new();
    collect(&source, &source, &mut files);
    let mut imports: BTreeMap<&str, Vec<String>> =
        files.iter().map(|(file, text)| (file.as_str(), paths(text, file))).collect();
    let exports = fs::read_to_string(source.join("lib.rs")).unwrap_or_default();
    imports.insert(ROOT, paths(&exports, ROOT));
    let mut all = BTreeMap::new();
    for (file, text) in &files {
        let own = paths(&without_exports(text), file);
        let used = own.iter().filter_map(|path| defined(path, &imports, 0));
        all.insert(file.clone(), used.filter(|used| used != file && used != ROOT).collect());
    }
    all
}

/// Returns the text of a file without its `pub use`, which only re-exports names.
fn without_exports(text: &str) -> String {
    let mut rest = text;
    let mut all = String::new();
    while let Some(at) = rest.find("\npub") {
        let (before, from) = rest.split_at(at + 1);
        all.push_str(before);
        let declaration = from.split_once(';').map_or(from, |(declaration, _)| declaration);
        let is_export = declaration.lines().next().is_some_and(|line| line.contains(" use "));
        let len = if is_export { declaration.len() } else { 3 };
        all.push_str(if is_export { "" } else { "pub" });
        rest = &from[len..];
    }
    all + rest
}

/// The name of a crate's root among its files.
const ROOT: &str = "";

/// Returns the file that defines the target of a path: the longest prefix that is a file, or the file from which that
/// one imports the name. All other names are exported by the root of the crate.
fn defined(path: &str, files: &BTreeMap<&str, Vec<String>>, steps: u8) -> Option<String> {
    let parts: Vec<&str> = path.split("::").collect();
    let (len, file) = (1..=parts.len())
        .rev()
        .map(|len| (len, parts[..len].join("/")))
        .find(|(_, file)| files.contains_key(file.as_str()))
        .unwrap_or((0, ROOT.to_owned()));
    let name = parts.get(len)?.to_string();
    let imported = files[file.as_str()].iter().find(|other| other.rsplit("::").next() == Some(&name));
    let elsewhere = imported.filter(|_| steps < 8).and_then(|other| defined(other, files, steps + 1));
    Some(elsewhere.unwrap_or(file))
}

fn collect(folder: &Path, source: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the library's source").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(source).expect("inside").with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        if path.is_dir() && name != "tests" {
            collect(&path, source, files);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !matches!(file_name(&name), "lib" | "main" | "tests" | "random")
        {
            let name = name.strip_suffix("/mod").unwrap_or(&name).to_string();
            files.push((name, fs::read_to_string(&path).expect("a file of the source")));
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the paths within the crate that a file uses, without `crate::` and with groups expanded.
fn paths(text: &str, file: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    // The module that `super` refers to: for `a/b` it is `a`, for `a` (or `a/mod`) the crate.
    let above = file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.replace('/', "::") + "::");
    let mut starts = vec![("crate::".to_string(), String::new()), ("super::".to_string(), above)];
    // The modules of the file itself, which need no prefix.
    let modules = code.lines().filter_map(|line| line.trim_end().strip_suffix(';')?.split_once("mod "));
    let within = if file == ROOT { String::new() } else { file.replace('/', "::") + "::" };
    starts.extend(modules.map(|(_, module)| (format!("{module}::"), format!("{within}{module}::"))));
    let mut all = Vec::new();
    let find = |starts: &[(String, String)], all: &mut Vec<String>| {
        for (start, prefix) in starts {
            for (at, _) in code.match_indices(start) {
                let within = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
                if !within {
                    let mut rest = &code[at + start.len()..];
                    expand(&mut rest, prefix, all);
                }
            }
        }
    };
    find(&starts, &mut all);
    // Modules that are imported and used by name.
    let modules = all.iter().filter_map(|path| {
        let path = path.strip_suffix("::self").unwrap_or(path);
        let name = path.rsplit("::").next().unwrap_or(path);
        name.starts_with(|c: char| c.is_lowercase()).then(|| (format!("{name}::"), format!("{path}::")))
    });
    find(&modules.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), &mut all);
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
