//! A grammar: the rows of a dialect, and the tables that are derived from them.

use super::automaton::{self, Automaton};
use super::derive::{self, BEFORE_LEADS, Lead, Leads, Lookup};
use super::row::{Row, is_continuation, lead_mask, length_class, matching};
use crate::error::ErrorKind;

/// How a dialect treats surrogate code units in three bytes (`ED A0..BF 80..BF`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surrogates {
    /// Two adjacent surrogates have no special meaning; the rows decide whether a single one is allowed.
    Plain,
    /// A pair is one code point; half of a pair is an error (CESU-8).
    Joined,
    /// A pair is one code point, and so is half of a pair (modified UTF-8).
    JoinedOrLone,
    /// A single surrogate is a code point; a pair is an error (WTF-8).
    Refused,
}

/// A dialect's grammar and everything derived from it.
#[derive(Debug)]
pub struct Grammar {
    pub(super) rows: &'static [Row],
    base: [u32; 7],
    shortest: [u32; 7],
    max: u32,
    pub(crate) surrogates: Surrogates,
    /// Whether NUL is a zero byte.
    nul: bool,
    leads: Leads,
    pub(crate) lookup: Lookup,
    /// Length of the longest row: the longest sequence of one lead.
    pub(crate) longest_unit: usize,
    /// Whether [`Grammar::lookup`] rejects exactly the bytes that must not follow a lead, and later bytes may be any
    /// continuations. The kernel that finds errors requires this.
    pub(crate) exact: bool,
    /// The automaton, if it has few states and items are independent of each other.
    pub(crate) automaton: Option<Automaton>,
}

impl Grammar {
    pub(super) const fn new(
        rows: &'static [Row],
        base: [u32; 7],
        shortest: [u32; 7],
        max: u32,
        surrogates: Surrogates,
    ) -> Grammar {
        let leads = derive::leads(rows);
        let nul = rows[0].ranges[0].0 == 0;
        let mut longest_unit = 1;
        let mut i = 0;
        while i < rows.len() {
            if rows[i].len as usize > longest_unit {
                longest_unit = rows[i].len as usize;
            }
            i += 1;
        }
        let lookup = derive::lookup(rows, &leads, !matches!(surrogates, Surrogates::Plain));
        let exact = matches!(surrogates, Surrogates::Plain) && derive::exact(rows, &leads, &lookup);
        let automaton = if matches!(surrogates, Surrogates::Plain) { automaton::automaton(rows) } else { None };
        Grammar { rows, base, shortest, max, surrogates, nul, leads, lookup, longest_unit, exact, automaton }
    }

    /// Returns the rows: every well-formed sequence of one unit, by byte ranges.
    ///
    /// ```
    /// use utf8kit::{Dialect, Utf8};
    /// // Unicode's Table 3-7 has nine rows.
    /// assert_eq!(Utf8.grammar().rows().len(), 9);
    /// assert_eq!(Utf8.grammar().rows()[2].ranges(), [(0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)]);
    /// ```
    #[must_use]
    pub fn rows(&self) -> &'static [Row] {
        self.rows
    }

    /// Reports whether NUL is a zero byte. If not, zero bytes are not allowed, and not all ASCII is well formed.
    #[inline(always)]
    pub(crate) const fn has_nul(&self) -> bool {
        self.nul
    }

    /// Reports whether `byte` alone is a sequence: ASCII, except NUL in some dialects.
    #[inline(always)]
    pub(crate) const fn is_single(&self, byte: u8) -> bool {
        byte < 0x80 && (self.nul || byte != 0)
    }

    /// Returns the properties of the sequences that a byte begins, if the byte is not a sequence by itself.
    #[inline(always)]
    pub(crate) const fn lead(&self, byte: u8) -> &Lead {
        &self.leads[byte.saturating_sub(BEFORE_LEADS as u8) as usize]
    }

    /// Returns the first of the leads up to DF that all begin two-byte sequences with any continuation.
    #[inline(always)]
    pub(crate) const fn first_of_two(&self) -> u8 {
        self.lookup.two[0] + self.lookup.from_lead[0]
    }

    /// Returns whether the two bytes begin a `len`-byte sequence whose remaining bytes may be any continuations.
    #[inline(always)]
    pub(crate) const fn begins(&self, first: u8, second: u8, len: usize) -> bool {
        let Lead { len: its, simple, second: (low, high) } = *self.lead(first);
        simple && its as usize == len && low <= second && second <= high
    }

    /// Returns the largest value that the dialect encodes.
    #[must_use]
    pub fn max(&self) -> u32 {
        self.max
    }

    /// Returns the number that is added to the payload bits of a sequence of `len` bytes: zero except in the offset
    /// form.
    #[must_use]
    pub fn base(&self, len: usize) -> u32 {
        self.base.get(len).copied().unwrap_or(0)
    }

    /// Returns the smallest value that sequences of `len` bytes encode.
    #[must_use]
    pub fn shortest(&self, len: usize) -> u32 {
        self.shortest.get(len).copied().unwrap_or(0)
    }

    /// Returns the length of the longest sequence in bytes: 4 in UTF-8, 6 in the 31-bit form and where surrogates pair.
    #[must_use]
    pub fn longest(&self) -> usize {
        if matches!(self.surrogates, Surrogates::Plain) { self.longest_unit } else { 6 }
    }

    /// Returns the length of the sequences that `byte` begins, or `None` if it begins none.
    #[must_use]
    pub fn lead_len(&self, byte: u8) -> Option<usize> {
        match self.lead(byte).len {
            _ if self.is_single(byte) => Some(1),
            0 => None,
            len => Some(usize::from(len)),
        }
    }

    /// Returns the range of bytes that can continue `prefix` (1 to 5 bytes), or `None` if the prefix is already
    /// complete or no sequence begins with it. If several rows share the prefix, their ranges are joined.
    ///
    /// ```
    /// use utf8kit::{Dialect, Utf8};
    /// assert_eq!(Utf8.grammar().expected(&[0xE0]), Some((0xA0, 0xBF)));
    /// assert_eq!(Utf8.grammar().expected(&[0xC0]), None);
    /// ```
    #[must_use]
    pub fn expected(&self, prefix: &[u8]) -> Option<(u8, u8)> {
        let mut found: Option<(u8, u8)> = None;
        for row in self.rows {
            let ranges = row.ranges();
            if ranges.len() > prefix.len() && matching(ranges, prefix) == prefix.len() {
                let (low, high) = ranges[prefix.len()];
                found = Some(found.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
            }
        }
        found
    }

    /// Returns the smallest and the largest value that a lax decoder would read from `len` bytes beginning with
    /// `prefix`. Such a decoder looks only at the lead's marker.
    #[must_use]
    pub fn lax_values(&self, prefix: &[u8], len: usize) -> (u32, u32) {
        let len = len.clamp(1, 6);
        let mut low: u64 = 0;
        for (i, &byte) in prefix.iter().take(len).enumerate() {
            low = if i == 0 { u64::from(byte) & u64::from(lead_mask(len)) } else { low << 6 | u64::from(byte & 0x3F) };
        }
        let missing = 6 * (len - prefix.len().clamp(1, len)) as u32;
        let low = low << missing;
        let high = low | ((1 << missing) - 1);
        let base = u64::from(self.base(len));
        // At most 31 payload bits and a base below 2^27, so both fit.
        ((low + base) as u32, (high + base) as u32)
    }

    /// Returns why `prefix`, of which the last byte is the invalid one, cannot continue (a rule of the conformance
    /// suite). `prefix` is either a single byte that begins no sequence, or a good prefix plus one continuation byte.
    #[inline]
    pub(crate) fn kind_of(&self, prefix: &[u8]) -> ErrorKind {
        let Some(&lead) = prefix.first() else { return ErrorKind::Truncated };
        if is_continuation(lead) {
            return ErrorKind::UnexpectedContinuation;
        }
        let len = length_class(lead);
        if len < 2 || len > self.longest_unit {
            return ErrorKind::InvalidByte;
        }
        let (low, high) = self.lax_values(prefix, len);
        if high < self.shortest(len) {
            ErrorKind::Overlong
        } else if low > self.max {
            ErrorKind::TooLarge
        } else if low >= 0xD800 && high <= 0xDFFF {
            ErrorKind::Surrogate
        } else {
            ErrorKind::Truncated
        }
    }
}
