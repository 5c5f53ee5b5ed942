//! The ledger of a renaming. It contains everything needed to undo it, as JSON lines:
//!
//! ```text
//! {"type":"names"}                                                 the start of a run
//! {"type":"rename","path":"a/b","root":"/home/me","to":"c"}        before each renaming
//! {"type":"not_renamed","path":"a/b","root":"/home/me","to":"c"}   after it, if it failed
//! ```
//!
//! `path` is relative to `root`, an absolute path: the folder in which the repair ran, or the folder of the file if
//! that lies elsewhere. It is the path at the time, when deeper folders already had their new names. A killed process
//! may leave recorded names that were not changed. Undo recognises them.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use utf8kit_encodings::display::{Name, plain};

use super::plan::{Identity, Rename};
use super::rename::Folders;
use crate::FileError;
use crate::append_log::ends_within_a_line;
use crate::json;
use crate::ledger::{FileLocation, LINE_OF_NAMES, is_of_names};
use crate::path::{canonical, canonical_link};
use crate::undo::{prefix_len, without_prefix};

/// A line of the ledger.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Names,
    Rename(Record),
    NotRenamed(Record),
}

/// A recorded renaming.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    #[serde(flatten)]
    place: FileLocation,
    to: String,
}

/// A ledger of names that is being written.
#[derive(Debug)]
pub struct NameLedger {
    file: File,
    path: PathBuf,
    root: Option<PathBuf>,
    begun: bool,
}

impl NameLedger {
    /// Opens a ledger to append to it. Its root is the current folder.
    ///
    /// # Errors
    /// [`FileError::Io`] if it cannot be opened, [`FileError::OtherLedger`] if it records something else.
    pub fn open(path: &Path) -> Result<NameLedger, FileError> {
        let at = |error| FileError::io(path, error);
        let is_new = fs::metadata(path).map_or(true, |metadata| !metadata.is_file() || metadata.len() == 0);
        if !is_new && !is_of_names(path).map_err(at)? {
            return Err(FileError::OtherLedger { path: path.to_owned(), of_names: false });
        }
        let mut file = OpenOptions::new().create(true).append(true).read(!is_new).open(path).map_err(at)?;
        if !is_new && ends_within_a_line(&file).map_err(at)? {
            file.write_all(b"\n").map_err(at)?;
        }
        let root = env::current_dir().and_then(fs::canonicalize).ok();
        Ok(NameLedger { file, path: path.to_owned(), root, begun: false })
    }

    /// Records some renamings, on disk.
    pub(super) fn record(&mut self, renames: &[Rename]) -> Result<(), FileError> {
        let mut lines = Vec::new();
        if !std::mem::replace(&mut self.begun, true) {
            lines.extend_from_slice(LINE_OF_NAMES);
        }
        for rename in renames {
            let record = self.line(rename).map_err(|error| FileError::io(&rename.path, error))?;
            json::write_line(&Line::Rename(record), &mut lines).map_err(|error| FileError::io(&self.path, error))?;
        }
        let written = self.file.write_all(&lines).and_then(|()| match self.file.sync_data() {
            // Pipes and devices cannot be flushed to disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        });
        written.map_err(|error| FileError::io(&self.path, error))
    }

    /// Records that a renaming failed.
    pub(super) fn cancel(&mut self, rename: &Rename) {
        let mut line = Vec::new();
        let written = self.line(rename).and_then(|record| json::write_line(&Line::NotRenamed(record), &mut line));
        // Undo detects this by itself, except in rare cases.
        let _ = written.and_then(|()| self.file.write_all(&line));
    }

    fn line(&self, rename: &Rename) -> io::Result<Record> {
        let folder = fs::canonicalize(rename.folder())?;
        let name = rename.path.file_name().unwrap_or_default();
        let to = rename.to.to_str().ok_or_else(|| io::Error::other("the new name is not UTF-8"))?;
        Ok(Record { place: FileLocation::within(&folder, name.as_ref(), self.root.as_deref()), to: to.to_owned() })
    }
}

/// The outcome of undoing one renaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameUndone {
    /// It has its old name again.
    Restored,
    /// It already had its old name.
    AsBefore,
}

/// A renaming to undo.
struct Entry {
    path: PathBuf,
    to: PathBuf,
    selected: bool,
}

impl Entry {
    /// Returns the path after the renaming.
    fn new_path(&self) -> PathBuf {
        self.path.with_file_name(&self.to)
    }
}

/// Receives the path with the old name, the new name, and the outcome.
pub type UndoneName<'d> = &'d mut dyn FnMut(&Path, &Path, Result<NameUndone, FileError>);

/// Undoes the renamings in a ledger of names, the last first: all of them, only the last run, or only those below some
/// paths, as they are now or were then. `root` is the current place of the tree, if it was moved. A dry run changes
/// nothing. `done` is called for each, with the path of the old name.
///
/// # Errors
/// [`FileError::Io`] if the ledger cannot be read, [`FileError::NotALedger`] if it is something else.
pub fn undo_names(
    ledger: &Path,
    paths: &[PathBuf],
    root: Option<&Path>,
    last: bool,
    dry_run: bool,
    done: UndoneName<'_>,
) -> Result<(), FileError> {
    let mut entries = entries(ledger, last)?;
    if let Some(root) = root {
        let names: Vec<_> = entries.iter().map(Entry::new_path).collect();
        let olds = entries.iter().map(|entry| entry.path.as_path());
        let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
        let cut = prefix_len(root, names.iter().map(PathBuf::as_path).chain(olds), is_there);
        let root = canonical(root);
        entries.iter_mut().for_each(|entry| entry.path = root.join(without_prefix(&entry.path, cut)));
    }
    select(&mut entries, paths);
    // Later renamings that are kept, in order.
    let mut standing: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut folders = Folders::default();
    for entry in entries.iter().rev() {
        let stands = (entry.path.clone(), entry.new_path());
        if !entry.selected {
            standing.insert(0, stands);
            continue;
        }
        let old = now(&entry.path, &standing);
        let outcome = restore(&old, &entry.to, (!dry_run).then_some(&mut folders));
        if dry_run || outcome.is_err() {
            standing.insert(0, stands);
        }
        done(&old, &entry.to, outcome);
    }
    Ok(())
}

/// Gives a file its old name back. Without `folders`, it only checks whether that is possible.
fn restore(old: &Path, to: &Path, folders: Option<&mut Folders>) -> Result<NameUndone, FileError> {
    let new = old.with_file_name(to);
    let not = |reason: String| FileError::NotUndone { path: old.to_owned(), reason };
    let (is_old, is_new) = (fs::symlink_metadata(old).is_ok(), Identity::at(&new));
    match (is_old, is_new) {
        (true, Err(_)) => Ok(NameUndone::AsBefore),
        (true, Ok(_)) => Err(not(format!("both this and {} exist", Name(to)))),
        (false, Err(_)) => Err(not(format!("neither this nor {} exists", Name(to)))),
        (false, Ok(identity)) => {
            let Some(folders) = folders else { return Ok(NameUndone::Restored) };
            let mut rename = Rename::new(&new, old.file_name().unwrap_or_default());
            rename.identity = identity;
            folders.rename(&rename).map_err(|error| not(plain(&error.to_string())))?;
            Ok(NameUndone::Restored)
        }
    }
}

/// Reads the entries of a ledger, or of its last run.
fn entries(ledger: &Path, last: bool) -> Result<Vec<Entry>, FileError> {
    let at = |error: io::Error| FileError::io(ledger, error);
    if !is_of_names(ledger).map_err(at)? {
        return Err(FileError::NotALedger(ledger.to_owned()));
    }
    let mut records: Vec<Record> = Vec::new();
    for line in BufReader::new(File::open(ledger).map_err(at)?).split(b'\n') {
        match serde_json::from_slice(&line.map_err(at)?) {
            Ok(Line::Names) if last => records.clear(),
            Ok(Line::Rename(record)) => records.push(record),
            Ok(Line::NotRenamed(record)) => {
                if let Some(index) = records.iter().rposition(|known| *known == record) {
                    records.remove(index);
                }
            }
            // Left by a killed process.
            Ok(Line::Names) | Err(_) => {}
        }
    }
    let entry =
        |record: Record| Some(Entry { path: record.place.to_path()?, to: PathBuf::from(record.to), selected: true });
    Ok(records.into_iter().filter_map(entry).collect())
}

/// Selects the entries below some paths, or all without paths.
fn select(entries: &mut [Entry], paths: &[PathBuf]) {
    if paths.is_empty() {
        return;
    }
    let paths: Vec<_> = paths.iter().map(|path| canonical_link(path)).collect();
    let all: Vec<_> = entries.iter().map(|entry| (entry.path.clone(), entry.new_path())).collect();
    for (index, entry) in entries.iter_mut().enumerate() {
        let later = all.get(index + 1..).unwrap_or_default();
        let present = now(&entry.new_path(), later);
        entry.selected = paths.iter().any(|path| present.starts_with(path) || entry.path.starts_with(path));
    }
}

/// Returns a path after renamings of the folders in it.
fn now(path: &Path, renamed: &[(PathBuf, PathBuf)]) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    let mut folder = path.parent().unwrap_or(Path::new("")).to_owned();
    for (old, new) in renamed {
        if let Ok(rest) = folder.strip_prefix(old) {
            folder = if rest.as_os_str().is_empty() { new.clone() } else { new.join(rest) };
        }
    }
    folder.join(name)
}
