//! Dumps of databases: read in chunks, which are checked, repaired or converted on all threads.

use std::io;
use std::path::Path;

use utf8kit::{Summary, Utf8};

use crate::charset::Charset;
use crate::files::{Blocks, FileError, Pace, in_order};
use crate::rows::{DumpChunk, DumpChunks, DumpError, DumpFormat};

/// A chunk of a dump that was checked.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckedDump {
    /// The chunk.
    pub chunk: DumpChunk,
    /// Its summary, if there is nothing wrong with it.
    sound: Option<Summary>,
}

impl CheckedDump {
    fn of(chunk: DumpChunk) -> CheckedDump {
        let summary = || Summary::of(Utf8, &chunk.bytes, 0..chunk.bytes.len(), chunk.base, 0);
        let sound = chunk.is_sound().then(summary);
        CheckedDump { chunk, sound }
    }

    /// Returns what is wrong with the chunk, in order, and its summary.
    pub fn errors(&self) -> (Vec<DumpError>, Summary) {
        match &self.sound {
            Some(summary) => (Vec::new(), summary.clone()),
            None => self.chunk.errors(),
        }
    }
}

/// Checks a dump on so many threads, and passes its chunks to `take`, in order. `given` is the encoding of the session,
/// whatever the dump declares.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of `take`.
pub fn check_dump<E: From<FileError>>(
    path: &Path,
    blocks: Blocks,
    (format, given): (DumpFormat, Option<Charset>),
    threads: usize,
    mut take: impl FnMut(CheckedDump) -> Result<(), E>,
) -> Result<(), E> {
    let at = |error| FileError::io(path, error);
    let pace = blocks.pace();
    let chunks = DumpChunks::new(format, given, blocks.into_reader().map_err(at)?).live(pace == Pace::Live);
    let work = |_: &mut (), chunk: io::Result<DumpChunk>| chunk.map(CheckedDump::of);
    in_order(pace, threads, chunks, || (), work, |checked| take(checked.map_err(at)?))
}
