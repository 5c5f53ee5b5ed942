//! Buffers that threads share.

use std::sync::{Mutex, PoisonError};

/// A pool of buffers.
#[derive(Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// Takes a buffer, which may have old content.
    pub(super) fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Returns a buffer to the pool.
    pub(super) fn give(&self, buffer: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}
