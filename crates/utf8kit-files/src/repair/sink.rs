//! Receives the output of a repair, and the changes.

use utf8kit_detect::repair::Edit;
use utf8kit_encodings::counts::Counts;
use utf8kit_records::rows::LeftInDump;

use crate::{FileError, Monitor, Output, Recorder, Sink};

/// The changes of a repair in an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The changes.
    pub counts: Counts,
    /// What the repair of a dump left unchanged.
    pub left: LeftInDump,
}

impl Repaired {
    /// Adds the changes in another part.
    pub(super) fn merge(&mut self, more: &Repaired) {
        self.counts.merge(&more.counts);
        self.left.merge(more.left);
    }
}

/// Receives a repaired input and its edits, in order.
pub trait RepairSink: Sink {
    /// Reports whether it uses edits. If not, only the methods of [`Sink`] may be called.
    fn uses_edits(&self) -> bool;

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
    /// Any error in writing it.
    fn repaired(&mut self, bytes: &[u8], offset: u64) -> Result<(), Self::Error> {
        let _ = offset;
        self.write(bytes)
    }

    /// Receives the next piece of the input, which is unchanged.
    ///
    /// # Errors
    /// Any error in writing it.
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
    fn uses_edits(&self) -> bool {
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
