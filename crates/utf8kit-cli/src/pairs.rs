//! How often each byte follows each: a picture by which encodings are told apart.

use std::sync::{Mutex, PoisonError};

use crate::blocks::Block;

/// Counts of all pairs of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pairs(Vec<u64>);

impl Pairs {
    pub(crate) fn new() -> Pairs {
        Pairs(vec![0; 1 << 16])
    }

    /// Counts the pairs whose second byte is in the block.
    fn count(&mut self, block: &Block) {
        let text = &block.bytes[block.own.start.saturating_sub(1)..block.own.end];
        for pair in text.windows(2) {
            self.0[usize::from(pair[0]) << 8 | usize::from(pair[1])] += 1;
        }
    }

    /// How often `second` follows `first`.
    pub(crate) fn of(&self, first: u8, second: u8) -> u64 {
        self.0[usize::from(first) << 8 | usize::from(second)]
    }

    /// The pairs that occur most, the most frequent first.
    pub(crate) fn top(&self, len: usize) -> Vec<([u8; 2], u64)> {
        let mut all: Vec<_> =
            self.0.iter().copied().zip(0_u16..=u16::MAX).filter(|pair| pair.0 > 0).collect();
        all.sort_by_key(|&(count, pair)| (std::cmp::Reverse(count), pair));
        all.truncate(len);
        all.into_iter().map(|(count, pair)| (pair.to_be_bytes(), count)).collect()
    }
}

/// Counters that workers share: each takes one, and gives it back.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Vec<Pairs>>);

impl Counters {
    /// Counts the pairs of a block.
    pub(crate) fn count(&self, block: &Block) {
        let idle = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut pairs = taken.unwrap_or_else(Pairs::new);
        pairs.count(block);
        idle().push(pairs);
    }

    /// All of them together.
    pub(crate) fn total(&self) -> Pairs {
        let mut total = Pairs::new();
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
    fn pairs_over_the_edge_of_blocks_count_once() {
        let counters = Counters::default();
        counters.count(&Block { bytes: b"abab".to_vec(), own: 0..2, base: 0 });
        counters.count(&Block { bytes: b"abab".to_vec(), own: 2..4, base: 0 });
        let total = counters.total();
        assert_eq!((total.of(b'a', b'b'), total.of(b'b', b'a')), (2, 1));
        assert_eq!(total.top(9), [([b'a', b'b'], 2), ([b'b', b'a'], 1)]);
    }
}
