//! `bytes`: shared buffers.

use alloc::borrow::Cow;

use ::bytes::{Buf, Bytes, BytesMut};

use crate::convert::{Piece, Status};
use crate::error::Error;
use crate::operations::Encoding;
use crate::policy::Policy;
use crate::stream::Converter;

/// Repairs a shared buffer by any policy. If nothing changes, returns the same buffer, not a copy.
///
/// ```
/// use bytes::Bytes;
/// use utf8kit::{Policy, Utf8, adapters::repair_bytes};
/// let clean = Bytes::from_static(b"fine");
/// assert_eq!(repair_bytes(Utf8, &clean, Policy::REPLACE).as_ptr(), clean.as_ptr());
/// let broken = Bytes::from_static(b"caf\xE9");
/// assert_eq!(repair_bytes(Utf8, &broken, Policy::REPLACE), "caf\u{FFFD}".as_bytes());
/// ```
#[must_use]
pub fn repair_bytes<E: Encoding<Unit = u8>>(encoding: E, bytes: &Bytes, policy: Policy<'_>) -> Bytes {
    match crate::repair::repair_in(encoding, bytes, policy) {
        Cow::Borrowed(_) => bytes.clone(),
        Cow::Owned(repaired) => repaired.into(),
    }
}

impl<S: Encoding, T: Encoding> Converter<'_, S, T> {
    /// Converts the next piece, the whole of any buffer, and appends to `out` the output that no further input can
    /// change. Requires the feature `bytes`.
    ///
    /// # Errors
    /// As [`Converter::push`]; the buffer is then advanced to where the error begins.
    ///
    /// ```
    /// use bytes::{Buf, Bytes, BytesMut};
    /// use utf8kit::{Converter, Policy, Utf8};
    /// let mut out = BytesMut::new();
    /// let mut converter = Converter::lossy(Utf8, Utf8, Policy::REPLACE);
    /// // The euro sign lies across the two.
    /// let mut input = Bytes::from_static(b"1 \xE2\x82").chain(Bytes::from_static(b"\xAC\xFF"));
    /// converter.push_buf(&mut input, &mut out)?;
    /// converter.finish_buf(&mut out)?;
    /// assert_eq!(out, "1 €\u{FFFD}".as_bytes());
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    pub fn push_buf(&mut self, input: &mut impl Buf, out: &mut BytesMut) -> Result<(), Error> {
        while input.has_remaining() {
            let (read, result) = self.push_piece(input.chunk(), false, out);
            input.advance(read);
            result?;
        }
        Ok(())
    }

    /// Ends the stream. Requires the feature `bytes`.
    ///
    /// # Errors
    /// As [`Converter::finish`].
    pub fn finish_buf(&mut self, out: &mut BytesMut) -> Result<(), Error> {
        self.push_piece(&[], true, out).1
    }

    fn push_piece(&mut self, piece: &[u8], last: bool, out: &mut BytesMut) -> (usize, Result<(), Error>) {
        let mut buffer = [0; 4096];
        let mut read = 0;
        loop {
            let progress = self.push_into(&piece[read..], Piece::last_if(last), &mut buffer);
            out.extend_from_slice(&buffer[..progress.written]);
            read += progress.read;
            match progress.status {
                Status::Error(error) => return (read, Err(error)),
                Status::OutputFull if progress.read > 0 || progress.written > 0 => {}
                Status::OutputFull => {
                    // The replacement text does not fit in the buffer.
                    let mut long = alloc::vec::Vec::new();
                    let result = if last {
                        self.push(&piece[read..], &mut long).and_then(|()| self.finish(&mut long))
                    } else {
                        self.push(&piece[read..], &mut long)
                    };
                    out.extend_from_slice(&long);
                    return (piece.len(), result);
                }
                Status::Done | Status::InputIncomplete => return (piece.len(), Ok(())),
            }
        }
    }
}
