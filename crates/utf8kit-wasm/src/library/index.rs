//! The index of a text, and JavaScript's queries: many of a kind at once, as 64-bit floats in `input`.

use utf8kit::index::{Indexed, LspPosition, TextIndex};
use utf8kit::{ColumnUnit, LineColumn, LineEnds};

/// A text with its index, and the text of the next edit.
pub(crate) struct IndexedText {
    text: Vec<u8>,
    index: TextIndex,
    /// The text that the next edit inserts.
    given: Vec<u8>,
}

/// Returns a unit by its number: 0 bytes, 1 UTF-16 code units, 2 code points.
fn unit(number: u32) -> ColumnUnit {
    match number {
        0 => ColumnUnit::Bytes,
        1 => ColumnUnit::Utf16,
        _ => ColumnUnit::CodePoints,
    }
}

impl IndexedText {
    /// Creates the index of an empty text. `line_ends` is 0 for line feeds, 1 for universal ones, 2 for all of Unicode.
    pub(crate) fn new(line_ends: u32) -> IndexedText {
        let line_ends = match line_ends {
            0 => LineEnds::LineFeed,
            1 => LineEnds::Universal,
            _ => LineEnds::Unicode,
        };
        IndexedText { text: Vec::new(), index: TextIndex::with_line_ends(b"", line_ends), given: Vec::new() }
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn give(&mut self, piece: &[u8]) {
        self.given.extend_from_slice(piece);
    }

    /// Replaces a range of the text, in a unit, with the given text; reports whether there is such a range.
    pub(crate) fn edit(&mut self, own: u32, start: usize, end: usize) -> bool {
        let given = std::mem::take(&mut self.given);
        let IndexedText { text, index, .. } = self;
        let Ok(at) = index.on(text) else { return false };
        let own = unit(own);
        let byte = |position| match own {
            ColumnUnit::Bytes => Some(position),
            // Not within a character.
            _ => at.offset(position, own).filter(|&byte| at.position(byte, own) == position),
        };
        let (Some(start), Some(end)) = (byte(start), byte(end)) else { return false };
        if start > end || end > text.len() {
            return false;
        }
        text.splice(start..end, given);
        index.edit(start..end, text).is_ok()
    }

    /// Answers queries of one kind; see [`super::index_ask`].
    pub(crate) fn ask(&self, what: u32, units: u32, questions: &[u8], numbers: &mut Vec<f64>) {
        let Ok(at) = self.index.on(&self.text) else { return };
        let (own, unit) = (unit(units / 4), unit(units % 4));
        let asked: Vec<usize> =
            questions.as_chunks().0.iter().map(|eight| f64::from_le_bytes(*eight) as usize).collect();
        match what {
            0 => all(numbers, at.positions(&bytes_of(&at, asked, own), unit)),
            1 => {
                let bytes = at.offsets(&asked, unit);
                let offset = |byte: Option<usize>| byte.map_or(-1.0, |byte| at.position(byte, own) as f64);
                numbers.extend(bytes.into_iter().map(offset));
            }
            2 => {
                for place in at.lsp_positions(&bytes_of(&at, asked, own), unit) {
                    numbers.extend([place.line as f64, place.character as f64]);
                }
            }
            3 => {
                let places = asked.as_chunks().0.iter().map(|&[line, character]| LspPosition::new(line, character));
                let places: Vec<LspPosition> = places.collect();
                all(numbers, at.positions(&at.lsp_offsets(&places, unit), own));
            }
            4 => {
                for place in at.line_columns(&bytes_of(&at, asked, own), unit) {
                    numbers.extend([place.line as f64, place.column as f64]);
                }
            }
            5 => {
                for &[line, column] in asked.as_chunks().0 {
                    let byte = at.offset_at(LineColumn::new(line as u64, column as u64), unit);
                    numbers.push(byte.map_or(-1.0, |byte| at.position(byte, own) as f64));
                }
            }
            6 | 7 => {
                for line in asked {
                    let line = line as u64;
                    let range = if what == 6 { at.line_content(line) } else { at.line_range(line) };
                    let offset = |byte| at.position(byte, own) as f64;
                    numbers.extend(range.map_or([-1.0; 2], |range| [offset(range.start), offset(range.end)]));
                }
            }
            8 => numbers.push(self.index.len(unit) as f64),
            _ => numbers.push(self.index.lines() as f64),
        }
    }
}

/// Converts offsets in a unit to bytes; beyond the end, the end.
fn bytes_of(at: &Indexed<'_>, offsets: Vec<usize>, own: ColumnUnit) -> Vec<usize> {
    if own == ColumnUnit::Bytes {
        return offsets;
    }
    at.offsets(&offsets, own).into_iter().map(|byte| byte.unwrap_or(usize::MAX)).collect()
}

fn all(numbers: &mut Vec<f64>, places: Vec<usize>) {
    numbers.extend(places.into_iter().map(|place| place as f64));
}
