//! The rows of a `COPY` block.

use std::ops::Range;

use memchr::memrchr;

use super::copy::{CopyShape, count_rows, end_of_copy, last_row, next_row};
use super::state::{Mode, State, Step, Visit, boundary};
use super::value::{Cell, ValueKind};

impl State {
    /// Reads rows of a `COPY` block.
    pub(super) fn copy<V: Visit>(&mut self, bytes: &[u8], at: usize, last: bool, force: bool, visit: &mut V) -> Step {
        let Mode::Copy { shape, column } = self.mode else { return Step::More };
        let rest = &bytes[at..];
        let ended = end_of_copy(rest, column == 0, last);
        let (rows, next) = match ended {
            Some((rows, line)) => (&rest[..rows], Some(at + rows + line)),
            None if last => (rest, None),
            None => (&rest[..last_row(rest, shape, self.lead)], None),
        };
        if rows.is_empty() && next.is_none() {
            return if force { self.cut_row(bytes, at, visit) } else { Step::More };
        }
        if visit.uses_values() {
            self.rows(bytes, at..at + rows.len(), shape, column, visit);
        } else if let Some(current) = &mut self.current {
            let ends = count_rows(rows, shape, self.lead);
            current.row += ends.saturating_sub(u64::from(column > 0));
        }
        self.mode = match next {
            Some(_) => Mode::Start,
            None => Mode::Copy { shape, column: 0 },
        };
        Step::To(next.unwrap_or(at + rows.len()))
    }

    /// Reads a part of a row that is too long: as many whole values as there are, or a part of one.
    fn cut_row<V: Visit>(&mut self, bytes: &[u8], at: usize, visit: &mut V) -> Step {
        let Mode::Copy { shape, column } = self.mode else { return Step::More };
        let rest = &bytes[at..];
        let cut = match shape.delimiter().and_then(|delimiter| memrchr(delimiter, rest)) {
            Some(delimiter) => delimiter + 1,
            None => boundary(rest),
        };
        let after = self.rows(bytes, at..at + cut, shape, column, visit);
        // The row is counted once, at its beginning, even if values are not wanted.
        self.mode = Mode::Copy { shape, column: after.max(1) };
        Step::To(at + cut)
    }

    /// Passes on the values of rows. Returns the column after the last delimiter of the last row.
    fn rows<V: Visit>(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        shape: CopyShape,
        mut column: usize,
        visit: &mut V,
    ) -> usize {
        let mut at = range.start;
        while at < range.end {
            let line = next_row(&bytes[at..range.end], shape, self.lead);
            let (content, end) = (at..at + line.0, at + line.1);
            if column == 0
                && let Some(current) = &mut self.current
            {
                current.row += 1;
            }
            let mut start = content.start;
            loop {
                let stop = shape.field_end(&bytes[start..content.end], self.lead).map(|len| start + len);
                let value = start..stop.unwrap_or(content.end);
                if bytes.get(value.clone()) != Some(b"\\N") {
                    let cell = Some(Cell { depth: 1, column });
                    let kind = match (shape, &self.copied) {
                        (CopyShape::Text(_), _) if self.kind(column) == ValueKind::Binary => ValueKind::Binary,
                        (_, Some(charset)) => ValueKind::Charset(charset.clone()),
                        (CopyShape::Text(_), None) => self.kind(column),
                        (CopyShape::Lines, None) => ValueKind::Unknown,
                    };
                    visit.value(self.value(value, shape.style(), kind, cell));
                }
                let Some(stop) = stop else { break };
                (start, column) = (stop + 1, column + 1);
            }
            if end == range.end && line.0 == line.1 {
                return column;
            }
            (at, column) = (end, 0);
        }
        column
    }
}
