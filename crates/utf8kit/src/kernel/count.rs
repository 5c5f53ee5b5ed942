//! Counting bytes of a class: code points are the bytes that are not continuations, lines the line feeds, and
//! UTF-16 units the code points plus the leads of four bytes.
//!
//! Compares give 255 = -1 in each lane that counts; subtracting gathers up to 255 of them a lane before they
//! are summed (Wojciech Muła's population counts). `bytecount` does the same.

use crate::arch::{BLOCK, Kernel, Token, Vector};

/// Which bytes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Not 80..BF: each begins a sequence, if all is well formed.
    Starts,
    /// F0..FF.
    FourByteLeads,
    /// One value.
    Byte(u8),
}

impl Class {
    #[inline(always)]
    pub(crate) fn holds(self, byte: u8) -> bool {
        match self {
            Class::Starts => (byte as i8) > CONTINUATION_MAX,
            Class::FourByteLeads => byte >= 0xF0,
            Class::Byte(value) => byte == value,
        }
    }
}

/// BF, the largest continuation byte, as a signed number: all continuations are at most this.
const CONTINUATION_MAX: i8 = 0xBF_u8 as i8;

/// Counts the bytes of a class.
pub(crate) struct Count<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) class: Class,
}

impl Kernel for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        match self.class {
            Class::Starts => {
                let limit = token.splat(CONTINUATION_MAX as u8);
                count(self, token, |lanes| lanes.greater_signed(limit))
            }
            Class::FourByteLeads => {
                let high = token.splat(0xF0);
                count(self, token, |lanes| lanes.and(high).equal(high))
            }
            Class::Byte(value) => {
                let value = token.splat(value);
                count(self, token, |lanes| lanes.equal(value))
            }
        }
    }
}

#[inline(always)]
fn count<T: Token>(input: Count<'_>, token: T, counts: impl Fn(T::Vector) -> T::Vector) -> usize {
    let parts = BLOCK / T::Vector::LEN;
    let (blocks, rest) = input.bytes.as_chunks::<BLOCK>();
    let mut total = 0;
    for some in blocks.chunks(255 / parts) {
        let mut lanes = token.splat(0);
        for block in some {
            for part in 0..parts {
                lanes = lanes.sub(counts(token.load(block, part)));
            }
        }
        total += lanes.sum() as usize;
    }
    total + rest.iter().filter(|&&byte| input.class.holds(byte)).count()
}

/// How many blocks [`starts_and_lines`] takes: lanes of 16 bytes have room for 63.
#[cfg(feature = "alloc")]
pub(crate) const COUNTED_AT_ONCE: usize = 60;

/// Code points and line feeds of at most [`COUNTED_AT_ONCE`] blocks.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn starts_and_lines<T: Token>(token: T, blocks: &[[u8; BLOCK]]) -> (usize, usize) {
    let (limit, line_feed) = (token.splat(CONTINUATION_MAX as u8), token.splat(b'\n'));
    let (mut starts, mut lines) = (token.splat(0), token.splat(0));
    for block in blocks {
        for part in 0..BLOCK / T::Vector::LEN {
            let lanes = token.load(block, part);
            starts = starts.sub(lanes.greater_signed(limit));
            lines = lines.sub(lanes.equal(line_feed));
        }
    }
    (starts.sum() as usize, lines.sum() as usize)
}

/// Finds the `n`-th byte (from 0) of a class; `Err` with how many there are in all if they are fewer.
pub(crate) struct Select<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) class: Class,
    pub(crate) n: usize,
}

impl Kernel for Select<'_> {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Result<usize, usize> {
        let mut left = self.n;
        let mut at = 0;
        for part in self.bytes.chunks(16 * BLOCK) {
            let here = Count { bytes: part, class: self.class }.call(token);
            if here > left {
                break;
            }
            left -= here;
            at += part.len();
        }
        for (i, &byte) in self.bytes[at..].iter().enumerate() {
            if self.class.holds(byte) {
                if left == 0 {
                    return Ok(at + i);
                }
                left -= 1;
            }
        }
        Err(self.n - left)
    }
}

/// Finds the first byte of a class; the length if there is none.
pub(crate) struct Find<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) class: Class,
}

impl Kernel for Find<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let mut at = 0;
        for block in self.bytes.as_chunks::<BLOCK>().0 {
            if (Count { bytes: block, class: self.class }).call(token) > 0 {
                break;
            }
            at += BLOCK;
        }
        let rest = &self.bytes[at..];
        at + rest.iter().position(|&byte| self.class.holds(byte)).unwrap_or(rest.len())
    }
}
