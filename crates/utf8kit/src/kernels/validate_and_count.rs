//! Validates and counts in one pass.
//!
//! # Algorithm
//! [`CountedPlaces`] counts the bytes by their place in sequences, which the validation of [`super::validate`] has to
//! know anyway; where there is ASCII, nothing is counted. With `n` bytes, `c` of them continuations, `t` third or
//! fourth bytes of a sequence and `f` fourth bytes:
//!
//! ```text
//! code points     n - c           every byte except continuations
//! UTF-16 units    n - c + f       two units for each sequence of four bytes
//! ASCII           n - 2c + t      leads are c - t, because each has one second byte
//! ```
//!
//! Each byte is counted by its own place, so no sequence is counted twice where two blocks meet.
//!
//! # Decisions
//! - Continuations, which most blocks have, are summed lane by lane. The other places are counted in general registers,
//!   because with three sums of lanes, AVX2 keeps one in memory, and every block waits for it.
//!
//! `bench/record/kernels/validate_and_count.md` has the measurements.

use super::tables::{Places, Tables};
use super::validate::Tally;
use crate::grammar::{Grammar, is_continuation};
use crate::reference::validate::boundary_before;
use crate::simd::{Kernel, Token, Vector};

/// The numbers of bytes of well-formed text by their place in sequences, from which the other counts follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlaceCounts {
    /// Bytes after the first of a sequence.
    pub(crate) continuations: usize,
    /// Third and fourth bytes.
    pub(crate) thirds: usize,
    /// Fourth bytes.
    pub(crate) fourths: usize,
}

impl PlaceCounts {
    /// Counts a few bytes at the start of a text.
    #[inline(always)]
    fn of(bytes: &[u8]) -> PlaceCounts {
        let at_least = |least: u8, before: usize| {
            let leads = bytes.iter().take(bytes.len().saturating_sub(before));
            leads.filter(|&&byte| byte >= least).count()
        };
        let fourths = at_least(0xF0, 3);
        let continuations = bytes.iter().filter(|&&byte| is_continuation(byte)).count();
        PlaceCounts { continuations, thirds: at_least(0xE0, 2) + fourths, fourths }
    }
}

/// [`PlaceCounts`] being summed.
struct Sums<V> {
    zero: V,
    /// Continuations that are not in the total yet, lane by lane.
    lanes: V,
    /// How many more groups can be added before the lanes must be summed.
    more: usize,
    total: PlaceCounts,
}

/// How many groups of at most four vectors are added before a lane could overflow.
const MAX_GROUPS_PER_SUM: usize = u8::MAX as usize / 4;

impl<V: Vector> Sums<V> {
    #[inline(always)]
    fn sum(&mut self) {
        self.total.continuations += self.lanes.sum() as usize;
        (self.lanes, self.more) = (self.zero, MAX_GROUPS_PER_SUM);
    }
}

impl<V: Vector> Tally<V> for Sums<V> {
    #[inline(always)]
    fn places(&self, _: V) -> Places<V> {
        Places { continuations: self.lanes, thirds: self.total.thirds, fourths: self.total.fourths }
    }

    #[inline(always)]
    fn set(&mut self, places: Places<V>) {
        self.lanes = places.continuations;
        (self.total.thirds, self.total.fourths) = (places.thirds, places.fourths);
        self.more -= 1;
        if self.more == 0 {
            self.sum();
        }
    }
}

/// Finds a clean prefix and counts it in the same pass. It is at most four blocks shorter than the prefix that
/// [`CleanPrefix`](super::validate::CleanPrefix) finds.
pub(crate) struct CountedPlaces<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl Kernel for CountedPlaces<'_> {
    type Output = (usize, PlaceCounts);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, PlaceCounts) {
        let (bytes, tables) = (self.bytes, Tables::new(token, self.grammar));
        let Some(start) = tables.clean_first_block(token, bytes) else { return Default::default() };
        let (zero, total) = (token.splat(0), PlaceCounts::of(&bytes[..start]));
        let mut sums = Sums { zero, lanes: zero, more: MAX_GROUPS_PER_SUM, total };
        let clean = tables.clean_blocks_from(token, bytes, start, &mut sums);
        sums.sum();
        let mut total = sums.total;
        // Subtract the bytes of a sequence that is cut off here.
        let boundary = boundary_before(bytes, clean);
        let cut_off = PlaceCounts::of(&bytes[boundary..clean]);
        total.continuations -= cut_off.continuations;
        total.thirds -= cut_off.thirds;
        (boundary, total)
    }
}
