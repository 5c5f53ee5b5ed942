//! Statistics of a text: counts by length class and plane, line endings, and its size in other encodings. Counts by
//! block and script need Unicode's tables, which this crate does not include; the command `utf8 stats` reports them.

use core::ops::Range;

use super::bytes::{Decoder, Encoder, FormatError, add, add_all};
use crate::boundary::ceil_in;
use crate::decode::items;
use crate::encoding::MAX_LEN;
use crate::operations::Encoding;

use alloc::vec::Vec;

/// The number of planes of Unicode.
pub const PLANES: usize = 17;

const TAG: u8 = b'T';

/// Counts that can be merged: see [`Stats::of`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stats {
    /// Number of bytes in the range.
    pub bytes: u64,
    /// Number of well-formed code points.
    pub code_points: u64,
    /// Number of errors.
    pub errors: u64,
    /// Code points by their length in bytes in this encoding; index 1 to 6.
    pub lengths: [u64; MAX_LEN + 1],
    /// Code points by plane: 0 is the Basic Multilingual Plane, 1 to 16 the others.
    pub planes: [u64; PLANES],
    /// Code points above 10FFFF, which only the 21-bit and 31-bit forms can represent.
    pub beyond: u64,
    /// Surrogate code points.
    pub surrogates: u64,
    /// Code points below U+0080.
    pub ascii: u64,
    /// Code points below U+0100, which Latin-1 can represent.
    pub latin1: u64,
    /// Line feeds without a carriage return before them.
    pub line_feeds: u64,
    /// Carriage returns without a line feed after them.
    pub carriage_returns: u64,
    /// Pairs of carriage return and line feed.
    pub crlf: u64,
    /// Code points by their length in bytes in UTF-8; index 1 to 4.
    pub utf8_lengths: [u64; 5],
    /// Whether the first item is a line feed, which would pair with a carriage return before it.
    pub begins_with_feed: bool,
    /// Whether the last item is a carriage return, which would pair with a line feed after it.
    pub ends_with_return: bool,
}

impl Stats {
    /// Creates empty statistics, the identity of [`Stats::merge`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts the items that begin in `range` of `bytes`.
    ///
    /// As with `Summary::of`, `bytes` may be a window. It must then begin at least [`Encoding::longest`] minus one
    /// bytes before the range (or at the start of the input), end as far after it (or at the end of the input), and
    /// begin a whole number of units from the input's start. A range beyond `bytes` is clipped to it.
    ///
    /// ```
    /// use utf8kit::Utf8;
    /// use utf8kit::summary::Stats;
    /// let bytes = "a€😀\r\n".as_bytes();
    /// let stats = Stats::of(Utf8, bytes, 0..bytes.len());
    /// assert_eq!((stats.code_points, stats.lengths[3], stats.planes[1], stats.crlf), (5, 1, 1, 1));
    /// assert_eq!((stats.utf16_bytes(), stats.utf32_bytes(), stats.latin1_bytes()), (12, 20, None));
    ///
    /// // Cut anywhere: inside the euro sign, and between the carriage return and the line feed.
    /// let mut parts = Stats::of(Utf8, bytes, 0..2);
    /// parts.merge(&Stats::of(Utf8, bytes, 2..9));
    /// parts.merge(&Stats::of(Utf8, bytes, 9..bytes.len()));
    /// assert_eq!(parts, stats);
    /// ```
    #[must_use]
    pub fn of<E: Encoding>(encoding: E, bytes: &[u8], range: Range<usize>) -> Self {
        let end = range.end.min(bytes.len());
        let start = range.start.min(end);
        let mut stats = Stats { bytes: (end - start) as u64, ..Stats::new() };
        let (from, to) = (ceil_in(encoding, bytes, start), ceil_in(encoding, bytes, end));
        let mut first = true;
        for item in items(encoding, &bytes[from..]).take_while(|item| from + item.offset < to) {
            let after_return = stats.ends_with_return;
            stats.ends_with_return = false;
            match item.result {
                Ok(value) => stats.value(value, item.len, after_return, first),
                Err(_) => stats.errors += 1,
            }
            first = false;
        }
        stats
    }

    #[inline]
    fn value(&mut self, value: u32, len: usize, after_return: bool, first: bool) {
        self.code_points += 1;
        self.lengths[len] += 1;
        let plane = (value >> 16) as usize;
        match self.planes.get_mut(plane) {
            Some(count) => *count += 1,
            None => self.beyond += 1,
        }
        self.surrogates += u64::from(value & 0xFFFF_F800 == 0xD800);
        self.ascii += u64::from(value < 0x80);
        self.latin1 += u64::from(value < 0x100);
        self.utf8_lengths
            [1 + usize::from(value >= 0x80) + usize::from(value >= 0x800) + usize::from(value >= 0x1_0000)] += 1;
        match value {
            0x0D => {
                self.carriage_returns += 1;
                self.ends_with_return = true;
            }
            0x0A if after_return => {
                self.carriage_returns -= 1;
                self.crlf += 1;
            }
            0x0A => {
                self.line_feeds += 1;
                self.begins_with_feed |= first;
            }
            _ => {}
        }
    }

    /// Adds the counts of the part that follows.
    pub fn merge(&mut self, next: &Stats) {
        if next.bytes == 0 {
            return;
        }
        if self.bytes == 0 {
            *self = *next;
            return;
        }
        let joined = u64::from(self.ends_with_return && next.begins_with_feed);
        self.carriage_returns = self.carriage_returns.saturating_add(next.carriage_returns).saturating_sub(joined);
        self.line_feeds = self.line_feeds.saturating_add(next.line_feeds).saturating_sub(joined);
        add(&mut self.crlf, next.crlf.saturating_add(joined));
        // A part in which no item begins has neither a first nor a last item.
        if !self.has_items() {
            self.begins_with_feed = next.begins_with_feed;
        }
        if next.has_items() {
            self.ends_with_return = next.ends_with_return;
        }
        add(&mut self.bytes, next.bytes);
        add(&mut self.code_points, next.code_points);
        add(&mut self.errors, next.errors);
        add(&mut self.beyond, next.beyond);
        add(&mut self.surrogates, next.surrogates);
        add(&mut self.ascii, next.ascii);
        add(&mut self.latin1, next.latin1);
        add_all(&mut self.lengths, &next.lengths);
        add_all(&mut self.planes, &next.planes);
        add_all(&mut self.utf8_lengths, &next.utf8_lengths);
    }

    /// Serialises the counts to bytes, for [`Stats::from_bytes`] in another process or on another machine. Takes a few
    /// bytes for each count that is not zero.
    ///
    /// ```
    /// use utf8kit::Utf8;
    /// use utf8kit::summary::Stats;
    /// let stats = Stats::of(Utf8, b"one\ntwo", 0..7);
    /// let bytes = stats.to_bytes();
    /// assert!(bytes.len() < 32);
    /// assert_eq!(Stats::from_bytes(&bytes), Ok(stats));
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut encoder = Encoder::new(TAG);
        encoder.sparse(&self.numbers());
        encoder.sparse(&self.lengths);
        encoder.sparse(&self.planes);
        encoder.sparse(&self.utf8_lengths);
        encoder.number(u64::from(self.begins_with_feed) | u64::from(self.ends_with_return) << 1);
        encoder.finish()
    }

    fn numbers(&self) -> [u64; 10] {
        [
            self.bytes, self.code_points, self.errors, self.beyond, self.surrogates, self.ascii, self.latin1,
            self.line_feeds, self.carriage_returns, self.crlf,
        ]
    }

    /// Deserialises the output of [`Stats::to_bytes`], of this version of the library or an earlier one.
    ///
    /// # Errors
    /// [`FormatError`] if the bytes are invalid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut decoder = Decoder::new(TAG, bytes)?;
        let mut numbers = [0; 10];
        decoder.sparse(&mut numbers)?;
        let [bytes, code_points, errors, beyond, surrogates, ascii, latin1, line_feeds, carriage_returns, crlf] =
            numbers;
        let mut stats = Stats { bytes, code_points, errors, beyond, surrogates, ascii, latin1, ..Stats::new() };
        (stats.line_feeds, stats.carriage_returns, stats.crlf) = (line_feeds, carriage_returns, crlf);
        decoder.sparse(&mut stats.lengths)?;
        decoder.sparse(&mut stats.planes)?;
        decoder.sparse(&mut stats.utf8_lengths)?;
        let flags = decoder.number()?;
        if flags > 3 {
            return Err(FormatError::Invalid);
        }
        (stats.begins_with_feed, stats.ends_with_return) = (flags & 1 != 0, flags & 2 != 0);
        decoder.finish()?;
        Ok(stats)
    }

    fn has_items(&self) -> bool {
        self.code_points > 0 || self.errors > 0
    }

    /// Returns the number of lines, counted by line endings of any kind.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line_feeds.saturating_add(self.carriage_returns).saturating_add(self.crlf)
    }

    /// Returns the number of code points above U+FFFF.
    #[must_use]
    pub fn supplementary(&self) -> u64 {
        self.code_points.saturating_sub(self.planes[0]).saturating_sub(self.beyond)
    }

    /// Returns the size of the code points in UTF-8, in bytes.
    #[must_use]
    pub fn utf8_bytes(&self) -> u64 {
        let sizes = self.utf8_lengths.iter().zip(0..).map(|(&count, len)| count.saturating_mul(len));
        sizes.fold(0, u64::saturating_add)
    }

    /// Returns the size of the code points in UTF-16, in bytes.
    #[must_use]
    pub fn utf16_bytes(&self) -> u64 {
        self.code_points.saturating_add(self.supplementary()).saturating_mul(2)
    }

    /// Returns the size of the code points in UTF-32, in bytes.
    #[must_use]
    pub fn utf32_bytes(&self) -> u64 {
        self.code_points.saturating_mul(4)
    }

    /// Returns the size of the code points in Latin-1, in bytes, if it can represent them all.
    #[must_use]
    pub fn latin1_bytes(&self) -> Option<u64> {
        (self.latin1 == self.code_points).then_some(self.code_points)
    }
}
