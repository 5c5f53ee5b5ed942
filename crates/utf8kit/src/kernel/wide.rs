//! Clean prefixes of UTF-16 and UTF-32: plain loops over blocks, which the compiler turns into each level's
//! vectors as they are compiled inside its token.

use crate::arch::{BLOCK, Kernel, Token};

/// How far 16-bit units hold no surrogate, in bytes; a surrogate is for the definition to judge.
pub(crate) struct NoSurrogates<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for NoSurrogates<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, _: T) -> usize {
        let read = |unit: &[u8; 2]| {
            if self.big_endian { u16::from_be_bytes(*unit) } else { u16::from_le_bytes(*unit) }
        };
        let surrogate = |unit: &[u8; 2]| read(unit) & 0xF800 == 0xD800;
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        for (i, block) in blocks.iter().enumerate() {
            let units = block.as_chunks::<2>().0;
            if units.iter().fold(false, |any, unit| any | surrogate(unit)) {
                let clean = units.iter().take_while(|unit| !surrogate(unit)).count();
                return i * BLOCK + 2 * clean;
            }
        }
        let clean = rest.as_chunks::<2>().0.iter().take_while(|unit| !surrogate(unit)).count();
        blocks.len() * BLOCK + 2 * clean
    }
}

/// How far 32-bit units are scalar values, in bytes.
pub(crate) struct ScalarValues<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for ScalarValues<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, _: T) -> usize {
        let bad = |unit: &[u8; 4]| {
            let value = if self.big_endian { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
            // Surrogates become 0..7FF, all scalar values and nothing else stay in 800..10FFFF.
            value.wrapping_sub(0xD800) < 0x800 || value > 0x10_FFFF
        };
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        for (i, block) in blocks.iter().enumerate() {
            let units = block.as_chunks::<4>().0;
            if units.iter().fold(false, |any, unit| any | bad(unit)) {
                let clean = units.iter().take_while(|unit| !bad(unit)).count();
                return i * BLOCK + 4 * clean;
            }
        }
        let clean = rest.as_chunks::<4>().0.iter().take_while(|unit| !bad(unit)).count();
        blocks.len() * BLOCK + 4 * clean
    }
}
