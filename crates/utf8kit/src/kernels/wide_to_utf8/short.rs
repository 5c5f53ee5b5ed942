//! Converts short inputs as a whole, by masked loads or eight units at a time.

use core::marker::PhantomData;
use core::mem;

use super::by_compress::present_in_four;
use super::source::{Source, ends_in_half, swap};
use super::{Constants, most};
use crate::kernels::rest_from;
use crate::out::Out;
use crate::simd::{Kernel, MAX_SHORT_BYTES, Masked, MaskedToken, Short, Token, Variants, Vector};

/// [`super::Narrow`] for a short input of 16-bit units to UTF-8, all or nothing, with no branch on their content except
/// for surrogates.
pub(crate) struct NarrowShort<'a, 'o, S> {
    /// Must be whole units.
    pub(crate) bytes: &'a [u8],
    /// By reference: returned by value, it would be copied through memory, and the copy would stall on the stores.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) source: PhantomData<S>,
}

impl<S: Source> Short for NarrowShort<'_, '_, S> {
    #[inline(always)]
    fn is_for<T: Token>(&self, _: T) -> bool {
        self.bytes.len() <= 2 * MAX_SHORT_BYTES
    }
}

impl<S: Source> Kernel for NarrowShort<'_, '_, S> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        // Empty inputs return at once, because otherwise a caller's branch on the length of the result is mispredicted,
        // and waits for all the vectors.
        self.bytes.is_empty() || token.by_variant(self)
    }
}

impl<T: Token, S: Source> Variants<T> for NarrowShort<'_, '_, S> {
    type Output = bool;

    /// Converts eight units at a time.
    #[inline(always)]
    fn by_tables(self, token: T) -> bool {
        if T::Vector::LEN > 16 {
            let done = self.call(token.half());
            token.clear_other_halves();
            return done;
        }
        let NarrowShort { bytes, out, .. } = self;
        let constants = Constants::new(token);
        // Three bytes per unit, and eight units that may be NULs.
        let Some(mut reserved) = out.reserve(bytes.len() / 2 * 3 + most::<S, T::Vector>()) else {
            return false;
        };
        let mut rest = bytes;
        loop {
            let units = token.load_front(rest, 0);
            let lanes = if S::BIG_ENDIAN { swap(units) } else { units };
            let done = constants.any_units_by_tables::<T, S>(token, lanes, true, &mut reserved);
            // NULs fill the vector, and are taken back; after a high surrogate they are an error.
            let Some(done) = done else {
                reserved.truncate_to(0, 0);
                return false;
            };
            let here = rest.len() / 2;
            reserved.take_back(done.saturating_sub(here));
            if done >= here {
                return true;
            }
            rest = &rest[2 * done..];
        }
    }

    /// Converts a vector at a time, the last one by a masked load.
    #[inline(always)]
    fn by_compress(self, token: T) -> bool
    where
        T: MaskedToken,
    {
        let NarrowShort { bytes, out: theirs, .. } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let (start, mut rest, mut done) = (out.written(), bytes, true);
        while done && rest.len() > T::Vector::LEN {
            done = constants.masked_units::<T, S>(token, rest, &mut out).is_some();
            rest = rest_from(rest, T::Vector::LEN);
        }
        let done = done && constants.masked_units::<T, S>(token, rest, &mut out).is_some();
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

impl<V: Masked> Constants<V> {
    /// Converts the first 16-bit units, at most a vector, with no branch on their content except for surrogates. `None`
    /// if they are invalid, or the capacity is too small; some may have been written.
    #[inline(always)]
    fn masked_units<T: Token<Vector = V>, S: Source>(&self, token: T, bytes: &[u8], out: &mut Out<'_>) -> Option<()> {
        let bytes = &bytes[..bytes.len().min(V::LEN)];
        let (units, count) = (token.load_front(bytes, 0), bytes.len() / 2);
        let lanes = if S::BIG_ENDIAN { swap(units) } else { units };
        let mut sequences = self.sequences_by_compress(lanes);
        if sequences.surrogates.any() {
            let halves = self.halves(token, lanes, sequences.pairs)?;
            if ends_in_half::<S>(bytes) {
                return None;
            }
            sequences.pairs = halves.pairs;
            sequences.three = sequences.three.blend_16(halves.either, self.zero);
        }
        let present = present_in_four(token);
        for (half, sequences) in self.in_order(sequences).into_iter().enumerate() {
            let here = count.saturating_sub(half * V::LEN / 4).min(V::LEN / 4);
            let wanted = u64::MAX.checked_shr((64 - 4 * here) as u32).unwrap_or(0);
            let kept = sequences.at_least(present) & wanted;
            out.push_lanes(sequences.compress(kept), kept.count_ones() as usize).then_some(())?;
        }
        Some(())
    }
}
