//! Code shared by the tests of several crates: pseudo-random numbers.

/// A generator (Marsaglia, Xorshift RNGs, 2003), the same on every run.
///
/// ```
/// use utf8kit_testing::Random;
///
/// let mut random = Random::new(7);
/// assert!(random.below(3) < 3);
/// assert!(["a", "b"].contains(&random.pick(&["a", "b"])));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts with a seed other than 0.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % end
    }

    /// Returns one of some values.
    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}
