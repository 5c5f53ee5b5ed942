//! Generates the tables of encodings with a Python program that calls other implementations.

use std::fs;

use crate::run::command;
use crate::{Result, root, target};

/// The generated files: the index, sequences of bytes, rows of single bytes, composed letters, and codes that are only
/// written.
pub(crate) const PATHS: [&str; 5] = [
    "crates/utf8kit-encodings/src/charset/code_pages/tables.rs",
    "crates/utf8kit-encodings/src/charset/code_pages/sequences.bin",
    "crates/utf8kit-encodings/src/charset/code_pages/rows.bin",
    "crates/utf8kit-encodings/src/charset/code_pages/apart.bin",
    "crates/utf8kit-encodings/src/charset/code_pages/written.bin",
];

/// The list of encodings, with their sources.
const LIST: &str = "crates/utf8kit-encodings/src/charset/code_pages/encodings.txt";

/// The exit status of the program if a source is not installed.
const MISSING: i32 = 3;

/// Returns the files, or `None` if their sources are not installed.
pub(crate) fn tables() -> Result<Option<[Vec<u8>; 5]>> {
    let tables = ["sequences.bin", "rows.bin", "apart.bin", "written.bin"].map(|name| target().join(name));
    let mut python = command("python3", "-c");
    let Ok(output) = python.arg(include_str!("code_pages.py")).arg(root().join(LIST)).args(&tables).output() else {
        return Ok(None);
    };
    match output.status.code() {
        Some(0) => {
            let [sequences, rows, apart, written] = tables.map(fs::read);
            Ok(Some([output.stdout, sequences?, rows?, apart?, written?]))
        }
        Some(MISSING) => Ok(None),
        _ => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}
