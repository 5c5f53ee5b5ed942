//! UTF-8 to UTF-16 or UTF-32, validated in the same pass.
//!
//! # Algorithm
//! Each byte is taken as the last of a sequence, and the unit that would end there is built from it and the bytes
//! before:
//!
//! ```text
//! last byte     0aaaaaaa            10aaaaaa
//! low byte      0aaaaaaa            bbaaaaaa            bb: of the byte before
//! high byte     0                   ccccbbbb            cccc: of the byte two before, if the one before is a
//!                                                       continuation; the upper b's: of the byte before
//! ```
//!
//! These are operations on whole vectors of bytes, so nothing depends on how long the sequences are. Then, eight bytes
//! at a time, the units that end a sequence are left-packed, by a table of shuffles for each pattern of eight ends;
//! only the output position depends on the previous patterns. A four-byte sequence makes two units: one where the
//! sequence ends, one a byte earlier; or, for UTF-32, a third byte of the value. Two kinds of block have their own
//! path: ASCII, and, on levels without compress, blocks of three-byte sequences only, where a fixed shuffle keeps every
//! third unit.
//!
//! A window is a block with the three bytes before it and the one after, all loaded from the input itself. Each byte
//! and the next are tested for errors (see [`super::validate`]), so whether a block is valid depends only on its
//! window, and the output of an invalid block is taken back. The first and the last window are copies padded with
//! zeros.
//!
//! A lossy conversion repairs a copy of the window that stopped it, and converts that before it continues
//! ([`WidenLossy`]).
//!
//! On AVX-512 units are left-packed by a compress, plane by plane (Clausecker and Lemire, "Transcoding Unicode
//! Characters with AVX-512 Instructions", 2023), and a unit's bytes are looked up by six bits of each byte, in tables
//! of 64.
//!
//! # Decisions
//! - Steps of twelve bytes by their pattern of ends (Lemire and Muła, 2022) are slower, because each step waits for the
//!   length of the previous one.
//! - Validation is part of this loop, because a separate pass takes more instructions.
//! - The byte after a block of ASCII is tested together with the block, because a separate test is mispredicted.
//! - Blocks of three-byte sequences are in a function of their own, because within the loop they slow down all text.
//! - Only runs of more than four blocks of ASCII are aligned to the output's cache lines; for shorter ones it costs
//!   more.
//!
//! `bench/record/kernels/utf8_to_wide.md` has the measurements.

mod by_compress;
mod by_tables;
mod lossy;
mod short;

pub(crate) use lossy::WidenLossy;
pub(crate) use short::WidenShort;

use core::marker::PhantomData;
use core::mem;

use super::ascii::any_bits;
use super::tables::{LOOKBEHIND_BYTES, Tables};
use super::validate::CleanPrefix;
use crate::encoding::{Latin1, Utf8};
use crate::grammar::{Grammar, is_continuation};
use crate::out::Out;
use crate::reference::convert::{Wide, items};
use crate::reference::validate::boundary_before;
use crate::simd::{BLOCK_BYTES, Kernel, MaskedToken, Token, Variants, Vector, prefetch, prefetch_pays_when_load_bound};

/// Converts as much of `bytes` as is well formed, treating NUL as valid, and fits; returns the number of bytes.
pub(crate) struct Widen<'a, 'o, U> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
}

impl<'o, U: Wide> Kernel for Widen<'_, 'o, U> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        convert(self, &|windows| run_windows(token, windows), &|prefix| token.run(prefix))
    }
}

/// [`Widen`], given the operations of a level: one function for all levels, because it is called once per conversion.
fn convert<'o, U: Wide>(
    work: Widen<'_, 'o, U>,
    run_windows: &RunWindows<'_, U>,
    clean_prefix: &dyn Fn(CleanPrefix<'_>) -> usize,
) -> (usize, Out<'o>) {
    let Widen { grammar, bytes, out, target } = work;
    let mut conversion = Conversion { grammar, bytes, target, at: 0, four: false, out, run_windows };
    if is_cut_off(bytes) {
        return (0, conversion.out);
    }
    // Head: the first block, with nothing before it. Body: the blocks whose whole window is in the input. Tail: the
    // rest, with nothing after it.
    let len = bytes.len();
    let whole = len == 0 || conversion.edge(len) && conversion.body();
    let whole = whole && (conversion.at >= len || conversion.edge(len));
    // Otherwise, the clean part of the block that is invalid or does not fit.
    let end = if whole { bytes.len() } else { conversion.clean(clean_prefix) };
    if conversion.at >= end {
        // NULs follow the last bytes.
        conversion.out.take_back((conversion.at - end) * U::UNIT);
        return (end, conversion.out);
    }
    conversion.back_to_boundary();
    let last = items(Utf8, target, &bytes[conversion.at..end], &mut conversion.out);
    (conversion.at + last, conversion.out)
}

/// Runs [`Windows`] on some level.
type RunWindows<'r, U> = dyn for<'w, 'o> Fn(Windows<'w, 'o, U>) -> Run<'o> + 'r;

/// Runs [`Windows`]. Not inlined, because in WebAssembly, where kernels are inlined, both kinds of conversion would
/// have a copy.
#[inline(never)]
fn run_windows<'o, T: Token, U: Wide>(token: T, windows: Windows<'_, 'o, U>) -> Run<'o> {
    token.run(windows)
}

/// Reports whether the first byte is a continuation: no window would notice that nothing precedes it.
#[inline(always)]
fn is_cut_off(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| is_continuation(byte))
}

/// The state of a conversion.
struct Conversion<'a, 'o, U> {
    grammar: &'static Grammar,
    bytes: &'a [u8],
    target: U,
    at: usize,
    /// Whether the previous block holds four-byte sequences.
    four: bool,
    out: Out<'o>,
    run_windows: &'a RunWindows<'a, U>,
}

impl<U: Wide> Conversion<'_, '_, U> {
    /// Converts the block at `at`, even if the input lacks part of its window; zeros replace that part and everything
    /// starting at `end`. Reports whether it converted the block.
    fn edge(&mut self, end: usize) -> bool {
        let mut window = [0; WINDOW_BYTES];
        let front = self.at.min(LOOKBEHIND_BYTES);
        let some = &self.bytes[self.at - front..end.min(self.at + BLOCK_BYTES + 1)];
        window[LOOKBEHIND_BYTES - front..][..some.len()].copy_from_slice(some);
        self.run(&window)
    }

    /// Converts the blocks whose whole window is in the input; reports whether it converted all of them.
    fn body(&mut self) -> bool {
        let windows = self.bytes.get(self.at - LOOKBEHIND_BYTES..).unwrap_or_default();
        windows.len() < WINDOW_BYTES || self.run(windows)
    }

    /// Converts the clean part of the block at `at`, and returns its end. Items that do not fit are left unconverted.
    fn clean(&mut self, clean_prefix: &dyn Fn(CleanPrefix<'_>) -> usize) -> usize {
        self.back_to_boundary();
        let some = &self.bytes[self.at..self.bytes.len().min(self.at + 2 * BLOCK_BYTES)];
        let clean = clean_prefix(CleanPrefix { grammar: self.grammar, bytes: some });
        let end =
            if clean > BLOCK_BYTES { boundary_before(self.bytes, self.at + BLOCK_BYTES) } else { self.at + clean };
        if self.at < end {
            self.four = false;
            self.edge(end);
        }
        end
    }

    /// Goes back to the last boundary, and takes back the output of the bytes after it.
    fn back_to_boundary(&mut self) {
        let boundary = boundary_before(self.bytes, self.at);
        // If a four-byte sequence is cut off after three bytes, its first unit has been written.
        if U::UNIT == 2 && self.at - boundary == 3 && self.bytes[boundary] >= 0xF0 {
            self.out.take_back(U::UNIT);
        }
        self.at = boundary;
    }

    fn run(&mut self, windows: &[u8]) -> bool {
        let (grammar, target, four) = (self.grammar, self.target, self.four);
        let out = mem::take(&mut self.out);
        let run = (self.run_windows)(Windows { grammar, windows, target, four, out });
        self.at += run.read;
        (self.four, self.out) = (run.four, run.out);
        windows.len() - run.read < WINDOW_BYTES
    }
}

/// Converts blocks, each with its window, up to the first that is suspect or does not fit: one function per level,
/// called for the head, the body and the tail.
struct Windows<'a, 'o, U> {
    grammar: &'static Grammar,
    windows: &'a [u8],
    target: U,
    four: bool,
    out: Out<'o>,
}

/// How far [`Windows`] got.
struct Run<'o> {
    read: usize,
    four: bool,
    out: Out<'o>,
}

impl<'o, U: Wide> Kernel for Windows<'_, 'o, U> {
    type Output = Run<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Run<'o> {
        let Windows { grammar, windows, target, mut four, mut out } = self;
        let constants = Constants::new(token, grammar);
        let (mut read, mut repeated) = (0, 0);
        let ahead = T::Vector::LEN < BLOCK_BYTES || prefetch_pays_when_load_bound(windows);
        while let Some(window) = windows[read..].first_chunk() {
            if ahead {
                prefetch(window);
            }
            let Some(content) = constants.window(token, window, four, &mut out, target) else { break };
            read += BLOCK_BYTES;
            four = content == Content::Four;
            if content != Content::Ascii {
                continue;
            }
            // From time to time, try many blocks at once, for long ASCII.
            while (read + repeated).is_multiple_of(ASCII_BYTES_PER_STEP)
                && let Some(window) = windows[read..].first_chunk::<{ LOOKBEHIND_BYTES + ASCII_BYTES_PER_STEP + 1 }>()
                && let Some(blocks) = window[LOOKBEHIND_BYTES..].first_chunk::<ASCII_BYTES_PER_STEP>()
                && let last = &window[window.len() - T::Vector::LEN..]
                && constants.put_ascii(token, blocks, last, &mut out, target)
            {
                read += ASCII_BYTES_PER_STEP;
                // Output in the last cache line is written again, so that the next store begins at the line.
                let over = if T::Vector::LEN > 16 { out.over_line() / U::UNIT } else { 0 };
                out.take_back(over * U::UNIT);
                (read, repeated) = (read - over, repeated + over);
            }
        }
        Run { read, four, out }
    }
}

/// The content of a block.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Ascii,
    Four,
    Others,
}

/// How many bytes of ASCII are converted at a time.
const ASCII_BYTES_PER_STEP: usize = 4 * BLOCK_BYTES;

/// The bytes of a window: a block, what precedes it, and the byte after it.
const WINDOW_BYTES: usize = LOOKBEHIND_BYTES + BLOCK_BYTES + 1;

/// Writes each byte as the unit of its value, as many as fit; returns their number.
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
        while let Some(blocks) = bytes[at..].first_chunk::<ASCII_BYTES_PER_STEP>()
            && put_bytes(token, blocks, &mut out, target)
        {
            at += ASCII_BYTES_PER_STEP;
        }
        while let Some(block) = bytes[at..].first_chunk::<BLOCK_BYTES>()
            && put_bytes(token, block, &mut out, target)
        {
            at += BLOCK_BYTES;
        }
        at += items(Latin1, target, &bytes[at..], &mut out);
        (at, out)
    }
}

/// A position that shuffles in a zero.
const ZERO_LANE: u8 = 0x80;

/// How many bytes a store may write after its units.
const SPILL_BYTES: usize = 32;

/// Constants in registers.
struct Constants<V> {
    tables: Tables<V>,
    zero: V,
    /// The largest continuation byte, as a signed number.
    continuation: V,
    /// The smallest signed number above `continuation`.
    start: V,
    low_six: V,
    low_nibble: V,
    /// The largest byte that does not begin a four-byte sequence.
    below_four: V,
    two_bits: V,
    /// The position of the bits of a four-byte lead.
    five_bits: V,
    high_lead: V,
    low_lead: V,
    one: V,
}

impl<V: Vector> Constants<V> {
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

    /// Converts a block, and returns its content; `four` if the previous block holds four-byte sequences. `None`, with
    /// nothing written, if the capacity is too small, or any byte up to the one after the block is suspect.
    #[inline(always)]
    fn window<T: Token<Vector = V>, U: Wide>(
        &self,
        token: T,
        window: &[u8; WINDOW_BYTES],
        four: bool,
        out: &mut Out<'_>,
        target: U,
    ) -> Option<Content> {
        let block = window[LOOKBEHIND_BYTES..].first_chunk::<BLOCK_BYTES>()?;
        if self.put_ascii(token, block, &window[WINDOW_BYTES - V::LEN..], out, target) {
            return Some(Content::Ascii);
        }
        let mut ends = 0;
        let mut fours = self.zero;
        for part in 0..BLOCK_BYTES / V::LEN {
            let place = part * V::LEN;
            // A sequence ends before each byte that is not a continuation.
            ends |= token.load_at(window, LOOKBEHIND_BYTES + place + 1).greater_signed(self.continuation).high_bits()
                << place;
            fours = fours.or(token.load(block, part).saturating_sub(self.below_four));
        }
        let content = if fours.any() { Content::Four } else { Content::Others };
        let start = out.written();
        let (constants, target) = (self, PhantomData::<U>);
        let suspect = if four || content == Content::Four {
            token.by_variant(Block::<_, _, true> { constants, window, ends, out, target })?
        } else {
            token.by_variant(Block::<_, _, false> { constants, window, ends, out, target })?
        };
        if suspect.any() {
            out.take_back(out.written() - start);
            return None;
        }
        Some(content)
    }

    /// Converts blocks of ASCII. The last byte of `last` must be the byte after them. Returns `false`, and writes
    /// nothing, if any of these bytes is not ASCII, or the capacity is too small.
    #[inline(always)]
    fn put_ascii<T: Token<Vector = V>, U: Wide, const N: usize>(
        &self,
        token: T,
        blocks: &[u8; N],
        last: &[u8],
        out: &mut Out<'_>,
        target: U,
    ) -> bool {
        // One test for all, because a separate test of the byte after the blocks is hard to predict.
        let all = any_bits(token, blocks).or(token.load_at(last, 0));
        !all.any_high() && put_bytes(token, blocks, out, target)
    }

    /// Returns which of the bytes after the block are errors.
    #[inline(always)]
    fn suspects<const FOUR: bool>(&self, shifted: &Shifted<V>) -> V {
        let prev2 = if FOUR { shifted.prev2 } else { self.zero };
        self.tables.classify(shifted.next, [shifted.this, shifted.prev1, prev2])
    }
}

/// Converts a block whose bytes end sequences where `ends` says. `FOUR`: there may be four-byte sequences. Returns the
/// suspects; `None`, with nothing written, if the capacity is too small.
struct Block<'a, 'o, V, U, const FOUR: bool> {
    constants: &'a Constants<V>,
    window: &'a [u8; WINDOW_BYTES],
    ends: u64,
    out: &'a mut Out<'o>,
    target: PhantomData<U>,
}

impl<T: Token, U: Wide, const FOUR: bool> Variants<T> for Block<'_, '_, T::Vector, U, FOUR> {
    type Output = Option<T::Vector>;

    #[inline(always)]
    fn by_tables(self, token: T) -> Option<T::Vector> {
        let Block { constants, window, ends, out, .. } = self;
        if FOUR {
            constants.block_by_tables::<T, U, true>(token, window, ends, out)
        } else {
            constants.block_or_threes::<T, U>(token, window, ends, out)
        }
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> Option<T::Vector>
    where
        T: MaskedToken,
    {
        let Block { constants, window, ends, out, .. } = self;
        constants.block_by_compress::<T, U, FOUR>(token, window, ends, out)
    }
}

/// A part of a block, and the vectors that begin one byte later, and one, two and three bytes earlier.
struct Shifted<V> {
    next: V,
    this: V,
    prev1: V,
    prev2: V,
    prev3: V,
}

impl<V: Vector> Shifted<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, window: &[u8; WINDOW_BYTES], part: usize) -> Self {
        let at = part * V::LEN;
        Shifted {
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
    /// The bits above the lower 16.
    highest: V,
    /// The positions of the first units of pairs.
    pairs: u64,
}

impl<V: Vector> Planes<V> {
    /// Returns the `part`-th sixteen bytes of each plane.
    #[inline(always)]
    fn sixteen(&self, part: usize) -> [V::Sixteen; 3] {
        [self.low.sixteen(part), self.high.sixteen(part), self.highest.sixteen(part)]
    }
}

/// Writes each byte of blocks as the unit of its value; returns `false`, and writes nothing, if the capacity is too
/// small.
#[inline(always)]
fn put_bytes<T: Token, U: Wide, const N: usize>(token: T, blocks: &[u8; N], out: &mut Out<'_>, target: U) -> bool {
    if out.remaining() < N * U::UNIT {
        return false;
    }
    for block in blocks.as_chunks().0 {
        put_block(token, block, out, target);
    }
    true
}

/// [`put_bytes`] for one block.
#[inline(always)]
fn put_block<T: Token, U: Wide>(token: T, block: &[u8; BLOCK_BYTES], out: &mut Out<'_>, _: U) {
    let Some(mut reserved) = out.reserve(BLOCK_BYTES * U::UNIT) else { return };
    let zero = token.splat(0);
    for part in 0..BLOCK_BYTES / T::Vector::LEN {
        if U::UNIT == 2 {
            let bytes = token.load(block, part);
            for units in if U::BIG_ENDIAN { zero.interleave(bytes) } else { bytes.interleave(zero) } {
                reserved.push_units::<2>(units.to_bytes(), T::Vector::LEN / 2);
            }
            continue;
        }
        // One shuffle for each vector that is stored; interleaving takes three for two.
        for sixteen in block[part * T::Vector::LEN..][..T::Vector::LEN].as_chunks().0 {
            let kept = if U::BIG_ENDIAN { &LAST_BYTE_OF_UNIT } else { &FIRST_BYTE_OF_UNIT };
            let bytes = token.table(sixteen);
            for part in 0..BLOCK_BYTES / T::Vector::LEN {
                let units = token.load(&BY_FOUR, part).lookup(bytes).and(token.load(kept, part));
                reserved.push_units::<4>(units.to_bytes(), T::Vector::LEN / 4);
            }
        }
    }
}

/// Sixteen positions, each repeated for four bytes, and masks of the byte of the four that belongs to the unit.
const BY_FOUR: [u8; BLOCK_BYTES] = by_four(None);
const FIRST_BYTE_OF_UNIT: [u8; BLOCK_BYTES] = by_four(Some(0));
const LAST_BYTE_OF_UNIT: [u8; BLOCK_BYTES] = by_four(Some(3));

const fn by_four(kept: Option<usize>) -> [u8; BLOCK_BYTES] {
    let mut all = [0; BLOCK_BYTES];
    let mut i = 0;
    while i < BLOCK_BYTES {
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
