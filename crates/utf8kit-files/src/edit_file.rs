//! Edits a file in place: as a whole, with a ledger.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use utf8kit::AnyEncoding;
use utf8kit_detect::repair::Edit;
use utf8kit_document::line_changes;

use crate::{FileError, InPlace, Monitor, Original, Recorder};

/// Replaces the content of a file with what `edit` returns. The file is replaced atomically, even across a crash. It is
/// not touched if `edit` returns `None` or the same bytes. Owner, mode, access control lists and extended attributes
/// are kept. Returns whether the file was changed.
///
/// # Errors
/// What `edit` returns, or a [`FileError`] if the file cannot be read or replaced; it is then unchanged
/// (but see [`HardLinks::Write`](super::HardLinks::Write)).
///
/// ```
/// use utf8kit_document::Document;
/// use utf8kit_files::{FileError, InPlace, edit_file};
///
/// let path = std::env::temp_dir().join("utf8kit-edit-file-example");
/// std::fs::write(&path, b"un caf\xE9 tr\xE8s cher\r\n").unwrap();
/// let edited = edit_file(&path, InPlace::default(), &mut (), |bytes| -> Result<_, FileError> {
///     let mut document = Document::open(bytes);
///     document.set_text("un café très, très cher\n").unwrap();
///     Ok(Some(document.to_bytes().into_owned()))
/// });
/// assert!(edited.unwrap());
/// assert_eq!(std::fs::read(&path).unwrap(), b"un caf\xE9 tr\xE8s, tr\xE8s cher\r\n");
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn edit_file<E: From<FileError>>(
    path: &Path,
    in_place: InPlace<'_>,
    progress: &mut dyn Monitor,
    edit: impl FnOnce(&[u8]) -> Result<Option<Vec<u8>>, E>,
) -> Result<bool, E> {
    let file = OpenFile::open(path, progress)?;
    let Some(new) = edit(file.bytes())? else { return Ok(false) };
    Ok(file.replace(&new, in_place, progress)?)
}

/// A file that is being edited: read, and locked until it is replaced or dropped. [`edit_file`] in two steps.
///
/// ```
/// use utf8kit_files::{InPlace, OpenFile};
///
/// let path = std::env::temp_dir().join("utf8kit-open-file-example");
/// std::fs::write(&path, "one").unwrap();
/// let file = OpenFile::open(&path, &mut ())?;
/// assert_eq!(file.bytes(), b"one");
/// assert!(file.replace(b"two", InPlace::default(), &mut ())?);
/// assert_eq!(std::fs::read(&path).unwrap(), b"two");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), utf8kit_files::FileError>(())
/// ```
#[derive(Debug)]
pub struct OpenFile {
    path: PathBuf,
    original: Original,
    old: Vec<u8>,
}

impl OpenFile {
    /// Opens a file; waits while another program has locked it.
    ///
    /// # Errors
    /// A [`FileError`] if the file cannot be read, or is not a regular file.
    pub fn open(path: &Path, progress: &mut dyn Monitor) -> Result<OpenFile, FileError> {
        let mut original = InPlace::default().open(path, progress)?;
        let mut old = Vec::new();
        original.file.read_to_end(&mut old).map_err(|error| FileError::io(path, error))?;
        Ok(OpenFile { path: path.to_owned(), original, old })
    }

    /// Returns the content.
    pub fn bytes(&self) -> &[u8] {
        &self.old
    }

    /// Replaces the content as [`edit_file`] does. Returns whether the file was changed: not if the content is the
    /// same.
    ///
    /// # Errors
    /// A [`FileError`] if the file cannot be replaced; it is then unchanged (but see
    /// [`HardLinks::Write`](super::HardLinks::Write)).
    pub fn replace(self, new: &[u8], in_place: InPlace<'_>, progress: &mut dyn Monitor) -> Result<bool, FileError> {
        let OpenFile { path, original, old } = self;
        if old == new {
            return Ok(false);
        }
        let mut output = in_place.create(&path, &original)?;
        let mut recorder = Recorder::new(&path, AnyEncoding::Utf8, in_place.ledger);
        recorder.versions(&old, new);
        output.put(new)?;
        // A ledger may postpone the replacement of several files, but not of this one.
        recorder.end()?;
        output.replace(original, &in_place.backup_suffix, progress)?;
        Ok(true)
    }
}

impl Recorder<'_> {
    /// Adds the whole file and its new version, with the lines that differ.
    pub fn versions(&mut self, old: &[u8], new: &[u8]) {
        if !self.is_recording() {
            return;
        }
        self.piece(old);
        for change in line_changes(old, new) {
            let (before, after) = (old.get(change.old.clone()), new.get(change.new));
            let offset = change.old.start as u64;
            self.edit(Edit::new(offset, before.unwrap_or_default(), after.unwrap_or_default()));
        }
        self.repaired(new);
    }
}
