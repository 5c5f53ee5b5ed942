//! Code points counted one by one: everything that `stats` says follows from how often each of them occurs.

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

/// The values that have a counter of their own: all of Unicode.
const VALUES: usize = 0x11_0000;

/// Counters are merged by so many.
const PAGE: usize = 0x400;

/// How much is decoded at a time: what becomes of it stays in the cache.
const PIECE: usize = 16 * 1024;

/// How often each code point occurs.
#[derive(Debug)]
pub struct Counter {
    /// Two tables, used by turns: a counter that is wanted again before it is back in memory would make its second
    /// wait. A value's count is the sum.
    counts: [Vec<u64>; 2],
    /// Which pages of `counts` are not all zero.
    used: Vec<bool>,
    /// Code points above 10FFFF by their length in bytes.
    beyond: [u64; 7],
    errors: u64,
    /// A decoded piece.
    wide: Vec<u8>,
    /// What is known of code points that were met.
    facts: HashMap<u32, Facts>,
}

/// What holds for a code point wherever it occurs.
#[derive(Clone, Debug)]
struct Facts {
    block: &'static str,
    script: &'static str,
    /// How many bytes it takes in each of [`sized`], 0 where it is lacking.
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

/// What a block says about its line ends: only the pairs in it are of use, and only when merged in order.
pub type LineEnds = Stats;

impl Counter {
    /// Counts whole items.
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
        // Without a carriage return there is no pair but across the block's ends.
        let ends = if self.of(0x0D) > returns { items } else { utf8kit::truncate_in(encoding, items, 8) };
        Stats::of(encoding, ends, 0..ends.len())
    }

    /// Counts what UTF-32 does not hold: errors, but also surrogates and values beyond Unicode.
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
            // Both are counted before the pages are noted: otherwise half as slow again.
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

    /// Counts from zero again; what was learnt of code points is kept.
    pub fn clear(&mut self) {
        for (page, used) in self.used.iter_mut().enumerate().filter(|(_, used)| **used) {
            self.counts.iter_mut().for_each(|table| table[page * PAGE..(page + 1) * PAGE].fill(0));
            *used = false;
        }
        (self.beyond, self.errors) = ([0; 7], 0);
    }

    /// Adds what `other` counted.
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

    /// Each code point that occurs, and how often.
    fn distinct(&self) -> impl Iterator<Item = (u32, u64)> {
        let pages = self.used.iter().enumerate().filter(|(_, used)| **used);
        let values = pages.flat_map(|(page, _)| page * PAGE..(page + 1) * PAGE);
        values.map(|value| (value as u32, self.of(value as u32))).filter(|&(_, count)| count > 0)
    }

    /// What follows from the counts. `pairs` is how many carriage returns stand before a line feed.
    pub fn profile(&mut self, encoding: AnyEncoding, pairs: u64) -> Profile {
        let mut profile = Profile { lengths: self.beyond, errors: self.errors, pairs, ..Profile::default() };
        profile.code_points = self.beyond.iter().sum();
        profile.line_feeds = self.of(0x0A).saturating_sub(pairs);
        profile.carriage_returns = self.of(0x0D).saturating_sub(pairs);
        // A text with values beyond Unicode fits nowhere.
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

/// How often each of few names occurs; mostly it is one of those before.
#[derive(Default)]
struct Tally(Vec<(&'static str, u64)>);

impl Tally {
    fn add(&mut self, name: &'static str, count: u64) {
        // The same name is the same text in memory.
        match self.0.iter_mut().rev().find(|entry| std::ptr::eq(entry.0, name) || entry.0 == name) {
            Some(entry) => entry.1 += count,
            None => self.0.push((name, count)),
        }
    }
}

/// Tells how many bytes a code point takes; `None` where it is lacking.
type Length = Box<dyn Fn(u32) -> Option<usize>>;

/// The encodings that it may be worth writing a text in.
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

/// What a text is made of.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Code points.
    pub code_points: u64,
    /// Errors.
    pub errors: u64,
    /// Code points by the bytes they take; index 1 to 6.
    pub lengths: [u64; 7],
    /// Code points by plane.
    pub planes: [u64; PLANES],
    /// Code points by block.
    pub blocks: BTreeMap<&'static str, u64>,
    /// Code points by script.
    pub scripts: BTreeMap<&'static str, u64>,
    /// Its size in other encodings; `None` where one lacks part of it.
    pub sizes: Vec<(&'static str, Option<u64>)>,
    /// Line feeds alone.
    pub line_feeds: u64,
    /// Carriage returns alone.
    pub carriage_returns: u64,
    /// Carriage returns with a line feed behind them.
    pub pairs: u64,
}

impl Profile {
    /// Lines: line ends of any kind.
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
