//! SWAR implementations, for levels without a byte shuffle: loops over `u64` that run on any machine.

pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod repair;
pub(crate) mod utf16;
pub(crate) mod validate;
#[cfg(any(feature = "column", all(test, feature = "alloc")))]
pub(crate) mod views;

/// The lowest bit of each byte of a word.
pub(crate) const LOW_BITS: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte of a word, which only ASCII leaves clear.
pub(crate) const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// The lowest bit of each 16-bit unit of a word.
const LANES: u64 = 0x0001_0001_0001_0001;

/// Reports whether all bytes are ASCII; `N` must be a multiple of eight.
#[inline(always)]
fn is_ascii<const N: usize>(bytes: &[u8; N]) -> bool {
    let any = bytes.as_chunks::<8>().0.iter().fold(0, |any, word| any | u64::from_ne_bytes(*word));
    any & HIGH_BITS == 0
}

/// Finds the first occurrence of a byte; returns the length if there is none.
pub(crate) fn find(bytes: &[u8], byte: u8) -> usize {
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        let others = u64::from_le_bytes(*eight) ^ (u64::from(byte) * LOW_BITS);
        if lowest_zero(others) != 0 {
            return bytes.len() - rest.len() + first_byte(lowest_zero(others));
        }
        rest = after;
    }
    bytes.len() - rest.len() + rest.iter().position(|&other| other == byte).unwrap_or(rest.len())
}

/// Sets the high bit of the first zero byte; the bits of later bytes are meaningless.
#[inline(always)]
pub(crate) fn lowest_zero(word: u64) -> u64 {
    word.wrapping_sub(LOW_BITS) & !word & HIGH_BITS
}

/// Returns the index of the first byte with its high bit set, or 8.
#[inline(always)]
pub(crate) fn first_byte(bits: u64) -> usize {
    bits.trailing_zeros() as usize / 8
}
