//! Undoes a repair: restores what a ledger recorded, byte for byte.
//!
//! Files are found by the paths in the ledger. A file is found by its content (a copy, or a file that was moved) only
//! if it is given explicitly and no entry has its path.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::files::ledger::{self, Change, Entry, Fingerprint, Fingerprinter};
use crate::files::{FileError, HardLinks, Original, Output, Progress};

/// The number of bytes read at a time.
const PIECE: usize = 256 * 1024;

/// Undoes the repairs recorded in a ledger.
///
/// ```
/// use utf8kit_text::files::{HardLinks, RepairOptions, repair_file};
/// use utf8kit_text::Ledger;
/// use utf8kit_text::files::undo::Undo;
///
/// let path = std::env::temp_dir().join("utf8kit-undo-example");
/// let ledger = std::env::temp_dir().join("utf8kit-undo-example.ledger");
/// std::fs::write(&path, b"b\xFFd").unwrap();
/// let mut options = RepairOptions::default();
/// let mut written = Ledger::open(&ledger).unwrap();
/// options.ledger = Some(&mut written);
/// repair_file(&path, &mut options, &mut ()).unwrap();
///
/// let undo = Undo::open(&ledger).unwrap();
/// for target in undo.targets(&[], None) {
///     undo.restore(&target, HardLinks::Skip, &mut ()).unwrap();
/// }
/// assert_eq!(std::fs::read(&path).unwrap(), b"b\xFFd");
/// # std::fs::remove_file(&path).unwrap();
/// # std::fs::remove_file(&ledger).unwrap();
/// ```
#[derive(Debug)]
pub struct Undo {
    ledger: PathBuf,
    entries: Vec<Entry>,
}

/// A file that may be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    path: PathBuf,
    /// The indexes of the entries with its path. If there are none, the file is looked up by its content.
    entries: Vec<usize>,
    found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// By its path.
    ByPath,
    /// By its content: it was given explicitly, and no entry has its path.
    ByContent,
    /// It was standard input.
    Stdin,
    /// Not at all: a folder was given that contains no file of the ledger.
    Nothing,
}

impl Target {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Undo {
    /// Reads a ledger.
    ///
    /// # Errors
    /// [`FileError::Io`] if it cannot be read, [`FileError::NotALedger`] if it is something else.
    pub fn open(ledger: &Path) -> Result<Undo, FileError> {
        Ok(Undo { ledger: ledger.to_owned(), entries: ledger::entries(ledger)? })
    }

    /// Returns the files to restore, in path order: all files in the ledger or, if `paths` is not empty, those among
    /// `paths` or in folders among them, however the paths are spelled. A file among `paths` that is not in the ledger
    /// is looked up by its content.
    ///
    /// `root` is the current location of the tree, if it was moved. Paths are resolved below it, using as many of
    /// their last components as finds the most files.
    pub fn targets(&self, paths: &[PathBuf], root: Option<&Path>) -> Vec<Target> {
        let files = self.files(root);
        if paths.is_empty() {
            let here = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
            let shown = |path: &Path| path.strip_prefix(&here).unwrap_or(path).to_owned();
            let named = files.into_iter().map(|(path, entries)| Target {
                path: shown(&path),
                entries,
                found: Found::ByPath,
            });
            let stdin = self.entries.iter().any(Entry::is_stdin).then(|| Target {
                path: PathBuf::from("-"),
                entries: Vec::new(),
                found: Found::Stdin,
            });
            return named.chain(stdin).collect();
        }
        let mut targets = Vec::new();
        for path in paths {
            let canonical = canonical(path);
            let below = files.iter().filter_map(|(file, entries)| {
                let rest = file.strip_prefix(&canonical).ok()?;
                let path = if rest.as_os_str().is_empty() { path.clone() } else { path.join(rest) };
                Some(Target { path, entries: entries.clone(), found: Found::ByPath })
            });
            let before = targets.len();
            targets.extend(below);
            if targets.len() == before {
                let found = if path.is_dir() { Found::Nothing } else { Found::ByContent };
                targets.push(Target { path: path.clone(), entries: Vec::new(), found });
            }
        }
        targets.sort_by(|one, other| one.path.cmp(&other.path));
        targets.dedup();
        targets
    }

    /// Returns the files in the ledger, at their expected current paths, with their entries in order.
    fn files(&self, root: Option<&Path>) -> BTreeMap<PathBuf, Vec<usize>> {
        let named: Vec<(usize, PathBuf)> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.is_stdin())
            .filter_map(|(index, entry)| Some((index, entry.path()?)))
            .collect();
        let below = root.map(|root| (root, prefix_len(root, named.iter().map(|(_, path)| path.as_path()))));
        let mut files = BTreeMap::<_, Vec<_>>::new();
        for (index, path) in named {
            let path = below.map_or(path.clone(), |(root, cut)| root.join(without_prefix(&path, cut)));
            files.entry(canonical(&path)).or_default().push(index);
        }
        files
    }

    /// Restores a file in place, atomically, and returns how many changes were undone. If it was repaired several
    /// times, the last repair is undone.
    ///
    /// # Errors
    /// Any error from reading the file or the ledger, or from replacing the file; [`FileError::NotUndone`] if the file
    /// is missing or is not the result of the repair. The file is unchanged then.
    pub fn restore(
        &self,
        target: &Target,
        hard_links: HardLinks,
        progress: &mut dyn Progress,
    ) -> Result<u64, FileError> {
        let (original, entry) = self.find(target, progress)?;
        let mut output = Output::in_place(&target.path, &original, hard_links, OsStr::new(""))?;
        write_restored(&target.path, &original.file, &self.ledger, entry, &mut output).map_err(|error| {
            match error {
                UndoError::File(error) => error,
                UndoError::Output(error) => FileError::io(&target.path, error),
            }
        })?;
        output.replace(original, OsStr::new(""))?;
        Ok(entry.changes())
    }

    /// Writes the original content of a file to `out`, leaves the file unchanged, and returns how many changes were
    /// undone.
    ///
    /// # Errors
    /// The errors of [`Undo::restore`]. Discard the output then.
    pub fn restore_to(
        &self,
        target: &Target,
        out: &mut dyn Write,
        progress: &mut dyn Progress,
    ) -> Result<u64, UndoError> {
        let (original, entry) = self.find(target, progress)?;
        write_restored(&target.path, &original.file, &self.ledger, entry, out)?;
        Ok(entry.changes())
    }

    /// Opens a file and finds the entry of its last repair.
    fn find(&self, target: &Target, progress: &mut dyn Progress) -> Result<(Original, &Entry), FileError> {
        let path = &target.path;
        let not = |reason: &str| FileError::NotUndone { path: path.clone(), reason: reason.to_owned() };
        match target.found {
            Found::Stdin => return Err(not("it was standard input: name the file that has its output")),
            Found::Nothing => return Err(not("the ledger has no entry for any file in it")),
            Found::ByPath if !path.exists() => {
                return Err(FileError::Missing { path: path.clone() });
            }
            _ => {}
        }
        let at = |error: io::Error| FileError::io(path, error);
        let original = Original::open(path, || progress.wait_for_lock(path)).map_err(at)?;
        let now = fingerprint(&original.file).map_err(at)?;
        let entry = match target.found {
            Found::ByContent => self.by_content(&now),
            _ => self.by_path(&target.entries, &now),
        };
        let entry = entry.map_err(|reason| not(&reason))?;
        Ok((original, entry))
    }

    /// Returns the last of a file's entries whose result is the current content.
    fn by_path(&self, entries: &[usize], now: &Fingerprint) -> Result<&Entry, String> {
        let own = || entries.iter().rev().filter_map(|&index| self.entries.get(index));
        if let Some(entry) = own().find(|entry| entry.after == *now) {
            return Ok(entry);
        }
        if own().any(|entry| entry.before == *now) {
            return Err("it is as it was before the repair: nothing to undo".to_owned());
        }
        Err(match own().next() {
            Some(entry) if entry.after.size != now.size => {
                format!("it was changed after the repair: {} bytes then, {} now", entry.after.size, now.size)
            }
            _ => "it was changed after the repair: as long as then, but not the same".to_owned(),
        })
    }

    /// Returns the entry whose result is the current content, if only one original matches.
    fn by_content(&self, now: &Fingerprint) -> Result<&Entry, String> {
        let matching = || self.entries.iter().rev().filter(|entry| entry.after == *now);
        let Some(entry) = matching().next() else {
            let before = self.entries.iter().any(|entry| entry.before == *now);
            return Err(if before {
                "it is as it was before the repair: nothing to undo".to_owned()
            } else {
                "the ledger has no entry for it".to_owned()
            });
        };
        if matching().any(|other| other.before != entry.before) {
            return Err(
                "the ledger speaks of several files that became the same: name it as it was named then"
                    .to_owned(),
            );
        }
        Ok(entry)
    }
}

/// Returns the canonical path: absolute, without symbolic links. If the file does not exist, the existing part is
/// canonical.
fn canonical(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            canonical(if parent.as_os_str().is_empty() { Path::new(".") } else { parent }).join(name)
        }
        _ => path.to_owned(),
    }
}

/// Returns a path without its root and without its first components.
fn without_prefix(path: &Path, cut: usize) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).skip(cut).collect()
}

/// Returns how many leading components to remove to find the most files below `root`.
fn prefix_len<'p>(root: &Path, paths: impl Iterator<Item = &'p Path> + Clone) -> usize {
    let deepest = paths.clone().map(|path| path.components().count()).max().unwrap_or(0);
    let found = |cut: usize| {
        let there = |path: &&Path| {
            let rest = without_prefix(path, cut);
            !rest.as_os_str().is_empty() && root.join(rest).is_file()
        };
        paths.clone().filter(there).count()
    };
    // `max_by_key` returns the last of equal candidates: the one that removes the fewest components.
    (0..deepest).rev().max_by_key(|&cut| found(cut)).unwrap_or(0)
}

/// Writes the content of a file before the repair of an entry.
fn write_restored(
    path: &Path,
    file: &File,
    ledger: &Path,
    entry: &Entry,
    out: &mut dyn Write,
) -> Result<(), UndoError> {
    let damaged = || FileError::DamagedLedger { ledger: ledger.to_owned(), file: path.to_owned() };
    let changes = ledger::changes(ledger, entry).map_err(|error| FileError::io(ledger, error))?;
    match restored(file, changes, out) {
        Ok(fingerprinter) if fingerprinter.end() == entry.before => Ok(()),
        Ok(_) | Err(Stop::Ledger) => Err(damaged().into()),
        Err(Stop::Input(error)) => Err(FileError::io(path, error).into()),
        Err(Stop::Output(error)) => Err(UndoError::Output(error)),
    }
}

/// The reason why a file was not restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum UndoError {
    /// An error about the file or the ledger.
    File(FileError),
    /// The restored content cannot be written.
    Output(io::Error),
}

impl From<FileError> for UndoError {
    fn from(error: FileError) -> UndoError {
        UndoError::File(error)
    }
}

impl std::fmt::Display for UndoError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UndoError::File(error) => error.fmt(f),
            UndoError::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UndoError {}

/// Computes the fingerprint of an open file.
fn fingerprint(file: &File) -> io::Result<Fingerprint> {
    let mut fingerprinter = Fingerprinter::default();
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    copy(&mut reader, u64::MAX, |bytes| {
        fingerprinter.update(bytes);
        Ok::<_, Stop>(())
    })
    .map_err(|stop| match stop {
        Stop::Input(error) => error,
        _ => io::Error::other("unreadable"),
    })?;
    Ok(fingerprinter.end())
}

/// The reason why a restoration stops early.
enum Stop {
    Input(io::Error),
    Output(io::Error),
    /// The ledger does not match the file.
    Ledger,
}

/// Writes the original content and returns its fingerprint.
fn restored(
    file: &File,
    changes: impl Iterator<Item = io::Result<Change>>,
    out: &mut dyn Write,
) -> Result<Fingerprinter, Stop> {
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    let mut fingerprinter = Fingerprinter::default();
    // The number of bytes of the original that are written.
    let mut done = 0;
    let mut held = Vec::with_capacity(2 * PIECE);
    let mut write = |bytes: &[u8], last: bool| {
        held.extend_from_slice(bytes);
        if held.len() < PIECE && !last {
            return Ok(());
        }
        fingerprinter.update(&held);
        out.write_all(&held).map_err(Stop::Output)?;
        held.clear();
        Ok(())
    };
    for change in changes {
        let change = change.map_err(|_| Stop::Ledger)?;
        let kept = change.offset.checked_sub(done).ok_or(Stop::Ledger)?;
        if copy(&mut reader, kept, |bytes| write(bytes, false))? < kept {
            return Err(Stop::Ledger);
        }
        let mut after = vec![0; change.after.len()];
        reader.read_exact(&mut after).map_err(|_| Stop::Ledger)?;
        if after != change.after {
            return Err(Stop::Ledger);
        }
        write(&change.before, false)?;
        done = change.offset + change.before.len() as u64;
    }
    copy(&mut reader, u64::MAX, |bytes| write(bytes, false))?;
    write(&[], true)?;
    Ok(fingerprinter)
}

/// Passes up to `len` bytes to `take` and returns how many there were.
fn copy(
    reader: &mut impl io::BufRead,
    len: u64,
    mut take: impl FnMut(&[u8]) -> Result<(), Stop>,
) -> Result<u64, Stop> {
    let mut left = len;
    while left > 0 {
        let bytes = reader.fill_buf().map_err(Stop::Input)?;
        if bytes.is_empty() {
            break;
        }
        let front = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        take(&bytes[..front])?;
        reader.consume(front);
        left -= front as u64;
    }
    Ok(len - left)
}

/// Reads an open file from its beginning, independently of its read position.
struct Rewound<'f> {
    file: &'f File,
    started: bool,
}

impl Rewound<'_> {
    fn of(file: &File) -> Rewound<'_> {
        Rewound { file, started: false }
    }
}

impl Read for Rewound<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.started, true) {
            io::Seek::rewind(&mut self.file)?;
        }
        self.file.read(buffer)
    }
}
