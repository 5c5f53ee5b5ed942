//! Streams converted to a `String`.

use alloc::string::String;

use super::{Converter, whole};
use crate::convert::Status;
use crate::convert::pair::Pair;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::operations::Encoding;

/// Returns a function that appends values to a `String`. The function returns `false` for a value that is not a `char`.
fn put_in_text(out: &mut String) -> impl FnMut(&Pair, u32) -> bool {
    |_, value| char::from_u32(value).map(|c| out.push(c)).is_some()
}

impl<S: Encoding> Converter<'_, S, Utf8> {
    /// Converts the next piece, and appends to `out` the text that no further input can change: [`Converter::push`] to
    /// a `String`.
    ///
    /// # Errors
    /// As [`Converter::push`].
    ///
    /// ```
    /// use utf8kit::{Converter, Utf8, Utf16Be};
    /// let mut text = String::new();
    /// let mut converter = Converter::strict(Utf16Be, Utf8);
    /// converter.push_text(b"\0n\0\xE9\x20", &mut text)?;
    /// converter.push_text(b"\xAC", &mut text)?;
    /// converter.finish_text(&mut text)?;
    /// assert_eq!(text, "né€");
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    pub fn push_text(&mut self, input: &[u8], out: &mut String) -> Result<(), Error> {
        self.take_text(input, false, out)
    }

    /// Ends the stream: [`Converter::finish`] to a `String`.
    ///
    /// # Errors
    /// As [`Converter::push`].
    pub fn finish_text(&mut self, out: &mut String) -> Result<(), Error> {
        self.take_text(&[], true, out)
    }

    pub(in crate::stream) fn take_text(&mut self, mut input: &[u8], last: bool, out: &mut String) -> Result<(), Error> {
        if self.is_plain() {
            input = self.items(input, last, put_in_text(out));
            if self.is_short(input) {
                let read = self.engine.front_of_text(whole(input), out);
                self.offset += read as u64;
                input = self.items(&input[read..], last, put_in_text(out));
            }
            if input.is_empty() && !last {
                return Ok(());
            }
        }
        let (_, status) =
            self.drive(input, last, |engine, input, offset, last| engine.run_to_string(input, offset, last, out));
        match status {
            Status::Error(error) => Err(error),
            _ => Ok(()),
        }
    }
}
