//! Counts code points one by one. Everything that `stats` reports follows from how often each of them occurs.

use std::collections::{BTreeMap, HashMap};

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

/// Number of counters per page; counters are merged by page.
const PAGE: usize = 0x400;

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
    /// Cached properties of code points seen so far.
    facts: HashMap<u32, Facts>,
}

/// Properties of a code point.
#[derive(Clone, Debug)]
struct Facts {
    block: &'static str,
    script: &'static str,
    /// Its length in bytes in each encoding of [`sized`], 0 where it has none.
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
            facts: HashMap::new(),
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
        for (page, used) in self.used.iter_mut().enumerate().filter(|(_, used)| **used) {
            self.counts.iter_mut().for_each(|table| table[page * PAGE..(page + 1) * PAGE].fill(0));
            *used = false;
        }
        (self.beyond, self.errors) = ([0; 7], 0);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Counter) {
        for (page, used) in other.used.iter().enumerate().filter(|(_, used)| **used) {
            let values = page * PAGE..(page + 1) * PAGE;
            for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
                mine[values.clone()]
                    .iter_mut()
                    .zip(&theirs[values.clone()])
                    .for_each(|(mine, theirs)| *mine += theirs);
            }
            self.used[page] = *used;
        }
        self.beyond.iter_mut().zip(other.beyond).for_each(|(mine, theirs)| *mine += theirs);
        self.errors += other.errors;
    }

    /// Iterates over the code points that occur, with their counts.
    fn distinct(&self) -> impl Iterator<Item = (u32, u64)> {
        let pages = self.used.iter().enumerate().filter(|(_, used)| **used);
        let values = pages.flat_map(|(page, _)| page * PAGE..(page + 1) * PAGE);
        values.map(|value| (value as u32, self.of(value as u32))).filter(|&(_, count)| count > 0)
    }

    /// Computes the profile. `pairs` is the number of carriage returns that a line feed follows.
    pub fn profile(&mut self, encoding: AnyEncoding, pairs: u64) -> Profile {
        let mut profile = Profile { lengths: self.beyond, errors: self.errors, pairs, ..Profile::default() };
        profile.code_points = self.beyond.iter().sum();
        profile.line_feeds = self.of(0x0A).saturating_sub(pairs);
        profile.carriage_returns = self.of(0x0D).saturating_sub(pairs);
        // A text with values beyond Unicode has no size in any encoding.
        let holds_all = self.beyond.iter().sum::<u64>() == 0;
        let mut sizes = vec![holds_all.then_some(0); sized().count()];
        let (mut blocks, mut scripts) = (Tally::default(), Tally::default());
        let mut facts = std::mem::take(&mut self.facts);
        for (value, count) in self.distinct() {
            profile.code_points += count;
            let len = encode_in(encoding, value).map_or(0, |bytes| bytes.len());
            if let Some(length) = profile.lengths.get_mut(len) {
                *length += count;
            }
            if let Some(plane) = profile.planes.get_mut(value as usize >> 16) {
                *plane += count;
            }
            let facts = facts.entry(value).or_insert_with(|| Facts::of(value));
            blocks.add(facts.block, count);
            scripts.add(facts.script, count);
            for (size, &len) in sizes.iter_mut().zip(&facts.lengths) {
                *size = size.filter(|_| len > 0).map(|size| size + u64::from(len) * count);
            }
        }
        self.facts = facts;
        profile.blocks = blocks.0.into_iter().collect();
        profile.scripts = scripts.0.into_iter().collect();
        profile.sizes = sized().map(|(name, _)| name).zip(sizes).collect();
        profile
    }
}

/// Counts a few distinct names. Usually a name is one of the last ones.
#[derive(Default)]
struct Tally(Vec<(&'static str, u64)>);

impl Tally {
    fn add(&mut self, name: &'static str, count: u64) {
        // Equal names are usually the same text in memory.
        match self.0.iter_mut().rev().find(|entry| std::ptr::eq(entry.0, name) || entry.0 == name) {
            Some(entry) => entry.1 += count,
            None => self.0.push((name, count)),
        }
    }
}

/// Returns how many bytes a code point takes; `None` if the encoding lacks it.
type Length = Box<dyn Fn(u32) -> Option<usize>>;

/// Returns the encodings for which sizes are reported.
fn sized() -> impl Iterator<Item = (&'static str, Length)> {
    use AnyEncoding as E;
    let native = [E::Utf8, E::Utf16Le, E::Utf32Le, E::Latin1].into_iter().map(|encoding| {
        let name = encoding.name().trim_end_matches("le");
        let len = move |value| encode_in(encoding, value).ok().map(|bytes| bytes.len());
        (name, Box::new(len) as Length)
    });
    let legacy = Legacy::all().filter(|legacy| legacy.is_sized()).map(|legacy| {
        let len = move |value| legacy.len_of(char::from_u32(value)?);
        (legacy.name(), Box::new(len) as Length)
    });
    native.chain(legacy)
}

impl Facts {
    fn of(value: u32) -> Facts {
        let lengths = sized().map(|(_, len)| len(value).map_or(0, |len| len as u8));
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
