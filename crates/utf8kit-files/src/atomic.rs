//! Outputs for converted and repaired bytes: a file that is replaced atomically, even across a crash, or a pipe or
//! device.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;
use utf8kit_encodings::display::Name;

use crate::path::{folder_of, is_at};
use crate::temporary::{Temporary, is_temporary, keep, lock, named};
use crate::{FileError, Fingerprint, Monitor, Original, Skip, metadata};

/// An output. Written bytes may not be visible before [`Output::commit`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Output {
    /// A regular file, new or to be replaced.
    Replacement(Box<Replacement>),
    /// A pipe or device, which is written to directly.
    Special(PathBuf, File),
}

impl Output {
    /// Opens an output at a path. Nothing is visible there before [`Output::commit`], except with pipes and devices.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file cannot be created, or if it exists and the user may not write to it.
    pub fn create(path: &Path) -> Result<Output, FileError> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let output = if special {
            File::create(path).map(|file| Output::Special(path.to_owned(), file))
        } else {
            may_write(path).and_then(|()| Replacement::of(path)).map(|new| Output::Replacement(Box::new(new)))
        };
        output.map_err(|error| FileError::io(path, error))
    }

    /// Opens an output that replaces the content of an existing file. `original` is that file, open.
    ///
    /// # Errors
    /// As [`Output::create`]; [`FileError::Skipped`] if the user may not write to the file, if it has several hard
    /// links and `hard_links` is [`HardLinks::Skip`], or if another file has the name for its backup.
    pub fn in_place(
        path: &Path,
        original: &Original,
        hard_links: HardLinks,
        backup_suffix: &OsStr,
    ) -> Result<Output, FileError> {
        let links = links_to_replace(path, original, hard_links, backup_suffix)?;
        let mut replacement = Replacement::of(path).map_err(|error| FileError::io(path, error))?;
        may_replace(path, original, backup_suffix)?;
        replacement.through = hard_links == HardLinks::Write && links > 1;
        Ok(Output::Replacement(Box::new(replacement)))
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// [`FileError::Io`] if they cannot be written.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        match self {
            Output::Replacement(new) => new.write_all(bytes).map_err(|error| FileError::io(&new.target, error)),
            Output::Special(path, file) => file.write_all(bytes).map_err(|error| FileError::io(path, error)),
        }
    }

    /// Flushes a file to disk, as [`Output::commit`] also does. Call this before a final check, because flushing takes
    /// time.
    ///
    /// # Errors
    /// [`FileError::Io`] if it cannot be flushed.
    pub fn sync(&mut self) -> Result<(), FileError> {
        let Output::Replacement(new) = self else { return Ok(()) };
        new.sync().map_err(|error| FileError::io(&new.target, error))
    }

    /// Also keeps the file that will be replaced, which is open as `old`, under its name plus `suffix`.
    ///
    /// # Errors
    /// [`FileError::Io`] if that fails.
    fn back_up(&self, old: &File, suffix: &OsStr) -> Result<(), FileError> {
        let Output::Replacement(new) = self else { return Ok(()) };
        new.back_up(old, suffix).map_err(|error| FileError::io(&new.target, error))
    }

    /// Flushes the file to disk and makes it visible under its name. If it is dropped instead, no file is left behind.
    ///
    /// # Errors
    /// [`FileError::Io`] if that fails.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.sync()?;
        self.commit_as(None)
    }

    /// Flushes the file to disk and replaces `original` with it, unless another program has changed that in the
    /// meantime, or `progress` asks to stop. The old file is kept under its name plus `backup_suffix`, unless that is
    /// empty. `progress` is notified if the new file does not have the owner and group of the old one.
    ///
    /// # Errors
    /// [`FileError::Cancelled`] if `progress` asks to stop.
    /// [`FileError::Io`] if it cannot be replaced. It is then unchanged, or as another program has left it (but see
    /// [`HardLinks::Write`]).
    pub fn replace(
        mut self,
        original: Original,
        backup_suffix: &OsStr,
        progress: &mut dyn Monitor,
    ) -> Result<(), FileError> {
        let path = original.path().to_owned();
        let unchanged = || original.check_unchanged().map_err(|error| FileError::io(&path, error));
        self.sync()?;
        if progress.advance(0).is_break() {
            return Err(FileError::Cancelled);
        }
        unchanged()?;
        if !backup_suffix.is_empty() {
            self.back_up(&original.file, backup_suffix)?;
            unchanged()?;
        }
        // Stays locked until the function returns.
        let original = original.release();
        let owner_kept = match &self {
            Output::Replacement(new) => new.owner_kept,
            Output::Special(..) => true,
        };
        self.commit_as(original.as_ref())?;
        if !owner_kept {
            progress.owner_changed(&path);
        }
        Ok(())
    }

    fn commit_as(self, original: Option<&Original>) -> Result<(), FileError> {
        let Output::Replacement(new) = self else { return Ok(()) };
        let target = new.target.clone();
        new.commit(original).map_err(|error| FileError::io(&target, error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Replacement(new) => new.write(bytes),
            Output::Special(_, file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Replacement(new) => new.flush(),
            Output::Special(_, file) => file.flush(),
        }
    }
}

/// What to do with a file that has several names (hard links).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HardLinks {
    /// Leave it unchanged, with [`Skip::HardLinks`](crate::Skip::HardLinks).
    #[default]
    Skip,
    /// Overwrite its content, so that all names refer to the new content. This is not atomic, because there is no other
    /// way to keep the names together. A failed write, for example on a full disk, leaves the file partly written. The
    /// error then names a file in the same folder that holds the new content.
    Write,
    /// Replace only this name. The others keep the old content.
    Split,
}

/// The new content of a file, in a temporary file next to it.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    target: PathBuf,
    /// The file that is replaced, if there is one.
    old: Option<fs::Metadata>,
    /// Whether the old file is overwritten instead of replaced.
    through: bool,
    /// Whether it has the owner and group of the old file.
    owner_kept: bool,
}

/// Returns the number of hard links of a file that is to be replaced, or the error of [`Output::in_place`] if it has
/// too many. Writes nothing.
pub(super) fn links_to_replace(
    path: &Path,
    original: &Original,
    hard_links: HardLinks,
    backup_suffix: &OsStr,
) -> Result<u64, FileError> {
    let mut links = original.links();
    if links > 1 {
        links -= added_names(path, &original.file, backup_suffix);
    }
    if links > 1 && hard_links == HardLinks::Skip {
        return Err(FileError::skipped(path, Skip::HardLinks(links)));
    }
    Ok(links)
}

/// Fails as [`Output::in_place`] does if the user may not write to a file, or if another file has the name for its
/// backup. Writes nothing.
pub(super) fn may_replace(path: &Path, original: &Original, backup_suffix: &OsStr) -> Result<(), FileError> {
    let skipped = |reason| Err(FileError::skipped(path, reason));
    let at = |error| FileError::io(path, error);
    if may_write(path).is_err() {
        return skipped(Skip::NotWritable);
    }
    if !backup_suffix.is_empty() {
        let backup = with_suffix(&fs::canonicalize(path).map_err(at)?, backup_suffix);
        if backup.exists() && !is_copy(&original.file, &backup).map_err(at)? {
            return skipped(Skip::BackupExists(backup));
        }
    }
    Ok(())
}

/// Fails if there is a file that the user may not write to. A user who may write to the folder could still replace it,
/// but would then own it.
fn may_write(path: &Path) -> io::Result<()> {
    match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.exists() => Err(error),
        _ => Ok(()),
    }
}

/// Reports whether the file at `path` is `file`, or has the same content.
fn is_copy(file: &File, path: &Path) -> io::Result<bool> {
    if is_at(file, path) {
        return Ok(true);
    }
    let other = File::open(path)?;
    let same_len = file.metadata()?.len() == other.metadata()?.len();
    Ok(same_len && Fingerprint::of(file)? == Fingerprint::of(&other)?)
}

/// Counts the names that a killed run has added to a file: names of temporary files, and of its backup.
fn added_names(path: &Path, file: &File, backup_suffix: &OsStr) -> u64 {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let backup = with_suffix(path, backup_suffix);
    let backups = u64::from(!backup_suffix.is_empty() && is_at(file, &backup));
    let temporary = |entry: fs::DirEntry| is_temporary(&entry.path()) && is_at(file, &entry.path());
    let names = fs::read_dir(folder_of(path)).into_iter().flatten().flatten();
    names.map(|entry| u64::from(temporary(entry))).sum::<u64>() + backups
}

impl Replacement {
    /// Creates an empty file. If `path` is a symbolic link, its target is replaced.
    pub fn of(path: &Path) -> io::Result<Replacement> {
        let old = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let temporary = Temporary::in_folder(folder_of(&target), old.is_none()).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot create a file in the same folder: {error}"))
        })?;
        Ok(Replacement { temporary, target, old, through: false, owner_kept: true })
    }

    /// Flushes it to disk, including the metadata copied from the old file.
    fn sync(&mut self) -> io::Result<()> {
        self.keep_metadata()?;
        self.temporary.file().sync_all()
    }

    /// Copies owner, mode and attributes from the old file, once. Until then only its owner can access it.
    fn keep_metadata(&mut self) -> io::Result<()> {
        if let Some(old) = self.old.take()
            && !self.through
        {
            self.owner_kept = metadata::keep(self.temporary.file(), &self.target, &old)?;
        }
        Ok(())
    }

    /// Also keeps the old file, which is open as `old`, under its name plus `suffix`.
    fn back_up(&self, old: &File, suffix: &OsStr) -> io::Result<()> {
        let backup = &with_suffix(&self.target, suffix);
        if backup.exists() && is_copy(old, backup)? {
            // An earlier run was killed after making the backup.
            return Ok(());
        }
        let link = || named().make_in(folder_of(&self.target), |path| fs::hard_link(&self.target, path));
        // Not a hard link: its content would also be overwritten, and not all file systems support hard links.
        let aside = match (!self.through).then(link) {
            Some(Ok(linked)) => linked.into_temp_path(),
            Some(Err(_)) | None => self.copy(old)?,
        };
        aside.persist_noclobber(backup).map_err(|error| error.error)?;
        Ok(())
    }

    /// Copies the old file, which is open as `old`, with its metadata.
    fn copy(&self, old: &File) -> io::Result<TempPath> {
        let mut copy = named().tempfile_in(folder_of(&self.target))?;
        lock(copy.as_file());
        io::copy(&mut File::open(&self.target)?, &mut copy)?;
        metadata::keep(copy.as_file(), &self.target, &old.metadata()?)?;
        copy.as_file().sync_all()?;
        Ok(copy.into_temp_path())
    }

    /// Replaces the old file in one step, or overwrites its content. If `original` is given, the file is replaced only
    /// if it has not changed since it was read.
    fn commit(mut self, original: Option<&Original>) -> io::Result<()> {
        self.keep_metadata()?;
        if self.through {
            return self.temporary.write_over(&self.target);
        }
        let new = self.temporary.file().try_clone()?;
        let path = self.temporary.into_path_in(folder_of(&self.target))?;
        if let Some(original) = original
            && exchange(&path, &self.target)
        {
            // Check the old file now, when nobody can replace it any more. If it is not the file that was read, give it
            // its name back.
            return match original.check_unchanged_at(&path) {
                Ok(()) => Ok(()),
                Err(changed) => {
                    give_back(path, &self.target, &new)?;
                    Err(changed)
                }
            };
        }
        path.persist(&self.target).map_err(|error| error.error)
    }
}

/// Gives a file of another program its name back, which the new file has taken. If the new file is gone, or a third
/// file has the name, the file is kept in the same folder.
fn give_back(path: TempPath, target: &Path, new: &File) -> io::Result<()> {
    if exchange(&path, target) && is_at(new, &path) {
        return Ok(());
    }
    path.persist_noclobber(target).or_else(|failed| {
        let kept = keep(failed.path, target)?;
        Err(io::Error::other(format!(
            "other programs changed it twice in the meantime; one of their versions is in {}",
            Name(&kept)
        )))
    })
}

/// Exchanges the names of two files in one step. Returns `false` if the system cannot do that.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file().flush()
    }
}

fn with_suffix(path: &Path, suffix: &OsStr) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::temporary::is_temporary;

    #[test]
    fn what_another_program_made_is_given_back_or_kept() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let others = || {
            let file = named().tempfile_in(folder.path()).unwrap();
            fs::write(file.path(), "theirs").unwrap();
            file.into_temp_path()
        };
        let contents = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            let mut contents: Vec<String> = names.map(|name| fs::read_to_string(name).unwrap()).collect();
            contents.sort();
            contents
        };
        fs::write(&target, "ours").unwrap();
        let ours = File::open(&target).unwrap();
        give_back(others(), &target, &ours).unwrap();
        assert_eq!((fs::read(&target).unwrap(), contents()), (b"theirs".to_vec(), vec!["theirs".to_owned()]));
        fs::remove_file(&target).unwrap();
        give_back(others(), &target, &ours).unwrap();
        assert_eq!((fs::read(&target).unwrap(), contents()), (b"theirs".to_vec(), vec!["theirs".to_owned()]));
        // A third program has put its own file there.
        fs::write(&target, "third").unwrap();
        let twice = give_back(others(), &target, &ours).unwrap_err();
        assert!(twice.to_string().contains("changed it twice"), "{twice}");
        assert_eq!(contents(), ["theirs", "third"]);
        let kept = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        assert!(!kept.into_iter().any(|path| is_temporary(&path)));
    }
}
