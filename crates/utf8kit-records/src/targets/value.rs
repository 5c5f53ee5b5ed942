//! Values and their lengths: fields of CSV and TSV, strings of JSON, lines.

use std::ops::Range;

use utf8kit::{Encoding as _, Utf8};

use super::json;
use crate::rows::{RowFormat, RowSyntax};
use crate::violation::{Violation, ViolationKind};

/// A unit of the length of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    CodePoints,
    /// UTF-16 code units.
    CodeUnits,
}

impl Unit {
    fn len(self, character: char) -> usize {
        match self {
            Unit::Bytes => character.len_utf8(),
            Unit::CodePoints => 1,
            Unit::CodeUnits => character.len_utf16(),
        }
    }
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The range of its content in the row, without quotes.
    pub(super) range: Range<usize>,
    escapes: Escapes,
}

/// The escapes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escapes {
    None,
    /// This character is doubled.
    Doubled(u8),
    Json,
}

/// Returns the values of a row.
pub(super) fn of(syntax: &RowSyntax, row: &[u8]) -> impl Iterator<Item = Value> {
    let values: Vec<_> = match syntax.format() {
        RowFormat::Csv | RowFormat::Tsv => syntax
            .fields(row)
            .map(|field| {
                let (content, quote) = syntax.content(&row[field.clone()]);
                let range = field.start + content.start..field.start + content.end;
                Value { range, escapes: quote.map_or(Escapes::None, Escapes::Doubled) }
            })
            .collect(),
        RowFormat::Jsonl => {
            json::strings(row).into_iter().map(|range| Value { range, escapes: Escapes::Json }).collect()
        }
        RowFormat::Lines => vec![Value { range: 0..syntax.content_end(row), escapes: Escapes::None }],
        RowFormat::Json => lines(row).map(|range| Value { range, escapes: Escapes::Json }).collect(),
        RowFormat::Xml => lines(row).map(|range| Value { range, escapes: Escapes::None }).collect(),
    };
    values.into_iter()
}

/// Returns the lines of a row, without their ends.
fn lines(row: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    row.split_inclusive(|&byte| byte == b'\n').map(move |line| {
        let line = start..start + line.len();
        start = line.end;
        let ends = row[line.clone()].iter().rev().take_while(|byte| b"\r\n".contains(byte)).count();
        line.start..line.end - ends
    })
}

impl Value {
    /// Returns its characters, each with its range in the row; `None` for invalid bytes.
    pub(super) fn characters<'r>(
        &self,
        row: &'r [u8],
    ) -> impl Iterator<Item = (Range<usize>, Option<char>)> + use<'r, '_> {
        let mut rest = self.range.clone();
        std::iter::from_fn(move || {
            let bytes = row.get(rest.clone()).filter(|bytes| !bytes.is_empty())?;
            let (written, character) = self.next(bytes);
            let range = rest.start..rest.start + written;
            rest.start = range.end;
            Some((range, character))
        })
    }

    /// Returns the part after the last boundary within a limit.
    pub(super) fn too_long(&self, row: &[u8], most: usize, graphemes: bool, unit: Unit) -> Option<Violation> {
        let bytes = &row[self.range.clone()];
        // No character is longer than its written form.
        if bytes.len() <= most {
            return None;
        }
        let (mut size, mut at) = (0, 0);
        // The end of each character, as written and as measured, with the text.
        let (mut ends, mut text) = (Vec::new(), String::new());
        while at < bytes.len() {
            let (written, character) = self.next(&bytes[at..]);
            // Each invalid byte counts as one byte.
            size += character.map_or(written, |character| unit.len(character));
            at += written;
            if !graphemes && size > most {
                let within = ends.last().map_or(0, |&(at, _)| at);
                return Some(self.from(within, bytes));
            }
            text.push(character.unwrap_or('\u{FFFD}'));
            ends.push((at, size));
        }
        if size <= most {
            return None;
        }
        // Cuts before the first cluster that ends beyond the limit.
        let (mut characters, mut within) = (0, 0);
        for cluster in clusters(&text) {
            characters += cluster.chars().count();
            let (at, size) = ends[characters - 1];
            if size > most {
                break;
            }
            within = at;
        }
        Some(self.from(within, bytes))
    }

    fn from(&self, at: usize, bytes: &[u8]) -> Violation {
        Violation::new(self.range.start + at, bytes.len() - at, ViolationKind::TooLong)
    }

    /// Returns the length of the first character as written, and the character, or `None` if it is invalid.
    fn next(&self, bytes: &[u8]) -> (usize, Option<char>) {
        match (self.escapes, bytes) {
            (Escapes::Doubled(quote), [one, other, ..]) if *one == quote && *other == quote => {
                (2, Some(char::from(quote)))
            }
            (Escapes::Json, [b'\\', ..]) => match (json::unit(bytes), bytes.get(6..).and_then(json::unit)) {
                (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                    (12, char::from_u32(0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF)))
                }
                (Some(value), _) => (6, Some(char::from_u32(value).unwrap_or('\u{FFFD}'))),
                // A backslash before a non-ASCII character is not an escape, so that character is counted by itself.
                (None, _) => (1 + usize::from(bytes.get(1).is_some_and(u8::is_ascii)), Some('\\')),
            },
            _ => match Utf8.decode(bytes) {
                Some(step) => (step.len(), step.result.ok().and_then(char::from_u32)),
                None => (bytes.len(), None),
            },
        }
    }
}

/// Returns the grapheme clusters of a text (UAX #29).
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    unicode_segmentation::UnicodeSegmentation::graphemes(text, true)
}
