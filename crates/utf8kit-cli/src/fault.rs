//! What a conversion meets that it cannot carry over: a place (strict conversions stop there), or a tally.

use std::fmt;

use utf8kit::ErrorKind;

use crate::text::Hex;
use crate::unicode;

/// A place that cannot be carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where it begins, in bytes of the input.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Why.
    pub(crate) reason: Reason,
}

/// Why a place cannot be carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Ill-formed in an encoding of the library.
    IllFormed(ErrorKind),
    /// Ill-formed in a legacy encoding.
    Malformed,
    /// A code point that the target lacks; the kind is the library's, which legacy encodings have none of.
    Lacking(u32, Option<ErrorKind>),
}

impl Fault {
    /// The offset of the first byte behind it.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// In words: `overlong at byte 5 (C0)`.
    pub(crate) fn describe(&self, from: &dyn fmt::Display, to: &dyn fmt::Display) -> String {
        let place = format!("at byte {} ({})", self.offset, Hex(&self.bytes));
        match self.reason {
            Reason::IllFormed(kind) => format!("{} {place}: not {from}", kind.name()),
            Reason::Malformed => format!("malformed {place}: not {from}"),
            Reason::Lacking(value, kind) => {
                let kind = kind.map_or("unrepresentable", ErrorKind::name);
                format!("{kind} {place}: {to} lacks U+{value:04X} {}", unicode::name(value))
            }
        }
    }
}

/// How many places a conversion changed, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// By kind, in the order of [`ErrorKind::ALL`].
    kinds: [u64; 6],
    malformed: u64,
    lacking: u64,
    backslashes: u64,
    escapes: u64,
    lines: u64,
    doubled: u64,
}

impl Tally {
    /// One more of a kind; `None` is a backslash that was escaped so that escapes can be told from it.
    pub(crate) fn add(&mut self, kind: Option<ErrorKind>) {
        let place = ErrorKind::ALL.iter().position(|&other| Some(other) == kind);
        match place.and_then(|index| self.kinds.get_mut(index)) {
            Some(count) => *count += 1,
            None => self.backslashes += 1,
        }
    }

    /// Counts one place under another kind.
    pub(crate) fn correct(&mut self, seeming: ErrorKind, real: ErrorKind) {
        for (kind, count) in ErrorKind::ALL.iter().zip(&mut self.kinds) {
            if *kind == seeming {
                *count = count.saturating_sub(1);
            } else if *kind == real {
                *count += 1;
            }
        }
    }

    /// One more malformed span.
    pub(crate) fn add_malformed(&mut self) {
        self.malformed += 1;
    }

    /// One more character that the target lacks.
    pub(crate) fn add_lacking(&mut self) {
        self.lacking += 1;
    }

    /// One more escape that was undone.
    pub(crate) fn add_escape(&mut self) {
        self.escapes += 1;
    }

    /// One more line that was read in another encoding.
    pub(crate) fn add_line(&mut self) {
        self.lines += 1;
    }

    /// One more line that was encoded twice.
    pub(crate) fn add_doubled(&mut self) {
        self.doubled += 1;
    }

    /// Adds another tally.
    pub(crate) fn merge(&mut self, other: &Tally) {
        for (mine, theirs) in self.kinds.iter_mut().zip(other.kinds) {
            *mine += theirs;
        }
        self.malformed += other.malformed;
        self.lacking += other.lacking;
        self.backslashes += other.backslashes;
        self.escapes += other.escapes;
        self.lines += other.lines;
        self.doubled += other.doubled;
    }

    /// All places that were changed.
    pub(crate) fn total(&self) -> u64 {
        self.kinds.iter().sum::<u64>()
            + self.malformed
            + self.lacking
            + self.backslashes
            + self.escapes
            + self.lines
            + self.doubled
    }
}

impl fmt::Display for Tally {
    /// `2 overlong, 1 truncated`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds =
            ErrorKind::ALL.iter().zip(self.kinds).map(|(kind, count)| (kind.name(), kind.name(), count));
        let others = [
            ("malformed", "malformed", self.malformed),
            ("unrepresentable", "unrepresentable", self.lacking),
            ("literal backslash", "literal backslashes", self.backslashes),
            ("escape undone", "escapes undone", self.escapes),
            ("line in another encoding", "lines in another encoding", self.lines),
            ("line encoded twice", "lines encoded twice", self.doubled),
        ];
        let mut gap = "";
        for (one, many, count) in kinds.chain(others).filter(|&(.., count)| count > 0) {
            write!(f, "{gap}{count} {}", if count == 1 { one } else { many })?;
            gap = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_merge_and_read() {
        let mut tally = Tally::default();
        tally.add(Some(ErrorKind::Overlong));
        tally.add(Some(ErrorKind::Overlong));
        tally.add_lacking();
        let mut all = Tally::default();
        all.merge(&tally);
        assert_eq!((all.total(), all.to_string()), (3, "2 overlong, 1 unrepresentable".to_owned()));
    }

    #[test]
    fn places_are_named() {
        let fault = Fault { offset: 5, bytes: vec![0xC0], reason: Reason::IllFormed(ErrorKind::Overlong) };
        assert_eq!(fault.describe(&"utf-8", &"latin1"), "overlong at byte 5 (C0): not utf-8");
        let reason = Reason::Lacking(0x20AC, None);
        let fault = Fault { offset: 0, bytes: vec![0xE2, 0x82, 0xAC], reason };
        let text = "unrepresentable at byte 0 (E2 82 AC): KOI8-R lacks U+20AC EURO SIGN";
        assert_eq!(fault.describe(&"utf-8", &"KOI8-R"), text);
    }
}
