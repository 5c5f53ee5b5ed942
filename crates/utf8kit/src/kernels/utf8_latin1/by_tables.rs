//! Drops leads eight bytes at a time, by a table of shuffles.

use super::{ToLatin1, ToLatin1Short, by_items};
use crate::kernels::tables::FILLER;
use crate::out::{Out, Reserved};
use crate::simd::{BLOCK_BYTES, Sixteen, Token, Vector, prefetch};

impl<'o> ToLatin1<'_, 'o> {
    /// Converts blocks.
    #[inline(always)]
    pub(super) fn blocks_by_tables<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let ToLatin1 { bytes, mut out, nul } = self;
        let constants = Constants::new(token);
        let mut rest = bytes;
        while let Some(block) = rest.first_chunk::<BLOCK_BYTES>() {
            if nul && put_ascii(token, block, &mut out) {
                rest = &rest[BLOCK_BYTES..];
                continue;
            }
            prefetch(block);
            let cut_off = usize::from(block[BLOCK_BYTES - 1] >= 0xC0);
            if !constants.block(token, block, nul, &mut out) {
                break;
            }
            rest = &rest[BLOCK_BYTES - cut_off..];
        }
        if rest.len() < BLOCK_BYTES {
            // ASCII fills the last block, and its output is taken back.
            let mut block = [FILLER; BLOCK_BYTES];
            block[..rest.len()].copy_from_slice(rest);
            if constants.block(token, &block, nul, &mut out) {
                out.take_back(BLOCK_BYTES - rest.len());
                return (bytes.len(), out);
            }
        }
        let done = bytes.len() - rest.len();
        // There is an error in the next block, or the output is full after three.
        (done + by_items(&rest[..rest.len().min(3 * BLOCK_BYTES)], nul, &mut out), out)
    }
}

impl ToLatin1Short<'_, '_> {
    /// Converts sixteen bytes at a time, the last ones followed by ASCII, so that a sequence cut off there is an error.
    #[inline(always)]
    pub(super) fn sixteen_at_a_time<T: Token>(self, token: T) -> bool {
        let ToLatin1Short { bytes, out, nul } = self;
        if !nul && bytes.contains(&0) {
            return false;
        }
        let constants = Constants::new(token);
        let Some(mut reserved) = out.reserve(bytes.len() + 16) else { return false };
        let (mut before, mut cut_off, mut errors) = (constants.zero, 0, 0);
        let mut rest = bytes;
        loop {
            let this = token.load_front(rest, FILLER);
            let [not_ascii, leads, continuations] = constants.kinds(this);
            errors |= not_ascii ^ (leads | continuations) | continuations ^ (leads << 1 & 0xFFFF | cut_off);
            constants.put(this, before, !leads & !(u64::MAX << rest.len().min(16)), &mut reserved);
            if rest.len() < 16 {
                break;
            }
            (before, cut_off) = (this, leads >> 15);
            rest = &rest[16..];
        }
        if errors != 0 {
            reserved.truncate_to(0, 0);
        }
        errors == 0
    }
}

/// Copies a block, if it is ASCII and fits; reports whether it did. Each vector is loaded once.
#[inline(always)]
fn put_ascii<T: Token>(token: T, block: &[u8; BLOCK_BYTES], out: &mut Out<'_>) -> bool {
    let mut any = token.load(block, 0);
    let mut parts = [any; BLOCK_BYTES / 8];
    let parts = &mut parts[..BLOCK_BYTES / T::Vector::LEN];
    for (part, vector) in parts.iter_mut().enumerate() {
        *vector = token.load(block, part);
        any = any.or(*vector);
    }
    if any.any_high() {
        return false;
    }
    let Some(mut reserved) = out.reserve(BLOCK_BYTES) else { return false };
    for vector in parts {
        reserved.push_units::<1>(vector.to_bytes(), T::Vector::LEN);
    }
    true
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
        }
    }

    /// Converts a block, except for a lead at its end; returns `false`, and writes nothing, if it is invalid.
    #[inline(always)]
    fn block<T: Token<Vector = V>>(&self, token: T, block: &[u8; BLOCK_BYTES], nul: bool, out: &mut Out<'_>) -> bool {
        let (mut not_ascii, mut leads, mut continuations) = (0, 0, 0);
        for part in 0..BLOCK_BYTES / V::LEN {
            let here = self.kinds(token.load(block, part));
            not_ascii |= here[0] << (part * V::LEN);
            leads |= here[1] << (part * V::LEN);
            continuations |= here[2] << (part * V::LEN);
        }
        if not_ascii != leads | continuations || continuations != leads << 1 || !nul && block.contains(&0) {
            return false;
        }
        let Some(mut reserved) = out.reserve(BLOCK_BYTES + 16) else { return false };
        let mut before = self.zero;
        for part in 0..BLOCK_BYTES / V::LEN {
            let this = token.load(block, part);
            self.put(this, before, !leads >> (part * V::LEN), &mut reserved);
            before = this;
        }
        true
    }

    /// Returns masks of the non-ASCII bytes, the leads of Latin-1 characters, and the continuations.
    #[inline(always)]
    fn kinds(&self, this: V) -> [u64; 3] {
        let leads = this.and(self.all_but_lowest).equal(self.lead);
        [this.high_bits(), leads.high_bits(), self.start.greater_signed(this).high_bits()]
    }

    /// Writes a vector's bytes whose bit is set; a continuation gets bit 6 of the byte before it.
    #[inline(always)]
    fn put(&self, this: V, before: V, kept: u64, reserved: &mut Reserved<'_>) {
        let shifted = this.prev1(before).shift_left_16::<6>().and(self.bit_6);
        let values = this.or(self.start.greater_signed(this).and(shifted));
        for half in 0..V::LEN / 8 {
            let kept = (kept >> (8 * half)) as usize & 0xFF;
            let bytes = values.sixteen(half / 2).shuffle(&PACK_SHUFFLES[half % 2][kept]).to_bytes();
            reserved.push_front_of(&bytes, kept.count_ones() as usize);
        }
    }
}

/// The positions of the bytes whose bit is set, in order, in the first or the second eight of sixteen bytes.
static PACK_SHUFFLES: [[[u8; 16]; 256]; 2] = {
    let mut all = [[[0x80; 16]; 256]; 2];
    let mut pattern = 1_usize;
    while pattern < 256 {
        // The position of the highest bit comes last.
        let place = pattern.ilog2();
        let others = pattern ^ 1 << place;
        let mut half = 0;
        while half < 2 {
            all[half][pattern] = all[half][others];
            all[half][pattern][others.count_ones() as usize] = 8 * half as u8 + place as u8;
            half += 1;
        }
        pattern += 1;
    }
    all
};
