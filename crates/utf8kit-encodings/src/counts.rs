//! Counts of the places that a conversion or repair changed, by reason.

use std::fmt;

use utf8kit::{Change, ErrorKind};

use crate::display::{counted, kinds};
use crate::violation::ViolationKind;

/// The number of places that a conversion or repair changed, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Indexed in the order of [`ErrorKind::ALL`].
    kinds: [u64; 6],
    malformed: u64,
    lacking: u64,
    backslashes: u64,
    escapes: u64,
    lines: u64,
    values: u64,
    mojibake: u64,
    artifacts: u64,
    transliterated: u64,
    marks: u64,
    doubtful: u64,
    kept: u64,
    /// Indexed in the order of [`ViolationKind::ALL`].
    refused: [u64; ViolationKind::ALL.len()],
}

impl Counts {
    /// Counts a change made by the library. A change without a kind is a backslash that was escaped to distinguish it
    /// from the start of an escape.
    pub fn add(&mut self, change: Change<'_>) {
        let place = ErrorKind::ALL.iter().position(|&other| Some(other) == change.kind);
        match place.and_then(|index| self.kinds.get_mut(index)) {
            Some(count) => *count += 1,
            None => self.backslashes += 1,
        }
    }

    /// Moves one counted place from one kind to another.
    pub fn correct(&mut self, seeming: ErrorKind, real: ErrorKind) {
        for (kind, count) in ErrorKind::ALL.iter().zip(&mut self.kinds) {
            if *kind == seeming {
                *count = count.saturating_sub(1);
            } else if *kind == real {
                *count += 1;
            }
        }
    }

    /// Counts a malformed span.
    pub fn add_malformed(&mut self) {
        self.malformed += 1;
    }

    /// Counts a character that the target lacks.
    pub fn add_lacking(&mut self) {
        self.lacking += 1;
    }

    /// Counts an escape that was decoded.
    pub fn add_escape(&mut self) {
        self.escapes += 1;
    }

    /// Counts a line that was decoded from the fallback encoding.
    pub fn add_line(&mut self) {
        self.lines += 1;
    }

    /// Counts a value of a dump that was decoded from the encoding of its column.
    pub fn add_value(&mut self) {
        self.values += 1;
    }

    /// Counts a line that was encoded twice.
    pub fn add_mojibake(&mut self) {
        self.mojibake += 1;
    }

    /// Counts a place of lossless damage that was undone.
    pub fn add_artifact(&mut self) {
        self.artifacts += 1;
    }

    /// Counts something that a target rejects.
    pub fn add_refused(&mut self, kind: ViolationKind) {
        let place = ViolationKind::ALL.iter().position(|&other| other == kind);
        if let Some(count) = place.and_then(|index| self.refused.get_mut(index)) {
            *count += 1;
        }
    }

    /// Counts a character that was transliterated. The [`total`](Self::total) counts losses, so it does not include
    /// these.
    pub fn add_transliterated(&mut self) {
        self.transliterated += 1;
    }

    /// Returns how many characters were transliterated.
    pub fn transliterated(&self) -> u64 {
        self.transliterated
    }

    /// Counts byte order marks that were removed from within the text. The [`total`](Self::total) does not include
    /// them.
    pub fn add_marks(&mut self, marks: u64) {
        self.marks += marks;
    }

    /// Returns how many byte order marks were removed from within the text.
    pub fn marks(&self) -> u64 {
        self.marks
    }

    /// Counts a line that may have been encoded twice and is kept. The [`total`](Self::total) does not include these.
    pub fn add_doubtful(&mut self) {
        self.doubtful += 1;
    }

    /// Counts places that a target rejects and that are kept because nothing can be written instead. The
    /// [`total`](Self::total) does not include these.
    pub fn add_kept(&mut self, places: u64) {
        self.kept += places;
    }

    /// Returns the total with a noun: `2 errors`, or `2 places` if not all of them are errors.
    ///
    /// ```
    /// use utf8kit_encodings::Counts;
    ///
    /// let mut counts = Counts::default();
    /// counts.add_malformed();
    /// assert_eq!(counts.counted_total(), "1 error");
    /// counts.add_line();
    /// assert_eq!(counts.counted_total(), "2 places");
    /// ```
    pub fn counted_total(&self) -> String {
        let errors = self.errors();
        counted(self.total(), if errors > 0 && errors == self.total() { "error" } else { "place" })
    }

    /// Returns how many of the places were errors in the input.
    pub fn errors(&self) -> u64 {
        self.kinds.iter().sum::<u64>() + self.malformed
    }

    /// Returns how many rejected places were kept.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Returns how many lines may have been encoded twice and were kept.
    pub fn doubtful(&self) -> u64 {
        self.doubtful
    }

    /// Adds the counts of `other` to these.
    pub fn merge(&mut self, other: &Counts) {
        for (mine, theirs) in self.kinds.iter_mut().zip(other.kinds) {
            *mine += theirs;
        }
        for (mine, theirs) in self.refused.iter_mut().zip(other.refused) {
            *mine += theirs;
        }
        self.malformed += other.malformed;
        self.lacking += other.lacking;
        self.backslashes += other.backslashes;
        self.escapes += other.escapes;
        self.lines += other.lines;
        self.values += other.values;
        self.mojibake += other.mojibake;
        self.artifacts += other.artifacts;
        self.transliterated += other.transliterated;
        self.marks += other.marks;
        self.doubtful += other.doubtful;
        self.kept += other.kept;
    }

    /// Returns the number of places that were changed.
    pub fn total(&self) -> u64 {
        self.errors()
            + self.refused.iter().sum::<u64>()
            + self.lacking
            + self.backslashes
            + self.escapes
            + self.lines
            + self.values
            + self.mojibake
            + self.artifacts
    }
}

impl fmt::Display for Counts {
    /// Formats the counts as `2 overlong forms, 1 truncated sequence`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = ErrorKind::ALL.iter().map(|kind| kind.name()).zip(self.kinds);
        let errors = errors.chain([("malformed", self.malformed), ("unrepresentable", self.lacking)]);
        let others = [
            ("literal backslash", "literal backslashes", self.backslashes),
            ("escape undone", "escapes undone", self.escapes),
            ("line in another encoding", "lines in another encoding", self.lines),
            ("value in another encoding", "values in another encoding", self.values),
            ("line of mojibake", "lines of mojibake", self.mojibake),
            ("artifact undone", "artifacts undone", self.artifacts),
            ("doubtful line left as it is", "doubtful lines left as they are", self.doubtful),
            ("name or damaged place left as it is", "names or damaged places left as they are", self.kept),
        ];
        let others = others.into_iter().filter(|&(.., count)| count > 0);
        let others = others.map(|(one, many, count)| format!("{count} {}", if count == 1 { one } else { many }));
        let refused = ViolationKind::ALL.iter().map(|kind| kind.name()).zip(self.refused);
        let all = std::iter::once(kinds(errors)).chain(others).chain([kinds(refused)]);
        f.write_str(&all.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_merge_and_read() {
        let mut counts = Counts::default();
        let policy = utf8kit::Policy::REPLACE;
        let mut converter = utf8kit::Converter::lossy(utf8kit::Utf8, utf8kit::Latin1, policy);
        let mut out = Vec::new();
        let _ = converter.push_observed(b"\xC0 \xC0 ", &mut out, |change| counts.add(change));
        counts.add_lacking();
        let mut all = Counts::default();
        all.merge(&counts);
        assert_eq!((all.total(), all.to_string()), (3, "2 overlong forms, 1 unencodable character".to_owned()));
    }
}
