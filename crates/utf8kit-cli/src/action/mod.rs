//! What a command is to do. The rules between options are here: each command's arguments become one [action], or an
//! error; a command never asks which options go together.
//!
//! [action]: repair::Action

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod edit;
mod format;
mod names;
pub(crate) mod repair;

use std::fs;
use std::path::{Path, PathBuf};

use utf8kit_text::files::{Source, SourceKind};

/// Reports whether an output is the input itself, which is then changed in place.
fn writes_over(output: Option<&Path>, input: &Path) -> bool {
    // What is written to the path of a member is not in the archive.
    output.is_some_and(|output| input.exists() && is_same(output, input))
}

/// Reports whether two arguments stand for the same file. A member of an archive stands for the archive, and `-` for
/// the file that is standard input, if it is one.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    real(one) == real(other)
}

/// Returns the canonical path of the file that an argument stands for, as far as possible.
fn real(argument: &Path) -> PathBuf {
    let source = Source::named(argument);
    let path = match source.kind {
        SourceKind::Stdin => Path::new("/dev/stdin"),
        _ => source.archive_path(),
    };
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match (fs::canonicalize(folder), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    })
}
