//! A file to which several processes may append records at the same time. What belongs to one is written together.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::Serialize;

use crate::json;

/// How many bytes wait to be written. Of a record that is longer, the file is locked until its end.
const FULL: usize = 64 * 1024;

/// A file of records, each of some lines. While it is locked, nothing else is waited for.
#[derive(Debug)]
pub(super) struct Appended {
    file: File,
    /// Lines that are not written yet.
    waiting: Vec<u8>,
    is_locked: bool,
    failed: Option<io::Error>,
}

impl Appended {
    /// Opens a file, or makes it. If it ends within a line, which a killed process left, it gets a line end.
    pub(super) fn open(path: &Path) -> io::Result<Appended> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let mut appended = Appended { file, waiting: Vec::new(), is_locked: false, failed: None };
        if appended.file.metadata()?.is_file() {
            // Another process may be within a line.
            appended.lock();
            if ends_within_a_line(path)? {
                appended.waiting.push(b'\n');
            }
            appended.end()?;
        }
        Ok(appended)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Adds a line. An error is returned by [`Appended::sync`].
    pub(super) fn line(&mut self, line: &impl Serialize) {
        if self.failed.is_none() {
            self.failed = json::write_line(line, &mut self.waiting).err();
        }
        if self.waiting.len() >= FULL {
            self.lock();
            self.pass_on();
        }
    }

    /// Ends a record, which is written if a part of it was.
    pub(super) fn end_record(&mut self) {
        if self.is_locked {
            self.pass_on();
            self.unlock();
        }
    }

    /// Flushes all records to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.lock();
        self.end()?;
        match self.file.sync_data() {
            // Pipes and devices cannot be flushed to disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        }
    }

    /// Writes what waits, and unlocks the file.
    fn end(&mut self) -> io::Result<()> {
        self.pass_on();
        self.unlock();
        self.failed.take().map_or(Ok(()), Err)
    }

    fn pass_on(&mut self) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(&self.waiting).err();
        }
        self.waiting.clear();
    }

    /// Waits for other processes, if the file system supports locks.
    fn lock(&mut self) {
        self.is_locked = self.is_locked || self.file.lock().is_ok();
    }

    fn unlock(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            let _ = self.file.unlock();
        }
    }
}

impl Drop for Appended {
    fn drop(&mut self) {
        if !self.waiting.is_empty() {
            self.lock();
            self.pass_on();
        }
    }
}

/// Reports whether the last line of a file lacks its end.
pub(super) fn ends_within_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != *b"\n")
}
