//! Drops leads by a compress: one block at a time.

use core::mem;

use super::{ToLatin1, by_items};
use crate::arch::{BLOCK, Kernel, Masked, Token, Vector};
use crate::encoding::Latin1;
use crate::kernel::validate::FILLER;
use crate::kernel::{rest_from, wide_to_utf8::Ascii};
use crate::out::Out;

impl<'o> ToLatin1<'_, 'o> {
    /// Converts consecutive blocks, wherever sequences begin, so that no load waits for the previous block.
    #[inline(always)]
    pub(super) fn by_compress<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let ToLatin1 { bytes, out, nul } = self;
        let blocks = bytes.as_chunks().0;
        let Run { blocks: done, carry, mut out } = match nul {
            true => token.run(Blocks::<true> { blocks, out }),
            false => token.run(Blocks::<false> { blocks, out }),
        };
        let constants = Constants::new(token);
        let (mut at, carry) =
            constants.masked_blocks::<_, false>(token, bytes, (done * BLOCK, carry), nul, &mut out);
        at -= carry.continuation as usize;
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

/// Converts blocks up to the first that is invalid or lacks room; on levels with masks. A separate function, so that
/// the loop has all registers.
struct Blocks<'a, 'o, const NUL: bool> {
    blocks: &'a [[u8; BLOCK]],
    out: Out<'o>,
}

/// How far [`Blocks`] got.
struct Run<'o> {
    blocks: usize,
    carry: Carry,
    out: Out<'o>,
}

impl<'o, const NUL: bool> Kernel for Blocks<'_, 'o, NUL> {
    type Output = Run<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Run<'o> {
        let Blocks { blocks, mut out } = self;
        let constants = Constants::new(token);
        let (mut done, mut carry) = (0, Carry::default());
        while let Some(block) = blocks.get(done) {
            let this = token.load(block, 0);
            // One test for both: each separately predicted branch makes the others harder to predict.
            if NUL && this.high_bits() | carry.continuation == 0 {
                let ascii = put_ascii_blocks(token, &blocks[done..], &mut out);
                if ascii == 0 {
                    break;
                }
                done += ascii;
                continue;
            }
            let Some(latin) = constants.latin(this, BLOCK, carry, NUL) else { break };
            let Some(mut room) = out.room_for(BLOCK) else { break };
            room.push_units::<1>(latin.bytes.to_bytes(), latin.len);
            (done, carry) = (done + 1, latin.carry);
        }
        Run { blocks: done, carry, out }
    }
}

/// Copies blocks up to the first that is not ASCII or lacks room; returns how many. For vectors of a whole block.
#[inline(always)]
fn put_ascii_blocks<T: Token>(token: T, blocks: &[[u8; BLOCK]], out: &mut Out<'_>) -> usize {
    out.vectors::<_, Ascii<Latin1>>(token, blocks.as_flattened(), BLOCK)
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

/// Constants in registers.
struct Constants<V> {
    zero: V,
    /// The smallest lead.
    start: V,
    /// The upper bits of the leads.
    lead: V,
    all_but_lowest: V,
    lead_with_bit_6: V,
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
