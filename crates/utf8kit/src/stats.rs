//! What a text is made of: counts by length class and plane, line ends, and its size in other encodings. Counts by
//! block and script need Unicode's tables, which do not weigh on this crate: the command `utf8 stats` has them.

use crate::decode::items;
use crate::encoding::Encoding;

/// Planes of Unicode.
pub const PLANES: usize = 17;

/// Counts that merge: see [`Stats::of`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stats {
    /// Bytes.
    pub bytes: u64,
    /// Well-formed code points.
    pub code_points: u64,
    /// Errors.
    pub errors: u64,
    /// Code points by the bytes they take in this encoding; index 1 to 6.
    pub lengths: [u64; 7],
    /// Code points by plane: 0 the Basic Multilingual Plane, 1 to 16 the others.
    pub planes: [u64; PLANES],
    /// Code points above 10FFFF, which only the 21-bit and 31-bit forms hold.
    pub beyond: u64,
    /// Surrogate code points.
    pub surrogates: u64,
    /// Code points below U+0080.
    pub ascii: u64,
    /// Code points below U+0100: what Latin-1 can hold.
    pub latin1: u64,
    /// Line feeds alone.
    pub line_feeds: u64,
    /// Carriage returns alone.
    pub carriage_returns: u64,
    /// Carriage return and line feed together.
    pub both: u64,
    /// Code points by the bytes they take in UTF-8; index 1 to 4.
    utf8: [u64; 5],
    /// The stretch begins with a line feed (one before it may belong to it).
    begins_with_feed: bool,
    /// The stretch ends with a carriage return.
    ends_with_return: bool,
}

impl Stats {
    /// The identity.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a stretch that begins and ends at boundaries.
    ///
    /// ```
    /// use utf8kit::{Stats, Utf8};
    /// let stats = Stats::of(Utf8, "a€😀\r\n".as_bytes());
    /// assert_eq!((stats.code_points, stats.lengths[3], stats.planes[1], stats.both), (5, 1, 1, 1));
    /// assert_eq!((stats.utf16_bytes(), stats.utf32_bytes(), stats.latin1_bytes()), (12, 20, None));
    /// ```
    #[must_use]
    pub fn of<E: Encoding>(encoding: E, bytes: &[u8]) -> Self {
        let mut stats = Stats { bytes: bytes.len() as u64, ..Stats::new() };
        let mut first = true;
        for item in items(encoding, bytes) {
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
        self.utf8[1
            + usize::from(value >= 0x80)
            + usize::from(value >= 0x800)
            + usize::from(value >= 0x1_0000)] += 1;
        match value {
            0x0D => {
                self.carriage_returns += 1;
                self.ends_with_return = true;
            }
            0x0A if after_return => {
                self.carriage_returns -= 1;
                self.both += 1;
            }
            0x0A => {
                self.line_feeds += 1;
                self.begins_with_feed |= first;
            }
            _ => {}
        }
    }

    /// Appends the counts of the stretch that follows.
    pub fn merge(&mut self, next: &Stats) {
        if next.bytes == 0 {
            return;
        }
        if self.bytes == 0 {
            *self = *next;
            return;
        }
        let joined = u64::from(self.ends_with_return && next.begins_with_feed);
        self.carriage_returns = self.carriage_returns + next.carriage_returns - joined;
        self.line_feeds = self.line_feeds + next.line_feeds - joined;
        self.both += next.both + joined;
        self.ends_with_return = next.ends_with_return;
        self.bytes += next.bytes;
        self.code_points += next.code_points;
        self.errors += next.errors;
        self.beyond += next.beyond;
        self.surrogates += next.surrogates;
        self.ascii += next.ascii;
        self.latin1 += next.latin1;
        let add = |mine: &mut [u64], theirs: &[u64]| {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a += b;
            }
        };
        add(&mut self.lengths, &next.lengths);
        add(&mut self.planes, &next.planes);
        add(&mut self.utf8, &next.utf8);
    }

    /// Lines: line ends of any kind.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line_feeds + self.carriage_returns + self.both
    }

    /// Code points above U+FFFF.
    #[must_use]
    pub fn supplementary(&self) -> u64 {
        self.code_points - self.planes[0] - self.beyond
    }

    /// The size of the code points in UTF-8.
    #[must_use]
    pub fn utf8_bytes(&self) -> u64 {
        self.utf8.iter().zip(0..).map(|(count, len)| count * len).sum()
    }

    /// The size of the code points in UTF-16.
    #[must_use]
    pub fn utf16_bytes(&self) -> u64 {
        2 * (self.code_points + self.supplementary())
    }

    /// The size of the code points in UTF-32.
    #[must_use]
    pub fn utf32_bytes(&self) -> u64 {
        4 * self.code_points
    }

    /// The size of the code points in Latin-1, if it holds them all.
    #[must_use]
    pub fn latin1_bytes(&self) -> Option<u64> {
        (self.latin1 == self.code_points).then_some(self.code_points)
    }
}
