//! Combines units by shifts and masks, and left-packs them by tables of shuffles, eight units at a time.

use super::{BLOCK_BYTES, Constants, Planes, SPILL_BYTES, Shifted, WINDOW_BYTES, ZERO_LANE};
use crate::kernels::select;
use crate::out::{Out, Reserved};
use crate::reference::convert::Wide;
use crate::simd::{Sixteen, Token, Vector};

impl<V: Vector> Constants<V> {
    /// Converts a block without four-byte sequences. If only every third byte ends a sequence, a fixed shuffle does it.
    #[inline(always)]
    pub(super) fn block_or_threes<T: Token<Vector = V>, U: Wide>(
        &self,
        token: T,
        window: &[u8; WINDOW_BYTES],
        ends: u64,
        out: &mut Out<'_>,
    ) -> Option<V> {
        match ends {
            ends if ends == EVERY_THIRD_BIT[0] => self.threes::<T, U, 0>(token, window, out),
            ends if ends == EVERY_THIRD_BIT[1] => self.threes::<T, U, 1>(token, window, out),
            ends if ends == EVERY_THIRD_BIT[2] => self.threes::<T, U, 2>(token, window, out),
            ends => self.block_by_tables::<T, U, false>(token, window, ends, out),
        }
    }

    /// Converts a block whose bytes end sequences where `ends` says. `FOUR`: there may be four-byte sequences. Returns
    /// the suspects; `None`, with nothing written, if the capacity is too small.
    #[inline(always)]
    pub(super) fn block_by_tables<T: Token<Vector = V>, U: Wide, const FOUR: bool>(
        &self,
        token: T,
        window: &[u8; WINDOW_BYTES],
        ends: u64,
        out: &mut Out<'_>,
    ) -> Option<V> {
        let mut reserved = out.reserve(BLOCK_BYTES * U::UNIT + SPILL_BYTES)?;
        let mut suspect = self.zero;
        for part in 0..BLOCK_BYTES / V::LEN {
            let shifted = Shifted::new(token, window, part);
            suspect = suspect.or(self.suspects::<FOUR>(&shifted));
            let units = self.units::<U, FOUR>(&shifted);
            let mut ends = ends >> (part * V::LEN);
            if FOUR && U::UNIT == 2 {
                ends |= units.pairs;
            }
            for half in 0..V::LEN / 8 {
                put::<V::Sixteen, U, FOUR>(units.sixteen(half / 2), half % 2 == 1, ends >> (8 * half), &mut reserved);
            }
        }
        Some(suspect)
    }

    /// Converts sixteen bytes, of which the first `len` are wanted. Returns the positions of the first units of pairs.
    #[inline(always)]
    pub(super) fn put_sixteen<U: Wide>(
        &self,
        shifted: Shifted<V>,
        ends: u64,
        len: usize,
        reserved: &mut Reserved<'_>,
    ) -> u64 {
        let fours = shifted.prev2.saturating_sub(self.below_four).or(shifted.prev3.saturating_sub(self.below_four));
        let units = if fours.any() { self.units::<U, true>(&shifted) } else { self.units::<U, false>(&shifted) };
        let planes = units.sixteen(0);
        let kept = (ends | units.pairs) & !(u64::MAX << len.min(16));
        put::<V::Sixteen, U, true>(planes, false, kept, reserved);
        put::<V::Sixteen, U, true>(planes, true, kept >> 8, reserved);
        units.pairs
    }

    /// Converts a block in which every third byte ends a sequence, and no other does.
    #[inline(always)]
    fn threes<T: Token<Vector = V>, U: Wide, const FIRST: usize>(
        &self,
        token: T,
        window: &[u8; WINDOW_BYTES],
        out: &mut Out<'_>,
    ) -> Option<V> {
        let mut reserved = out.reserve(BLOCK_BYTES * U::UNIT + SPILL_BYTES)?;
        let mut suspect = self.zero;
        for part in 0..BLOCK_BYTES / V::LEN {
            let shifted = Shifted::new(token, window, part);
            suspect = suspect.or(self.suspects::<false>(&shifted));
            let units = self.units::<U, false>(&shifted);
            for some in 0..V::LEN / 16 {
                let first = (FIRST + 2 * (part * V::LEN / 16 + some)) % 3;
                put_threes::<_, U>([units.low.sixteen(some), units.high.sixteen(some)], first, &mut reserved);
            }
        }
        Some(suspect)
    }

    /// Returns the units that would end at each byte.
    #[inline(always)]
    fn units<U: Wide, const FOUR: bool>(&self, shifted: &Shifted<V>) -> Planes<V> {
        let &Shifted { this, prev1, prev2, prev3, .. } = shifted;
        // In a continuation, the upper two bits give way to the lower two of the byte before.
        let low = this.where_high(this.and(self.low_six).or(prev1.shift_left::<6>()), this);
        // The byte before a continuation is another continuation, or a lead.
        let lead = self.start.greater_signed(prev1).and(prev2.shift_left::<4>());
        let high = this.where_high(prev1.shift_right::<2>().and(self.low_nibble).or(lead), self.zero);
        let mut planes = Planes { low, high, highest: self.zero, pairs: 0 };
        if FOUR {
            let fourth = prev3.saturating_sub(self.below_four).greater_signed(self.zero);
            if U::UNIT == 4 {
                // aaa bbbbbb: from the lead and the byte after it, above the bits already there.
                let value = prev3.shift_left::<2>().and(self.five_bits).or(prev2.shift_right::<4>().and(self.two_bits));
                planes.highest = fourth.and(value);
                return planes;
            }
            // 110111cc ccdddddd: the low byte is unchanged.
            let low_surrogate = prev1.shift_right::<2>().and(self.two_bits).or(self.low_lead);
            planes.high = select(fourth, low_surrogate, high);
            // 110110ww wwbbbbcc, one byte earlier; wwww: five bits of the lead and the second byte, less 1.
            let third = prev2.saturating_sub(self.below_four).greater_signed(self.zero);
            let plane = prev2
                .shift_left::<2>()
                .and(self.five_bits)
                .or(prev1.shift_right::<4>().and(self.two_bits))
                .sub(self.one);
            let second = prev1.and(self.low_nibble).shift_left::<2>();
            let high_surrogate = plane.shift_left::<6>().or(second).or(this.shift_right::<4>().and(self.two_bits));
            planes.low = select(third, high_surrogate, planes.low);
            planes.high = select(third, plane.shift_right::<2>().and(self.two_bits).or(self.high_lead), planes.high);
            planes.pairs = third.high_bits();
        }
        planes
    }
}

/// Writes the units, out of eight from the first or second half of the planes, whose bit is set.
#[inline(always)]
fn put<S: Sixteen, U: Wide, const FOUR: bool>(
    [low, high, highest]: [S; 3],
    second: bool,
    kept: u64,
    reserved: &mut Reserved<'_>,
) {
    let zip = |a: S, b: S| a.interleave(b)[usize::from(second)];
    let places = &LANE_PACK_SHUFFLES[kept as usize & 0xFF];
    let count = (kept & 0xFF).count_ones() as usize;
    let zero = low.xor(low);
    let units = if U::BIG_ENDIAN { zip(high, low) } else { zip(low, high) };
    let above = match (FOUR, U::BIG_ENDIAN) {
        (false, _) => zero,
        (true, false) => zip(highest, zero).shuffle(places),
        (true, true) => zip(zero, highest).shuffle(places),
    };
    put_units::<S, U>(units.shuffle(places), above, count, reserved);
}

/// Writes the first `count` of eight units of two bytes, or of four with `above`.
#[inline(always)]
fn put_units<S: Sixteen, U: Wide>(units: S, above: S, count: usize, reserved: &mut Reserved<'_>) {
    if U::UNIT == 2 {
        return reserved.push_units::<2>(units.to_bytes(), count);
    }
    let [one, two] = if U::BIG_ENDIAN { above.interleave_16(units) } else { units.interleave_16(above) };
    reserved.push_units::<4>([one.to_bytes(), two.to_bytes()].as_flattened(), count);
}

/// Writes every third of sixteen units, starting with `first`.
#[inline(always)]
fn put_threes<S: Sixteen, U: Wide>(planes: [S; 2], first: usize, reserved: &mut Reserved<'_>) {
    let places = &EVERY_THIRD_POSITION[first];
    let (low, high) = (planes[0].shuffle(places), planes[1].shuffle(places));
    let [units, _] = if U::BIG_ENDIAN { high.interleave(low) } else { low.interleave(high) };
    put_units::<S, U>(units, low.xor(low), (18 - first) / 3, reserved);
}

/// For each pattern of eight, the positions of the two-byte lanes whose bit is set, in order.
static LANE_PACK_SHUFFLES: [[u8; 16]; 256] = {
    let mut all = [[ZERO_LANE; 16]; 256];
    let mut pattern = 1_usize;
    while pattern < 256 {
        // The lane of the highest bit comes last.
        let lane = pattern.ilog2();
        let others = pattern ^ 1 << lane;
        let kept = others.count_ones() as usize;
        all[pattern] = all[others];
        all[pattern][2 * kept] = 2 * lane as u8;
        all[pattern][2 * kept + 1] = 2 * lane as u8 + 1;
        pattern += 1;
    }
    all
};

/// Every third byte of a block, starting with the first, second or third.
const EVERY_THIRD_BIT: [u64; 3] = [0x9249_2492_4924_9249, 0x2492_4924_9249_2492, 0x4924_9249_2492_4924];

/// [`EVERY_THIRD_BIT`] for sixteen bytes, as positions.
const EVERY_THIRD_POSITION: [[u8; 16]; 3] = {
    let mut all = [[ZERO_LANE; 16]; 3];
    let mut place = 0;
    while place < 16 {
        all[place % 3][place / 3] = place as u8;
        place += 1;
    }
    all
};
