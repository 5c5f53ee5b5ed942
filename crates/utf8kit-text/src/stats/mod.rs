//! Counts code points one by one. Everything that `stats` reports follows from how often each of them occurs.

use std::collections::BTreeMap;

use utf8kit::{AnyEncoding, Change, Converter, Encoding as _, PLANES, Policy, Stats, Utf32Native, encode_in};

use crate::charset::Legacy;

mod byte_pairs;
#[cfg(feature = "unicode")]
pub mod unicode;
#[cfg(not(feature = "unicode"))]
#[path = "no_unicode.rs"]
pub mod unicode;

pub use byte_pairs::{BytePairCounters, BytePairs};

/// The values with a counter of their own: all of Unicode.
const VALUES: usize = 0x11_0000;

/// Number of counters per page; only pages in use are gone through.
const PAGE: usize = 0x40;

// `pages` searches 64 of them at a time.
const _: () = assert!((VALUES / PAGE).is_multiple_of(64));

/// Number of bytes decoded at a time, so that the decoded text stays in the cache.
const PIECE: usize = 16 * 1024;

/// Counts how often each code point occurs.
#[derive(Debug)]
pub struct Counter {
    /// Two tables, used alternately: a counter that is incremented again before the first store completes would stall.
    /// The count of a value is the sum.
    counts: [Vec<u64>; 2],
    /// Which pages of `counts` are not all zero.
    used: Vec<bool>,
    /// Code points above 10FFFF, by their length in bytes.
    beyond: [u64; 7],
    errors: u64,
    /// A decoded piece.
    wide: Vec<u8>,
    facts: Known,
}

/// Cached properties of code points seen so far. Many code points share theirs.
#[derive(Debug)]
struct Known {
    /// The index of each code point's properties in `all`; 0 if it was not seen yet.
    places: Vec<u32>,
    /// The first belongs to no code point.
    all: Vec<Facts>,
    /// The encodings of [`Facts::lengths`].
    encodings: Vec<Measured>,
}

/// Properties of a code point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Facts {
    block: &'static str,
    script: &'static str,
    /// Its length in bytes in each encoding of [`Known::encodings`], 0 where it has none.
    lengths: Box<[u8]>,
}

impl Default for Counter {
    fn default() -> Counter {
        let used = vec![false; VALUES / PAGE];
        Counter {
            counts: [vec![0; VALUES], vec![0; VALUES]],
            used,
            beyond: [0; 7],
            errors: 0,
            wide: Vec::new(),
            facts: Known::default(),
        }
    }
}

/// The line endings of a block. Only its `pairs` are useful, and only when merged in order.
pub type LineEnds = Stats;

impl Counter {
    /// Counts the code points of whole items.
    pub fn count(&mut self, encoding: AnyEncoding, items: &[u8]) -> LineEnds {
        let returns = self.of(0x0D);
        let mut converter = Converter::lossy(encoding, Utf32Native, Policy::Remove);
        let mut wide = std::mem::take(&mut self.wide);
        for piece in items.chunks(PIECE) {
            wide.clear();
            let _ = converter.push_observed(piece, &mut wide, |change| self.removed(encoding, change));
            self.add_all(&wide);
        }
        wide.clear();
        let _ = converter.finish_observed(&mut wide, |change| self.removed(encoding, change));
        self.add_all(&wide);
        self.wide = wide;
        // Without a carriage return in the block, a CR LF pair can only cross its ends.
        let ends = if self.of(0x0D) > returns { items } else { utf8kit::truncate_in(encoding, items, 8) };
        Stats::of(encoding, ends, 0..ends.len())
    }

    /// Counts what UTF-32 cannot hold: errors, but also surrogates and values beyond Unicode.
    fn removed(&mut self, encoding: AnyEncoding, change: Change<'_>) {
        match encoding.decode(change.before).map(|step| step.result) {
            Some(Ok(value)) if (value as usize) < VALUES => self.add(value),
            Some(Ok(_)) => {
                if let Some(count) = self.beyond.get_mut(change.before.len()) {
                    *count += 1;
                }
            }
            _ => self.errors += 1,
        }
    }

    fn add_all(&mut self, wide: &[u8]) {
        let (values, _) = wide.as_chunks::<4>();
        let (pairs, rest) = values.as_chunks::<2>();
        let [one, two] = &mut self.counts;
        for &[first, second] in pairs {
            let (first, second) = (u32::from_ne_bytes(first) as usize, u32::from_ne_bytes(second) as usize);
            // Increment both before marking the pages; the other order takes half as long again.
            if let (Some(one), Some(two)) = (one.get_mut(first), two.get_mut(second)) {
                *one += 1;
                *two += 1;
                self.used[first / PAGE] = true;
                self.used[second / PAGE] = true;
            }
        }
        rest.iter().for_each(|value| self.add(u32::from_ne_bytes(*value)));
    }

    fn add(&mut self, value: u32) {
        let value = value as usize;
        if let (Some(count), Some(used)) = (self.counts[0].get_mut(value), self.used.get_mut(value / PAGE)) {
            *count += 1;
            *used = true;
        }
    }

    fn of(&self, value: u32) -> u64 {
        self.counts.iter().filter_map(|table| table.get(value as usize)).sum()
    }

    /// Resets the counts to zero. Cached properties of code points are kept.
    pub fn clear(&mut self) {
        for page in pages(&self.used) {
            self.counts.iter_mut().for_each(|table| table[page * PAGE..(page + 1) * PAGE].fill(0));
            self.used[page] = false;
        }
        (self.beyond, self.errors) = ([0; 7], 0);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Counter) {
        for page in pages(&other.used) {
            let values = page * PAGE..(page + 1) * PAGE;
            for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
                mine[values.clone()]
                    .iter_mut()
                    .zip(&theirs[values.clone()])
                    .for_each(|(mine, theirs)| *mine += theirs);
            }
            self.used[page] = true;
        }
        self.beyond.iter_mut().zip(other.beyond).for_each(|(mine, theirs)| *mine += theirs);
        self.errors += other.errors;
    }

    /// Computes the profile. `pairs` is the number of carriage returns that a line feed follows.
    pub fn profile(&mut self, encoding: AnyEncoding, pairs: u64) -> Profile {
        let mut profile = Profile { lengths: self.beyond, errors: self.errors, pairs, ..Profile::default() };
        profile.code_points = self.beyond.iter().sum();
        profile.line_feeds = self.of(0x0A).saturating_sub(pairs);
        profile.carriage_returns = self.of(0x0D).saturating_sub(pairs);
        // A text with values beyond Unicode has no size in any encoding.
        let holds_all = self.beyond.iter().sum::<u64>() == 0;
        let mut sizes = vec![holds_all.then_some(0); self.facts.encodings.len()];
        let Counter { counts: tables, used, facts, .. } = self;
        // Counts by properties, and which of them occur.
        let (mut counts, mut found) = (vec![0; facts.all.len()], Vec::new());
        for (value, count) in distinct(tables, used) {
            profile.code_points += count;
            let len = encode_in(encoding, value).map_or(0, |bytes| bytes.len());
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
            for (size, &len) in sizes.iter_mut().zip(&facts.lengths) {
                *size = size.filter(|_| len > 0).map(|size| size + u64::from(len) * count);
            }
        }
        profile.sizes = facts.encodings.iter().map(|encoding| encoding.name()).zip(sizes).collect();
        profile
    }
}

/// Iterates over the code points that occur, with their counts.
fn distinct([one, two]: &[Vec<u64>; 2], used: &[bool]) -> impl Iterator<Item = (u32, u64)> {
    let values = move |page: usize| {
        let values = page * PAGE..(page + 1) * PAGE;
        let counts = one[values.clone()].iter().zip(&two[values.clone()]).map(|(one, two)| one + two);
        values.zip(counts)
    };
    pages(used)
        .into_iter()
        .flat_map(values)
        .filter(|&(_, count)| count > 0)
        .map(|(value, count)| (value as u32, count))
}

/// Returns the pages in use, usually few.
fn pages(used: &[bool]) -> Vec<usize> {
    let mut pages = Vec::new();
    for (index, chunk) in used.as_chunks::<64>().0.iter().enumerate() {
        // Without a branch per flag.
        if !chunk.iter().fold(false, |any, used| any | used) {
            continue;
        }
        pages.extend((index * 64..).zip(chunk).filter(|(_, used)| **used).map(|(page, _)| page));
    }
    pages
}

/// An encoding for which sizes are reported.
#[derive(Clone, Copy, Debug)]
enum Measured {
    /// One of the library's.
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
            Measured::Own(encoding) => encode_in(encoding, value).ok().map(|bytes| bytes.len()),
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
            self.places = vec![0; VALUES];
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
    pub pairs: u64,
}

impl Profile {
    /// Returns the number of lines, counted by line endings of any kind.
    pub fn lines(&self) -> u64 {
        self.line_feeds + self.carriage_returns + self.pairs
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
        all.profile(AnyEncoding::Utf8, ends.both)
    }

    #[test]
    fn everything_follows_from_the_counts() {
        let profile = profile("a\u{E9}\r\n\u{20AC}\n\u{1F600}\r".as_bytes());
        assert_eq!((profile.code_points, profile.errors, profile.lines()), (8, 0, 3));
        assert_eq!((profile.line_feeds, profile.carriage_returns, profile.pairs), (1, 1, 1));
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
