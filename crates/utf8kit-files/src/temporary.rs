//! Files that are written before they are visible, and cleanup of files that killed processes leave.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile, TempPath};
use utf8kit_encodings::display::Name;

use crate::path::folder_of;

/// A file that is not visible under its final name yet.
#[derive(Debug)]
pub(super) enum Temporary {
    /// An unnamed file. It disappears with the process, even if that is killed.
    #[cfg(target_os = "linux")]
    Nameless(File),
    /// A file that is removed when dropped. A process that is killed leaves it behind.
    Named(NamedTempFile),
}

/// The prefix of temporary file names. A process that is killed may leave such a file behind.
const PREFIX: &str = ".utf8-unfinished-";

/// Reports whether a file has the name of a temporary one.
pub(super) fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
}

/// Locks a temporary file while it is in use, to distinguish it from one that a killed process has left. Where locks
/// are not supported, nothing is removed.
pub(super) fn lock(file: &File) {
    if cfg!(unix) {
        let _ = file.try_lock();
    }
}

/// Removes files that killed processes have left in the folder of a file, once per process.
pub(super) fn sweep(path: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let Ok(path) = fs::canonicalize(path) else { return };
    let folder = folder_of(&path);
    if !cfg!(unix) || !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_temporary(&path)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            // Files that cannot be removed are left.
            let _ = fs::remove_file(&path);
        }
    }
}

impl Temporary {
    /// Creates an empty file: with the usual permissions if `fresh`, else accessible only to its owner.
    pub(super) fn in_folder(folder: &Path, fresh: bool) -> io::Result<Temporary> {
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless::create(folder, fresh) {
            lock(&file);
            return Ok(Temporary::Nameless(file));
        }
        Temporary::named_in(folder, fresh)
    }

    /// The same for systems without unnamed files.
    fn named_in(folder: &Path, fresh: bool) -> io::Result<Temporary> {
        let mut builder = named();
        if fresh {
            give_usual_permissions(&mut builder);
        }
        let file = builder.tempfile_in(folder)?;
        lock(file.as_file());
        Ok(Temporary::Named(file))
    }

    /// Gives it a temporary name.
    pub(super) fn into_path_in(self, folder: &Path) -> io::Result<TempPath> {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Nameless(file) => {
                Ok(named().make_in(folder, |path| nameless::name(&file, path))?.into_temp_path())
            }
            Temporary::Named(file) => Ok(file.into_temp_path()),
        }
    }

    /// Overwrites a file with the content of this one. If that fails halfway, this file is kept.
    pub(super) fn write_over(self, target: &Path) -> io::Result<()> {
        let mut old = File::options().write(true).open(target)?;
        let mut new = self.file().try_clone()?;
        // It is named before anything is overwritten, because a full disk may not allow that later.
        let path = self.into_path_in(folder_of(target))?;
        new.rewind()?;
        let written = io::copy(&mut new, &mut old).and_then(|len| old.set_len(len)).and_then(|()| old.sync_all());
        written.map_err(|error| {
            let rest = match keep(path, target) {
                Ok(kept) => format!("all of it is in {}", Name(&kept)),
                Err(lost) => format!("the rest could not be kept: {lost}"),
            };
            io::Error::new(error.kind(), format!("{error}; only part of it was written; {rest}"))
        })
    }

    pub(super) fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Nameless(file) => file,
            Temporary::Named(file) => file.as_file(),
        }
    }
}

/// Keeps a temporary file in the folder of its final file, if possible under a name that is not cleaned up. Returns its
/// path.
pub(super) fn keep(path: TempPath, target: &Path) -> io::Result<PathBuf> {
    let mut kept = Builder::new();
    kept.prefix("utf8-kept-").disable_cleanup(true);
    match kept.make_in(folder_of(target), |kept| fs::hard_link(&path, kept).or_else(|_| fs::rename(&path, kept))) {
        Ok(kept) => Ok(kept.path().to_owned()),
        Err(_) => path.keep().map_err(|error| error.error),
    }
}

/// Gives a file the usual permissions of a new file, as limited by the umask.
#[cfg(unix)]
fn give_usual_permissions(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

/// On other systems, every file has the usual permissions.
#[cfg(not(unix))]
fn give_usual_permissions(_: &mut Builder<'_, '_>) {}

/// Unnamed files, which Linux supports on most file systems.
#[cfg(target_os = "linux")]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    /// Creates an unnamed file in a folder. Returns `None` if the file system does not support it.
    pub(super) fn create(folder: &Path, fresh: bool) -> Option<File> {
        let mode = Mode::from_raw_mode(if fresh { 0o666 } else { 0o600 });
        let file = openat(CWD, folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok()?;
        let file = File::from(file);
        // The path through which it gets a name.
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

/// Returns a builder for named temporary files.
pub(super) fn named() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    builder
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn without_nameless_files_a_hidden_one_takes_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let usual = fs::File::create(folder.path().join("usual")).unwrap().metadata().unwrap().permissions();
        for (fresh, mode) in [(true, usual.mode() & 0o777), (false, 0o600)] {
            let temporary = Temporary::named_in(folder.path(), fresh).unwrap();
            let Temporary::Named(file) = temporary else { panic!("it has a name") };
            let path = file.path().to_owned();
            assert!(is_temporary(&path) && path.parent() == Some(folder.path()), "{path:?}");
            assert_eq!(file.as_file().metadata().unwrap().permissions().mode() & 0o777, mode, "fresh: {fresh}");
            // Another run must leave it alone.
            sweep(&folder.path().join("usual"));
            assert!(path.exists() && fs::File::open(&path).unwrap().try_lock().is_err());
            drop(file);
            assert!(!path.exists(), "removed when dropped");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_written_in_part_is_kept_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let full = folder.path().join("full");
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        for temporary in [Temporary::in_folder(folder.path(), false), Temporary::named_in(folder.path(), false)] {
            let temporary = temporary.unwrap();
            temporary.file().write_all(b"new").unwrap();
            let error = temporary.write_over(&full).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            let message = error.to_string();
            let (_, kept) = message.split_once("all of it is in ").unwrap();
            assert_eq!(fs::read(kept).unwrap(), b"new");
            fs::remove_file(kept).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
