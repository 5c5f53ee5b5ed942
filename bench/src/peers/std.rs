//! The standard library: a peer, and the reference for each result.

use std::str::from_utf8;

use crate::operation::{Operation::*, *};

fn text(bytes: &[u8]) -> &str {
    from_utf8(bytes).unwrap_or_default()
}

/// Writes the items to the start of a buffer.
fn fill<T>(buffer: &mut [T], items: impl Iterator<Item = T>) -> usize {
    buffer.iter_mut().zip(items).map(|(place, item)| *place = item).count()
}

fn fill_text(buffer: &mut [u8], chars: impl Iterator<Item = char>) -> usize {
    let mut at = 0;
    for c in chars {
        at += c.encode_utf8(&mut buffer[at..]).len();
    }
    at
}

fn to_cesu8(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c) {
            value @ 0x1_0000.. => {
                let value = value - 0x1_0000;
                for half in [0xD800 | value >> 10, 0xDC00 | value & 0x3FF] {
                    out.extend([0xED, 0x80 | (half >> 6 & 0x3F) as u8, 0x80 | (half & 0x3F) as u8]);
                }
            }
            _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

fn from_utf16(units: &[u16]) -> impl Iterator<Item = char> {
    char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or('\u{FFFD}'))
}

fn fill_from_utf16(input: &Input, out: &mut Output<'_>) -> usize {
    out.bytes.fill(&input.units, |units, out| fill_text(out, from_utf16(units)))
}

/// std does not support CESU-8. Only surrogates differ from UTF-8, and the texts have no unpaired ones.
fn from_cesu8(bytes: &[u8]) -> String {
    let mut units = Vec::new();
    let mut rest = bytes;
    while let Some((&lead, _)) = rest.split_first() {
        let (len, first) = match lead {
            0..0x80 => (1, lead),
            0x80..0xE0 => (2, lead & 0x1F),
            _ => (3, lead & 0xF),
        };
        units.push(rest[1..len].iter().fold(u16::from(first), |unit, &byte| unit << 6 | u16::from(byte & 0x3F)));
        rest = &rest[len..];
    }
    String::from_utf16_lossy(&units)
}

fn values(input: &Input, _: &mut Output<'_>) -> usize {
    input.column.values().all(|value| from_utf8(value).is_ok()).into()
}

pub(super) const RUNS: &[(Operation, Run)] = &[
    (Validate, |input, _| sum(&input.bytes, |bytes| from_utf8(bytes).is_ok().into())),
    (ValidateAndCount, |input, _| {
        sum(&input.bytes, |bytes| {
            let text = text(bytes);
            text.chars().count() + 2 * text.encode_utf16().count()
        })
    }),
    (ValidateLocated, |input, _| {
        sum(&input.bytes, |bytes| from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len))
    }),
    (Ascii, |input, _| sum(&input.bytes, |bytes| bytes.is_ascii().into())),
    (Count, |input, _| sum(&input.text, |text| text.chars().count())),
    (Utf16Len, |input, _| sum(&input.text, |text| text.encode_utf16().count())),
    (Repair, |input, out| sum(&input.bytes, |bytes| out.own(String::from_utf8_lossy(bytes)))),
    (ToUtf16, |input, out| out.units.fill(&input.bytes, |bytes, out| fill(out, text(bytes).encode_utf16()))),
    (ToUtf16Lossy, |input, out| {
        out.units.fill(&input.bytes, |bytes, out| fill(out, String::from_utf8_lossy(bytes).encode_utf16()))
    }),
    (ToNewUtf16, |input, _| sum(&input.text, |text| digest(&text.encode_utf16().collect::<Vec<_>>()))),
    (ToUtf32, |input, out| out.words.fill(&input.bytes, |bytes, out| fill(out, text(bytes).chars().map(u32::from)))),
    (ToLatin1, |input, out| out.bytes.fill(&input.bytes, |bytes, out| fill(out, text(bytes).chars().map(|c| c as u8)))),
    (ToCesu8, |input, out| sum(&input.bytes, |bytes| out.own_bytes(to_cesu8(text(bytes))))),
    (FromUtf16, fill_from_utf16),
    (FromUtf16Lossy, fill_from_utf16),
    (FromUtf16ToNew, |input, _| {
        sum(&input.units, |units| digest(String::from_utf16(units).unwrap_or_default().as_bytes()))
    }),
    (FromUtf32, |input, out| {
        let char = |&value: &u32| char::from_u32(value).unwrap_or('\u{FFFD}');
        out.bytes.fill(&input.words, |words, out| fill_text(out, words.iter().map(char)))
    }),
    (FromLatin1, |input, out| {
        out.bytes.fill(&input.bytes, |bytes, out| fill_text(out, bytes.iter().copied().map(char::from)))
    }),
    (FromCesu8, |input, out| sum(&input.bytes, |bytes| out.own_bytes(from_cesu8(bytes).into_bytes()))),
    (RepairUtf16, |input, out| {
        out.units.fill(&input.units, |units, out| {
            from_utf16(units).fold(0, |at, c| at + c.encode_utf16(&mut out[at..]).len())
        })
    }),
    (ValidateUtf16, |input, _| {
        sum(&input.units, |units| char::decode_utf16(units.iter().copied()).all(|c| c.is_ok()).into())
    }),
    (Column, values),
    (ColumnViews, values),
];
