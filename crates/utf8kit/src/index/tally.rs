//! Counts of a part of a text.

use crate::position::ColumnUnit;
use crate::scalar::marks::{Marks, Sink};

/// What lies before a place of a text, or in a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) bytes: usize,
    /// Items: code points, and errors as one each.
    pub(super) items: usize,
    /// Sequences of four bytes, by their last one.
    pub(super) fours: usize,
    /// Line ends, by their last byte.
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

/// Counts a range, and remembers its last byte.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UpTo {
    tally: Tally,
    last: Marks,
}

impl UpTo {
    /// Returns what lies before the last byte, and whether that byte begins an item.
    #[inline]
    pub(super) fn before_last(self) -> (Tally, bool) {
        let mut last = Tally::default();
        last.add(self.last, 1);
        (self.tally.minus(&last), last.items > 0)
    }
}

impl Sink for UpTo {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        self.tally.add(marks, len);
        self.last = marks.and(1 << (len - 1));
        true
    }
}

/// Counts everything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct All(pub(super) Tally);

impl Sink for All {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        self.0.add(marks, len);
        true
    }
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Items,
    Utf16,
    LineEnds,
}

/// Finds the byte that is the n-th of its kind, and what lies before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Find {
    pub(super) wanted: Wanted,
    /// How many are to be skipped.
    pub(super) left: usize,
    /// What lies before the byte, or in the whole range if it is not found.
    pub(super) tally: Tally,
    /// Whether the byte is the last one of a sequence of four.
    pub(super) is_fourth: bool,
}

impl Sink for Find {
    #[inline(always)]
    fn take(&mut self, marks: Marks, len: usize) -> bool {
        let mut bits = match self.wanted {
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
        for _ in 0..self.left {
            bits &= bits - 1;
        }
        let found = bits & bits.wrapping_neg();
        self.tally.add(marks.and(found - 1), found.trailing_zeros() as usize);
        self.is_fourth = marks.fours & found != 0;
        false
    }
}
