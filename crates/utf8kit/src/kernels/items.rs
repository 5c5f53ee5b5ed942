//! Finds where the items of any text begin, valid or not, as masks of 64 bits.
//!
//! # Algorithm
//! The tables of [`super::tables`] show which second bytes each lead allows, two bits of each byte give its kind, and
//! shifted masks do the rest:
//!
//! ```text
//! second    a byte after a lead that the tables do not reject
//! third     a continuation after the second of a lead of three or more
//! fourth    a continuation after the third of a lead of four
//! starts    every other byte: the longest prefix that could continue is one item, whole or not
//! ```
//!
//! That is the rule of maximal subparts (The Unicode Standard, 3.9) word for word, so the reference implementation only
//! has to name the kinds of errors. It holds for dialects of one to four bytes whose limits lie between nibbles
//! ([`Grammar::exact`](crate::grammar::Grammar)), RFC 3629 among them.

use super::tables::PairTables;
use crate::simd::{BLOCK_BYTES, Token, Vector};

/// The bytes of a block by their place in sequences, one bit per byte.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Items {
    /// All non-ASCII bytes.
    pub(super) high: u64,
    leads: u64,
    leads_3: u64,
    leads_4: u64,
    pub(super) second: u64,
    /// Second bytes of sequences of three or more bytes.
    pub(super) second_of_3: u64,
    pub(super) third: u64,
    /// Third bytes of sequences of four bytes.
    pub(super) third_of_4: u64,
    pub(super) fourth: u64,
}

impl Items {
    /// Classifies a block that follows `before`, whose last vector is `vector`. For the first block, both are zero.
    #[inline(always)]
    pub(super) fn new<T: Token>(
        token: T,
        pair_tables: &PairTables<T::Vector>,
        block: &[u8; BLOCK_BYTES],
        before: &Items,
        mut vector: T::Vector,
    ) -> Items {
        let (mut high, mut six, mut five, mut four, mut allowed) = (0, 0, 0, 0, 0);
        for part in 0..BLOCK_BYTES / T::Vector::LEN {
            let this = token.load(block, part);
            let place = part * T::Vector::LEN;
            high |= this.high_bits() << place;
            six |= this.shift_left::<1>().high_bits() << place;
            five |= this.shift_left::<2>().high_bits() << place;
            four |= this.shift_left::<3>().high_bits() << place;
            allowed |= pair_tables.allowed(this, this.prev1(vector)).high_bits() << place;
            vector = this;
        }
        let continuations = high & !six;
        let leads = high & six;
        let leads_3 = leads & five;
        let leads_4 = leads_3 & four;
        let second = advance::<1>(leads, before.leads) & allowed;
        let second_of_3 = second & advance::<1>(leads_3, before.leads_3);
        let third = advance::<1>(second_of_3, before.second_of_3) & continuations;
        let third_of_4 = third & advance::<2>(leads_4, before.leads_4);
        let fourth = advance::<1>(third_of_4, before.third_of_4) & continuations;
        Items { high, leads, leads_3, leads_4, second, second_of_3, third, third_of_4, fourth }
    }

    /// Returns the first bytes of items.
    #[inline(always)]
    pub(super) fn starts(&self) -> u64 {
        !(self.second | self.third | self.fourth)
    }
}

/// Moves a mask `N` bytes forward, including bytes that come from the mask of the block before.
#[inline(always)]
pub(super) fn advance<const N: u32>(mask: u64, before: u64) -> u64 {
    mask << N | before >> (u64::BITS - N)
}
