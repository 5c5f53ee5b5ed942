//! What is measured: an operation, its input, and how to compare what came out. The answer is the standard library's.

use std::borrow::Cow;

use crate::language::Random;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Validate,
    ValidateLocated,
    ValidateShort,
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
}

use Operation::*;

/// Shares of the bytes that are overwritten, for the operations that deal with errors.
const DAMAGE: &[f64] = &[0.0, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 0.5];

/// An operation as it is measured, with the damage done to its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) operation: Operation,
    pub(crate) damage: f64,
}

pub(crate) fn definitions() -> impl Iterator<Item = Definition> {
    [
        Validate,
        ValidateLocated,
        ValidateShort,
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
    ]
    .into_iter()
    .flat_map(|operation| {
        let damages = if matches!(operation, Repair | ToUtf16Lossy) { DAMAGE } else { &DAMAGE[..1] };
        damages.iter().map(move |&damage| Definition { operation, damage })
    })
}

impl Definition {
    pub(crate) fn name(self) -> String {
        let name = match self.operation {
            Validate => "validate",
            ValidateLocated => "validate, error at the end",
            ValidateShort => "validate, 0 to 64 bytes",
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
        };
        match self.operation {
            Repair | ToUtf16Lossy if self.damage == 0.0 => format!("{name}, no errors"),
            Repair | ToUtf16Lossy => format!("{name}, errors at {:e}", self.damage),
            _ => name.into(),
        }
    }

    /// The input made of a text, or nothing where the text does not suit the operation.
    pub(crate) fn input(self, text: &str, size: usize) -> Option<Input> {
        let text = match self.operation {
            Ascii => only(text, |c| c.is_ascii())?,
            ToLatin1 | FromLatin1 => only(text, |c| u32::from(c) < 0x100)?,
            _ => text.into(),
        };
        let text = repeated(&text, size)?;
        let mut input = Input { size: text.len(), ..Input::default() };
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
            // One buffer for who takes text and who takes bytes: with two, some would find theirs in no cache.
            Count | Utf16Len => input.text = text,
            _ => input.bytes = text.into_bytes(),
        }
        match self.operation {
            ValidateLocated => input.bytes.push(0xFF),
            ValidateShort => {
                input.pieces = pieces(&input.bytes);
                input.size = input.pieces.iter().map(|(start, end)| end - start).sum();
            }
            Count | Utf16Len => {}
            _ => damage(&mut input.bytes, self.damage),
        }
        Some(input)
    }
}

/// What an operation reads. Only what it needs is there.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
    pub(crate) units: Vec<u16>,
    pub(crate) words: Vec<u32>,
    /// Ranges of `bytes`.
    pub(crate) pieces: Vec<(usize, usize)>,
    /// In bytes.
    pub(crate) size: usize,
}

impl Input {
    /// The pieces themselves.
    pub(crate) fn short(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(|&(start, end)| &self.bytes[start..end])
    }
}

/// Where an operation may write: buffers with room for anything, or what it allocated itself.
pub(crate) struct Output<'i> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) units: Vec<u16>,
    pub(crate) words: Vec<u32>,
    pub(crate) owned: Cow<'i, [u8]>,
}

impl<'i> Output<'i> {
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

    /// All that an operation said, `number` being what it returned.
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

/// Does the operation, and returns what it found: a number, or how much it wrote.
pub(crate) type Run = for<'i> fn(&'i Input, &mut Output<'i>) -> usize;

/// The characters that suit, if they are most of the text.
fn only(text: &str, suits: impl Fn(char) -> bool) -> Option<String> {
    let kept: String = text.chars().filter(|&c| suits(c)).collect();
    (kept.len() * 2 > text.len()).then_some(kept)
}

/// A text of about `size` bytes, over and over the same.
fn repeated(text: &str, size: usize) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let mut long = text.repeat(size.div_ceil(text.len()));
    long.truncate(utf8kit::floor(long.as_bytes(), size));
    Some(long)
}

/// Pieces of every length from 0 to 64 bytes, in an order that no branch predictor learns, cut at boundaries.
fn pieces(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut random = Random(1);
    let last = bytes.len().saturating_sub(65) as u64;
    let piece = |_| {
        let start = utf8kit::floor(bytes, random.between(0, last) as usize);
        let end = utf8kit::floor(bytes, (start + random.between(0, 64) as usize).min(bytes.len()));
        (start, end.max(start))
    };
    (0..4096).map(piece).collect()
}

fn damage(bytes: &mut [u8], share: f64) {
    let mut random = Random(2);
    let limit = (share * u64::MAX as f64) as u64;
    for byte in bytes {
        if random.next() < limit {
            *byte = random.between(0x80, 0xFF) as u8;
        }
    }
}
