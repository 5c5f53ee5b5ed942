//! Where bytes may be a sequence of UTF-8, or what is left of one.
//!
//! In text of another encoding, nearly all bytes beyond ASCII are errors of one byte: a lead without a continuation
//! byte, or a continuation byte without a lead. These are counted eight at a time, and what lies between them is decoded
//! item by item.

use std::ops::Range;

use utf8kit::{Item, Utf8, items};

/// A lead with the continuation bytes behind it.
pub(super) struct Place {
    /// How many bytes beyond ASCII were before it, after the place before. Each is an error of one byte.
    pub(super) errors: u64,
    /// Empty at the end.
    pub(super) range: Range<usize>,
}

/// Iterates over the places of a text, and its end.
pub(super) fn places(bytes: &[u8]) -> impl Iterator<Item = Place> + '_ {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let place = place_from(bytes, next?);
        next = (!place.range.is_empty()).then_some(place.range.end);
        Some(place)
    })
}

/// Iterates over the items in the places of a text: all that are well formed and beyond ASCII, and errors beside them.
pub(super) fn sequences(bytes: &[u8]) -> impl Iterator<Item = Item> + '_ {
    places(bytes).flat_map(move |place| items_at(bytes, place.range))
}

/// Iterates over the items of a place.
pub(super) fn items_at(bytes: &[u8], Range { start, end }: Range<usize>) -> impl Iterator<Item = Item> + '_ {
    let items = items(Utf8, bytes.get(start..end).unwrap_or_default());
    items.map(move |mut item| {
        item.offset += start;
        item
    })
}

/// Returns the first place from `at` on.
fn place_from(bytes: &[u8], mut at: usize) -> Place {
    /// The upper bit of each byte.
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xBF);
    let mut errors = 0;
    let found = loop {
        let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { break None };
        let word = u64::from_le_bytes(*eight);
        let beyond = word & HIGH;
        if beyond > 0 {
            let leads = beyond & word << 1;
            let follows =
                (beyond & !leads) >> 8 | u64::from(bytes.get(at + 8).is_some_and(is_continuation)) << 63;
            if leads & follows > 0 {
                let bit = (leads & follows).trailing_zeros();
                errors += u64::from((beyond & ((1 << bit) - 1)).count_ones());
                break Some(at + bit as usize / 8);
            }
            errors += u64::from(beyond.count_ones());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn all_items_are_found_or_counted() {
        const BYTES: [u8; 16] =
            [b'a', b'b', b'\n', 0x80, 0xA0, 0xBF, 0x90, 0xC0, 0xC3, 0xD0, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xFF];
        let mut random = Random::new(5);
        for _ in 0..20_000 {
            // Few continuation bytes in some, few bytes beyond ASCII in others.
            let from = random.below(4);
            let len = random.below(40);
            let bytes: Vec<u8> = (0..len)
                .map(|_| match random.below(4) {
                    chance if chance < from => b'a',
                    _ => random.pick(&BYTES),
                })
                .collect();
            let all = items(Utf8, &bytes).filter(|item| !bytes[item.offset].is_ascii());
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
