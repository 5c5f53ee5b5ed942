//! Where bytes come from: a file, standard input, or the files of a folder, one [`Source`] each.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Walk, WalkBuilder};

use crate::display::plain;
use crate::files::FileError;

/// One input.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as it is shown; `-` is standard input.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Standard input.
    Stdin,
    /// A file that was named.
    Named,
    /// A file that was found in a folder.
    Walked,
}

/// An opened input: read it in order with [`Read`], or anywhere if it has a length.
#[derive(Debug)]
pub enum Input {
    /// Standard input.
    Stdin(io::Stdin),
    /// A file.
    File(File),
}

impl Source {
    /// A path that was named: `-` is standard input.
    pub fn named(path: &Path) -> Source {
        let kind = if path.as_os_str() == "-" { Kind::Stdin } else { Kind::Named };
        Source { path: path.to_owned(), kind }
    }

    /// A file, whatever its name.
    pub fn file(path: &Path) -> Source {
        Source { path: path.to_owned(), kind: Kind::Named }
    }

    /// Whether it is a regular file, which can be opened and read more than once.
    pub fn is_regular(&self) -> io::Result<bool> {
        match self.kind {
            Kind::Stdin => Ok(false),
            Kind::Named => Ok(fs::metadata(&self.path)?.is_file()),
            Kind::Walked => Ok(true),
        }
    }

    /// Opens it.
    pub fn open(&self) -> io::Result<Input> {
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

/// The paths that a list names, with the byte `end` behind each name.
///
/// # Errors
/// What keeps the list from being read, and names that are no path on this system.
pub fn read_list(list: &Path, end: u8) -> Result<Vec<PathBuf>, FileError> {
    let mut text = Vec::new();
    let read = Source::named(list).open().and_then(|mut input| input.read_to_end(&mut text));
    read.map_err(|error| FileError::io(list, error))?;
    let names = text.split(|&byte| byte == end).filter(|name| !name.is_empty());
    // In a list, `-` is a file of that name, not standard input.
    names.map(|name| path_of(if name == b"-" { b"./-" } else { name })).collect()
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not every name is a path")]
fn path_of(name: &[u8]) -> Result<PathBuf, FileError> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Result<PathBuf, FileError> {
    let text = std::str::from_utf8(name.strip_suffix(b"\r").unwrap_or(name));
    text.map(PathBuf::from).map_err(|_| FileError::NameNotUtf8)
}

/// How folders are walked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WalkOptions {
    /// Only files that match one of these globs; a leading `!` leaves out those that do.
    pub globs: Vec<String>,
    /// Hidden files and folders too.
    pub hidden: bool,
    /// Also what `.gitignore` and `.ignore` leave out.
    pub no_ignore: bool,
}

impl WalkOptions {
    fn overrides(&self) -> Result<Override, FileError> {
        let mut all = OverrideBuilder::new("");
        for glob in &self.globs {
            all.add(glob).map_err(|error| FileError::Glob(error.to_string()))?;
        }
        all.build().map_err(|error| FileError::Glob(error.to_string()))
    }
}

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

/// Iterator over the sources that paths mean, in path order, and over what kept it from others. Folders are walked;
/// `-` is standard input.
pub struct Sources {
    /// Paths that are yet to come, the next one last.
    roots: Vec<PathBuf>,
    walk: Walking,
    /// The folder at hand.
    within: Option<Walk>,
}

impl Sources {
    /// Those of some paths, which are sorted.
    ///
    /// # Errors
    /// A glob that is not understood.
    pub fn new(mut paths: Vec<PathBuf>, options: &WalkOptions) -> Result<Sources, FileError> {
        paths.sort();
        paths.reverse();
        let WalkOptions { hidden, no_ignore, .. } = *options;
        let walk = Walking { globs: options.overrides()?, hidden, no_ignore };
        Ok(Sources { roots: paths, walk, within: None })
    }

    /// Whether it is one file or standard input, so that nothing is gained by threads over files.
    pub fn is_single(&self) -> bool {
        matches!(&self.roots[..], [path] if !path.is_dir())
    }
}

impl Iterator for Sources {
    type Item = Result<Source, FileError>;

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
                Some(Err(error)) => return Some(Err(walk_error(&error))),
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
fn walk_error(error: &ignore::Error) -> FileError {
    match error {
        ignore::Error::WithPath { path, err } => match err.io_error() {
            Some(cause) => FileError::io(path, io::Error::new(cause.kind(), cause.to_string())),
            None => FileError::Walk { path: Some(path.clone()), message: err.to_string() },
        },
        ignore::Error::WithDepth { err, .. } => walk_error(err),
        other => FileError::Walk { path: None, message: plain(&other.to_string()) },
    }
}
