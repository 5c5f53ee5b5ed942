//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! Sixteen units at a time. ASCII is copied; else each unit's sequence is made without a branch, in all lengths it
//! could have, the right one is kept by comparing, and four bytes are stored of which the length counts. What
//! depends on the unit before is only where the store goes: one addition. Text of mixed lengths costs the same as
//! text of one.
//!
//! A group that holds a surrogate or a value too large is left to the definition.
//!
//! # Tried
//! The definition alone, an item at a time, ran at 0.25 to 0.4 GB/s of UTF-16 on Zen 3 (2026-11-21); this is four to
//! six times as fast. Tables of shuffles (Lemire and Muła 2022) are the next step.

use crate::arch::{Kernel, Token};
use crate::out::Out;

/// What the units are.
pub(crate) trait Source: Copy {
    /// A unit's bytes.
    type Unit: Copy;
    /// The unit's value; `u32::MAX` if it is no scalar value by itself.
    fn value(self, unit: Self::Unit) -> u32;
    /// The whole units of the bytes.
    fn units(self, bytes: &[u8]) -> &[Self::Unit];
}

macro_rules! sources {
    ($($name:ident, $unit:literal, $value:expr;)*) => {$(
        /// A source.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Source for $name {
            type Unit = [u8; $unit];

            #[inline(always)]
            fn value(self, unit: [u8; $unit]) -> u32 {
                let value: u32 = $value(unit);
                let scalar = value & 0xFFFF_F800 != 0xD800 && value <= 0x10_FFFF;
                if scalar { value } else { u32::MAX }
            }

            #[inline(always)]
            fn units(self, bytes: &[u8]) -> &[[u8; $unit]] {
                bytes.as_chunks::<$unit>().0
            }
        }
    )*};
}

sources! {
    FromUtf16Le, 2, |unit| u32::from(u16::from_le_bytes(unit));
    FromUtf16Be, 2, |unit| u32::from(u16::from_be_bytes(unit));
    FromUtf32Le, 4, u32::from_le_bytes;
    FromUtf32Be, 4, u32::from_be_bytes;
    FromLatin1, 1, |unit: [u8; 1]| u32::from(unit[0]);
}

/// Units made at a time.
const GROUP: usize = 16;

/// Converts groups of units as long as they are plain and fit; says how many units.
pub(crate) struct Narrow<'a, 'o, S> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) source: S,
}

impl<S: Source> Kernel for Narrow<'_, '_, S> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, _: T) -> usize {
        let Narrow { bytes, out, source } = self;
        let units = source.units(bytes);
        let mut done = 0;
        for group in units.as_chunks::<GROUP>().0 {
            let mut values = [0; GROUP];
            let mut all = 0;
            let mut none = 0;
            for (value, &unit) in values.iter_mut().zip(group) {
                *value = source.value(unit);
                all |= *value;
                none = none.max(*value);
            }
            let fits = if all < 0x80 {
                out.push_front_of(values.map(|value| value as u8), GROUP)
            } else {
                // Straight to the output: a local array written in pieces and copied as a whole cost a stall.
                none != u32::MAX
                    && out.room() >= 4 * GROUP
                    && values.into_iter().all(|value| {
                        let (sequence, length) = utf8_sequence(value);
                        out.push_front_of(sequence.to_le_bytes(), length)
                    })
            };
            if !fits {
                break;
            }
            done += GROUP;
        }
        done
    }
}

/// A scalar value as the bytes of UTF-8 in a little-endian word, and how many of them count.
#[inline(always)]
fn utf8_sequence(value: u32) -> (u32, usize) {
    let six = |shift: u32| value >> shift & 0x3F;
    let two = 0x80C0 | value >> 6 | six(0) << 8;
    let three = 0x80_80E0 | value >> 12 | six(6) << 8 | six(0) << 16;
    let four = 0x8080_80F0 | value >> 18 | six(12) << 8 | six(6) << 16 | six(0) << 24;
    let length =
        1 + usize::from(value >= 0x80) + usize::from(value >= 0x800) + usize::from(value >= 0x1_0000);
    let mut sequence = if value >= 0x80 { two } else { value };
    sequence = if value >= 0x800 { three } else { sequence };
    sequence = if value >= 0x1_0000 { four } else { sequence };
    (sequence, length)
}
