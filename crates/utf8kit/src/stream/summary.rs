//! The summary of a stream.

use alloc::vec::Vec;

use crate::encoding::{Encoding, MAX_LEN};
use crate::summary::Summary;

/// Summarises a stream that comes in pieces: the [`Summary`] of the whole, in memory that does not grow with it.
///
/// ```
/// use utf8kit::{Summary, SummaryStream, Utf8};
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
    /// The last bytes: those that are summarised already, so that boundaries are found, and those that are not, as what
    /// follows them may matter. Begins at a whole unit of the stream.
    window: Vec<u8>,
    /// Where in the stream the window begins.
    base: u64,
    /// Where in the window begins what is not summarised yet.
    own: usize,
}

impl<E: Encoding> SummaryStream<E> {
    /// A stream of which the first `keep` errors are kept.
    #[must_use]
    pub fn new(encoding: E, keep: usize) -> Self {
        SummaryStream { encoding, total: Summary::new(keep), window: Vec::new(), base: 0, own: 0 }
    }

    /// The summary so far. Up to the longest sequence minus one bytes, which further input may change, are not in it.
    #[must_use]
    pub fn so_far(&self) -> &Summary {
        &self.total
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        // Enough behind what is left in the window to summarise that, and to go on within the piece.
        let around = self.encoding.longest() - 1;
        let front = piece.len().min(4 * self.encoding.longest());
        self.window.extend_from_slice(&piece[..front]);
        if front < piece.len() {
            // The window's end may be summarised up to where the piece itself has enough before and behind it.
            let end = self.window.len() - around;
            let within_piece = front - around;
            self.summarise(end);
            let unit = self.encoding.unit() as u64;
            // The window goes on as the piece, from a whole unit on.
            let at = self.base + end as u64;
            let skipped = (unit - (at - within_piece as u64) % unit) % unit;
            let piece = &piece[skipped as usize..];
            let own = within_piece - skipped as usize;
            let last = piece.len() - around;
            let base = at - own as u64;
            self.total.merge(&Summary::of(self.encoding, piece, own..last, base, self.room()));
            self.keep_last(piece, last, base);
        } else if self.window.len() > around {
            let end = self.window.len() - around;
            self.summarise(end);
            let (window, base) = (core::mem::take(&mut self.window), self.base);
            self.keep_last(&window, self.own, base);
        }
    }

    /// Ends the stream.
    #[must_use]
    pub fn finish(mut self) -> Summary {
        self.summarise(self.window.len());
        self.total
    }

    /// Summarises the window up to `end`.
    fn summarise(&mut self, end: usize) {
        if end > self.own {
            let next = Summary::of(self.encoding, &self.window, self.own..end, self.base, self.room());
            self.total.merge(&next);
            self.own = end;
        }
    }

    /// How many errors are still to be kept.
    fn room(&self) -> usize {
        self.total.keep.saturating_sub(self.total.first_errors.len())
    }

    /// Keeps what of `bytes` is needed for what follows; `own` is not summarised yet.
    fn keep_last(&mut self, bytes: &[u8], own: usize, base: u64) {
        let unit = self.encoding.unit();
        let from = own.saturating_sub(MAX_LEN - 1) / unit * unit;
        self.window.clear();
        self.window.extend_from_slice(&bytes[from..]);
        (self.base, self.own) = (base + from as u64, own - from);
    }
}
