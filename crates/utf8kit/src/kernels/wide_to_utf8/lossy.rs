//! Replaces lone surrogates in the vector that they stopped, which is then converted like any other.

use super::Source;
use crate::simd::BLOCK_BYTES;

/// The replacement of lone surrogates, and the listener that is called for each.
pub(crate) struct Lossy<'l> {
    /// A unit of the source.
    pub(crate) replacement: [u8; 2],
    /// Called with the place of each in the input.
    listener: Option<&'l mut dyn FnMut(usize)>,
    /// Where the last repaired vector begins, and how many vectors in a row were near the one before.
    last: usize,
    near: u32,
}

/// If this many vectors in a row within this many bytes have errors, it is faster to repair all of the text first.
const MAX_NEAR_VECTORS: u32 = 3;
const MAX_BYTES_BETWEEN_NEAR_VECTORS: usize = 8 * BLOCK_BYTES;

impl<'l> Lossy<'l> {
    /// `is_near` if there were many errors right before the input.
    pub(crate) fn new(replacement: [u8; 2], listener: Option<&'l mut dyn FnMut(usize)>, is_near: bool) -> Self {
        Lossy { replacement, listener, last: 0, near: if is_near { MAX_NEAR_VECTORS } else { 0 } }
    }

    /// Returns the 16-bit units of a vector with every lone surrogate replaced, except for a high one at the end, which
    /// begins the next vector. `surrogates` marks their first bytes; the units are at `at`. `None` if errors are close
    /// together. Not inlined, because the caller's loop would spill registers.
    #[cold]
    #[inline(never)]
    pub(super) fn repaired<S: Source>(
        &mut self,
        units: &[u8],
        mut surrogates: u64,
        at: usize,
    ) -> Option<[u8; BLOCK_BYTES]> {
        self.near = if at - self.last < MAX_BYTES_BETWEEN_NEAR_VECTORS { self.near + 1 } else { 0 };
        self.last = at;
        if self.near >= MAX_NEAR_VECTORS {
            return None;
        }
        let mut repaired = [0; BLOCK_BYTES];
        repaired[..units.len()].copy_from_slice(units);
        let top_six = |place: usize| units.get(place + usize::from(!S::BIG_ENDIAN)).map(|byte| byte & 0xFC);
        while surrogates != 0 {
            let place = surrogates.trailing_zeros() as usize;
            surrogates &= surrogates - 1;
            if top_six(place) == Some(0xD8) {
                match top_six(place + 2) {
                    None => break,
                    Some(0xDC) => {
                        surrogates &= surrogates - 1;
                        continue;
                    }
                    _ => {}
                }
            }
            if let Some(place) = repaired[place..].first_chunk_mut() {
                *place = self.replacement;
            }
            self.report(at + place);
        }
        Some(repaired)
    }

    /// Passes the lone surrogate at a position to the listener.
    #[inline]
    pub(crate) fn report(&mut self, at: usize) {
        if let Some(listener) = &mut self.listener {
            listener(at);
        }
    }
}
