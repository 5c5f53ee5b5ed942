//! UTF-8 to Latin-1, validated and converted in one pass.
//!
//! # Algorithm
//! Text up to U+00FF consists of ASCII, the leads C2 and C3, and one continuation after each lead: so a block is well
//! formed if the three make up all its bytes, and the bits of the leads, shifted by one, are those of the
//! continuations. A continuation after C3 gets bit 6, and the leads are dropped: by a compress where the level has one,
//! else eight bytes at a time by a table of shuffles. A lead that ends a block begins the next one; on levels with
//! masks, a bit carries what is due from block to block.
//!
//! In forms that write NUL in two bytes, byte 0 is an error: there the kernel stops.
//!
//! Latin-1 to UTF-8 is here for levels with masks: each byte twice, the first copy replaced by C2 as the lead, and a
//! compress that drops the leads of ASCII. The other levels use the method of [`super::wide_to_utf8`] for all units.
//!
//! # Deviations
//! On levels with masks, runs of ASCII have a loop of their own: a load, a test, a store, and one jump, as 64 KiB from
//! and to the L2 cache run at 92 GB/s at most (`memcpy`, by `rep movsb`, 117). Each of these cost time: a second load
//! of the block, a second taken jump, four loads before four stores (74 to 82 GB/s). With that loop, text with
//! occasional accents to Latin-1 runs at 1.2 to 1.35 times simdutf, up from 0.7 to 0.9 (Zen 5, 2026-11-22).
//!
//! # Tried
//! - On avx512, blocks that begin with the lead cut off from the previous one, so that each load waits for that block:
//!   text with accents at 0.64 to 0.68 times simdutf; consecutive blocks 1.1 to 1.2.
//! - Groups of two and four blocks, tested for being all ASCII or for containing none: German at 1.0 and 0.89 times
//!   simdutf, one by one 1.1.
//! - From Latin-1 on avx512, German, half of whose blocks are ASCII, runs at 0.83 times simdutf, mostly ASCII text at
//!   0.9 to 1.03. One loop for both kinds of block, once there is certainly room: 0.92 and 0.7, as ASCII then takes two
//!   jumps. The kept bytes by `pdep` instead of a compare: 0.07 less (Zen 5, 2026-11-22).
//! - Whole blocks of ASCII by a copy of the slice: 0.7 to 1.1 times simdutf, by vectors 1.0 to 1.6. Validation first,
//!   then the kernel of UTF-16 with one byte per unit: text with occasional accents at 0.8 times simdutf, and half as
//!   many instructions again for German (AVX2, Zen 3, 2026-11-21).

use super::validate::{from, is_ascii};
use super::wide_to_utf8::{Ascii, repeated};
use crate::arch::{BLOCK, Kernel, Masked, Sixteen, Token, Vector};
use crate::encoding::{Latin1, Utf8};
use crate::out::{Out, Room};
use crate::scalar::convert::items;
use core::mem;

/// Converts a prefix as long as it is well formed, is in Latin-1, and fits; returns how many input bytes.
pub(crate) struct ToLatin1<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    /// Whether NUL is a byte of the dialect.
    pub(crate) nul: bool,
}

impl<'o> Kernel for ToLatin1<'_, 'o> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let ToLatin1 { bytes, mut out, nul } = self;
        let constants = Constants::new(token);
        if constants.zero.masked().is_some() {
            return constants.by_masks(token, bytes, nul, out);
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
            // Full stops fill the last block; what they become is taken back.
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

/// [`ToLatin1`] for a few bytes with room for the result, all or nothing, without testing for ASCII. `ONE`: a single
/// block, which needs no loop. For levels with masked loads.
pub(crate) struct ToLatin1Short<'a, 'o, const ONE: bool> {
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) nul: bool,
}

impl<const ONE: bool> Kernel for ToLatin1Short<'_, '_, ONE> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let ToLatin1Short { bytes, out: theirs, nul } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let start = out.written();
        let (at, due) = constants.masked_blocks::<_, ONE>(token, bytes, (0, Due::default()), nul, &mut out);
        let done = at == bytes.len() && due == Due::default();
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

/// [`ToLatin1Short`] for fewer than sixteen bytes, on levels that shuffle sixteen bytes.
pub(crate) struct ToLatin1Few<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) nul: bool,
}

impl Kernel for ToLatin1Few<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        if T::Vector::LEN > 16 {
            return self.call(token.half());
        }
        let ToLatin1Few { bytes, out, nul } = self;
        if !nul && bytes.contains(&0) {
            return false;
        }
        // A full stop follows the last byte, so that a sequence cut off there is an error.
        let this = token.load_front(bytes, b'.');
        let constants = Constants::new(token);
        let [not_ascii, leads, continuations] = constants.kinds(this);
        let Some(mut room) = out.room_for(2 * 16) else { return false };
        if not_ascii != leads | continuations || continuations != leads << 1 {
            return false;
        }
        constants.put(this, constants.zero, !leads & !(u64::MAX << bytes.len()), &mut room);
        true
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
    due: Due,
    out: Out<'o>,
}

impl<'o, const NUL: bool> Kernel for Blocks<'_, 'o, NUL> {
    type Output = Run<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Run<'o> {
        let Blocks { blocks, mut out } = self;
        let constants = Constants::new(token);
        let (mut done, mut due) = (0, Due::default());
        while let Some(block) = blocks.get(done) {
            let this = token.load(block, 0);
            // One test for both: each separately predicted branch makes the others harder to predict.
            if NUL && this.high_bits() | due.continuation == 0 {
                let ascii = put_ascii_blocks(token, &blocks[done..], &mut out);
                if ascii == 0 {
                    break;
                }
                done += ascii;
                continue;
            }
            let Some(latin) = constants.latin(this, BLOCK, due, NUL) else { break };
            let Some(mut room) = out.room_for(BLOCK) else { break };
            room.push_units::<1>(latin.bytes.to_bytes(), latin.len);
            (done, due) = (done + 1, latin.due);
        }
        Run { blocks: done, due, out }
    }
}

/// Converts blocks of Latin-1 to UTF-8, as long as there is room for any result; returns how many bytes. Does nothing
/// on levels without masks.
pub(crate) struct FromLatin1<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
}

impl<'o> Kernel for FromLatin1<'_, 'o> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let FromLatin1 { bytes, mut out } = self;
        let pairs = Pairs::new(token);
        if pairs.last.masked().is_none() {
            return (0, out);
        }
        let blocks = bytes.as_chunks::<BLOCK>().0;
        let mut done = 0;
        while let Some(block) = blocks.get(done) {
            let this = token.load(block, 0);
            if !this.any_high() {
                let ascii = put_ascii_blocks(token, &blocks[done..], &mut out);
                if ascii == 0 {
                    break;
                }
                done += ascii;
                continue;
            }
            let Some(mut room) = out.room_for(2 * BLOCK) else { break };
            let Some([first, second]) = pairs.of(this) else { break };
            room.push_units::<1>(first.0.to_bytes(), first.1);
            room.push_units::<1>(second.0.to_bytes(), second.1);
            done += 1;
        }
        (done * BLOCK, out)
    }
}

/// Constants that turn bytes of Latin-1 into pairs of bytes, in registers.
struct Pairs<V> {
    /// The smallest byte whose lead is C3.
    upper: V,
    // For lanes of two bytes:
    not_ascii: V,
    last: V,
    lead: V,
    /// What turns the pair of C2 and a byte into one of C3.
    more: V,
}

impl<V: Vector> Pairs<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        let lane = |low: u8, high: u8| token.table(&repeated([low, high]));
        Pairs {
            not_ascii: lane(0x80, 0),
            upper: token.splat(0xC0),
            last: lane(0, 0xFF),
            lead: lane(0xC2, 0),
            more: lane(0x01, 0xC0),
        }
    }

    /// Returns the bytes of each half of a block, and how many; on levels with masks. Each byte is doubled, the first
    /// copy replaced by C2 as the lead.
    #[inline(always)]
    fn of(&self, bytes: V) -> Option<[(V, usize); 2]> {
        let upper = bytes.masked()?.at_least(self.upper);
        let half = |twice: V, upper: u64| {
            let kept = twice.masked()?.at_least(self.not_ascii);
            let lower = twice.and(self.last).or(self.lead).masked()?;
            let pairs = lower.blend_16(upper, lower.add_16(self.more)).masked()?;
            Some((pairs.compress(kept), kept.count_ones() as usize))
        };
        let [first, second] = bytes.interleave(bytes);
        Some([half(first, upper)?, half(second, upper >> 32)?])
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
    /// What is due in the next block.
    due: Due,
}

/// What one block leaves due in the next, each 0 or 1: whether it ended with a lead, and whether that was C3.
#[derive(Clone, Copy, Default, PartialEq)]
struct Due {
    continuation: u64,
    bit_6: u64,
}

/// Copies whole blocks; returns `false`, and writes nothing, if there is no room.
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

/// Converts item by item, by the definition: where there is an error, or little room.
#[inline(always)]
pub(crate) fn by_items(bytes: &[u8], nul: bool, out: &mut Out<'_>) -> usize {
    let end = bytes.iter().position(|&byte| byte == 0 && !nul).unwrap_or(bytes.len());
    items(Utf8, Latin1, &bytes[..end], out)
}

/// Constants in registers.
struct Constants<V> {
    zero: V,
    /// The smallest byte that is not a continuation, as a signed number.
    start: V,
    /// The upper bits of the leads.
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

    /// Converts consecutive blocks, wherever sequences begin, so that no load waits for the previous block; on levels
    /// with masks.
    #[inline(always)]
    fn by_masks<'o, T: Token<Vector = V>>(
        &self,
        token: T,
        bytes: &[u8],
        nul: bool,
        out: Out<'o>,
    ) -> (usize, Out<'o>) {
        let blocks = bytes.as_chunks().0;
        let Run { blocks: done, due, mut out } = match nul {
            true => token.run(Blocks::<true> { blocks, out }),
            false => token.run(Blocks::<false> { blocks, out }),
        };
        let (mut at, due) = self.masked_blocks::<_, false>(token, bytes, (done * BLOCK, due), nul, &mut out);
        at -= due.continuation as usize;
        let rest = &bytes[at..bytes.len().min(at + BLOCK + 1)];
        (at + by_items(rest, nul, &mut out), out)
    }

    /// [`Constants::by_masks`] without a test for ASCII, up to what is invalid or lacks room, to the last byte. Returns
    /// where that is, and what is due there.
    #[inline(always)]
    fn masked_blocks<T: Token<Vector = V>, const ONE: bool>(
        &self,
        token: T,
        bytes: &[u8],
        (mut at, mut due): (usize, Due),
        nul: bool,
        out: &mut Out<'_>,
    ) -> (usize, Due) {
        while at < bytes.len() {
            let (this, len) = (token.load_front(from(bytes, at), b'.'), (bytes.len() - at).min(BLOCK));
            let Some(latin) = self.latin(this, len, due, nul) else { break };
            if !out.push_lanes(latin.bytes, latin.len) {
                break;
            }
            (at, due) = (at + len, latin.due);
            if ONE {
                break;
            }
        }
        (at, due)
    }

    /// Converts the first `len` bytes of a block, at least one, followed by ASCII. `None` if they are invalid.
    #[inline(always)]
    fn latin(&self, this: V, len: usize, due: Due, nul: bool) -> Option<Latin<V>> {
        let masked = this.masked()?;
        let last = len as u32 - 1;
        let wanted = u64::MAX >> (BLOCK as u32 - 1 - last);
        let leads = masked.at_least(self.start);
        let latin = this.and(self.all_but_lowest).equal(self.lead).high_bits();
        let due_here = (leads << 1 | due.continuation) & wanted;
        // One test for both: each separately predicted branch makes the others harder to predict.
        if (leads ^ latin) | (this.high_bits() ^ leads ^ due_here) != 0 {
            return None;
        }
        // Not part of that test, which would then be computed for all dialects.
        if !nul && this.equal(self.zero).high_bits() & wanted != 0 {
            return None;
        }
        let bit_6 = this.equal(self.lead_with_bit_6).high_bits();
        let values = masked.blend(bit_6 << 1 | due.bit_6, this.sub(self.start)); // C0 is minus 40
        let kept = !leads & wanted;
        Some(Latin {
            bytes: values.masked()?.compress(kept),
            len: kept.count_ones() as usize,
            due: Due { continuation: leads >> last & 1, bit_6: bit_6 >> last & 1 },
        })
    }

    /// Converts a block, except for a lead at its end; returns `false`, and writes nothing, if it is invalid.
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
            let here = self.kinds(token.load(block, part)).map(|bits| bits << (part * V::LEN));
            not_ascii |= here[0];
            leads |= here[1];
            continuations |= here[2];
        }
        if not_ascii != leads | continuations || continuations != leads << 1 || !nul && block.contains(&0) {
            return false;
        }
        let Some(mut room) = out.room_for(BLOCK + 16) else { return false };
        let mut before = self.zero;
        for part in 0..BLOCK / V::LEN {
            let this = token.load(block, part);
            self.put(this, before, !leads >> (part * V::LEN), &mut room);
            before = this;
        }
        true
    }

    /// Returns which bytes are not ASCII, which are leads of Latin-1 characters, and which are continuations.
    #[inline(always)]
    fn kinds(&self, this: V) -> [u64; 3] {
        let leads = this.and(self.all_but_lowest).equal(self.lead);
        [this, leads, self.start.greater_signed(this)].map(|lanes| lanes.high_bits())
    }

    /// Writes a vector's bytes whose bit is set; a continuation gets bit 6 of the byte before it.
    #[inline(always)]
    fn put(&self, this: V, before: V, kept: u64, room: &mut Room<'_>) {
        let behind = this.prev1(before).shift_left_16::<6>().and(self.bit_6);
        let values = this.or(self.start.greater_signed(this).and(behind));
        for half in 0..V::LEN / 8 {
            let kept = (kept >> (8 * half)) as usize & 0xFF;
            let bytes = values.sixteen(half / 2).shuffle(&KEEP[half % 2][kept]).to_bytes();
            room.push_front_of(&bytes, kept.count_ones() as usize);
        }
    }
}

/// The positions, in the first or the second eight of sixteen bytes, of those whose bit is set, in order.
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
