//! Files that grow, such as logs.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The pause before looking for more input.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A file that grows, open under its path.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    file: File,
    /// Number of bytes read.
    read: u64,
}

impl Tail {
    /// Opens the file at a path.
    ///
    /// # Errors
    /// Any error of the system.
    pub fn open(path: &Path) -> io::Result<Tail> {
        Ok(Tail { path: path.to_owned(), file: File::open(path)?, read: 0 })
    }

    /// Reports whether the path now leads to another file, or the file was truncated, so that it must be opened again.
    /// Call this before a read that reaches the end of the file. Otherwise, data written between the read and this call
    /// would be lost.
    ///
    /// # Errors
    /// Any error of the system.
    pub fn is_over(&self) -> io::Result<bool> {
        let Ok(now) = fs::metadata(&self.path) else { return Ok(false) };
        let this = self.file.metadata()?;
        Ok(!is_same(&now, &this) || this.len() < self.read)
    }
}

impl Read for Tail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

/// Reads a file that grows, like `tail -F`: at its end, it waits for more, and it starts again if the file is replaced
/// or truncated. It ends when it is stopped.
pub(super) struct Follow {
    tail: Tail,
    stopped: Arc<AtomicBool>,
}

impl Follow {
    /// Opens the file at a path.
    pub(super) fn open(path: &Path, stopped: Arc<AtomicBool>) -> io::Result<Follow> {
        Ok(Follow { tail: Tail::open(path)?, stopped })
    }
}

impl Read for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // The flag is checked before the last read, so that everything written until then is read.
            let stopped = self.stopped.load(Ordering::Relaxed);
            let is_over = self.tail.is_over()?;
            let read = self.tail.read(buffer)?;
            if read > 0 || stopped || buffer.is_empty() {
                return Ok(read);
            }
            if is_over && let Ok(next) = Tail::open(&self.tail.path) {
                self.tail = next;
            } else {
                thread::sleep(POLL_INTERVAL);
            }
        }
    }
}
