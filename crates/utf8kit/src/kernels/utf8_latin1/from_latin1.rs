//! Latin-1 to UTF-8, on levels with masks.

use core::hint::black_box;

use crate::encoding::{Latin1, Utf8};
use crate::kernels::lanes_of;
use crate::out::{Out, Rewrite};
use crate::reference::convert::items;
use crate::simd::{BLOCK_BYTES, Masked, MaskedToken, Token};

/// Converts bytes of Latin-1 to UTF-8, as many as fit; returns their number. For levels with masks.
pub(crate) struct FromLatin1<'a, 'o> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
}

impl<'o> FromLatin1<'_, 'o> {
    #[inline(always)]
    pub(crate) fn convert<T: MaskedToken>(self, token: T) -> (usize, Out<'o>) {
        let FromLatin1 { bytes, mut out } = self;
        let pairs = Pairs::new(token);
        // The other blocks have a byte before them.
        let first = out.first_block(bytes.len());
        let mut at = pairs.masked_block(token, &bytes[..first], &mut out).unwrap_or(0);
        if at == first && bytes.len() >= BLOCK_BYTES {
            at = out.rewrite_blocks(token, bytes, at, &pairs);
        }
        // The rest is short, or its result might not fit.
        while at < bytes.len() {
            let rest = &bytes[at..];
            let Some(done) = pairs.masked_block(token, rest, &mut out) else {
                at += items(Latin1, Utf8, &rest[..rest.len().min(BLOCK_BYTES)], &mut out);
                break;
            };
            at += done;
        }
        (at, out)
    }
}

/// Half a block becomes at most one vector.
const HALF_BLOCK_BYTES: usize = BLOCK_BYTES / 2;

/// Constants that turn bytes of Latin-1 into pairs of bytes, in registers.
struct Pairs<V> {
    lead: V,
    last_two: V,
    bit_6: V,
    /// The smallest byte that is kept: in pairs, the lead of a non-ASCII byte.
    kept: V,
    /// All bits set, hidden from the compiler. Otherwise it would test a mask in its own register, one more instruction
    /// of the kind that limits this loop.
    all: u64,
}

impl<V: Masked> Pairs<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Pairs {
            lead: token.splat(0xC0),
            last_two: token.splat(0x03),
            bit_6: token.splat(0x40),
            kept: lanes_of(token, 0xC2, 0),
            all: black_box(u64::MAX),
        }
    }

    /// Returns the bytes of a block as [lead, last], by halves. 1abbbbbb becomes 1100001a, 10bbbbbb; an ASCII byte is
    /// unchanged, after a lead that is dropped.
    #[inline(always)]
    fn halves(&self, bytes: V) -> [V; 2] {
        let lead = bytes.shift_right_16::<6>().and(self.last_two).or(self.lead);
        let last = bytes.xor(bytes.shift_right_16::<1>().and(self.bit_6).and(bytes));
        lead.interleave(last)
    }

    /// Drops the leads of ASCII; also returns how many bytes are left.
    #[inline(always)]
    fn sequences(&self, pairs: V) -> Option<(V, usize)> {
        let kept = pairs.at_least(self.kept);
        Some((pairs.compress(kept), kept.count_ones() as usize))
    }

    /// Converts the first bytes, at most a block; returns their number. `None` if the capacity is too small.
    #[inline(always)]
    fn masked_block<T: Token<Vector = V>>(&self, token: T, bytes: &[u8], out: &mut Out<'_>) -> Option<usize> {
        let len = bytes.len().min(BLOCK_BYTES);
        let start = out.written();
        for (half, pairs) in self.halves(token.load_front(bytes, 0)).into_iter().enumerate() {
            let here = len.saturating_sub(half * HALF_BLOCK_BYTES).min(HALF_BLOCK_BYTES);
            let wanted = u64::MAX.checked_shr((BLOCK_BYTES - 2 * here) as u32).unwrap_or(0);
            let kept = pairs.at_least(self.kept) & wanted;
            if !out.push_lanes(pairs.compress(kept), kept.count_ones() as usize) {
                out.take_back(out.written() - start);
                return None;
            }
        }
        Some(len)
    }
}

impl<V: Masked> Rewrite<V, 2> for &Pairs<V> {
    const BLOCKS_TOGETHER: usize = 1;
    const PREFETCHES: bool = false;

    #[inline(always)]
    fn is_unchanged(&self, bytes: V) -> bool {
        bytes.high_bits() & self.all == 0
    }

    #[inline(always)]
    fn rewrite(&mut self, bytes: V, _: V) -> Option<[(V, usize); 2]> {
        let [first, second] = self.halves(bytes);
        Some([self.sequences(first)?, self.sequences(second)?])
    }
}
