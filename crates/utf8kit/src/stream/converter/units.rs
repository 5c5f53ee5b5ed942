//! Streams of 16-bit and 32-bit code units.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::Converter;
use crate::convert::{Piece, Progress};
use crate::encoding::CodeUnit;
#[cfg(feature = "alloc")]
use crate::error::Error;
use crate::operations::Encoding;
use crate::out::{Buffer, Out, as_bytes};

#[cfg(feature = "alloc")]
impl<S: Encoding, T: Encoding> Converter<'_, S, T> {
    /// Converts the next piece of a stream of code units, and appends code units to `out`: [`Converter::push`] for
    /// `&[u16]` and `&[u32]`, on either side.
    ///
    /// # Errors
    /// As [`Converter::push`]; offset and length count code units of the input.
    ///
    /// ```
    /// use utf8kit::{Converter, Utf8, Utf16};
    /// let mut text = Vec::new();
    /// let mut converter = Converter::strict(Utf16, Utf8);
    /// converter.push_units(&[0x61, 0xD83D], &mut text)?;
    /// converter.push_units(&[0xDE00], &mut text)?;
    /// converter.finish_units(&mut text)?;
    /// assert_eq!(text, "a😀".as_bytes());
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    pub fn push_units(&mut self, input: &[S::Unit], out: &mut Vec<T::Unit>) -> Result<(), Error> {
        self.take(as_bytes(input), false, out, None).map_err(|error| error.in_units(S::Unit::UNIT))
    }

    /// Ends a stream of code units: [`Converter::finish`] for `&[u16]` and `&[u32]`.
    ///
    /// # Errors
    /// As [`Converter::push_units`].
    pub fn finish_units(&mut self, out: &mut Vec<T::Unit>) -> Result<(), Error> {
        self.take(&[], true, out, None).map_err(|error| error.in_units(S::Unit::UNIT))
    }
}

impl<S: Encoding, T: Encoding> Converter<'_, S, T> {
    /// Converts the next piece of a stream of code units into a buffer of code units, without allocating:
    /// [`Converter::push_into`] for `&[u16]` and `&[u32]`. All numbers in the result count code units.
    ///
    /// ```
    /// use utf8kit::{Converter, Piece, Status, Utf16, Utf8};
    /// let mut units = [0; 4];
    /// let mut converter = Converter::strict(Utf8, Utf16);
    /// let progress = converter.push_units_into("né".as_bytes(), Piece::Last, &mut units);
    /// assert_eq!((progress.read, progress.status), (3, Status::Done));
    /// assert_eq!(units[..progress.written], [0x6E, 0xE9]);
    /// ```
    #[must_use = "the conversion may have stopped early"]
    pub fn push_units_into(
        &mut self,
        input: &[S::Unit],
        piece: Piece,
        out: &mut (impl Buffer<T::Unit> + ?Sized),
    ) -> Progress {
        let mut buffer = Out::in_buffer(out);
        let (read, status) = self.take_into(as_bytes(input), piece.is_last(), &mut buffer);
        Progress { read, written: buffer.written(), status }.in_units(S::Unit::UNIT, T::Unit::UNIT)
    }
}
