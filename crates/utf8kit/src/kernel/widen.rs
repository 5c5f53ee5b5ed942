//! UTF-8 that is known to be well formed, to UTF-16 or UTF-32.
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
//! earlier; or a third byte of the value, for UTF-32. Two kinds of block have their own way: ASCII, which [`Extend`] takes
//! without its being validated first, and, where nothing compresses, blocks of sequences of three bytes alone, of which
//! every third unit is kept by a fixed shuffle.
//!
//! # Deviations
//! Keeping by a mask is what Clausecker and Lemire, "Transcoding Unicode Characters with AVX-512 Instructions" (2023),
//! do with an instruction that only AVX-512 has, and so does this there, plane by plane; elsewhere lanes of two bytes are
//! what is kept, by `pshufb` (or `tbl`, `swizzle`).
//! Well-formedness is the other kernel's business, a few kilobytes ahead, so nothing is checked here.
//!
//! # Tried
//! Lemire and Muła, "Transcoding billions of Unicode characters per second with SIMD instructions" (2022): twelve
//! bytes at a time, their layout looked up by the pattern of ends. Each step waits for the one before, which says where
//! it begins: 2 to 3.7 GB/s of the texts that this one converts at 3 to 6 (to UTF-16, AVX2, Zen 3, 2026-11-21).
//! ASCII by a loop over bytes, which the compiler did not make vectors of within a kernel: 4 GB/s, by interleaving with zeros
//! 30. The test for blocks of three within the loop over parts, instead of a function of its own: a third slower for all
//! text.
//! The test whether the byte behind a block begins a sequence, apart from the compares: 50.5 instructions for 16 bytes of
//! Russian to UTF-16 where this has 48.3. How many units each store has, where a compress made them: nine instructions more
//! for a block than to store all and take back. On avx512 a model was asked, not a machine: `bench/record/avx512-model.md`.

use super::validate::{boundary_before, is_ascii};
use super::{select, words};
use crate::arch::{BLOCK, Compress, Kernel, Sixteen, Token, Vector};
use crate::dialect::Utf8;
use crate::encoding::{ENCODED, Encoding, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::out::{Out, Room};

/// What the units are.
pub(crate) trait Target: Copy {
    /// Bytes in a unit: 2 or 4.
    const UNIT: usize;
    /// The order of bytes.
    const BIG_ENDIAN: bool;
}

macro_rules! targets {
    ($($name:ident, $unit:literal, $big_endian:literal;)*) => {$(
        /// A target.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Target for $name {
            const UNIT: usize = $unit;
            const BIG_ENDIAN: bool = $big_endian;
        }
    )*};
}

targets! {
    ToUtf16Le, 2, false;
    ToUtf16Be, 2, true;
    ToUtf32Le, 4, false;
    ToUtf32Be, 4, true;
}

/// Converts as much of `bytes` (well-formed UTF-8) as fits, and, unless it is asked to go on to the end, as leaves less
/// than a block; says how much.
pub(crate) struct Widen<'a, 'o, U> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
    /// What is behind is nothing, or an error: then the end is converted here too, not by entering once more.
    pub(crate) to_end: bool,
}

impl<'o, U: Target> Kernel for Widen<'_, 'o, U> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Widen { bytes, mut out, target, to_end } = self;
        if !T::SHUFFLE {
            let read = words::widen::<U>(bytes, &mut out);
            let rest = by_items::<U>(&bytes[read..], &mut out);
            return (read + rest, out);
        }
        let constants = Constants::new(token);
        let mut before = constants.zero;
        let mut last = [0; BLOCK + 1];
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let window = match rest.first_chunk() {
                Some(window) => window,
                None if !to_end => break,
                // NULs make a window of the last bytes, and are taken back.
                None => {
                    last[..rest.len()].copy_from_slice(rest);
                    &last
                }
            };
            if !constants.window(token, window, &mut before, &mut out, target) {
                break;
            }
            at += BLOCK;
        }
        if at >= bytes.len() {
            out.take_back((at - bytes.len()) * U::UNIT);
            return (bytes.len(), out);
        }
        let boundary = boundary_before(bytes, at);
        // Of a sequence of four bytes that is cut off after three, the first unit has been written.
        if U::UNIT == 2 && at - boundary == 3 && bytes[boundary] >= 0xF0 {
            out.take_back(U::UNIT);
        }
        let rest = if to_end { by_items::<U>(&bytes[boundary..], &mut out) } else { 0 };
        (boundary + rest, out)
    }
}

/// Writes each byte as the unit of its value, as long as there is room, and the bytes are ASCII if that is asked; says
/// how many. A block that is not all ASCII is left out whole.
pub(crate) struct Extend<'a, 'o, U> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
    pub(crate) ascii: bool,
}

impl<'o, U: Target> Kernel for Extend<'_, 'o, U> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Extend { bytes, mut out, target, ascii } = self;
        let mut at = 0;
        while let Some(blocks) = bytes[at..].first_chunk::<{ 4 * BLOCK }>()
            && (!ascii || is_ascii(token, blocks))
            && put_bytes(token, blocks, &mut out, target)
        {
            at += 4 * BLOCK;
        }
        while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
            if ascii && !is_ascii(token, block) || !put_bytes(token, block, &mut out, target) {
                return (at, out);
            }
            at += BLOCK;
        }
        for &byte in &bytes[at..] {
            if ascii && !byte.is_ascii() || !words::put_value::<U>(u32::from(byte), &mut out) {
                break;
            }
            at += 1;
        }
        (at, out)
    }
}

/// One after the other, by the definition: what is less than a block.
#[inline(always)]
fn by_items<U: Target>(bytes: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some(step) = Utf8.decode(&bytes[at..])
        && let Ok(value) = step.result
    {
        let mut units = [0; ENCODED];
        let encoded = match (U::UNIT, U::BIG_ENDIAN) {
            (2, false) => Utf16Le.encode(value, &mut units),
            (2, true) => Utf16Be.encode(value, &mut units),
            (_, false) => Utf32Le.encode(value, &mut units),
            (_, true) => Utf32Be.encode(value, &mut units),
        };
        if !encoded.is_ok_and(|len| out.push_front_of(units, len)) {
            break;
        }
        at += step.len();
    }
    at
}

/// What a store may write behind its units.
const SPILL: usize = 32;

/// Constants in registers.
struct Constants<V> {
    zero: V,
    /// The largest continuation byte, as a signed number.
    continuation: V,
    low_six: V,
    low_nibble: V,
    /// The largest byte that begins no sequence of four.
    below_four: V,
    /// A sequence of four is cut off where the last bytes of a block exceed these.
    four_cut: V,
    two_bits: V,
    /// Where the lead of four's bits come to stand.
    five_bits: V,
    high_lead: V,
    low_lead: V,
    one: V,
}

/// The largest bytes with which a block can end and cut off no sequence of four.
const FOUR_CUT: [u8; BLOCK] = {
    let mut all = [0xFF; BLOCK];
    all[BLOCK - 3] = 0xF0 - 1;
    all[BLOCK - 2] = 0xF0 - 1;
    all[BLOCK - 1] = 0xF0 - 1;
    all
};

impl<V: Vector> Constants<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Constants {
            zero: token.splat(0),
            continuation: token.splat(0xBF),
            low_six: token.splat(0x3F),
            low_nibble: token.splat(0x0F),
            below_four: token.splat(0xF0 - 1),
            four_cut: token.load(&FOUR_CUT, BLOCK / V::LEN - 1),
            two_bits: token.splat(0x03),
            five_bits: token.splat(0x1C),
            high_lead: token.splat(0xD8),
            low_lead: token.splat(0xDC),
            one: token.splat(1),
        }
    }

    /// A block, and whether the byte behind it begins a sequence; `before` is the vector in front, and becomes its last.
    /// `false`, and nothing written, if there is no room.
    #[inline(always)]
    fn window<T: Token<Vector = V>, U: Target>(
        &self,
        token: T,
        window: &[u8; BLOCK + 1],
        before: &mut V,
        out: &mut Out<'_>,
        target: U,
    ) -> bool {
        let Some(block) = window.first_chunk::<BLOCK>() else { return false };
        if is_ascii(token, block) {
            *before = self.zero;
            return put_bytes(token, block, out, target);
        }
        let mut ends = 0;
        // Or the block before ended within a sequence of four bytes.
        let mut four = before.saturating_sub(self.four_cut);
        for part in 0..BLOCK / V::LEN {
            let place = part * V::LEN;
            // A sequence ends before each byte that is no continuation.
            ends |= token.load_at(window, place + 1).greater_signed(self.continuation).high_bits() << place;
            four = four.or(token.load(block, part).saturating_sub(self.below_four));
        }
        if four.any() {
            return self.block::<T, U, true>(token, block, before, ends, out);
        }
        let threes = self.zero.compressible().is_none();
        match ends {
            ends if threes && ends == THREES[0] => self.threes::<T, U, 0>(token, block, before, out),
            ends if threes && ends == THREES[1] => self.threes::<T, U, 1>(token, block, before, out),
            ends if threes && ends == THREES[2] => self.threes::<T, U, 2>(token, block, before, out),
            ends => self.block::<T, U, false>(token, block, before, ends, out),
        }
    }

    /// A block whose bytes end sequences where `ends` says; `before` is the vector in front, and becomes its last.
    /// `FOUR`: there may be sequences of four bytes. `false`, and nothing written, if there is no room.
    #[inline(always)]
    fn block<T: Token<Vector = V>, U: Target, const FOUR: bool>(
        &self,
        token: T,
        block: &[u8; BLOCK],
        before: &mut V,
        ends: u64,
        out: &mut Out<'_>,
    ) -> bool {
        let Some(mut room) = out.room_for(BLOCK * U::UNIT + SPILL) else { return false };
        let mut previous = *before;
        for part in 0..BLOCK / V::LEN {
            let this = token.load(block, part);
            let units = self.units::<U, FOUR>(this, previous);
            previous = this;
            let mut ends = ends >> (part * V::LEN);
            if FOUR && U::UNIT == 2 {
                ends |= units.pairs;
            }
            if let (Some(low), Some(high), Some(highest)) =
                (units.low.compressible(), units.high.compressible(), units.highest.compressible())
            {
                put_compressed::<V, U, FOUR>([low, high, highest], self.zero, ends, &mut room);
                continue;
            }
            for half in 0..V::LEN / 8 {
                let planes = [units.low, units.high, units.highest].map(|plane| plane.sixteen(half / 2));
                put::<V::Sixteen, U, FOUR>(planes, half % 2 == 1, ends >> (8 * half), &mut room);
            }
        }
        *before = previous;
        true
    }

    /// The same of a block in which every third byte ends a sequence, and no other.
    #[inline(always)]
    fn threes<T: Token<Vector = V>, U: Target, const FIRST: usize>(
        &self,
        token: T,
        block: &[u8; BLOCK],
        before: &mut V,
        out: &mut Out<'_>,
    ) -> bool {
        let Some(mut room) = out.room_for(BLOCK * U::UNIT + SPILL) else { return false };
        for part in 0..BLOCK / V::LEN {
            let this = token.load(block, part);
            let units = self.units::<U, false>(this, *before);
            *before = this;
            for some in 0..V::LEN / 16 {
                let first = (FIRST + 2 * (part * V::LEN / 16 + some)) % 3;
                put_threes::<_, U>([units.low.sixteen(some), units.high.sixteen(some)], first, &mut room);
            }
        }
        true
    }

    /// The units that would end at each byte.
    #[inline(always)]
    fn units<U: Target, const FOUR: bool>(&self, this: V, before: V) -> Planes<V> {
        let (prev1, prev2) = (this.prev1(before), this.prev2(before));
        // Of a continuation, the upper two bits give way to the lower two of the byte before.
        let low = this.where_high(this.and(self.low_six).or(prev1.shift_left::<6>()), this);
        // The byte before a continuation is another, or a lead, which has bit 6.
        let lead = prev1.shift_left_16::<1>().where_high(self.zero, prev2.shift_left::<4>());
        let high = this.where_high(prev1.shift_right::<2>().and(self.low_nibble).or(lead), self.zero);
        let mut planes = Planes { low, high, highest: self.zero, pairs: 0 };
        if FOUR {
            let prev3 = this.prev3(before);
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
fn put<S: Sixteen, U: Target, const FOUR: bool>(
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
fn put_units<S: Sixteen, U: Target>(units: S, above: S, count: usize, room: &mut Room<'_>) {
    if U::UNIT == 2 {
        return room.push_units::<2>(units.to_bytes(), count);
    }
    let [one, two] = if U::BIG_ENDIAN { above.interleave_16(units) } else { units.interleave_16(above) };
    room.push_units::<4>(one.to_bytes(), count.min(4));
    room.push_units::<4>(two.to_bytes(), count.saturating_sub(4));
}

/// Writes every third of sixteen units, from the `first` on.
#[inline(always)]
fn put_threes<S: Sixteen, U: Target>(planes: [S; 2], first: usize, room: &mut Room<'_>) {
    let [low, high] = planes.map(|plane| plane.shuffle(&THIRDS[first]));
    let [units, _] = if U::BIG_ENDIAN { high.interleave(low) } else { low.interleave(high) };
    put_units::<S, U>(units, low.xor(low), (18 - first) / 3, room);
}

/// Writes those of 64 units whose bit is set.
#[inline(always)]
fn put_compressed<V: Vector, U: Target, const FOUR: bool>(
    planes: [V::Compress; 3],
    zero: V,
    kept: u64,
    room: &mut Room<'_>,
) {
    let count = kept.count_ones() as usize;
    let [low, high, highest] = planes;
    let highest = if FOUR { highest.compress(kept) } else { zero };
    put_planes::<V, U>([low.compress(kept), high.compress(kept), highest], zero, count, room);
}

/// Writes the first `count` units of planes.
#[inline(always)]
fn put_planes<V: Vector, U: Target>(
    [low, high, highest]: [V; 3],
    zero: V,
    count: usize,
    room: &mut Room<'_>,
) {
    let pairs = if U::BIG_ENDIAN { high.interleave(low) } else { low.interleave(high) };
    let above = if U::BIG_ENDIAN { zero.interleave(highest) } else { highest.interleave(zero) };
    for (pairs, above) in pairs.into_iter().zip(above) {
        if U::UNIT == 2 {
            room.push_units::<2>(pairs.to_bytes(), V::LEN / 2);
            continue;
        }
        for units in if U::BIG_ENDIAN { above.interleave_16(pairs) } else { pairs.interleave_16(above) } {
            room.push_units::<4>(units.to_bytes(), V::LEN / 4);
        }
    }
    room.take_back((V::LEN - count) * U::UNIT);
}

/// Writes each byte of blocks as the unit of its value; `false`, and nothing, if there is no room.
#[inline(always)]
fn put_bytes<T: Token, U: Target, const N: usize>(
    token: T,
    blocks: &[u8; N],
    out: &mut Out<'_>,
    _: U,
) -> bool {
    if !T::SHUFFLE {
        return out.room() >= N * U::UNIT
            && blocks.iter().all(|&byte| words::put_value::<U>(u32::from(byte), out));
    }
    let Some(mut room) = out.room_for(N * U::UNIT) else { return false };
    if U::UNIT == 4 {
        // One shuffle for each vector that is stored; interleaving takes three for two.
        let kept = if U::BIG_ENDIAN { &LAST_OF_FOUR } else { &FIRST_OF_FOUR };
        for sixteen in blocks.as_chunks().0 {
            let bytes = token.table(sixteen);
            for part in 0..BLOCK / T::Vector::LEN {
                let units = token.load(&BY_FOUR, part).lookup(bytes).and(token.load(kept, part));
                room.push_units::<4>(units.to_bytes(), T::Vector::LEN / 4);
            }
        }
        return true;
    }
    let zero = token.splat(0);
    for block in blocks.as_chunks().0 {
        for part in 0..BLOCK / T::Vector::LEN {
            let bytes = token.load(block, part);
            put_planes::<_, U>([bytes, zero, zero], zero, T::Vector::LEN, &mut room);
        }
    }
    true
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
