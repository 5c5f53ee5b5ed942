//! Latin-1 to UTF-8, on levels with masks.

use crate::arch::{BLOCK, Kernel, Masked, Token, Vector};
use crate::encoding::{Latin1, Utf8};
use crate::kernel::{LAST_OF_TWO, lanes_of};
use crate::out::{Expand, Out};
use crate::scalar::convert::items;

/// Converts bytes of Latin-1 to UTF-8, as many as fit; returns how many. For levels with masks.
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
        let mut at = BLOCK * out.expand_blocks(token, bytes.as_chunks().0, &pairs);
        // What is left is shorter than a block, or its result might not fit.
        while at < bytes.len() {
            let some = &bytes[at..bytes.len().min(at + BLOCK)];
            let padded = token.load_front(some, 0);
            let mut block = [0; BLOCK];
            block.copy_from_slice(padded.to_bytes().as_ref());
            let not_ascii = padded.high_bits();
            let Some([first, second]) = pairs.halves(not_ascii, &block) else { break };
            let in_first = some.len().min(HALF);
            if !out.push_lanes(first, in_first + count_low(not_ascii)) {
                at += items(Latin1, Utf8, &bytes[at..], &mut out);
                break;
            }
            at += in_first;
            if !out.push_lanes(second, some.len() - in_first + count_high(not_ascii)) {
                at += items(Latin1, Utf8, &bytes[at..], &mut out);
                break;
            }
            at += some.len() - in_first;
        }
        (at, out)
    }
}

/// Half a block becomes at most one vector.
const HALF: usize = BLOCK / 2;

#[inline(always)]
fn count_low(bits: u64) -> usize {
    (bits as u32).count_ones() as usize
}

#[inline(always)]
fn count_high(bits: u64) -> usize {
    (bits >> HALF).count_ones() as usize
}

/// Constants that turn bytes of Latin-1 into pairs of bytes, in registers.
struct Pairs<V> {
    /// The positions of the bytes of both halves of a block, alternately.
    alternate: V,
    // For lanes of two bytes:
    high_byte: V,
    bit_14: V,
    lead: V,
}

const ALTERNATE: [u8; BLOCK] = {
    let mut positions = [0; BLOCK];
    let mut i = 0;
    while i < BLOCK {
        positions[i] = (i / 2 + i % 2 * HALF) as u8;
        i += 1;
    }
    positions
};

impl<V: Vector> Pairs<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Pairs {
            alternate: token.load(&ALTERNATE, 0),
            high_byte: lanes_of(token, 0, 0xFF),
            bit_14: lanes_of(token, 0, 0x40),
            lead: lanes_of(token, 0xC0, 0),
        }
    }

    /// Returns the UTF-8 of each half of a block, whose bytes above ASCII are marked in `not_ascii`.
    #[inline(always)]
    fn halves(&self, not_ascii: u64, block: &[u8; BLOCK]) -> Option<[V; 2]> {
        let both = self.alternate.masked()?.lookup_six_bits(block);
        Some([
            self.sequences(both.shift_left_16::<8>(), not_ascii)?,
            self.sequences(both.and(self.high_byte), not_ascii >> HALF)?,
        ])
    }

    /// Returns the UTF-8 of bytes that are the upper halves of lanes.
    #[inline(always)]
    fn sequences(&self, lanes: V, not_ascii: u64) -> Option<V> {
        // 1abbbbbb becomes 110000 1a, 10bbbbbb; an ASCII byte stays, and its lead is dropped.
        let last = lanes.xor(lanes.and(lanes.shift_right_16::<1>()).and(self.bit_14));
        let pairs = last.or(lanes.shift_right_16::<14>()).or(self.lead).masked()?;
        Some(pairs.compress(pairs.at_even_bits(not_ascii as u32) | LAST_OF_TWO))
    }
}

impl<V: Vector> Expand<V> for Pairs<V> {
    #[inline(always)]
    fn expand(&self, vector: V, block: &[u8; BLOCK]) -> Option<[(V, usize); 2]> {
        let not_ascii = vector.high_bits();
        let (low, high) = (count_low(not_ascii), count_high(not_ascii));
        // Not `not_ascii == 0`, which the compiler would test by one more instruction on masks.
        if low + high == 0 {
            return None;
        }
        let [first, second] = self.halves(not_ascii, block)?;
        Some([(first, HALF + low), (second, HALF + high)])
    }
}
