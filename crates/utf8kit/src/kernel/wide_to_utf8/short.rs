//! Converts short inputs as a whole: by masked loads, or eight units at a time.

use core::marker::PhantomData;
use core::mem;

use super::by_compress::present_in_four;
use super::source::{Source, swap};
use super::{Constants, Sequences, clear, most};
use crate::arch::{Kernel, Masked, Token, Vector};
use crate::kernel::rest_from;
use crate::out::Out;

/// [`Narrow`] for a few 16-bit units to UTF-8, by masked loads, all or nothing, without branching on what they hold:
/// successive short inputs are of all lengths and scripts. `ONE`: a single vector, which needs no loop.
pub(crate) struct NarrowMasked<'a, 'o, S, const ONE: bool> {
    /// Whole units.
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) source: PhantomData<S>,
}

impl<S: Source, const ONE: bool> Kernel for NarrowMasked<'_, '_, S, ONE> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let NarrowMasked { bytes, out: theirs, .. } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let start = out.written();
        let mut at = 0;
        while at < bytes.len() {
            let units = token.load_front(rest_from(bytes, at), 0);
            let lanes = if S::BIG_ENDIAN { swap(units) } else { units };
            if constants.masked_units(token, lanes, (bytes.len() - at) / 2, &mut out).is_none() {
                out.take_back(out.written() - start);
                *theirs = out;
                return false;
            }
            at += T::Vector::LEN;
            if ONE {
                break;
            }
        }
        *theirs = out;
        true
    }
}

/// [`NarrowMasked`] on levels that shuffle sixteen bytes: eight units at a time, with no branch on what they hold except
/// for surrogates.
pub(crate) struct NarrowShort<'a, 'o, S> {
    /// Whole units.
    pub(crate) bytes: &'a [u8],
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) source: PhantomData<S>,
}

impl<S: Source> Kernel for NarrowShort<'_, '_, S> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        if T::Vector::LEN > 16 {
            return self.call(token.half());
        }
        let NarrowShort { bytes, out, .. } = self;
        let constants = Constants::new(token);
        // Three bytes per unit, and eight units that may be NULs.
        let Some(mut room) = out.room_for(bytes.len() / 2 * 3 + most::<S, T::Vector>()) else { return false };
        let mut rest = bytes;
        loop {
            let units = token.load_front(rest, 0);
            let lanes = if S::BIG_ENDIAN { swap(units) } else { units };
            let not_ascii = constants.not_ascii(lanes);
            let done = constants.any_units_by_tables::<T, S>(token, lanes, not_ascii, true, &mut room);
            // NULs fill the vector, and are taken back; after a high surrogate they are an error.
            let Some(done) = done else {
                room.keep(0, 0);
                return false;
            };
            let here = rest.len() / 2;
            room.take_back(done.saturating_sub(here));
            if done >= here {
                return true;
            }
            rest = &rest[2 * done..];
        }
    }
}

impl<V: Vector> Constants<V> {
    /// Converts the first `count` of a vector of 16-bit units, with no branch on what they hold except for surrogates.
    /// `None` if they are ill-formed, or there is no room.
    #[inline(always)]
    fn masked_units<T: Token<Vector = V>>(
        &self,
        token: T,
        lanes: V,
        count: usize,
        out: &mut Out<'_>,
    ) -> Option<()> {
        let Sequences { leads, mut pairs, mut three, surrogates, .. } =
            self.sequences(lanes, self.not_ascii(lanes));
        if surrogates.any() {
            let halves = self.halves(token, lanes.masked()?, pairs)?;
            if halves.cut_off {
                return None;
            }
            (pairs, three) = (halves.pairs, three.masked()?.blend_16(halves.either, self.zero));
        }
        let present = present_in_four(token);
        for (half, sequences) in
            clear(self.low, leads).and(three).interleave_16(pairs).into_iter().enumerate()
        {
            let sequences = sequences.masked()?;
            let here = count.saturating_sub(half * V::LEN / 4).min(V::LEN / 4);
            let wanted = u64::MAX.checked_shr((64 - 4 * here) as u32).unwrap_or(0);
            let kept = sequences.at_least(present) & wanted;
            out.push_lanes(sequences.compress(kept), kept.count_ones() as usize).then_some(())?;
        }
        Some(())
    }
}
