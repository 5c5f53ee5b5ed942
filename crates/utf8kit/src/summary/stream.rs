//! Summarises streams.

use alloc::vec::Vec;

use super::{PlacedError, Summary};
use crate::encoding::MAX_LEN;
use crate::operations::Encoding;

/// Summarises a stream in pieces: computes the [`Summary`] of the whole in bounded memory.
///
/// ```
/// use utf8kit::Utf8;
/// use utf8kit::summary::{Summary, SummaryStream};
/// let bytes = b"one\ntw\xFFo\nthr\xE2\x82ee";
/// let mut stream = SummaryStream::new(Utf8, 10);
/// for piece in bytes.chunks(3) {
///     stream.push(piece);
/// }
/// assert_eq!(stream.finish(), Summary::of(Utf8, bytes, 0..bytes.len(), 0, 10));
/// ```
#[derive(Clone, Debug)]
pub struct SummaryStream<E> {
    encoding: E,
    total: Summary,
    /// The last bytes: first bytes already summarised, which are needed to find boundaries, then bytes not yet
    /// summarised, because the bytes after them may matter. Begins at a whole unit of the stream.
    window: Vec<u8>,
    /// Where the window begins in the stream.
    base: u64,
    /// Where the bytes not yet summarised begin in the window.
    own: usize,
}

impl<E: Encoding> SummaryStream<E> {
    /// Starts a stream, keeping its first `keep` errors.
    #[must_use]
    pub fn new(encoding: E, keep: usize) -> Self {
        SummaryStream { encoding, total: Summary::new(keep), window: Vec::new(), base: 0, own: 0 }
    }

    /// Returns the summary so far. It excludes the last bytes, at most the longest sequence minus one, which further
    /// input may change, and the errors that [`SummaryStream::take_errors`] has returned, though these are counted.
    #[must_use]
    pub fn so_far(&self) -> &Summary {
        &self.total
    }

    /// Removes the errors kept so far, and returns them in order. They still count towards the limit. So any number of
    /// errors passes through bounded memory.
    ///
    /// ```
    /// use utf8kit::Utf8;
    /// use utf8kit::summary::SummaryStream;
    /// let mut stream = SummaryStream::new(Utf8, 2);
    /// stream.push(b"\xFF and more text");
    /// assert_eq!(stream.take_errors().len(), 1);
    /// stream.push(b", \xFF and \xFF");
    /// let rest = stream.finish();
    /// assert_eq!((rest.errors, rest.first_errors.len()), (3, 1));
    /// ```
    pub fn take_errors(&mut self) -> Vec<PlacedError> {
        let errors = core::mem::take(&mut self.total.first_errors);
        self.total.keep -= errors.len();
        errors
    }

    /// Adds the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        // Enough bytes after the window to summarise the rest of it, and to continue within the piece.
        let around = self.encoding.longest() - 1;
        let front = piece.len().min(4 * self.encoding.longest());
        self.window.extend_from_slice(&piece[..front]);
        if front < piece.len() {
            // The end of the window may be summarised up to where the piece itself has enough bytes before and after
            // it.
            let end = self.window.len() - around;
            let within_piece = front - around;
            self.summarise(end);
            let unit = self.encoding.unit() as u64;
            // The window continues in the piece, at a whole unit.
            let at = self.base + end as u64;
            let skipped = (unit - (at - within_piece as u64) % unit) % unit;
            let piece = &piece[skipped as usize..];
            let own = within_piece - skipped as usize;
            let last = piece.len() - around;
            let base = at - own as u64;
            self.total.merge(&Summary::of(self.encoding, piece, own..last, base, self.remaining()));
            self.keep_last(piece, last, base);
        } else if self.window.len() > around {
            let end = self.window.len() - around;
            self.summarise(end);
            let (window, base) = (core::mem::take(&mut self.window), self.base);
            self.keep_last(&window, self.own, base);
        }
    }

    /// Ends the stream and returns the summary.
    #[must_use]
    pub fn finish(mut self) -> Summary {
        self.summarise(self.window.len());
        self.total
    }

    /// Summarises the window up to `end`.
    fn summarise(&mut self, end: usize) {
        if end > self.own {
            let next = Summary::of(self.encoding, &self.window, self.own..end, self.base, self.remaining());
            self.total.merge(&next);
            self.own = end;
        }
    }

    /// Returns how many more errors may be kept.
    fn remaining(&self) -> usize {
        self.total.keep.saturating_sub(self.total.first_errors.len())
    }

    /// Keeps the part of `bytes` that is needed later. The bytes from `own` are not yet summarised.
    fn keep_last(&mut self, bytes: &[u8], own: usize, base: u64) {
        let unit = self.encoding.unit();
        let from = own.saturating_sub(MAX_LEN - 1) / unit * unit;
        self.window.clear();
        self.window.extend_from_slice(&bytes[from..]);
        (self.base, self.own) = (base + from as u64, own - from);
    }
}
