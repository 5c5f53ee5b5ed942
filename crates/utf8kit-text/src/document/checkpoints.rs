//! Positions of a text in UTF-16 code units, code points and lines.

use std::cell::RefCell;

use utf8kit::ColumnUnit;

/// Counted between two checkpoints, in bytes.
const SPACING: usize = 4096;

/// What lies before a place of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Checkpoint {
    pub(super) byte: usize,
    pub(super) line_feeds: usize,
    utf16: usize,
    code_points: usize,
}

impl Checkpoint {
    /// Returns how much of a unit lies before the place.
    pub(super) fn count(&self, unit: ColumnUnit) -> usize {
        match unit {
            ColumnUnit::Utf16 => self.utf16,
            ColumnUnit::CodePoints => self.code_points,
            _ => self.byte,
        }
    }

    /// Counts more text.
    pub(super) fn advance(&mut self, text: &str) {
        self.byte += text.len();
        self.utf16 += utf8kit::utf16_len(text);
        self.code_points += utf8kit::count(text);
        self.line_feeds += memchr::memchr_iter(b'\n', text.as_bytes()).count();
    }
}

/// Counts of a text at every few kilobytes, as far as they were needed, so that no position counts all of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Checkpoints(RefCell<Vec<Checkpoint>>);

impl Checkpoints {
    /// Returns the last checkpoint that satisfies a condition, which no checkpoint does behind one that does not.
    pub(super) fn last(&self, text: &str, condition: impl Fn(&Checkpoint) -> bool) -> Checkpoint {
        let mut known = self.0.borrow_mut();
        let mut last = known.last().copied().unwrap_or_default();
        while condition(&last) && last.byte < text.len() {
            let end = utf8kit::floor_char_boundary(text, last.byte + SPACING);
            last.advance(text.get(last.byte..end).unwrap_or_default());
            known.push(last);
        }
        let behind = known.partition_point(condition);
        behind.checked_sub(1).and_then(|index| known.get(index)).copied().unwrap_or_default()
    }

    /// Forgets what lies behind a place.
    pub(super) fn truncate(&mut self, byte: usize) {
        let known = self.0.get_mut();
        known.truncate(known.partition_point(|checkpoint| checkpoint.byte <= byte));
    }
}
