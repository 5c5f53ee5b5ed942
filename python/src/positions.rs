//! Positions in a text as Python counts them, in code points, from and to those of the library, in bytes.

/// Bytes between two marks, at least.
const CHUNK: usize = 4096;

/// Knows how many code points lie before every few kilobytes of a text, so that no position counts all of it.
pub(crate) struct Positions {
    /// Offsets of boundaries in the text, and the code points before each; none if the text is ASCII.
    marks: Vec<(usize, usize)>,
}

impl Positions {
    pub(crate) fn new(text: &str) -> Positions {
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let (mut at, mut count) = (0, 0);
            while at < text.len() {
                marks.push((at, count));
                let end = utf8kit::floor_char_boundary(text, (at + CHUNK).min(text.len()));
                count += utf8kit::count(text.get(at..end).unwrap_or_default());
                at = end;
            }
        }
        Positions { marks }
    }

    /// Returns the offset in bytes of a position in the text that this was made of; `None` beyond its end.
    pub(crate) fn to_bytes(&self, text: &str, position: usize) -> Option<usize> {
        if self.marks.is_empty() {
            return (position <= text.len()).then_some(position);
        }
        let after = self.marks.partition_point(|&(_, count)| count <= position);
        let &(at, count) = self.marks.get(after.checked_sub(1)?)?;
        Some(at + utf8kit::offset_of(text.get(at..)?, position - count)?)
    }

    /// Returns the position of an offset in bytes, which is a boundary of the text.
    pub(crate) fn of_bytes(&self, text: &str, offset: usize) -> usize {
        let after = self.marks.partition_point(|&(at, _)| at <= offset);
        match after.checked_sub(1).and_then(|before| self.marks.get(before)) {
            Some(&(at, count)) => count + utf8kit::count(text.get(at..offset).unwrap_or_default()),
            None => offset,
        }
    }
}
