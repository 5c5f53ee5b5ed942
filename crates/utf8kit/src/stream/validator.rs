//! Validates streams.

use super::{Held, JOINED_BYTES};
use crate::dispatch::clean_prefix_in;
use crate::encoding::CodeUnit;
use crate::error::{Error, ErrorKind};
use crate::operations::Encoding;
use crate::out::as_bytes;
use crate::simd::BLOCK_BYTES;

/// Validates a stream.
///
/// ```
/// use utf8kit::{Utf8, Validator};
/// let mut validator = Validator::new(Utf8);
/// validator.push(b"caf\xC3")?;
/// assert_eq!(validator.pending(), b"\xC3");
/// validator.push(b"\xA9")?;
/// assert_eq!(validator.finish()?, 5);
/// # Ok::<(), utf8kit::Error>(())
/// ```
#[doc(alias = "Utf8Validator")]
#[derive(Clone, Debug)]
pub struct Validator<E> {
    encoding: E,
    held: Held,
    /// Number of bytes processed, not counting held ones.
    offset: u64,
    failed: Option<Error>,
}

impl<E: Encoding> Validator<E> {
    /// Starts a stream.
    #[must_use]
    pub fn new(encoding: E) -> Self {
        Validator { encoding, held: Held::default(), offset: 0, failed: None }
    }

    /// Validates the next piece.
    ///
    /// # Errors
    /// The stream's first error, as soon as no further input can change it. Every later call returns it again.
    #[inline]
    pub fn push(&mut self, input: &[u8]) -> Result<(), Error> {
        if self.held.len == 0 && self.failed.is_none() {
            let clean = clean_prefix_in(self.encoding, input);
            self.offset += clean as u64;
            if clean == input.len() {
                return Ok(());
            }
            return self.items(&input[clean..], false);
        }
        self.after_held(input, false)
    }

    /// Ends the stream and returns its length in bytes.
    ///
    /// # Errors
    /// The stream's first error. Pending bytes are an error now.
    pub fn finish(mut self) -> Result<u64, Error> {
        self.after_held(&[], true)?;
        Ok(self.offset)
    }

    /// Returns the pending bytes, which need more input.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.held.as_slice()
    }

    /// Returns how many bytes of the stream are known to be well formed, not counting pending ones.
    ///
    /// ```
    /// let mut validator = utf8kit::Validator::new(utf8kit::Utf8);
    /// assert!(validator.push(b"ab\xFF").is_err());
    /// assert_eq!(validator.offset(), 2);
    /// ```
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Validates the held bytes with the front of the input item by item, then the rest.
    fn after_held(&mut self, mut input: &[u8], last: bool) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        while self.held.len > 0 {
            let mut joined = [0; JOINED_BYTES];
            let len = self.held.join(input, &mut joined);
            let whole = len == self.held.len + input.len();
            let Some(step) = self.encoding.decode_step(&joined[..len]) else { break };
            if step.incomplete && !(last && whole) {
                self.held.set(&joined[..len]);
                return Ok(());
            }
            self.pass(step.result, step.len, step.incomplete)?;
            match step.len().checked_sub(self.held.len) {
                Some(taken) => {
                    input = &input[taken..];
                    self.held.len = 0;
                }
                None => {
                    let held = self.held;
                    self.held.set(&held.as_slice()[step.len()..]);
                }
            }
        }
        if input.is_empty() {
            return Ok(());
        }
        let clean = clean_prefix_in(self.encoding, input);
        self.offset += clean as u64;
        self.items(&input[clean..], last)
    }

    /// Validates item by item near errors, and with kernels in between.
    fn items(&mut self, mut input: &[u8], last: bool) -> Result<(), Error> {
        loop {
            let mut left = BLOCK_BYTES;
            while let Some(step) = self.encoding.decode_step(input) {
                if step.incomplete && !last {
                    self.held.set(input);
                    return Ok(());
                }
                self.pass(step.result, step.len, step.incomplete)?;
                input = &input[step.len()..];
                left = left.saturating_sub(step.len());
                if left == 0 {
                    break;
                }
            }
            if input.is_empty() {
                return Ok(());
            }
            let clean = clean_prefix_in(self.encoding, input);
            self.offset += clean as u64;
            input = &input[clean..];
        }
    }

    #[inline(always)]
    fn pass(&mut self, result: Result<u32, ErrorKind>, len: u8, incomplete: bool) -> Result<(), Error> {
        match result {
            Ok(_) => {
                self.offset += u64::from(len);
                Ok(())
            }
            Err(kind) => {
                let error = Error::new(self.offset, len, kind).incomplete_if(incomplete);
                self.failed = Some(error);
                Err(error)
            }
        }
    }
}

impl<E: Encoding> Validator<E> {
    /// Validates the next piece of a stream of code units.
    ///
    /// # Errors
    /// As [`Validator::push`]; offset and length count code units.
    ///
    /// ```
    /// use utf8kit::{Utf16, Validator};
    /// let mut validator = Validator::new(Utf16);
    /// validator.push_units(&[0x61, 0xD83D])?;
    /// validator.push_units(&[0xDE00])?;
    /// assert_eq!(validator.push_units(&[0x62, 0xDC00]).unwrap_err().offset, 4);
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    pub fn push_units(&mut self, units: &[E::Unit]) -> Result<(), Error> {
        self.push(as_bytes(units)).map_err(|error| error.in_units(E::Unit::UNIT))
    }

    /// Ends a stream of code units and returns its length in units.
    ///
    /// # Errors
    /// As [`Validator::finish`]; offset and length count code units.
    pub fn finish_units(self) -> Result<u64, Error> {
        let units = size_of::<E::Unit>() as u64;
        self.finish().map(|bytes| bytes / units).map_err(|error| error.in_units(E::Unit::UNIT))
    }
}
