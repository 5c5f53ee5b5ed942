//! What is measured: an operation, its input, and how to compare the results. The standard library defines the expected
//! result.

use std::borrow::Cow;
use std::ops::Range;

use utf8kit::column::views::View;

use crate::language::Random;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Validate,
    ValidateLocated,
    Ascii,
    Count,
    Utf16Len,
    Repair,
    ToUtf16,
    ToUtf16Lossy,
    ToUtf32,
    ToLatin1,
    ToCesu8,
    FromUtf16,
    FromUtf32,
    FromLatin1,
    FromCesu8,
    ValidateUtf16,
    ShortValidate,
    ShortCount,
    ShortUtf16Len,
    ShortToUtf16,
    ShortFromUtf16,
    ShortToLatin1,
    ShortRepair,
    ShortToNewUtf16,
    ShortFromUtf16ToNew,
    Column,
    ColumnViews,
}

use Operation::*;

/// Shares of bytes that are overwritten, for the operations that handle errors.
const DAMAGE: &[f64] = &[0.0, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 0.5];

/// Lengths of short inputs, in bytes or UTF-16 units: names, cells, strings of JSON.
const SHORT: &[(u64, u64)] = &[(0, 16), (0, 64), (65, 200)];

/// Lengths of the values of a column: 10, 30, 100 and 1000 bytes on average.
const VALUES: &[(u64, u64)] = &[(5, 15), (15, 45), (50, 150), (500, 1500)];

/// An operation to measure, with the damage to its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) operation: Operation,
    pub(crate) damage: f64,
    /// The minimum and maximum length of short inputs and of the values of a column.
    pub(crate) lengths: Option<(u64, u64)>,
}

pub(crate) fn definitions() -> impl Iterator<Item = Definition> {
    let long = [
        Validate,
        ValidateLocated,
        Ascii,
        Count,
        Utf16Len,
        ToUtf16,
        ToUtf32,
        ToLatin1,
        ToCesu8,
        FromUtf16,
        FromUtf32,
        FromLatin1,
        FromCesu8,
        ValidateUtf16,
        Repair,
        ToUtf16Lossy,
    ];
    let short = [
        ShortValidate,
        ShortCount,
        ShortUtf16Len,
        ShortToUtf16,
        ShortFromUtf16,
        ShortToLatin1,
        ShortRepair,
        ShortToNewUtf16,
        ShortFromUtf16ToNew,
    ];
    let damaged = |operation| {
        let damages = match operation {
            Repair | ToUtf16Lossy => DAMAGE,
            ShortRepair => &[0.0, 1e-2],
            _ => &DAMAGE[..1],
        };
        damages.iter().map(move |&damage| Definition { operation, damage, lengths: None })
    };
    let lengths = |definition: Definition| {
        SHORT.iter().map(move |&lengths| Definition { lengths: Some(lengths), ..definition })
    };
    let columns = [Column, ColumnViews].into_iter().flat_map(|operation| {
        VALUES.iter().map(move |&lengths| Definition { operation, damage: 0.0, lengths: Some(lengths) })
    });
    let short = short.into_iter().flat_map(damaged).flat_map(lengths);
    long.into_iter().flat_map(damaged).chain(short).chain(columns)
}

impl Definition {
    pub(crate) fn name(self) -> String {
        let name = match self.operation {
            Validate => "validate",
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
            FromUtf16 => "UTF-16 to UTF-8",
            FromUtf32 => "UTF-32 to UTF-8",
            FromLatin1 => "Latin-1 to UTF-8",
            FromCesu8 => "CESU-8 to UTF-8",
            ValidateUtf16 => "validate UTF-16",
            ShortValidate => "validate",
            ShortCount => "count code points",
            ShortUtf16Len => "UTF-16 length",
            ShortToUtf16 => "UTF-8 to UTF-16",
            ShortFromUtf16 => "UTF-16 to UTF-8",
            ShortToLatin1 => "UTF-8 to Latin-1",
            ShortRepair => "repair",
            ShortToNewUtf16 => "UTF-8 to new UTF-16",
            ShortFromUtf16ToNew => "UTF-16 to new UTF-8",
            Column => "column",
            ColumnViews => "column of views",
        };
        if let (Column | ColumnViews, Some((shortest, longest))) = (self.operation, self.lengths) {
            return format!("{name}, values of {} bytes", (shortest + longest) / 2);
        }
        if let Some((shortest, longest)) = self.lengths {
            let unit = if matches!(self.operation, ShortFromUtf16 | ShortFromUtf16ToNew) {
                "units"
            } else {
                "bytes"
            };
            let errors =
                if self.damage > 0.0 { format!(", errors at {:e}", self.damage) } else { String::new() };
            return format!("short: {name}{errors}, {shortest} to {longest} {unit}");
        }
        match self.operation {
            Repair | ToUtf16Lossy if self.damage == 0.0 => format!("{name}, no errors"),
            Repair | ToUtf16Lossy => format!("{name}, errors at {:e}", self.damage),
            _ => name.into(),
        }
    }

    /// Creates the input from a text, or nothing if the text does not suit the operation.
    pub(crate) fn input(self, text: &str, size: usize) -> Option<Input> {
        let text = match self.operation {
            Ascii => only(text, |c| c.is_ascii())?,
            ToLatin1 | FromLatin1 | ShortToLatin1 => only(text, |c| u32::from(c) < 0x100)?,
            _ => text.into(),
        };
        let text = repeated(&text, size)?;
        let mut input = Input { size: text.len(), ..Input::default() };
        if let Some(lengths) = self.lengths {
            self.cut(text, lengths, &mut input);
            return Some(input);
        }
        match self.operation {
            FromUtf16 | ValidateUtf16 => {
                input.units = text.encode_utf16().collect();
                input.size = input.units.len() * 2;
            }
            FromUtf32 => {
                input.words = text.chars().map(u32::from).collect();
                input.size = input.words.len() * 4;
            }
            FromLatin1 => {
                input.bytes = text.chars().map(|c| c as u8).collect();
                input.size = input.bytes.len();
            }
            FromCesu8 => {
                input.bytes = utf8kit::convert(utf8kit::Utf8, utf8kit::Cesu8, text.as_bytes()).ok()?;
                input.size = input.bytes.len();
            }
            // One buffer for peers that take text and those that take bytes: with two, one would be in no cache.
            Count | Utf16Len => input.text = text,
            _ => input.bytes = text.into_bytes(),
        }
        match self.operation {
            ValidateLocated => input.bytes.push(0xFF),
            Count | Utf16Len => {}
            _ => damage(&mut input.bytes, self.damage, &mut Random(2)),
        }
        Some(input)
    }

    /// Cuts a text into short pieces, each in memory of its own.
    fn cut(self, text: String, lengths: (u64, u64), input: &mut Input) {
        match self.operation {
            ShortFromUtf16 | ShortFromUtf16ToNew => {
                let units: Vec<u16> = text.encode_utf16().collect();
                let is_inside = |at: usize| units.get(at).is_some_and(|unit| unit & 0xFC00 == 0xDC00);
                let floor = |at: usize| at - usize::from(is_inside(at));
                let pieces = pieces(units.len(), lengths, floor);
                input.short_units = pieces.into_iter().map(|range| units[range].into()).collect();
                input.size = 2 * input.short_units.iter().map(|units| units.len()).sum::<usize>();
            }
            Column | ColumnViews => {
                let mut random = Random(1);
                input.offsets.push(0);
                let mut at = 0;
                while at < text.len() {
                    let end = at + random.between(lengths.0, lengths.1) as usize;
                    at = utf8kit::ceil(text.as_bytes(), end.min(text.len()));
                    input.offsets.push(at as i32);
                }
                input.bytes = text.into_bytes();
                damage(&mut input.bytes, self.damage, &mut random);
                if self.operation == ColumnViews {
                    input.views = input.offsets.windows(2).map(|two| input.view(two[0], two[1])).collect();
                }
                input.arrow = crate::peers::arrow_layout(input);
            }
            operation => {
                let pieces = pieces(text.len(), lengths, |at| utf8kit::floor(text.as_bytes(), at));
                input.short_text = pieces.into_iter().map(|range| text[range].into()).collect();
                input.size = input.short_text.iter().map(|text| text.len()).sum();
                if !matches!(operation, ShortCount | ShortUtf16Len | ShortToNewUtf16) {
                    let all = std::mem::take(&mut input.short_text);
                    input.short = all.into_iter().map(|text| text.into_boxed_bytes()).collect();
                    let mut random = Random(2);
                    input.short.iter_mut().for_each(|bytes| damage(bytes, self.damage, &mut random));
                }
            }
        }
    }
}

/// The input of an operation. Only the fields that it needs are filled.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
    pub(crate) units: Vec<u16>,
    pub(crate) words: Vec<u32>,
    /// Short inputs, of one of these types.
    pub(crate) short: Vec<Box<[u8]>>,
    pub(crate) short_text: Vec<Box<str>>,
    pub(crate) short_units: Vec<Box<[u16]>>,
    /// Where the values of a column begin in `bytes`, and where the last one ends.
    pub(crate) offsets: Vec<i32>,
    /// The same values as views of `bytes`.
    pub(crate) views: Vec<View>,
    /// The same values as arrow-rs stores them, if it takes part.
    pub(crate) arrow: crate::peers::ArrowLayout,
    /// Size in bytes.
    pub(crate) size: usize,
}

impl Input {
    /// Returns a value as a view of Arrow: its length, then all of it, or its first four bytes and its place.
    fn view(&self, start: i32, end: i32) -> View {
        let value = &self.bytes[start as usize..end as usize];
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(end - start).to_le_bytes());
        if value.len() <= 12 {
            view[4..4 + value.len()].copy_from_slice(value);
        } else {
            view[4..8].copy_from_slice(&value[..4]);
            view[12..].copy_from_slice(&start.to_le_bytes());
        }
        view
    }

    /// Iterates over the values of the column.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets.windows(2).map(|two| &self.bytes[two[0] as usize..two[1] as usize])
    }
}

/// The output of an operation: buffers with room for any result, or what it allocated itself.
pub(crate) struct Output<'i> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) units: Vec<u16>,
    pub(crate) words: Vec<u32>,
    pub(crate) owned: Cow<'i, [u8]>,
}

impl<'i> Output<'i> {
    /// Converts each short input to the start of a buffer. Returns a digest of the results.
    pub(crate) fn short<T, U: Copy + Into<u32>>(
        all: &[Box<[T]>],
        out: &mut [U],
        mut convert: impl FnMut(&[T], &mut [U]) -> usize,
    ) -> usize {
        let mut sum = 0;
        for input in all {
            let written = convert(input, out);
            sum += Self::digest(&out[..written]);
        }
        sum
    }

    /// Returns a digest of a result.
    pub(crate) fn digest<T: Copy + Into<u32>>(all: &[T]) -> usize {
        all.len() + all.last().map_or(0, |&last| last.into() as usize)
    }

    pub(crate) fn new(input: &Input) -> Self {
        let room = 3 * input.size + 64;
        Output { bytes: vec![0; room], units: vec![0; room], words: vec![0; room], owned: Cow::default() }
    }

    pub(crate) fn own(&mut self, text: Cow<'i, str>) -> usize {
        self.owned = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        self.owned.len()
    }

    /// Returns the complete result, where `number` is what the operation returned.
    #[cfg(test)]
    pub(crate) fn answer(&self, operation: Operation, number: usize) -> Vec<u32> {
        let wide = |bytes: &[u8]| bytes.iter().copied().map(u32::from).collect();
        match operation {
            ToUtf16 | ToUtf16Lossy => self.units[..number].iter().copied().map(u32::from).collect(),
            ToUtf32 => self.words[..number].to_vec(),
            ToLatin1 | FromUtf16 | FromUtf32 | FromLatin1 => wide(&self.bytes[..number]),
            Repair | ToCesu8 | FromCesu8 => wide(&self.owned),
            _ => vec![number as u32],
        }
    }
}

/// Runs the operation, and returns its result: a number, or how much it wrote.
pub(crate) type Run = for<'i> fn(&'i Input, &mut Output<'i>) -> usize;

/// Returns the characters that suit, if they are most of the text.
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
    long.truncate(utf8kit::floor(long.as_bytes(), size));
    Some(long)
}

/// Returns ranges of all possible lengths, in an order that no branch predictor learns, split at boundaries.
fn pieces(len: usize, (shortest, longest): (u64, u64), floor: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let mut random = Random(1);
    let last = (len as u64).saturating_sub(longest + 1);
    let piece = |_| {
        let start = floor(random.between(0, last) as usize);
        let end = floor((start + random.between(shortest, longest) as usize).min(len));
        start..end.max(start)
    };
    (0..PIECES).map(piece).collect()
}

/// Number of short inputs. Of 4,096, whose order repeats with every run, the branch predictor of a Zen 5 learns enough for
/// std to count 0 to 16 bytes in 2 ns; of 16,384, each takes 10. More would not stay in the caches.
const PIECES: usize = 16_384;

fn damage(bytes: &mut [u8], share: f64, random: &mut Random) {
    let limit = (share * u64::MAX as f64) as u64;
    for byte in bytes {
        if random.next() < limit {
            *byte = random.between(0x80, 0xFF) as u8;
        }
    }
}
