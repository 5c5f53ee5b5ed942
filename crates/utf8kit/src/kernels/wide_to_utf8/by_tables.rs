//! Drops absent bytes sixteen bytes at a time, by tables of shuffles.

use super::ascii::any_bits;
use super::shuffles::Shuffles;
use super::source::{Source, step, vector};
use super::{Constants, FourByteSequences, Narrow, clear, item, most};
use crate::kernels::{lanes_of, select};
use crate::out::{Out, Reserved};
use crate::simd::{Kernel, Sixteen, Token, Vector};

impl<'o, S: Source> Narrow<'_, '_, 'o, S> {
    /// Converts the last units, fewer than a vector, or the units up to an error or near the end of the output. May
    /// stop before the output is full; the caller converts the units that still fit item by item.
    #[inline(always)]
    pub(super) fn last_by_tables<T: Token>(self, token: T, constants: &Constants<T::Vector>) -> (usize, Out<'o>) {
        if T::Vector::LEN > 16 {
            return self.call(token.half());
        }
        let Narrow { bytes, mut out, source, four_bytes, .. } = self;
        let len = step::<S, T::Vector>();
        let mut at = 0;
        if bytes.len() >= len {
            // There is an error among them, or the capacity is small.
            for _ in 0..len / S::UNIT {
                at += item(source, &bytes[at..], four_bytes, &mut out).unwrap_or(0);
            }
        } else {
            while at < bytes.len()
                && let Some(mut reserved) = out.reserve(most::<S, T::Vector>())
            {
                // NULs fill up the last units, and are taken back.
                let (mut units, rest) = ([0; 4 * 16], &bytes[at..]);
                units[..rest.len()].copy_from_slice(rest);
                let done = constants.units_by_tables::<T, S>(token, &units[..len], four_bytes, &mut reserved);
                let Some(done) = done else { break };
                let here = done.min(rest.len() / S::UNIT);
                reserved.take_back(done - here);
                at += here * S::UNIT;
            }
        }
        (at / S::UNIT, out)
    }
}

/// Sequences of up to three bytes, as if no unit were a surrogate, in the order that takes the fewest instructions:
/// [last, -] and [lead of three, middle].
struct Sequences<V> {
    last: V,
    /// In sequences of two bytes, the second byte is the lead; in ASCII, both are meaningless.
    before: V,
    /// Which sequences have three bytes.
    three: V,
    /// Its highest bits are set exactly in the lower bytes of surrogates.
    surrogates: V,
}

impl<V: Vector> Constants<V> {
    /// Converts some units, up to a high surrogate at the end of a vector; returns their number. `None` if the first
    /// vector is invalid.
    #[inline(always)]
    pub(super) fn units_by_tables<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        units: &[u8],
        four_bytes: bool,
        reserved: &mut Reserved<'_>,
    ) -> Option<usize> {
        let (first, second) = units.split_at(vector::<S, V>());
        if second.is_empty() {
            return self.vector_by_tables::<T, S>(token, first, four_bytes, reserved);
        }
        let above_bmp = S::UNIT == 4 && any_bits(token, units, S::ABOVE_BMP);
        let (lanes, next) = (S::lanes(token, first), S::lanes(token, second));
        if !above_bmp && !lanes.or(next).and(self.above_two).any() {
            self.put_two_of(lanes, reserved);
            self.put_two_of(next, reserved);
            return Some(V::LEN);
        }
        let both = [self.sequences_by_tables(lanes), self.sequences_by_tables(next)];
        if above_bmp || both[0].surrogates.or(both[1].surrogates).any_high() {
            let done = self.vector_by_tables::<T, S>(token, first, four_bytes, reserved)?;
            if done < V::LEN / 2 {
                return Some(done);
            }
            let more = self.vector_by_tables::<T, S>(token, second, four_bytes, reserved);
            return Some(done + more.unwrap_or(0));
        }
        if !both[0].three.and(both[1].three).equal(self.zero).any() {
            self.put_only_three(lanes, reserved);
            self.put_only_three(next, reserved);
        } else {
            put_three(&both[0], reserved);
            put_three(&both[1], reserved);
        }
        Some(V::LEN)
    }

    #[inline(always)]
    fn sequences_by_tables(&self, lanes: V) -> Sequences<V> {
        let top = lanes.shift_right_16::<11>();
        let three = top.greater_signed_16(self.zero);
        let before = self.before(lanes).or(self.lead_of_three_and_two).xor(three.and(self.second_bit_6));
        Sequences { last: self.last(lanes), before, three, surrogates: top.equal(self.surrogate) }
    }

    /// Returns the bits of a unit above its lowest six, as [the top four, the others].
    #[inline(always)]
    fn before(&self, lanes: V) -> V {
        lanes.shift_right_16::<12>().or(lanes.shift_left_16::<2>().and(self.second_six))
    }

    /// [`Constants::units_by_tables`] for a vector.
    #[inline(always)]
    fn vector_by_tables<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        units: &[u8],
        four_bytes: bool,
        reserved: &mut Reserved<'_>,
    ) -> Option<usize> {
        if S::UNIT == 1 {
            self.put_latin1(S::lanes(token, units), reserved);
            return Some(V::LEN);
        }
        if S::UNIT == 4 && any_bits(token, units, S::ABOVE_BMP) {
            let lanes = S::lanes(token, units);
            let above = S::lanes_above(token, units);
            let FourByteSequences { sequences, more } = self.sequences_above_bmp(token, [lanes, above], four_bytes)?;
            put_fours(sequences, more, &FOUR_BYTE_SHUFFLES, reserved);
            return Some(V::LEN / 2);
        }
        let lanes = S::lanes_in_bmp(token, units);
        if !lanes.and(self.above_two).any() {
            self.put_two_of(lanes, reserved);
            return Some(V::LEN / 2);
        }
        self.any_units_by_tables::<T, S>(token, lanes, four_bytes, reserved)
    }

    /// [`Constants::vector_by_tables`] for lanes of any units up to FFFF.
    #[inline(always)]
    pub(super) fn any_units_by_tables<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        lanes: V,
        four_bytes: bool,
        reserved: &mut Reserved<'_>,
    ) -> Option<usize> {
        let sequences = self.sequences_by_tables(lanes);
        if sequences.surrogates.any_high() {
            return if S::UNIT == 2 {
                self.surrogates_by_tables(token, lanes, sequences, four_bytes, reserved)
            } else {
                None
            };
        }
        put_three(&sequences, reserved);
        Some(V::LEN / 2)
    }

    /// Converts lanes that include surrogates, given the sequences built as if there were none.
    #[inline(always)]
    fn surrogates_by_tables<T: Token<Vector = V>>(
        &self,
        token: T,
        lanes: V,
        sequences: Sequences<V>,
        four_bytes: bool,
        reserved: &mut Reserved<'_>,
    ) -> Option<usize> {
        let ten = lanes.shift_right_16::<10>();
        let is = |top: u8| ten.equal(lanes_of(token, top >> 2, 0)).greater_signed_16(lanes_of(token, 0, 0xFF));
        let (first, second) = (is(0xD8), is(0xDC));
        let (first_bits, all) = (first.high_bits(), u64::MAX >> (64 - V::LEN));
        if second.high_bits() != first_bits << 2 & all {
            return None;
        }
        let cut_off = first_bits >> (V::LEN - 1) == 1;
        if !four_bytes {
            put_three(&sequences, reserved);
            reserved.take_back(if cut_off { 3 } else { 0 });
            return Some(V::LEN / 2 - usize::from(cut_off));
        }
        // uuuuu: bits 6 to 9, plus 1 for the offset of 10000 in pairs.
        let plane = lanes.shift_right_16::<6>().and(lanes_of(token, 0x0F, 0)).sub(lanes_of(token, 0xFF, 0));
        let lead = plane.shift_left_16::<6>().or(lanes_of(token, 0, 0xF0));
        let second_byte = plane
            .and(lanes_of(token, 0x03, 0))
            .shift_left_16::<4>()
            .or(lanes.shift_right_16::<2>().and(lanes_of(token, 0x0F, 0)))
            .or(self.low_bit_7);
        // The third byte is the unit's third byte, with two bits of the first half in place of two ones.
        let of_first = lanes.prev2(self.zero).shift_left_16::<12>();
        let missing = clear(of_first, lanes_of(token, 0, 0x30)).and(second);
        let pairs = Sequences {
            last: select(first, second_byte, sequences.last),
            before: select(first, lead, sequences.before.xor(missing)),
            three: clear(first.or(second), sequences.three),
            ..sequences
        };
        put_three(&pairs, reserved);
        reserved.take_back(if cut_off { 2 } else { 0 });
        Some(V::LEN / 2 - usize::from(cut_off))
    }

    /// Writes bytes of Latin-1.
    #[inline(always)]
    fn put_latin1(&self, bytes: V, reserved: &mut Reserved<'_>) {
        let not_ascii = self.zero.greater_signed(bytes);
        let lead = bytes.shift_right::<6>().or(self.lead_of_two);
        let last = clear(not_ascii.and(self.bit_6), bytes);
        let not_ascii = not_ascii.high_bits();
        for (half, pairs) in lead.interleave(last).into_iter().enumerate() {
            put_two(pairs, not_ascii >> (half * V::LEN / 2), reserved);
        }
    }

    /// Writes units that make three bytes each.
    #[inline(always)]
    fn put_only_three(&self, lanes: V, reserved: &mut Reserved<'_>) {
        let last = lanes.and(self.low_six).or(self.low_bit_7);
        let before = self.before(lanes).or(self.lead_of_three_and_two.xor(self.second_bit_6));
        for four in 0..V::LEN / 8 {
            let (bytes, _) = THREE_BYTE_SHUFFLES.kept(quarter(last.interleave_16(before), four), 0xFF);
            reserved.push_front_of(&bytes.to_bytes(), 12);
        }
    }

    /// Writes units below 800.
    #[inline(always)]
    fn put_two_of(&self, lanes: V, reserved: &mut Reserved<'_>) {
        let pairs = self.two(lanes);
        // The highest bit of the last byte is clear in ASCII.
        put_two(pairs, pairs.high_bits_16(), reserved);
    }
}

/// Writes lanes of [lead, last], or [-, ASCII] where `not_ascii` has no bit.
#[inline(always)]
fn put_two<V: Vector>(pairs: V, not_ascii: u64, reserved: &mut Reserved<'_>) {
    for eight in 0..V::LEN / 16 {
        let (bytes, len) = TWO_BYTE_SHUFFLES.kept(pairs.sixteen(eight), not_ascii >> (8 * eight));
        reserved.push_front_of(&bytes.to_bytes(), len);
    }
}

/// Writes sequences of at most three bytes.
#[inline(always)]
fn put_three<V: Vector>(sequences: &Sequences<V>, reserved: &mut Reserved<'_>) {
    // In the lower byte of a lane, the highest bit comes from the last byte, where it is clear in ASCII. Not by `or`,
    // which LLVM turns into a select of two instructions.
    let more = sequences.last.max(sequences.three);
    put_fours(sequences.last.interleave_16(sequences.before), more, &THREE_BYTE_SHUFFLES, reserved);
}

/// Returns four sequences of four bytes each from two vectors.
#[inline(always)]
fn quarter<V: Vector>(sequences: [V; 2], four: usize) -> V::Sixteen {
    sequences[four / (V::LEN / 16)].sixteen(four % (V::LEN / 16))
}

/// Writes sequences of four bytes without the bytes that are absent, by a table that is indexed by two bits per
/// sequence from the lanes of `more`.
#[inline(always)]
fn put_fours<V: Vector>(sequences: [V; 2], more: V, table: &Shuffles, reserved: &mut Reserved<'_>) {
    let more = more.high_bits();
    for four in 0..V::LEN / 8 {
        let (bytes, len) = table.kept(quarter(sequences, four), more >> (8 * four));
        reserved.push_front_of(&bytes.to_bytes(), len);
    }
}

/// Eight sequences of [lead, last], indexed by which of them have a lead.
static TWO_BYTE_SHUFFLES: Shuffles = Shuffles::of_sequences(1, &[&[1], &[0, 1]]);

/// Four sequences of [last, -, lead, middle], indexed by which of them have a middle (bits 0, 2, 4 and 6) and a lead.
static THREE_BYTE_SHUFFLES: Shuffles = Shuffles::of_sequences(2, &[&[0], &[3, 0], &[3, 0], &[2, 3, 0]]);

/// Four sequences of [lead, second, middle, last], indexed by how many bytes precede the last: two bits each.
static FOUR_BYTE_SHUFFLES: Shuffles = Shuffles::of_sequences(2, &[&[3], &[2, 3], &[1, 2, 3], &[0, 1, 2, 3]]);
