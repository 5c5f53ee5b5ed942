//! UTF-8 to Latin-1, validated and converted in one pass.
//!
//! # Algorithm
//! Text up to U+00FF consists of ASCII, the leads C2 and C3, and one continuation after each lead: so a block is well
//! formed if the three make up all its bytes, and the bits of the leads, shifted by one, are those of the
//! continuations. A continuation after C3 gets bit 6, and the leads are dropped: by a compress where the level has one,
//! else eight bytes at a time by a table of shuffles. A lead that ends a block begins the next one; on levels with
//! masks, bits carry this from block to block.
//!
//! In forms that write NUL in two bytes, byte 0 is an error: there the kernel stops.
//!
//! Latin-1 to UTF-8 is here for levels with masks: the leads and the last bytes of a block alternately, and a compress
//! that drops the leads of ASCII. The other levels use the method of [`super::wide_to_utf8`] for all units.
//!
//! # Deviations
//! On levels with masks, a block of ASCII is copied by a load, a test, a store, and one jump, with no test of room, as
//! 64 KiB from and to the L2 cache run at 92 GB/s at most (`memcpy`, by `rep movsb`, 117). Each of these cost time: a
//! second load of the block, a second taken jump, four loads before four stores (74 to 82 GB/s).
//!
//! Bit 6 comes from the vector that begins one byte earlier, in five instructions none of which moves a mask. From a
//! block that is not ASCII on, two are converted without that test: in text that the processor has seen before it
//! predicts each test, but in 4 MiB of French or Portuguese a misprediction costs as much as four blocks. Text with
//! accents runs at 1.3 to 1.6 times simdutf, the other texts at 1.1 to 1.3 (Zen 5, 2026-11-22).
//!
//! # Tried
//! - Groups of one block and of three, geometric means over 19 texts: 64 KiB at 1.25 and 1.21 times simdutf, two 1.24;
//!   4 MiB at 1.11 and 1.21, two 1.14 to 1.2. Four: 64 KiB at 0.9 in text with few accents. Groups only where another
//!   one is near, or for as long as they are not all ASCII: no better than groups of two, or of four.
//! - The same with groups of two or four that begin wherever the previous one ended, tested as a whole: 64 KiB at 0.99
//!   and 0.84 times simdutf; their tests are mispredicted where those of single blocks are not.
//! - Errors gathered in a vector, tested once per group: 5 % more time than masks tested for each block.
//! - Bit 6 by masks: text with accents at 1.2 to 1.3 times simdutf, and each block 20 to 25 % longer.
//! - On avx512, blocks that begin with the lead cut off from the previous one, so that each load waits for that block:
//!   text with accents at 0.64 to 0.68 times simdutf; consecutive blocks 1.1 to 1.2.
//! - From Latin-1 on avx512, what limits a block is the number of instructions that only two units execute: shuffles,
//!   compares to masks, and two for each compress. A block takes 1.2 ns by an interleave of leads and last bytes, with
//!   kept bytes by a compare and lengths from their masks; 1.65 to 1.8 ns if each byte is doubled by a shuffle, both
//!   halves are computed on their own, or kept bytes come from `pdep`. Tested for ASCII in a mask register: text with
//!   accents at 1.1 to 1.2 times simdutf, in a general one 1.3 to 1.4. Two blocks at a time: 64 KiB at 0.96 to 1.1
//!   times simdutf, one by one 1.1; 4 MiB at 1.05, one by one 1.0. A separate loop for ASCII: 0.9 in text that is
//!   partly ASCII. The two units are full: by llvm-mca's model of Ice Lake, a block takes 7.5 cycles of one and 7 of
//!   the other, which are 9 with both operations of each compress; blocks without ASCII take 10 (Sapphire Rapids,
//!   2026-11-25).
//! - On AVX2, runs of ASCII four blocks at a time, loaded once to be tested and once to be copied: 0.6 to 0.7 times
//!   simdutf; a block at a time, loaded once, 0.9 to 1.0, and text with few accents 15 to 25 % faster. The rest of a
//!   run by one vector at a time: 1 to 10 % slower than that.
//! - Whole blocks of ASCII by a copy of the slice: 0.7 to 1.1 times simdutf, by vectors 1.0 to 1.6. Validation first,
//!   then the kernel of UTF-16 with one byte per unit: text with occasional accents at 0.8 times simdutf, and half as
//!   many instructions again for German (AVX2, Zen 3, 2026-11-21).

mod by_compress;
mod by_tables;
mod from_latin1;
mod short;

pub(crate) use from_latin1::FromLatin1;
pub(crate) use short::ToLatin1Short;

use crate::encoding::{Latin1, Utf8};
use crate::out::Out;
use crate::reference::convert::items;
use crate::simd::{Keep, Kernel, MaskedToken, Token};

/// Converts a prefix as long as it is well formed, is in Latin-1, and fits; returns how many input bytes.
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
        token.keep(self)
    }
}

impl<'o, T: Token> Keep<T> for ToLatin1<'_, 'o> {
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

/// Converts item by item, by the definition: where there is an error, or little room.
#[inline(always)]
pub(crate) fn by_items(bytes: &[u8], nul: bool, out: &mut Out<'_>) -> usize {
    let end = bytes.iter().position(|&byte| byte == 0 && !nul).unwrap_or(bytes.len());
    items(Utf8, Latin1, &bytes[..end], out)
}
