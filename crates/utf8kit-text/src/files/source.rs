//! Where bytes come from: a file, standard input, or the files of a folder, one [`Source`] each.

#![cfg_attr(not(feature = "archives"), allow(dead_code, reason = "only archives are made of some of it"))]

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Walk, WalkBuilder};

use crate::display::plain;
use crate::files::FileError;
use crate::files::archive::{Format, Unpack, unpacked};

/// One input.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as it is shown; `-` is standard input, `archive!member` a file in an archive.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Where its bytes are.
    pub(super) content: Content,
    /// What they are compressed in, if they are to be decompressed.
    pub(super) packed: Option<(Format, Unpack)>,
}

/// Where the bytes of a source are.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// At its path, or on standard input.
    Plain,
    /// In an archive that is yet to be opened.
    Member {
        /// The archive.
        archive: PathBuf,
        /// The name in it.
        name: Vec<u8>,
    },
    /// Out of an archive.
    Held(Held),
    /// In a stream that is read once.
    Once(Arc<Mutex<Option<Stream>>>),
}

/// A file that was taken out of an archive.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Memory(Arc<[u8]>),
    File(Arc<File>),
}

/// A stream of bytes that another thread may read.
pub struct Stream(pub(super) Box<dyn Read + Send>);

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
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
    /// What is decompressed while it is read, or was taken out of an archive.
    Stream(Stream),
}

impl Source {
    /// A path that was named: `-` is standard input; `archive!member` a file in an archive, unless there is a file
    /// of that name.
    pub fn named(path: &Path) -> Source {
        let kind = if path.as_os_str() == "-" { Kind::Stdin } else { Kind::Named };
        let content = in_archive(path).unwrap_or(Content::Plain);
        Source { path: path.to_owned(), kind, content, packed: None }
    }

    /// A file, whatever its name.
    pub fn file(path: &Path) -> Source {
        Source { path: path.to_owned(), kind: Kind::Named, content: Content::Plain, packed: None }
    }

    /// Whether it is a regular file, which can be opened and read more than once, and is read as it is.
    pub fn is_regular(&self) -> io::Result<bool> {
        match (&self.content, self.kind) {
            (Content::Plain, Kind::Named) => Ok(self.packed.is_none() && fs::metadata(&self.path)?.is_file()),
            (Content::Plain, Kind::Walked) => Ok(self.packed.is_none()),
            _ => Ok(false),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// What the system says; that it was opened before, if it can be read once only.
    pub fn open(&self) -> io::Result<Input> {
        if let Some((format, unpack)) = self.packed {
            return Ok(Input::Stream(Stream(unpacked(self.raw()?, format, unpack)?)));
        }
        match &self.content {
            Content::Plain if self.kind == Kind::Stdin => Ok(Input::Stdin(io::stdin())),
            Content::Member { .. } => Err(io::ErrorKind::NotFound.into()),
            Content::Held(Held::File(file)) => Ok(Input::File(rewound(file)?)),
            Content::Plain => Ok(Input::File(File::open(&self.path)?)),
            _ => Ok(Input::Stream(Stream(self.raw()?))),
        }
    }

    /// Its bytes, compressed as they may be; of a member, those of the archive.
    pub(super) fn raw(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.content {
            Content::Plain if self.kind == Kind::Stdin => Box::new(io::stdin()),
            Content::Plain | Content::Member { .. } => Box::new(self.file_at_path()?),
            Content::Held(held) => held.reader()?,
            Content::Once(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                stream.ok_or_else(|| io::Error::other("it can be read once only"))?.0
            }
        })
    }

    /// The file at its path, or the archive that it is in.
    pub(super) fn file_at_path(&self) -> io::Result<File> {
        File::open(self.archive_path())
    }

    /// The archive that it is in, or its path.
    pub(super) fn archive_path(&self) -> &Path {
        match &self.content {
            Content::Member { archive, .. } => archive,
            _ => &self.path,
        }
    }

    /// The name of the member that is meant, of an archive that is yet to be opened.
    pub(super) fn member(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Member { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The same, its bytes coming from a stream.
    pub(super) fn once(&self, stream: Box<dyn Read + Send>) -> Source {
        Source { content: Content::Once(Arc::new(Mutex::new(Some(Stream(stream))))), ..self.clone() }
    }

    /// The same, to be decompressed when it is opened.
    pub(super) fn packed(&self, format: Format, unpack: Unpack) -> Source {
        Source { packed: Some((format, unpack)), ..self.clone() }
    }
}

impl Held {
    /// Its bytes, from the beginning.
    pub(super) fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Held::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Held::File(file) => Box::new(rewound(file)?),
        })
    }
}

/// A file that is to be read from its beginning once more.
fn rewound(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.rewind()?;
    Ok(file)
}

/// What `archive!member` means, if there is such an archive and no file of that name.
fn in_archive(path: &Path) -> Option<Content> {
    let text = path.as_os_str().as_encoded_bytes();
    if !text.contains(&b'!') || path.exists() {
        return None;
    }
    let cuts = text.iter().enumerate().filter(|&(_, &byte)| byte == b'!');
    cuts.map(|(at, _)| at).find_map(|at| {
        let archive = path_of(text.get(..at)?).ok().filter(|archive| archive.is_file())?;
        Some(Content::Member { archive, name: text.get(at + 1..)?.to_vec() })
    })
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Stdin(stdin) => stdin.read(buffer),
            Input::File(file) => file.read(buffer),
            Input::Stream(stream) => stream.0.read(buffer),
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
    /// Not deeper than that: 1 means the files of the folder itself.
    pub max_depth: Option<usize>,
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
    max_depth: Option<usize>,
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
            .max_depth(self.max_depth)
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
        let WalkOptions { hidden, no_ignore, max_depth, .. } = *options;
        let walk = Walking { globs: options.overrides()?, hidden, no_ignore, max_depth };
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
                    return Some(Ok(Source { kind: Kind::Walked, ..Source::file(&path) }));
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
