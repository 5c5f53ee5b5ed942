//! Counts by kind.

use std::fmt;

use serde::{Serialize, Serializer};
use utf8kit_encodings::display::kinds;

/// Counts by name, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(Vec<(&'static str, u64)>);

impl Tally {
    /// Adds to the count of a name.
    pub(crate) fn add(&mut self, name: &'static str, count: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => *all += count,
            None => self.0.push((name, count)),
        }
    }

    /// Adds the counts of another tally.
    pub(crate) fn merge(&mut self, other: &Tally) {
        other.iter().for_each(|(name, count)| self.add(name, count));
    }

    /// Returns the count of a name.
    pub(crate) fn of(&self, name: &str) -> u64 {
        self.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| count)
    }

    /// Returns the sum of all counts.
    pub(crate) fn total(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// Reports whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }
}

/// Formats the counts in words: `2 truncated sequences, 1 byte order mark`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&kinds(self.iter()))
    }
}

/// Serialises a map in the order of its entries.
impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
