//! Receives the output of a repair or a conversion.

use crate::FileError;

/// Receives the output of a repair or a conversion, in order.
pub trait Sink {
    /// The reason why it accepts no more output.
    type Error: From<FileError>;

    /// Receives the next bytes of the output.
    ///
    /// # Errors
    /// Any error in writing them.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Adds to the number of bytes of the input that are done.
    ///
    /// # Errors
    /// [`FileError::Cancelled`], to cancel the work.
    fn advance(&mut self, bytes: u64) -> Result<(), Self::Error>;
}
