//! Counts of a part of a text.

use crate::position::ColumnUnit;
use crate::reference::marks::{BITS, Marks, Sink, first};

/// The counts before a position of a text, or in a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) bytes: usize,
    /// Items: code points, and errors as one each.
    pub(super) items: usize,
    /// Sequences of four bytes, counted at their last byte.
    pub(super) fours: usize,
    /// Line ends, counted at their last byte.
    pub(super) ends: usize,
}

impl Tally {
    /// Returns the count in a unit.
    #[inline]
    pub(super) fn in_unit(&self, unit: ColumnUnit) -> usize {
        match unit {
            ColumnUnit::Bytes => self.bytes,
            ColumnUnit::CodePoints => self.items,
            ColumnUnit::Utf16 => self.items + self.fours,
        }
    }

    #[inline]
    pub(super) fn plus(&self, more: &Tally) -> Tally {
        self.each(more, usize::wrapping_add)
    }

    #[inline]
    pub(super) fn minus(&self, less: &Tally) -> Tally {
        self.each(less, usize::wrapping_sub)
    }

    #[inline]
    fn each(&self, other: &Tally, work: impl Fn(usize, usize) -> usize) -> Tally {
        Tally {
            bytes: work(self.bytes, other.bytes),
            items: work(self.items, other.items),
            fours: work(self.fours, other.fours),
            ends: work(self.ends, other.ends),
        }
    }

    /// Reports whether every byte is an item: ASCII, mostly.
    #[inline]
    pub(super) fn is_narrow(&self) -> bool {
        self.bytes == self.items
    }

    #[inline(always)]
    pub(super) fn add(&mut self, marks: Marks, len: usize) {
        self.bytes += len;
        self.items += marks.starts.count_ones() as usize;
        self.fours += marks.fours.count_ones() as usize;
        self.ends += marks.ends.count_ones() as usize;
    }
}

impl Sink for Tally {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        self.add(marks, len);
        true
    }
}

/// Counts everything, and remembers where the last line begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passed {
    pub(super) tally: Tally,
    /// The counts before that line, if there is a line end.
    pub(super) line: Tally,
}

impl Sink for Passed {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        if marks.ends != 0 {
            let end = BITS - marks.ends.leading_zeros() as usize;
            self.line = self.tally;
            self.line.add(marks.and(first(end)), end);
        }
        self.tally.take(marks, len)
    }
}

/// The unit that a search counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Items,
    Utf16,
    LineEnds,
}

/// Finds the n-th byte of a kind, and the counts before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Find {
    pub(super) wanted: Wanted,
    /// How many are still to be skipped.
    pub(super) left: usize,
    /// The counts before the byte, or in the whole range if it is not found.
    pub(super) tally: Tally,
    /// Whether the byte is the last byte of a four-byte sequence.
    pub(super) is_fourth: bool,
}

impl Sink for Find {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        let bits = match self.wanted {
            Wanted::Items => marks.starts,
            Wanted::Utf16 => marks.starts | marks.fours,
            Wanted::LineEnds => marks.ends,
        };
        let here = bits.count_ones() as usize;
        if here <= self.left {
            self.left -= here;
            self.tally.add(marks, len);
            return true;
        }
        let found = nth_bit(bits, self.left);
        self.tally.add(marks.and(found - 1), found.trailing_zeros() as usize);
        self.is_fourth = marks.fours & found != 0;
        false
    }
}

/// Returns the `n`-th lowest set bit, from 0. More than `n` bits must be set.
#[inline(always)]
fn nth_bit(mut bits: u64, mut n: usize) -> u64 {
    if n < 4 {
        // Usually line ends.
        for _ in 0..n {
            bits &= bits.wrapping_sub(1);
        }
        return bits & bits.wrapping_neg();
    }
    let mut at = bits.trailing_zeros() as usize;
    let run = bits >> at;
    if run & run.wrapping_add(1) == 0 {
        // The bits are consecutive, as in ASCII.
        return 1 << (at + n);
    }
    // Branchless, because the branches would be unpredictable.
    at = 0;
    for width in [32, 16, 8, 4, 2, 1] {
        let here = (bits >> at & first(width)).count_ones() as usize;
        let skip = n >= here;
        n -= if skip { here } else { 0 };
        at += if skip { width } else { 0 };
    }
    1 << at
}

/// Why a walk along a line stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The range ended first.
    Range,
    /// The wanted unit begins at this byte, or is the second UTF-16 code unit of the item that ends there (`true`).
    Unit(usize, bool),
    /// The line ends with this byte.
    LineEnd(usize),
}

/// Skips lines, then goes along a line for some units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// How many line ends are still to be skipped.
    pub(super) lines: usize,
    pub(super) unit: ColumnUnit,
    /// How many units are still to be skipped.
    pub(super) left: usize,
    /// The counts before the current bytes.
    pub(super) tally: Tally,
    /// The counts before the line.
    pub(super) line: Tally,
    pub(super) stop: Stop,
}

impl Sink for Walk {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        let at = self.tally.bytes;
        let before = self.tally;
        self.tally.add(marks, len);
        let mut rest = first(len);
        if self.lines > 0 {
            let here = marks.ends.count_ones() as usize;
            if here < self.lines {
                self.lines -= here;
                return true;
            }
            let end = nth_bit(marks.ends, self.lines - 1).trailing_zeros() as usize + 1;
            self.lines = 0;
            self.line = before;
            self.line.add(marks.and(first(end)), end);
            rest &= !first(end);
        }
        let marks = marks.and(rest);
        let units = match self.unit {
            ColumnUnit::Bytes => rest,
            ColumnUnit::CodePoints => marks.starts,
            ColumnUnit::Utf16 => marks.starts | marks.fours,
        };
        let end = marks.ends & marks.ends.wrapping_neg();
        // `end` is zero if there is no line end: then all count.
        let in_line = (units & (end | end.wrapping_sub(1))).count_ones() as usize;
        if in_line > self.left {
            let unit = nth_bit(units, self.left);
            self.stop = Stop::Unit(at + unit.trailing_zeros() as usize, marks.fours & unit != 0);
            return false;
        }
        if end != 0 {
            self.stop = Stop::LineEnd(at + end.trailing_zeros() as usize);
            return false;
        }
        self.left -= in_line;
        true
    }
}
