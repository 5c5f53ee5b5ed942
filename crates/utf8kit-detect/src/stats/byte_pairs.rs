//! Counts how often each byte follows each other byte, a pattern that distinguishes encodings.

use std::sync::{Mutex, PoisonError};

/// Counts of all pairs of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytePairs(Vec<u64>);

impl Default for BytePairs {
    fn default() -> BytePairs {
        BytePairs::new()
    }
}

impl BytePairs {
    /// Creates counters that are all zero.
    pub fn new() -> BytePairs {
        BytePairs(vec![0; 1 << 16])
    }

    /// Counts the pairs in a text.
    pub fn count(&mut self, text: &[u8]) {
        for pair in text.windows(2) {
            self.0[usize::from(pair[0]) << 8 | usize::from(pair[1])] += 1;
        }
    }

    /// Returns how often `second` follows `first`.
    pub fn of(&self, first: u8, second: u8) -> u64 {
        self.0[usize::from(first) << 8 | usize::from(second)]
    }

    /// Returns the `len` most frequent pairs, the most frequent first.
    pub fn top(&self, len: usize) -> Vec<([u8; 2], u64)> {
        let mut all: Vec<_> = self.0.iter().copied().zip(0_u16..=u16::MAX).filter(|pair| pair.0 > 0).collect();
        all.sort_by_key(|&(count, pair)| (std::cmp::Reverse(count), pair));
        all.truncate(len);
        all.into_iter().map(|(count, pair)| (pair.to_be_bytes(), count)).collect()
    }
}

/// A pool of [`BytePairs`] for several threads.
#[derive(Debug, Default)]
pub struct BytePairCounters(Mutex<Vec<BytePairs>>);

impl BytePairCounters {
    /// Counts the pairs in a text. Pass a part of a text with the byte before it.
    pub fn count(&self, text: &[u8]) {
        let idle = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut pairs = taken.unwrap_or_else(BytePairs::new);
        pairs.count(text);
        idle().push(pairs);
    }

    /// Returns the sum of all counters.
    pub fn total(&self) -> BytePairs {
        let mut total = BytePairs::new();
        for pairs in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            total.0.iter_mut().zip(&pairs.0).for_each(|(sum, count)| *sum += count);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_across_parts_count_once() {
        let counters = BytePairCounters::default();
        counters.count(b"ab");
        counters.count(b"bab");
        let total = counters.total();
        assert_eq!((total.of(b'a', b'b'), total.of(b'b', b'a')), (2, 1));
        assert_eq!(total.top(9), [([b'a', b'b'], 2), ([b'b', b'a'], 1)]);
    }
}
