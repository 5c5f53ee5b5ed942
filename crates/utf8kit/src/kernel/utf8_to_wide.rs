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

use super::select;
use super::validate::{CleanPrefix, Tables, any_bits};
use crate::arch::{BLOCK, Kernel, Masked, Sixteen, Token, Vector};
use crate::encoding::{Latin1, Utf8};
use crate::grammar::{Grammar, is_continuation};
use crate::out::{Out, Room};
use crate::scalar::convert::{Wide, items};
use crate::scalar::validate::boundary_before;

/// Converts as much of `bytes` as is well formed, wanted and fits; says how much.
pub(crate) struct Widen<'a, 'o, U> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
    pub(crate) extent: Extent,
}

/// What is known of the bytes, and how much of them is wanted.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// They are well formed; all of them.
    Known,
    /// All that is well formed.
    ToEnd,
    /// What is well formed, but for at most a block and a sequence.
    Blocks,
}

impl<'o, U: Wide> Kernel for Widen<'_, 'o, U> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Widen { grammar, bytes, mut out, target, extent } = self;
        let mut constants = Constants::new(token, grammar, extent);
        let (mut at, mut end, mut four) = (0, bytes.len(), false);
        let mut edge;
        let mut stretch = Stretch::First;
        loop {
            let mut windows = match stretch {
                Stretch::Inner => bytes.get(at - FRONT..).unwrap_or_default(),
                _ if at >= end || extent == Extent::Blocks && end - at <= BLOCK => break,
                _ => {
                    let Some(window) = window_at_edge(&bytes[..end], at) else { break };
                    edge = window;
                    &edge
                }
            };
            while let Some(window) = windows.first_chunk() {
                let Some(held) = constants.window(token, window, four, &mut out, target) else { break };
                (at, windows) = (at + BLOCK, &windows[BLOCK..]);
                four = held == Held::Four;
                if held != Held::Ascii {
                    continue;
                }
                // Many at a time, where there is much ASCII; that is tried now and then.
                while at.is_multiple_of(MANY)
                    && let Some(window) = windows.first_chunk::<{ FRONT + MANY + 1 }>()
                    && let Some(blocks) = window[FRONT..].first_chunk::<MANY>()
                    && let behind = &window[window.len() - T::Vector::LEN..]
                    && constants.put_ascii(token, blocks, behind, &mut out, target)
                {
                    (at, windows) = (at + MANY, &windows[MANY..]);
                }
            }
            let whole = windows.len() < WINDOW;
            stretch = match stretch {
                Stretch::First if whole => Stretch::Inner,
                Stretch::Inner if whole => Stretch::Last,
                Stretch::Clean | Stretch::Last if whole => break,
                Stretch::First | Stretch::Inner | Stretch::Last if extent != Extent::Blocks => {
                    // What is clean of the block that is not.
                    at = boundary::<U>(bytes, at, &mut out);
                    let some = &bytes[at..bytes.len().min(at + 2 * BLOCK)];
                    let clean = token.run(CleanPrefix { grammar, bytes: some });
                    end = if clean > BLOCK { boundary_before(bytes, at + BLOCK) } else { at + clean };
                    (four, constants.known) = (false, true);
                    Stretch::Clean
                }
                _ => break,
            };
        }
        if at >= end {
            // NULs behind the last bytes.
            out.take_back((at - end) * U::UNIT);
            return (end, out);
        }
        at = boundary::<U>(bytes, at, &mut out);
        let last = if extent == Extent::Blocks { 0 } else { items(Utf8, target, &bytes[at..end], &mut out) };
        (at + last, out)
    }
}

/// The last boundary before `at`; what was written for bytes behind it is taken back.
#[inline(always)]
fn boundary<U: Wide>(bytes: &[u8], at: usize, out: &mut Out<'_>) -> usize {
    let boundary = boundary_before(bytes, at);
    // Of a sequence of four bytes that is cut off after three, the first unit.
    if U::UNIT == 2 && at - boundary == 3 && bytes[boundary] >= 0xF0 {
        out.take_back(U::UNIT);
    }
    boundary
}

/// What windows are taken from: a copy of where the input begins, the input, a copy of where it ends, or a copy of what is
/// clean of a block that is not.
#[derive(Clone, Copy)]
enum Stretch {
    First,
    Inner,
    Last,
    Clean,
}

/// What a block held.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Ascii,
    Four,
    Others,
}

/// How much ASCII is taken at a time.
pub(crate) const MANY: usize = 4 * BLOCK;

/// The bytes in front of a block in which its first sequence may begin.
const FRONT: usize = 3;

/// A block, what is in front of it, and the byte behind.
const WINDOW: usize = FRONT + BLOCK + 1;

/// The window of the block at `at` where the input does not have all of it: zeros for the rest. None, where the input begins
/// with a continuation.
#[inline(always)]
fn window_at_edge(bytes: &[u8], at: usize) -> Option<[u8; WINDOW]> {
    if at == 0 && is_continuation(*bytes.first()?) {
        return None;
    }
    let mut window = [0; WINDOW];
    let front = at.min(FRONT);
    let some = &bytes[at - front..bytes.len().min(at + BLOCK + 1)];
    window[FRONT - front..][..some.len()].copy_from_slice(some);
    Some(window)
}

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

/// What a store may write behind its units.
const SPILL: usize = 32;

/// Constants in registers.
struct Constants<V> {
    /// Nothing is suspect.
    known: bool,
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

impl<V: Vector> Constants<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, grammar: &'static Grammar, extent: Extent) -> Self {
        Constants {
            known: extent == Extent::Known,
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
        let threes = self.zero.masked().is_none();
        let start = out.written();
        let suspect = match ends {
            ends if four || held == Held::Four => self.block::<T, U, true>(token, window, ends, out),
            ends if threes && ends == THREES[0] => self.threes::<T, U, 0>(token, window, out),
            ends if threes && ends == THREES[1] => self.threes::<T, U, 1>(token, window, out),
            ends if threes && ends == THREES[2] => self.threes::<T, U, 2>(token, window, out),
            ends => self.block::<T, U, false>(token, window, ends, out),
        }?;
        if suspect.any() || self.foreign_nul(token, block) {
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
        !all.any_high() && !self.foreign_nul(token, blocks) && put_bytes(token, blocks, out, target)
    }

    /// A block whose bytes end sequences where `ends` says. `FOUR`: there may be sequences of four bytes. What is suspect
    /// in it; `None`, and nothing written, if there is no room.
    #[inline(always)]
    fn block<T: Token<Vector = V>, U: Wide, const FOUR: bool>(
        &self,
        token: T,
        window: &[u8; WINDOW],
        ends: u64,
        out: &mut Out<'_>,
    ) -> Option<V> {
        let mut room = out.room_for(BLOCK * U::UNIT + SPILL)?;
        let mut suspect = self.zero;
        for part in 0..BLOCK / V::LEN {
            let around = Around::new(token, window, part);
            suspect = suspect.or(self.suspects::<FOUR>(&around));
            let units = self.units::<U, FOUR>(&around);
            let mut ends = ends >> (part * V::LEN);
            if FOUR && U::UNIT == 2 {
                ends |= units.pairs;
            }
            if let (Some(low), Some(high), Some(highest)) =
                (units.low.masked(), units.high.masked(), units.highest.masked())
            {
                put_masked::<V, U, FOUR>([low, high, highest], ends, &mut room);
                continue;
            }
            for half in 0..V::LEN / 8 {
                let planes = [units.low, units.high, units.highest].map(|plane| plane.sixteen(half / 2));
                put::<V::Sixteen, U, FOUR>(planes, half % 2 == 1, ends >> (8 * half), &mut room);
            }
        }
        Some(suspect)
    }

    /// The same of a block in which every third byte ends a sequence, and no other.
    #[inline(always)]
    fn threes<T: Token<Vector = V>, U: Wide, const FIRST: usize>(
        &self,
        token: T,
        window: &[u8; WINDOW],
        out: &mut Out<'_>,
    ) -> Option<V> {
        let mut room = out.room_for(BLOCK * U::UNIT + SPILL)?;
        let mut suspect = self.zero;
        for part in 0..BLOCK / V::LEN {
            let around = Around::new(token, window, part);
            suspect = suspect.or(self.suspects::<false>(&around));
            let units = self.units::<U, false>(&around);
            for some in 0..V::LEN / 16 {
                let first = (FIRST + 2 * (part * V::LEN / 16 + some)) % 3;
                put_threes::<_, U>([units.low.sixteen(some), units.high.sixteen(some)], first, &mut room);
            }
        }
        Some(suspect)
    }

    /// Whether blocks have NULs, and the dialect has not.
    #[inline(always)]
    fn foreign_nul<T: Token<Vector = V>>(&self, token: T, blocks: &[u8]) -> bool {
        !self.known && self.tables.foreign_nul(token, blocks)
    }

    /// Which of the bytes behind may not stand there.
    #[inline(always)]
    fn suspects<const FOUR: bool>(&self, around: &Around<V>) -> V {
        if self.known {
            return self.zero;
        }
        let prev2 = if FOUR { around.prev2 } else { self.zero };
        self.tables.pairs(around.next, [around.this, around.prev1, prev2])
    }

    /// The units that would end at each byte.
    #[inline(always)]
    fn units<U: Wide, const FOUR: bool>(&self, around: &Around<V>) -> Planes<V> {
        let &Around { this, prev1, prev2, prev3, .. } = around;
        if let (Some(this), Some(prev1), Some(prev2), Some(prev3)) =
            (this.masked(), prev1.masked(), prev2.masked(), prev3.masked())
        {
            return self.units_by_six_bits::<U, FOUR>(this, prev1, prev2, prev3);
        }
        // Of a continuation, the upper two bits give way to the lower two of the byte before.
        let low = this.where_high(this.and(self.low_six).or(prev1.shift_left::<6>()), this);
        // The byte before a continuation is another, or a lead.
        let lead = self.start.greater_signed(prev1).and(prev2.shift_left::<4>());
        let high = this.where_high(prev1.shift_right::<2>().and(self.low_nibble).or(lead), self.zero);
        let mut planes = Planes { low, high, highest: self.zero, pairs: 0 };
        if FOUR {
            let fourth = prev3.saturating_sub(self.below_four).greater_signed(self.zero);
            if U::UNIT == 4 {
                // aaa bbbbbb: of the lead and the byte after it, above what is there already.
                let value = prev3
                    .shift_left::<2>()
                    .and(self.five_bits)
                    .or(prev2.shift_right::<4>().and(self.two_bits));
                planes.highest = fourth.and(value);
                return planes;
            }
            // 110111cc ccdddddd: the low byte is as it is.
            let low_surrogate = prev1.shift_right::<2>().and(self.two_bits).or(self.low_lead);
            planes.high = select(fourth, low_surrogate, high);
            // 110110ww wwbbbbcc, a byte earlier; wwww: five bits of lead and second byte, less 1.
            let third = prev2.saturating_sub(self.below_four).greater_signed(self.zero);
            let plane = prev2
                .shift_left::<2>()
                .and(self.five_bits)
                .or(prev1.shift_right::<4>().and(self.two_bits))
                .sub(self.one);
            let second = prev1.and(self.low_nibble).shift_left::<2>();
            let high_surrogate =
                plane.shift_left::<6>().or(second).or(this.shift_right::<4>().and(self.two_bits));
            planes.low = select(third, high_surrogate, planes.low);
            planes.high =
                select(third, plane.shift_right::<2>().and(self.two_bits).or(self.high_lead), planes.high);
            planes.pairs = third.high_bits();
        }
        planes
    }

    /// The same, where six bits look up a byte: each byte of a unit in one step from each byte of the sequence.
    #[inline(always)]
    fn units_by_six_bits<U: Wide, const FOUR: bool>(
        &self,
        this: V::Masked,
        prev1: V::Masked,
        prev2: V::Masked,
        prev3: V::Masked,
    ) -> Planes<V> {
        let continuation = this.vector().high_bits();
        let third = continuation & self.start.greater_signed(prev1.vector()).high_bits();
        let mut low =
            blend(this.vector(), continuation, this.vector().sub(prev1.lookup_six_bits(&LESS_SECOND)));
        let high = blend(self.zero, continuation, prev1.lookup_six_bits(&SECOND_TO_HIGH));
        let mut high = blend(high, third, high.sub(prev2.lookup_six_bits(&LESS_THIRD)));
        let (mut highest, mut pairs) = (self.zero, 0);
        if FOUR {
            let four = |lead: V::Masked| {
                lead.vector().saturating_sub(self.below_four).greater_signed(self.zero).high_bits()
            };
            let fourth = four(prev3);
            if U::UNIT == 4 {
                let value = prev3.lookup_six_bits(&FOURTH_TO_HIGHEST).sub(prev2.lookup_six_bits(&LESS_BIT_4));
                highest = blend(self.zero, fourth, value);
            } else {
                pairs = four(prev2);
                let surrogate = prev1.lookup_six_bits(&SURROGATE_LOW).sub(this.lookup_six_bits(&LESS_BIT_4));
                low = blend(low, pairs, surrogate);
                high = blend(high, fourth, prev1.lookup_six_bits(&LOW_SURROGATE_HIGH));
                let surrogate = prev2.lookup_six_bits(&SURROGATE_HIGH).sub(prev1.lookup_six_bits(&BORROW));
                high = blend(high, pairs, surrogate);
            }
        }
        Planes { low, high, highest, pairs }
    }
}

/// `if mask >> i & 1 == 1 { yes[i] } else { no[i] }`, where the level has masks.
#[inline(always)]
fn blend<V: Vector>(no: V, mask: u64, yes: V) -> V {
    match no.masked() {
        Some(no) => no.blend(mask, yes),
        None => no,
    }
}

macro_rules! by_six_bits {
    ($($(#[$meta:meta])* $name:ident, |$bits:ident| $byte:expr;)*) => {$(
        $(#[$meta])*
        const $name: [u8; 64] = {
            let mut table = [0; 64];
            let mut $bits = 0;
            while $bits < 64_u8 {
                table[$bits as usize] = $byte;
                $bits += 1;
            }
            table
        };
    )*};
}

// A sequence aaa bbbbbb cccccc dddddd, by six bits of one of its bytes. What is put together is subtracted, negative: that
// is one operation for the bytes that a mask takes, `or` is not.
by_six_bits! {
    /// From the last byte, 10xxxxxx, to what the one before ends in, and these.
    LESS_SECOND, |bits| 0x80_u8.wrapping_sub(bits << 6);
    SECOND_TO_HIGH, |bits| bits >> 2 & 0x0F;
    LESS_THIRD, |bits| (bits << 4).wrapping_neg();
    FOURTH_TO_HIGHEST, |bits| (bits & 0x07) << 2;
    LESS_BIT_4, |bits| (bits >> 4).wrapping_neg();
    /// 110111cc
    LOW_SURROGATE_HIGH, |bits| 0xDC | bits >> 2 & 0x03;
    // 110110ww wwbbbbcc, where wwww is aaabb less 1: C0 is -40 for its last bits, and if that borrows, D8 becomes D7.
    SURROGATE_LOW, |bits| (bits << 2).wrapping_sub(0x40);
    SURROGATE_HIGH, |bits| 0xD8 + (bits & 0x07);
    BORROW, |bits| (bits < 0x10) as u8;
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

/// Writes those of eight units, of the planes' first or second half, whose bit is set.
#[inline(always)]
fn put<S: Sixteen, U: Wide, const FOUR: bool>(
    [low, high, highest]: [S; 3],
    second: bool,
    kept: u64,
    room: &mut Room<'_>,
) {
    let zip = |a: S, b: S| a.interleave(b)[usize::from(second)];
    let places = &KEEP[kept as usize & 0xFF];
    let count = (kept & 0xFF).count_ones() as usize;
    let zero = low.xor(low);
    let units = if U::BIG_ENDIAN { zip(high, low) } else { zip(low, high) };
    let above = match (FOUR, U::BIG_ENDIAN) {
        (false, _) => zero,
        (true, false) => zip(highest, zero).shuffle(places),
        (true, true) => zip(zero, highest).shuffle(places),
    };
    put_units::<S, U>(units.shuffle(places), above, count, room);
}

/// Writes the first `count` of eight units of two bytes, or with those above them of four.
#[inline(always)]
fn put_units<S: Sixteen, U: Wide>(units: S, above: S, count: usize, room: &mut Room<'_>) {
    if U::UNIT == 2 {
        return room.push_units::<2>(units.to_bytes(), count);
    }
    let [one, two] = if U::BIG_ENDIAN { above.interleave_16(units) } else { units.interleave_16(above) };
    room.push_units::<4>([one.to_bytes(), two.to_bytes()].as_flattened(), count);
}

/// Writes every third of sixteen units, from the `first` on.
#[inline(always)]
fn put_threes<S: Sixteen, U: Wide>(planes: [S; 2], first: usize, room: &mut Room<'_>) {
    let [low, high] = planes.map(|plane| plane.shuffle(&THIRDS[first]));
    let [units, _] = if U::BIG_ENDIAN { high.interleave(low) } else { low.interleave(high) };
    put_units::<S, U>(units, low.xor(low), (18 - first) / 3, room);
}

/// Writes those of 64 units whose bit is set.
#[inline(always)]
fn put_masked<V: Vector, U: Wide, const FOUR: bool>(
    [low, high, highest]: [V::Masked; 3],
    kept: u64,
    room: &mut Room<'_>,
) {
    let (low, high) = (low.compress(kept), high.compress(kept));
    let (Some(low), Some(highest)) = (low.masked(), highest.compress(kept).masked()) else { return };
    let before = room.written();
    let count = kept.count_ones() as usize;
    for part in 0..U::UNIT {
        // No more vectors than there are units for: of sequences of three bytes that is every other, of four every fourth.
        if part > 0 && part * BLOCK / U::UNIT >= count {
            break;
        }
        let (places, mask) = &const { places_in::<U>([Some(0), Some(BLOCK), None, None]) }[part];
        let mut units = low.of_both(high, places, *mask);
        if FOUR && U::UNIT == 4 {
            let (places, mask) = &const { places_in::<U>([None, None, Some(0), None]) }[part];
            units = units.or(highest.of_both(highest.vector(), places, *mask));
        }
        room.push_units::<1>(units.to_bytes(), BLOCK);
    }
    room.keep(before, count * U::UNIT);
}

/// For each vector of units the places of their bytes in planes, of which the lowest byte's, the next one's and so on begin
/// where `planes` says; and which bytes have one.
const fn places_in<U: Wide>(planes: [Option<usize>; 4]) -> [([u8; BLOCK], u64); 4] {
    let mut all = [([0; BLOCK], 0); 4];
    let mut byte = 0;
    while byte < BLOCK * U::UNIT {
        let (unit, place) = (byte / U::UNIT, byte % U::UNIT);
        if let Some(plane) = planes[if U::BIG_ENDIAN { U::UNIT - 1 - place } else { place }] {
            all[byte / BLOCK].0[byte % BLOCK] = (plane + unit) as u8;
            all[byte / BLOCK].1 |= 1 << (byte % BLOCK);
        }
        byte += 1;
    }
    all
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

/// For each pattern of eight, the places of the lanes of two bytes whose bit is set, one after the other.
static KEEP: [[u8; 16]; 256] = {
    let mut all = [[NONE; 16]; 256];
    let mut pattern = 0;
    while pattern < 256 {
        let (mut lane, mut kept) = (0, 0);
        while lane < 8 {
            if pattern >> lane & 1 == 1 {
                all[pattern][2 * kept] = 2 * lane as u8;
                all[pattern][2 * kept + 1] = 2 * lane as u8 + 1;
                kept += 1;
            }
            lane += 1;
        }
        pattern += 1;
    }
    all
};

const NONE: u8 = 0x80;

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

/// Every third byte of a block, from the first, second or third on.
const THREES: [u64; 3] = [0x9249_2492_4924_9249, 0x2492_4924_9249_2492, 0x4924_9249_2492_4924];

/// The same of sixteen, as places.
const THIRDS: [[u8; 16]; 3] = {
    let mut all = [[NONE; 16]; 3];
    let mut place = 0;
    while place < 16 {
        all[place % 3][place / 3] = place as u8;
        place += 1;
    }
    all
};
