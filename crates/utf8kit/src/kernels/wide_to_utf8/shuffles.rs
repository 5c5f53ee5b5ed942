//! Tables of shuffles that drop bytes.

use crate::simd::Sixteen;

/// How many bytes of sixteen are kept: a type of its own, so that the compiler knows the maximum.
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
    /// Builds a table for sequences of `2 * bits` bytes, indexed by `bits` bits each; `kept` lists the kept positions
    /// of a sequence, indexed by its bits.
    pub(super) const fn of_sequences(bits: usize, kept: &[&[u8]]) -> Shuffles {
        let mut all = Shuffles { places: [[ZERO_LANE; 16]; 256], lens: [Len::L0; 256] };
        let mut shift = 0;
        while shift < 8 {
            // Combine this sequence with every pattern of the sequences before it. Value 0 overwrites the pattern
            // itself, so it comes last.
            let mut before = 0;
            while before < 1 << shift {
                let mut value = kept.len();
                while value > 0 {
                    value -= 1;
                    let pattern = before | value << shift;
                    all.places[pattern] = all.places[before];
                    let (mut len, mut i) = (all.lens[before] as usize, 0);
                    while i < kept[value].len() {
                        all.places[pattern][len] = 2 * shift as u8 + kept[value][i];
                        (len, i) = (len + 1, i + 1);
                    }
                    all.lens[pattern] = Len::ALL[len];
                }
                before += 1;
            }
            shift += bits;
        }
        all
    }

    /// Returns the bytes that the lowest eight bits of a pattern keep, and their number.
    #[inline(always)]
    pub(super) fn kept<S: Sixteen>(&self, bytes: S, pattern: u64) -> (S, usize) {
        let pattern = usize::from(pattern as u8);
        (bytes.shuffle(&self.places[pattern]), self.lens[pattern] as usize)
    }
}

/// A position that shuffles in a zero.
const ZERO_LANE: u8 = 0x80;
