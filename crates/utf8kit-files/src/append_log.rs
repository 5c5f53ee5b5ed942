//! A file to which several processes can append records at the same time. Each record is written as a unit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::Serialize;
use tempfile::{SpooledTempFile, spooled_tempfile};

use crate::json;

/// Buffered records are written once they have that many bytes. The rest of a longer record is kept in a temporary
/// file.
const MAX_BYTES_IN_MEMORY: usize = 64 * 1024;

/// A file of records, which consist of lines. It is locked only while complete records are written.
#[derive(Debug)]
pub(super) struct AppendLog {
    file: File,
    /// Lines that have not been written yet.
    records: SpooledTempFile,
    failed: Option<io::Error>,
}

impl AppendLog {
    /// Opens a file, or creates it.
    pub(super) fn open(path: &Path) -> io::Result<AppendLog> {
        // A pipe that is also open for reading would not wait for its reader.
        let is_file = fs::metadata(path).map_or(true, |found| found.is_file());
        let file = OpenOptions::new().create(true).append(true).read(is_file).open(path)?;
        Ok(AppendLog { file, records: spooled_tempfile(MAX_BYTES_IN_MEMORY), failed: None })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Adds a line. An error is returned by [`AppendLog::sync`].
    pub(super) fn line(&mut self, line: &impl Serialize) {
        if self.failed.is_none() {
            self.failed = json::write_line(line, &mut self.records).err();
        }
    }

    /// Ends a record.
    pub(super) fn end_record(&mut self) {
        if self.records.stream_position().is_ok_and(|len| len >= MAX_BYTES_IN_MEMORY as u64) {
            self.write();
        }
    }

    /// Flushes all records to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.write();
        self.failed.take().map_or(Ok(()), Err)?;
        match self.file.sync_data() {
            // Pipes and devices cannot be flushed to disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        }
    }

    /// Writes the buffered lines.
    fn write(&mut self) {
        let mut records = std::mem::replace(&mut self.records, spooled_tempfile(MAX_BYTES_IN_MEMORY));
        if self.failed.is_none() {
            self.failed = self.write_all(&mut records).err();
        }
    }

    /// Writes lines while holding a lock. If that fails, the file contains none of them.
    fn write_all(&mut self, lines: &mut SpooledTempFile) -> io::Result<()> {
        if lines.stream_position()? == 0 {
            return Ok(());
        }
        lines.rewind()?;
        if !self.file.metadata()?.is_file() {
            return io::copy(lines, &mut self.file).map(drop);
        }
        // Some file systems have no locks.
        let is_locked = self.file.lock().is_ok();
        let before = self.file.metadata()?.len();
        let written = self.append(lines);
        if is_locked {
            if written.is_err() {
                let _ = self.file.set_len(before);
            }
            let _ = self.file.unlock();
        }
        written
    }

    fn append(&mut self, lines: &mut SpooledTempFile) -> io::Result<()> {
        // A killed process has left half a line.
        if ends_within_a_line(&self.file)? {
            self.file.write_all(b"\n")?;
        }
        io::copy(lines, &mut self.file).map(drop)
    }
}

impl Drop for AppendLog {
    fn drop(&mut self) {
        self.write();
    }
}

/// Reports whether the last line of a readable file lacks its line end.
pub(super) fn ends_within_a_line(mut file: &File) -> io::Result<bool> {
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_whole_whoever_writes_between_their_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let [mut one, mut other] = [(); 2].map(|()| AppendLog::open(&path).expect("a file"));
        let count = MAX_BYTES_IN_MEMORY / 4;
        for number in 0..count {
            one.line(&"one");
            other.line(&"other");
            // A killed process has left half a line.
            if number == count / 2 {
                fs::write(&path, "half").expect("written");
            }
        }
        one.end_record();
        other.end_record();
        one.sync().expect("flushed");
        let text = fs::read_to_string(&path).expect("read");
        let wanted = format!("half\n{}{}", "\"one\"\n".repeat(count), "\"other\"\n".repeat(count));
        assert!(text == wanted);
    }
}
