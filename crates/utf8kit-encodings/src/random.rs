//! Pseudo-random numbers for tests, of each crate that includes this file.
#![allow(dead_code, reason = "no crate uses all of it")]

/// A generator (Marsaglia, Xorshift RNGs, 2003), the same on every run.
pub(crate) struct Random(u64);

impl Random {
    /// Starts with a seed other than 0.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % end
    }

    /// Returns one of some values.
    pub(crate) fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}
