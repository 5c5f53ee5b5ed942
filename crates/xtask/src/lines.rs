//! Tests that lines stay within 120 columns, as set in `.editorconfig`.

use std::fs;
use std::path::Path;

use crate::root;

const MAX_COLUMNS: usize = 120;

/// The kinds of files whose lines are wrapped.
const WRAPPED: &[&str] = &["rs", "md", "toml", "yml", "h", "c", "cpp", "go", "py", "ts", "css"];

/// Folders and files that are skipped: build output, data, and generated tables.
const SKIPPED: &[&str] =
    &["target", "node_modules", "vectors", "dist", "test-results", "python", "names.ts", "tables.rs"];

#[test]
fn lines_are_within_120_columns() {
    let mut long = Vec::new();
    visit(root(), WRAPPED, SKIPPED, &mut |path, text| {
        let lines = wrapped(text).filter(|(_, line)| line.chars().count() > MAX_COLUMNS);
        long.extend(lines.map(|(number, line)| format!("{}:{number}: {line}", path.display())));
    });
    assert!(long.is_empty(), "lines of more than {MAX_COLUMNS} columns:\n{}", long.join("\n"));
}

/// Calls `read` for each file of some kinds in a folder of the repository, with its path from the root and its text.
pub(crate) fn visit(folder: &Path, kinds: &[&str], skipped: &[&str], read: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') && name != ".github" || skipped.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            visit(&path, kinds, skipped, read);
        } else if path.extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known)) {
            let text = fs::read_to_string(&path).expect("text in UTF-8");
            read(path.strip_prefix(root()).unwrap_or(&path), &text);
        }
    }
}

/// Returns the lines that can be wrapped, with their numbers. Excludes rows of tables, addresses, and output of
/// programs.
fn wrapped(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut printed = false;
    text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(move |(_, line)| {
        match line.trim_start() {
            "```console" => printed = true,
            "```" => printed = false,
            mark if mark.starts_with("<!-- made by") => printed = true,
            mark if mark.starts_with("<!-- end of") => printed = false,
            _ => {}
        }
        !printed && !line.starts_with('|') && !line.contains("https://")
    })
}
