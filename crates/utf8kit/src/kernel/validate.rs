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
//! - The kernel stops at the first suspect byte instead of gathering errors to the end: the scalar definition
//!   takes over there, and the kernel is entered again after it. An input full of errors stays linear.
//! - The vectors one, two and three bytes back are loaded, where the level's loads may cross a cache line: 50 instructions a
//!   block of 64 bytes, and none on the way from one vector to the next. Shifted in from registers it was 59, and 0.94 of
//!   simdutf8 instead of 1.1 (AVX2; SSE4 0.92 and 1.14; geometric means over 27 texts, Zen 3, 2026-11-21). Four blocks
//!   between two questions whether anything is suspect took more registers than there are: 55.
//! - The first vector has nothing in front of it, and is shifted. Blocks begin behind it; what is left of them, and a block that
//!   is suspect, is looked at a vector at a time. So each loop is compiled once: 1.3 to 1.6 KB a level. A first block, a suspect
//!   block and a last one with loops of their own took 2.3 to 3.8 KB, and were slower up to 256 bytes (sse4 by a fifth).
//! - The last vector ends where the bytes end, and overlaps the one before. Inputs too short for that go to the level of half
//!   the vector. A copy padded to a block cost 3 to 6 ns more, much at 32 to 128 bytes. What is shorter than 16 bytes never
//!   comes here: the automaton takes it in 1 ns a byte, as fast as one vector.
//! - The place of the next vector must not be computed from how much of this one is clean: that chain took a third more time.
//! - On avx512 the look-ups are among all 64 bytes, and need no masks. Blocks begin at a cache line, four are looked at
//!   between two questions whether anything is suspect, and the vectors one, two and three bytes back are loaded there, too:
//!   68 GB/s of Russian. Shifted in from registers it was 48, a block at a time 39 (Zen 5, 2026-11-22).
//! - At most four blocks, on levels that load under a mask, are looked at without a branch: short inputs in a row are of all
//!   lengths and scripts. 0 to 64 bytes in 3.4 ns, 6 to 8 with a question whether all is ASCII (Zen 5, 2026-11-22).

use crate::arch::{BLOCK, Kernel, Lines, Masked, Token, Vector};
use crate::grammar::Grammar;
#[cfg(feature = "alloc")]
use crate::kernel::count::{COUNTED_AT_ONCE, starts_and_lines};
use crate::scalar;
use crate::scalar::validate::boundary_before;

/// Finds the length of a prefix that is well formed, NULs aside, and ends at a boundary. What follows may be well formed
/// too. (A dialect without NUL is asked for one before: for it alone, the loops were compiled twice.)
pub(crate) struct CleanPrefix<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl Kernel for CleanPrefix<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        if T::Vector::LEN == 32 && self.bytes.len() < 32 + BACK {
            return self.clean::<T::Half, false>(token.half());
        }
        self.clean::<T, true>(token)
    }
}

impl CleanPrefix<'_> {
    #[inline(always)]
    fn clean<T: Token, const LONG: bool>(self, token: T) -> usize {
        let (bytes, width) = (self.bytes, T::Vector::LEN);
        if bytes.len() < width && width < BLOCK {
            return scalar::validate::clean_prefix(self.grammar, bytes);
        }
        let tables = Tables::new(token, self.grammar);
        match tables.suspect::<T, LONG>(token, bytes) {
            Some(at) => boundary_of_suspect(self.grammar, bytes, at),
            None => bytes.len(),
        }
    }
}

/// The boundary in front of what is suspect, or of so little that no vector judged it; that the definition does. Out of line: one
/// for all levels.
#[inline(never)]
fn boundary_of_suspect(grammar: &'static Grammar, bytes: &[u8], end: usize) -> usize {
    let boundary = boundary_before(bytes, end);
    let few = if bytes.len() - end < BACK { &bytes[boundary..] } else { &[] };
    boundary + scalar::validate::clean_prefix(grammar, few)
}

/// How many bytes in front of a vector it takes to judge it.
const BACK: usize = 3;

/// What is behind a first block, or part of one, and [`BACK`] bytes in front: at a cache line, if there is much of it.
#[inline(always)]
fn aligned_behind_first(bytes: &[u8]) -> &[u8] {
    let line = if bytes.len() < Lines::ALIGNED_FROM { BLOCK } else { bytes.as_ptr().align_offset(BLOCK) };
    from(bytes, if (BACK..BLOCK).contains(&line) { line } else { BLOCK } - BACK)
}

/// Whether at most `BLOCKS` blocks are well formed as a whole, NULs aside: nothing is asked of a part of them, as short inputs in a row
/// are of all lengths and scripts, and each wrong guess costs more than a block. For levels that load under a mask.
pub(crate) struct CleanShort<'b, const BLOCKS: usize> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl<const BLOCKS: usize> Kernel for CleanShort<'_, BLOCKS> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let tables = Tables::new(token, self.grammar);
        let mut before = tables.zero;
        let mut suspects = tables.zero;
        for part in 0..BLOCKS * BLOCK / T::Vector::LEN {
            let this = token.load_front(from(self.bytes, part * T::Vector::LEN), FILLER);
            suspects = suspects.or(tables.suspects(this, before));
            before = this;
        }
        !suspects.or(tables.cut_off_behind(before)).any()
    }
}

/// What [`CountedPrefix`] finds.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The length of a prefix that is well formed, NULs aside, and ends at a boundary.
    pub(crate) len: usize,
    /// Its code points.
    pub(crate) code_points: usize,
    /// Its line feeds.
    pub(crate) lines: usize,
}

/// A clean prefix, at most a block and a sequence shorter than [`CleanPrefix`] finds, counted in the same pass.
#[cfg(feature = "alloc")]
pub(crate) struct CountedPrefix<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

#[cfg(feature = "alloc")]
impl Kernel for CountedPrefix<'_> {
    type Output = Counted;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Counted {
        let tables = Tables::new(token, self.grammar);
        let blocks = self.bytes.as_chunks::<BLOCK>().0;
        let mut before = tables.zero;
        let (mut clean, mut starts, mut lines) = (0, 0, 0);
        // Some blocks are validated, then counted while they are in the nearest cache: both at once took more
        // registers than there are, and half as long again.
        for some in blocks.chunks(COUNTED_AT_ONCE) {
            let here = tables.clean_blocks(token, some, &mut before);
            let counts = starts_and_lines(token, &some[..here]);
            starts += counts.0;
            lines += counts.1;
            clean += here * BLOCK;
            if here < some.len() {
                break;
            }
        }
        let len = boundary_before(self.bytes, clean);
        // A sequence cut off at the end has been counted, by its lead.
        Counted { len, code_points: starts - usize::from(len < clean), lines }
    }
}

/// Finds a prefix of ASCII: all bytes, or those before the four blocks that hold the first other byte.
pub(crate) struct AsciiPrefix<'b> {
    pub(crate) bytes: &'b [u8],
}

impl Kernel for AsciiPrefix<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let Lines { head, blocks, tail } = Lines::new(token, self.bytes, 1);
        if token.load_front(head, 0).any_high() {
            return 0;
        }
        let (fours, rest) = blocks.as_chunks::<4>();
        // A loop, as a closure is not compiled for the level unless it happens to be inlined.
        for (i, four) in fours.iter().enumerate() {
            if !is_ascii(token, four.as_flattened()) {
                return head.len() + i * 4 * BLOCK;
            }
        }
        let behind = rest.len() * BLOCK + tail.len();
        let clean = !ends(token, rest.as_flattened(), tail).any_high();
        if clean { self.bytes.len() } else { self.bytes.len() - behind }
    }
}

/// The bits that any byte of blocks and of what is behind them has, lane by lane.
#[inline(always)]
fn ends<T: Token>(token: T, blocks: &[u8], tail: &[u8]) -> T::Vector {
    let mut any = any_bits(token, blocks);
    for some in tail.chunks(T::Vector::LEN) {
        any = any.or(token.load_front(some, 0));
    }
    any
}

/// Whether blocks are ASCII.
#[inline(always)]
pub(crate) fn is_ascii<T: Token>(token: T, blocks: &[u8]) -> bool {
    !any_bits(token, blocks).any_high()
}

/// The bits that any byte of blocks has, lane by lane.
#[inline(always)]
pub(crate) fn any_bits<T: Token>(token: T, blocks: &[u8]) -> T::Vector {
    let mut any = token.splat(0);
    for block in blocks.as_chunks().0 {
        for part in 0..BLOCK / T::Vector::LEN {
            any = any.or(token.load(block, part));
        }
    }
    any
}

/// The tables of pairs in registers.
pub(crate) struct Refusals<V> {
    byte_1_high: V,
    byte_1_low: V,
    byte_2_high: V,
    zero: V,
}

impl<V: Vector> Refusals<V> {
    #[inline(always)]
    pub(crate) fn new<T: Token<Vector = V>>(token: T, grammar: &'static Grammar) -> Self {
        Refusals {
            byte_1_high: token.table(&grammar.lookup.byte_1_high),
            byte_1_low: token.table(&grammar.lookup.byte_1_low),
            byte_2_high: token.table(&grammar.lookup.byte_2_high),
            zero: token.splat(0),
        }
    }

    /// The classes of what is wrong with each byte after the one before.
    #[inline(always)]
    fn of(&self, this: V, prev1: V) -> V {
        let first = prev1.lookup_high(self.byte_1_high);
        first.and_both(prev1.lookup(self.byte_1_low), this.lookup_high(self.byte_2_high))
    }

    /// Where nothing is.
    #[inline(always)]
    pub(crate) fn allowed(&self, this: V, prev1: V) -> V {
        self.of(this, prev1).equal(self.zero)
    }
}

/// The tables and constants in registers.
pub(crate) struct Tables<V> {
    pub(crate) refusals: Refusals<V>,
    third: V,
    fourth: V,
    bit_7: V,
    /// A sequence is cut off after the vector where its bytes exceed these.
    whole: V,
    /// The same of a vector whose first [`BACK`] bytes are in front.
    whole_in_front: V,
    zero: V,
}

/// How many blocks are looked at as one, where there are registers enough.
pub(crate) const GROUP: usize = 4;

/// The bytes from `at` on, if there are any.
#[inline(always)]
pub(crate) fn from(bytes: &[u8], at: usize) -> &[u8] {
    bytes.split_at(at.min(bytes.len())).1
}

/// What fills lanes around less than a vector: a byte that every dialect has.
pub(crate) const FILLER: u8 = b' ';

/// The largest bytes with which a block can end and cut off no sequence.
const WHOLE: [u8; BLOCK] = {
    let mut all = [0xFF; BLOCK];
    all[BLOCK - 3] = 0xF0 - 1;
    all[BLOCK - 2] = 0xE0 - 1;
    all[BLOCK - 1] = 0xC0 - 1;
    all
};

/// The same of the first bytes of a block, in front of others.
const WHOLE_IN_FRONT: [u8; BLOCK] = {
    let mut all = [0xFF; BLOCK];
    all[0] = WHOLE[BLOCK - 3];
    all[1] = WHOLE[BLOCK - 2];
    all[2] = WHOLE[BLOCK - 1];
    all
};

impl<V: Vector> Tables<V> {
    #[inline(always)]
    pub(crate) fn new<T: Token<Vector = V>>(token: T, grammar: &'static Grammar) -> Self {
        Tables {
            refusals: Refusals::new(token, grammar),
            third: token.splat(0xE0 - 0x80),
            fourth: token.splat(0xF0 - 0x80),
            bit_7: token.splat(0x80),
            whole: token.load(&WHOLE, BLOCK / V::LEN - 1),
            whole_in_front: token.load(&WHOLE_IN_FRONT, 0),
            zero: token.splat(0),
        }
    }

    /// How many blocks are clean up to the first suspect one; leaves the last one's last vector in `before`, if all are.
    #[inline(always)]
    pub(crate) fn clean_blocks<T: Token<Vector = V>>(
        &self,
        token: T,
        blocks: &[[u8; BLOCK]],
        before: &mut V,
    ) -> usize {
        let Some(first) = blocks.first() else { return 0 };
        if self.suspects_of_first(token, first, *before).any() {
            return 0;
        }
        let mut rest = blocks;
        if V::LEN == BLOCK {
            rest = self.clean_fours(token, rest);
        }
        while let Some(two) = rest.first_chunk::<2>() {
            let two = two.as_flattened();
            if is_ascii(token, &two[BLOCK..]) {
                if self.cut_off(token, two, BLOCK).any() {
                    break;
                }
                rest = last_ascii(token, &rest[1..]);
            } else if self.suspects_of_block(token, two, BLOCK).any() {
                break;
            } else {
                rest = &rest[1..];
            }
        }
        *before = token.load(&rest[0], BLOCK / V::LEN - 1);
        blocks.len() - rest.len() + 1
    }

    /// Goes on behind the first block by four blocks at a time; the block at which it stopped and what follows.
    #[inline(always)]
    fn clean_fours<'b, T: Token<Vector = V>>(
        &self,
        token: T,
        mut blocks: &'b [[u8; BLOCK]],
    ) -> &'b [[u8; BLOCK]] {
        while let Some(five) = blocks.first_chunk::<5>() {
            let five = five.as_flattened();
            let mut suspects = self.zero;
            if is_ascii(token, &five[BLOCK..]) {
                suspects = self.cut_off(token, five, BLOCK);
            } else {
                for block in 1..5 {
                    suspects = suspects.or(self.suspects_of_block(token, five, block * BLOCK));
                }
            }
            if suspects.any() {
                break;
            }
            blocks = &blocks[4..];
        }
        blocks
    }

    /// The first byte of a group of blocks that may not stand behind those before it, given the vector in front and those of
    /// the group; on levels with masks.
    #[inline(always)]
    pub(crate) fn suspect_of_group<T: Token<Vector = V>>(
        &self,
        token: T,
        group: &[u8],
        vectors: [V; GROUP],
        before: V,
    ) -> Option<usize> {
        let any = vectors.iter().fold(self.zero, |any, &vector| any.or(vector));
        let cut_off = self.cut_off_behind(before);
        // One question for both: each answer that is guessed makes the others harder to guess.
        if any.high_bits() | cut_off.masked()?.nonzero() == 0 {
            return None;
        }
        let mut suspects = [self.suspects(vectors[0], before); GROUP];
        for block in 1..GROUP {
            let in_front = token.load_before(group, block * BLOCK);
            suspects[block] = self.pairs(vectors[block], in_front);
        }
        if !suspects.iter().fold(self.zero, |any, &some| any.or(some)).any() {
            return None;
        }
        for (block, suspects) in suspects.into_iter().enumerate() {
            let bits = suspects.masked()?.nonzero();
            if bits != 0 {
                return Some(block * BLOCK + bits.trailing_zeros() as usize);
            }
        }
        None
    }

    /// Not zero if a vector cuts off a sequence.
    #[inline(always)]
    pub(crate) fn cut_off_behind(&self, vector: V) -> V {
        vector.saturating_sub(self.whole)
    }

    /// Not zero if a sequence is cut off at `at`.
    #[inline(always)]
    fn cut_off<T: Token<Vector = V>>(&self, token: T, bytes: &[u8], at: usize) -> V {
        token.load_at(bytes, at - V::LEN).saturating_sub(self.whole)
    }

    /// The suspects of the block at `at`, where another is in front of it.
    #[inline(always)]
    fn suspects_of_block<T: Token<Vector = V>>(&self, token: T, bytes: &[u8], at: usize) -> V {
        let mut suspects = self.zero;
        for part in 0..BLOCK / V::LEN {
            let at = at + part * V::LEN;
            suspects = suspects.or(self.pairs(token.load_at(bytes, at), token.load_before(bytes, at)));
        }
        suspects
    }

    /// The suspects of a block, given the vector in front of it.
    #[inline(always)]
    fn suspects_of_first<T: Token<Vector = V>>(&self, token: T, block: &[u8; BLOCK], mut before: V) -> V {
        if is_ascii(token, block) {
            return before.saturating_sub(self.whole);
        }
        let mut suspects = self.zero;
        for part in 0..BLOCK / V::LEN {
            let this = token.load(block, part);
            suspects = suspects.or(self.suspects(this, before));
            before = this;
        }
        suspects
    }

    /// The first byte that is suspect or that no vector judges, or the end, if a sequence is cut off there: the first vector,
    /// then groups of blocks, if there are any (`LONG`), then what is left or suspect by vectors.
    #[inline(always)]
    fn suspect<T: Token<Vector = V>, const LONG: bool>(&self, token: T, bytes: &[u8]) -> Option<usize> {
        let (len, width) = (bytes.len(), V::LEN);
        let first = if len < width { token.load_front(bytes, FILLER) } else { token.load_at(bytes, 0) };
        let suspects = self.suspects(first, self.zero);
        if suspects.any() {
            return Some(self.clean_lanes(suspects));
        }
        let last = len.checked_sub(width)?;
        if (1..BACK).contains(&last) {
            return Some(width);
        }
        let mut at = width;
        if LONG && width == BLOCK {
            at = len - self.behind_groups::<T, { BACK + GROUP * BLOCK }>(token, aligned_behind_first(bytes));
        } else if LONG {
            at = len - self.behind_groups::<T, { BACK + BLOCK }>(token, from(bytes, at - BACK));
        }
        while at < len {
            // The last vector ends where the bytes end, and overlaps the one before.
            at = at.min(last);
            let Some(window) = from(bytes, at - BACK).get(..BACK + width) else { break };
            let suspects = self.suspects_in(token, window, BACK);
            // Where the next vector is does not wait for the answer of this one.
            if suspects.any() {
                return Some(at + self.clean_lanes(suspects));
            }
            at += width;
        }
        self.cut_off_behind(token.load_at(bytes, last)).any().then_some(len)
    }

    /// Skips groups of `N - BACK` bytes behind the first [`BACK`] as long as they are clean; says how many are left.
    #[inline(always)]
    fn behind_groups<T: Token<Vector = V>, const N: usize>(&self, token: T, mut rest: &[u8]) -> usize {
        while let Some(window) = rest.first_chunk::<N>() {
            let group = &window[BACK..];
            if is_ascii(token, group) {
                if token.load_at(window, 0).saturating_sub(self.whole_in_front).any() {
                    break;
                }
                rest = behind_ascii::<T, N>(token, &rest[group.len()..]);
                continue;
            }
            let mut suspects = self.zero;
            for part in 0..group.len() / V::LEN {
                suspects = suspects.or(self.suspects_in(token, window, BACK + part * V::LEN));
            }
            if suspects.any() {
                break;
            }
            rest = &rest[group.len()..];
        }
        rest.len() - BACK
    }

    /// The suspects of the vector at `at`, with [`BACK`] bytes in front of it.
    #[inline(always)]
    fn suspects_in<T: Token<Vector = V>>(&self, token: T, bytes: &[u8], at: usize) -> V {
        self.pairs(token.load_at(bytes, at), token.load_before(bytes, at))
    }

    /// How many lanes at the front are clean.
    #[inline(always)]
    fn clean_lanes(&self, suspects: V) -> usize {
        match suspects.masked() {
            Some(masked) => masked.nonzero().trailing_zeros() as usize,
            None => suspects.equal(self.zero).high_bits().trailing_ones() as usize,
        }
    }

    /// The suspects of a vector, given the one in front. (Not a closure of its caller: closures are not compiled for the
    /// level unless they happen to be inlined.)
    #[inline(always)]
    fn suspects(&self, this: V, before: V) -> V {
        self.pairs(this, [this.prev1(before), this.prev2(before), this.prev3(before)])
    }

    /// The suspects of a vector, given those that begin one, two and three bytes earlier.
    #[inline(always)]
    pub(crate) fn pairs(&self, this: V, [prev1, prev2, prev3]: [V; 3]) -> V {
        let pairs = self.refusals.of(this, prev1);
        let third = prev2.saturating_sub(self.third);
        let fourth = prev3.saturating_sub(self.fourth);
        third.or(fourth).and(self.bit_7).xor(pairs)
    }
}

/// What is behind groups of `N - BACK` bytes of ASCII, which are behind the first [`BACK`], and of these the last.
#[inline(always)]
fn behind_ascii<T: Token, const N: usize>(token: T, mut rest: &[u8]) -> &[u8] {
    while let Some(window) = rest.first_chunk::<N>()
        && is_ascii(token, &window[BACK..])
    {
        rest = &rest[N - BACK..];
        // Four blocks at a time, where there is much of it; that is tried now and then.
        while N == BACK + BLOCK
            && (rest.len() / BLOCK).is_multiple_of(4)
            && let Some(four) = rest.first_chunk::<{ BACK + 4 * BLOCK }>()
            && is_ascii(token, &four[BACK..])
        {
            rest = &rest[4 * BLOCK..];
        }
    }
    rest
}

/// From the last of the blocks of ASCII on, of which the first is one.
#[inline(always)]
fn last_ascii<T: Token>(token: T, mut blocks: &[[u8; BLOCK]]) -> &[[u8; BLOCK]] {
    while let Some(two) = blocks.first_chunk::<2>()
        && is_ascii(token, &two[1])
    {
        blocks = &blocks[1..];
        // Four at a time, where there is much of it; that is tried now and then.
        while blocks.len().is_multiple_of(4)
            && let Some(five) = blocks.first_chunk::<5>()
            && is_ascii(token, five[1..].as_flattened())
        {
            blocks = &blocks[4..];
        }
    }
    blocks
}
