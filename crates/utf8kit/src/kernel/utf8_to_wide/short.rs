//! Converts short inputs as a whole: by masked loads, or sixteen bytes at a time.
//!
//! With a single branch, on whether all is well formed: successive inputs are of all lengths and scripts. 0 to 64 bytes
//! take 0.55 of the time, and 65 to 200 bytes 0.67, that windows of a block take; eight units at a time to UTF-8 take
//! 0.6 and 0.78; sixteen bytes to Latin-1 0.5 and 0.94 (AVX2, Zen 5, 2026-11-22).
//!
//! # Tried
//! A test for ASCII before it, by words: 0.9 of the time for 4,096 inputs of 0 to 16 bytes in all scripts, whose order
//! the predictor learns, and 1.25 for 32,768. Only to Latin-1, whose sources are mostly ASCII, is it worth its branch:
//! 0.4 to 0.45 of the time.

use core::marker::PhantomData;
use core::mem;

use super::by_compress::places_in;
use super::{BLOCK, Constants, SPILL, Shifted};
use crate::arch::{Kernel, Masked, Token, Vector};
use crate::grammar::Grammar;
use crate::kernel::{rest_from, validate::FILLER};
use crate::out::Out;
use crate::scalar::convert::Wide;

/// Converts a few blocks with room for the result, all or nothing, without branching on what they hold: successive
/// short inputs are of all lengths and scripts. `ONE`: a single block, which needs no loop. For levels with masked
/// loads.
pub(crate) struct WidenMasked<'a, 'o, U, const ONE: bool> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) target: PhantomData<U>,
}

impl<U: Wide, const ONE: bool> Kernel for WidenMasked<'_, '_, U, ONE> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let WidenMasked { grammar, bytes, out: theirs, .. } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::<_, false>::new(token, grammar);
        let start = out.written();
        let mut before = constants.zero;
        let mut suspects = constants.zero;
        let filler = token.splat(FILLER);
        let mut this = token.load_front(bytes, FILLER);
        let (mut at, mut room) = (0, true);
        while ONE && at == 0 || at < bytes.len() {
            let next = if ONE { filler } else { token.load_front(rest_from(bytes, at + BLOCK), FILLER) };
            let (prev1, prev2, prev3) = (this.prev1(before), this.prev2(before), this.prev3(before));
            suspects = suspects.or(constants.tables.pairs(this, [prev1, prev2, prev3]));
            let continuations = |bytes: T::Vector| constants.start.greater_signed(bytes).high_bits();
            let ends = !(continuations(this) >> 1 | continuations(next) << 63);
            let masked = (this.masked(), prev1.masked(), prev2.masked(), prev3.masked());
            let (Some(a), Some(b), Some(c), Some(d)) = masked else {
                room = false;
                break;
            };
            let units = constants.units_by_six_bits::<U, true>(a, b, c, d);
            let here = (bytes.len() - at).min(BLOCK);
            let wanted = u64::MAX.checked_shr((BLOCK - here) as u32).unwrap_or(0);
            let kept = (ends | units.pairs) & wanted;
            if let (Some(low), Some(high)) = (units.low.masked(), units.high.masked())
                && let Some(low) = low.compress(kept).masked()
            {
                let high = high.compress(kept);
                let count = kept.count_ones() as usize * U::UNIT;
                let [first, second, ..] = const { places_in::<U>([Some(0), Some(BLOCK), None, None]) };
                room &= out.push_lanes(low.of_both(high, &first.0, first.1), count.min(BLOCK))
                    && out.push_lanes(low.of_both(high, &second.0, second.1), count.saturating_sub(BLOCK));
            }
            (before, this) = (this, next);
            at += BLOCK;
            if ONE {
                break;
            }
        }
        suspects = suspects.or(constants.tables.incomplete_at_end(before));
        if !room || suspects.any() {
            out.take_back(out.written() - start);
            *theirs = out;
            return false;
        }
        *theirs = out;
        true
    }
}

/// [`WidenMasked`] on levels that shuffle sixteen bytes: so many at a time, the last ones followed by ASCII.
pub(crate) struct WidenShort<'a, 'o, U, const WELL_FORMED: bool> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) target: PhantomData<U>,
}

impl<U: Wide, const WELL_FORMED: bool> Kernel for WidenShort<'_, '_, U, WELL_FORMED> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        if T::Vector::LEN > SIXTEEN {
            return self.call(token.half());
        }
        let WidenShort { grammar, bytes, out, .. } = self;
        let constants = Constants::<_, WELL_FORMED>::new(token, grammar);
        let Some(mut room) = out.room_for(bytes.len() * U::UNIT + SPILL) else { return false };
        let (mut before, mut suspects) = (constants.zero, constants.zero);
        let (mut rest, mut may_go_on) = (bytes, 0);
        loop {
            let this = token.load_front(rest, FILLER);
            let (prev1, prev2, prev3) = (this.prev1(before), this.prev2(before), this.prev3(before));
            if !WELL_FORMED {
                suspects = suspects.or(constants.tables.pairs(this, [prev1, prev2, prev3]));
            }
            let continuations = constants.start.greater_signed(this).high_bits();
            // The previous sixteen bytes were taken to end a sequence.
            room.take_back((continuations & may_go_on) as usize * U::UNIT);
            let shifted = Shifted { next: constants.zero, this, prev1, prev2, prev3 };
            let pairs = constants.put_sixteen::<U>(shifted, !(continuations >> 1), rest.len(), &mut room);
            if rest.len() < SIXTEEN {
                break;
            }
            (before, may_go_on) = (this, !pairs >> (SIXTEEN - 1) & 1);
            rest = &rest[SIXTEEN..];
        }
        if suspects.any() {
            room.keep(0, 0);
            return false;
        }
        true
    }
}

/// The bytes of the shortest vector.
const SIXTEEN: usize = 16;
