//! Counts the code points, UTF-16 units or ASCII bytes of valid text, or the bytes of one value, by SWAR. Up to 16
//! bytes take no branch on the length, because the lengths of successive short inputs are not predictable.

use crate::kernels::count::{AnyClass, Class, MAX_BYTES_BY_SWAR};
use crate::simd::words_by_length_bits;
use crate::swar::{HIGH_BITS, LOW_BITS};

/// Counts at most [`MAX_BYTES_BY_SWAR`] bytes of a class that has no continuations, without a branch on their number
/// except for 16.
#[inline(always)]
pub(crate) fn count_few(bytes: &[u8], class: impl AnyClass) -> usize {
    let [low, high] = if let Some(all) = bytes.first_chunk::<MAX_BYTES_BY_SWAR>() {
        let value = u128::from_le_bytes(*all);
        [value as u64, (value >> 64) as u64]
    } else {
        // In any order, because only their number matters.
        let [word, half, two, one] = words_by_length_bits::<CONTINUATION>(bytes);
        [word, half | two << 32 | one << 48 | u64::from(CONTINUATION) << 56]
    };
    ((counts(low, class) + counts(high, class)).wrapping_mul(LOW_BITS) >> 56) as usize
}

/// Counts the bytes of a class. Not inlined, because callers would save many registers even for few bytes.
#[inline(never)]
pub(crate) fn count(bytes: &[u8], class: impl AnyClass) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut total = match class.class() {
        Class::Byte(_) => rest.iter().map(|&byte| class.class().count(byte)).sum(),
        _ => count_few(rest, class),
    };
    // At most 254 per lane before the lanes are summed, first in pairs.
    for some in words.chunks(127) {
        let lanes = some.iter().fold(0, |lanes, word| lanes + counts(u64::from_ne_bytes(*word), class));
        let pairs = (lanes & 0x00FF_00FF_00FF_00FF) + (lanes >> 8 & 0x00FF_00FF_00FF_00FF);
        total += (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize;
    }
    total
}

/// A byte that does not count.
const CONTINUATION: u8 = 0x80;

/// Returns the weight of each byte, in its place.
#[inline(always)]
fn counts(word: u64, class: impl AnyClass) -> u64 {
    let starts = (!word >> 7 | word >> 6) & LOW_BITS;
    match class.class() {
        Class::Ascii => !word >> 7 & LOW_BITS,
        Class::Utf16Units => starts + (word >> 7 & word >> 6 & word >> 5 & word >> 4 & LOW_BITS),
        Class::Starts => starts,
        Class::Byte(value) => {
            let differs = word ^ (u64::from(value) * LOW_BITS);
            // The high bit of a lane ends up set if the lane is not zero.
            !(((differs & !HIGH_BITS) + !HIGH_BITS) | differs) >> 7 & LOW_BITS
        }
    }
}
