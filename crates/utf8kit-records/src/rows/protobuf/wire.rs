//! The wire format of Protocol Buffers: tags, lengths and values, as ranges of a buffer.

use std::fmt;
use std::ops::Range;

/// The greatest nesting depth of messages. It is the limit of the Protocol Buffers libraries.
pub const MAX_DEPTH: usize = 100;

/// Why bytes are not a message. Offsets count from the start of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// A varint does not end, or has more than 64 bits.
    Number(usize),
    /// A tag has a field number that no message can have.
    Tag(usize),
    /// A value ends after the message that contains it.
    Length(usize),
    /// A group does not end, or ends without a beginning.
    Group(usize),
    /// Messages are nested deeper than [`MAX_DEPTH`] levels.
    Depth(usize),
}

impl WireError {
    /// Returns the offset.
    pub fn offset(self) -> usize {
        match self {
            WireError::Number(at)
            | WireError::Tag(at)
            | WireError::Length(at)
            | WireError::Group(at)
            | WireError::Depth(at) => at,
        }
    }

    /// Returns the same error, `more` bytes further on.
    #[must_use]
    pub fn moved(self, more: usize) -> WireError {
        let at = self.offset() + more;
        match self {
            WireError::Number(_) => WireError::Number(at),
            WireError::Tag(_) => WireError::Tag(at),
            WireError::Length(_) => WireError::Length(at),
            WireError::Group(_) => WireError::Group(at),
            WireError::Depth(_) => WireError::Depth(at),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            WireError::Number(_) => "a number does not end",
            WireError::Tag(_) => "invalid field number or wire type",
            WireError::Length(_) => "a value is longer than the message that contains it",
            WireError::Group(_) => "a group has no end or no beginning",
            WireError::Depth(_) => "messages are nested too deeply",
        };
        write!(f, "byte {}: not a valid message: {what}", self.offset())
    }
}

impl std::error::Error for WireError {}

/// A value, or its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A number, whose meaning depends on the field.
    Number(u64),
    /// A number of 32 or 64 bits.
    Fixed,
    /// Bytes with a length: the place of the length, and of the bytes.
    Bytes { length: Range<usize>, bytes: Range<usize> },
    /// The start of a group.
    Group,
    /// The end of a group.
    End,
}

/// A position in a part of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    pub(super) at: usize,
    end: usize,
}

impl<'b> Reader<'b> {
    /// Creates a reader of a range, which must lie within the buffer.
    pub(super) fn new(bytes: &'b [u8], range: Range<usize>) -> Reader<'b> {
        Reader { bytes, at: range.start, end: range.end.min(bytes.len()) }
    }

    /// Returns the range that was not read yet.
    pub(super) fn rest(&self) -> Range<usize> {
        self.at..self.end
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// Reads a varint.
    pub(super) fn number(&mut self) -> Result<u64, WireError> {
        let start = self.at;
        let rest = self.bytes.get(start..self.end).unwrap_or_default();
        let mut number = 0;
        for (index, &byte) in rest.iter().take(10).enumerate() {
            if index == 9 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7F) << (7 * index);
            if byte < 0x80 {
                self.at = start + index + 1;
                return Ok(number);
            }
        }
        Err(WireError::Number(start))
    }

    /// Reads a tag and what follows it: the number of the field and its value.
    pub(super) fn field(&mut self) -> Result<(u32, Value), WireError> {
        let start = self.at;
        let tag = u32::try_from(self.number()?).map_err(|_| WireError::Tag(start))?;
        let number = tag >> 3;
        if number == 0 {
            return Err(WireError::Tag(start));
        }
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => self.fixed(8)?,
            2 => {
                let start = self.at;
                let len = self.number()?;
                let length = start..self.at;
                let end = usize::try_from(len).ok().and_then(|len| self.at.checked_add(len));
                let end = end.filter(|end| *end <= self.end).ok_or(WireError::Length(start))?;
                let bytes = self.at..end;
                self.at = end;
                Value::Bytes { length, bytes }
            }
            3 => Value::Group,
            4 => Value::End,
            5 => self.fixed(4)?,
            _ => return Err(WireError::Tag(start)),
        };
        Ok((number, value))
    }

    fn fixed(&mut self, width: usize) -> Result<Value, WireError> {
        if self.end - self.at < width {
            return Err(WireError::Length(self.at));
        }
        self.at += width;
        Ok(Value::Fixed)
    }
}

/// Appends a varint.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
