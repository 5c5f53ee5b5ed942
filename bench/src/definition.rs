//! The measured operations, with the length of their inputs and the errors in them. The standard library defines the
//! expected results.

use std::ops::Range;

use crate::language::Random;
use crate::operation::{Column, Input, Operation, Operation::*};

/// Shares of bytes that are overwritten, for the operations that handle errors.
const DAMAGE: &[f64] = &[0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5];

/// Lengths of short inputs, in bytes or UTF-16 units: names, cells, strings of JSON.
const SHORT: &[(u64, u64)] = &[(0, 16), (0, 64), (65, 200)];

/// Lengths of the values of a column: 10, 30, 100 and 1000 bytes on average.
const VALUES: &[(u64, u64)] = &[(5, 15), (15, 45), (50, 150), (500, 1500)];

/// An operation to measure, with the damage to its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) operation: Operation,
    pub(crate) damage: f64,
    /// The minimum and maximum length of short inputs and of the values of a column; `None` for one long input.
    pub(crate) lengths: Option<(u64, u64)>,
}

/// The operations on long inputs, on short ones and on columns.
const LONG: &[Operation] = &[
    Validate, ValidateAndCount, ValidateLocated, Ascii, Count, Utf16Len, ToUtf16, ToUtf32, ToLatin1, ToCesu8,
    FromUtf16, FromUtf32, FromLatin1, FromCesu8, ValidateUtf16, RepairUtf16, Repair, ToUtf16Lossy, FromUtf16Lossy,
];
const ON_SHORT: &[Operation] =
    &[Validate, Count, Utf16Len, ToUtf16, FromUtf16, ToLatin1, Repair, ToNewUtf16, FromUtf16ToNew];
const ON_COLUMNS: &[Operation] = &[Operation::Column, ColumnViews];

pub(crate) fn definitions() -> impl Iterator<Item = Definition> {
    let one = |operation, damage, lengths| Definition { operation, damage, lengths };
    let long = LONG.iter().flat_map(move |&operation| {
        let damages = match operation {
            Repair | ToUtf16Lossy => DAMAGE,
            RepairUtf16 => &[0.0, 1e-4, 1e-2],
            FromUtf16Lossy => &[0.0, 1e-4, 1e-3, 1e-2],
            _ => &[0.0],
        };
        damages.iter().map(move |&damage| one(operation, damage, None))
    });
    let short = ON_SHORT.iter().flat_map(move |&operation| {
        let damages: &[f64] = if operation == Repair { &[0.0, 1e-2] } else { &[0.0] };
        let with_lengths = move |&damage| SHORT.iter().map(move |&lengths| one(operation, damage, Some(lengths)));
        damages.iter().flat_map(with_lengths)
    });
    let columns = ON_COLUMNS
        .iter()
        .flat_map(move |&operation| VALUES.iter().map(move |&lengths| one(operation, 0.0, Some(lengths))));
    long.chain(short).chain(columns)
}

impl Definition {
    pub(crate) fn name(self) -> String {
        let name = match self.operation {
            Validate => "validate",
            ValidateAndCount => "validate and count",
            ValidateLocated => "validate, error at the end",
            Ascii => "ASCII check",
            Count => "count code points",
            Utf16Len => "UTF-16 length",
            Repair => "repair",
            ToUtf16 => "UTF-8 to UTF-16",
            ToUtf16Lossy => "UTF-8 to UTF-16, lossy",
            ToUtf32 => "UTF-8 to UTF-32",
            ToLatin1 => "UTF-8 to Latin-1",
            ToCesu8 => "UTF-8 to CESU-8",
            ToNewUtf16 => "UTF-8 to new UTF-16",
            FromUtf16ToNew => "UTF-16 to new UTF-8",
            FromUtf16 => "UTF-16 to UTF-8",
            FromUtf16Lossy => "UTF-16 to UTF-8, lossy",
            FromUtf32 => "UTF-32 to UTF-8",
            FromLatin1 => "Latin-1 to UTF-8",
            FromCesu8 => "CESU-8 to UTF-8",
            ValidateUtf16 => "validate UTF-16",
            RepairUtf16 => "repair UTF-16",
            Operation::Column => "column",
            ColumnViews => "column of views",
        };
        let errors = if self.damage > 0.0 { format!(", errors at {:e}", self.damage) } else { String::new() };
        let Some((shortest, longest)) = self.lengths else {
            let can_have = matches!(self.operation, Repair | ToUtf16Lossy | FromUtf16Lossy | RepairUtf16);
            let none = if can_have { ", no errors" } else { "" };
            return format!("{name}{}", if errors.is_empty() { none } else { &errors });
        };
        if ON_COLUMNS.contains(&self.operation) {
            return format!("{name}, values of {} bytes", (shortest + longest) / 2);
        }
        let unit = if self.takes_units() { "units" } else { "bytes" };
        format!("short: {name}{errors}, {shortest} to {longest} {unit}")
    }

    fn takes_units(self) -> bool {
        matches!(self.operation, FromUtf16 | FromUtf16Lossy | FromUtf16ToNew | ValidateUtf16 | RepairUtf16)
    }

    /// Creates the input from a text, or nothing if the text does not suit the operation.
    pub(crate) fn input(self, text: &str, size: usize) -> Option<Input> {
        let text = match self.operation {
            Ascii => only(text, |c| c.is_ascii())?,
            ToLatin1 | FromLatin1 => only(text, |c| u32::from(c) < 0x100)?,
            _ => text.into(),
        };
        let text = repeated(&text, size)?;
        let pieces = match self.lengths {
            None => vec![text],
            Some(lengths) if ON_COLUMNS.contains(&self.operation) => {
                return Some(self.column(text, lengths));
            }
            Some(lengths) => self.pieces(&text, lengths),
        };
        Some(self.input_of_pieces(pieces))
    }

    fn input_of_pieces(self, pieces: Vec<String>) -> Input {
        let mut input = Input::default();
        let pieces = pieces.into_iter();
        let mut random = Random(2);
        match self.operation {
            _ if self.takes_units() => {
                input.units = pieces.map(|text| text.encode_utf16().collect()).collect();
                for units in &mut input.units {
                    damage(units, self.damage, &mut random, (0xD800, 0xDFFF));
                }
                input.size = input.units.iter().map(|units| size_of_val(&units[..])).sum();
                return input;
            }
            FromUtf32 => {
                input.words = pieces.map(|text| text.chars().map(u32::from).collect()).collect();
                input.size = input.words.iter().map(|words| size_of_val(&words[..])).sum();
                return input;
            }
            // Peers that take text and peers that take bytes share one buffer, because with two, one would not be
            // cached.
            Count | Utf16Len | ToNewUtf16 => {
                input.text = pieces.map(String::into_boxed_str).collect();
                input.size = input.text.iter().map(|text| text.len()).sum();
                return input;
            }
            FromLatin1 => input.bytes = pieces.map(|text| text.chars().map(|c| c as u8).collect()).collect(),
            FromCesu8 => input.bytes = pieces.map(|text| cesu8(&text).into_boxed_slice()).collect(),
            ValidateLocated => input.bytes = pieces.map(|text| (text + "\0").into_bytes().into()).collect(),
            _ => input.bytes = pieces.map(|text| text.into_bytes().into_boxed_slice()).collect(),
        }
        for bytes in &mut input.bytes {
            match (self.operation, bytes.last_mut()) {
                (ValidateLocated, Some(last)) => *last = 0xFF,
                _ => damage(bytes, self.damage, &mut random, (0x80, 0xFF)),
            }
        }
        input.size = input.bytes.iter().map(|bytes| bytes.len()).sum();
        input
    }

    /// Cuts a text into short pieces.
    fn pieces(self, text: &str, lengths: (u64, u64)) -> Vec<String> {
        if !self.takes_units() {
            let ranges = pieces(text.len(), lengths, |at| utf8kit::floor_char_boundary(text.as_bytes(), at));
            return ranges.map(|range| text[range].into()).collect();
        }
        let units: Vec<u16> = text.encode_utf16().collect();
        let is_inside = |at: usize| units.get(at).is_some_and(|unit| unit & 0xFC00 == 0xDC00);
        let ranges = pieces(units.len(), lengths, |at| at - usize::from(is_inside(at)));
        ranges.map(|range| String::from_utf16_lossy(&units[range])).collect()
    }

    /// Cuts a text into the values of a column.
    fn column(self, text: String, lengths: (u64, u64)) -> Input {
        let mut random = Random(1);
        let (mut offsets, mut at) = (vec![0], 0);
        while at < text.len() {
            let end = at + random.between(lengths.0, lengths.1) as usize;
            at = utf8kit::ceil_char_boundary(text.as_bytes(), end.min(text.len()));
            offsets.push(at as i32);
        }
        let mut data = text.into_bytes();
        damage(&mut data, self.damage, &mut random, (0x80, 0xFF));
        Input { size: data.len(), column: Column::new(data, offsets), ..Input::default() }
    }
}

/// Converts text to CESU-8.
fn cesu8(text: &str) -> Vec<u8> {
    utf8kit::convert(utf8kit::Utf8, utf8kit::Cesu8, text.as_bytes()).unwrap_or_default()
}

/// Returns the suitable characters, if they are most of the text.
fn only(text: &str, suits: impl Fn(char) -> bool) -> Option<String> {
    let kept: String = text.chars().filter(|&c| suits(c)).collect();
    (kept.len() * 2 > text.len()).then_some(kept)
}

/// Repeats a text up to about `size` bytes.
fn repeated(text: &str, size: usize) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let mut long = text.repeat(size.div_ceil(text.len()));
    long.truncate(utf8kit::floor_char_boundary(long.as_bytes(), size));
    Some(long)
}

/// Returns ranges of all possible lengths, in an order that no branch predictor learns, split at boundaries.
fn pieces(
    len: usize,
    (shortest, longest): (u64, u64),
    floor: impl Fn(usize) -> usize,
) -> impl Iterator<Item = Range<usize>> {
    let mut random = Random(1);
    let last = (len as u64).saturating_sub(longest + 1);
    let piece = move |_| {
        let start = floor(random.between(0, last) as usize);
        let end = floor((start + random.between(shortest, longest) as usize).min(len));
        start..end.max(start)
    };
    (0..PIECES).map(piece)
}

/// Number of short inputs. With 4,096, in an order that repeats with every run, the branch predictor of a Zen 5 learns
/// enough for std to count 0 to 16 bytes in 2 ns. With 16,384, each takes 10 ns. More would not stay in the caches.
const PIECES: usize = 16_384;

/// Overwrites a share of units by random ones of a range.
fn damage<U: TryFrom<u64>>(units: &mut [U], share: f64, random: &mut Random, (least, most): (u64, u64)) {
    let limit = (share * u64::MAX as f64) as u64;
    for unit in units {
        if random.next() < limit
            && let Ok(other) = random.between(least, most).try_into()
        {
            *unit = other;
        }
    }
}
