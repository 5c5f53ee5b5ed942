//! Drops absent bytes, which are zero, by a compress.

use super::ascii::any_bits;
use super::source::{Source, ends_in_half, step};
use super::{Constants, Narrow, clear, item, most};
use crate::kernels::{lanes_of, repeated, rest_from};
use crate::out::{Out, Reserved};
use crate::simd::{BLOCK_BYTES, Masked, MaskedToken, Token, Vector};

impl<'o, S: Source> Narrow<'_, '_, 'o, S> {
    /// Converts the last units, or the units near the end of the output, by way of a large enough buffer; up to an
    /// error, or as many as fit.
    #[inline(always)]
    pub(super) fn last_by_compress<T: MaskedToken>(
        self,
        token: T,
        constants: &Constants<T::Vector>,
    ) -> (usize, Out<'o>) {
        let Narrow { bytes, mut out, source, four_bytes, .. } = self;
        let (len, width) = (step::<S, T::Vector>(), T::Vector::LEN);
        let mut at = 0;
        while at < bytes.len() {
            let some = &bytes[at..bytes.len().min(at + len)];
            let mut units = [0; 2 * BLOCK_BYTES];
            for part in 0..len / width {
                let vector = token.load_front(rest_from(some, part * width), 0).to_bytes();
                units[part * width..][..width].copy_from_slice(vector.as_ref());
            }
            let mut buffer = [0_u8; 4 * BLOCK_BYTES];
            let mut converted = Out::in_buffer(&mut buffer);
            let done = match converted.reserve(most::<S, T::Vector>()) {
                Some(mut reserved) => {
                    constants.units_by_compress::<T, S>(token, &units[..len], four_bytes, &mut reserved).unwrap_or(0)
                }
                None => 0,
            };
            // NULs fill the vector, and are taken back.
            let nuls = (done * S::UNIT).saturating_sub(some.len()) / S::UNIT;
            let written = converted.written() - nuls;
            if done == 0 || !out.push(&buffer[..written]) {
                // There is an error among them, or the capacity is too small.
                while let Some(len) = item(source, &bytes[at..], four_bytes, &mut out) {
                    at += len;
                }
                break;
            }
            at += (done - nuls) * S::UNIT;
        }
        (at / S::UNIT, out)
    }
}

/// The sequences of units up to FFFF, as if none were a surrogate.
pub(super) struct Sequences<V> {
    /// [-, lead], meaningless where a sequence is not `three`.
    pub(super) leads: V,
    /// [middle, last]: the lead in sequences of two bytes, and [0, ASCII].
    pub(super) pairs: V,
    /// Which sequences have three bytes.
    pub(super) three: V,
    /// Nonzero where a lane is a surrogate.
    pub(super) surrogates: V,
}

/// Lanes that include surrogates.
pub(super) struct Surrogates<V> {
    /// Which lanes are surrogates.
    pub(super) either: u64,
    /// The last two bytes of each lane; for a surrogate, its two bytes.
    pub(super) pairs: V,
}

impl<V: Masked> Constants<V> {
    /// Converts a vector of units, except for a high surrogate at its end; returns how many. `None` if some are
    /// invalid.
    #[inline(always)]
    pub(super) fn units_by_compress<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        bytes: &[u8],
        four_bytes: bool,
        reserved: &mut Reserved<'_>,
    ) -> Option<usize> {
        let lanes = S::lanes(token, bytes);
        if S::UNIT == 4 && any_bits(token, bytes, S::ABOVE_BMP) {
            let above = S::lanes_above(token, bytes);
            for sequences in self.sequences_above_bmp(token, [lanes, above], four_bytes)?.sequences {
                put_present(sequences, present_in_four(token), reserved);
            }
            return Some(V::LEN / 2);
        }
        if !lanes.and(self.above_two).any() {
            self.put_two_by_compress(token, lanes, reserved);
            return Some(V::LEN / 2);
        }
        let sequences = self.sequences_by_compress(lanes);
        if sequences.surrogates.any() {
            return if S::UNIT == 2 {
                let cut_off = ends_in_half::<S>(bytes);
                self.surrogates_by_compress(token, lanes, sequences, cut_off, four_bytes, reserved)
            } else {
                None
            };
        }
        self.put_three_by_compress(token, sequences, reserved);
        Some(V::LEN / 2)
    }

    #[inline(always)]
    pub(super) fn sequences_by_compress(&self, lanes: V) -> Sequences<V> {
        let top = lanes.shift_right_16::<11>();
        let three = top.greater_signed_16(self.zero);
        let middle = self.zero.blend_16(lanes.at_least_16(self.low_bit_7), self.middle(lanes, three));
        Sequences {
            leads: lanes.shift_right_16::<4>().or(self.lead_of_three),
            pairs: middle.or(self.last(lanes).shift_left_16::<8>()),
            three,
            surrogates: top.equal(self.surrogate),
        }
    }

    /// Converts lanes that include surrogates, given the sequences built as if there were none. If all but the
    /// surrogates are below 800, each unit makes at most two bytes.
    #[inline(always)]
    fn surrogates_by_compress<T: Token<Vector = V>>(
        &self,
        token: T,
        lanes: V,
        sequences: Sequences<V>,
        cut_off: bool,
        four_bytes: bool,
        reserved: &mut Reserved<'_>,
    ) -> Option<usize> {
        let Surrogates { either, pairs } = self.halves(token, lanes, sequences.pairs)?;
        if !four_bytes {
            self.put_three_by_compress(token, sequences, reserved);
            reserved.take_back(if cut_off { 3 } else { 0 });
            return Some(V::LEN / 2 - usize::from(cut_off));
        }
        if sequences.three.high_bits_16() & !either == 0 {
            put_present(pairs, lanes_of(token, 1, 0), reserved);
        } else {
            let three = sequences.three.blend_16(either, self.zero);
            self.put_three_by_compress(token, Sequences { pairs, three, ..sequences }, reserved);
        }
        reserved.take_back(if cut_off { 2 } else { 0 });
        Some(V::LEN / 2 - usize::from(cut_off))
    }

    /// Replaces the lanes of surrogates by their two bytes. `None` if one is unpaired.
    #[inline(always)]
    pub(super) fn halves<T: Token<Vector = V>>(&self, token: T, lanes: V, pairs: V) -> Option<Surrogates<V>> {
        let all = u64::MAX >> (64 - V::LEN / 2);
        let above = lanes.sub(lanes_of(token, 0, 0xD8));
        let first = !above.at_least_16(lanes_of(token, 0, 0x04)) & all;
        let either = !above.at_least_16(lanes_of(token, 0, 0x08)) & all;
        if either ^ first != first << 1 & all {
            return None;
        }
        // Plus 40: the 10000 that pairs are offset by, in the bits of a first half.
        let more = lanes.add_16(lanes_of(token, 0x40, 0));
        let lead = more.shift_right_16::<8>().and(lanes_of(token, 0x07, 0));
        let first_half =
            more.shift_left_16::<6>().and(lanes_of(token, 0, 0x3F)).or(lead).or(lanes_of(token, 0xF0, 0x80));
        let of_first = lanes.prev2(self.zero).shift_left_16::<4>().and(lanes_of(token, 0x30, 0));
        let third = lanes.shift_right_16::<6>().and(lanes_of(token, 0x0F, 0)).or(of_first);
        let second_half =
            lanes.shift_left_16::<8>().and(lanes_of(token, 0, 0x3F)).or(third).or(lanes_of(token, 0x80, 0x80));
        let pairs = pairs.blend_16(first, first_half).blend_16(either ^ first, second_half);
        Some(Surrogates { either, pairs })
    }

    /// Writes lanes below 800.
    #[inline(always)]
    fn put_two_by_compress<T: Token<Vector = V>>(&self, token: T, lanes: V, reserved: &mut Reserved<'_>) {
        let last = lanes.shift_left_16::<8>();
        let both = lanes.shift_right_16::<6>().or(last.and(lanes_of(token, 0, 0x3F))).or(lanes_of(token, 0xC0, 0x80));
        let pairs = last.blend_16(lanes.at_least_16(self.low_bit_7), both);
        // All but the first byte of an ASCII lane, which is zero.
        put_present(pairs, lanes_of(token, 1, 0), reserved);
    }

    /// Writes sequences of at most three bytes.
    #[inline(always)]
    fn put_three_by_compress<T: Token<Vector = V>>(
        &self,
        token: T,
        sequences: Sequences<V>,
        reserved: &mut Reserved<'_>,
    ) {
        for sequences in self.in_order(sequences) {
            put_present(sequences, present_in_four(token), reserved);
        }
    }

    /// Returns sequences in four bytes each, in which absent bytes are zero.
    #[inline(always)]
    pub(super) fn in_order(&self, sequences: Sequences<V>) -> [V; 2] {
        clear(self.low, sequences.leads).and(sequences.three).interleave_16(sequences.pairs)
    }
}

/// Returns the smallest byte that is part of a sequence, for each of its four places.
#[inline(always)]
pub(super) fn present_in_four<T: Token>(token: T) -> T::Vector {
    token.table(&repeated([1, 1, 1, 0]))
}

/// Writes the bytes that are at least `present`: 1, but 0 for the last byte of a sequence, which may be a NUL.
#[inline(always)]
fn put_present<V: Masked>(bytes: V, present: V, reserved: &mut Reserved<'_>) {
    let kept = bytes.at_least(present);
    reserved.push_units::<1>(bytes.compress(kept).to_bytes(), kept.count_ones() as usize);
}
