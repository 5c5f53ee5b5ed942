//! Repair of UTF-16 in place.

use crate::dispatch;
use crate::encoding::{Codec, Utf16};
use crate::out::as_bytes;
use crate::simd::BLOCK_BYTES;

impl Utf16 {
    /// Replaces every unpaired surrogate with U+FFFD, in place, and returns how many there were. To keep the original,
    /// [`crate::convert_lossy_into`] from UTF-16 to UTF-16 writes into another buffer in the same pass.
    ///
    /// ```
    /// let mut units = [0x61, 0xD83D, 0x62];
    /// assert_eq!(utf8kit::Utf16.repair_in_place(&mut units), 1);
    /// assert_eq!(units, [0x61, 0xFFFD, 0x62]);
    /// ```
    #[doc(alias = "to_well_formed_utf16")]
    #[doc(alias = "ensure_utf16_validity")]
    #[inline]
    pub fn repair_in_place(self, units: &mut [u16]) -> usize {
        // Validation is faster than the repair kernel, and often covers the whole text.
        let clean = dispatch::clean_prefix_in(Utf16, as_bytes(units)) / 2;
        match &mut units[clean..] {
            [] => 0,
            rest => dispatch::repair_units(rest).unwrap_or_else(|| repair_by_items(rest)),
        }
    }
}

/// [`Utf16::repair_in_place`] by the reference implementation.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn repair_by_items(units: &mut [u16]) -> usize {
    let (mut at, mut repaired) = (0, 0);
    while at < units.len() {
        at += dispatch::clean_prefix_in(Utf16, as_bytes(&units[at..])) / 2;
        // Continue for one block, because errors tend to come in groups.
        let stop = units.len().min(at + BLOCK_BYTES);
        while at < stop
            && let Some(step) = Utf16.decode_step(as_bytes(&units[at..]))
        {
            if step.result.is_err() {
                units[at] = 0xFFFD;
                repaired += 1;
            }
            at += step.len() / 2;
        }
    }
    repaired
}
