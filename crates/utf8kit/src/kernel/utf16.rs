//! Finds clean prefixes of UTF-16 and UTF-32.
//!
//! # Algorithm
//! Of 16-bit units only the surrogates can be wrong: D800 to DFFF, which are below 800 once D800 is subtracted. Several
//! blocks at a time are tested by whether the minimum of all units is that small. If so, each block is judged with
//! masks of one bit per byte, where the second unit of a pair must stand exactly two bits after the first:
//!
//! ```text
//! low = high << 2 | the last one of the block before
//! ```
//!
//! 32-bit units are tested by a plain loop over blocks, which the compiler turns into each level's vectors, since it is
//! compiled inside the level's token.
//!
//! Where such a block is wrong, the two masks tell which units are alone: a high surrogate where no low one follows, a
//! low one where none was due. Each becomes U+FFFD by a store of its own. It can be done in place, as no unit that is
//! replaced makes another one right or wrong.
//!
//! # Tried
//! Repair, old and new in turns (Zen 4, 2026-11-23, 64 KiB with its copy):
//! - Wrong blocks compared with themselves one unit before and after, a vector at a time, as arXiv:2601.06349 (2026)
//!   does: with an error every 100, 10 and 3 units 0.93, 0.44 and 0.68 times as fast on avx512, 0.88, 0.34 and 0.48 on
//!   AVX2, 0.84, 0.37 and 0.36 on sse4, as each vector loads what the one before has just stored. All vectors that hold
//!   surrogates: 0.64 times as fast for pairs without an error on avx512, 0.9 on AVX2, 0.69 on sse4.
//! - On plain words, masks are slower than the definition, which stays there.
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

/// How many blocks are tested for surrogates at once.
const AT_ONCE: usize = 8;

impl Kernel for PairedUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let Lines { head, mut blocks, tail } = Lines::new(token, self.bytes, 2);
        let mut carry = 0; // if the last unit was a high surrogate, where its low one is due
        match check(surrogates.masks(|_| token.load_back(head, 0)), carry) {
            Ok(next) => carry = next,
            Err(place) => return self.without_half(head.len() + place - BLOCK),
        }
        let mut at = head.len();
        while !blocks.is_empty() {
            if let Some(some) = blocks.first_chunk::<AT_ONCE>()
                && carry == 0
                && !surrogates.any(token, some)
            {
                at += AT_ONCE * BLOCK;
                blocks = &blocks[AT_ONCE..];
                continue;
            }
            let (some, behind) = blocks.split_at(blocks.len().min(AT_ONCE));
            for block in some {
                match check(surrogates.masks(|part| token.load(block, part)), carry) {
                    Ok(next) => carry = next,
                    Err(place) => return self.without_half(at + place),
                }
                at += BLOCK;
            }
            blocks = behind;
        }
        let units = &tail[..tail.len() & !1];
        match check(surrogates.masks_of_part(token, units), carry) {
            Ok(_) => self.without_half(at + units.len()),
            Err(place) => self.without_half(at + place),
        }
    }
}

/// Checks that low surrogates stand exactly where they are due. Returns the carry into the next block, or the first
/// wrong place.
#[inline(always)]
fn check((high, low): (u64, u64), carry: u64) -> Result<u64, usize> {
    let expected = high << 2 | carry;
    if low == expected {
        Ok(high >> (BLOCK - 2))
    } else {
        Err((low ^ expected).trailing_zeros() as usize & !1)
    }
}

impl PairedUnits<'_> {
    /// Returns `end`, or the position of a high surrogate just before it, which lacks its low one.
    #[inline(always)]
    fn without_half(&self, end: usize) -> usize {
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
        let (mut at, mut carry, mut repaired) = (0, 0, 0);
        while let blocks = as_bytes(&units[at..]).as_chunks().0
            && !blocks.is_empty()
        {
            if carry == 0 && blocks.first_chunk().is_some_and(|some| !surrogates.any(token, some)) {
                at += AT_ONCE * BLOCK / 2;
                continue;
            }
            for _ in 0..blocks.len().min(AT_ONCE) {
                let Some(block) = as_bytes(&units[at..]).first_chunk() else { break };
                let masks = surrogates.masks(|part| token.load(block, part));
                repaired += replace_lone(units, at, masks, carry);
                carry = masks.0 >> (BLOCK - 2);
                at += BLOCK / 2;
            }
        }
        let masks = surrogates.masks_of_part(token, as_bytes(&units[at..]));
        Some(repaired + replace_lone(units, at, masks, carry))
    }
}

/// Replaces the surrogates of the block at a unit that are not part of a pair by U+FFFD, and one before it that `carry`
/// tells. Leaves one at the block's end to the next block. Returns how many it replaced.
#[inline(always)]
fn replace_lone(units: &mut [u16], at: usize, (high, low): (u64, u64), carry: u64) -> usize {
    let expected = high << 2 | carry;
    if low == expected {
        return 0;
    }
    let missing = expected & !low;
    let lone = low & !expected | missing >> 2;
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
        replace(Some(at + rest.trailing_zeros() as usize / 2));
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
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK>();
        let mut pairs = 0;
        for block in blocks {
            pairs += surrogates.masks(|part| token.load(block, part)).1.count_ones() as usize;
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
    /// The bit of each unit's high byte.
    places: u64,
    big_endian: bool,
    /// D800 and 1 in lanes of two bytes.
    first: V,
    one: V,
}

impl<V: Vector> Surrogates<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, big_endian: bool) -> Self {
        let places = if big_endian { u64::MAX / 3 } else { u64::MAX / 3 * 2 };
        Surrogates {
            top_six: token.splat(0xFC),
            high: token.splat(0xD8),
            low: token.splat(0xDC),
            places,
            big_endian,
            first: lanes_of(token, 0, 0xD8),
            one: lanes_of(token, 1, 0),
        }
    }

    /// Reports whether there is a surrogate in the blocks.
    #[inline(always)]
    fn any<T: Token<Vector = V>>(&self, token: T, blocks: &[[u8; BLOCK]; AT_ONCE]) -> bool {
        let mut least = token.splat(0xFF);
        for block in blocks {
            for part in 0..BLOCK / V::LEN {
                let units = token.load(block, part);
                let units = if self.big_endian { units.shift_left_16::<8>() } else { units };
                // Each byte is subtracted separately: the upper one alone tells whether the difference is small.
                least = least.min_16(units.sub(self.first));
            }
        }
        self.one.greater_signed_16(least.shift_right_16::<11>()).any_high()
    }

    /// Returns the high and the low surrogates of a block, given its vectors: one bit each, at the high byte.
    #[inline(always)]
    fn masks(&self, vector: impl Fn(usize) -> V) -> (u64, u64) {
        let (mut high, mut low) = (0, 0);
        for part in 0..BLOCK / V::LEN {
            let top = vector(part).and(self.top_six);
            high |= top.equal(self.high).high_bits() << (part * V::LEN);
            low |= top.equal(self.low).high_bits() << (part * V::LEN);
        }
        (high & self.places, low & self.places)
    }

    /// [`Surrogates::masks`] for less than a block.
    #[inline(always)]
    fn masks_of_part<T: Token<Vector = V>>(&self, token: T, units: &[u8]) -> (u64, u64) {
        self.masks(|part| token.load_front(units.get(part * V::LEN..).unwrap_or_default(), 0))
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
