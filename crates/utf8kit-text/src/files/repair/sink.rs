//! Receives the output of a repair, and what was repaired.

use std::ops::Range;

use crate::counts::Counts;
use crate::files::{FileError, Monitor, Output, Recorder, Sink};
use crate::repair::Edit;
use crate::rows::LeftInDump;

/// What was repaired in an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The changes.
    pub counts: Counts,
    /// What a repair of a dump left as it is.
    pub left: LeftInDump,
}

/// Receives a repaired input and its edits, in order.
pub trait RepairSink: Sink {
    /// Reports whether it uses edits. If not, only the methods of [`Sink`] may be called.
    fn wants_edits(&self) -> bool;

    /// Receives the next piece of the input, which may be edited.
    fn piece(&mut self, piece: &[u8]) {
        let _ = piece;
    }

    /// Receives an edit of the pieces so far.
    fn edit(&mut self, edit: Edit<'_>) {
        let _ = edit;
    }

    /// Receives the repaired bytes of the pieces so far. All edits before this offset of the input have been reported.
    ///
    /// # Errors
    /// Any error that keeps it from being written.
    fn repaired(&mut self, bytes: &[u8], offset: u64) -> Result<(), Self::Error> {
        let _ = offset;
        self.write(bytes)
    }

    /// Receives the next piece of the input, which is unchanged.
    ///
    /// # Errors
    /// Any error that keeps it from being written.
    fn unchanged(&mut self, piece: &[u8]) -> Result<(), Self::Error> {
        self.write(piece)
    }
}

/// The destination of a file that is repaired in place.
pub(super) struct FileSink<'s> {
    pub(super) output: &'s mut Output,
    pub(super) progress: &'s mut dyn Monitor,
    pub(super) recorder: Recorder<'s>,
}

impl Sink for FileSink<'_> {
    type Error = FileError;

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.output.put(bytes)
    }

    fn advance(&mut self, bytes: u64) -> Result<(), FileError> {
        if self.progress.advance(bytes).is_break() { Err(FileError::Cancelled) } else { Ok(()) }
    }
}

impl RepairSink for FileSink<'_> {
    fn wants_edits(&self) -> bool {
        self.recorder.is_recording()
    }

    fn piece(&mut self, piece: &[u8]) {
        self.recorder.piece(piece);
    }

    fn edit(&mut self, edit: Edit<'_>) {
        self.recorder.edit(edit);
    }

    fn repaired(&mut self, bytes: &[u8], _: u64) -> Result<(), FileError> {
        self.recorder.repaired(bytes);
        self.write(bytes)
    }

    fn unchanged(&mut self, piece: &[u8]) -> Result<(), FileError> {
        self.recorder.piece(piece);
        self.recorder.repaired(piece);
        self.write(piece)
    }
}

/// Passes a part of an input to a sink that may have been repaired as a whole. `edits` are ranges of `bytes` with the
/// ranges of `out` that they become.
pub(super) fn pass<S: RepairSink>(
    sink: &mut S,
    base: u64,
    bytes: &[u8],
    out: Option<&[u8]>,
    edits: &[(Range<usize>, Range<usize>)],
) -> Result<(), S::Error> {
    match out {
        None => sink.unchanged(bytes)?,
        Some(out) => {
            sink.piece(bytes);
            for (range, becomes) in edits {
                let offset = base + range.start as u64;
                let edit = Edit { offset, before: &bytes[range.clone()], after: &out[becomes.clone()] };
                sink.edit(edit.trimmed(u8::is_ascii));
            }
            sink.repaired(out, base + bytes.len() as u64)?;
        }
    }
    sink.advance(bytes.len() as u64)
}
