//! How far the work on a file has come, and a way to end it early.

use std::ops::ControlFlow;
use std::path::Path;

/// Is told how far work on files has come. `()` does not listen; a closure is told of each block.
///
/// ```
/// use std::ops::ControlFlow;
/// use utf8kit_text::files::Progress;
///
/// let mut done = 0;
/// let mut progress = |bytes: u64| {
///     done += bytes;
///     if done < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// assert!(Progress::advance(&mut progress, 10).is_continue());
/// assert!(Progress::advance(&mut progress, 1000).is_break());
/// ```
pub trait Progress {
    /// So many bytes more are to be done.
    fn expect(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// So many bytes more are done. `Break` ends the work with [`FileError::Cancelled`](super::FileError::Cancelled)
    /// and leaves every file as it was.
    fn advance(&mut self, bytes: u64) -> ControlFlow<()>;

    /// The work waits, because another program has locked the file.
    fn wait_for_lock(&mut self, path: &Path) {
        let _ = path;
    }
}

impl Progress for () {
    fn advance(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(u64) -> ControlFlow<()>> Progress for F {
    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self(bytes)
    }
}
