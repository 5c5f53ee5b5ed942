//! Mergeable summaries of parts of a text: validity, first errors, counts by kind, lines, and where errors lie.
//!
//! The summaries of two adjacent byte ranges merge into the summary of both. An empty summary is the identity, and the
//! grouping of ranges does not matter (merging is associative). So threads, workers and machines get the result of one
//! sequential pass. Counts saturate at `u64::MAX`.

mod bytes;
mod stats;
mod stream;

pub use self::bytes::FormatError;
pub use self::stats::{PLANES, Stats};
pub use self::stream::SummaryStream;

use alloc::{vec, vec::Vec};
use core::ops::Range;

use self::bytes::{Decoder, Encoder, add, add_all};

use crate::boundary::ceil_in;
use crate::count::count_in;
use crate::dispatch::{self, count};
use crate::encoding::MAX_LEN;
use crate::error::{Error, ErrorKind, Unit};
use crate::grammar::{Grammar, Surrogates};
use crate::intent::{begun_before, intended_len};
use crate::kernels::count::Starts;
use crate::kernels::summary::Counted;
use crate::operations::Encoding;
use crate::position::{line_start, lines_in};
use crate::validate::errors_in;

/// Returns a well-formed prefix with its code points and lines. It is usually nearly all of the input.
fn counted_prefix<E: Encoding>(encoding: E, bytes: &[u8]) -> Counted {
    match plain_grammar(encoding) {
        Some(grammar) => dispatch::summary::counted_prefix(grammar, bytes),
        _ => Counted::default(),
    }
}

/// Returns the grammar, if each code point has one lead byte.
fn plain_grammar<E: Encoding>(encoding: E) -> Option<&'static Grammar> {
    encoding.any().grammar().filter(|grammar| matches!(grammar.surrogates, Surrogates::Plain))
}

/// Counts the code points of well-formed bytes. They are not validated again if each code point has one lead byte.
fn count_well_formed<E: Encoding>(encoding: E, bytes: &[u8]) -> usize {
    match plain_grammar(encoding) {
        Some(_) => count(bytes, Starts),
        None => count_in(encoding, bytes),
    }
}

/// The number of bins of a [`Histogram`].
pub const BINS: usize = 4096;

/// With bins of this width, even the last possible position fits.
const MAX_SHIFT: u32 = u64::BITS - BINS.trailing_zeros();

const TAG_HISTOGRAM: u8 = b'H';
const TAG_SUMMARY: u8 = b'S';

/// The distribution of positions in an input of any length, in 4,096 bins. The width of the bins is the smallest power
/// of two for which the last position fits. Widening joins neighbouring bins, so no count is lost or duplicated.
///
/// ```
/// use utf8kit::summary::Histogram;
/// let mut histogram = Histogram::new();
/// histogram.add(5);
/// histogram.add(5000);
/// assert_eq!((histogram.bin_width(), histogram.bins()[2], histogram.bins()[2500]), (2, 1, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Empty until the first position is added.
    bins: Vec<u64>,
    /// The width of a bin is `1 << shift` bytes.
    shift: u32,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Creates an empty histogram.
    #[must_use]
    pub const fn new() -> Self {
        Histogram { bins: Vec::new(), shift: 0 }
    }

    /// Counts one occurrence at `position`.
    pub fn add(&mut self, position: u64) {
        self.add_many(position, 1);
    }

    /// Counts `count` occurrences at `position`.
    ///
    /// ```
    /// use utf8kit::summary::Histogram;
    /// let mut histogram = Histogram::new();
    /// histogram.add_many(7, 3);
    /// assert_eq!(histogram.iter().collect::<Vec<_>>(), [(7, 3)]);
    /// ```
    pub fn add_many(&mut self, position: u64, count: u64) {
        if count == 0 {
            return;
        }
        if self.bins.is_empty() {
            self.bins = vec![0; BINS];
        }
        while position >> self.shift >= BINS as u64 {
            self.widen();
        }
        add(&mut self.bins[(position >> self.shift) as usize], count);
    }

    /// Iterates over the bins that are not empty: where each begins, and its count.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let bins = (0..).zip(&self.bins).filter(|&(_, &count)| count > 0);
        bins.map(|(bin, &count)| (bin << self.shift, count))
    }

    /// Returns the counts in order; empty if nothing was added.
    #[must_use]
    pub fn bins(&self) -> &[u64] {
        &self.bins
    }

    /// Returns the width of a bin in bytes.
    #[must_use]
    pub fn bin_width(&self) -> u64 {
        1 << self.shift
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        if other.bins.is_empty() {
            return;
        }
        if self.bins.is_empty() {
            *self = other.clone();
            return;
        }
        while self.shift < other.shift {
            self.widen();
        }
        let narrower = self.shift - other.shift;
        for (i, &count) in other.bins.iter().enumerate() {
            // The shift may be as wide as `usize` or wider.
            add(&mut self.bins[i.checked_shr(narrower).unwrap_or(0)], count);
        }
    }

    fn widen(&mut self) {
        for i in 0..BINS / 2 {
            self.bins[i] = self.bins[2 * i].saturating_add(self.bins[2 * i + 1]);
        }
        self.bins[BINS / 2..].fill(0);
        self.shift += 1;
    }

    /// Serialises the histogram to bytes, for [`Histogram::from_bytes`]: a few bytes for each bin that is not empty.
    ///
    /// ```
    /// use utf8kit::summary::Histogram;
    /// let mut histogram = Histogram::new();
    /// histogram.add(1 << 40);
    /// let bytes = histogram.to_bytes();
    /// assert!(bytes.len() < 10);
    /// assert_eq!(Histogram::from_bytes(&bytes), Ok(histogram));
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut encoder = Encoder::new(TAG_HISTOGRAM);
        self.write(&mut encoder);
        encoder.finish()
    }

    /// Deserialises the output of [`Histogram::to_bytes`], of this version of the library or an earlier one.
    ///
    /// # Errors
    /// [`FormatError`] if the bytes are invalid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut decoder = Decoder::new(TAG_HISTOGRAM, bytes)?;
        let histogram = Self::read(&mut decoder)?;
        decoder.finish()?;
        Ok(histogram)
    }

    fn write(&self, encoder: &mut Encoder) {
        encoder.number(self.shift.into());
        encoder.sparse(&self.bins);
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, FormatError> {
        let shift = u32::try_from(decoder.number()?).map_err(|_| FormatError::Invalid)?;
        if shift > MAX_SHIFT {
            return Err(FormatError::Invalid);
        }
        let mut bins = vec![0; BINS];
        decoder.sparse(&mut bins)?;
        if bins.iter().all(|&count| count == 0) {
            return if shift == 0 { Ok(Histogram::new()) } else { Err(FormatError::Invalid) };
        }
        Ok(Histogram { bins, shift })
    }
}

/// An error with its line and column, both from 0 and counted from the start of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PlacedError {
    /// The error; its offset is absolute.
    pub error: Error,
    /// Number of line feeds before it.
    pub line: u64,
    /// Number of items between it and the last line feed before it, or the start.
    pub column: u64,
}

impl PlacedError {
    /// Creates an error with its line and column, both from 0.
    #[must_use]
    pub const fn new(error: Error, line: u64, column: u64) -> PlacedError {
        PlacedError { error, line, column }
    }
}

/// The summary of a byte range.
///
/// ```
/// use utf8kit::Utf8;
/// use utf8kit::summary::Summary;
/// let bytes = b"one\ntw\xFFo\nthr\xE2\x82ee";
/// let whole = Summary::of(Utf8, bytes, 0..bytes.len(), 0, 10);
/// let mut parts = Summary::of(Utf8, bytes, 0..13, 0, 10); // cuts a sequence: it belongs to where it begins
/// parts.merge(&Summary::of(Utf8, bytes, 13..bytes.len(), 0, 10));
/// assert_eq!(parts, whole);
/// assert_eq!((whole.errors, whole.lines, whole.first_errors[1].line), (2, 2, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of bytes in the range.
    pub bytes: u64,
    /// Number of well-formed code points that begin in it.
    pub code_points: u64,
    /// Number of errors that begin in it.
    pub errors: u64,
    /// Number of places with errors that begin in it. Errors of one sequence, as defined by
    /// [`intended_sequence`](crate::explain::intended_sequence), are one place.
    pub places: u64,
    /// Errors by kind, in the order of [`ErrorKind::ALL`].
    kinds: [u64; ErrorKind::ALL.len()],
    /// Number of line feeds.
    pub lines: u64,
    /// Number of items after the last line feed, or since the start if there is none.
    pub column: u64,
    /// The first errors, up to `keep`.
    pub first_errors: Vec<PlacedError>,
    /// Maximum number of first errors to keep.
    pub keep: usize,
    /// Where the errors begin.
    pub histogram: Histogram,
}

impl Summary {
    /// Creates an empty summary, the identity of [`Summary::merge`].
    #[must_use]
    pub fn new(keep: usize) -> Self {
        Summary {
            bytes: 0,
            code_points: 0,
            errors: 0,
            places: 0,
            kinds: [0; ErrorKind::ALL.len()],
            lines: 0,
            column: 0,
            first_errors: Vec::new(),
            keep,
            histogram: Histogram::new(),
        }
    }

    /// Reports whether there are no errors.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.errors == 0
    }

    /// Summarises the items that begin in `range` of `bytes`.
    ///
    /// `bytes` may be a window. It must then begin at least [`MAX_LEN`] minus one bytes before the range (or at the
    /// start of the input), end as far after it (or at the end of the input), and begin a whole number of units from
    /// the input's start. `base` is the window's offset in the input. Keeps the first `keep` errors. A range beyond
    /// `bytes` is clipped to it.
    #[must_use]
    pub fn of<E: Encoding>(encoding: E, bytes: &[u8], range: Range<usize>, base: u64, keep: usize) -> Self {
        let mut summary = Summary::new(keep);
        let end = range.end.min(bytes.len());
        let start = range.start.min(end);
        summary.bytes = (end - start) as u64;
        let first = ceil_in(encoding, bytes, start);
        let last = ceil_in(encoding, bytes, end);
        if first < last {
            // The bytes after the last item may determine its error.
            let context = bytes.len().min(last + encoding.longest());
            let begun = begun_before(encoding, bytes, first);
            let base = base.saturating_add(first as u64);
            summary.fill(encoding, &bytes[first..context], last - first, base, begun);
        }
        summary
    }

    /// Adds the items that begin in the first `len` bytes. Both the start and `len` are boundaries. The first `begun`
    /// bytes may continue a sequence that began before.
    fn fill<E: Encoding>(&mut self, encoding: E, bytes: &[u8], len: usize, base: u64, begun: usize) {
        let counted = counted_prefix(encoding, &bytes[..len]);
        self.counted(encoding, &bytes[..counted.len], counted.code_points, counted.lines);
        let from = counted.len;
        let mut at = from;
        // The end of the sequence that an error was intended to be, unless another item comes first.
        let mut intended = if from == 0 { begun } else { 0 };
        let errors = errors_in(encoding, &bytes[from..]).map(|error| error.moved(from as u64));
        for error in errors.take_while(|error| error.valid_up_to() < len) {
            let span = error.range();
            self.well_formed(encoding, &bytes[at..span.start]);
            let placed = PlacedError { error: error.moved(base), line: self.lines, column: self.column };
            self.errors += 1;
            let continues = error.kind == ErrorKind::UnexpectedContinuation;
            if !continues || span.start > at || span.start >= intended {
                self.places += 1;
                intended = span.start + if continues { 1 } else { intended_len(encoding, bytes[span.start]) };
            }
            self.kinds[error.kind as usize] += 1;
            self.column += 1;
            self.histogram.add(placed.error.offset);
            if self.first_errors.len() < self.keep {
                self.first_errors.push(placed);
            }
            at = span.end;
        }
        self.well_formed(encoding, &bytes[at..len]);
    }

    /// Adds a well-formed part.
    fn well_formed<E: Encoding>(&mut self, encoding: E, run: &[u8]) {
        if !run.is_empty() {
            let code_points = count_well_formed(encoding, run);
            self.counted(encoding, run, code_points, lines_in(encoding, run));
        }
    }

    /// Adds a well-formed part with these counts.
    fn counted<E: Encoding>(&mut self, encoding: E, run: &[u8], code_points: usize, lines: usize) {
        add(&mut self.code_points, code_points as u64);
        add(&mut self.lines, lines as u64);
        if lines == 0 {
            add(&mut self.column, code_points as u64);
        } else {
            let line = line_start(encoding, run, run.len());
            self.column = count_well_formed(encoding, &run[line..]) as u64;
        }
    }

    /// Converts the place of an error in the following summary to a place counted from the start of this one.
    #[must_use]
    pub fn place(&self, next: PlacedError) -> PlacedError {
        let column = if next.line == 0 { self.column.saturating_add(next.column) } else { next.column };
        PlacedError { error: next.error, line: self.lines.saturating_add(next.line), column }
    }

    /// Adds the summary of the part that follows.
    pub fn merge(&mut self, next: &Summary) {
        let capacity = self.keep.max(next.keep).saturating_sub(self.first_errors.len());
        for &placed in next.first_errors.iter().take(capacity) {
            let placed = self.place(placed);
            self.first_errors.push(placed);
        }
        self.keep = self.keep.max(next.keep);
        add(&mut self.bytes, next.bytes);
        add(&mut self.code_points, next.code_points);
        add(&mut self.errors, next.errors);
        add(&mut self.places, next.places);
        add_all(&mut self.kinds, &next.kinds);
        self.column = if next.lines == 0 { self.column.saturating_add(next.column) } else { next.column };
        add(&mut self.lines, next.lines);
        self.histogram.merge(&next.histogram);
    }

    /// Serialises the summary to bytes, for [`Summary::from_bytes`] in another process or on another machine. Takes
    /// tens of bytes if there are no errors, and about ten for each error that is kept.
    ///
    /// ```
    /// use utf8kit::Utf8;
    /// use utf8kit::summary::Summary;
    /// let summary = Summary::of(Utf8, b"one\ntwo", 0..7, 0, 10);
    /// let bytes = summary.to_bytes();
    /// assert!(bytes.len() < 20);
    /// assert_eq!(Summary::from_bytes(&bytes), Ok(summary));
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut encoder = Encoder::new(TAG_SUMMARY);
        let counts = [self.bytes, self.code_points, self.errors, self.places, self.lines, self.column];
        counts.into_iter().chain([self.keep as u64]).for_each(|number| encoder.number(number));
        encoder.sparse(&self.kinds);
        encoder.number(self.first_errors.len() as u64);
        for placed in &self.first_errors {
            let Error { offset, len, kind, unit, incomplete, unrepresentable } = placed.error;
            let flags = u64::from(incomplete) | u64::from(unrepresentable) << 1 | (unit as u64) << 2;
            for number in [offset, len.into(), kind as u64, flags, placed.line, placed.column] {
                encoder.number(number);
            }
        }
        self.histogram.write(&mut encoder);
        encoder.finish()
    }

    /// Deserialises the output of [`Summary::to_bytes`], of this version of the library or an earlier one.
    ///
    /// # Errors
    /// [`FormatError`] if the bytes are invalid. Malicious bytes cause neither a panic nor the use of much memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut decoder = Decoder::new(TAG_SUMMARY, bytes)?;
        let mut summary = Summary::new(0);
        summary.bytes = decoder.number()?;
        summary.code_points = decoder.number()?;
        summary.errors = decoder.number()?;
        summary.places = decoder.number()?;
        summary.lines = decoder.number()?;
        summary.column = decoder.number()?;
        summary.keep = usize::try_from(decoder.number()?).unwrap_or(usize::MAX);
        decoder.sparse(&mut summary.kinds)?;
        for _ in 0..decoder.number()? {
            let offset = decoder.number()?;
            let (len, kind, flags) = (decoder.byte()?, decoder.byte()?, decoder.byte()?);
            let kind = ErrorKind::try_from(kind).map_err(|_| FormatError::Invalid)?;
            let unit = match flags >> 2 {
                0 => Unit::Byte,
                1 => Unit::Utf16,
                2 => Unit::Utf32,
                _ => return Err(FormatError::Invalid),
            };
            if len == 0 || usize::from(len) > MAX_LEN {
                return Err(FormatError::Invalid);
            }
            let (incomplete, unrepresentable) = (flags & 1 != 0, flags & 2 != 0);
            let error = Error { offset, len, kind, unit, incomplete, unrepresentable };
            let (line, column) = (decoder.number()?, decoder.number()?);
            summary.first_errors.push(PlacedError { error, line, column });
        }
        summary.histogram = Histogram::read(&mut decoder)?;
        decoder.finish()?;
        if summary.first_errors.len() > summary.keep {
            return Err(FormatError::Invalid);
        }
        Ok(summary)
    }

    /// Sets the number of errors of a kind, for summaries of something other than bytes.
    ///
    /// ```
    /// use utf8kit::ErrorKind;
    /// use utf8kit::summary::Summary;
    /// let mut summary = Summary::new(0);
    /// summary.errors = 2;
    /// summary.set_of_kind(ErrorKind::Overlong, 2);
    /// assert_eq!(summary.of_kind(ErrorKind::Overlong), 2);
    /// ```
    pub fn set_of_kind(&mut self, kind: ErrorKind, count: u64) {
        self.kinds[kind as usize] = count;
    }

    /// Returns the number of errors of each kind, in the order of [`ErrorKind::ALL`].
    ///
    /// ```
    /// use utf8kit::{ErrorKind, Utf8};
    /// use utf8kit::summary::Summary;
    /// let summary = Summary::of(Utf8, b"\xFF\xC0", 0..2, 0, 0);
    /// let found: Vec<_> = summary.kinds().filter(|&(_, count)| count > 0).collect();
    /// assert_eq!(found, [(ErrorKind::Overlong, 1), (ErrorKind::InvalidByte, 1)]);
    /// ```
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = (ErrorKind, u64)> + '_ {
        ErrorKind::ALL.iter().copied().zip(self.kinds)
    }

    /// Returns the number of errors of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: ErrorKind) -> u64 {
        self.kinds[kind as usize]
    }
}
