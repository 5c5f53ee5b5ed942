//! Finds places that may be sequences of UTF-8, or remains of them.
//!
//! In text in another encoding, nearly all non-ASCII bytes are errors of one byte: a lead without a continuation byte,
//! or a continuation byte without a lead. These are counted eight at a time, and the places between them are decoded
//! item by item.

use std::ops::{AddAssign, Range};

use utf8kit::Encoding as _;
use utf8kit::explain::intended_sequence;
use utf8kit::{Error, ErrorKind, Item, Utf8};

use crate::common::is_common;

/// A lead with the continuation bytes after it.
struct Place {
    /// The number of non-ASCII bytes between the previous place and this one. Each is an error of one byte.
    errors: u64,
    /// Empty at the end.
    range: Range<usize>,
}

/// Iterates over the places of a text, and then its end.
fn places(bytes: &[u8]) -> impl Iterator<Item = Place> + '_ {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let place = place_from(bytes, next?);
        next = (!place.range.is_empty()).then_some(place.range.end);
        Some(place)
    })
}

/// Iterates over the items in the places of a text: all well-formed non-ASCII items, and errors in their runs.
pub(super) fn sequences(bytes: &[u8]) -> impl Iterator<Item = Item> + '_ {
    places(bytes).flat_map(move |place| items_at(bytes, place.range))
}

/// Reports whether a text contains a sequence of UTF-8.
pub(super) fn has_sequence(bytes: &[u8]) -> bool {
    sequences(bytes).any(|item| item.result.is_ok())
}

/// Returns a text with a space in place of each sequence of UTF-8.
pub(super) fn without_sequences(bytes: &[u8]) -> Vec<u8> {
    let (mut rest, mut end) = (Vec::with_capacity(bytes.len()), 0);
    for item in sequences(bytes).filter(|item| item.result.is_ok()) {
        rest.extend_from_slice(&bytes[end..item.offset]);
        rest.push(b' ');
        end = item.offset + item.len;
    }
    rest.extend_from_slice(&bytes[end..]);
    rest
}

/// Iterates over the items of a place.
fn items_at(bytes: &[u8], Range { start, end }: Range<usize>) -> impl Iterator<Item = Item> + '_ {
    let items = Utf8.items(bytes.get(start..end).unwrap_or_default());
    items.map(move |mut item| {
        item.offset += start;
        item
    })
}

/// Returns the first place at or after `at`.
fn place_from(bytes: &[u8], mut at: usize) -> Place {
    /// The upper bit of each byte.
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xBF);
    let mut errors = 0;
    let found = loop {
        let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { break None };
        let word = u64::from_le_bytes(*eight);
        let non_ascii = word & HIGH;
        if non_ascii > 0 {
            let leads = non_ascii & word << 1;
            let follows = (non_ascii & !leads) >> 8 | u64::from(bytes.get(at + 8).is_some_and(is_continuation)) << 63;
            if leads & follows > 0 {
                let bit = (leads & follows).trailing_zeros();
                errors += u64::from((non_ascii & ((1 << bit) - 1)).count_ones());
                break Some(at + bit as usize / 8);
            }
            errors += u64::from(non_ascii.count_ones());
        }
        at += 8;
    };
    let found = found.or_else(|| {
        (at..bytes.len()).find(|&at| {
            let is_lead = bytes[at] >= 0xC0 && bytes.get(at + 1).is_some_and(is_continuation);
            errors += u64::from(!is_lead && !bytes[at].is_ascii());
            is_lead
        })
    });
    let range = found.map_or(bytes.len()..bytes.len(), |lead| {
        lead..lead + 1 + bytes[lead + 1..].iter().take_while(|byte| is_continuation(byte)).count()
    });
    Place { errors, range }
}

/// Reports whether a sequence of UTF-8 is evidence. Two-byte sequences of rare characters are not. Cyrillic and Greek
/// letters in East Asian encodings all look like such sequences.
fn is_evidence(value: u32, len: usize) -> bool {
    len > 2 || len == 2 && char::from_u32(value).is_some_and(is_common)
}

/// Counts of the UTF-8 shapes in a text that is not UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shapes {
    /// Sequences that are evidence.
    pub(super) good: u64,
    /// Errors.
    pub(super) bad: u64,
    /// Errors that are part of a sequence that is complete except for its value, or very long.
    pub(super) shaped: u64,
    /// Other errors of several bytes: truncated sequences.
    pub(super) cut: u64,
}

impl Shapes {
    pub(super) fn of(bytes: &[u8]) -> Shapes {
        Shapes::with(bytes, |_, _| {})
    }

    /// Reports whether most errors are part of a sequence that is complete except for its value.
    pub(super) fn is_mostly_shaped(self) -> bool {
        self.shaped * 2 > self.bad
    }

    /// Counts the shapes, and calls `take` with the value and the length of each sequence that is evidence.
    pub(super) fn with(bytes: &[u8], mut take: impl FnMut(u32, usize)) -> Shapes {
        let mut shapes = Shapes::default();
        for place in places(bytes) {
            shapes.bad += place.errors;
            shapes.add(bytes, place.range, &mut take);
        }
        shapes
    }

    /// Adds the shapes at one place.
    fn add(&mut self, bytes: &[u8], place: Range<usize>, take: &mut impl FnMut(u32, usize)) {
        let (shapes, mut shape) = (self, 0..0);
        for item in items_at(bytes, place) {
            let (range, kind) = match item.result {
                Ok(value) => {
                    if is_evidence(value, item.len) {
                        shapes.good += 1;
                        take(value, item.len);
                    }
                    continue;
                }
                Err(kind) => (item.offset..item.offset + item.len, kind),
            };
            shapes.bad += 1;
            let is_value = matches!(kind, ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge);
            // The beginning of a sequence of at most three bytes.
            let is_short = kind == ErrorKind::Truncated && bytes[range.start] < 0xF0;
            if shape.end <= range.start {
                shape = 0..0;
                if !is_short {
                    let error = Error::new(range.start as u64, range.len() as u8, kind);
                    let intended = intended_sequence(Utf8, bytes, &error);
                    let is_complete = intended.len() >= bytes[range.start].leading_ones() as usize;
                    shape = if is_value && is_complete || intended.len() > 3 { intended } else { 0..0 };
                }
            }
            let is_shaped = shape.len() > 1 && shape.contains(&range.start);
            shapes.shaped += u64::from(is_shaped);
            shapes.cut += u64::from(!is_shaped && range.len() > 1);
        }
    }
}

impl AddAssign for Shapes {
    fn add_assign(&mut self, Shapes { good, bad, shaped, cut }: Shapes) {
        self.good += good;
        self.bad += bad;
        self.shaped += shaped;
        self.cut += cut;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use utf8kit_testing::Random;

    #[test]
    fn all_items_are_found_or_counted() {
        const BYTES: [u8; 16] =
            [b'a', b'b', b'\n', 0x80, 0xA0, 0xBF, 0x90, 0xC0, 0xC3, 0xD0, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF];
        let mut random = Random::new(5);
        for _ in 0..20_000 {
            // Some inputs have few continuation bytes, others few non-ASCII bytes.
            let from = random.below(4);
            let len = random.below(40);
            let bytes: Vec<u8> = (0..len)
                .map(|_| match random.below(4) {
                    chance if chance < from => b'a',
                    _ => random.pick(&BYTES),
                })
                .collect();
            let all = Utf8.items(&bytes).filter(|item| !bytes[item.offset].is_ascii());
            let (mut found, mut errors) = (Vec::new(), 0);
            for place in places(&bytes) {
                errors += place.errors;
                found.extend(items_at(&bytes, place.range));
            }
            let (expected, others): (Vec<_>, Vec<_>) =
                all.partition(|item| found.iter().any(|other| other.offset == item.offset));
            assert_eq!(found, expected);
            assert_eq!(sequences(&bytes).collect::<Vec<_>>(), expected);
            assert_eq!(others.len() as u64, errors);
            assert!(others.iter().all(|item| item.len == 1 && item.result.is_err()));
        }
    }
}
