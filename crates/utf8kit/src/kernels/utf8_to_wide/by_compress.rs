//! Looks up units by six bits of each byte, and keeps them by a compress: one block at a time.

use super::{BLOCK_BYTES, Constants, Planes, SPILL_BYTES, Shifted, WINDOW_BYTES};
use crate::out::{Out, Reserved};
use crate::reference::convert::Wide;
use crate::simd::{Masked, Token};

impl<V: Masked> Constants<V> {
    /// Converts a block whose bytes end sequences where `ends` says. `FOUR`: there may be four-byte sequences. Returns
    /// the suspects; `None`, with nothing written, if the capacity is too small.
    #[inline(always)]
    pub(super) fn block_by_compress<T: Token<Vector = V>, U: Wide, const FOUR: bool>(
        &self,
        token: T,
        window: &[u8; WINDOW_BYTES],
        mut ends: u64,
        out: &mut Out<'_>,
    ) -> Option<V> {
        let mut reserved = out.reserve(BLOCK_BYTES * U::UNIT + SPILL_BYTES)?;
        let shifted = Shifted::new(token, window, 0);
        let &Shifted { this, prev1, prev2, prev3, .. } = &shifted;
        let units = self.units_by_six_bits::<U, FOUR>(this, prev1, prev2, prev3);
        if FOUR && U::UNIT == 2 {
            ends |= units.pairs;
        }
        put::<V, U, FOUR>([units.low, units.high, units.highest], ends, &mut reserved);
        Some(self.suspects::<FOUR>(&shifted))
    }

    /// Returns the units that would end at each byte: each byte of a unit takes one step per byte of the sequence.
    #[inline(always)]
    pub(super) fn units_by_six_bits<U: Wide, const FOUR: bool>(
        &self,
        this: V,
        prev1: V,
        prev2: V,
        prev3: V,
    ) -> Planes<V> {
        let continuation = this.high_bits();
        let third = continuation & self.start.greater_signed(prev1).high_bits();
        let mut low = this.blend(continuation, this.sub(prev1.lookup_six_bits(&LESS_SECOND)));
        let high = self.zero.blend(continuation, prev1.lookup_six_bits(&SECOND_TO_HIGH));
        let mut high = high.blend(third, high.sub(prev2.lookup_six_bits(&LESS_THIRD)));
        let (mut highest, mut pairs) = (self.zero, 0);
        if FOUR {
            let four = |lead: V| lead.saturating_sub(self.below_four).greater_signed(self.zero).high_bits();
            let fourth = four(prev3);
            if U::UNIT == 4 {
                let value = prev3.lookup_six_bits(&FOURTH_TO_HIGHEST).sub(prev2.lookup_six_bits(&LESS_BIT_4));
                highest = self.zero.blend(fourth, value);
            } else {
                pairs = four(prev2);
                let surrogate = prev1.lookup_six_bits(&SURROGATE_LOW).sub(this.lookup_six_bits(&LESS_BIT_4));
                low = low.blend(pairs, surrogate);
                high = high.blend(fourth, prev1.lookup_six_bits(&LOW_SURROGATE_HIGH));
                let surrogate = prev2.lookup_six_bits(&SURROGATE_HIGH).sub(prev1.lookup_six_bits(&BORROW));
                high = high.blend(pairs, surrogate);
            }
        }
        Planes { low, high, highest, pairs }
    }
}

macro_rules! by_six_bits {
    ($($(#[$meta:meta])* $name:ident, |$bits:ident| $byte:expr;)*) => {$(
        $(#[$meta])*
        const $name: [u8; 64] = {
            let mut table = [0; 64];
            let mut $bits = 0;
            while $bits < 64_u8 {
                table[$bits as usize] = $byte;
                $bits += 1;
            }
            table
        };
    )*};
}

// A sequence aaa bbbbbb cccccc dddddd, by six bits of one of its bytes. Parts are combined by subtracting their
// negatives: under a mask that is one operation, unlike `or`.
by_six_bits! {
    /// Turns the last byte, 10xxxxxx, into bbxxxxxx, with the last two bits of the byte before it.
    LESS_SECOND, |bits| 0x80_u8.wrapping_sub(bits << 6);
    SECOND_TO_HIGH, |bits| bits >> 2 & 0x0F;
    LESS_THIRD, |bits| (bits << 4).wrapping_neg();
    FOURTH_TO_HIGHEST, |bits| (bits & 0x07) << 2;
    LESS_BIT_4, |bits| (bits >> 4).wrapping_neg();
    /// 110111cc
    LOW_SURROGATE_HIGH, |bits| 0xDC | bits >> 2 & 0x03;
    // 110110ww wwbbbbcc, where wwww is aaabb less 1: C0 is -40 in the last bits, and if that borrows, D8 becomes D7.
    SURROGATE_LOW, |bits| (bits << 2).wrapping_sub(0x40);
    SURROGATE_HIGH, |bits| 0xD8 + (bits & 0x07);
    BORROW, |bits| (bits < 0x10) as u8;
}

/// Writes the units, out of 64, whose bit is set.
#[inline(always)]
fn put<V: Masked, U: Wide, const FOUR: bool>([low, high, highest]: [V; 3], kept: u64, reserved: &mut Reserved<'_>) {
    let (low, high, highest) = (low.compress(kept), high.compress(kept), highest.compress(kept));
    let before = reserved.written();
    let count = kept.count_ones() as usize;
    for part in 0..U::UNIT {
        // Only as many vectors as the units need: three-byte sequences need half of them, four-byte sequences a
        // quarter.
        if part > 0 && part * BLOCK_BYTES / U::UNIT >= count {
            break;
        }
        let (places, mask) = &const { places_in::<U>([Some(0), Some(BLOCK_BYTES), None, None]) }[part];
        let mut units = low.of_both(high, places, *mask);
        if FOUR && U::UNIT == 4 {
            let (places, mask) = &const { places_in::<U>([None, None, Some(0), None]) }[part];
            units = units.or(highest.of_both(highest, places, *mask));
        }
        reserved.push_units::<1>(units.to_bytes(), BLOCK_BYTES);
    }
    reserved.truncate_to(before, count * U::UNIT);
}

/// For each vector of units, the positions of their bytes in planes, and a mask of the bytes that have one. `planes`
/// gives the start of the plane of the lowest byte, the next byte, and so on.
pub(super) const fn places_in<U: Wide>(planes: [Option<usize>; 4]) -> [([u8; BLOCK_BYTES], u64); 4] {
    let mut all = [([0; BLOCK_BYTES], 0); 4];
    let mut byte = 0;
    while byte < BLOCK_BYTES * U::UNIT {
        let (unit, place) = (byte / U::UNIT, byte % U::UNIT);
        if let Some(plane) = planes[if U::BIG_ENDIAN { U::UNIT - 1 - place } else { place }] {
            all[byte / BLOCK_BYTES].0[byte % BLOCK_BYTES] = (plane + unit) as u8;
            all[byte / BLOCK_BYTES].1 |= 1 << (byte % BLOCK_BYTES);
        }
        byte += 1;
    }
    all
}
