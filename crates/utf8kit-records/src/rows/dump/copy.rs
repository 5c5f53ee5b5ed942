//! The format of the rows of a `COPY` block, and their ends.

use memchr::{memchr, memchr_iter, memchr2, memmem, memrchr};

use super::escapes::{Lead, Style, is_pair};

/// The format of the rows of a `COPY` block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyShape {
    /// As text, with this delimiter.
    Text(u8),
    /// In another format, such as CSV. Each line counts as one value.
    Lines,
}

impl CopyShape {
    pub(super) fn delimiter(self) -> Option<u8> {
        match self {
            CopyShape::Text(delimiter) => Some(delimiter),
            CopyShape::Lines => None,
        }
    }

    pub(super) fn style(self) -> Style {
        self.delimiter().map_or(Style::Verbatim, Style::Copy)
    }

    /// Returns the length of the first field, unless it is the last. `lead` is given if a backslash may be the second
    /// byte of a character.
    pub(super) fn field_end(self, row: &[u8], lead: Option<Lead>) -> Option<usize> {
        let delimiter = self.delimiter()?;
        let mut at = 0;
        loop {
            if lead.is_none() {
                at += memchr2(delimiter, b'\\', row.get(at..)?)?;
            }
            match *row.get(at)? {
                byte if byte == delimiter => return Some(at),
                _ => at += step(row, at, lead),
            }
        }
    }

    /// Reports whether a backslash escapes the byte at `at`.
    pub(super) fn is_escaped(self, row: &[u8], at: usize, lead: Option<Lead>) -> bool {
        let before = row.get(..at).unwrap_or_default();
        if self == CopyShape::Lines || !before.ends_with(b"\\") {
            return false;
        }
        let Some(lead) = lead else {
            return before.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
        };
        // No character contains such a byte.
        let mut seen = before.iter().rposition(|&byte| byte < b'0').map_or(0, |last| last + 1);
        while seen < at {
            seen += step(&row[..at], seen, Some(lead));
        }
        seen > at
    }
}

/// Returns the length of the escape, two-byte character, or byte at `at`.
fn step(row: &[u8], at: usize, lead: Option<Lead>) -> usize {
    let is_two = row[at] == b'\\' || lead.is_some_and(|lead| is_pair(lead, &row[at..]));
    1 + usize::from(is_two)
}

/// Finds the line `\.` that ends the rows of a `COPY` block, and returns its start and length. `begins` means that the
/// bytes start a line.
pub(super) fn end_of_copy(rows: &[u8], begins: bool, last: bool) -> Option<(usize, usize)> {
    let ends = |at: usize| {
        let rest = rows.get(at..)?.strip_prefix(b"\\.")?;
        match rest {
            [b'\n', ..] => Some((at, 3)),
            [b'\r', b'\n', ..] => Some((at, 4)),
            [] if last => Some((at, 2)),
            _ => None,
        }
    };
    let first = if begins { ends(0) } else { None };
    first.or_else(|| memmem::find_iter(rows, b"\n\\.").find_map(|feed| ends(feed + 1)))
}

/// Returns the length of the whole rows, up to a line feed that ends a row and is not followed by an incomplete `\.`.
pub(super) fn last_row(rows: &[u8], shape: CopyShape, lead: Option<Lead>) -> usize {
    let mut end = rows.len();
    while let Some(feed) = memrchr(b'\n', &rows[..end]) {
        if !shape.is_escaped(rows, feed, lead) {
            return feed + 1;
        }
        end = feed;
    }
    0
}

/// Returns the length of the row at the start, without and with its line end.
pub(super) fn next_row(rows: &[u8], shape: CopyShape, lead: Option<Lead>) -> (usize, usize) {
    let mut at = 0;
    while let Some(feed) = memchr(b'\n', &rows[at..]).map(|feed| at + feed) {
        if !shape.is_escaped(rows, feed, lead) {
            let returned = feed > 0 && rows[feed - 1] == b'\r';
            return (feed - usize::from(returned), feed + 1);
        }
        at = feed + 1;
    }
    (rows.len(), rows.len())
}

/// Counts rows.
pub(super) fn count_rows(rows: &[u8], shape: CopyShape, lead: Option<Lead>) -> u64 {
    let feeds = memchr_iter(b'\n', rows).count();
    let escaped = memmem::find_iter(rows, b"\\\n").filter(|&at| shape.is_escaped(rows, at + 1, lead)).count();
    let rest = u64::from(!rows.is_empty() && !rows.ends_with(b"\n"));
    (feeds - escaped) as u64 + rest
}
