//! The ledger of a repair. It contains everything needed to undo the repair byte for byte, as JSON lines. For each
//! changed file:
//!
//! ```text
//! {"type":"repair","path":"a.txt","root":"/home/me","encoding":"utf-8"}   the start of a file; of a conversion, it
//!                                                                         also has `from` and `to`
//! {"type":"change","offset":3,"before":"ff","after":"efbfbd"}             each change, with its offset in the old file
//! {"type":"file","path":"a.txt","root":"/home/me","changes":1,
//!  "size_before":4,"blake3_before":"...","size_after":6,"blake3_after":"..."}
//! ```
//!
//! `path` is relative to `root`, an absolute path: the folder in which the repair ran, or the file's own folder if the
//! file lies elsewhere. Standard input has the path `-` and no root.
//!
//! The ledger contains text of the files, so it is readable only by users who can read every file in it.
//!
//! New entries are appended to an existing ledger, also by several processes at the same time. Changes without a final
//! `file` line, as left by a killed process, are ignored; an entry without all of its changes is damaged.

use std::collections::{HashMap, HashSet};
use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use utf8kit_detect::repair::Edit;

use crate::append_log::AppendLog;
use crate::json::{PathFields, hex};
use crate::metadata::hide_like;
use crate::pending_file::PendingFile;
use crate::{FileError, Fingerprint, Fingerprinter, Monitor, Original, is_at};

/// A line of the ledger.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Repair {
        #[serde(flatten)]
        place: FileLocation,
        encoding: String,
        /// The encodings of a conversion.
        #[serde(flatten)]
        conversion: Option<Conversion>,
    },
    Change {
        offset: u64,
        /// In lowercase hexadecimal, without spaces.
        before: String,
        after: String,
    },
    File {
        #[serde(flatten)]
        place: FileLocation,
        changes: u64,
        size_before: u64,
        blake3_before: String,
        size_after: u64,
        blake3_after: String,
    },
}

/// The encodings of a conversion, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Conversion {
    pub(super) from: String,
    pub(super) to: String,
}

/// The location of a file: a path and the folder that it is relative to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileLocation {
    #[serde(flatten)]
    path: PathFields,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    /// The exact bytes of a root that is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root_base64: Option<String>,
}

impl FileLocation {
    /// Returns the place of a file relative to a root.
    fn of(path: &Path, root: Option<&Path>) -> FileLocation {
        let Ok(canonical) = fs::canonicalize(path) else {
            return FileLocation { path: PathFields::of(path), root: None, root_base64: None };
        };
        let below = root.and_then(|root| Some((root, canonical.strip_prefix(root).ok()?)));
        let alone = || Some((canonical.parent()?, Path::new(canonical.file_name()?)));
        let (root, path) = below.or_else(alone).unwrap_or((Path::new(""), &canonical));
        let root = PathFields::of(root);
        FileLocation { path: PathFields::of(path), root: Some(root.path), root_base64: root.path_base64 }
    }

    /// Returns the place of a name in a folder, whose path must be canonical, relative to a root.
    pub(super) fn within(folder: &Path, name: &Path, root: Option<&Path>) -> FileLocation {
        let below = root.and_then(|root| Some((root, folder.strip_prefix(root).ok()?.join(name))));
        let (root, path) = below.unwrap_or_else(|| (folder, name.to_owned()));
        let root = PathFields::of(root);
        FileLocation { path: PathFields::of(&path), root: Some(root.path), root_base64: root.path_base64 }
    }

    /// Returns the file's path, which is absolute unless no root is known.
    pub(super) fn to_path(&self) -> Option<PathBuf> {
        let path = self.path.to_path()?;
        let Some(root) = &self.root else { return Some(path) };
        let root = PathFields { path: root.clone(), path_base64: self.root_base64.clone() };
        Some(root.to_path()?.join(path))
    }
}

/// The most files that are replaced after one flush of the ledger, and the most bytes in them.
const FILES_PER_GROUP: usize = 32;
const MAX_BYTES_PER_GROUP: u64 = 64 << 20;

/// A ledger that is being written.
#[derive(Debug)]
pub struct Ledger {
    file: AppendLog,
    path: PathBuf,
    /// The folder that paths are relative to.
    root: Option<PathBuf>,
    /// The current file and its number of changes.
    place: Option<FileLocation>,
    conversion: Option<Conversion>,
    changes: u64,
    /// The files of the current group, and its size.
    pending: Vec<PendingFile>,
    group: usize,
    /// The files in groups that could not be replaced.
    failed: HashSet<PathBuf>,
    done: Done,
}

/// The conversions that are recorded, by file.
#[derive(Debug, Default)]
struct Done {
    conversions: HashMap<PathBuf, Vec<(Conversion, Fingerprint)>>,
    /// The offset of the next record.
    end: u64,
    /// The length of the ledger when it was last read. It exceeds that offset if a killed process has left half a
    /// record.
    seen: u64,
}

impl Done {
    /// Reads new records of the ledger, which other processes may have added.
    fn read(&mut self, ledger: &Path) {
        let Ok(file) = fs::metadata(ledger) else { return };
        if !file.is_file() || file.len() <= self.seen {
            return;
        }
        let Ok((entries, end)) = entries_from(ledger, self.end) else { return };
        for entry in entries {
            if let (Some(path), Some(conversion)) = (entry.path(), entry.conversion) {
                self.conversions.entry(path).or_default().push((conversion, entry.after));
            }
        }
        (self.end, self.seen) = (end, file.len());
    }
}

impl Ledger {
    /// Opens a ledger to append to it. Its root is the current folder.
    ///
    /// # Errors
    /// [`FileError::Io`] if it cannot be opened, [`FileError::OtherLedger`] if it records names,
    /// [`FileError::NotALedger`] if it is something else.
    pub fn open(path: &Path) -> Result<Ledger, FileError> {
        let head = head(path, LINE_OF_NAMES.len()).unwrap_or_default();
        if is_head_of_names(&head) {
            return Err(FileError::OtherLedger { path: path.to_owned(), of_names: true });
        }
        // A killed process may have left less than the first line.
        if !head.iter().zip(BEGIN).all(|(byte, begin)| byte == begin) {
            return Err(FileError::NotALedger(path.to_owned()));
        }
        let file = AppendLog::open(path).map_err(|error| FileError::io(path, error))?;
        let root = env::current_dir().and_then(fs::canonicalize).ok();
        Ok(Ledger {
            file,
            path: path.to_owned(),
            root,
            place: None,
            conversion: None,
            changes: 0,
            pending: Vec::new(),
            group: 1,
            failed: HashSet::new(),
            done: Done::default(),
        })
    }

    /// Reports whether a path leads to the ledger.
    pub fn is_at(&self, path: &Path) -> bool {
        is_at(self.file.file(), path)
    }

    /// Reports whether an earlier run or another process made this conversion of a file, and the file has not changed
    /// since.
    pub(super) fn has_done(&mut self, conversion: &Conversion, original: &Original) -> io::Result<bool> {
        self.done.read(&self.path);
        let path = fs::canonicalize(original.path()).ok();
        let earlier = path.and_then(|path| self.done.conversions.get(&path));
        let mut earlier = earlier.into_iter().flatten().filter(|(made, _)| made == conversion).peekable();
        if earlier.peek().is_none() {
            return Ok(false);
        }
        let now = Fingerprint::of(&original.file)?;
        Ok(earlier.any(|(_, after)| *after == now))
    }

    /// Starts the record of a file that is repaired or converted.
    pub(super) fn begin(&mut self, conversion: Option<Conversion>) {
        self.place = None;
        self.conversion = conversion;
        self.changes = 0;
    }

    /// Records a change of a file.
    pub fn change(&mut self, path: &Path, encoding: &str, edit: Edit<'_>) {
        if self.changes == 0 {
            // The permissions of another user's ledger are not changed.
            let _ = hide_like(self.file.file(), path);
            let place = FileLocation::of(path, self.root.as_deref());
            let conversion = self.conversion.clone();
            self.file.line(&Line::Repair { place: place.clone(), encoding: encoding.to_owned(), conversion });
            self.place = Some(place);
        }
        self.changes += 1;
        let (before, after) = (hex(edit.before), hex(edit.after));
        self.file.line(&Line::Change { offset: edit.offset, before, after });
    }

    /// Ends the record of the file.
    pub(super) fn end(&mut self, before: &Fingerprinter, after: &Fingerprinter) {
        if let Some(place) = self.place.take() {
            let (before, after) = (before.end(), after.end());
            self.file.line(&Line::File {
                place,
                changes: self.changes,
                size_before: before.size,
                blake3_before: before.blake3,
                size_after: after.size,
                blake3_after: after.blake3,
            });
        }
        self.file.end_record();
    }

    /// Flushes all entries to disk.
    ///
    /// # Errors
    /// [`FileError::Io`] if the ledger cannot be written.
    pub(super) fn sync(&mut self) -> Result<(), FileError> {
        self.file.sync().map_err(|error| FileError::io(&self.path, error))
    }

    /// Replaces recorded files in groups, with one flush of the ledger per group, because flushes take most of the time
    /// with small files. [`Ledger::commit`] replaces the remaining files, as does dropping the ledger.
    pub fn group(&mut self) {
        self.group = FILES_PER_GROUP;
    }

    /// Replaces a file whose changes are recorded, or adds it to the current group.
    pub(super) fn replace(&mut self, pending: PendingFile, progress: &mut dyn Monitor) -> Result<(), FileError> {
        if self.group == 1 {
            self.sync()?;
            return pending.commit(progress);
        }
        self.pending.push(pending);
        let bytes: u64 = self.pending.iter().map(|pending| pending.original.len()).sum();
        if self.pending.len() >= self.group || bytes > MAX_BYTES_PER_GROUP {
            self.commit(progress);
        }
        Ok(())
    }

    /// Replaces the files of the group, and returns whether there were any. `progress` is notified of each that fails,
    /// and of the ledger if that cannot be written.
    pub fn commit(&mut self, progress: &mut dyn Monitor) -> bool {
        let pending = mem::take(&mut self.pending);
        let any = !pending.is_empty();
        let recorded = if any { self.sync() } else { Ok(()) };
        let is_recorded = recorded.is_ok();
        recorded.unwrap_or_else(|error| progress.failed(error));
        let mut is_cancelled = false;
        for pending in pending {
            let path = pending.original.path().to_owned();
            let done = match is_recorded {
                _ if is_cancelled => Err(FileError::Cancelled),
                true => pending.commit(progress),
                false => Err(FileError::NotRecorded { path: path.clone() }),
            };
            is_cancelled |= matches!(done, Err(FileError::Cancelled));
            if let Err(error) = done {
                self.failed.insert(path);
                progress.failed(error);
            }
        }
        any
    }

    /// Reports whether any files are still to be replaced.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Reports whether a file was recorded in a group but could not be replaced.
    pub fn has_failed(&self, path: &Path) -> bool {
        self.failed.contains(path)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.commit(&mut ());
    }
}

/// The first line of a ledger of names.
pub(super) const LINE_OF_NAMES: &[u8] = b"{\"type\":\"names\"}\n";

/// Reports whether a file is a ledger of names, or the beginning of one. An empty file may become either kind of
/// ledger.
///
/// # Errors
/// Fails if it cannot be read.
///
/// ```
/// use utf8kit_files::ledger::is_of_names;
///
/// let path = std::env::temp_dir().join("utf8kit-name-ledger-example");
/// std::fs::write(&path, "{\"type\":\"names\"}\n").unwrap();
/// assert!(is_of_names(&path).unwrap());
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn is_of_names(path: &Path) -> io::Result<bool> {
    Ok(is_head_of_names(&head(path, LINE_OF_NAMES.len())?))
}

/// The beginning of both kinds of ledgers.
const BEGIN: &[u8] = b"{\"type\":\"";

fn is_head_of_names(head: &[u8]) -> bool {
    head.len() > BEGIN.len() && LINE_OF_NAMES.starts_with(head)
}

/// Returns the first bytes of a file, or nothing for a pipe or device.
fn head(path: &Path, len: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    if fs::metadata(path)?.is_file() {
        File::open(path)?.take(len as u64).read_to_end(&mut head)?;
    }
    Ok(head)
}

/// The ledger's entry for one repair of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    place: FileLocation,
    /// The fingerprint of the file before the repair.
    pub before: Fingerprint,
    /// The fingerprint of the file after the repair.
    pub after: Fingerprint,
    conversion: Option<Conversion>,
    changes: u64,
    /// The offset of its changes in the ledger.
    start: u64,
}

/// A change to undo.
#[non_exhaustive]
pub struct RecordedChange {
    /// The offset in the file before the repair, in bytes.
    pub offset: u64,
    /// The bytes before the repair.
    pub before: Vec<u8>,
    /// The bytes after the repair.
    pub after: Vec<u8>,
}

/// The start of a line with a change.
const CHANGE: &[u8] = br#"{"type":"change","#;

/// Returns the entries of a ledger, in order.
///
/// # Errors
/// [`FileError::Io`] if it cannot be read, [`FileError::NotALedger`] if it is something else.
pub fn entries(path: &Path) -> Result<Vec<Entry>, FileError> {
    entries_from(path, 0).map(|(entries, _)| entries)
}

/// Returns the entries of a ledger from an offset, in order, and the end of the last one.
fn entries_from(path: &Path, start: u64) -> Result<(Vec<Entry>, u64), FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    let mut file = File::open(path).map_err(at)?;
    if start > 0 {
        file.seek(SeekFrom::Start(start)).map_err(at)?;
    }
    let mut reader = BufReader::new(file);
    let (mut entries, mut line, mut offset, mut end) = (Vec::new(), Vec::new(), start, start);
    // The offset of the changes of a file, and the conversion that made them.
    let mut begun: Option<(u64, Option<Conversion>)> = None;
    let mut understood = false;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(at)?;
        if read == 0 {
            break;
        }
        offset += read as u64;
        if begun.is_some() && line.starts_with(CHANGE) && line.ends_with(b"}\n") {
            // Parsed later, when needed.
            continue;
        }
        match serde_json::from_slice::<Line>(&line) {
            Ok(Line::Repair { conversion, .. }) => begun = Some((offset, conversion)),
            Ok(Line::File { place, changes, size_before, blake3_before, size_after, blake3_after }) => {
                // The changes of a damaged entry cannot be read.
                let (start, conversion) = begun.take().unwrap_or((offset, None));
                let before = Fingerprint { size: size_before, blake3: blake3_before };
                let after = Fingerprint { size: size_after, blake3: blake3_after };
                entries.push(Entry { place, before, after, conversion, changes, start });
                end = offset;
            }
            Ok(Line::Change { .. }) => {}
            // Left by a killed process.
            Err(_) => {
                begun = None;
                continue;
            }
        }
        understood = true;
    }
    if !understood && start == 0 && offset > 0 {
        return Err(FileError::NotALedger(path.to_owned()));
    }
    Ok((entries, end))
}

/// Returns the changes of an entry, in the order of the file.
///
/// # Errors
/// Any error from reading the ledger.
pub fn changes(path: &Path, entry: &Entry) -> io::Result<impl Iterator<Item = io::Result<RecordedChange>> + use<>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(entry.start))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut next = move || -> io::Result<RecordedChange> {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        match serde_json::from_slice(&line) {
            Ok(Line::Change { offset, before, after }) => match (unhex(&before), unhex(&after)) {
                (Some(before), Some(after)) => Ok(RecordedChange { offset, before, after }),
                _ => Err(io::Error::other("a change that is not hexadecimal")),
            },
            _ => Err(io::Error::other("it was changed while it was read")),
        }
    };
    Ok((0..entry.changes).map(move |_| next()))
}

impl Entry {
    /// Returns the path of the repaired file. It is absolute, unless the entry has no root: standard input, or an old
    /// ledger.
    pub fn path(&self) -> Option<PathBuf> {
        self.place.to_path()
    }

    /// Reports whether it concerns the same file as another entry.
    pub(super) fn is_of_same_file(&self, other: &Entry) -> bool {
        self.place == other.place
    }

    /// Reports whether it was standard input.
    pub fn is_stdin(&self) -> bool {
        self.place.root.is_none() && self.place.path == PathFields::of(Path::new("-"))
    }

    /// Returns the number of changes.
    pub fn changes(&self) -> u64 {
        self.changes
    }
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConvertOptions, FileConversion, HardLinks, InPlace, Skip, convert_file};
    use utf8kit_encodings::convert;

    #[test]
    fn what_another_process_did_meanwhile_is_done() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledger");
        let [mut one, mut other] = [(); 2].map(|()| Ledger::open(&path).expect("a ledger"));
        let conversion = convert::Conversion::new("latin1".parse().unwrap(), "utf-8".parse().unwrap());
        let convert = |ledger: &mut Ledger, name: &str| {
            let in_place = InPlace::new("".as_ref(), HardLinks::Skip, Some(ledger));
            let mut options = ConvertOptions { in_place, force: true, ..ConvertOptions::default() };
            convert_file(&folder.path().join(name), &conversion, &mut options, &mut ())
        };
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), b"na\xEFve").expect("written");
            let is_done = |done| matches!(done, Err(FileError::Skipped { reason: Skip::Done, .. }));
            assert!(matches!(convert(&mut one, name), Ok(FileConversion::Converted(_))), "{name}");
            assert!(is_done(convert(&mut other, name)) && is_done(convert(&mut one, name)), "{name}");
            assert_eq!(fs::read(folder.path().join(name)).expect("read"), "naïve".as_bytes());
        }
    }
}
