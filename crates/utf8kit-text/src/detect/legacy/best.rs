//! The best guess at a legacy encoding, and what comes next to it.

use crate::charset::Legacy;
use crate::detect::confidence::Confidence;
use crate::detect::legacy::double_byte::{ENCODINGS, Readings};
use crate::detect::legacy::single_byte::SingleByte;

/// The best guess at the encoding of a text that is not UTF-8, with its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    pub(crate) legacy: Legacy,
    pub(crate) confidence: Confidence,
    /// The encodings of single bytes that read as well and give another text: a bit for each.
    pub(in crate::detect) rivals: u64,
    /// The encodings that read next best and give another text.
    pub(in crate::detect) next: [Option<Legacy>; NEXT],
    /// How it reads in the encodings of East Asia.
    pub(in crate::detect) east: Readings,
}

/// How many encodings are named beside the best one.
pub(in crate::detect) const NEXT: usize = 2;

impl Best {
    pub(in crate::detect) fn new(legacy: Legacy, confidence: Confidence) -> Best {
        Best { legacy, confidence, rivals: 0, next: [None; NEXT], east: [None; ENCODINGS.len()] }
    }

    /// Names another guess, and what comes next to that, before what comes next to this one.
    pub(in crate::detect) fn before(self, other: Best) -> Best {
        let all = [Some(other.legacy)].into_iter().chain(self.next).chain(other.next).flatten();
        let east = if self.legacy.is_single_byte() { other.east } else { self.east };
        Best { next: first_few(all.filter(|one| *one != self.legacy)), east, ..self }
    }

    /// Returns the names of the encodings that the text may be in if it is not in the one that is named, the likeliest
    /// first, and last the one that makes that doubtful.
    pub(in crate::detect) fn others_than(self, named: Legacy, rival: Option<Legacy>) -> Vec<&'static str> {
        let mut all: Vec<Legacy> = [Some(self.legacy)].into_iter().chain(self.next).flatten().collect();
        all.extend(rival.filter(|rival| !all.contains(rival)));
        all.into_iter().filter(|one| *one != named).map(Legacy::name).collect()
    }

    /// Iterates over the encodings of single bytes that read as well and give another text.
    pub(in crate::detect) fn rivals(self) -> impl Iterator<Item = (Legacy, SingleByte)> {
        (0..).zip(SingleByte::all()).filter(move |(at, _)| self.rivals >> at & 1 == 1).map(|(_, one)| one)
    }
}

/// Returns the first encodings to be named.
pub(in crate::detect) fn first_few(mut all: impl Iterator<Item = Legacy>) -> [Option<Legacy>; NEXT] {
    std::array::from_fn(|_| all.next())
}
