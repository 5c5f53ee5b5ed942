//! Tables of shuffles that drop bytes.

use crate::simd::Sixteen;

/// How many bytes of sixteen are kept, as a type, so that the compiler knows that there are no more.
#[derive(Clone, Copy)]
#[repr(u8)]
#[rustfmt::skip]
enum Len { L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16 }

impl Len {
    #[rustfmt::skip]
    const ALL: [Len; 17] = {
        use Len::*;
        [L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16]
    };
}

/// Shuffle masks and output lengths, indexed by an 8-bit pattern. Aligned, so that no mask straddles a cache line.
#[repr(align(64))]
pub(super) struct Shuffles {
    places: [[u8; 16]; 256],
    lens: [Len; 256],
}

impl Shuffles {
    /// Shuffles that keep nothing.
    pub(super) const NOTHING: Shuffles = Shuffles { places: [[NONE; 16]; 256], lens: [Len::L0; 256] };

    /// Keeps one more place for a pattern, after those before.
    pub(super) const fn keep(&mut self, pattern: usize, place: usize) {
        let len = self.lens[pattern] as usize;
        self.places[pattern][len] = place as u8;
        self.lens[pattern] = Len::ALL[len + 1];
    }

    /// Returns the bytes that the lowest eight bits of a pattern keep, and their number.
    #[inline(always)]
    pub(super) fn kept<S: Sixteen>(&self, bytes: S, pattern: u64) -> (S, usize) {
        let pattern = usize::from(pattern as u8);
        (bytes.shuffle(&self.places[pattern]), self.lens[pattern] as usize)
    }
}

/// A position that shuffles in a zero.
const NONE: u8 = 0x80;
