//! Converts short inputs as a whole, a block at a time by masked loads, or sixteen bytes at a time.
//!
//! There is a single branch, on whether all is valid, because successive inputs are of all lengths and scripts. A test
//! for ASCII before it pays only where the branch predictor learns the order of the inputs.

use core::marker::PhantomData;
use core::mem;

use super::by_compress::places_in;
use super::{BLOCK_BYTES, Constants, SPILL_BYTES, Shifted};
use crate::grammar::Grammar;
use crate::kernels::{rest_from, tables::FILLER};
use crate::out::Out;
use crate::reference::convert::Wide;
use crate::simd::{Kernel, MAX_SHORT_BYTES, Masked, MaskedToken, PerVariant, Short, Token, Variants, Vector};

/// [`super::Widen`] for a short input to 16-bit units, all or nothing.
pub(crate) struct WidenShort<'a, 'o, U> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    /// By reference: returned by value, it would be copied through memory, and the copy would stall on the stores.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) target: PhantomData<U>,
}

impl<U: Wide> Short for WidenShort<'_, '_, U> {
    #[inline(always)]
    fn is_for<T: Token>(&self, token: T) -> bool {
        // With a compress, units of four bytes are no faster than windows.
        self.bytes.len() <= MAX_SHORT_BYTES
            && (U::UNIT == 2 || token.by_variant(PerVariant { tables: true, compress: false }))
    }
}

impl<U: Wide> Kernel for WidenShort<'_, '_, U> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        // Empty inputs return at once, because otherwise a caller's branch on the length of the result is mispredicted,
        // and waits for all the vectors.
        self.bytes.is_empty() || token.by_variant(self)
    }
}

impl<T: Token, U: Wide> Variants<T> for WidenShort<'_, '_, U> {
    type Output = bool;

    /// Converts sixteen bytes at a time, the last ones followed by ASCII.
    #[inline(always)]
    fn by_tables(self, token: T) -> bool {
        if T::Vector::LEN > MIN_VECTOR_BYTES {
            let done = self.call(token.half());
            token.clear_other_halves();
            return done;
        }
        let WidenShort { grammar, bytes, out, .. } = self;
        let constants = Constants::new(token, grammar);
        let Some(mut reserved) = out.reserve(bytes.len() * U::UNIT + SPILL_BYTES) else { return false };
        let (mut before, mut suspects) = (constants.zero, constants.zero);
        let (mut rest, mut may_go_on) = (bytes, 0);
        loop {
            let this = token.load_front(rest, FILLER);
            let shifted = Shifted::after(before, this, constants.zero);
            suspects = suspects.or(constants.suspects_here(&shifted));
            let continuations = constants.start.greater_signed(this).high_bits();
            // The previous sixteen bytes were assumed to end a sequence.
            reserved.take_back((continuations & may_go_on) as usize * U::UNIT);
            let pairs = constants.put_sixteen::<U>(shifted, !(continuations >> 1), rest.len(), &mut reserved);
            if rest.len() < MIN_VECTOR_BYTES {
                break;
            }
            (before, may_go_on) = (this, !pairs >> (MIN_VECTOR_BYTES - 1) & 1);
            rest = &rest[MIN_VECTOR_BYTES..];
        }
        if suspects.any() {
            reserved.truncate_to(0, 0);
            return false;
        }
        true
    }
    /// Converts a block at a time, the last one by a masked load. All but the last have a byte after them.
    #[inline(always)]
    fn by_compress(self, token: T) -> bool
    where
        T: MaskedToken,
    {
        let WidenShort { grammar, bytes, out: theirs, .. } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token, grammar);
        let start = out.written();
        let (mut before, mut suspects) = (constants.zero, constants.zero);
        let (mut this, mut rest, mut fits) = (token.load_front(bytes, FILLER), bytes, true);
        while rest.len() > BLOCK_BYTES {
            rest = rest_from(rest, BLOCK_BYTES);
            let next = token.load_front(rest, FILLER);
            let shifted = Shifted::after(before, this, next);
            suspects = suspects.or(constants.suspects_here(&shifted));
            fits &= constants.put_masked::<U>(shifted, u64::MAX, &mut out).is_some();
            (before, this) = (this, next);
        }
        let shifted = Shifted::after(before, this, token.splat(FILLER));
        suspects = suspects.or(constants.suspects_here(&shifted)).or(constants.tables.incomplete_at_end(this));
        let wanted = u64::MAX.checked_shr((BLOCK_BYTES - rest.len()) as u32).unwrap_or(0);
        fits &= constants.put_masked::<U>(shifted, wanted, &mut out).is_some();
        let done = fits && !suspects.any();
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

impl<V: Vector> Shifted<V> {
    /// Shifts a vector, given the ones before and after it.
    #[inline(always)]
    fn after(before: V, this: V, next: V) -> Self {
        Shifted { next, this, prev1: this.prev1(before), prev2: this.prev2(before), prev3: this.prev3(before) }
    }
}

impl<V: Vector> Constants<V> {
    /// Returns which bytes of the vector are errors.
    #[inline(always)]
    fn suspects_here(&self, shifted: &Shifted<V>) -> V {
        self.tables.classify(shifted.this, [shifted.prev1, shifted.prev2, shifted.prev3])
    }
}

impl<V: Masked> Constants<V> {
    /// Converts a block without branching on its content; `next` is the block after it. `None` if the capacity is too
    /// small.
    #[inline(always)]
    fn put_masked<U: Wide>(&self, shifted: Shifted<V>, wanted: u64, out: &mut Out<'_>) -> Option<()> {
        let Shifted { next, this, prev1, prev2, prev3 } = shifted;
        let continuations = |bytes: V| self.start.greater_signed(bytes).high_bits();
        let ends = !(continuations(this) >> 1 | continuations(next) << 63);
        let units = self.units_by_six_bits::<U, true>(this, prev1, prev2, prev3);
        let kept = (ends | units.pairs) & wanted;
        let low = units.low.compress(kept);
        let high = units.high.compress(kept);
        let count = kept.count_ones() as usize * U::UNIT;
        let [first, second, ..] = const { places_in::<U>([Some(0), Some(BLOCK_BYTES), None, None]) };
        let done = out.push_lanes(low.of_both(high, &first.0, first.1), count.min(BLOCK_BYTES))
            && out.push_lanes(low.of_both(high, &second.0, second.1), count.saturating_sub(BLOCK_BYTES));
        done.then_some(())
    }
}

/// The bytes of the shortest vector.
const MIN_VECTOR_BYTES: usize = 16;
