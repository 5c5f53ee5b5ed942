//! Turns the arguments of each command into one [action], or an error. Commands never check which options may be
//! combined, because the table in [rules] does.
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

use crate::args::{InputArgs, OutputArgs};
use crate::suggestion::Destination;

/// Returns the path of an output, unless it is standard output.
pub(crate) fn written(output: Option<&Path>) -> Option<&Path> {
    output.filter(|path| path.as_os_str() != "-")
}

/// Returns the destination of an input's result. If several inputs share one output, it is not the output of any one.
pub(crate) fn destination<'o>(output: &'o OutputArgs, input: &InputArgs) -> Destination<'o> {
    let is_single = input.paths.len() == 1 && input.files_from.is_none();
    Destination::output(written(output.output.as_deref()).filter(|_| is_single))
}

/// Reports whether the output is the input itself, which makes it a change in place.
fn overwrites_input(output: Option<&Path>, input: &Path) -> bool {
    // An output at the path of a member would not be inside the archive.
    written(output).is_some_and(|output| input.exists() && is_same(output, input))
}

/// Reports whether an output, which may not exist yet, is the same file as another argument. A member of an archive
/// counts as the archive, and `-` as the file that standard input reads, if any. Devices and pipes are not files.
pub(crate) fn is_same(output: &Path, other: &Path) -> bool {
    let path = real(output);
    let is_file = fs::metadata(&path).map_or(true, |found| found.is_file());
    let is_there = match other.as_os_str() == "-" {
        true => stdin().is_ok_and(|stdin| is_at(&stdin, &path)),
        false => path == real(other),
    };
    is_file && is_there
}

/// Returns the file that standard input reads.
pub(crate) fn stdin() -> io::Result<File> {
    #[cfg(unix)]
    let file = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let file = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(file.into())
}

/// Returns the canonical path of the file that an argument names, as far as it exists.
fn real(argument: &Path) -> PathBuf {
    canonical(Source::named(argument).archive_path())
}
