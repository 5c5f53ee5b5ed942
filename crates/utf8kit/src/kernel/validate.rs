//! How much of the input is surely well formed: the kernel behind `validate`, `repair` and `convert`.
//!
//! # Algorithm
//! Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte" (2020): three table look-ups, by
//! the high nibble of each byte and both nibbles of the byte before it, whose results share a bit exactly where
//! the two bytes may not stand together. What remains is that the third and fourth byte of a sequence, and only
//! they, be continuations after a continuation; saturating subtraction of the leads two and three bytes back
//! puts that in bit 7.
//!
//! ```text
//! for each block of 64 bytes
//!     all ASCII:  suspect if the block before ended inside a sequence
//!     else:       pairs    = high[prev1 >> 4] & low[prev1 & 15] & second[this >> 4]
//!                 must     = (prev2 -sat 60) | (prev3 -sat 70)   bit 7: third or fourth byte of a sequence
//!                 suspect if (must & 80) ^ pairs is not zero anywhere
//! ```
//!
//! # Deviations
//! - The tables are derived from the dialect's rows, so one kernel serves all seven dialects. What a nibble
//!   table cannot say exactly (a limit inside a nibble, sequences of five and six bytes, surrogate pairs) is
//!   suspect as a whole.
//! - The kernel stops at the first suspect block instead of gathering errors to the end: the scalar definition
//!   takes over there, and the kernel is entered again after it. An input full of errors stays linear.
//! - The last part of a block is looked at in a copy padded with spaces, which also shows a sequence cut off
//!   by the end.
//!
//! Levels without a byte shuffle skip ASCII eight bytes at a time and ask the definition for the rest.

use crate::arch::{BLOCK, Kernel, Token, Vector};
use crate::dialect::{Grammar, is_continuation, length_class};
use crate::scalar;

/// Finds the length of a prefix that is well formed and ends at a boundary. What follows may be well formed too.
pub(crate) struct CleanPrefix<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl Kernel for CleanPrefix<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        if T::SHUFFLE { self.by_pairs(token) } else { self.by_words(token) }
    }
}

/// The tables and constants in registers.
struct Tables<V> {
    byte_1_high: V,
    byte_1_low: V,
    byte_2_high: V,
    low_nibbles: V,
    third: V,
    fourth: V,
    bit_7: V,
    /// A sequence is cut off after the vector where its bytes exceed these.
    whole: V,
    zero: V,
    /// NUL is a byte of the dialect.
    nul: bool,
}

impl CleanPrefix<'_> {
    #[inline(always)]
    fn by_pairs<T: Token>(self, token: T) -> usize {
        let lookup = &self.grammar.lookup;
        let tables = Tables {
            byte_1_high: token.table(&lookup.byte_1_high),
            byte_1_low: token.table(&lookup.byte_1_low),
            byte_2_high: token.table(&lookup.byte_2_high),
            low_nibbles: token.splat(0x0F),
            third: token.splat(0xE0 - 0x80),
            fourth: token.splat(0xF0 - 0x80),
            bit_7: token.splat(0x80),
            whole: token.load(&WHOLE, BLOCK / T::Vector::LEN - 1),
            zero: token.splat(0),
            nul: self.grammar.leads[0].len == 1,
        };
        let mut before = tables.zero; // the last vector of the block before
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        for (i, block) in blocks.iter().enumerate() {
            if tables.suspect(token, block, &mut before) {
                return boundary_before(self.bytes, i * BLOCK);
            }
        }
        let end = blocks.len() * BLOCK;
        if rest.is_empty() {
            return boundary_before(self.bytes, end);
        }
        let mut padded = [b' '; BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        if tables.suspect(token, &padded, &mut before) {
            boundary_before(self.bytes, end)
        } else {
            self.bytes.len()
        }
    }

    /// Long ASCII by blocks of words, the rest by the definition.
    #[inline(always)]
    fn by_words<T: Token>(self, token: T) -> usize {
        let mut at = 0;
        if self.grammar.leads[0].len == 1 {
            for block in self.bytes.as_chunks::<BLOCK>().0 {
                let mut all = token.load(block, 0);
                for part in 1..BLOCK / T::Vector::LEN {
                    all = all.or(token.load(block, part));
                }
                if all.any_high() {
                    break;
                }
                at += BLOCK;
            }
        }
        at + scalar::validate::clean_prefix(self.grammar, &self.bytes[at..])
    }
}

/// The largest bytes with which a block can end and cut off no sequence.
const WHOLE: [u8; BLOCK] = {
    let mut all = [0xFF; BLOCK];
    all[BLOCK - 3] = 0xF0 - 1;
    all[BLOCK - 2] = 0xE0 - 1;
    all[BLOCK - 1] = 0xC0 - 1;
    all
};

impl<V: Vector> Tables<V> {
    /// Whether a block may hold an error, given the vector in front of it; leaves its own last vector there.
    #[inline(always)]
    fn suspect<T: Token<Vector = V>>(&self, token: T, block: &[u8; BLOCK], before: &mut V) -> bool {
        let parts = BLOCK / V::LEN;
        let mut all = token.load(block, 0);
        for part in 1..parts {
            all = all.or(token.load(block, part));
        }
        let mut suspect;
        if all.any_high() {
            suspect = self.zero;
            let mut previous = *before;
            for part in 0..parts {
                let this = token.load(block, part);
                suspect = suspect.or(self.pairs(this, previous));
                previous = this;
            }
            *before = previous;
        } else {
            suspect = before.saturating_sub(self.whole);
            *before = self.zero;
        }
        if !self.nul {
            for part in 0..parts {
                suspect = suspect.or(token.load(block, part).equal(self.zero));
            }
        }
        suspect.any()
    }

    #[inline(always)]
    fn pairs(&self, this: V, previous: V) -> V {
        let first = this.prev1(previous);
        let pairs = first
            .high_nibbles()
            .lookup(self.byte_1_high)
            .and(first.and(self.low_nibbles).lookup(self.byte_1_low))
            .and(this.high_nibbles().lookup(self.byte_2_high));
        let third = this.prev2(previous).saturating_sub(self.third);
        let fourth = this.prev3(previous).saturating_sub(self.fourth);
        third.or(fourth).and(self.bit_7).xor(pairs)
    }
}

/// The last boundary at or before `end`, where all before `end` is well formed but for a sequence cut off there.
#[inline(always)]
fn boundary_before(bytes: &[u8], end: usize) -> usize {
    for back in 1..=end.min(3) {
        let byte = bytes[end - back];
        if !is_continuation(byte) {
            return if length_class(byte) > back { end - back } else { end };
        }
    }
    end
}

