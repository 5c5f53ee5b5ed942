//! Records the change of a file in a ledger.

use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit_detect::repair::Edit;

use crate::ledger::{Conversion, Ledger};
use crate::{FileError, Fingerprinter};

/// Records the changes of a file in a ledger, if there is one.
pub struct Recorder<'r> {
    path: &'r Path,
    encoding: AnyEncoding,
    ledger: Option<&'r mut Ledger>,
    before: Fingerprinter,
    after: Fingerprinter,
}

impl<'r> Recorder<'r> {
    /// Starts a file that is repaired.
    pub fn new(path: &'r Path, encoding: AnyEncoding, ledger: Option<&'r mut Ledger>) -> Recorder<'r> {
        Recorder::starting(path, encoding, None, ledger)
    }

    /// Starts a file that is repaired or converted.
    pub(super) fn starting(
        path: &'r Path,
        encoding: AnyEncoding,
        conversion: Option<Conversion>,
        mut ledger: Option<&'r mut Ledger>,
    ) -> Recorder<'r> {
        if let Some(ledger) = &mut ledger {
            ledger.begin(conversion);
        }
        let (before, after) = (Fingerprinter::default(), Fingerprinter::default());
        Recorder { path, encoding, ledger, before, after }
    }

    /// Reports whether there is a ledger.
    pub fn is_recording(&self) -> bool {
        self.ledger.is_some()
    }

    /// Adds the next piece of the file.
    pub fn piece(&mut self, piece: &[u8]) {
        if self.is_recording() {
            self.before.update(piece);
        }
    }

    /// Adds an edit.
    pub fn edit(&mut self, edit: Edit<'_>) {
        if let Some(ledger) = &mut self.ledger {
            ledger.change(self.path, self.encoding.name(), edit);
        }
    }

    /// Adds the next piece of the repaired file.
    pub fn repaired(&mut self, bytes: &[u8]) {
        if self.is_recording() {
            self.after.update(bytes);
        }
    }

    /// Ends the file. When this returns, the ledger is on disk.
    ///
    /// # Errors
    /// A [`FileError`] if the ledger cannot be written.
    pub fn end(self) -> Result<(), FileError> {
        let Some(ledger) = self.ledger else { return Ok(()) };
        ledger.end(&self.before, &self.after);
        ledger.sync()
    }

    /// Ends the file, without flushing the ledger.
    pub(super) fn close(self) {
        if let Some(ledger) = self.ledger {
            ledger.end(&self.before, &self.after);
        }
    }
}
