//! How far a conversion came, why it stopped, and what it changed.

use crate::error::{Error, ErrorKind, Unit};

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
    /// How much of the input is dealt with: bytes, or code units where the input is a slice of them.
    pub read: usize,
    /// How much of the buffer was written: bytes, or code units where the buffer is one of them.
    pub written: usize,
    /// Why it stopped there.
    pub status: Status,
}

impl Progress {
    /// The same, counted in units instead of bytes.
    #[inline]
    pub(crate) fn in_units(self, read: Unit, written: Unit) -> Progress {
        let status = match self.status {
            Status::Error(error) => Status::Error(error.in_units(read)),
            other => other,
        };
        Progress { read: self.read / read.bytes(), written: self.written / written.bytes(), status }
    }
}

/// One place where the output is not simply the input converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change<'c> {
    /// Where in the input, in bytes.
    pub offset: u64,
    /// Why; `None` where well-formed text was escaped so that the escapes can be undone.
    pub kind: Option<ErrorKind>,
    /// Whether the input is well-formed here, and the target cannot hold its value ([`Error::unrepresentable`]).
    pub unrepresentable: bool,
    /// The input's bytes.
    pub before: &'c [u8],
    /// What was written for them.
    pub after: &'c [u8],
}
