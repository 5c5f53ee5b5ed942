//! Finds clean prefixes of UTF-16 and UTF-32.
//!
//! # Algorithm
//! Of 16-bit units only the surrogates can be wrong: D800 to DFFF, which are below 800 once D800 is subtracted. Several
//! blocks at a time are tested by whether the minimum of all units is that small. If so, 64 units each are judged by
//! their high bytes, with masks of one bit per unit, where the second unit of a pair must stand directly after the
//! first:
//!
//! ```text
//! low = high << 1 | the last one of the 64 before
//! ```
//!
//! 32-bit units are tested by a plain loop over blocks, which the compiler turns into each level's vectors, since it is
//! compiled inside the level's token.
//!
//! Where units are wrong, the two masks tell which are alone: a high surrogate where no low one follows, a low one
//! where none was due. Each becomes U+FFFD by a store of its own. It can be done in place, as no unit that is replaced
//! makes another one right or wrong.
//!
//! Plain words, for which masks are slow, have a way of their own: `swar::utf16`.
//!
//! # Tried
//! Masks of one bit per byte, of 32 units, without their high bytes taken out first (Zen 5, 2026-11-24, old and new in
//! turns on a busy machine, 64 KiB, avx512, AVX2 and sse4): emoji validated 0.65 times as fast; repaired, with their
//! copy, 0.8, 0.7 and 0.71; all texts repaired with an error every 100 units, 0.77. With those masks, the last error of
//! 64 units, or none, replaced without a branch: with an error every 100 units 0.72, 0.74 and 0.88, every 10,000 0.88,
//! 0.92 and 0.97, as 64 KiB are learnt by the branch predictor.
//!
//! Old and new in turns (Zen 5, 2026-11-24, 64 KiB, repair with its copy):
//! - On sse4, chunks tested for surrogates although there were some in those before: emoji validated 0.86 times as
//!   fast; texts repaired with an error every 100 units, 0.82. Not tested then on AVX2 and avx512, either: repaired 1.0
//!   and 0.95 times as fast with an error every 100 units, 0.95 and 0.96 every 10,000.
//! - On avx512, units aligned to cache lines, and those of 64 that are alone replaced by two stores under masks: with
//!   an error every 100 units 1.05 times as fast; without a branch, once there was an error in the chunks before, 0.82.
//!   simdutf takes 0.73 of the time there, as it repairs while it copies (the copy alone is 0.35 of the time here), and
//!   as the branch predictor learns its 2,048 branches; in programs in which it does not, 2.1 times as long.
//!
//! Repair, old and new in turns (Zen 4, 2026-11-23, 64 KiB with its copy):
//! - Wrong blocks compared with themselves one unit before and after, a vector at a time, as arXiv:2601.06349 (2026)
//!   does: with an error every 100, 10 and 3 units 0.93, 0.44 and 0.68 times as fast on avx512, 0.88, 0.34 and 0.48 on
//!   AVX2, 0.84, 0.37 and 0.36 on sse4, as each vector loads what the one before has just stored. All vectors that hold
//!   surrogates: 0.64 times as fast for pairs without an error on avx512, 0.9 on AVX2, 0.69 on sse4.
//! - Eight blocks repaired without a branch, once an error was in one: on AVX2 1.22 times as fast with an error every
//!   100 units, 0.94 every 10,000; on avx512 0.94 for both.
//! - Into another buffer in one pass instead of a copy and a repair in place, each vector with those that begin a unit
//!   before and after it (Zen 5, on a busy machine): without errors 1.4 times as fast on sse4, 1.0 on AVX2 and avx512;
//!   with an error every 100 units 0.8, 0.4 and 0.55. Two blocks compared first, and rewritten only if a surrogate is
//!   alone: emoji 0.53 to 0.9 of simdutf, other texts slower than before.
//! - Once eight blocks hold pairs without an error, the next eight only compared with themselves a unit before (Zen 5):
//!   emoji 1.13 times as fast on AVX2, 1.05 to 1.14 on sse4, but 0.9 with an error every 100 units, and 0.94 in other
//!   texts; always, 0.7 with an error every 100 units.
//!
//! Masks for every block: 84 GB/s on avx512 and 55 on AVX2; the minimum of several blocks: 160 and 140 (Zen 5,
//! 2026-11-22).

use super::lanes_of;
use crate::arch::{BLOCK, Kernel, Lines, Token, Vector};
use crate::out::as_bytes;

/// Finds how far 16-bit units are well formed, with every surrogate in a pair, in bytes.
pub(crate) struct PairedUnits<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

/// How many bytes are judged with masks of one bit per unit.
const MASKED: usize = 128;

/// How many times as many are tested for surrogates at once.
const AT_ONCE: usize = 4;

impl Kernel for PairedUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let head = Lines::new(token, self.bytes, 2).head;
        let (mut chunks, tail) = self.bytes[head.len()..].as_chunks::<MASKED>();
        let mut carry = 0; // 1 if the last unit was a high surrogate
        if !head.is_empty() {
            // On levels whose vectors are half of what is judged.
            let in_front = |part| if part == 0 { token.splat(0) } else { token.load_back(head, 0) };
            match check(surrogates.masks(in_front), carry) {
                Ok(next) => carry = next,
                Err(place) => return self.without_half(head.len() + place - MASKED),
            }
        }
        let (mut at, mut lately) = (head.len(), 0);
        while !chunks.is_empty() {
            if let Some(some) = chunks.first_chunk::<AT_ONCE>()
                && worth_a_test::<T>(lately, carry)
                && !surrogates.any(token, some)
            {
                at += AT_ONCE * MASKED;
                chunks = &chunks[AT_ONCE..];
                continue;
            }
            lately = 0;
            let (some, behind) = chunks.split_at(chunks.len().min(AT_ONCE));
            for chunk in some {
                let masks = surrogates.masks_of(token, chunk);
                match check(masks, carry) {
                    Ok(next) => carry = next,
                    Err(place) => return self.without_half(at + place),
                }
                lately |= masks.0 | masks.1;
                at += MASKED;
            }
            chunks = behind;
        }
        let units = &tail[..tail.len() & !1];
        match check(surrogates.masks_of_part(token, units), carry) {
            Ok(_) => self.without_half(at + units.len()),
            Err(place) => self.without_half(at + place),
        }
    }
}

/// Reports whether the next chunks are tested for surrogates, given those in the chunks before, and the carry: of short
/// vectors, a test takes as long as masks do, and where there were surrogates there tend to be more.
#[inline(always)]
fn worth_a_test<T: Token>(lately: u64, carry: u64) -> bool {
    let before = if T::Vector::LEN == 16 { lately } else { 0 };
    before | carry == 0
}

/// Checks that low surrogates stand exactly where they are due. Returns the carry into what follows, or the first
/// wrong place.
#[inline(always)]
fn check((high, low): (u64, u64), carry: u64) -> Result<u64, usize> {
    let expected = high << 1 | carry;
    if low == expected {
        Ok(high >> (MASKED / 2 - 1))
    } else {
        Err(2 * (low ^ expected).trailing_zeros() as usize)
    }
}

impl PairedUnits<'_> {
    /// Returns `end`, or the position of a high surrogate just before it, which lacks its low one.
    #[inline(always)]
    pub(crate) fn without_half(&self, end: usize) -> usize {
        match self.bytes[..end].last_chunk() {
            Some(&unit) if self.is_high(unit) => end - 2,
            _ => end,
        }
    }

    #[inline(always)]
    fn top_six(&self, unit: [u8; 2]) -> u8 {
        unit[usize::from(!self.big_endian)] & 0xFC
    }

    #[inline(always)]
    fn is_high(&self, unit: [u8; 2]) -> bool {
        self.top_six(unit) == 0xD8
    }
}

/// Replaces every surrogate that is not part of a pair by U+FFFD, in place, and counts them.
pub(crate) struct RepairUnits<'u> {
    pub(crate) units: &'u mut [u16],
}

impl Kernel for RepairUnits<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<usize> {
        let units = self.units;
        let surrogates = Surrogates::new(token, cfg!(target_endian = "big"));
        let (mut at, mut carry, mut lately, mut repaired) = (0, 0, 0, 0);
        while let chunks = as_bytes(&units[at..]).as_chunks().0
            && !chunks.is_empty()
        {
            if worth_a_test::<T>(lately, carry)
                && chunks.first_chunk().is_some_and(|some| !surrogates.any(token, some))
            {
                at += AT_ONCE * MASKED / 2;
                continue;
            }
            lately = 0;
            for _ in 0..chunks.len().min(AT_ONCE) {
                let Some(chunk) = as_bytes(&units[at..]).first_chunk() else { break };
                let masks = surrogates.masks_of(token, chunk);
                repaired += replace_lone(units, at, masks, carry);
                carry = masks.0 >> (MASKED / 2 - 1);
                lately |= masks.0 | masks.1;
                at += MASKED / 2;
            }
        }
        let masks = surrogates.masks_of_part(token, as_bytes(&units[at..]));
        Some(repaired + replace_lone(units, at, masks, carry))
    }
}

/// Replaces the surrogates in [`MASKED`] bytes from a unit on that are not part of a pair by U+FFFD, and one before it
/// that `carry` tells. Leaves one at the end to what follows. Returns how many it replaced.
#[inline(always)]
fn replace_lone(units: &mut [u16], at: usize, (high, low): (u64, u64), carry: u64) -> usize {
    let expected = high << 1 | carry;
    if low == expected {
        return 0;
    }
    let missing = expected & !low;
    let lone = low & !expected | missing >> 1;
    let mut replace = |unit: Option<usize>| {
        if let Some(unit) = unit.and_then(|unit| units.get_mut(unit)) {
            *unit = 0xFFFD;
        }
    };
    if missing & carry != 0 {
        replace(at.checked_sub(1));
    }
    let mut rest = lone;
    while rest != 0 {
        replace(Some(at + rest.trailing_zeros() as usize));
        rest &= rest - 1;
    }
    (lone.count_ones() + (missing & carry).count_ones()) as usize
}

/// Counts the code points of well-formed 16-bit units.
pub(crate) struct CountUnits<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for CountUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let (chunks, rest) = self.bytes.as_chunks();
        let mut pairs = 0;
        for chunk in chunks {
            pairs += surrogates.masks_of(token, chunk).1.count_ones() as usize;
        }
        pairs += surrogates.masks_of_part(token, &rest[..rest.len() & !1]).1.count_ones() as usize;
        self.bytes.len() / 2 - pairs
    }
}

/// Constants in registers.
struct Surrogates<V> {
    top_six: V,
    high: V,
    low: V,
    big_endian: bool,
    /// D800 and 1 in lanes of two bytes.
    first: V,
    one: V,
}

impl<V: Vector> Surrogates<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, big_endian: bool) -> Self {
        Surrogates {
            top_six: token.splat(0xFC),
            high: token.splat(0xD8),
            low: token.splat(0xDC),
            big_endian,
            first: lanes_of(token, 0, 0xD8),
            one: lanes_of(token, 1, 0),
        }
    }

    /// Reports whether there is a surrogate in the blocks.
    #[inline(always)]
    fn any<T: Token<Vector = V>>(&self, token: T, chunks: &[[u8; MASKED]; AT_ONCE]) -> bool {
        let mut least = token.splat(0xFF);
        for chunk in chunks {
            for part in 0..MASKED / V::LEN {
                let units = token.load_at(chunk, part * V::LEN);
                let units = if self.big_endian { units.shift_left_16::<8>() } else { units };
                // Each byte is subtracted separately: the upper one alone tells whether the difference is small.
                least = least.min_16(units.sub(self.first));
            }
        }
        self.one.greater_signed_16(least.shift_right_16::<11>()).any_high()
    }

    /// Returns the high and the low surrogates in [`MASKED`] bytes, given their vectors.
    #[inline(always)]
    fn masks(&self, vector: impl Fn(usize) -> V) -> (u64, u64) {
        let (mut high, mut low) = (0, 0);
        for part in 0..MASKED / (2 * V::LEN) {
            let (even, odd) = vector(2 * part).deinterleave(vector(2 * part + 1));
            let top = if self.big_endian { even } else { odd }.and(self.top_six);
            high |= top.equal(self.high).high_bits() << (part * V::LEN);
            low |= top.equal(self.low).high_bits() << (part * V::LEN);
        }
        (high, low)
    }

    /// [`Surrogates::masks`] of units.
    #[inline(always)]
    fn masks_of<T: Token<Vector = V>>(&self, token: T, units: &[u8; MASKED]) -> (u64, u64) {
        self.masks(|part| token.load_at(units, part * V::LEN))
    }

    /// [`Surrogates::masks`] of fewer units.
    #[inline(always)]
    fn masks_of_part<T: Token<Vector = V>>(&self, token: T, units: &[u8]) -> (u64, u64) {
        if V::LEN == BLOCK {
            return self.masks(|part| token.load_front(&units[units.len().min(part * V::LEN)..], 0));
        }
        let mut all = [0; MASKED];
        all[..units.len()].copy_from_slice(units);
        self.masks_of(token, &all)
    }
}

/// Finds how far 32-bit units are scalar values, in bytes.
pub(crate) struct ScalarValues<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for ScalarValues<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, _: T) -> usize {
        let bad = |unit: &[u8; 4]| {
            let value = if self.big_endian { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
            // Surrogates become 0..7FF; exactly the scalar values stay in 800..10FFFF.
            value.wrapping_sub(0xD800) < 0x800 || value > 0x10_FFFF
        };
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        for (i, block) in blocks.iter().enumerate() {
            let units = block.as_chunks::<4>().0;
            if units.iter().fold(false, |any, unit| any | bad(unit)) {
                let clean = units.iter().take_while(|unit| !bad(unit)).count();
                return i * BLOCK + 4 * clean;
            }
        }
        let clean = rest.as_chunks::<4>().0.iter().take_while(|unit| !bad(unit)).count();
        blocks.len() * BLOCK + 4 * clean
    }
}
