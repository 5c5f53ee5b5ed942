//! How far a conversion came, why it stopped, and what it changed.

use crate::error::{Error, ErrorKind};

/// Why a conversion into a buffer stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// All input was read.
    Done,
    /// The next item does not fit into what is left of the buffer.
    OutputFull,
    /// What is left of the input (at most the longest sequence minus one byte) begins an item that more input
    /// could complete.
    InputIncomplete,
    /// Strict conversions only: ill-formed input, or a value that the target cannot hold.
    Error(Error),
}

/// How far a conversion into a buffer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the input that are dealt with.
    pub read: usize,
    /// Bytes of the buffer that were written.
    pub written: usize,
    /// Why it stopped there.
    pub status: Status,
}

/// One place where the output is not simply the input converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change<'c> {
    /// Where in the input, in bytes.
    pub offset: u64,
    /// Why; `None` where well-formed text was escaped so that the escapes can be undone.
    pub kind: Option<ErrorKind>,
    /// The input's bytes.
    pub before: &'c [u8],
    /// What was written for them.
    pub after: &'c [u8],
}
