//! A repair undone: what a ledger says was changed is put back, byte for byte.
//!
//! Files are found by the paths that the ledger recorded. Only a file that is named by itself, and that no entry
//! names, is found by its content: a copy, or one that was moved.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::files::{FileError, HardLinks, Original, Output, Progress};
use crate::repair::ledger::{self, Change, Entry, Fingerprint, Fingerprinter};

/// How much is read at a time.
const PIECE: usize = 256 * 1024;

/// The undoing of what a ledger says.
///
/// ```
/// use utf8kit_text::files::{HardLinks, RepairOptions, repair_file};
/// use utf8kit_text::repair::ledger::Ledger;
/// use utf8kit_text::repair::undo::Undo;
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
    /// The entries that name it; if there is none, it is looked for by its content.
    entries: Vec<usize>,
    found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// By its path.
    ByPath,
    /// It was named, and no entry has its path.
    ByContent,
    /// It was standard input.
    Stdin,
    /// A folder that was named and that no entry lies in.
    Nothing,
}

impl Target {
    /// The file.
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

    /// The files to restore, in path order: all that the ledger names; or of these the ones that are among `paths`
    /// or in folders among them, however they are spelled. A file among `paths` that the ledger does not name is
    /// looked for by its content.
    ///
    /// `root`: where the tree is now, if it was moved. Paths are looked for below it: as much of their end as
    /// finds the most files.
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
            let real = real(path);
            let below = files.iter().filter_map(|(file, entries)| {
                let rest = file.strip_prefix(&real).ok()?;
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

    /// The files that the ledger names, where they should be now, with their entries in order.
    fn files(&self, root: Option<&Path>) -> BTreeMap<PathBuf, Vec<usize>> {
        let named: Vec<(usize, PathBuf)> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.is_stdin())
            .filter_map(|(index, entry)| Some((index, entry.path()?)))
            .collect();
        let below = root.map(|root| (root, cut_for(root, named.iter().map(|(_, path)| path.as_path()))));
        let mut files = BTreeMap::<_, Vec<_>>::new();
        for (index, path) in named {
            let path = below.map_or(path.clone(), |(root, cut)| root.join(without(&path, cut)));
            files.entry(real(&path)).or_default().push(index);
        }
        files
    }

    /// Restores a file where it is, atomically; how many changes were undone. If it was repaired several times, the
    /// last repair is undone.
    ///
    /// # Errors
    /// What keeps the file or the ledger from being read, or the file from being replaced;
    /// [`FileError::NotUndone`] if it is not there, or is not what the repair made of it. It is as it was then.
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

    /// Writes to `out` what a file was, and leaves the file as it is; how many changes were undone.
    ///
    /// # Errors
    /// As [`Undo::restore`]. What was written must be thrown away then.
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

    /// Opens a file, and finds the entry of its last repair.
    fn find(&self, target: &Target, progress: &mut dyn Progress) -> Result<(Original, &Entry), FileError> {
        let path = &target.path;
        let not = |reason: &str| FileError::NotUndone { path: path.clone(), reason: reason.to_owned() };
        match target.found {
            Found::Stdin => return Err(not("it was standard input: name the file that has its output")),
            Found::Nothing => return Err(not("the ledger does not speak of any file in it")),
            Found::ByPath if !path.exists() => {
                return Err(not("it is not there; --root names where a tree was moved to"));
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

    /// The last of a file's entries that left it as it is now.
    fn by_path(&self, entries: &[usize], now: &Fingerprint) -> Result<&Entry, String> {
        let own = || entries.iter().rev().filter_map(|&index| self.entries.get(index));
        if let Some(entry) = own().find(|entry| entry.after == *now) {
            return Ok(entry);
        }
        if own().any(|entry| entry.before == *now) {
            return Err("it is as it was before the repair: there is nothing to undo".to_owned());
        }
        Err(match own().next() {
            Some(entry) if entry.after.size != now.size => {
                format!("it was changed after the repair: {} bytes then, {} now", entry.after.size, now.size)
            }
            _ => "it was changed after the repair: as long as then, but not the same".to_owned(),
        })
    }

    /// The entry that made what a file is now, if there is only one such original.
    fn by_content(&self, now: &Fingerprint) -> Result<&Entry, String> {
        let matching = || self.entries.iter().rev().filter(|entry| entry.after == *now);
        let Some(entry) = matching().next() else {
            let before = self.entries.iter().any(|entry| entry.before == *now);
            return Err(if before {
                "it is as it was before the repair: there is nothing to undo".to_owned()
            } else {
                "the ledger does not speak of it".to_owned()
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

/// A path as the file system has it: absolute, without links; of one that is not there, as far as it is.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            real(if parent.as_os_str().is_empty() { Path::new(".") } else { parent }).join(name)
        }
        _ => path.to_owned(),
    }
}

/// A path without its first components; the root is none.
fn without(path: &Path, cut: usize) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).skip(cut).collect()
}

/// How many components are to be cut off so that the most files are found below `root`.
fn cut_for<'p>(root: &Path, paths: impl Iterator<Item = &'p Path> + Clone) -> usize {
    let deepest = paths.clone().map(|path| path.components().count()).max().unwrap_or(0);
    let found = |cut: usize| {
        let there = |path: &&Path| {
            let rest = without(path, cut);
            !rest.as_os_str().is_empty() && root.join(rest).is_file()
        };
        paths.clone().filter(there).count()
    };
    // Of equals the last is taken: the fewest components are cut off.
    (0..deepest).rev().max_by_key(|&cut| found(cut)).unwrap_or(0)
}

/// Writes what a file was before the repair that an entry speaks of.
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

/// Why a file was not restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum UndoError {
    /// About the file or the ledger.
    File(FileError),
    /// What is restored cannot be written.
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

/// The fingerprint of an open file.
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

/// Why a restoration ends early.
enum Stop {
    Input(io::Error),
    Output(io::Error),
    /// The ledger does not fit.
    Ledger,
}

/// Writes the old file; its fingerprint.
fn restored(
    file: &File,
    changes: impl Iterator<Item = io::Result<Change>>,
    out: &mut dyn Write,
) -> Result<Fingerprinter, Stop> {
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    let mut fingerprinter = Fingerprinter::default();
    // How much of the old file is written.
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

/// Gives so many bytes to `take`, or as many as there are; how many.
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

/// Reads an open file from its beginning, wherever others read it.
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
