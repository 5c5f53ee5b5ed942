//! Resolves arguments to inputs.

use std::fs::Metadata;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use utf8kit_files::{Source, Sources, WalkOptions, read_list};

use crate::action;
use crate::args::InputArgs;
use crate::error::Error;

/// Returns the input of a command that takes one: without a path, standard input if it is not empty.
pub(crate) fn only(path: Option<&Path>) -> Result<Source, Error> {
    match path {
        Some(path) => Ok(Source::named(path)),
        None if nothing_on_stdin() => Err(Error::usage("no PATH given, and nothing on standard input")),
        None => Ok(Source::named(Path::new("-"))),
    }
}

/// Reports whether standard input is a terminal, or ends before its first byte, as it does in CI. Waits for that byte.
fn nothing_on_stdin() -> bool {
    let stdin = io::stdin();
    // A file need not be read, because its size answers the question.
    let size = action::stdin().and_then(|file| file.metadata()).ok().filter(Metadata::is_file);
    let is_empty = || match size {
        Some(size) => size.len() == 0,
        // Read errors are reported later, when the input is read.
        None => stdin.lock().fill_buf().is_ok_and(<[u8]>::is_empty),
    };
    stdin.is_terminal() || is_empty()
}

/// Returns a file that is followed as it grows, until the command is interrupted.
pub(crate) fn growing(paths: &[PathBuf]) -> Result<Source, Error> {
    match paths {
        [path] if path.as_os_str() != "-" => {
            Source::growing(path, interrupted()?).map_err(|error| Error::at(path, error))
        }
        [_] => Err(Error::usage("--tail: standard input is always followed, so leave the option out")),
        _ => Err(Error::usage("--tail needs one PATH")),
    }
}

/// Returns a flag that is set when the command is interrupted. The signal then no longer ends the command.
pub(crate) fn interrupted() -> Result<Arc<AtomicBool>, Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&interrupted)).map_err(|error| Error::Other(error.to_string()))?;
    }
    Ok(interrupted)
}

/// Returns the sources that `args` select, in path order. Without a path, that is standard input if it is not empty,
/// else `fallback`, or a usage error if that is `None`.
pub(crate) fn sources(args: &InputArgs, fallback: Option<&str>) -> Result<Sources, Error> {
    let roots = match (roots(args)?, fallback) {
        (Some(roots), _) => roots,
        (None, Some(folder)) if nothing_on_stdin() => vec![PathBuf::from(folder)],
        (None, _) => vec![only(None)?.path],
    };
    walk(args, roots)
}

/// Returns the sources that `args` select, in path order. Without a path, these are the files in the current folder.
pub(crate) fn sources_or_current_dir(args: &InputArgs) -> Result<Sources, Error> {
    walk(args, roots(args)?.unwrap_or_else(|| vec![PathBuf::from(".")]))
}

/// Returns the given paths and those in a list, which may be empty, or `None` if neither paths nor a list are given.
/// `null`: the paths in the list end with NUL.
pub(crate) fn named(paths: &[PathBuf], list: Option<&Path>, null: bool) -> Result<Option<Vec<PathBuf>>, Error> {
    let mut roots = paths.to_vec();
    match list {
        Some(list) => roots.extend(read_list(list, if null { 0 } else { b'\n' })?),
        None if roots.is_empty() => return Ok(None),
        None => {}
    }
    Ok(Some(roots))
}

/// Returns the paths that the arguments name.
pub(crate) fn roots(args: &InputArgs) -> Result<Option<Vec<PathBuf>>, Error> {
    named(&args.paths, args.files_from.as_deref(), args.null)
}

/// Returns the files and folders below some paths.
fn walk(args: &InputArgs, roots: Vec<PathBuf>) -> Result<Sources, Error> {
    Ok(Sources::new(roots, &walk_options(args))?)
}

/// Returns how folders are walked.
pub(crate) fn walk_options(args: &InputArgs) -> WalkOptions {
    let mut walk = WalkOptions::default();
    walk.globs.clone_from(&args.glob);
    walk.globs.extend(args.exclude.iter().map(|glob| format!("!{glob}")));
    walk.hidden = args.hidden;
    walk.no_ignore = args.no_ignore;
    walk.max_depth = args.max_depth;
    walk
}
