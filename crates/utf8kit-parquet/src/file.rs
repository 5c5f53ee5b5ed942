//! Files on disk.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use bytes::Bytes;
use parquet::errors::ParquetError as PageError;
use parquet::file::reader::{ChunkReader, Length};
use std::sync::Arc;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_files::{FileError, HardLinks, Original, Output, Skip};

use crate::{Go, ParquetError, ParquetFile, Repaired};

/// A file on disk. Readers do not share a position, so any number of them can work at once.
#[derive(Clone, Debug)]
pub struct LocalFile {
    file: Arc<File>,
    len: u64,
}

impl LocalFile {
    /// Wraps an open file.
    ///
    /// # Errors
    /// Any error in getting its length.
    pub fn new(file: File) -> io::Result<LocalFile> {
        let len = file.metadata()?.len();
        Ok(LocalFile { file: Arc::new(file), len })
    }
}

impl Length for LocalFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for LocalFile {
    type T = BufReader<FileAtOffset>;

    fn get_read(&self, start: u64) -> Result<Self::T, PageError> {
        Ok(BufReader::new(FileAtOffset { file: Arc::clone(&self.file), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, PageError> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(PageError::EOF("a part of the file lies after its end".into()));
        }
        let mut bytes = vec![0; length];
        FileAtOffset { file: Arc::clone(&self.file), at: start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// A file from an offset.
#[derive(Debug)]
pub struct FileAtOffset {
    file: Arc<File>,
    at: u64,
}

impl Read for FileAtOffset {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, bytes, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, bytes, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Writes a copy of a file in which every string is valid, or repairs the file in place if both paths lead to it, even
/// through symbolic links. At any moment, the target is either the complete old or the complete new file. If nothing
/// needs a repair, a file in place is not touched, and a copy is identical.
///
/// Without `force`, a file is not repaired in place if the policy would replace text in another encoding, or decode it
/// in a wrong one.
///
/// # Errors
/// [`ParquetError`] if the file cannot be read, repaired or written; it contains [`FileError::Skipped`] if text would
/// be lost. In that case, the target is unchanged.
pub fn repair_file(
    source: &Path,
    target: &Path,
    policy: &RepairPolicy,
    force: bool,
    go: Go<'_>,
) -> Result<Repaired, ParquetError> {
    let io = |error| ParquetError::File(FileError::io(source, error));
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(source).is_some_and(|path| Some(path) == real(target)) {
        let original = Original::open(source, || {}).map_err(io)?;
        let file = original.file.try_clone().and_then(LocalFile::new).map_err(io)?;
        let file = ParquetFile::open(file)?;
        let Some(due) = file.repair(policy, go)? else { return Ok(file.unchanged()) };
        if !force && let Some(encoding) = due.loses_text_in(go)? {
            return Err(FileError::skipped(source, Skip::LegacyValues { encoding, dump: None }).into());
        }
        let mut output = Output::in_place(source, &original, HardLinks::default(), OsStr::new(""))?;
        let done = due.write(&mut output, go)?;
        drop(file);
        let mut progress = |_: u64| if go() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        output.replace(original, OsStr::new(""), &mut progress)?;
        return Ok(done);
    }
    let opened = File::open(source).and_then(LocalFile::new).map_err(io)?;
    let file = ParquetFile::open(opened.clone())?;
    let due = file.repair(policy, go)?;
    let mut output = Output::create(target)?;
    let done = match due {
        Some(due) => due.write(&mut output, go)?,
        None => {
            let mut whole = FileAtOffset { file: opened.file, at: 0 };
            io::copy(&mut whole, &mut output).and_then(|_| output.flush()).map_err(io)?;
            file.unchanged()
        }
    };
    output.sync()?;
    if !go() {
        return Err(ParquetError::Cancelled);
    }
    output.commit()?;
    Ok(done)
}
