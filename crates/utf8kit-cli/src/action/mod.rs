//! What a command is to do: each command's arguments become one [action], or an error. A command never asks which
//! options go together; the table in [rules] says that.
//!
//! [action]: repair::Action

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod edit;
mod format;
pub(crate) mod mojibake;
pub(crate) mod place;
pub(crate) mod rename;
pub(crate) mod repair;
mod restore;
pub(crate) mod rules;
pub(crate) mod undo;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use utf8kit_files::{Source, canonical, is_at};

/// Returns the path of an output, unless that is standard output.
pub(crate) fn written(output: Option<&Path>) -> Option<&Path> {
    output.filter(|path| path.as_os_str() != "-")
}

/// Reports whether an output is the input itself, which is then changed in place.
fn writes_over(output: Option<&Path>, input: &Path) -> bool {
    // What is written to the path of a member is not in the archive.
    written(output).is_some_and(|output| input.exists() && is_same(output, input))
}

/// Reports whether an output is the same file as another argument; it may not exist yet. A member of an archive stands
/// for the archive, and `-` for the file that is standard input, if it is one. Devices and pipes are not files.
pub(crate) fn is_same(output: &Path, other: &Path) -> bool {
    let path = real(output);
    let is_file = fs::metadata(&path).map_or(true, |found| found.is_file());
    let is_there = match other.as_os_str() == "-" {
        true => stdin().is_ok_and(|stdin| is_at(&stdin, &path)),
        false => path == real(other),
    };
    is_file && is_there
}

/// Returns the file that is standard input.
pub(crate) fn stdin() -> io::Result<File> {
    #[cfg(unix)]
    let file = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let file = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(file.into())
}

/// Returns the canonical path of the file that an argument stands for, as far as possible.
fn real(argument: &Path) -> PathBuf {
    canonical(Source::named(argument).archive_path())
}
