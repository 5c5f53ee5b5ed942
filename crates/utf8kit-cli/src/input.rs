//! Where the bytes come from: a file, standard input, or the files of a folder, one [`Source`] each.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Walk, WalkBuilder};

use crate::cli::InputArgs;
use crate::trouble::Trouble;

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The path as it is shown; `-` is standard input.
    pub(crate) path: PathBuf,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Standard input.
    Stdin,
    /// A file that was named on the command line.
    Named,
    /// A file that was found in a folder.
    Walked,
}

/// An opened input: read it in order with [`Read`], or anywhere if it has a length.
#[derive(Debug)]
pub(crate) enum Input {
    /// Standard input.
    Stdin(io::Stdin),
    /// A file.
    File(File),
}

impl Source {
    /// A path that was named: `-` is standard input.
    pub(crate) fn named(path: &Path) -> Source {
        let kind = if path.as_os_str() == "-" { Kind::Stdin } else { Kind::Named };
        Source { path: path.to_owned(), kind }
    }

    /// The one input of a command that takes one: without a path, standard input if it is no terminal.
    pub(crate) fn only(path: Option<&Path>) -> Result<Source, Trouble> {
        match path {
            Some(path) => Ok(Source::named(path)),
            None if io::stdin().is_terminal() => {
                Err(Trouble::usage("no PATH given, and nothing on standard input"))
            }
            None => Ok(Source::named(Path::new("-"))),
        }
    }

    /// Whether it is a regular file, which can be opened and read more than once.
    pub(crate) fn is_regular(&self) -> io::Result<bool> {
        match self.kind {
            Kind::Stdin => Ok(false),
            Kind::Named => Ok(fs::metadata(&self.path)?.is_file()),
            Kind::Walked => Ok(true),
        }
    }

    /// Opens it.
    pub(crate) fn open(&self) -> io::Result<Input> {
        match self.kind {
            Kind::Stdin => Ok(Input::Stdin(io::stdin())),
            Kind::Named | Kind::Walked => Ok(Input::File(File::open(&self.path)?)),
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Stdin(stdin) => stdin.read(buffer),
            Input::File(file) => file.read(buffer),
        }
    }
}

/// The sources that `args` mean, in path order. Without a path: standard input if it is no terminal, else what
/// `fallback` names, else it is a usage error.
pub(crate) fn sources(args: &InputArgs, fallback: Option<&str>) -> Result<Sources, Trouble> {
    let mut roots = args.paths.clone();
    if let Some(list) = &args.files_from {
        roots.extend(listed(list, if args.null { 0 } else { b'\n' })?);
    } else if roots.is_empty() {
        roots.push(match fallback {
            Some(folder) if io::stdin().is_terminal() => PathBuf::from(folder),
            _ => Source::only(None)?.path,
        });
    }
    roots.sort();
    roots.reverse();
    let walk = Walking { globs: globs(&args.glob)?, hidden: args.hidden, no_ignore: args.no_ignore };
    Ok(Sources { roots, walk, within: None })
}

/// The paths that a list names, `end` being behind each.
fn listed(list: &Path, end: u8) -> Result<Vec<PathBuf>, Trouble> {
    let mut text = Vec::new();
    let read = Source::named(list).open().and_then(|mut input| input.read_to_end(&mut text));
    read.map_err(|error| Trouble::at(list, error))?;
    let names = text.split(|&byte| byte == end).filter(|name| !name.is_empty());
    // In a list a name is a name: this one is a file, not standard input.
    names.map(|name| path_of(if name == b"-" { b"./-" } else { name })).collect()
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not every name is a path")]
fn path_of(name: &[u8]) -> Result<PathBuf, Trouble> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Result<PathBuf, Trouble> {
    let text = std::str::from_utf8(name.strip_suffix(b"\r").unwrap_or(name));
    text.map(PathBuf::from).map_err(|_| Trouble::usage("--files-from: a name that is not UTF-8"))
}

/// The globs of the command line.
fn globs(globs: &[String]) -> Result<Override, Trouble> {
    let mut all = OverrideBuilder::new("");
    for glob in globs {
        all.add(glob).map_err(|error| Trouble::usage(error.to_string()))?;
    }
    all.build().map_err(|error| Trouble::usage(error.to_string()))
}

/// How folders are walked.
#[derive(Debug)]
struct Walking {
    globs: Override,
    hidden: bool,
    no_ignore: bool,
}

impl Walking {
    fn through(&self, root: &Path) -> Walk {
        WalkBuilder::new(root)
            .overrides(self.globs.clone())
            .hidden(!self.hidden)
            .ignore(!self.no_ignore)
            .parents(!self.no_ignore)
            .git_ignore(!self.no_ignore)
            .git_exclude(!self.no_ignore)
            .git_global(!self.no_ignore)
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .build()
    }
}

/// Iterator over sources and over what kept it from others: see [`sources`].
pub(crate) struct Sources {
    /// Paths of the command line that are yet to come, the next one last.
    roots: Vec<PathBuf>,
    walk: Walking,
    /// The folder at hand.
    within: Option<Walk>,
}

impl Sources {
    /// Whether it is one file or standard input, so that nothing is gained by threads over files.
    pub(crate) fn is_single(&self) -> bool {
        matches!(&self.roots[..], [path] if !path.is_dir())
    }
}

impl Iterator for Sources {
    type Item = Result<Source, Trouble>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(within) = &mut self.within else {
                let root = self.roots.pop()?;
                let source = Source::named(&root);
                if source.kind == Kind::Named && root.is_dir() {
                    self.within = Some(self.walk.through(&root));
                    continue;
                }
                return Some(Ok(source));
            };
            match within.next() {
                None => self.within = None,
                Some(Err(error)) => return Some(Err(walk_trouble(&error))),
                Some(Ok(entry)) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    let path = entry.path().strip_prefix("./").map(Path::to_owned);
                    let path = path.unwrap_or_else(|_| entry.into_path());
                    return Some(Ok(Source { path, kind: Kind::Walked }));
                }
                Some(Ok(_)) => {}
            }
        }
    }
}

/// What kept the walk from a file or folder, with its path in front.
fn walk_trouble(error: &ignore::Error) -> Trouble {
    match error {
        ignore::Error::WithPath { path, err } => match err.io_error() {
            Some(cause) => Trouble::at(path, cause),
            None => Trouble::at(path, err),
        },
        ignore::Error::WithDepth { err, .. } => walk_trouble(err),
        other => Trouble::usage(crate::text::plain(&other.to_string())),
    }
}
