//! Where converted and repaired bytes go: a file that is replaced atomically, even across a crash, or a pipe or device.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::files::{FileError, Original, metadata};

/// An output. Nothing that is written is certain to be seen before [`Output::commit`].
#[derive(Debug)]
pub enum Output {
    /// A regular file, new or to be replaced.
    Replacement(Box<Replacement>),
    /// A pipe or device: written as it goes.
    Special(PathBuf, File),
}

impl Output {
    /// An output to a path. Nothing is there until [`Output::commit`], but for pipes and devices.
    ///
    /// # Errors
    /// What keeps the file from being made.
    pub fn create(path: &Path) -> Result<Output, FileError> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let output = if special {
            File::create(path).map(|file| Output::Special(path.to_owned(), file))
        } else {
            Replacement::of(path).map(|new| Output::Replacement(Box::new(new)))
        };
        output.map_err(|error| FileError::io(path, error))
    }

    /// An output that changes a file where it is. `original` is the file, open.
    ///
    /// # Errors
    /// As [`Output::create`]; [`FileError::HardLinks`] if it has several names, and is to be left alone then.
    pub fn in_place(
        path: &Path,
        original: &Original,
        hard_links: HardLinks,
        backup_suffix: &OsStr,
    ) -> Result<Output, FileError> {
        let mut links = original.links();
        if links > 1 {
            links -= left_behind(path, &original.file, backup_suffix);
        }
        let at = |error| FileError::io(path, error);
        let mut replacement = match hard_links {
            HardLinks::Skip if links > 1 => {
                return Err(FileError::HardLinks { path: path.to_owned(), links });
            }
            _ => Replacement::of(path).map_err(at)?,
        };
        replacement.through = hard_links == HardLinks::Write && links > 1;
        Ok(Output::Replacement(Box::new(replacement)))
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// What keeps them from being written.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        match self {
            Output::Replacement(new) => {
                new.write_all(bytes).map_err(|error| FileError::io(&new.target, error))
            }
            Output::Special(path, file) => file.write_all(bytes).map_err(|error| FileError::io(path, error)),
        }
    }

    /// Flushes a file to disk, if it is not to be lost whatever happens to the converter. It takes its time, so what
    /// is asked of the world before [`Output::commit`] is asked behind it.
    ///
    /// # Errors
    /// What keeps it from being flushed.
    pub fn sync(&mut self) -> Result<(), FileError> {
        let Output::Replacement(new) = self else { return Ok(()) };
        new.sync().map_err(|error| FileError::io(&new.target, error))
    }

    /// Keeps the file that is to be replaced, which is open as `old`, under its name and `suffix` too.
    ///
    /// # Errors
    /// What keeps it from being kept.
    fn back_up(&self, old: &File, suffix: &OsStr) -> Result<(), FileError> {
        let Output::Replacement(new) = self else { return Ok(()) };
        new.back_up(old, suffix).map_err(|error| FileError::io(&new.target, error))
    }

    /// Makes a file seen under its name. Dropped without this, no file is left behind.
    ///
    /// # Errors
    /// What keeps it from having its name.
    pub fn commit(self) -> Result<(), FileError> {
        self.commit_as(None)
    }

    /// Puts a file in the place of `original`, if nobody has changed that meanwhile, and on the disk. The old file is
    /// kept under its name and `backup_suffix` too, unless that is empty.
    ///
    /// # Errors
    /// What keeps it from being replaced: it is as it was then, or as another program has made it.
    pub fn replace(mut self, original: Original, backup_suffix: &OsStr) -> Result<(), FileError> {
        let unchanged = || original.is_as_it_was().map_err(|error| FileError::io(original.path(), error));
        self.sync()?;
        unchanged()?;
        if !backup_suffix.is_empty() {
            self.back_up(&original.file, backup_suffix)?;
            unchanged()?;
        }
        // Locked until this ends.
        let original = original.ready_to_be_replaced();
        self.commit_as(original.as_ref())
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

/// What is done to a file that has several names (hard links).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HardLinks {
    /// It is left alone, with [`FileError::HardLinks`].
    #[default]
    Skip,
    /// It is written over, so that all names lead to the new content: not atomic, as nothing else keeps them together.
    Write,
    /// This name leads to the new content, the others to the old one.
    Split,
}

/// What is to be in a file, in a temporary file beside it.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    target: PathBuf,
    /// The file that is replaced, if there is one.
    old: Option<fs::Metadata>,
    /// Whether the old file is written over.
    through: bool,
}

/// A file that is nobody's business yet.
#[derive(Debug)]
enum Temporary {
    /// One without a name, which is gone with the process, however that ends.
    #[cfg(target_os = "linux")]
    Nameless(File),
    /// One that is removed when dropped; a process that is killed leaves it behind.
    Named(NamedTempFile),
}

/// How the names of temporary files begin: a process that is killed may leave one behind.
const PREFIX: &str = ".utf8-unfinished-";

/// Whether a file has the name of a temporary one.
pub fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
}

/// How many more names a file has because another run was killed: those of temporary files, and that of its backup.
fn left_behind(path: &Path, file: &File, backup_suffix: &OsStr) -> u64 {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let backup = with_suffix(path, backup_suffix);
    let backups = u64::from(!backup_suffix.is_empty() && is_at(file, &backup));
    let temporary = |entry: fs::DirEntry| is_temporary(&entry.path()) && is_at(file, &entry.path());
    let names = fs::read_dir(folder(path)).into_iter().flatten().flatten();
    names.map(|entry| u64::from(temporary(entry))).sum::<u64>() + backups
}

impl Replacement {
    /// An empty one. Of a symbolic link, the file it leads to is replaced.
    pub fn of(path: &Path) -> io::Result<Replacement> {
        let old = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let temporary = Temporary::in_folder(folder(&target), old.is_none()).map_err(|error| {
            io::Error::new(error.kind(), format!("no new file can be made beside it: {error}"))
        })?;
        Ok(Replacement { temporary, target, old, through: false })
    }

    /// Flushes it to disk, with all that it keeps of the old file.
    fn sync(&mut self) -> io::Result<()> {
        self.keep_metadata()?;
        self.temporary.file().sync_all()
    }

    /// Takes over owner, mode and attributes of the old file, once. Before, it is its owner's alone.
    fn keep_metadata(&mut self) -> io::Result<()> {
        match self.old.take() {
            Some(old) if !self.through => metadata::keep(self.temporary.file(), &self.target, &old),
            _ => Ok(()),
        }
    }

    /// Keeps the old file, which is open as `old`, under its name and `suffix` too.
    fn back_up(&self, old: &File, suffix: &OsStr) -> io::Result<()> {
        let backup = &with_suffix(&self.target, suffix);
        if !self.through && is_at(old, backup) {
            // Another run was killed between the backup and the rest.
            return Ok(());
        }
        let copy = |path: &Path| {
            fs::copy(&self.target, path)?;
            File::open(path)?.sync_all()
        };
        let link = |path: &Path| {
            if self.through {
                // A link would be written over, too.
                return if path.exists() { Err(io::ErrorKind::AlreadyExists.into()) } else { copy(path) };
            }
            fs::hard_link(&self.target, path).or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Err(error),
                // No hard links here.
                _ => copy(path),
            })
        };
        let aside = named().make_in(folder(&self.target), link)?;
        aside.persist(backup).map_err(|error| error.error)?;
        Ok(())
    }

    /// Puts it in the place of the old file in one step; or writes the old file over. If `original` is given, only
    /// that is replaced, as it was read.
    fn commit(mut self, original: Option<&Original>) -> io::Result<()> {
        self.keep_metadata()?;
        if self.through {
            return write_over(self.temporary.file(), &self.target);
        }
        let path = match self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Nameless(file) => {
                let name = |path: &Path| nameless::name(&file, path);
                named().make_in(folder(&self.target), name)?.into_temp_path()
            }
            Temporary::Named(file) => file.into_temp_path(),
        };
        if let Some(original) = original
            && exchange(&path, &self.target)
        {
            // What had the name is looked at now that nobody can put another file there, and given its name back if
            // it is not what was read.
            return original.is_as_it_was_at(&path).inspect_err(|_| {
                exchange(&path, &self.target);
            });
        }
        path.persist(&self.target).map_err(|error| error.error)
    }
}

/// Gives two files each other's name in one step. False where that cannot be done.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Makes a file hold what another one does.
fn write_over(mut new: &File, target: &Path) -> io::Result<()> {
    let mut target = File::options().write(true).open(target)?;
    new.rewind()?;
    let len = io::copy(&mut new, &mut target)?;
    target.set_len(len)?;
    target.sync_all()
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file().flush()
    }
}

impl Temporary {
    /// An empty one; as any new file if it is `fresh`, else for its owner alone.
    fn in_folder(folder: &Path, fresh: bool) -> io::Result<Temporary> {
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless::create(folder, fresh) {
            return Ok(Temporary::Nameless(file));
        }
        let mut builder = named();
        if fresh {
            give_usual_permissions(&mut builder);
        }
        builder.tempfile_in(folder).map(Temporary::Named)
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Nameless(file) => file,
            Temporary::Named(file) => file.as_file(),
        }
    }
}

/// Gives a file the permissions of any new file, from which the umask takes away.
#[cfg(unix)]
fn give_usual_permissions(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

/// Other systems give them to every file.
#[cfg(not(unix))]
fn give_usual_permissions(_: &mut Builder<'_, '_>) {}

/// Files without a name, which Linux has on most file systems.
#[cfg(target_os = "linux")]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    /// One in a folder; `None` where there is no such thing.
    pub(super) fn create(folder: &Path, fresh: bool) -> Option<File> {
        let mode = Mode::from_raw_mode(if fresh { 0o666 } else { 0o600 });
        let file = openat(CWD, folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok()?;
        let file = File::from(file);
        // By this it will be named.
        path_of(&file).exists().then_some(file)
    }

    /// Gives it a name.
    pub(super) fn name(file: &File, path: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path_of(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn path_of(file: &File) -> std::path::PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

fn named() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    builder
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn with_suffix(path: &Path, suffix: &OsStr) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether an open file is what a path leads to.
pub fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(own), Ok(there)) => is_same(&own, &there),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.created().ok() == other.created().ok() && one.len() == other.len()
}
