//! Finds how much of the input is certainly valid: the kernel of `validate`, `repair` and `convert`.
//!
//! # Algorithm
//! Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte" (2020): three table lookups, by the high
//! nibble of each byte and both nibbles of the byte before it. Their results share a bit exactly where the two bytes
//! may not be neighbours. It remains to check that the third and fourth byte of a sequence, and only they, are
//! continuations after a continuation; a saturating subtraction of the leads two and three bytes back puts that in bit
//! 7.
//!
//! ```text
//! for each block of 64 bytes
//!     all ASCII:  clean               (with the three bytes before the block)
//!     below E0:   suspect if (prev1 >= C0) ^ (this is a continuation), or prev1 is C0 or C1, anywhere
//!     below F0:   three    = prev1 -sat DF                   1 to 16 after E0 to EF, otherwise 0
//!                 suspect if (prev1 >= C0, or prev2 >= E0) ^ (this - first[three] is below end[three]),
//!                 signed, or prev1 is C0 or C1, anywhere
//!     else:       pairs    = high[prev1 >> 4] & low[prev1 & 15] & second[this >> 4]
//!                 must     = (prev2 -sat 60) | (prev3 -sat 70)   bit 7: third or fourth byte of a sequence
//!                 suspect if (must & 80) ^ pairs is not zero anywhere
//! ```
//!
//! The tables are derived from the rows of the dialect, so one kernel serves all seven dialects. Features that a nibble
//! table cannot express exactly (a limit inside a nibble, sequences of five and six bytes, surrogate pairs) are suspect
//! as a whole.
//!
//! # Decisions
//! - The kernel stops at the first suspect byte, because an input full of errors would otherwise take quadratic time:
//!   the reference implementation takes over there, and the kernel is entered again after it.
//! - Blocks are classified with as few branches as possible, and after a block of longer sequences the next ones use
//!   the tables without a test, because a branch between scripts is hard to predict in texts that the predictor cannot
//!   learn.
//! - The vectors one, two and three bytes back are unaligned loads where the level's loads may cross a cache line,
//!   because shifting them in from registers takes more instructions. In long inputs, blocks are aligned to a vector.
//! - The last vector ends where the input ends and overlaps the previous one, because a padded copy costs more than a
//!   short input takes.
//! - The position of the next vector must not depend on how much of this one is clean.
//! - Short inputs are tested without a branch on their length or content, because successive ones differ in both.
//!
//! `bench/record/kernels/validate.md` has the measurements.

use core::hint::select_unpredictable;

use super::ascii::is_ascii;
use super::rest_from;
use super::tables::{FILLER, LOOKBEHIND_BYTES, Places, Tables};
use crate::grammar::Grammar;
use crate::reference;
use crate::reference::validate::{boundary_before, boundary_before_in_short};
use crate::simd::{
    BLOCK_BYTES, Kernel, Lines, MAX_SHORT_BYTES, Masked, PerVariant, Short, Token, Variants, Vector, prefetch,
};

/// Finds the length of a prefix that is well formed, treating NUL as valid, and that ends at a boundary. The rest may
/// also be well formed. (In a dialect without NUL, callers search for one first, because otherwise the loops would have
/// to be compiled twice.)
pub(crate) struct CleanPrefix<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl Kernel for CleanPrefix<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        if T::Vector::LEN == 32 && self.bytes.len() < 32 + LOOKBEHIND_BYTES {
            return token.half().run(self);
        }
        let (bytes, width) = (self.bytes, T::Vector::LEN);
        if bytes.len() < width && width < BLOCK_BYTES {
            return reference::validate::clean_prefix(self.grammar, bytes);
        }
        let tables = Tables::new(token, self.grammar);
        match tables.first_suspect(token, bytes) {
            Some(at) => boundary_of_suspect(self.grammar, bytes, at),
            None => bytes.len(),
        }
    }
}

/// Returns the boundary before the suspect byte, or before the last bytes, which are too few for a vector and left to
/// the reference implementation. Not inlined, so that there is one copy for all levels.
#[inline(never)]
fn boundary_of_suspect(grammar: &'static Grammar, bytes: &[u8], end: usize) -> usize {
    let boundary = boundary_before(bytes, end);
    let undecided = if bytes.len() - end < LOOKBEHIND_BYTES { rest_from(bytes, boundary) } else { &[] };
    boundary + reference::validate::clean_prefix(grammar, undecided)
}

/// Returns the bytes after a first block, or part of a block, preceded by [`LOOKBEHIND_BYTES`] bytes. If the input is
/// long, they begin at a cache line.
#[inline(always)]
fn after_first_aligned(bytes: &[u8]) -> &[u8] {
    let line =
        if bytes.len() < Lines::MIN_BYTES_TO_ALIGN { BLOCK_BYTES } else { bytes.as_ptr().align_offset(BLOCK_BYTES) };
    rest_from(
        bytes,
        if (LOOKBEHIND_BYTES..BLOCK_BYTES).contains(&line) { line } else { BLOCK_BYTES } - LOOKBEHIND_BYTES,
    )
}

/// Returns the first position in a block, with [`LOOKBEHIND_BYTES`] bytes before it, in the middle of a cache line,
/// which is the best start for blocks of two vectors. The end of the block if there is none, or on other levels.
#[inline(always)]
fn middle_of_line<V: Vector>(block: &[u8; BLOCK_BYTES]) -> usize {
    match block[BLOCK_BYTES / 2..].as_ptr().align_offset(BLOCK_BYTES) {
        place @ LOOKBEHIND_BYTES..BLOCK_BYTES if V::LEN == BLOCK_BYTES / 2 => place,
        _ => BLOCK_BYTES,
    }
}

/// [`CleanPrefix`] for a short input; on levels without masked loads, of at most sixteen bytes. It is branchless,
/// because successive short inputs are of all lengths and scripts, and each misprediction costs more than a block.
pub(crate) struct CleanShort<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl Short for CleanShort<'_> {
    #[inline(always)]
    fn is_for<T: Token>(&self, token: T) -> bool {
        self.bytes.len() <= token.by_variant(PerVariant { tables: 16, compress: MAX_SHORT_BYTES })
    }
}

impl Kernel for CleanShort<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        token.by_variant(self)
    }
}

impl<T: Token> Variants<T> for CleanShort<'_> {
    type Output = usize;

    #[inline(always)]
    fn by_tables(self, token: T) -> usize {
        if T::Vector::LEN > 16 { self.call(token.half()) } else { self.by_vectors::<T, 1>(token) }
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> usize {
        if self.bytes.len() <= BLOCK_BYTES {
            self.by_vectors::<T, 1>(token)
        } else {
            self.by_vectors::<T, { MAX_SHORT_BYTES / BLOCK_BYTES }>(token)
        }
    }
}

impl CleanShort<'_> {
    /// Tests `N` vectors, whatever the length.
    #[inline(always)]
    fn by_vectors<T: Token, const N: usize>(self, token: T) -> usize {
        let (bytes, tables) = (self.bytes, Tables::new(token, self.grammar));
        let mut suspects = [tables.zero; N];
        let mut before = tables.zero;
        for (part, suspects) in suspects.iter_mut().enumerate() {
            let this = token.load_front(rest_from(bytes, part * T::Vector::LEN), FILLER);
            *suspects = tables.classify_after(this, before);
            before = this;
        }
        let any = suspects.iter().fold(tables.incomplete_at_end(before), |any, &some| any.or(some));
        if !any.any() {
            return bytes.len();
        }
        let mut at = bytes.len();
        for (part, suspects) in suspects.into_iter().enumerate().rev() {
            let lanes = tables.clean_lanes(suspects);
            at = select_unpredictable(lanes < T::Vector::LEN, part * T::Vector::LEN + lanes, at);
        }
        boundary_before_in_short(bytes, at.min(bytes.len()))
    }
}

/// Returns the largest byte of the blocks, lane by lane.
#[inline(always)]
fn max_of<T: Token>(token: T, blocks: &[u8]) -> T::Vector {
    let mut max = token.splat(0);
    for block in blocks.as_chunks().0 {
        for part in 0..BLOCK_BYTES / T::Vector::LEN {
            max = max.max(token.load(block, part));
        }
    }
    max
}

/// How many blocks are tested together, where there are enough registers.
pub(crate) const BLOCKS_PER_GROUP: usize = 4;

/// How many blocks after one with longer sequences are classified by the tables, unless they are ASCII: a branch
/// between the two ways is hard to predict.
const BLOCKS_BY_TABLES: u32 = 8;

/// After this many blocks of ASCII in a row, blocks are tested four at a time where groups are smaller.
const BLOCKS_OF_ASCII_FOR_GROUPS: u32 = 8;

impl<V: Vector> Tables<V> {
    /// Returns where the first suspect block begins. `at` must be the start of a block with only clean bytes before it,
    /// and `bytes` must be whole blocks. Nothing precedes them.
    #[inline(always)]
    pub(crate) fn clean_blocks<T: Token<Vector = V>>(&self, token: T, bytes: &[u8], mut at: usize) -> usize {
        if at == 0 {
            let Some(_) = self.clean_first_block(token, bytes) else { return 0 };
            at = BLOCK_BYTES;
        }
        self.clean_blocks_from(token, bytes, at, &mut ())
    }

    /// [`Tables::clean_blocks`] for a start after the first bytes, with the counts of the clean blocks.
    #[inline(always)]
    pub(super) fn clean_blocks_from<T: Token<Vector = V>>(
        &self,
        token: T,
        bytes: &[u8],
        at: usize,
        counted: &mut impl Tally<V>,
    ) -> usize {
        let mut rest = rest_from(bytes, at - LOOKBEHIND_BYTES);
        if V::LEN == BLOCK_BYTES {
            rest = self
                .skip_clean_groups::<T, { LOOKBEHIND_BYTES + BLOCKS_PER_GROUP * BLOCK_BYTES }>(token, rest, counted);
        }
        rest = self.skip_clean_groups::<T, { LOOKBEHIND_BYTES + BLOCK_BYTES }>(token, rest, counted);
        bytes.len() - (rest.len() - LOOKBEHIND_BYTES)
    }

    /// Validates the first block. Returns where others begin best, at most a block after its start, or `None` if a
    /// byte is suspect.
    #[inline(always)]
    pub(crate) fn clean_first_block<T: Token<Vector = V>>(&self, token: T, bytes: &[u8]) -> Option<usize> {
        let first = bytes.first_chunk::<BLOCK_BYTES>()?;
        (is_ascii(token, first) || !self.classify_first(token, first).any()).then(|| middle_of_line::<V>(first))
    }

    /// Classifies a block that nothing precedes.
    #[inline(always)]
    fn classify_first<T: Token<Vector = V>>(&self, token: T, block: &[u8; BLOCK_BYTES]) -> V {
        let first = self.classify_after(token.load(block, 0), self.zero);
        first.or(self.classify_at(token, block, V::LEN, BLOCK_BYTES / V::LEN - 1, &mut Places::none(self.zero)))
    }

    /// Finds the first byte that is suspect or that no vector classifies; the end, if a sequence is cut off there.
    /// Tests the first vector, then groups of blocks, if any, then single vectors for the rest or for a suspect group.
    #[inline(always)]
    fn first_suspect<T: Token<Vector = V>>(&self, token: T, bytes: &[u8]) -> Option<usize> {
        let (len, width) = (bytes.len(), V::LEN);
        let first = if len < width { token.load_front(bytes, 0) } else { token.load_at(bytes, 0) };
        let suspects = self.classify_after(first, self.zero);
        if suspects.any() {
            return Some(self.clean_lanes(suspects));
        }
        len.checked_sub(width)?;
        let at = self.second(token, bytes);
        self.first_suspect_from(token, bytes, at)
    }

    /// Returns where groups of blocks begin after a clean first vector. In long inputs on levels with long vectors, no
    /// vector then crosses a cache line.
    #[inline(always)]
    pub(super) fn second<T: Token<Vector = V>>(&self, _: T, bytes: &[u8]) -> usize {
        if V::LEN == BLOCK_BYTES {
            return bytes.len() - after_first_aligned(bytes).len() + LOOKBEHIND_BYTES;
        }
        match bytes.as_ptr().align_offset(V::LEN) {
            place
                if V::LEN == BLOCK_BYTES / 2
                    && bytes.len() >= Lines::MIN_BYTES_TO_ALIGN
                    && (LOOKBEHIND_BYTES..V::LEN).contains(&place) =>
            {
                place
            }
            _ => V::LEN,
        }
    }

    /// [`Tables::first_suspect`] for at least a vector of bytes that are clean before `at`.
    #[inline(always)]
    pub(crate) fn first_suspect_from<T: Token<Vector = V>>(
        &self,
        token: T,
        bytes: &[u8],
        mut at: usize,
    ) -> Option<usize> {
        let (len, width) = (bytes.len(), V::LEN);
        let last = len.checked_sub(width)?;
        if (1..LOOKBEHIND_BYTES).contains(&last) {
            return Some(width);
        }
        if width == BLOCK_BYTES || len >= BLOCKS_PER_GROUP * BLOCK_BYTES {
            let rest = rest_from(bytes, at - LOOKBEHIND_BYTES);
            let left = if width == BLOCK_BYTES {
                self.skip_clean_groups::<T, { LOOKBEHIND_BYTES + BLOCKS_PER_GROUP * BLOCK_BYTES }>(token, rest, &mut ())
            } else {
                self.skip_clean_groups::<T, { LOOKBEHIND_BYTES + BLOCK_BYTES }>(token, rest, &mut ())
            };
            at = len - (left.len() - LOOKBEHIND_BYTES);
        }
        while at < len {
            // The last vector ends where the bytes end, and overlaps the previous one.
            at = at.min(last);
            let Some(window) = rest_from(bytes, at - LOOKBEHIND_BYTES).get(..LOOKBEHIND_BYTES + width) else {
                break;
            };
            let suspects = self.classify_at(token, window, LOOKBEHIND_BYTES, 1, &mut Places::none(self.zero));
            // The position of the next vector does not depend on the result for this one.
            if suspects.any() {
                return Some(at + self.clean_lanes(suspects));
            }
            at += width;
        }
        self.incomplete_at_end(token.load_at(bytes, last)).any().then_some(len)
    }

    /// Skips clean groups of `N - LOOKBEHIND_BYTES` bytes after the first [`LOOKBEHIND_BYTES`] bytes. Returns the rest,
    /// beginning with the last [`LOOKBEHIND_BYTES`] skipped bytes.
    #[inline(always)]
    fn skip_clean_groups<'b, T: Token<Vector = V>, const N: usize>(
        &self,
        token: T,
        mut rest: &'b [u8],
        counted: &mut impl Tally<V>,
    ) -> &'b [u8] {
        // How many more blocks are classified by the tables, and how many were ASCII in a row.
        let (mut tabled_more, mut ascii) = (0_u32, 0_u32);
        while let Some(window) = rest.first_chunk::<N>() {
            let group = &window[LOOKBEHIND_BYTES..];
            if V::LEN < BLOCK_BYTES {
                prefetch(group);
            }
            // Including the bytes before it, where a sequence may have begun.
            let max = max_of(token, group).max(token.load_at(window, 0));
            let is_longer = || max.saturating_sub(self.third).any_high();
            // First on avx512, because another test for each of its groups would not be free.
            let is_ascii_group = (V::LEN < BLOCK_BYTES || !is_longer()) && !max.any_high();
            ascii += 1;
            if !is_ascii_group {
                ascii = 0;
                let mut places = counted.places(self.zero);
                let clean = if tabled_more == 0 && !is_longer() {
                    !self.classify_twos(token, window, &mut places).any_high()
                } else {
                    tabled_more =
                        if V::LEN == BLOCK_BYTES { 0 } else { tabled_more.checked_sub(1).unwrap_or(BLOCKS_BY_TABLES) };
                    if V::LEN < BLOCK_BYTES && !max.saturating_sub(self.fourth).any_high() {
                        !self.classify_threes(token, window, &mut places).any_high()
                    } else {
                        let count = group.len() / V::LEN;
                        !self.classify_at(token, window, LOOKBEHIND_BYTES, count, &mut places).any()
                    }
                };
                if !clean {
                    break;
                }
                counted.set(places);
            }
            rest = &rest[group.len()..];
            // Four blocks at a time, in long ASCII.
            while is_ascii_group
                && (N > LOOKBEHIND_BYTES + BLOCK_BYTES || ascii > BLOCKS_OF_ASCII_FOR_GROUPS)
                && let Some(four) = rest.first_chunk::<{ LOOKBEHIND_BYTES + 4 * BLOCK_BYTES }>()
                && is_ascii(token, &four[LOOKBEHIND_BYTES..])
            {
                rest = &rest[4 * BLOCK_BYTES..];
            }
        }
        rest
    }
}

/// Counts in clean groups of blocks that are not all ASCII; `()` counts nothing.
pub(super) trait Tally<V: Vector> {
    /// Returns the counts so far.
    fn places(&self, zero: V) -> Places<V>;

    /// Sets the counts after one more group.
    fn set(&mut self, places: Places<V>);
}

impl<V: Vector> Tally<V> for () {
    #[inline(always)]
    fn places(&self, zero: V) -> Places<V> {
        Places::none(zero)
    }

    #[inline(always)]
    fn set(&mut self, _: Places<V>) {}
}

impl<V: Masked> Tables<V> {
    /// Finds the first byte of a group of blocks that is an error after the bytes before it, given the vector before
    /// the group and the group's vectors; on levels with masks.
    #[inline(always)]
    pub(crate) fn first_suspect_of_group<T: Token<Vector = V>>(
        &self,
        token: T,
        group: &[u8],
        vectors: [V; BLOCKS_PER_GROUP],
        before: V,
    ) -> Option<usize> {
        let any = vectors.iter().fold(self.zero, |any, &vector| any.or(vector));
        let cut_off = self.incomplete_at_end(before);
        // One test for both: each separately predicted branch makes the others harder to predict.
        if any.high_bits() | cut_off.nonzero() == 0 {
            return None;
        }
        let mut suspects = [self.classify_after(vectors[0], before); BLOCKS_PER_GROUP];
        for block in 1..BLOCKS_PER_GROUP {
            let in_front = token.load_before(group, block * BLOCK_BYTES);
            suspects[block] = self.classify(vectors[block], in_front);
        }
        if !suspects.iter().fold(self.zero, |any, &some| any.or(some)).any() {
            return None;
        }
        for (block, suspects) in suspects.into_iter().enumerate() {
            let bits = suspects.nonzero();
            if bits != 0 {
                return Some(block * BLOCK_BYTES + bits.trailing_zeros() as usize);
            }
        }
        None
    }
}
