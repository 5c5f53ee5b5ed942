//! Finds where items begin and lines end, by the reference implementation, as the bits that the text's index counts.

use core::ops::Range;

use crate::encoding::{Codec, Step, Utf8};
use crate::grammar::is_continuation;
use crate::line_ends::LineEnds;

/// How many bytes [`Marks`] cover.
pub(crate) const BITS: usize = u64::BITS as usize;

/// Marks of up to 64 bytes, one bit per byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// First bytes of items.
    pub(crate) starts: u64,
    /// Last bytes of four-byte sequences: the second of their two UTF-16 code units.
    pub(crate) fours: u64,
    /// Last bytes of line ends.
    pub(crate) ends: u64,
}

impl Marks {
    /// Returns the marks of the bytes that `mask` selects.
    #[inline(always)]
    pub(crate) fn and(self, mask: u64) -> Marks {
        Marks { starts: self.starts & mask, fours: self.fours & mask, ends: self.ends & mask }
    }
}

/// A consumer of marks, which cover 64 bytes at a time.
pub(crate) trait Sink {
    /// Takes the marks of the next `len` bytes: 64 except for the last. Returns whether more are wanted.
    fn take(&mut self, marks: Marks, len: usize) -> bool;
}

/// The marks of a range of a text.
pub(crate) struct Scan<'b, S> {
    pub(crate) text: &'b [u8],
    pub(crate) range: Range<usize>,
    pub(crate) line_ends: LineEnds,
    pub(crate) sink: S,
}

/// Returns a mask of the first `len` bytes.
#[inline(always)]
pub(crate) fn first(len: usize) -> u64 {
    if len < BITS { (1 << len) - 1 } else { u64::MAX }
}

impl<S: Sink> Scan<'_, S> {
    /// Passes the marks to the sink, by the reference implementation, and returns it.
    pub(crate) fn by_reference(mut self) -> S {
        let mut item = item_around(self.text, self.range.start);
        for at in self.range.clone().step_by(BITS) {
            let len = (self.range.end - at).min(BITS);
            let block = &self.text[at..at + len];
            let mut marks = Marks::default();
            if item == at && block.is_ascii() {
                marks.starts = first(len);
                item += len;
            }
            while item < at + len {
                let Some(step) = Utf8.decode_step(&self.text[item..]) else { break };
                if item >= at {
                    marks.starts |= 1 << (item - at);
                }
                let end = item + step.len();
                if end > at + len {
                    break;
                }
                if end > at && step.len() == 4 {
                    marks.fours |= 1 << (end - 1 - at);
                }
                item = end;
            }
            for (i, &byte) in block.iter().enumerate() {
                // The last byte of any line end.
                if matches!(byte, 0x0A..=0x0D | 0x85 | 0xA8 | 0xA9) {
                    marks.ends |= u64::from(self.line_ends.end_at(self.text, at + i)) << i;
                }
            }
            if !self.sink.take(marks, len) {
                break;
            }
        }
        self.sink
    }
}

/// Returns the start of the item that contains the byte at `at`.
fn item_around(text: &[u8], at: usize) -> usize {
    let back = (1..Utf8.erase().longest()).find(|&back| {
        back <= at && text.get(at - back).is_some_and(|&lead| !is_continuation(lead)) && {
            let len = Utf8.decode_step(&text[at - back..]).map_or(1, Step::len);
            len > back
        }
    });
    back.map_or(at, |back| at - back)
}
