//! Dumps of databases: read in chunks, which are checked or converted on all threads.

use std::io;
use std::path::Path;

use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::counts::Counts;
use utf8kit_records::rows::{
    ConvertedChunk, DumpChunk, DumpChunks, DumpConversion, DumpErrors, DumpFormat, Evidence, StoppedDump,
};

use crate::{Blocks, FileError, Pace, Sink, in_order};

/// A chunk of a dump that was checked.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckedDump {
    /// The chunk.
    pub chunk: DumpChunk,
    /// Its error counts, without a list of the errors.
    counted: DumpErrors,
}

impl CheckedDump {
    fn of(chunk: DumpChunk) -> CheckedDump {
        let counted = chunk.errors(0);
        CheckedDump { chunk, counted }
    }

    /// Returns the first `most` errors of the chunk, and counts all of them.
    pub fn errors(&self, most: usize) -> DumpErrors {
        if most == 0 || self.counted.is_none() { self.counted.clone() } else { self.chunk.errors(most) }
    }
}

/// How a dump is read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DumpInput {
    /// The program that wrote it.
    pub format: DumpFormat,
    /// The encoding of the session. It overrides what the dump declares.
    pub given: Option<Charset>,
    /// Number of threads.
    pub threads: usize,
}

impl DumpInput {
    /// Describes a dump in its declared encoding, or in a given one.
    pub fn new(format: DumpFormat, given: Option<Charset>, threads: usize) -> DumpInput {
        DumpInput { format, given, threads }
    }

    /// Passes chunks through `work` on all threads, and to `take` in order.
    pub(super) fn each<Done: Send, E>(
        self,
        blocks: Blocks,
        work: impl Fn(DumpChunk) -> Done + Sync,
        mut take: impl FnMut(Done) -> Result<(), E>,
        at: impl Fn(io::Error) -> E,
    ) -> Result<(), E> {
        let pace = blocks.pace();
        let input = blocks.into_reader().map_err(&at)?;
        let chunks = DumpChunks::new(self.format, self.given, input).live(pace == Pace::Live);
        let work = |_: &mut (), chunk: io::Result<DumpChunk>| chunk.map(&work);
        in_order(pace, self.threads, chunks, || (), work, |done| take(done.map_err(&at)?))
    }
}

/// Checks a dump, and passes its chunks to `take`, in order.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of `take`.
pub fn check_dump<E: From<FileError>>(
    path: &Path,
    blocks: Blocks,
    input: DumpInput,
    take: impl FnMut(CheckedDump) -> Result<(), E>,
) -> Result<(), E> {
    input.each(blocks, CheckedDump::of, take, |error| FileError::io(path, error).into())
}

/// Collects the evidence of a dump's values about their encodings (see [`Evidence::of`]).
///
/// # Errors
/// Fails if the input cannot be read.
pub fn dump_evidence(blocks: Blocks, input: DumpInput, encoded_twice: bool) -> io::Result<Evidence> {
    let mut all = Evidence::default();
    let take = |more: Evidence| {
        all.merge(&more);
        Ok(())
    };
    input.each(blocks, |chunk| Evidence::of(&chunk, encoded_twice), take, |error| error)?;
    Ok(all)
}

/// The result of converting a dump.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertedDump {
    /// The losses.
    pub counts: Counts,
    /// Where a strict conversion stopped. Everything before its chunk was written.
    pub stopped: Option<StoppedDump>,
    /// The number of values that are already UTF-8, although the dump declares another encoding.
    pub twice: u64,
    /// Whether the dump declares an encoding.
    pub declares: bool,
}

/// Converts a dump. `given` is the encoding of the session, and overrides what the dump declares.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
pub fn convert_dump<S: Sink>(
    path: &Path,
    blocks: Blocks,
    conversion: &DumpConversion,
    given: Option<Charset>,
    threads: usize,
    sink: &mut S,
) -> Result<ConvertedDump, S::Error> {
    let mut all = ConvertedDump::default();
    let input = DumpInput::new(conversion.format(), given, threads);
    let take = |done: ConvertedChunk| {
        let ConvertedChunk { chunk, out, counts, stopped, twice, declares, .. } = done;
        all.counts.merge(&counts);
        all.twice += twice;
        all.declares |= declares;
        if stopped.is_some() {
            all.stopped = stopped;
            return Err(None);
        }
        sink.write(out.as_ref().unwrap_or(&chunk.bytes)).map_err(Some)?;
        sink.advance(chunk.bytes.len() as u64).map_err(Some)
    };
    let at = |error| Some(S::Error::from(FileError::io(path, error)));
    match input.each(blocks, |chunk| conversion.convert(chunk), take, at) {
        Err(Some(error)) => Err(error),
        Ok(()) | Err(None) => Ok(all),
    }
}
