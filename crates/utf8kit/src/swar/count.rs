//! Counting the bytes that begin a sequence, by plain words.

use super::LOW;
use crate::kernel::count::Class;

/// How many bytes are not 80..BF.
pub(crate) fn starts(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    // Up to 255 a lane before they are summed, pairs of lanes first.
    let mut total = rest.iter().filter(|&&byte| Class::Starts.holds(byte)).count();
    for some in words.chunks(255) {
        let lanes = some.iter().fold(0, |lanes, word| {
            let word = u64::from_ne_bytes(*word);
            lanes + ((!word >> 7 | word >> 6) & LOW)
        });
        let pairs = (lanes & 0x00FF_00FF_00FF_00FF) + (lanes >> 8 & 0x00FF_00FF_00FF_00FF);
        total += (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize;
    }
    total
}
