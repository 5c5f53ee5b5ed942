//! Marks where items begin and lines end, a bit per byte: the kernel of the text's index.
//!
//! # Algorithm
//! Items are found as described in [`super::items`], in text that may be invalid. The last byte of a four-byte sequence
//! stands for the second of its two UTF-16 code units, so that each unit has a bit. Line ends are their last bytes: a
//! carriage return is one unless a line feed follows.

use super::items::{Items, advance};
use super::tables::{FILLER, LOOKBEHIND_BYTES, PairTables};
use crate::encoding::Utf8;
use crate::grammar::Dialect;
use crate::line_ends::LineEnds;
use crate::reference::marks::{Marks, Scan, Sink, first};
use crate::simd::{BLOCK_BYTES, Kernel, Token, Vector};

impl<S: Sink> Kernel for Scan<'_, S> {
    type Output = S;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> S {
        let Scan { text, range, line_ends, mut sink } = self;
        let mut marker = Marker::new(token, line_ends);
        marker.begin_after(token, &text[..range.start]);
        let mut rest = &text[range.start..];
        let mut left = range.len();
        while let Some((block, after)) = rest.split_first_chunk::<BLOCK_BYTES>()
            && left >= BLOCK_BYTES
        {
            let marks = marker.next(token, block, after.first());
            if !sink.take(marks, BLOCK_BYTES) {
                return sink;
            }
            rest = after;
            left -= BLOCK_BYTES;
        }
        if left > 0 {
            // The last byte may depend on the byte after it.
            let marks = match rest.split_first_chunk::<BLOCK_BYTES>() {
                Some((block, after)) => marker.next(token, block, after.first()),
                None => {
                    let mut last = [FILLER; BLOCK_BYTES];
                    last[..rest.len()].copy_from_slice(rest);
                    marker.next(token, &last, None)
                }
            };
            sink.take(marks.and(first(left)), left);
        }
        sink
    }
}

/// The state after the bytes before a block, and the tables.
struct Marker<V> {
    pair_tables: PairTables<V>,
    line_ends: LineEnds,
    items: Items,
    vector: V,
    breaks: Breaks,
}

/// Bytes of U+0085, U+2028 and U+2029, one bit per byte.
#[derive(Clone, Copy, Debug, Default)]
struct Breaks {
    c2: u64,
    e2: u64,
    x80: u64,
}

impl<V: Vector> Marker<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, line_ends: LineEnds) -> Self {
        Marker {
            pair_tables: PairTables::new(token, Utf8.grammar()),
            line_ends,
            items: Items::default(),
            vector: token.splat(FILLER),
            breaks: Breaks::default(),
        }
    }

    /// Sets the state from the bytes before the range. ASCII does not affect it.
    #[inline(always)]
    fn begin_after<T: Token<Vector = V>>(&mut self, token: T, before: &[u8]) {
        if before.last().is_some_and(|&last| last >= 0x80) {
            let mut block = [FILLER; BLOCK_BYTES];
            let some = &before[before.len().saturating_sub(LOOKBEHIND_BYTES)..];
            block[BLOCK_BYTES - some.len()..].copy_from_slice(some);
            self.next(token, &block, None);
        }
    }

    /// Marks the next block, which `after` follows.
    #[inline(always)]
    fn next<T: Token<Vector = V>>(&mut self, token: T, block: &[u8; BLOCK_BYTES], after: Option<&u8>) -> Marks {
        let mut high = 0;
        for part in 0..BLOCK_BYTES / V::LEN {
            high |= token.load(block, part).high_bits() << (part * V::LEN);
        }
        let mut ends = bytes(token, block, b'\n');
        if self.line_ends != LineEnds::LineFeed {
            let feeds = ends >> 1 | u64::from(after == Some(&b'\n')) << (BLOCK_BYTES - 1);
            ends |= bytes(token, block, b'\r') & !feeds;
        }
        if self.line_ends == LineEnds::Unicode {
            ends |= bytes(token, block, 0x0B) | bytes(token, block, 0x0C);
        }
        if high == 0 {
            // The rest of an incomplete sequence is not in this block.
            (self.items, self.breaks) = (Items::default(), Breaks::default());
            self.vector = token.splat(FILLER);
            return Marks { starts: u64::MAX, fours: 0, ends };
        }
        if self.line_ends == LineEnds::Unicode {
            ends |= self.breaks(token, block);
        }
        self.items = Items::new(token, &self.pair_tables, block, &self.items, self.vector);
        self.vector = token.load(block, BLOCK_BYTES / V::LEN - 1);
        Marks { starts: self.items.starts(), fours: self.items.fourth, ends }
    }

    /// Returns the last bytes of U+0085, U+2028 and U+2029.
    #[inline(always)]
    fn breaks<T: Token<Vector = V>>(&mut self, token: T, block: &[u8; BLOCK_BYTES]) -> u64 {
        let before = self.breaks;
        let now =
            Breaks { c2: bytes(token, block, 0xC2), e2: bytes(token, block, 0xE2), x80: bytes(token, block, 0x80) };
        self.breaks = now;
        let separators = bytes(token, block, 0xA8) | bytes(token, block, 0xA9);
        bytes(token, block, 0x85) & advance::<1>(now.c2, before.c2)
            | separators & advance::<1>(now.x80, before.x80) & advance::<2>(now.e2, before.e2)
    }
}

/// Marks the bytes that have a value.
#[inline(always)]
fn bytes<T: Token>(token: T, block: &[u8; BLOCK_BYTES], value: u8) -> u64 {
    let mut mask = 0;
    for part in 0..BLOCK_BYTES / T::Vector::LEN {
        mask |= token.load(block, part).equal(token.splat(value)).high_bits() << (part * T::Vector::LEN);
    }
    mask
}
