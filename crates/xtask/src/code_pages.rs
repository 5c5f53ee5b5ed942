//! Generates the tables of encodings, by a program in Python that calls those who know them.

use std::fs;

use crate::run::command;
use crate::{Result, root, target};

/// The generated files: single bytes, and sequences of them.
pub(crate) const PATHS: [&str; 2] = [
    "crates/utf8kit-encodings/src/charset/code_pages/tables.rs",
    "crates/utf8kit-encodings/src/charset/code_pages/sequences.bin",
];

/// The list of encodings, with their sources.
const LIST: &str = "crates/utf8kit-encodings/src/charset/code_pages/encodings.txt";

/// What the program ends with if a source is not installed.
const MISSING: i32 = 3;

/// Returns the files, or `None` where their sources are not installed.
pub(crate) fn tables() -> Result<Option<[Vec<u8>; 2]>> {
    let sequences = target().join("sequences.bin");
    let mut python = command("python3", "-c");
    let Ok(output) =
        python.arg(include_str!("code_pages.py")).arg(root().join(LIST)).arg(&sequences).output()
    else {
        return Ok(None);
    };
    match output.status.code() {
        Some(0) => Ok(Some([output.stdout, fs::read(sequences)?])),
        Some(MISSING) => Ok(None),
        _ => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}
