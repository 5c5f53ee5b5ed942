//! UTF-8 to UTF-16 or UTF-32, and whether it is well formed.
//!
//! # Algorithm
//! Each byte is taken for the last of a sequence, and the unit that would end there made from it and the bytes before:
//!
//! ```text
//! last byte     0aaaaaaa            10aaaaaa
//! low byte      0aaaaaaa            bbaaaaaa            bb: of the byte before
//! high byte     0                   ccccbbbb            cccc: of the byte two before, if the one before is a
//!                                                       continuation; the upper b's: of the byte before
//! ```
//!
//! As these are operations on whole vectors of bytes, nothing depends on how long the sequences are. Then, eight bytes
//! at a time, the units that end a sequence are kept, by a table of shuffles for each pattern of eight ends; only where
//! they are written depends on the patterns before. Four bytes make two units: one where the sequence ends, one a byte
//! earlier; or a third byte of the value, for UTF-32. Two kinds of block have their own way: ASCII, and, where nothing
//! compresses, blocks of sequences of three bytes alone, of which every third unit is kept by a fixed shuffle.
//!
//! A block is seen in a window: with the three bytes in front of it and the one behind, all loaded from where they stand.
//! What may not follow what is asked of each byte and the next ([`super::validate`] says how), so that whether a block is
//! well formed depends on its window alone, and what is written for it is taken back if it is not. The first and the last
//! window are copies with zeros around.
//!
//! # Deviations
//! Keeping by a mask is what Clausecker and Lemire, "Transcoding Unicode Characters with AVX-512 Instructions" (2023),
//! do with an instruction that only AVX-512 has, and so does this there, plane by plane; elsewhere lanes of two bytes are
//! what is kept, by `pshufb` (or `tbl`, `swizzle`). There, too, a unit's bytes are looked up by six bits of each byte of the
//! sequence, in tables of 64.
//!
//! # Tried
//! Lemire and Muła, "Transcoding billions of Unicode characters per second with SIMD instructions" (2022): twelve
//! bytes at a time, their layout looked up by the pattern of ends. Each step waits for the one before, which says where
//! it begins: 2 to 3.7 GB/s of the texts that this one converts at 3 to 6 (to UTF-16, AVX2, Zen 3, 2026-11-21).
//! Validation by the other kernel, a few kilobytes ahead: 53.2 instructions for 16 units of Russian to UTF-16 where this has
//! 49.1, 34.4 and 30.7 of German. On avx512 a model was asked, for want of a machine (`bench/record/avx512-model.md`): 16.1
//! cycles for 64 bytes, in one loop 13.0, with the tables of 64 instead of shifts and masks 12.1.
//! Units of four bytes stored four at a time, each store behind the units of the one before: 52.1 instructions and 69.8 of
//! Russian to UTF-32, where eight are stored at once.
//! ASCII by a loop over bytes, which the compiler did not make vectors of within a kernel: 4 GB/s, by interleaving with zeros
//! 30. Whether the byte behind a block of ASCII is a continuation, asked apart: the compiler asked it first, of every block,
//! and half of the answers were guessed wrong. The test for blocks of three within the loop over parts, instead of a function
//! of its own: a third slower for all text. How many units each store has, where a compress made them: nine instructions more
//! for a block than to store all and take back. Runs of ASCII from the next cache line of the output on (by writing some
//! units once more): 1.05 times as fast where all is ASCII, 0.95 to 1.0 in other Latin text.
//! Whether all is known to be well formed as a value, not when compiling: 0.96 for all text (AVX2, Zen 5, 2026-11-22).

mod by_compress;
mod by_tables;
mod short;

pub(crate) use short::{WidenFew, WidenShort};

use core::mem;

use super::validate::{CleanPrefix, Tables, any_bits};
use crate::arch::{BLOCK, Keeps, Kernel, Token, Vector};
use crate::encoding::{Latin1, Utf8};
use crate::grammar::{Grammar, is_continuation};
use crate::out::Out;
use crate::scalar::convert::{Wide, items};
use crate::scalar::validate::boundary_before;

/// Converts as much of `bytes` as is well formed, NULs aside, wanted and fits; says how much. `KNOWN`: all is well formed.
pub(crate) struct Widen<'a, 'o, U, const KNOWN: bool> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
    pub(crate) extent: Extent,
}

/// How much of the bytes is wanted.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// All that is well formed.
    ToEnd,
    /// What is well formed, but for at most a block and a sequence.
    Blocks,
}

impl<'o, U: Wide, const KNOWN: bool> Kernel for Widen<'_, 'o, U, KNOWN> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Widen { grammar, bytes, out, target, extent } = self;
        let mut way = Way::<U, KNOWN> { grammar, bytes, target, at: 0, four: false, out };
        let blocks_only = extent == Extent::Blocks;
        // How much more is wanted than blocks: where only those are, the last one, whole or not, is left.
        let wanted = |at: usize| at < bytes.len() && !(blocks_only && bytes.len() - at <= BLOCK);
        if is_cut_off(bytes) {
            return (0, way.out);
        }
        // Head: the first block, in front of which there is nothing. Body: all that stands in the input with what is around it.
        // Tail: what is left, and nothing behind it.
        let whole = !wanted(0) || way.edge(token, bytes.len()) && way.body(token);
        let whole = whole && (!wanted(way.at) || way.edge(token, bytes.len()));
        if blocks_only && way.at < bytes.len() {
            way.back_to_boundary();
            return (way.at, way.out);
        }
        // Or what is clean of the block that is not, or has no room.
        let end = if whole { bytes.len() } else { way.clean(token) };
        if way.at >= end {
            // NULs behind the last bytes.
            way.out.take_back((way.at - end) * U::UNIT);
            return (end, way.out);
        }
        way.back_to_boundary();
        let last = items(Utf8, target, &bytes[way.at..end], &mut way.out);
        (way.at + last, way.out)
    }
}

/// Whether the first byte is a continuation, of which no window would know that nothing is in front of it.
#[inline(always)]
fn is_cut_off(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| is_continuation(byte))
}

/// How far the input is converted.
struct Way<'a, 'o, U, const KNOWN: bool> {
    grammar: &'static Grammar,
    bytes: &'a [u8],
    target: U,
    at: usize,
    /// The block in front holds sequences of four bytes.
    four: bool,
    out: Out<'o>,
}

impl<U: Wide, const KNOWN: bool> Way<'_, '_, U, KNOWN> {
    /// Converts the block at `at`, of which the input may not have all, nor what is around it: zeros for the rest, and for
    /// what is behind `end`. Says whether it did.
    #[inline(always)]
    fn edge<T: Token>(&mut self, token: T, end: usize) -> bool {
        let mut window = [0; WINDOW];
        let front = self.at.min(FRONT);
        let some = &self.bytes[self.at - front..end.min(self.at + BLOCK + 1)];
        window[FRONT - front..][..some.len()].copy_from_slice(some);
        self.run(token, &window)
    }

    /// Converts the blocks that stand in the input with what is around them; says whether it did, all of them.
    #[inline(always)]
    fn body<T: Token>(&mut self, token: T) -> bool {
        let windows = self.bytes.get(self.at - FRONT..).unwrap_or_default();
        windows.len() < WINDOW || self.run(token, windows)
    }

    /// Converts what is clean of the block at `at`; says where that ends. Items there that have no room are left.
    #[inline(always)]
    fn clean<T: Token>(&mut self, token: T) -> usize {
        self.back_to_boundary();
        let some = &self.bytes[self.at..self.bytes.len().min(self.at + 2 * BLOCK)];
        let clean = token.run(CleanPrefix { grammar: self.grammar, bytes: some });
        let end = if clean > BLOCK { boundary_before(self.bytes, self.at + BLOCK) } else { self.at + clean };
        if self.at < end {
            self.four = false;
            self.edge(token, end);
        }
        end
    }

    /// Goes back to the last boundary; what was written for bytes behind it is taken back.
    #[inline(always)]
    fn back_to_boundary(&mut self) {
        let boundary = boundary_before(self.bytes, self.at);
        // Of a sequence of four bytes that is cut off after three, the first unit.
        if U::UNIT == 2 && self.at - boundary == 3 && self.bytes[boundary] >= 0xF0 {
            self.out.take_back(U::UNIT);
        }
        self.at = boundary;
    }

    #[inline(always)]
    fn run<T: Token>(&mut self, token: T, windows: &[u8]) -> bool {
        let (grammar, target, four) = (self.grammar, self.target, self.four);
        let out = mem::take(&mut self.out);
        let run = token.run(Windows::<U, KNOWN> { grammar, windows, target, four, out });
        self.at += run.read;
        (self.four, self.out) = (run.four, run.out);
        windows.len() - run.read < WINDOW
    }
}

/// Converts blocks, each with what is around it, up to the first that is suspect or has no room: one function for a level,
/// which is called for the head, the body and the tail.
struct Windows<'a, 'o, U, const KNOWN: bool> {
    grammar: &'static Grammar,
    windows: &'a [u8],
    target: U,
    four: bool,
    out: Out<'o>,
}

/// How far [`Windows`] came.
struct Run<'o> {
    read: usize,
    four: bool,
    out: Out<'o>,
}

impl<'o, U: Wide, const KNOWN: bool> Kernel for Windows<'_, 'o, U, KNOWN> {
    type Output = Run<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Run<'o> {
        let Windows { grammar, mut windows, target, mut four, mut out } = self;
        let constants = Constants::<_, KNOWN>::new(token, grammar);
        let mut read = 0;
        while let Some(window) = windows.first_chunk() {
            let Some(held) = constants.window(token, window, four, &mut out, target) else { break };
            (read, windows) = (read + BLOCK, &windows[BLOCK..]);
            four = held == Held::Four;
            if held != Held::Ascii {
                continue;
            }
            // Many at a time, where there is much ASCII; that is tried now and then.
            while read.is_multiple_of(MANY)
                && let Some(window) = windows.first_chunk::<{ FRONT + MANY + 1 }>()
                && let Some(blocks) = window[FRONT..].first_chunk::<MANY>()
                && let behind = &window[window.len() - T::Vector::LEN..]
                && constants.put_ascii(token, blocks, behind, &mut out, target)
            {
                (read, windows) = (read + MANY, &windows[MANY..]);
            }
        }
        Run { read, four, out }
    }
}

/// What a block held.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Ascii,
    Four,
    Others,
}

/// How much ASCII is taken at a time.
const MANY: usize = 4 * BLOCK;

/// The bytes in front of a block in which its first sequence may begin.
const FRONT: usize = 3;

/// A block, what is in front of it, and the byte behind.
const WINDOW: usize = FRONT + BLOCK + 1;

/// Writes each byte as the unit of its value, as long as there is room; says how many.
pub(crate) struct Extend<'a, 'o, U> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
}

impl<'o, U: Wide> Kernel for Extend<'_, 'o, U> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Extend { bytes, mut out, target } = self;
        let mut at = 0;
        while let Some(blocks) = bytes[at..].first_chunk::<MANY>()
            && put_bytes(token, blocks, &mut out, target)
        {
            at += MANY;
        }
        while let Some(block) = bytes[at..].first_chunk::<BLOCK>()
            && put_bytes(token, block, &mut out, target)
        {
            at += BLOCK;
        }
        at += items(Latin1, target, &bytes[at..], &mut out);
        (at, out)
    }
}

/// No place at all: a zero.
const NONE: u8 = 0x80;

/// What a store may write behind its units.
const SPILL: usize = 32;

/// Constants in registers.
struct Constants<V, const KNOWN: bool> {
    tables: Tables<V>,
    zero: V,
    /// The largest continuation byte, as a signed number.
    continuation: V,
    /// The next.
    start: V,
    low_six: V,
    low_nibble: V,
    /// The largest byte that begins no sequence of four.
    below_four: V,
    two_bits: V,
    /// Where the lead of four's bits come to stand.
    five_bits: V,
    high_lead: V,
    low_lead: V,
    one: V,
}

impl<V: Vector, const KNOWN: bool> Constants<V, KNOWN> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, grammar: &'static Grammar) -> Self {
        Constants {
            tables: Tables::new(token, grammar),
            zero: token.splat(0),
            continuation: token.splat(0xBF),
            start: token.splat(0xC0),
            low_six: token.splat(0x3F),
            low_nibble: token.splat(0x0F),
            below_four: token.splat(0xF0 - 1),
            two_bits: token.splat(0x03),
            five_bits: token.splat(0x1C),
            high_lead: token.splat(0xD8),
            low_lead: token.splat(0xDC),
            one: token.splat(1),
        }
    }

    /// A block, and what it holds; `four`: the one in front of it holds sequences of four bytes. None, and nothing written,
    /// if there is no room or something is suspect up to the byte behind it.
    #[inline(always)]
    fn window<T: Token<Vector = V>, U: Wide>(
        &self,
        token: T,
        window: &[u8; WINDOW],
        four: bool,
        out: &mut Out<'_>,
        target: U,
    ) -> Option<Held> {
        let block = window[FRONT..].first_chunk::<BLOCK>()?;
        if self.put_ascii(token, block, &window[WINDOW - V::LEN..], out, target) {
            return Some(Held::Ascii);
        }
        let mut ends = 0;
        let mut fours = self.zero;
        for part in 0..BLOCK / V::LEN {
            let place = part * V::LEN;
            // A sequence ends before each byte that is no continuation.
            ends |= token.load_at(window, FRONT + place + 1).greater_signed(self.continuation).high_bits()
                << place;
            fours = fours.or(token.load(block, part).saturating_sub(self.below_four));
        }
        let held = if fours.any() { Held::Four } else { Held::Others };
        let start = out.written();
        let suspect = match (V::KEEPS, four || held == Held::Four) {
            (Keeps::ByCompress, true) => self.block_by_compress::<T, U, true>(token, window, ends, out),
            (Keeps::ByCompress, false) => self.block_by_compress::<T, U, false>(token, window, ends, out),
            (Keeps::ByTables, true) => self.block_by_tables::<T, U, true>(token, window, ends, out),
            (Keeps::ByTables, false) => self.block_or_threes::<T, U>(token, window, ends, out),
        }?;
        if suspect.any() {
            out.take_back(out.written() - start);
            return None;
        }
        Some(held)
    }

    /// Blocks of ASCII; `behind` ends with the byte behind them. `false`, and nothing written, if they or it are not, or there
    /// is no room.
    #[inline(always)]
    fn put_ascii<T: Token<Vector = V>, U: Wide, const N: usize>(
        &self,
        token: T,
        blocks: &[u8; N],
        behind: &[u8],
        out: &mut Out<'_>,
        target: U,
    ) -> bool {
        // One question for all: whether the byte behind is a continuation is hard to guess.
        let all = any_bits(token, blocks).or(token.load_at(behind, 0));
        !all.any_high() && put_bytes(token, blocks, out, target)
    }

    /// Which of the bytes behind may not stand there.
    #[inline(always)]
    fn suspects<const FOUR: bool>(&self, around: &Around<V>) -> V {
        if KNOWN {
            return self.zero;
        }
        let prev2 = if FOUR { around.prev2 } else { self.zero };
        self.tables.pairs(around.next, [around.this, around.prev1, prev2])
    }
}

/// A part of a block, and the vectors that begin one byte later, and one, two and three earlier.
struct Around<V> {
    next: V,
    this: V,
    prev1: V,
    prev2: V,
    prev3: V,
}

impl<V: Vector> Around<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, window: &[u8; WINDOW], part: usize) -> Self {
        let at = part * V::LEN;
        Around {
            next: token.load_at(window, at + 4),
            this: token.load_at(window, at + 3),
            prev1: token.load_at(window, at + 2),
            prev2: token.load_at(window, at + 1),
            prev3: token.load_at(window, at),
        }
    }
}

/// Units in planes of bytes.
struct Planes<V> {
    low: V,
    high: V,
    /// Above 16 bits.
    highest: V,
    /// Where a first unit of two stands.
    pairs: u64,
}

/// Writes each byte of blocks as the unit of its value; `false`, and nothing, if there is no room.
#[inline(always)]
fn put_bytes<T: Token, U: Wide, const N: usize>(
    token: T,
    blocks: &[u8; N],
    out: &mut Out<'_>,
    target: U,
) -> bool {
    if out.room() < N * U::UNIT {
        return false;
    }
    for block in blocks.as_chunks().0 {
        put_block(token, block, out, target);
    }
    true
}

/// The same of one block; nothing, if there is no room.
#[inline(always)]
fn put_block<T: Token, U: Wide>(token: T, block: &[u8; BLOCK], out: &mut Out<'_>, _: U) {
    let Some(mut room) = out.room_for(BLOCK * U::UNIT) else { return };
    let zero = token.splat(0);
    for part in 0..BLOCK / T::Vector::LEN {
        if U::UNIT == 2 {
            let bytes = token.load(block, part);
            for units in if U::BIG_ENDIAN { zero.interleave(bytes) } else { bytes.interleave(zero) } {
                room.push_units::<2>(units.to_bytes(), T::Vector::LEN / 2);
            }
            continue;
        }
        // One shuffle for each vector that is stored; interleaving takes three for two.
        for sixteen in block[part * T::Vector::LEN..][..T::Vector::LEN].as_chunks().0 {
            let kept = if U::BIG_ENDIAN { &LAST_OF_FOUR } else { &FIRST_OF_FOUR };
            let bytes = token.table(sixteen);
            for part in 0..BLOCK / T::Vector::LEN {
                let units = token.load(&BY_FOUR, part).lookup(bytes).and(token.load(kept, part));
                room.push_units::<4>(units.to_bytes(), T::Vector::LEN / 4);
            }
        }
    }
}

/// Sixteen places, four bytes each, and which of the four is the unit's.
const BY_FOUR: [u8; BLOCK] = by_four(None);
const FIRST_OF_FOUR: [u8; BLOCK] = by_four(Some(0));
const LAST_OF_FOUR: [u8; BLOCK] = by_four(Some(3));

const fn by_four(kept: Option<usize>) -> [u8; BLOCK] {
    let mut all = [0; BLOCK];
    let mut i = 0;
    while i < BLOCK {
        all[i] = match kept {
            None => i as u8 / 4,
            Some(kept) => {
                if i % 4 == kept {
                    0xFF
                } else {
                    0
                }
            }
        };
        i += 1;
    }
    all
}
