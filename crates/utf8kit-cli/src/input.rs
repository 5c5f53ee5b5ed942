//! The inputs that arguments mean.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use utf8kit_text::files::{Source, Sources, WalkOptions, read_list};

use crate::args::InputArgs;
use crate::error::Error;

/// The one input of a command that takes one: without a path, standard input if it is no terminal.
pub(crate) fn only(path: Option<&Path>) -> Result<Source, Error> {
    match path {
        Some(path) => Ok(Source::named(path)),
        None if io::stdin().is_terminal() => {
            Err(Error::usage("no PATH given, and nothing on standard input"))
        }
        None => Ok(Source::named(Path::new("-"))),
    }
}

/// The sources that `args` mean, in path order. Without a path: standard input if it is no terminal, else what
/// `fallback` names, else it is a usage error.
pub(crate) fn sources(args: &InputArgs, fallback: Option<&str>) -> Result<Sources, Error> {
    let mut roots = args.paths.clone();
    if let Some(list) = &args.files_from {
        roots.extend(read_list(list, args.separator())?);
    } else if roots.is_empty() {
        roots.push(match fallback {
            Some(folder) if io::stdin().is_terminal() => PathBuf::from(folder),
            _ => only(None)?.path,
        });
    }
    let mut walk = WalkOptions::default();
    walk.globs.clone_from(&args.glob);
    walk.hidden = args.hidden;
    walk.no_ignore = args.no_ignore;
    walk.max_depth = args.max_depth;
    Ok(Sources::new(roots, &walk)?)
}
