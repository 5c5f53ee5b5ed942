//! UTF-8 to Latin-1, validated and converted in one pass.
//!
//! # Algorithm
//! Text up to U+00FF consists of ASCII, the leads C2 and C3, and one continuation after each lead: so a block is valid
//! if the three make up all its bytes, and the bits of the leads, shifted by one, equal the bits of the continuations.
//! A continuation after C3 gets bit 6, and the others are left-packed without the leads: by a compress where the level
//! has one, else eight bytes at a time by a table of shuffles. A lead that ends a block begins the next one; on levels
//! with lane masks, bits carry this from block to block.
//!
//! In forms that write NUL in two bytes, byte 0 is an error: there the kernel stops.
//!
//! Latin-1 to UTF-8 is here for levels with lane masks: the leads and the last bytes of a block alternately, and a
//! compress that drops the leads of ASCII. The other levels use the method of [`super::wide_to_utf8`] for all units.
//!
//! # Decisions
//! - On levels with lane masks, a block of ASCII is copied by a load, a test, a store and one jump, with no test of
//!   capacity, because the loop runs at the speed of the L2 cache.
//! - Bit 6 comes from the vector that begins one byte earlier, because moving a mask is slower.
//! - After a block that is not ASCII, two are converted without that test, because in long texts a misprediction costs
//!   as much as four blocks.
//! - No load waits for the previous block: blocks do not begin at the lead that the previous one cut off.
//!
//! `bench/record/kernels/utf8_latin1.md` has the measurements.

mod by_compress;
mod by_tables;
mod from_latin1;
mod short;

pub(crate) use from_latin1::FromLatin1;
pub(crate) use short::ToLatin1Short;

use crate::encoding::{Latin1, Utf8};
use crate::out::Out;
use crate::reference::convert::items;
use crate::simd::{Kernel, MaskedToken, Token, Variants};

/// Converts a prefix as long as it is well formed, is in Latin-1, and fits; returns the number of input bytes.
pub(crate) struct ToLatin1<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    /// Whether NUL is a byte of the dialect.
    pub(crate) nul: bool,
}

impl<'o> Kernel for ToLatin1<'_, 'o> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        token.by_variant(self)
    }
}

impl<'o, T: Token> Variants<T> for ToLatin1<'_, 'o> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn by_tables(self, token: T) -> (usize, Out<'o>) {
        self.blocks_by_tables(token)
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> (usize, Out<'o>)
    where
        T: MaskedToken,
    {
        self.blocks_by_compress(token)
    }
}

/// Converts item by item by the reference implementation, near errors or the end of the output.
#[inline(always)]
pub(crate) fn by_items(bytes: &[u8], nul: bool, out: &mut Out<'_>) -> usize {
    let end = bytes.iter().position(|&byte| byte == 0 && !nul).unwrap_or(bytes.len());
    items(Utf8, Latin1, &bytes[..end], out)
}
