//! The progress of a conversion, why it stopped, and what it changed.

use crate::error::{Error, ErrorKind, Unit};

/// Whether more of the input follows the text of a call.
///
/// ```
/// use utf8kit::{Piece, Status, Utf8, Utf16, convert_into};
/// let status = |piece| convert_into(Utf8, Utf16, b"\xE2\x82", piece, &mut [0; 4]).status;
/// assert_eq!(status(Piece::Partial), Status::InputIncomplete);
/// assert!(matches!(status(Piece::Last), Status::Error(error) if error.incomplete));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// More may follow: an incomplete sequence at the end is left for the next call.
    Partial,
    /// The input ends here: an incomplete sequence at the end is an error.
    Last,
}

impl Piece {
    /// Returns [`Piece::Last`] if `last`, otherwise [`Piece::Partial`].
    #[inline]
    #[must_use]
    pub const fn last_if(last: bool) -> Piece {
        if last { Piece::Last } else { Piece::Partial }
    }

    /// Reports whether the input ends with the piece.
    #[inline(always)]
    #[must_use]
    pub const fn is_last(self) -> bool {
        matches!(self, Piece::Last)
    }
}

/// Why a conversion into a buffer stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// All input was read.
    Done,
    /// The next item does not fit into the rest of the buffer.
    OutputFull,
    /// The rest of the input (at most the longest sequence minus one byte) begins an item that more input could
    /// complete.
    InputIncomplete,
    /// Strict conversions only: invalid input, or a value that the target cannot represent.
    Error(Error),
}

/// The progress of a conversion into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Progress {
    /// How much of the input was read: bytes, or code units if the input is a slice of them.
    pub read: usize,
    /// How much of the buffer was written: bytes, or code units if it is a buffer of them.
    pub written: usize,
    /// Why the conversion stopped there.
    pub status: Status,
}

impl Progress {
    /// Returns the same progress, counted in units instead of bytes.
    #[inline]
    pub(crate) fn in_units(self, read: Unit, written: Unit) -> Progress {
        let status = match self.status {
            Status::Error(error) => Status::Error(error.in_units(read)),
            other => other,
        };
        Progress { read: self.read / read.bytes(), written: self.written / written.bytes(), status }
    }
}

/// A change: a place where the output is not simply the converted input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change<'c> {
    /// The offset in the input, in bytes.
    pub offset: u64,
    /// The kind of error; `None` if well-formed text was escaped so that the escapes can be undone.
    pub kind: Option<ErrorKind>,
    /// Whether the input is well formed here, but the target cannot represent its value ([`Error::unrepresentable`]).
    pub unrepresentable: bool,
    /// The bytes of the input.
    pub before: &'c [u8],
    /// The bytes that were written for them.
    pub after: &'c [u8],
}

/// Called for every change, if there is one.
pub(crate) type Observer<'o> = Option<&'o mut dyn FnMut(Change<'_>)>;
