//! Validates, repairs and counts 16-bit units by SWAR, four units at a time.
//!
//! # Algorithm
//! The high bytes of all units in a word are compared at once. Where one differs from the byte it is compared with, the
//! difference, shifted right by one, plus 7F sets its highest bit, a flag, and carries no further. A low surrogate must
//! stand exactly where the unit before is a high one:
//!
//! ```text
//! wrong = not_low ^ (not_high << 16 | that of the word before >> 48)
//! ```
//!
//! A chunk is first tested for any surrogate, then for any wrong unit. Neither loop has a branch, so that the compiler
//! uses what vectors the machine always has.
//!
//! The SIMD kernel is not an alternative here, because its masks of one bit per unit take a multiplication for each
//! word.

use super::LANES;
use crate::kernels::utf16::{CountUnits, PairedUnits, RepairUnits, RepairUnitsInto};
use crate::out::{Out, as_bytes};

/// How many bytes are tested at once.
const BYTES_PER_SURROGATE_TEST: usize = 128;

/// Finds how far units are well formed, in bytes.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn clean_prefix(work: PairedUnits<'_>) -> usize {
    let words = Words::new(work.big_endian);
    let (chunks, tail) = work.bytes.as_chunks();
    let mut before = NO_SURROGATE;
    for (i, chunk) in chunks.iter().enumerate() {
        match words.classify(chunk, before) {
            (true, last) => before = last,
            _ => return work.without_half(i * BYTES_PER_SURROGATE_TEST + words.first_wrong(chunk, before)),
        }
    }
    let whole = &tail[..tail.len() & !1];
    work.without_half(work.bytes.len() - tail.len() + words.first_wrong(whole, before))
}

/// Replaces every lone surrogate with U+FFFD, in place, and counts them.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn repair(work: RepairUnits<'_>) -> Option<usize> {
    let units = work.units;
    let words = Words::new(cfg!(target_endian = "big"));
    let (mut at, mut before, mut repaired) = (0, NO_SURROGATE, 0);
    while let Some(chunk) = as_bytes(&units[at..]).first_chunk() {
        let (clean, last) = words.classify(chunk, before);
        if !clean {
            repaired += words.replace(units, at, BYTES_PER_SURROGATE_TEST / 8, before);
        }
        before = last;
        at += BYTES_PER_SURROGATE_TEST / 2;
    }
    Some(repaired + words.replace(units, at, (units.len() - at) / 4 + 1, before))
}

/// Copies units, except for the last ones, with every lone surrogate replaced. Returns the number of bytes.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn repair_into<'o>(work: RepairUnitsInto<'_, 'o>) -> (usize, Out<'o>) {
    let RepairUnitsInto { bytes, big_endian, replacement, mut out } = work;
    let words = Words::new(big_endian);
    let replacement = u64::from(u16::from_le_bytes(replacement)) * LANES;
    let (mut at, mut before) = (0, NO_SURROGATE);
    for chunk in bytes[..bytes.len().min(out.remaining())].as_chunks().0 {
        let (clean, last) = words.classify(chunk, before);
        if clean {
            let _ = out.push_front_of(*chunk, BYTES_PER_SURROGATE_TEST);
        } else {
            for &word in chunk.as_chunks::<8>().0 {
                let (lone, is_before, last) = words.lone(word, before);
                if is_before {
                    out.change_last((replacement as u16).to_le_bytes());
                }
                let lone = (lone >> words.flag) * u64::from(u16::MAX);
                let replaced = u64::from_le_bytes(word) & !lone | replacement & lone;
                let _ = out.push_front_of(replaced.to_le_bytes(), 8);
                before = last;
            }
        }
        before = last;
        at += BYTES_PER_SURROGATE_TEST;
    }
    // The next unit decides whether it is alone.
    let open = if words.is_high_last(before) { 2 } else { 0 };
    out.take_back(open);
    (at - open, out)
}

/// Counts the code points of well-formed units.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn count(CountUnits { bytes, big_endian }: CountUnits<'_>) -> usize {
    let words = Words::new(big_endian);
    let mut units = 0;
    // At most 8,193 additions per lane before the lanes are summed.
    for some in bytes.chunks(1 << 16) {
        let (whole, rest) = some.as_chunks::<8>();
        let lanes = whole.iter().chain([&padded(rest)]).fold(0, |lanes, word| {
            let not_low = words.not(0xDC, 0xFC, *word) >> words.flag;
            lanes + (not_low & LANES)
        });
        units += (0..4).map(|lane| (lanes >> (16 * lane) & 0xFFFF) as usize).sum::<usize>();
        units -= 4 - rest.len() / 2;
    }
    units
}

/// No high surrogate, for [`Words::not`].
const NO_SURROGATE: u64 = u64::MAX;

/// Returns fewer than eight bytes, followed by zeros.
fn padded(rest: &[u8]) -> [u8; 8] {
    let mut all = [0; 8];
    all[..rest.len()].copy_from_slice(rest);
    all
}

/// How the units of a word are compared.
#[derive(Clone, Copy)]
struct Words {
    /// Where the high byte begins in a unit, in bits, once the word is loaded as a little-endian number.
    byte: u32,
    /// The position of its highest bit.
    flag: u32,
}

impl Words {
    #[inline(always)]
    fn new(big_endian: bool) -> Words {
        let byte = if big_endian { 0 } else { 8 };
        Words { byte, flag: byte + 7 }
    }

    /// Sets the flags of the units whose high bytes, under a mask, are not `byte`. The lowest bits of `byte` and `mask`
    /// must be clear. The other bits of the result are meaningless.
    #[inline(always)]
    fn not(self, byte: u64, mask: u64, word: [u8; 8]) -> u64 {
        let all = |byte| LANES * (byte << self.byte);
        let difference = (u64::from_le_bytes(word) & all(mask)) ^ all(byte);
        (difference >> 1) + all(0x7F)
    }

    /// Sets the flags of the units that are low surrogates where none is due, or are not where one is due. `before` is
    /// [`Words::not`] of high surrogates for the word before; also returns this for the current word.
    #[inline(always)]
    fn wrong(self, word: [u8; 8], before: u64) -> (u64, u64) {
        let not_high = self.not(0xD8, 0xFC, word);
        let wrong = self.not(0xDC, 0xFC, word) ^ (not_high << 16 | before >> 48);
        (wrong & LANES << self.flag, not_high)
    }

    /// Returns the flags of the lone surrogates, whether the unit before the word is one, and the result of
    /// [`Words::wrong`]. A high one at the end is not included, because it depends on the next unit.
    #[inline(always)]
    fn lone(self, word: [u8; 8], before: u64) -> (u64, bool, u64) {
        let (wrong, last) = self.wrong(word, before);
        let missing = wrong & self.not(0xDC, 0xFC, word);
        ((wrong ^ missing) | missing >> 16, missing & 0xFFFF != 0, last)
    }

    /// Reports whether the last unit of a word is a high surrogate, given its [`Words::not`].
    #[inline(always)]
    fn is_high_last(self, not_high: u64) -> bool {
        not_high & (1 << self.flag) << 48 == 0
    }

    /// Reports whether no unit of a chunk is [`Words::wrong`]. `before` and the second result are as in that function.
    #[inline(always)]
    fn classify(self, chunk: &[u8; BYTES_PER_SURROGATE_TEST], before: u64) -> (bool, u64) {
        let chunk = chunk.as_chunks::<8>().0;
        let flags = LANES << self.flag;
        let none = chunk.iter().fold(flags, |all, &word| all & self.not(0xD8, 0xF8, word));
        if none == flags && !self.is_high_last(before) {
            return (true, NO_SURROGATE);
        }
        let (mut any, mut before) = (0, before);
        for &word in chunk {
            let (wrong, last) = self.wrong(word, before);
            any |= wrong;
            before = last;
        }
        (any == 0, before)
    }

    /// Returns the position of the first wrong unit, in bytes. A low surrogate may still be due at the end.
    #[inline(never)]
    fn first_wrong(self, bytes: &[u8], mut before: u64) -> usize {
        let (words, rest) = bytes.as_chunks();
        for (i, &word) in words.iter().chain([&padded(rest)]).enumerate() {
            let (wrong, last) = self.wrong(word, before);
            if wrong != 0 {
                return bytes.len().min(8 * i + wrong.trailing_zeros() as usize / 16 * 2);
            }
            before = last;
        }
        bytes.len()
    }

    /// Replaces the lone surrogates of some words at a unit, and one just before them; leaves a high one at their end.
    /// Returns how many it replaced.
    #[inline(always)]
    fn replace(self, units: &mut [u16], from: usize, words: usize, mut before: u64) -> usize {
        let mut replaced = 0;
        for at in (from..).step_by(4).take(words) {
            let four = as_bytes(&units[at..]);
            let word = four.first_chunk().copied().unwrap_or_else(|| padded(four));
            let (mut lone, is_before, last) = self.lone(word, before);
            let mut replace = |unit: usize| {
                if let Some(unit) = units.get_mut(unit) {
                    *unit = 0xFFFD;
                    replaced += 1;
                }
            };
            if is_before {
                replace(at.wrapping_sub(1));
            }
            while lone != 0 {
                replace(at + lone.trailing_zeros() as usize / 16);
                lone &= lone - 1;
            }
            before = last;
        }
        replaced
    }
}
