//! Serialises summaries to bytes: a tag and a version, then numbers in LEB128, omitting counts of zero.
//!
//! LEB128 as in WebAssembly and DWARF: seven bits per byte, lowest first, with the high bit set on all but the last.

use core::fmt;

use alloc::vec::Vec;

/// Why bytes are not the output of `to_bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The bytes end too early.
    Truncated,
    /// The bytes belong to another type, or to a version that is not supported.
    Unknown,
    /// A number is out of range, or bytes follow the end.
    Invalid,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FormatError::Truncated => "the bytes end too early",
            FormatError::Unknown => "the bytes are of another type or version",
            FormatError::Invalid => "a number in the bytes is out of range",
        })
    }
}

impl core::error::Error for FormatError {}

/// The version that is written, and the only one so far.
const VERSION: u8 = 1;

/// Writes numbers.
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    pub(crate) fn new(tag: u8) -> Encoder {
        Encoder(alloc::vec![tag, VERSION])
    }

    pub(crate) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Writes the counts that are not zero, each preceded by the number of zeros before it.
    pub(crate) fn sparse(&mut self, counts: &[u64]) {
        self.number(counts.iter().filter(|&&count| count > 0).count() as u64);
        let mut next = 0;
        for (place, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            self.number((place - next) as u64);
            self.number(count);
            next = place + 1;
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads numbers.
pub(crate) struct Decoder<'b>(&'b [u8]);

impl<'b> Decoder<'b> {
    pub(crate) fn new(tag: u8, bytes: &'b [u8]) -> Result<Decoder<'b>, FormatError> {
        match bytes {
            &[first, VERSION, ref rest @ ..] if first == tag => Ok(Decoder(rest)),
            [] | [_] => Err(FormatError::Truncated),
            _ => Err(FormatError::Unknown),
        }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, FormatError> {
        let (&byte, rest) = self.0.split_first().ok_or(FormatError::Truncated)?;
        self.0 = rest;
        Ok(byte)
    }

    pub(crate) fn number(&mut self) -> Result<u64, FormatError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                return Err(FormatError::Invalid);
            }
            value |= bits << shift;
            if byte < 0x80 {
                // Each number has only one valid spelling.
                return if byte == 0 && shift > 0 { Err(FormatError::Invalid) } else { Ok(value) };
            }
        }
        Err(FormatError::Invalid)
    }

    /// Fills in the counts that [`Encoder::sparse`] wrote.
    pub(crate) fn sparse(&mut self, counts: &mut [u64]) -> Result<(), FormatError> {
        let mut rest = counts.iter_mut();
        for _ in 0..self.number()? {
            let skip = usize::try_from(self.number()?).map_err(|_| FormatError::Invalid)?;
            let count = self.number()?;
            let place = rest.nth(skip).ok_or(FormatError::Invalid)?;
            if count == 0 {
                return Err(FormatError::Invalid);
            }
            *place = count;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<(), FormatError> {
        if self.0.is_empty() { Ok(()) } else { Err(FormatError::Invalid) }
    }
}

/// Adds to a count, which saturates.
#[inline]
pub(crate) fn add(total: &mut u64, more: u64) {
    *total = total.saturating_add(more);
}

/// Adds counts pairwise.
pub(crate) fn add_all(totals: &mut [u64], more: &[u64]) {
    for (total, &more) in totals.iter_mut().zip(more) {
        add(total, more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_spelling() {
        for value in [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut encoder = Encoder::new(b'T');
            encoder.number(value);
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(b'T', &bytes).unwrap();
            assert_eq!(decoder.number(), Ok(value));
            assert_eq!(decoder.finish(), Ok(()));
            let mut cut_off = Decoder::new(b'T', &bytes[..bytes.len() - 1]).unwrap();
            assert_eq!(cut_off.number(), Err(FormatError::Truncated));
        }
        let number = |bytes: &[u8]| Decoder(bytes).number();
        assert_eq!(number(&[0x80, 0x00]), Err(FormatError::Invalid));
        assert_eq!(number(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), Err(FormatError::Invalid));
        assert_eq!(number(&[0xFF; 11]), Err(FormatError::Invalid));
        assert!(Decoder::new(b'T', b"").is_err_and(|error| error == FormatError::Truncated));
        assert!(Decoder::new(b'T', b"T\x02").is_err_and(|error| error == FormatError::Unknown));
        assert!(Decoder::new(b'T', b"S\x01").is_err_and(|error| error == FormatError::Unknown));
    }
}
