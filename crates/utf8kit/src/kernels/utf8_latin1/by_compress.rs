//! Drops leads by a compress: one block at a time.

use core::mem;

use super::{ToLatin1, ToLatin1Short, by_items};
use crate::kernels::rest_from;
use crate::kernels::tables::FILLER;
use crate::out::{Out, Rewrite};
use crate::simd::{BLOCK_BYTES, Kernel, Masked, MaskedToken, Token, Variants};

impl<'o> ToLatin1<'_, 'o> {
    /// Converts consecutive blocks, wherever sequences begin, so that no load waits for the previous block.
    #[inline(always)]
    pub(super) fn blocks_by_compress<T: MaskedToken>(self, token: T) -> (usize, Out<'o>) {
        let ToLatin1 { bytes, out, nul } = self;
        let (mut at, mut out) = match nul {
            true => token.run(Blocks::<true> { bytes, out }),
            false => token.run(Blocks::<false> { bytes, out }),
        };
        let constants = Constants::new(token);
        let mut carry = Carry::after(&bytes[..at]);
        while at < bytes.len()
            && let Some(after) = constants.masked_block(token, rest_from(bytes, at), carry, nul, &mut out)
        {
            (at, carry) = (bytes.len().min(at + BLOCK_BYTES), after);
        }
        at -= carry.continuation as usize;
        let rest = &bytes[at..bytes.len().min(at + BLOCK_BYTES + 1)];
        (at + by_items(rest, nul, &mut out), out)
    }
}

impl ToLatin1Short<'_, '_> {
    /// Converts a block at a time, the last one by a masked load.
    #[inline(always)]
    pub(super) fn blocks<T: MaskedToken>(self, token: T) -> bool {
        let ToLatin1Short { bytes, out: theirs, nul } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let (start, mut rest, mut carry) = (out.written(), bytes, Some(Carry::default()));
        while let Some(before) = carry
            && rest.len() > BLOCK_BYTES
        {
            carry = constants.masked_block(token, rest, before, nul, &mut out);
            rest = rest_from(rest, BLOCK_BYTES);
        }
        let last = carry.and_then(|before| constants.masked_block(token, rest, before, nul, &mut out));
        let done = last == Some(Carry::default());
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

/// Converts blocks until one is invalid or the capacity is too small; returns the number of bytes. On levels with
/// masks. A separate function, so that the loop has all registers.
struct Blocks<'a, 'o, const NUL: bool> {
    bytes: &'a [u8],
    out: Out<'o>,
}

impl<'o, const NUL: bool> Kernel for Blocks<'_, 'o, NUL> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        token.by_variant(self)
    }
}

impl<'o, T: Token, const NUL: bool> Variants<T> for Blocks<'_, 'o, NUL> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn by_tables(self, _: T) -> (usize, Out<'o>) {
        (0, self.out)
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> (usize, Out<'o>)
    where
        T: MaskedToken,
    {
        let Blocks { bytes, mut out } = self;
        let constants = Constants::new(token);
        // All other blocks have a byte before them.
        let first = out.first_block(bytes.len());
        let Some(carry) = constants.masked_block(token, &bytes[..first], Carry::default(), NUL, &mut out) else {
            return (0, out);
        };
        let dropping = DroppingLeads::<_, NUL> { constants, continuation: carry.continuation };
        (out.rewrite_blocks(token, bytes, first, dropping), out)
    }
}

/// Converts whole blocks.
struct DroppingLeads<V, const NUL: bool> {
    constants: Constants<V>,
    /// As in [`Carry`].
    continuation: u64,
}

impl<V: Masked, const NUL: bool> Rewrite<V, 1> for DroppingLeads<V, NUL> {
    const BLOCKS_TOGETHER: usize = 2;
    const PREFETCHES: bool = true;

    #[inline(always)]
    fn is_unchanged(&self, this: V) -> bool {
        // One test for both: each separately predicted branch makes the others harder to predict.
        NUL && this.high_bits() | self.continuation == 0
    }

    #[inline(always)]
    fn rewrite(&mut self, this: V, before: V) -> Option<[(V, usize); 1]> {
        let constants = &self.constants;
        // Without comparing with `start`, so that this mask can be used directly.
        let kept = constants.last_kept.at_least(this);
        let leads = !kept;
        let latin = this.and(constants.all_but_lowest).equal(constants.lead).high_bits();
        let expected = leads << 1 | self.continuation;
        // One test for both, as above.
        if (leads ^ latin) | (this.high_bits() ^ leads ^ expected) != 0 {
            return None;
        }
        if !NUL && this.equal(constants.zero).high_bits() != 0 {
            return None;
        }
        self.continuation = leads >> (BLOCK_BYTES - 1);
        // The lowest bit of the last byte. It matters only for a lead, because after ASCII it has no effect.
        let bit_6 = before.shift_left_16::<6>().and_both(this.shift_right_16::<1>(), constants.bit_6);
        Some([(this.xor(bit_6).compress(kept), kept.count_ones() as usize)])
    }
}

/// The result of converting a block.
struct Latin<V> {
    bytes: V,
    len: usize,
    /// The carry into the next block.
    carry: Carry,
}

/// The carry from one block to the next, each 0 or 1: whether the block ended with a lead, and whether the lead was C3.
#[derive(Clone, Copy, Default, PartialEq)]
struct Carry {
    continuation: u64,
    bit_6: u64,
}

impl Carry {
    /// Returns the carry into a block after these bytes.
    #[inline(always)]
    fn after(bytes: &[u8]) -> Carry {
        let last = bytes.last().copied().unwrap_or(0);
        Carry { continuation: u64::from(last >= 0xC0), bit_6: u64::from(last == 0xC3) }
    }
}

/// Constants in registers.
struct Constants<V> {
    zero: V,
    /// The smallest lead.
    start: V,
    /// The upper bits of the leads.
    lead: V,
    all_but_lowest: V,
    lead_with_bit_6: V,
    bit_6: V,
    /// The greatest byte that is not a lead.
    last_kept: V,
}

impl<V: Masked> Constants<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Constants {
            zero: token.splat(0),
            start: token.splat(0xC0),
            lead: token.splat(0xC2),
            all_but_lowest: token.splat(0xFE),
            lead_with_bit_6: token.splat(0xC3),
            bit_6: token.splat(0x40),
            last_kept: token.splat(0xBF),
        }
    }

    /// Converts the first bytes, at most a block, without a test for ASCII. Returns the carry after them; `None` if
    /// they are invalid, or the capacity is too small.
    #[inline(always)]
    fn masked_block<T: Token<Vector = V>>(
        &self,
        token: T,
        bytes: &[u8],
        carry: Carry,
        nul: bool,
        out: &mut Out<'_>,
    ) -> Option<Carry> {
        let latin = self.latin(token.load_front(bytes, FILLER), bytes.len().min(BLOCK_BYTES), carry, nul)?;
        out.push_lanes(latin.bytes, latin.len).then_some(latin.carry)
    }

    /// Converts the first `len` bytes of a block, followed by ASCII. `None` if they are invalid.
    #[inline(always)]
    fn latin(&self, this: V, len: usize, carry: Carry, nul: bool) -> Option<Latin<V>> {
        let wanted = u64::MAX.checked_shr((BLOCK_BYTES - len) as u32).unwrap_or(0);
        let leads = this.at_least(self.start);
        let latin = this.and(self.all_but_lowest).equal(self.lead).high_bits();
        let expected = (leads << 1 | carry.continuation) & wanted;
        // One test for both: each separately predicted branch makes the others harder to predict.
        if (leads ^ latin) | (this.high_bits() ^ leads ^ expected) != 0 {
            return None;
        }
        // A separate test, because a combined one would be computed for all dialects.
        if !nul && this.equal(self.zero).high_bits() & wanted != 0 {
            return None;
        }
        let bit_6 = this.equal(self.lead_with_bit_6).high_bits();
        let values = this.blend(bit_6 << 1 | carry.bit_6, this.sub(self.start)); // C0 is minus 40
        let kept = !leads & wanted;
        let last = |bits: u64| bits.wrapping_shl((BLOCK_BYTES - len) as u32) >> (BLOCK_BYTES - 1);
        Some(Latin {
            bytes: values.compress(kept),
            len: kept.count_ones() as usize,
            carry: Carry { continuation: last(leads), bit_6: last(bit_6) },
        })
    }
}
