//! The lines or words of a version, found by what divides them: each is looked at once, however many edits are in it.

use std::cell::RefCell;
use std::ops::Range;

/// Where lines, or words, are divided.
pub(super) struct Spans {
    dividers: Vec<usize>,
    len: usize,
}

impl Spans {
    /// Returns the lines of bytes.
    pub(super) fn of_lines(bytes: &[u8]) -> Spans {
        Spans { dividers: memchr::memchr_iter(b'\n', bytes).collect(), len: bytes.len() }
    }

    /// Returns the words of bytes.
    pub(super) fn of_words(bytes: &[u8]) -> Spans {
        let spaces = bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_whitespace());
        Spans { dividers: spaces.map(|(at, _)| at).collect(), len: bytes.len() }
    }

    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        self.dividers.len() + 1
    }

    /// Returns the line or word that contains a range, without its end; all of them if the range is in several.
    pub(super) fn around(&self, range: &Range<usize>) -> Range<usize> {
        let next = self.dividers.partition_point(|at| *at < range.end);
        self.start(self.first(range.start))..self.dividers.get(next).copied().unwrap_or(self.len)
    }

    /// Returns the lines that a range touches, each with its end.
    pub(super) fn touched<'s>(&'s self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'s> {
        let end_of = |index: usize| self.dividers.get(index).map_or(self.len, |at| at + 1);
        let lines = (self.first(range.start)..=self.dividers.len()).map(move |at| self.start(at)..end_of(at));
        let end = range.end;
        lines.take_while(move |line| line.start < end)
    }

    /// Returns the first divider at a place or after it.
    fn first(&self, at: usize) -> usize {
        self.dividers.partition_point(|divider| *divider < at)
    }

    /// Returns the start of the line or word that ends with a divider.
    fn start(&self, divider: usize) -> usize {
        divider.checked_sub(1).and_then(|before| self.dividers.get(before)).map_or(0, |at| at + 1)
    }
}

/// Reports whether two ranges have something in common.
pub(super) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Caches the answer for the last range, because most queries repeat it.
pub(super) fn cached(is: impl Fn(&Range<usize>) -> bool) -> impl Fn(&Range<usize>) -> bool {
    let last: RefCell<Option<(Range<usize>, bool)>> = RefCell::default();
    move |range| {
        let known = last.borrow().as_ref().filter(|(asked, _)| asked == range).map(|(_, answer)| *answer);
        known.unwrap_or_else(|| {
            let answer = is(range);
            *last.borrow_mut() = Some((range.clone(), answer));
            answer
        })
    }
}
