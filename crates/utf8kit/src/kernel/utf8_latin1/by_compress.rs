//! Drops leads by a compress: one block at a time.

use core::mem;

use super::{ToLatin1, by_items};
use crate::arch::{BLOCK, Kernel, Masked, Token, Vector};
use crate::kernel::rest_from;
use crate::kernel::validate::FILLER;
use crate::out::{Out, Rewrite};

impl<'o> ToLatin1<'_, 'o> {
    /// Converts consecutive blocks, wherever sequences begin, so that no load waits for the previous block.
    #[inline(always)]
    pub(super) fn by_compress<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let ToLatin1 { bytes, out, nul } = self;
        let (mut at, mut out) = match nul {
            true => token.run(Blocks::<true> { bytes, out }),
            false => token.run(Blocks::<false> { bytes, out }),
        };
        let constants = Constants::new(token);
        let carry = Carry::after(&bytes[..at]);
        let (end, carry) = constants.masked_blocks::<_, false>(token, bytes, (at, carry), nul, &mut out);
        at = end - carry.continuation as usize;
        let rest = &bytes[at..bytes.len().min(at + BLOCK + 1)];
        (at + by_items(rest, nul, &mut out), out)
    }
}

/// [`ToLatin1`] for a few blocks, by masked loads, all or nothing, without testing for ASCII. `ONE`: a single block,
/// which needs no loop.
pub(crate) struct ToLatin1Masked<'a, 'o, const ONE: bool> {
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) nul: bool,
}

impl<const ONE: bool> Kernel for ToLatin1Masked<'_, '_, ONE> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let ToLatin1Masked { bytes, out: theirs, nul } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let start = out.written();
        let (at, carry) =
            constants.masked_blocks::<_, ONE>(token, bytes, (0, Carry::default()), nul, &mut out);
        let done = at == bytes.len() && carry == Carry::default();
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

/// Converts blocks up to one that is invalid, or where room is short; returns how many bytes. On levels with masks. A
/// separate function, so that the loop has all registers.
struct Blocks<'a, 'o, const NUL: bool> {
    bytes: &'a [u8],
    out: Out<'o>,
}

impl<'o, const NUL: bool> Kernel for Blocks<'_, 'o, NUL> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Blocks { bytes, mut out } = self;
        let constants = Constants::new(token);
        // The other blocks have a byte before them.
        let (at, carry) =
            constants.masked_blocks::<_, true>(token, bytes, (0, Carry::default()), NUL, &mut out);
        if at == 0 {
            return (at, out);
        }
        let dropping = DroppingLeads::<_, NUL> { constants, continuation: carry.continuation };
        (out.rewrite_blocks(token, bytes, at, dropping), out)
    }
}

/// Converts whole blocks.
struct DroppingLeads<V, const NUL: bool> {
    constants: Constants<V>,
    /// As in [`Carry`].
    continuation: u64,
}

impl<V: Vector, const NUL: bool> Rewrite<V, 1> for DroppingLeads<V, NUL> {
    const TOGETHER: usize = 2;

    #[inline(always)]
    fn keeps(&self, this: V) -> bool {
        // One test for both: each separately predicted branch makes the others harder to predict.
        NUL && this.high_bits() | self.continuation == 0
    }

    #[inline(always)]
    fn rewrite(&mut self, this: V, before: V) -> Option<[(V, usize); 1]> {
        let constants = &self.constants;
        // Not what is at least `start`: this mask is used as it is.
        let kept = constants.last_kept.masked()?.at_least(this);
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
        self.continuation = leads >> (BLOCK - 1);
        // The lowest bit of a lead; that of ASCII does not matter, as ASCII follows it.
        let bit_6 = before.shift_left_16::<6>().and_both(this.shift_right_16::<1>(), constants.bit_6);
        Some([(this.xor(bit_6).masked()?.compress(kept), kept.count_ones() as usize)])
    }
}

/// The result of converting a block.
struct Latin<V> {
    bytes: V,
    len: usize,
    /// What the next block begins with.
    carry: Carry,
}

/// What one block carries to the next, each 0 or 1: whether it ended with a lead, and whether that was C3.
#[derive(Clone, Copy, Default, PartialEq)]
struct Carry {
    continuation: u64,
    bit_6: u64,
}

impl Carry {
    /// Returns what a block after these bytes begins with.
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

impl<V: Vector> Constants<V> {
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

    /// Converts blocks without a test for ASCII, up to what is invalid or lacks room, to the last byte. Returns
    /// where that is, and the carry there.
    #[inline(always)]
    fn masked_blocks<T: Token<Vector = V>, const ONE: bool>(
        &self,
        token: T,
        bytes: &[u8],
        (mut at, mut carry): (usize, Carry),
        nul: bool,
        out: &mut Out<'_>,
    ) -> (usize, Carry) {
        while at < bytes.len() {
            let (this, len) = (token.load_front(rest_from(bytes, at), FILLER), (bytes.len() - at).min(BLOCK));
            let Some(latin) = self.latin(this, len, carry, nul) else { break };
            if !out.push_lanes(latin.bytes, latin.len) {
                break;
            }
            (at, carry) = (at + len, latin.carry);
            if ONE {
                break;
            }
        }
        (at, carry)
    }

    /// Converts the first `len` bytes of a block, at least one, followed by ASCII. `None` if they are invalid.
    #[inline(always)]
    fn latin(&self, this: V, len: usize, carry: Carry, nul: bool) -> Option<Latin<V>> {
        let masked = this.masked()?;
        let last = len as u32 - 1;
        let wanted = u64::MAX >> (BLOCK as u32 - 1 - last);
        let leads = masked.at_least(self.start);
        let latin = this.and(self.all_but_lowest).equal(self.lead).high_bits();
        let expected = (leads << 1 | carry.continuation) & wanted;
        // One test for both: each separately predicted branch makes the others harder to predict.
        if (leads ^ latin) | (this.high_bits() ^ leads ^ expected) != 0 {
            return None;
        }
        // Not part of that test, which would then be computed for all dialects.
        if !nul && this.equal(self.zero).high_bits() & wanted != 0 {
            return None;
        }
        let bit_6 = this.equal(self.lead_with_bit_6).high_bits();
        let values = masked.blend(bit_6 << 1 | carry.bit_6, this.sub(self.start)); // C0 is minus 40
        let kept = !leads & wanted;
        Some(Latin {
            bytes: values.masked()?.compress(kept),
            len: kept.count_ones() as usize,
            carry: Carry { continuation: leads >> last & 1, bit_6: bit_6 >> last & 1 },
        })
    }
}
