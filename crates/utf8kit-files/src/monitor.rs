//! Reports the progress of work on a file, and can cancel it.

use std::ops::ControlFlow;
use std::path::Path;

use crate::FileError;

/// Receives the progress of work on files. `()` ignores it; a closure is called for each block.
///
/// ```
/// use std::ops::ControlFlow;
/// use utf8kit_files::Monitor;
///
/// let mut done = 0;
/// let mut progress = |bytes: u64| {
///     done += bytes;
///     if done < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// assert!(Monitor::advance(&mut progress, 10).is_continue());
/// assert!(Monitor::advance(&mut progress, 1000).is_break());
/// ```
pub trait Monitor {
    /// Adds to the number of bytes to do.
    fn expect(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Adds to the number of bytes done, and finally 0, right before a file is replaced. `Break` cancels the work with
    /// [`FileError::Cancelled`](super::FileError::Cancelled) and leaves every file unchanged that was not replaced
    /// before.
    fn advance(&mut self, bytes: u64) -> ControlFlow<()>;

    /// Called when the work must wait because another program has locked the file.
    fn wait_for_lock(&mut self, path: &Path) {
        let _ = path;
    }

    /// Called when a file of a group cannot be replaced, and is left unchanged (see
    /// [`Ledger::group`](super::ledger::Ledger::group)).
    fn failed(&mut self, error: FileError) {
        let _ = error;
    }

    /// Called after a file was replaced, if the owner or the group of the old one could not be kept.
    fn owner_changed(&mut self, path: &Path) {
        let _ = path;
    }
}

impl Monitor for () {
    fn advance(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(u64) -> ControlFlow<()>> Monitor for F {
    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self(bytes)
    }
}
