//! Inputs, one [`Source`] each: a file, standard input, or a member of an archive; and lists of them.

#![cfg_attr(not(feature = "archives"), allow(dead_code, reason = "only archives are made of some of it"))]

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use crate::FileError;
use crate::decompress::{Unpack, unpacked};
use crate::format::Format;
use crate::tail::Follow;
use crate::temporary::is_temporary;

/// The size of a widened pipe in bytes: the maximum that Linux permits by default.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// One input.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path to display. `-` is standard input, `archive!member` a file in an archive.
    pub path: PathBuf,
    /// Its kind.
    pub kind: SourceKind,
    /// The origin of its bytes.
    pub(super) content: Content,
    /// The compression format, if it will be decompressed.
    pub(super) packed: Option<(Format, Unpack)>,
    /// The named folder in which it was found, if any.
    pub(super) root: Option<Arc<Path>>,
}

/// The origin of the bytes of a source.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The file at its path, or standard input.
    Plain,
    /// A member of an archive that is not open yet.
    Member {
        /// The archive.
        archive: PathBuf,
        /// The name of the member.
        name: Vec<u8>,
    },
    /// A member extracted from an archive.
    Extracted(Extracted),
    /// A stream that can be read once.
    Once(Arc<Mutex<Option<Stream>>>),
}

/// A file extracted from an archive.
#[derive(Clone, Debug)]
pub(super) enum Extracted {
    Memory(Arc<[u8]>),
    File(Arc<File>),
}

/// A stream of bytes that can be read by another thread.
pub struct Stream {
    pub(super) reader: Box<dyn Read + Send>,
    /// Whether its data may arrive slowly.
    pub(super) live: bool,
}

impl Stream {
    /// Returns a stream whose data does not arrive slowly.
    fn at_rest(reader: Box<dyn Read + Send>) -> Stream {
        Stream { reader, live: false }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// Standard input.
    Stdin,
    /// A file that was named explicitly.
    Named,
    /// A file that was found in a folder.
    Walked,
}

/// An opened input. Read it in order with [`Read`], or at any offset if it has a length.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input {
    /// Standard input.
    Stdin(io::Stdin),
    /// A file.
    File(File),
    /// A stream that is decompressed while it is read, or was extracted from an archive.
    Stream(Stream),
}

impl Input {
    /// Reports whether its data may arrive slowly: a pipe, a socket, a terminal.
    ///
    /// # Errors
    /// Any error of the system.
    pub fn is_live(&self) -> io::Result<bool> {
        Ok(match self {
            Input::Stdin(stdin) => !is_file(stdin)?,
            Input::File(file) => !file.metadata()?.is_file(),
            Input::Stream(stream) => stream.live,
        })
    }

    /// Prepares it for reading, and reports whether it is live. A live pipe is widened.
    ///
    /// # Errors
    /// Any error of the system.
    pub(super) fn begin(&self) -> io::Result<bool> {
        let live = self.is_live()?;
        if live {
            self.widen();
        }
        Ok(live)
    }

    /// Increases the capacity of a pipe, if the system permits, so that the program that fills it need not wait for
    /// this one.
    fn widen(&self) {
        #[cfg(target_os = "linux")]
        let _ = match self {
            Input::Stdin(stdin) => rustix::pipe::fcntl_setpipe_size(stdin, PIPE_BYTES),
            Input::File(file) => rustix::pipe::fcntl_setpipe_size(file, PIPE_BYTES),
            Input::Stream(_) => return,
        };
    }

    /// Returns an input of bytes in memory.
    pub fn of(bytes: Vec<u8>) -> Input {
        Input::Stream(Stream::at_rest(Box::new(Cursor::new(bytes))))
    }
}

impl Source {
    /// Returns the source for a path. `-` is standard input; `archive!member` is a file in an archive, unless a file of
    /// that name exists.
    pub fn named(path: &Path) -> Source {
        let kind = if path.as_os_str() == "-" { SourceKind::Stdin } else { SourceKind::Named };
        let content = in_archive(path).unwrap_or(Content::Plain);
        Source { path: path.to_owned(), kind, content, packed: None, root: None }
    }

    /// Returns the source for a file of any name.
    pub fn file(path: &Path) -> Source {
        Source { path: path.to_owned(), kind: SourceKind::Named, content: Content::Plain, packed: None, root: None }
    }

    /// Returns the source for a file that grows. It is read like `tail -F` until `stopped` is set: at its end, it waits
    /// for more, and it starts again if the file is replaced or truncated.
    ///
    /// # Errors
    /// Any error from opening the file.
    pub fn growing(path: &Path, stopped: Arc<AtomicBool>) -> io::Result<Source> {
        let reader = Box::new(Follow::open(path, stopped)?);
        Ok(Source::file(path).once(Stream { reader, live: true }))
    }

    /// Returns the named folder in which the source was found, if any.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Reports whether a file in a folder was created by a write in place: a backup with this suffix (if not empty), or
    /// a file left by a killed process.
    pub fn is_by_product(&self, backup_suffix: &OsStr) -> bool {
        let ends = self.path.as_os_str().as_encoded_bytes().ends_with(backup_suffix.as_encoded_bytes());
        let backup = !backup_suffix.is_empty() && ends;
        self.kind == SourceKind::Walked && (backup || is_temporary(&self.path))
    }

    /// Reports whether it is a regular file, which can be opened and read more than once, and is not decompressed.
    pub fn is_regular(&self) -> io::Result<bool> {
        match (&self.content, self.kind) {
            (Content::Plain, SourceKind::Named) => Ok(self.packed.is_none() && fs::metadata(&self.path)?.is_file()),
            (Content::Plain, SourceKind::Walked) => Ok(self.packed.is_none()),
            _ => Ok(false),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// Any error of the system. Also fails if the source can be read only once and was opened before.
    pub fn open(&self) -> io::Result<Input> {
        if let Some((format, unpack)) = self.packed {
            return Ok(Input::Stream(Stream::at_rest(unpacked(self.raw()?.reader, format, unpack)?)));
        }
        match &self.content {
            Content::Plain if self.kind == SourceKind::Stdin => Ok(Input::Stdin(io::stdin())),
            Content::Member { .. } => Err(io::ErrorKind::NotFound.into()),
            Content::Extracted(Extracted::File(file)) => Ok(Input::File(rewound(file)?)),
            Content::Plain => Ok(Input::File(File::open(&self.path)?)),
            _ => Ok(Input::Stream(self.raw()?)),
        }
    }

    /// Opens a regular file again, even if it is standard input. `None` if it is none, or is decompressed.
    ///
    /// # Errors
    /// Any error of the system.
    pub fn reopen(&self) -> io::Result<Option<Input>> {
        match (&self.content, self.kind) {
            (Content::Plain, SourceKind::Stdin) if self.packed.is_none() => {
                let stdin = io::stdin();
                Ok(is_file(&stdin)?.then(|| file_of(&stdin)).transpose()?.map(Input::File))
            }
            _ if self.is_regular()? => self.open().map(Some),
            _ => Ok(None),
        }
    }

    /// Returns its bytes without decompressing them. For a member, these are the bytes of the archive.
    pub(super) fn raw(&self) -> io::Result<Stream> {
        let input = match &self.content {
            Content::Plain if self.kind == SourceKind::Stdin => Input::Stdin(io::stdin()),
            Content::Plain | Content::Member { .. } => Input::File(self.file_at_path()?),
            Content::Extracted(held) => return Ok(Stream::at_rest(held.reader()?)),
            Content::Once(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                return stream.ok_or_else(|| io::Error::other("it can be read only once"));
            }
        };
        Ok(Stream { live: input.begin()?, reader: Box::new(input) })
    }

    /// Opens the file at its path, or the archive that contains it.
    pub(super) fn file_at_path(&self) -> io::Result<File> {
        File::open(self.archive_path())
    }

    /// Returns the path of the archive that contains it, or its own path.
    pub fn archive_path(&self) -> &Path {
        match &self.content {
            Content::Member { archive, .. } => archive,
            _ => &self.path,
        }
    }

    /// Returns the name of the member, if it is in an archive that is not open yet.
    pub(super) fn member(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Member { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Returns the same source with its bytes from a stream.
    pub(super) fn once(&self, stream: Stream) -> Source {
        Source { content: Content::Once(Arc::new(Mutex::new(Some(stream)))), ..self.clone() }
    }

    /// Returns the same source, to be decompressed when it is opened.
    pub(super) fn packed(&self, format: Format, unpack: Unpack) -> Source {
        Source { packed: Some((format, unpack)), ..self.clone() }
    }
}

impl Extracted {
    /// Reads its bytes, from the beginning.
    pub(super) fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Extracted::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Extracted::File(file) => Box::new(rewound(file)?),
        })
    }
}

/// Reports whether standard input is a regular file.
fn is_file(stdin: &io::Stdin) -> io::Result<bool> {
    let metadata = file_of(stdin)?.metadata();
    // A console of Windows has no metadata.
    if cfg!(windows) { Ok(metadata.is_ok_and(|metadata| metadata.is_file())) } else { Ok(metadata?.is_file()) }
}

/// Returns standard input as a file.
#[cfg(unix)]
fn file_of(stdin: &io::Stdin) -> io::Result<File> {
    use std::os::fd::AsFd as _;
    Ok(File::from(stdin.as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn file_of(stdin: &io::Stdin) -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    Ok(File::from(stdin.as_handle().try_clone_to_owned()?))
}

/// Reopens a file at its beginning.
fn rewound(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.rewind()?;
    Ok(file)
}

/// Parses `archive!member`, if there is such an archive and no file of that name.
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
            Input::Stream(stream) => stream.reader.read(buffer),
        }
    }
}

/// Reads a list of paths, each followed by the byte `end`.
///
/// # Errors
/// A [`FileError`] if the list cannot be read, or has a name that is not a valid path on this system.
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
