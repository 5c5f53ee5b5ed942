//! UTF-8 to Latin-1, judged and converted in one pass.
//!
//! # Algorithm
//! Up to U+00FF there are ASCII, the leads C2 and C3, and continuations, one behind each lead and no other: so a block is
//! well formed if the three make up all its bytes, and the bits of the leads, one place on, are those of the continuations.
//! A continuation behind C3 gets bit 6, and the leads are left out: by a compress where the level has one, else eight bytes
//! at a time by a table of shuffles. A lead that ends a block begins the next one; where there are masks, what is due behind
//! it is a bit that goes from block to block.
//!
//! Forms that write NUL in two bytes have no byte 0: there the kernel stops.
//!
//! # Tried
//! - On avx512, blocks that begin with the lead cut off from the one in front, so that each load waits for that one: text with
//!   accents at 0.64 to 0.68 of simdutf; blocks one behind the other 1.2. Text of which nearly all is ASCII stays behind, at
//!   0.55 to 0.9, where a sketch of the same loop with nothing around it had 1.2; it was not found out why (Zen 5,
//!   2026-11-22).
//! - Whole blocks of ASCII by a copy of the slice: 0.7 to 1.1 of simdutf, by vectors 1.0 to 1.6. Validation first, then the
//!   kernel of UTF-16 with one byte a unit: text with an accent now and then at 0.8 of simdutf, and half as many instructions
//!   again for German (AVX2, Zen 3, 2026-11-21).

use super::validate::{from, is_ascii};
use crate::arch::{BLOCK, Kernel, Masked, Sixteen, Token, Vector};
use crate::encoding::{Latin1, Utf8};
use crate::out::Out;
use crate::scalar::convert::items;
use core::mem;

/// Converts a prefix as far as it is well formed, has a place in Latin-1, and fits; says how much of the input that was.
pub(crate) struct ToLatin1<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    /// NUL is a byte of the dialect.
    pub(crate) nul: bool,
}

impl<'o> Kernel for ToLatin1<'_, 'o> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let ToLatin1 { bytes, mut out, nul } = self;
        let constants = Constants::new(token);
        if constants.zero.masked().is_some() {
            return match nul {
                true => constants.by_masks::<_, true>(token, bytes, out),
                false => constants.by_masks::<_, false>(token, bytes, out),
            };
        }
        let mut rest = bytes;
        while let Some(block) = rest.first_chunk::<BLOCK>() {
            if nul && is_ascii(token, block) {
                if !put_ascii(token, block, &mut out) {
                    break;
                }
                rest = &rest[BLOCK..];
                while let Some(four) = rest.first_chunk::<{ 4 * BLOCK }>()
                    && is_ascii(token, four)
                    && put_ascii(token, four, &mut out)
                {
                    rest = &rest[4 * BLOCK..];
                }
                continue;
            }
            let cut_off = usize::from(block[BLOCK - 1] >= 0xC0);
            if !constants.block(token, block, nul, &mut out) {
                break;
            }
            rest = &rest[BLOCK - cut_off..];
        }
        if rest.len() < BLOCK {
            // Full stops make a block of the last bytes, and are taken back.
            let mut block = [b'.'; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            if constants.block(token, &block, nul, &mut out) {
                out.take_back(BLOCK - rest.len());
                return (bytes.len(), out);
            }
        }
        let done = bytes.len() - rest.len();
        (done + by_items(&rest[..rest.len().min(BLOCK)], nul, &mut out), out)
    }
}

/// The same of a few bytes for which there is room, all or nothing, without asking whether they are ASCII. For levels that
/// load under a mask.
pub(crate) struct ToLatin1Short<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) nul: bool,
}

impl Kernel for ToLatin1Short<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let ToLatin1Short { bytes, out: theirs, nul } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let start = out.written();
        let (mut at, mut due) = (0, Due::default());
        while at < bytes.len() {
            let (this, len) = (token.load_front(from(bytes, at), b'.'), (bytes.len() - at).min(BLOCK));
            let Some(next) = constants.masked_block::<false>(this, len, due, nul, &mut out) else { break };
            (at, due) = (at + BLOCK, next);
        }
        let done = at >= bytes.len() && due == Due::default();
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

/// What the block in front leaves to the next, each 0 or 1: it ended with a lead, and that was C3.
#[derive(Clone, Copy, Default, PartialEq)]
struct Due {
    continuation: u64,
    bit_6: u64,
}

/// Writes whole blocks as they are; `false`, and nothing, if there is no room.
#[inline(always)]
fn put_ascii<T: Token>(token: T, blocks: &[u8], out: &mut Out<'_>) -> bool {
    let Some(mut room) = out.room_for(blocks.len()) else { return false };
    for block in blocks.as_chunks().0 {
        for part in 0..BLOCK / T::Vector::LEN {
            room.push_units::<1>(token.load(block, part).to_bytes(), T::Vector::LEN);
        }
    }
    true
}

/// One after the other, by the definition: where there is an error, or little room.
#[inline(always)]
pub(crate) fn by_items(bytes: &[u8], nul: bool, out: &mut Out<'_>) -> usize {
    let end = bytes.iter().position(|&byte| byte == 0 && !nul).unwrap_or(bytes.len());
    items(Utf8, Latin1, &bytes[..end], out)
}

/// Constants in registers.
struct Constants<V> {
    zero: V,
    /// The smallest byte that is no continuation, as a signed number.
    start: V,
    /// The leads' upper bits.
    lead: V,
    all_but_lowest: V,
    bit_6: V,
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
            bit_6: token.splat(0x40),
            lead_with_bit_6: token.splat(0xC3),
        }
    }

    /// On levels with masks: blocks one behind the other, wherever a sequence begins, so that no load waits for the block in
    /// front.
    #[inline(always)]
    fn by_masks<'o, T: Token<Vector = V>, const NUL: bool>(
        &self,
        token: T,
        bytes: &[u8],
        mut out: Out<'o>,
    ) -> (usize, Out<'o>) {
        let (blocks, tail) = bytes.as_chunks::<BLOCK>();
        let (mut at, mut due) = (0, Due::default());
        for block in blocks {
            let Some(next) = self.masked_block::<true>(token.load(block, 0), BLOCK, due, NUL, &mut out)
            else {
                break;
            };
            (at, due) = (at + BLOCK, next);
        }
        if at == bytes.len() - tail.len()
            && let Some(next) =
                self.masked_block::<true>(token.load_front(tail, b'.'), tail.len(), due, NUL, &mut out)
        {
            (at, due) = (bytes.len(), next);
        }
        at -= due.continuation as usize;
        let rest = &bytes[at..bytes.len().min(at + BLOCK + 1)];
        (at + by_items(rest, NUL, &mut out), out)
    }

    /// Converts the first `len` bytes of a block, behind which there is ASCII; what the next one is due. `None`, and nothing
    /// written, if that cannot be.
    #[inline(always)]
    fn masked_block<const ASCII: bool>(
        &self,
        this: V,
        len: usize,
        due: Due,
        nul: bool,
        out: &mut Out<'_>,
    ) -> Option<Due> {
        let masked = this.masked()?;
        let high = this.high_bits();
        let wanted = u64::MAX.checked_shr((BLOCK - len) as u32).unwrap_or(0);
        if !nul && this.equal(self.zero).high_bits() & wanted != 0 {
            return None;
        }
        if ASCII && high == 0 && due == Due::default() {
            return out.push_lanes(this, len).then_some(due);
        }
        let leads = masked.at_least(self.start);
        let latin = this.and(self.all_but_lowest).equal(self.lead).high_bits();
        // One question for both: each answer that is guessed makes the others harder to guess.
        let due_here = (leads << 1 | due.continuation) & wanted;
        if (leads ^ latin) | (high ^ leads ^ due_here) != 0 {
            return None;
        }
        let bit_6 = this.equal(self.lead_with_bit_6).high_bits();
        let values = masked.blend(bit_6 << 1 | due.bit_6, this.sub(self.start)); // C0 is minus 40
        let kept = !leads & wanted;
        if !out.push_lanes(values.masked()?.compress(kept), kept.count_ones() as usize) {
            return None;
        }
        let last = len.wrapping_sub(1) as u32 & 63;
        let next = Due { continuation: leads >> last & 1, bit_6: bit_6 >> last & 1 };
        Some(if len == 0 { due } else { next })
    }

    /// Converts a block, but for a lead at its end if it has one; `false`, and nothing written, if that cannot be.
    #[inline(always)]
    fn block<T: Token<Vector = V>>(
        &self,
        token: T,
        block: &[u8; BLOCK],
        nul: bool,
        out: &mut Out<'_>,
    ) -> bool {
        let (mut not_ascii, mut leads, mut continuations) = (0, 0, 0);
        for part in 0..BLOCK / V::LEN {
            let this = token.load(block, part);
            let place = part * V::LEN;
            not_ascii |= this.high_bits() << place;
            leads |= this.and(self.all_but_lowest).equal(self.lead).high_bits() << place;
            continuations |= self.start.greater_signed(this).high_bits() << place;
        }
        if not_ascii != leads | continuations || continuations != leads << 1 || !nul && block.contains(&0) {
            return false;
        }
        let Some(mut room) = out.room_for(BLOCK + 16) else { return false };
        let mut before = self.zero;
        for part in 0..BLOCK / V::LEN {
            let this = token.load(block, part);
            let behind = this.prev1(before).shift_left_16::<6>().and(self.bit_6);
            let values = this.or(self.start.greater_signed(this).and(behind));
            before = this;
            let kept = !leads >> (part * V::LEN);
            for half in 0..V::LEN / 8 {
                let kept = (kept >> (8 * half)) as usize & 0xFF;
                let bytes = values.sixteen(half / 2).shuffle(&KEEP[half % 2][kept]).to_bytes();
                room.push_front_of(&bytes, kept.count_ones() as usize);
            }
        }
        true
    }
}

/// Of the first or the second eight of sixteen bytes, the places of those whose bit is set, one after the other.
static KEEP: [[[u8; 16]; 256]; 2] = {
    let mut all = [[[0x80; 16]; 256]; 2];
    let mut pattern = 0;
    while pattern < 256 {
        let (mut place, mut kept) = (0, 0);
        while place < 8 {
            if pattern >> place & 1 == 1 {
                all[0][pattern][kept] = place as u8;
                all[1][pattern][kept] = place as u8 + 8;
                kept += 1;
            }
            place += 1;
        }
        pattern += 1;
    }
    all
};
