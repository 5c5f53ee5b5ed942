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
//! Where such a block is wrong, units are repaired a vector at a time, compared with those one unit before and after:
//! a high surrogate without a low one after it, or a low one without a high one before it, becomes U+FFFD. It can be
//! done in place, as no unit that is replaced makes another one right or wrong. (arXiv:2601.06349, 2026, compares all
//! vectors in this way.)
//!
//! # Tried
//! Repair, old and new in turns (Zen 4, 2026-11-23): with an error every 1000, 100 and 10 units, vectors are 1.2 to
//! 1.4, 2.6 and 1.7 times as fast as the definition on avx512; 1.1 to 1.3, 2.1 and 1.3 on AVX2; 1.1, 1.5 and 1.0 on
//! sse4. Comparing all vectors that hold surrogates, without masks: 0.64 times as fast for pairs without an error on
//! avx512, 0.9 on AVX2, 0.69 on sse4. On plain words both are slower than the definition, which stays there. Eight
//! blocks repaired without a branch, once an error was in one: on AVX2 1.22 times as fast with an error every 100
//! units, 0.94 every 10,000; on avx512 0.94 for both.
//!
//! Masks for every block: 84 GB/s on avx512 and 55 on AVX2; the minimum of several blocks: 160 and 140 (Zen 5,
//! 2026-11-22).

use super::lanes_of;
use super::select;
use crate::arch::{BLOCK, Kernel, Lines, Token, Vector};
use crate::out::as_bytes;
use crate::scalar::decode::is_surrogate;

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
        const UNITS: usize = BLOCK / 2;
        let (units, lanes) = (self.units, T::Vector::LEN / 2);
        let surrogates = Surrogates::new(token, cfg!(target_endian = "big"));
        let head = units.len().min(2);
        let mut repaired = (0..head).map(|at| repair_at(units, at)).sum::<usize>();
        let (mut at, mut carry) = (head, 0);
        loop {
            let blocks = as_bytes(&units[at..]).as_chunks().0;
            let count = blocks.len().min(AT_ONCE);
            if count == 0 {
                break;
            }
            if carry == 0 && blocks.first_chunk().is_some_and(|some| !surrogates.any(token, some)) {
                at += AT_ONCE * UNITS;
                continue;
            }
            for _ in 0..count {
                let Some(block) = as_bytes(&units[at..]).first_chunk() else { break };
                let masks = surrogates.masks(|part| token.load(block, part));
                if check(masks, carry).is_err() {
                    // From the last unit of the block before on, which may be the wrong one.
                    for start in (at - 2..at - 2 + UNITS).step_by(lanes) {
                        repaired += surrogates.repair(token, &mut units[start..][..lanes + 2]);
                    }
                    repaired += repair_at(units, at + UNITS - 1);
                }
                carry = masks.0 >> (BLOCK - 2);
                at += UNITS;
            }
        }
        repaired += (at.saturating_sub(1)..units.len()).map(|at| repair_at(units, at)).sum::<usize>();
        Some(repaired)
    }
}

/// Replaces a unit by U+FFFD if it is a surrogate that is not part of a pair. Returns 1 if so.
fn repair_at(units: &mut [u16], at: usize) -> usize {
    let is = |at: Option<usize>, top: u16| {
        at.and_then(|at| units.get(at)).is_some_and(|unit| unit & 0xFC00 == top)
    };
    let paired = is(Some(at), 0xD800) && is(at.checked_add(1), 0xDC00)
        || is(Some(at), 0xDC00) && is(at.checked_sub(1), 0xD800);
    if paired || !is_surrogate(u32::from(units[at])) {
        return 0;
    }
    units[at] = 0xFFFD;
    1
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

    /// Repairs a vector of units, all but the first and the last one. Returns how many were replaced.
    #[inline(always)]
    fn repair<T: Token<Vector = V>>(&self, token: T, units: &mut [u16]) -> usize {
        let order =
            |low, high| if self.big_endian { lanes_of(token, high, low) } else { lanes_of(token, low, high) };
        let (top_six, all) = (order(0, 0xFC), token.splat(0xFF));
        let load = |unit: usize| token.load_at(as_bytes(units), 2 * unit).and(top_six);
        // In each lane, the upper byte tells; the lower one is that of a surrogate of either kind.
        let is_high = |units: V| units.equal(order(0, 0xD8));
        let is_low = |units: V| units.equal(order(0, 0xDC));
        let (before, these, behind) = (load(0), load(1), load(2));
        let lone =
            is_high(these).and(is_low(behind).xor(all)).or(is_low(these).and(is_high(before).xor(all)));
        if !lone.any() {
            return 0;
        }
        let both = if self.big_endian { lone.shift_left_16::<8>() } else { lone.shift_right_16::<8>() };
        let repaired = select(lone.or(both), order(0xFD, 0xFF), token.load_at(as_bytes(units), 2));
        let middle = units.len() - 1;
        for (unit, bytes) in units[1..middle].iter_mut().zip(repaired.to_bytes().as_ref().as_chunks().0) {
            *unit = u16::from_ne_bytes(*bytes);
        }
        lone.high_bits().count_ones() as usize
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
