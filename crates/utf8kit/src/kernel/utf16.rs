//! Clean prefixes of UTF-16 and UTF-32.
//!
//! # Algorithm
//! Of 16-bit units only the surrogates can be wrong. What they are shows in their high bytes; in masks of a bit each
//! byte, the second of a pair must stand exactly two bits behind the first:
//!
//! ```text
//! low = high << 2 | the last one of the block before
//! ```
//!
//! 32-bit units are looked at by a plain loop over blocks, which the compiler turns into each level's vectors as it is
//! compiled inside the level's token.

use crate::arch::{BLOCK, Kernel, Token, Vector};

/// How far 16-bit units are well formed, every surrogate one of a pair, in bytes.
pub(crate) struct PairedUnits<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for PairedUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        let mut open = 0; // the block before ended with a high surrogate: where its low one is due
        for (i, block) in blocks.iter().enumerate() {
            let (high, low) = surrogates.masks(token, block);
            let due = high << 2 | open;
            if low != due {
                let unit = ((low ^ due).trailing_zeros() as usize) & !1;
                return self.without_half(i * BLOCK + unit);
            }
            open = high >> (BLOCK - 2);
        }
        let mut at = self.bytes.len() - rest.len();
        let mut paired = open == 0;
        for &unit in rest.as_chunks().0 {
            if self.is_low(unit) == paired {
                break;
            }
            paired = !self.is_high(unit);
            at += 2;
        }
        self.without_half(at)
    }
}

impl PairedUnits<'_> {
    /// The end without a high surrogate there, which lacks its other half.
    #[inline(always)]
    fn without_half(&self, end: usize) -> usize {
        match self.bytes[..end].last_chunk() {
            Some(&unit) if self.is_high(unit) => end - 2,
            _ => end,
        }
    }

    #[inline(always)]
    fn top_six(&self, unit: [u8; 2]) -> u8 {
        unit[usize::from(!self.big_endian)] & 0xFC
    }

    #[inline(always)]
    fn is_high(&self, unit: [u8; 2]) -> bool {
        self.top_six(unit) == 0xD8
    }

    #[inline(always)]
    fn is_low(&self, unit: [u8; 2]) -> bool {
        self.top_six(unit) == 0xDC
    }
}

/// Counts the code points of 16-bit units that are well formed.
pub(crate) struct CountUnits<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for CountUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        let mut pairs = 0;
        for block in blocks {
            pairs += surrogates.masks(token, block).1.count_ones() as usize;
        }
        let units = PairedUnits { bytes: rest, big_endian: self.big_endian };
        pairs += rest.as_chunks().0.iter().filter(|&&unit| units.is_low(unit)).count();
        self.bytes.len() / 2 - pairs
    }
}

/// Constants in registers.
struct Surrogates<V> {
    top_six: V,
    high: V,
    low: V,
    /// Bits of the high bytes.
    places: u64,
}

impl<V: Vector> Surrogates<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, big_endian: bool) -> Self {
        let places = if big_endian { u64::MAX / 3 } else { u64::MAX / 3 * 2 };
        Surrogates { top_six: token.splat(0xFC), high: token.splat(0xD8), low: token.splat(0xDC), places }
    }

    /// The high and the low surrogates of a block, a bit each at the place of the high byte.
    #[inline(always)]
    fn masks<T: Token<Vector = V>>(&self, token: T, block: &[u8; BLOCK]) -> (u64, u64) {
        let (mut high, mut low) = (0, 0);
        for part in 0..BLOCK / V::LEN {
            let top = token.load(block, part).and(self.top_six);
            high |= top.equal(self.high).high_bits() << (part * V::LEN);
            low |= top.equal(self.low).high_bits() << (part * V::LEN);
        }
        (high & self.places, low & self.places)
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
