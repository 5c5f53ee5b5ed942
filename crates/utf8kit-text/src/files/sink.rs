//! Where the output of a repair or a conversion goes.

use crate::files::FileError;

/// Takes the output of a repair or a conversion, in order.
pub trait Sink {
    /// Why it takes no more.
    type Error: From<FileError>;

    /// The next bytes of the output.
    ///
    /// # Errors
    /// What keeps them from being written.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// So many bytes of the input are done.
    ///
    /// # Errors
    /// [`FileError::Cancelled`], to end it.
    fn advance(&mut self, bytes: u64) -> Result<(), Self::Error>;
}
