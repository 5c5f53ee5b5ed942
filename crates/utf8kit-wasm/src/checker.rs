//! Summarises a stream: validity, first errors, kinds, lines, where errors lie, and how often each code point occurs.

use utf8kit::{AnyEncoding, Change, Converter, Encoding as _, MAX_LEN, Policy, Summary, Utf32Le};

/// Number of bytes kept on either side of the part that is summarised, so that every item is complete: whole code
/// units.
const MARGIN: usize = MAX_LEN.next_multiple_of(4);

/// Number of code points with a counter of their own.
const VALUES: usize = 0x11_0000;

/// Number of findings that are passed on at a time.
const PAGE: usize = 8192;

/// A summary of a stream.
pub(crate) struct Checker {
    encoding: AnyEncoding,
    total: Summary,
    /// Bytes that were pushed and may still be needed.
    window: Vec<u8>,
    /// Where the part of the window begins that is not yet summarised.
    start: usize,
    /// The window's offset in the stream.
    base: u64,
    by_code_point: Option<CodePointCounts>,
}

impl Checker {
    pub(crate) fn new(encoding: AnyEncoding, keep: usize, by_code_point: bool) -> Checker {
        let by_code_point = by_code_point.then(|| CodePointCounts::new(encoding));
        Checker { encoding, total: Summary::new(keep), window: Vec::new(), start: 0, base: 0, by_code_point }
    }

    pub(crate) fn push(&mut self, input: &[u8]) {
        if let Some(counts) = &mut self.by_code_point {
            counts.push(self.encoding, input);
        }
        self.window.extend_from_slice(input);
        let end = self.window.len().saturating_sub(MARGIN) & !3;
        self.sum_up(end);
        // Only whole code units are dropped, so that the window begins with one.
        let done = self.start.saturating_sub(MARGIN) & !3;
        self.window.drain(..done);
        self.start -= done;
        self.base += done as u64;
    }

    pub(crate) fn finish(&mut self) {
        if let Some(counts) = &mut self.by_code_point {
            counts.finish(self.encoding);
        }
        self.sum_up(self.window.len());
    }

    fn sum_up(&mut self, end: usize) {
        if end > self.start {
            let capacity = self.total.keep - self.total.first_errors.len();
            let next = Summary::of(self.encoding, &self.window, self.start..end, self.base, capacity);
            self.total.merge(&next);
            self.start = end;
        }
    }

    /// Writes the numbers that [`crate::findings`] documents.
    pub(crate) fn findings(&self, what: u32, first: usize, numbers: &mut Vec<f64>) {
        let total = &self.total;
        match what {
            0 => {
                let counts = [total.bytes, total.code_points, total.errors, total.places, total.lines];
                numbers.extend(counts.map(|count| count as f64));
                numbers.extend(total.kinds().map(|(_, count)| count as f64));
                numbers.push(total.histogram.bin_width() as f64);
            }
            1 => numbers.extend(total.histogram.bins().iter().map(|&count| count as f64)),
            _ => self.by_code_point.iter().for_each(|counts| counts.findings(self.encoding, first, numbers)),
        }
    }

    /// Writes the first errors that were not taken yet, a page of them, and removes them. So errors of any number pass
    /// through bounded memory.
    pub(crate) fn take_errors(&mut self, numbers: &mut Vec<f64>) {
        let count = self.total.first_errors.len().min(PAGE);
        for placed in self.total.first_errors.drain(..count) {
            let (error, kind) = (placed.error, crate::kind_index(placed.error.kind));
            let place = [placed.line, placed.column].map(|count| count as f64);
            numbers.extend([error.offset as f64, f64::from(error.len), kind, place[0], place[1]]);
        }
        self.total.keep -= count;
    }
}

/// Counts how often each code point occurs.
struct CodePointCounts {
    counts: Vec<u64>,
    /// Converts the stream to code points.
    converter: Converter<'static, AnyEncoding, Utf32Le>,
    wide: Vec<u8>,
}

/// Number of bytes converted at a time, so that the result stays in the cache.
const PIECE: usize = 16 * 1024;

impl CodePointCounts {
    fn new(encoding: AnyEncoding) -> CodePointCounts {
        let converter = Converter::lossy(encoding, Utf32Le, Policy::Remove);
        CodePointCounts { counts: vec![0; VALUES], converter, wide: Vec::new() }
    }

    fn push(&mut self, encoding: AnyEncoding, input: &[u8]) {
        for piece in input.chunks(PIECE) {
            self.wide.clear();
            let removed = |change: Change<'_>| count_removed(&mut self.counts, encoding, change);
            // A converter with a policy does not fail.
            let _ = self.converter.push_observed(piece, &mut self.wide, removed);
            self.count();
        }
    }

    fn finish(&mut self, encoding: AnyEncoding) {
        self.wide.clear();
        let removed = |change: Change<'_>| count_removed(&mut self.counts, encoding, change);
        let _ = self.converter.finish_observed(&mut self.wide, removed);
        self.count();
    }

    fn count(&mut self) {
        for &value in self.wide.as_chunks::<4>().0 {
            if let Some(count) = self.counts.get_mut(u32::from_le_bytes(value) as usize) {
                *count += 1;
            }
        }
    }

    /// Writes the code points from `first` on, a page of them, each with its count and its length in bytes.
    fn findings(&self, encoding: AnyEncoding, first: usize, numbers: &mut Vec<f64>) {
        let all = (0..).zip(&self.counts).skip(first).filter(|(_, count)| **count > 0);
        for (value, &count) in all.take(PAGE) {
            let len = utf8kit::encode_in(encoding, value).map_or(0, |bytes| bytes.len());
            numbers.extend([f64::from(value), count as f64, len as f64]);
        }
    }
}

/// Counts what a dialect can represent and UTF-32 cannot: surrogates.
fn count_removed(counts: &mut [u64], encoding: AnyEncoding, change: Change<'_>) {
    let value = encoding.decode(change.before).and_then(|step| step.result.ok());
    if let Some(count) = value.and_then(|value| counts.get_mut(value as usize)) {
        *count += 1;
    }
}
