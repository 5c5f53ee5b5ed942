//! Undoes a repair: restores the content recorded in a ledger, byte for byte.
//!
//! Files are found by the paths in the ledger. A file is found by its content (a copy, or a file that was moved) only
//! if it is given explicitly and no entry has its path.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::fingerprint::Rewound;
use crate::ledger::{self, Entry, RecordedChange};
use crate::path::canonical;
use crate::{FileError, Fingerprint, Fingerprinter, HardLinks, Monitor, Original, Output, temporary};

/// The number of bytes read at a time.
const BYTES_PER_READ: usize = 256 * 1024;

/// Undoes the changes in a ledger, step by step.
///
/// ```
/// use utf8kit_files::{HardLinks, Repair, RepairOptions, repair_file};
/// use utf8kit_files::Ledger;
/// use utf8kit_files::undo::{Steps, Undo};
///
/// let path = std::env::temp_dir().join("utf8kit-undo-example");
/// let ledger = std::env::temp_dir().join("utf8kit-undo-example.ledger");
/// std::fs::write(&path, b"b\xFFd").unwrap();
/// let mut options = RepairOptions::default();
/// let mut written = Ledger::open(&ledger).unwrap();
/// options.in_place.ledger = Some(&mut written);
/// repair_file(&path, &Repair::default(), &mut options, &mut ()).unwrap();
///
/// let undo = Undo::open(&ledger).unwrap();
/// for target in undo.targets(&[], None) {
///     undo.restore(&target, Steps::All, HardLinks::Skip, &mut ()).unwrap();
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
pub struct UndoFile {
    path: PathBuf,
    /// The indexes of the entries with its path. If there are none, the file is looked up by its content.
    entries: Vec<usize>,
    found: MatchedBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchedBy {
    /// By its path.
    Path,
    /// By its content: it was given explicitly, and no entry has its path.
    Content,
    /// It was standard input.
    Stdin,
    /// Not at all: a folder was given that contains no file of the ledger.
    Nothing,
}

impl UndoFile {
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
    /// `paths` or in folders among them, with any spelling of the paths. A file among `paths` that is not in the ledger
    /// is looked up by its content.
    ///
    /// `root` is the current location of the tree, if it was moved. Paths are resolved below it, using as many of
    /// their last components as finds the most files.
    pub fn targets(&self, paths: &[PathBuf], root: Option<&Path>) -> Vec<UndoFile> {
        let files = self.files(root);
        if paths.is_empty() {
            let here = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
            let shown = |path: &Path| path.strip_prefix(&here).unwrap_or(path).to_owned();
            let named = files.into_iter().map(|(path, entries)| UndoFile {
                path: shown(&path),
                entries,
                found: MatchedBy::Path,
            });
            let stdin = self.entries.iter().any(Entry::is_stdin).then(|| UndoFile {
                path: PathBuf::from("-"),
                entries: Vec::new(),
                found: MatchedBy::Stdin,
            });
            return named.chain(stdin).collect();
        }
        let mut targets = Vec::new();
        for path in paths {
            let canonical = canonical(path);
            let below = files.iter().filter_map(|(file, entries)| {
                let rest = file.strip_prefix(&canonical).ok()?;
                let path = if rest.as_os_str().is_empty() { path.clone() } else { path.join(rest) };
                Some(UndoFile { path, entries: entries.clone(), found: MatchedBy::Path })
            });
            let before = targets.len();
            targets.extend(below);
            let is_folder = path.is_dir();
            // A ledger without entries, from a run that changed nothing, also has none for a folder.
            if targets.len() == before && !(is_folder && self.entries.is_empty()) {
                let found = if is_folder { MatchedBy::Nothing } else { MatchedBy::Content };
                targets.push(UndoFile { path: path.clone(), entries: Vec::new(), found });
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
        let below =
            root.map(|root| (root, prefix_len(root, named.iter().map(|(_, path)| path.as_path()), Path::is_file)));
        let mut files = BTreeMap::<_, Vec<_>>::new();
        for (index, path) in named {
            let path = below.map_or(path.clone(), |(root, cut)| root.join(without_prefix(&path, cut)));
            files.entry(canonical(&path)).or_default().push(index);
        }
        files
    }

    /// Restores a file in place, atomically. Does nothing to a file that already has its old content.
    ///
    /// # Errors
    /// Any error from reading the file or the ledger, or from replacing the file; [`FileError::NotUndone`] if the file
    /// is missing or is not the result of a repair. In that case, the file is unchanged.
    pub fn restore(
        &self,
        target: &UndoFile,
        steps: Steps,
        hard_links: HardLinks,
        progress: &mut dyn Monitor,
    ) -> Result<Undone, FileError> {
        temporary::sweep(&target.path);
        let (original, chain) = self.find(target, steps, progress)?;
        if !chain.entries.is_empty() {
            let mut output = Output::in_place(&target.path, &original, hard_links, OsStr::new(""))?;
            self.write(target, &original.file, &chain, &mut output).map_err(|error| match error {
                UndoError::File(error) => error,
                UndoError::Output(error) => FileError::io(&target.path, error),
            })?;
            output.replace(original, OsStr::new(""), progress)?;
        }
        Ok(chain.undone())
    }

    /// Writes the original content of a file to `out`, and leaves the file unchanged.
    ///
    /// # Errors
    /// The errors of [`Undo::restore`]. Discard the output in that case.
    pub fn restore_to(
        &self,
        target: &UndoFile,
        steps: Steps,
        out: &mut dyn Write,
        progress: &mut dyn Monitor,
    ) -> Result<Undone, UndoError> {
        let (original, chain) = self.find(target, steps, progress)?;
        self.write(target, &original.file, &chain, out)?;
        Ok(chain.undone())
    }

    /// Writes the content of a file before the steps of a chain.
    fn write(&self, target: &UndoFile, file: &File, chain: &Chain<'_>, out: &mut dyn Write) -> Result<(), UndoError> {
        let at = |error| UndoError::from(FileError::io(&target.path, error));
        let Some((first, later)) = chain.entries.split_last() else {
            io::copy(&mut Rewound::of(file), out).map_err(UndoError::Output)?;
            return Ok(());
        };
        let mut file = file.try_clone().map_err(at)?;
        for entry in later {
            let mut between = tempfile::tempfile().map_err(at)?;
            write_restored(&target.path, &file, &self.ledger, entry, &mut between)?;
            file = between;
        }
        write_restored(&target.path, &file, &self.ledger, first, out)
    }

    /// Opens a file and finds the steps to undo.
    fn find(
        &self,
        target: &UndoFile,
        steps: Steps,
        progress: &mut dyn Monitor,
    ) -> Result<(Original, Chain<'_>), FileError> {
        let path = &target.path;
        let not = |reason: &str| FileError::NotUndone { path: path.clone(), reason: reason.to_owned() };
        match target.found {
            MatchedBy::Stdin => return Err(not("it was standard input: name the file that has its output")),
            MatchedBy::Nothing => return Err(not("the ledger has no entry for any file in it")),
            MatchedBy::Path if !path.exists() => {
                return Err(FileError::Missing { path: path.clone() });
            }
            _ => {}
        }
        let at = |error: io::Error| FileError::io(path, error);
        let original = Original::open(path, || progress.wait_for_lock(path)).map_err(at)?;
        let now = Fingerprint::of(&original.file).map_err(at)?;
        let chain = match target.found {
            MatchedBy::Content => self.by_content(&now),
            _ => {
                let own = target.entries.iter().filter_map(|&index| self.entries.get(index)).collect();
                by_path(own, &now)
            }
        };
        let mut chain = chain.map_err(|reason| not(&reason))?;
        if steps == Steps::Last {
            chain.entries.truncate(1);
            chain.edited = false;
        }
        Ok((original, chain))
    }

    /// Returns the steps that led to a content, if there is only one original.
    fn by_content(&self, now: &Fingerprint) -> Result<Chain<'_>, String> {
        let leads_here = |entry: &&Entry| entry.after == *now || entry.before == *now;
        let mut found: Option<Chain<'_>> = None;
        for entry in self.entries.iter().filter(leads_here) {
            let own = self.entries.iter().filter(|other| other.is_of_same_file(entry)).collect();
            let chain = by_path(own, now)?;
            let original = |chain: &Chain<'_>| chain.entries.last().map_or(now.clone(), |e| e.before.clone());
            if found.as_ref().is_some_and(|found| original(found) != original(&chain)) {
                return Err("several files in the ledger now have this content; give the path recorded in the ledger"
                    .to_owned());
            }
            // Its earlier steps belong to another file.
            found = Some(Chain { edited: false, ..chain });
        }
        found.ok_or_else(|| "the ledger has no entry for it".to_owned())
    }
}

/// How many steps to undo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Steps {
    /// All steps in the ledger, back to the original.
    #[default]
    All,
    /// Only the last step.
    Last,
}

/// The result of undoing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// The number of steps: 0 if the file was as before.
    pub steps: usize,
    /// The number of changes in all of them.
    pub changes: u64,
    /// Whether the file was changed by something else between two steps, so that earlier steps cannot be undone.
    pub edited: bool,
}

/// The steps from the current content of a file back to its original, the last step first.
struct Chain<'e> {
    entries: Vec<&'e Entry>,
    /// Whether earlier steps of the file lead to something else.
    edited: bool,
}

impl Chain<'_> {
    fn undone(&self) -> Undone {
        let changes = self.entries.iter().map(|entry| entry.changes()).sum();
        Undone { steps: self.entries.len(), changes, edited: self.edited }
    }
}

/// Returns the steps that led from the original to the content of a file, given its entries in order.
fn by_path<'e>(own: Vec<&'e Entry>, now: &Fingerprint) -> Result<Chain<'e>, String> {
    let (mut entries, mut state, mut earlier) = (Vec::new(), now, &own[..]);
    while let Some(index) = earlier.iter().rposition(|entry| entry.after == *state) {
        entries.push(earlier[index]);
        state = &earlier[index].before;
        earlier = &earlier[..index];
    }
    if entries.is_empty() {
        // Steps that lead away from here are already undone.
        earlier = own.split(|entry| entry.before == *state).next().unwrap_or_default();
    }
    let edited = !earlier.is_empty() && earlier.iter().all(|entry| entry.before != *state);
    // If a file returned to an earlier content, its original is earlier in the chain, or is the current content.
    let first = [now].into_iter().chain(entries.iter().map(|entry| &entry.before)).position(|one| one == state);
    entries.truncate(first.unwrap_or(entries.len()));
    if !entries.is_empty() || own.iter().any(|entry| entry.before == *now || entry.after == *now) {
        return Ok(Chain { entries, edited });
    }
    Err(match own.last() {
        Some(entry) if entry.after.size != now.size => {
            format!("it was changed after the repair: {} bytes then, {} now", entry.after.size, now.size)
        }
        _ => "it was changed after the repair: same size, different content".to_owned(),
    })
}

/// Returns a path without its root and without its first components.
pub(super) fn without_prefix(path: &Path, cut: usize) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).skip(cut).collect()
}

/// Returns how many leading components to remove to find the most files below `root`.
pub(super) fn prefix_len<'p>(
    root: &Path,
    paths: impl Iterator<Item = &'p Path> + Clone,
    is_there: impl Fn(&Path) -> bool,
) -> usize {
    let deepest = paths.clone().map(|path| path.components().count()).max().unwrap_or(0);
    let found = |cut: usize| {
        let there = |path: &&Path| {
            let rest = without_prefix(path, cut);
            !rest.as_os_str().is_empty() && is_there(&root.join(rest))
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
    changes: impl Iterator<Item = io::Result<RecordedChange>>,
    out: &mut dyn Write,
) -> Result<Fingerprinter, Stop> {
    let mut reader = BufReader::with_capacity(BYTES_PER_READ, Rewound::of(file));
    let mut fingerprinter = Fingerprinter::default();
    // The number of bytes of the original that are written.
    let mut done = 0;
    let mut held = Vec::with_capacity(2 * BYTES_PER_READ);
    let mut write = |bytes: &[u8], last: bool| {
        held.extend_from_slice(bytes);
        if held.len() < BYTES_PER_READ && !last {
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

/// Passes up to `len` bytes to `take`, and returns their number.
fn copy(reader: &mut impl io::BufRead, len: u64, mut take: impl FnMut(&[u8]) -> Result<(), Stop>) -> Result<u64, Stop> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_tree_is_found_by_as_much_of_its_paths_as_possible() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("a")).unwrap();
        for name in ["a/x.txt", "a/y.txt", "x.txt", "y.txt"] {
            fs::write(root.join(name), "").unwrap();
        }
        let cut = |paths: &[&str]| prefix_len(root, paths.iter().map(Path::new), Path::is_file);
        assert_eq!(cut(&["/old/tree/a/x.txt", "/old/tree/a/y.txt"]), 2);
        assert_eq!(cut(&["/old/tree/a/x.txt", "/old/tree/x.txt"]), 2);
        assert_eq!(cut(&["/old/b/x.txt"]), 2);
        assert_eq!(cut(&["a/x.txt", "a/y.txt"]), 0);
        assert_eq!(without_prefix(Path::new("/old/tree/a/x.txt"), 2), Path::new("a/x.txt"));
    }
}
