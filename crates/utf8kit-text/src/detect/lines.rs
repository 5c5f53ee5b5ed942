//! UTF-8 line by line: which lines are UTF-8, which are UTF-8 with errors, and which are something else.
//!
//! In text of another encoding a sequence of UTF-8 comes about by chance: in East Asia's encodings of two bytes one
//! character in ten is one, elsewhere hardly any. So a line counts by what its sequences weigh: a sequence of two
//! bytes 1, of three 2, of four 3. By chance a line of four or more is one in ten thousand.

use utf8kit::{Utf8, items};

use crate::alphabets::is_common;

/// What makes a line UTF-8 beyond chance.
const STRONG: u64 = 4;

/// The lines of a text that are not ASCII, sorted.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Lines of UTF-8.
    pub(super) utf8: u64,
    /// Those of them that are no chance.
    strong: u64,
    /// What the sequences of all of them weigh.
    weight: u64,
    /// Lines of UTF-8 with errors.
    pub(super) broken: u64,
    /// All others.
    pub(super) other: u64,
    /// Those of them with a sequence of UTF-8.
    pub(super) both: u64,
    /// Their text.
    pub(super) other_text: Vec<u8>,
}

/// Whether a sequence of UTF-8 tells anything: one of two bytes that hardly anybody writes does not. In Cyrillic and Greek
/// letters in East Asia's encodings, all are.
pub(super) fn is_telling(value: u32, len: usize) -> bool {
    len > 2 || len == 2 && char::from_u32(value).is_some_and(is_common)
}

impl Lines {
    pub(super) fn of(text: &[u8]) -> Lines {
        let mut lines = Lines::default();
        for line in text.split_inclusive(|&byte| byte == b'\n').filter(|line| !line.is_ascii()) {
            lines.add(line);
        }
        lines
    }

    fn add(&mut self, line: &[u8]) {
        let (mut sequences, mut weight, mut errors) = (0_u64, 0, 0);
        for item in items(Utf8, line) {
            match item.result {
                Ok(value) if is_telling(value, item.len) => {
                    sequences += 1;
                    weight += item.len as u64 - 1;
                }
                Ok(_) => {}
                Err(_) => errors += 1,
            }
        }
        if errors == 0 {
            self.utf8 += 1;
            self.strong += u64::from(weight >= STRONG);
            self.weight += weight;
        } else if weight >= STRONG.max(3 * errors) {
            self.broken += 1;
        } else {
            self.other += 1;
            self.both += u64::from(sequences > 0);
            self.other_text.extend_from_slice(line);
        }
    }

    /// Whether UTF-8 is part of the text, beyond what chance brings about. In an encoding of single bytes that is
    /// hardly anything.
    pub(super) fn has_utf8(&self, single_byte: bool) -> bool {
        let strong = self.strong + self.broken;
        let weak = self.utf8 > 0 && self.utf8 * 4 >= self.other && (single_byte || self.weight >= STRONG);
        strong > 0 && strong * 100 >= self.other || weak
    }

    /// Whether a line of UTF-8 may be part of it: what treats all lines alike may garble it.
    pub(super) fn may_have_utf8(&self, single_byte: bool) -> bool {
        let weak = self.utf8 * 10 >= self.other && (single_byte || self.weight >= STRONG);
        self.strong + self.broken > 0 || self.utf8 > 0 && weak
    }
}
