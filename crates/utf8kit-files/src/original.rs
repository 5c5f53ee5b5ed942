//! A file that will be replaced. It is locked while it is read, and is replaced only if it has not changed.

use std::fs::{self, File, Metadata, TryLockError};
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::path::is_at;

/// An open file, locked if the file system supports locks. A second `utf8` waits, and then opens the new file.
#[derive(Debug)]
pub struct Original {
    /// The open file.
    pub file: File,
    path: PathBuf,
    metadata: Metadata,
}

impl Original {
    /// Opens a file. Calls `on_wait` if another program has locked it.
    pub fn open(path: &Path, mut on_wait: impl FnMut()) -> io::Result<Original> {
        loop {
            // Opening a pipe would wait for a writer.
            if !fs::metadata(path)?.is_file() {
                return Err(io::Error::other("not a regular file, so it is not replaced"));
            }
            let file = File::open(path)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                on_wait();
                file.lock()?;
            }
            let metadata = file.metadata()?;
            // Otherwise, the program that held the lock has replaced the file, so try again with the new file.
            if is_at(&file, path) {
                return Ok(Original { file, path: path.to_owned(), metadata });
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Closes the file on systems that cannot replace an open one, such as Windows. Elsewhere it stays locked until the
    /// returned value is dropped.
    pub fn release(self) -> Option<Original> {
        cfg!(unix).then_some(self)
    }

    /// Returns its size in bytes.
    pub(super) fn len(&self) -> u64 {
        self.metadata.len()
    }

    /// Returns the number of hard links.
    pub fn links(&self) -> u64 {
        links(&self.metadata)
    }

    /// Checks that the file was neither written to nor replaced.
    pub fn check_unchanged(&self) -> io::Result<()> {
        self.check_unchanged_at(&self.path)
    }

    /// The same check for a file that was renamed to `path`.
    pub(super) fn check_unchanged_at(&self, path: &Path) -> io::Result<()> {
        let now = self.file.metadata()?;
        let same = now.len() == self.metadata.len()
            && now.modified().ok() == self.metadata.modified().ok()
            && is_at(&self.file, path);
        if same { Ok(()) } else { Err(io::Error::other(Changed)) }
    }
}

/// The cause of an [`io::Error`]: another program changed a file while it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed;

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it was changed by another program in the meantime; left alone")
    }
}

impl std::error::Error for Changed {}

#[cfg(unix)]
fn links(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}
