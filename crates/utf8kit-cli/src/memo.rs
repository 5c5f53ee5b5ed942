//! A cache of values computed from a few bytes of a text. Most text repeats itself, and so do its errors.

use utf8kit::AnyEncoding;

/// The number of slots, as bits of a number.
const SLOT_BITS: u32 = 14;

/// Values by the bytes they are computed from. A value that is not in the cache is computed again.
#[derive(Debug)]
pub(crate) struct Memo<T>(Vec<(Key, T)>);

/// An encoding, and up to seven bytes with their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    encoding: Option<AnyEncoding>,
    bytes: u64,
}

impl<T> Default for Memo<T> {
    /// Allocates nothing until the first value is stored.
    fn default() -> Memo<T> {
        Memo(Vec::new())
    }
}

impl<T: Default> Memo<T> {
    /// Returns the value for the first `len` bytes of `rest` (at most seven), from the cache or from `make`.
    pub(crate) fn of(&mut self, encoding: AnyEncoding, rest: &[u8], len: usize, make: impl FnOnce() -> T) -> &T {
        let key = &rest[..len.min(rest.len()).min(7)];
        let bytes = key.iter().fold(key.len() as u64, |bytes, &byte| bytes << 8 | u64::from(byte));
        let key = Key { encoding: Some(encoding), bytes };
        if self.0.is_empty() {
            self.0.resize_with(1 << SLOT_BITS, || (Key { encoding: None, bytes: 0 }, T::default()));
        }
        // The upper bits of a product depend on all other bits: Knuth's multiplicative hashing.
        let hash = (bytes ^ encoding as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = &mut self.0[(hash >> (u64::BITS - SLOT_BITS)) as usize];
        if slot.0 != key {
            *slot = (key, make());
        }
        &slot.1
    }
}

/// Returns how many bytes of `rest` the description of the error at its start depends on. The error is `len` bytes
/// long, its sequence `sequence` bytes.
pub(crate) fn described_len(encoding: AnyEncoding, rest: &[u8], len: usize, sequence: usize) -> usize {
    // If the sequence could have continued, the description names the byte (or wider unit) that interrupted it and what
    // a lax decoder would have read.
    match (encoding.grammar(), rest.first()) {
        (Some(grammar), Some(&first)) if grammar.lead_len(first).is_none() => sequence,
        (Some(_), _) => sequence.max(len + 1),
        (None, _) => 4,
    }
}
