//! Sets of the ways in which a text may have been misdecoded: encodings in which UTF-8 was decoded, and other pairs.

use crate::mojibake::encodings::MISREADINGS;

/// The most encodings that a text was in, apart from UTF-8, and the bit of the first encoding of East Asia that UTF-8
/// was read in.
pub(super) const MAX_WRITTEN_ENCODINGS: usize = 127;
const FIRST_OF_EAST_ASIAN: usize = 24;

/// Pairs of encodings: each of some that a text was in with each of some that it was read in, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    written: u128,
    read: u32,
}

impl Pairs {
    /// All pairs.
    pub(super) const ALL: Pairs = Pairs { written: u128::MAX, read: u32::MAX };

    /// Any encoding that was read in this one.
    pub(super) fn read(at: usize) -> Pairs {
        Pairs { written: u128::MAX, read: 1 << at }
    }

    /// UTF-8 that was read in this encoding of East Asia.
    pub(super) fn of_east_asian(read: usize) -> Pairs {
        Pairs { written: 1 << MAX_WRITTEN_ENCODINGS, read: 1 << (FIRST_OF_EAST_ASIAN + read) }
    }

    pub(super) fn contains_read(self, at: usize) -> bool {
        self.read >> at & 1 == 1
    }

    pub(super) fn contains_written(self, at: usize) -> bool {
        self.written >> at & 1 == 1
    }

    pub(super) fn is_empty(self) -> bool {
        self == Pairs::default()
    }

    pub(super) fn has(self, other: Pairs) -> bool {
        self.and(other) == other
    }

    /// Returns what is in both sets.
    pub(super) fn and(self, other: Pairs) -> Pairs {
        let both = Pairs { written: self.written & other.written, read: self.read & other.read };
        if both.written == 0 || both.read == 0 { Pairs::default() } else { both }
    }

    /// Returns the union of both sets.
    pub(super) fn or(self, other: Pairs) -> Pairs {
        Pairs { written: self.written | other.written, read: self.read | other.read }
    }

    /// Returns the pairs in which the text was in this encoding.
    pub(super) fn written(self, at: usize) -> Pairs {
        self.and(Pairs { written: 1 << at, read: u32::MAX })
    }
}

/// The encodings that UTF-8 may have been mistaken for, and the pairs in which another encoding was mistaken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detours {
    utf8: u32,
    pairs: Pairs,
}

impl Detours {
    /// All known encodings.
    pub(crate) const ALL: Detours = Detours { utf8: u32::MAX, pairs: Pairs::ALL };

    /// Returns the names of the encodings that UTF-8 was mistaken for, most frequent first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        MISREADINGS.into_iter().enumerate().filter(move |(at, _)| self.has(*at)).map(|(_, (name, ..))| name)
    }

    pub(super) fn of(at: usize) -> Detours {
        Detours { utf8: 1 << at, ..Detours::default() }
    }

    pub(super) fn of_pairs(pairs: Pairs) -> Detours {
        Detours { pairs, ..Detours::default() }
    }

    pub(super) fn has(self, at: usize) -> bool {
        self.utf8 >> at & 1 == 1
    }

    pub(super) fn pairs(self) -> Pairs {
        self.pairs
    }

    pub(super) fn without_pairs(self) -> Detours {
        Detours { pairs: Pairs::default(), ..self }
    }

    pub(super) fn add(&mut self, other: Detours) {
        self.utf8 |= other.utf8;
        self.pairs = self.pairs.or(other.pairs);
    }

    /// Intersects with the other set; leaves encodings, or pairs, alone if the other set has none of them.
    pub(super) fn narrow(&mut self, other: Detours) {
        if other.utf8 != 0 {
            self.utf8 &= other.utf8;
        }
        if !other.pairs.is_empty() {
            self.pairs = self.pairs.and(other.pairs);
        }
    }

    /// Returns what is in both sets.
    pub(super) fn and(self, other: Detours) -> Detours {
        Detours { utf8: self.utf8 & other.utf8, pairs: self.pairs.and(other.pairs) }
    }

    /// Reports whether any encoding or pair is known.
    pub fn is_any_known(self) -> bool {
        self != Detours::default()
    }

    /// Reports whether UTF-8 was mistaken for none of the encodings.
    pub fn is_empty(self) -> bool {
        self.utf8 == 0
    }
}
