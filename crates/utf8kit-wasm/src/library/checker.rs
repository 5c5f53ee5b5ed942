//! Summarises a stream: validity, first errors, kinds, lines, where errors lie, and how often each code point occurs.

use std::collections::VecDeque;
use std::mem;

use super::report::kind_index;
use utf8kit::summary::{PlacedError, Summary, SummaryStream};
use utf8kit::{AnyEncoding, Change, Converter, Encoding as _, Policy, Utf32Le};

/// Number of code points with a counter of their own.
const CODE_POINTS: usize = 0x11_0000;

/// Number of findings that are passed on at a time.
const FINDINGS_PER_PAGE: usize = 8192;

/// A summary of a stream.
pub(crate) struct Checker {
    encoding: AnyEncoding,
    totals: Totals,
    /// Errors that have not been passed on yet.
    errors: VecDeque<PlacedError>,
    by_code_point: Option<CodePointCounts>,
}

/// The findings about the whole input.
enum Totals {
    SoFar(SummaryStream<AnyEncoding>),
    Final(Summary),
}

impl Checker {
    pub(crate) fn new(encoding: AnyEncoding, keep: usize, by_code_point: bool) -> Checker {
        Checker {
            encoding,
            totals: Totals::SoFar(SummaryStream::new(encoding, keep)),
            errors: VecDeque::new(),
            by_code_point: by_code_point.then(|| CodePointCounts::new(encoding)),
        }
    }

    pub(crate) fn push(&mut self, input: &[u8]) {
        if let Some(counts) = &mut self.by_code_point {
            counts.push(self.encoding, input);
        }
        if let Totals::SoFar(stream) = &mut self.totals {
            stream.push(input);
            self.errors.extend(stream.take_errors());
        }
    }

    pub(crate) fn finish(&mut self) {
        if let Some(counts) = &mut self.by_code_point {
            counts.finish(self.encoding);
        }
        self.totals = match mem::replace(&mut self.totals, Totals::Final(Summary::new(0))) {
            Totals::SoFar(stream) => {
                let mut total = stream.finish();
                self.errors.extend(total.first_errors.drain(..));
                Totals::Final(total)
            }
            done => done,
        };
    }

    /// Writes the numbers that [`super::findings`] documents.
    pub(crate) fn findings(&self, what: u32, first: usize, numbers: &mut Vec<f64>) {
        let total = match &self.totals {
            Totals::SoFar(stream) => stream.so_far(),
            Totals::Final(total) => total,
        };
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

    /// Writes the next page of the first errors, and removes them.
    pub(crate) fn take_errors(&mut self, numbers: &mut Vec<f64>) {
        for placed in self.errors.drain(..self.errors.len().min(FINDINGS_PER_PAGE)) {
            let (error, kind) = (placed.error, kind_index(placed.error.kind));
            let place = [placed.line, placed.column].map(|count| count as f64);
            numbers.extend([error.offset as f64, f64::from(error.len), kind, place[0], place[1]]);
        }
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
const BYTES_PER_PIECE: usize = 16 * 1024;

impl CodePointCounts {
    fn new(encoding: AnyEncoding) -> CodePointCounts {
        let converter = Converter::lossy(encoding, Utf32Le, Policy::Remove);
        CodePointCounts { counts: vec![0; CODE_POINTS], converter, wide: Vec::new() }
    }

    fn push(&mut self, encoding: AnyEncoding, input: &[u8]) {
        for piece in input.chunks(BYTES_PER_PIECE) {
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
        for (value, &count) in all.take(FINDINGS_PER_PAGE) {
            let len = encoding.encoded(value).map_or(0, |bytes| bytes.len());
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
