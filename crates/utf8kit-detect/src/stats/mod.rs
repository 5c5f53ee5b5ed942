//! Counts code points one by one. Everything that `stats` reports follows from how often each of them occurs.

use std::collections::BTreeMap;

use utf8kit::summary::{PLANES, Stats};
use utf8kit::{AnyEncoding, Change, Converter, Encoding as _, Policy, Utf32};
use utf8kit_encodings::charset::Legacy;
use utf8kit_encodings::unicode;

mod byte_pairs;
mod language;

pub use byte_pairs::{BytePairCounters, BytePairs};
pub use language::{LanguageProfile, language_of};

/// The values with a counter of their own: all of Unicode.
const CODE_POINTS: usize = 0x11_0000;

/// Number of bytes decoded at a time, so that the decoded text stays in the cache.
const BYTES_PER_PIECE: usize = 16 * 1024;

/// Counts how often each code point occurs.
#[derive(Debug, Default)]
pub struct Counter {
    counts: CodePointCounts,
    /// Alternates with `counts` while a block is counted, because incrementing the same count before the previous store
    /// completes would stall. Empty between blocks.
    other_counts: CodePointCounts,
    /// Code points above 10FFFF, by their length in bytes.
    out_of_range: [u64; 7],
    errors: u64,
    /// A decoded piece.
    wide: Vec<u8>,
    facts: Known,
}

/// How often each code point occurs.
#[derive(Debug)]
struct CodePointCounts {
    counts: Vec<u64>,
    /// The code points that occur, each once. Only their counts are visited, because most texts have few.
    found: Vec<u32>,
}

impl Default for CodePointCounts {
    fn default() -> CodePointCounts {
        CodePointCounts { counts: vec![0; CODE_POINTS], found: Vec::new() }
    }
}

impl CodePointCounts {
    fn add(&mut self, value: u32, times: u64) {
        if let Some(count) = self.counts.get_mut(value as usize) {
            if *count == 0 {
                self.found.push(value);
            }
            *count += times;
        }
    }

    fn of(&self, value: u32) -> u64 {
        self.counts.get(value as usize).copied().unwrap_or(0)
    }

    /// Iterates over the code points that occur, with their counts.
    fn all(&self) -> impl Iterator<Item = (u32, u64)> {
        self.found.iter().map(|&value| (value, self.of(value)))
    }

    fn merge(&mut self, other: &CodePointCounts) {
        other.all().for_each(|(value, count)| self.add(value, count));
    }

    fn clear(&mut self) {
        self.found.drain(..).for_each(|value| self.counts[value as usize] = 0);
    }
}

/// Cached properties of the code points so far. Many code points share properties.
#[derive(Debug)]
struct Known {
    /// The index of each code point's properties in `all`; 0 if it has not occurred yet.
    places: Vec<u32>,
    /// The first entry belongs to no code point.
    all: Vec<Facts>,
    /// The encodings of [`Facts::lengths`].
    encodings: Vec<Measured>,
}

/// Properties of a code point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Facts {
    block: &'static str,
    script: &'static str,
    /// Its length in bytes in each encoding of [`Known::encodings`]; 0 if the encoding lacks it.
    lengths: Box<[u8]>,
}

impl Counter {
    /// Counts the code points of whole items. In the result, only `crlf` is useful, once merged in order.
    pub fn count(&mut self, encoding: AnyEncoding, items: &[u8]) -> Stats {
        let returns = self.counts.of(0x0D);
        let mut converter = Converter::lossy(encoding, Utf32, Policy::Remove);
        let mut wide = std::mem::take(&mut self.wide);
        for piece in items.chunks(BYTES_PER_PIECE) {
            wide.clear();
            let _ = converter.push_observed(piece, &mut wide, |change| self.removed(encoding, change));
            self.add_all(&wide);
        }
        wide.clear();
        let _ = converter.finish_observed(&mut wide, |change| self.removed(encoding, change));
        self.add_all(&wide);
        self.wide = wide;
        self.counts.merge(&self.other_counts);
        self.other_counts.clear();
        // Without a carriage return in the block, a CR LF pair can only cross its ends.
        let ends = if self.counts.of(0x0D) > returns { items } else { encoding.truncate(items, 8) };
        Stats::of(encoding, ends, 0..ends.len())
    }

    /// Counts items that UTF-32 cannot represent: errors, surrogates and values beyond Unicode.
    fn removed(&mut self, encoding: AnyEncoding, change: Change<'_>) {
        match encoding.decode(change.before).map(|step| step.result) {
            Some(Ok(value)) if (value as usize) < CODE_POINTS => self.counts.add(value, 1),
            Some(Ok(_)) => {
                if let Some(count) = self.out_of_range.get_mut(change.before.len()) {
                    *count += 1;
                }
            }
            _ => self.errors += 1,
        }
    }

    fn add_all(&mut self, wide: &[u8]) {
        let (values, _) = wide.as_chunks::<4>();
        let (pairs, rest) = values.as_chunks::<2>();
        for &[first, second] in pairs {
            self.counts.add(u32::from_ne_bytes(first), 1);
            self.other_counts.add(u32::from_ne_bytes(second), 1);
        }
        rest.iter().for_each(|value| self.counts.add(u32::from_ne_bytes(*value), 1));
    }

    /// Resets the counts to zero. Cached properties of code points are kept.
    pub fn clear(&mut self) {
        self.counts.clear();
        (self.out_of_range, self.errors) = ([0; 7], 0);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Counter) {
        self.counts.merge(&other.counts);
        self.out_of_range.iter_mut().zip(other.out_of_range).for_each(|(mine, theirs)| *mine += theirs);
        self.errors += other.errors;
    }

    /// Computes the profile. `crlf` is the number of carriage returns that a line feed follows.
    pub fn profile(&mut self, encoding: AnyEncoding, crlf: u64) -> Profile {
        let mut profile = Profile { lengths: self.out_of_range, errors: self.errors, crlf, ..Profile::default() };
        profile.code_points = self.out_of_range.iter().sum();
        profile.line_feeds = self.counts.of(0x0A).saturating_sub(crlf);
        profile.carriage_returns = self.counts.of(0x0D).saturating_sub(crlf);
        // A text with values beyond Unicode has no size in any encoding.
        let holds_all = self.out_of_range.iter().sum::<u64>() == 0;
        let Counter { counts: code_points, facts, .. } = self;
        // Sizes in each encoding, and whether it can represent all code points.
        let mut sizes = vec![(0, holds_all); facts.encodings.len()];
        // Counts by properties, and which of them occur.
        let (mut counts, mut found) = (vec![0; facts.all.len()], Vec::new());
        for (value, count) in code_points.all() {
            profile.code_points += count;
            let len = encoding.encoded(value).map_or(0, |bytes| bytes.len());
            if let Some(length) = profile.lengths.get_mut(len) {
                *length += count;
            }
            if let Some(plane) = profile.planes.get_mut(value as usize >> 16) {
                *plane += count;
            }
            let place = facts.place(value);
            counts.resize(facts.all.len(), 0);
            if counts[place] == 0 {
                found.push(place);
            }
            counts[place] += count;
        }
        for place in found {
            let (facts, count) = (&facts.all[place], counts[place]);
            *profile.blocks.entry(facts.block).or_default() += count;
            *profile.scripts.entry(facts.script).or_default() += count;
            for ((size, holds), &len) in sizes.iter_mut().zip(&facts.lengths) {
                *size += u64::from(len) * count;
                *holds &= len > 0;
            }
        }
        let sizes = sizes.into_iter().map(|(size, holds)| holds.then_some(size));
        profile.sizes = facts.encodings.iter().map(|encoding| encoding.name()).zip(sizes).collect();
        profile
    }
}

/// An encoding for which sizes are reported.
#[derive(Clone, Copy, Debug)]
enum Measured {
    /// An encoding of the library.
    Own(AnyEncoding),
    Legacy(Legacy),
}

impl Measured {
    fn all() -> impl Iterator<Item = Measured> {
        use AnyEncoding as E;
        let own = [E::Utf8, E::Utf16Le, E::Utf32Le, E::Latin1].map(Measured::Own);
        own.into_iter().chain(Legacy::all().filter(|legacy| legacy.is_sized()).map(Measured::Legacy))
    }

    fn name(self) -> &'static str {
        match self {
            Measured::Own(encoding) => encoding.name().trim_end_matches("le"),
            Measured::Legacy(legacy) => legacy.name(),
        }
    }

    /// Returns the length of a code point in bytes; `None` if the encoding lacks it.
    fn len_of(self, value: u32) -> Option<usize> {
        match self {
            Measured::Own(encoding) => encoding.encoded(value).ok().map(|bytes| bytes.len()),
            Measured::Legacy(legacy) => legacy.len_of(char::from_u32(value)?),
        }
    }
}

impl Default for Known {
    fn default() -> Known {
        let encodings = Measured::all().collect();
        Known { places: Vec::new(), all: vec![Facts::default()], encodings }
    }
}

impl Known {
    /// Returns the index of a code point's properties.
    fn place(&mut self, value: u32) -> usize {
        if self.places.is_empty() {
            self.places = vec![0; CODE_POINTS];
        }
        let place = &mut self.places[value as usize];
        if *place == 0 {
            let facts = Facts::of(value, &self.encodings);
            let known = self.all.iter().rposition(|other| *other == facts);
            let new = known.unwrap_or_else(|| {
                self.all.push(facts);
                self.all.len() - 1
            });
            *place = new as u32;
        }
        *place as usize
    }
}

impl Facts {
    fn of(value: u32, encodings: &[Measured]) -> Facts {
        let lengths = encodings.iter().map(|encoding| encoding.len_of(value).map_or(0, |len| len as u8));
        Facts { block: unicode::block(value), script: unicode::script(value), lengths: lengths.collect() }
    }
}

/// A profile of a text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Profile {
    /// Number of code points.
    pub code_points: u64,
    /// Number of errors.
    pub errors: u64,
    /// Code points by their length in bytes; index 1 to 6.
    pub lengths: [u64; 7],
    /// Code points by plane.
    pub planes: [u64; PLANES],
    /// Code points by block.
    pub blocks: BTreeMap<&'static str, u64>,
    /// Code points by script.
    pub scripts: BTreeMap<&'static str, u64>,
    /// Its size in other encodings; `None` if an encoding lacks part of it.
    pub sizes: Vec<(&'static str, Option<u64>)>,
    /// Line feeds that do not follow a carriage return.
    pub line_feeds: u64,
    /// Carriage returns that no line feed follows.
    pub carriage_returns: u64,
    /// Carriage returns that a line feed follows.
    pub crlf: u64,
}

impl Profile {
    /// Returns the number of lines, counted by line endings of any kind.
    pub fn lines(&self) -> u64 {
        self.line_feeds + self.carriage_returns + self.crlf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(bytes: &[u8]) -> Profile {
        let mut counter = Counter::default();
        let ends = counter.count(AnyEncoding::Utf8, bytes);
        let mut all = Counter::default();
        all.merge(&counter);
        all.profile(AnyEncoding::Utf8, ends.crlf)
    }

    #[test]
    fn everything_follows_from_the_counts() {
        let profile = profile("a\u{E9}\r\n\u{20AC}\n\u{1F600}\r".as_bytes());
        assert_eq!((profile.code_points, profile.errors, profile.lines()), (8, 0, 3));
        assert_eq!((profile.line_feeds, profile.carriage_returns, profile.crlf), (1, 1, 1));
        assert_eq!(profile.lengths, [0, 5, 1, 1, 1, 0, 0]);
        assert_eq!((profile.planes[0], profile.planes[1]), (7, 1));
        assert_eq!(profile.blocks["Emoticons"], 1);
        assert_eq!(profile.scripts["Latin"], 2);
        let size = |name| profile.sizes.iter().find(|size| size.0 == name).and_then(|size| size.1);
        assert_eq!(
            (size("utf-8"), size("utf-16"), size("utf-32"), size("latin1")),
            (Some(14), Some(18), Some(32), None)
        );
        assert_eq!((size("gb18030"), size("KOI8-R")), (Some(5 + 2 + 2 + 4), None));
    }

    #[test]
    fn errors_are_counted() {
        let profile = profile(b"a\xFF\xE2\x82");
        assert_eq!((profile.code_points, profile.errors), (1, 2));
    }
}
