//! The standard library: a peer, and the definition of each result.

use std::borrow::Cow;
use std::str::from_utf8;

use crate::definition::{Operation::*, *};

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

pub(super) const RUNS: &[(Operation, Run)] = &[
    (Validate, |input, _| from_utf8(&input.bytes).is_ok().into()),
    (ValidateLocated, |input, _| from_utf8(&input.bytes).map_or_else(|error| error.valid_up_to(), str::len)),
    (Ascii, |input, _| input.bytes.is_ascii().into()),
    (Count, |input, _| input.text.chars().count()),
    (Utf16Len, |input, _| input.text.encode_utf16().count()),
    (Repair, |input, out| out.own(String::from_utf8_lossy(&input.bytes))),
    (ToUtf16, |input, out| fill(&mut out.units, text(&input.bytes).encode_utf16())),
    (ToUtf16Lossy, |input, out| {
        let text = String::from_utf8_lossy(&input.bytes);
        fill(&mut out.units, text.encode_utf16())
    }),
    (ToUtf32, |input, out| fill(&mut out.words, text(&input.bytes).chars().map(u32::from))),
    (ToLatin1, |input, out| fill(&mut out.bytes, text(&input.bytes).chars().map(|c| c as u8))),
    (ToCesu8, |input, out| {
        out.owned = Cow::Owned(to_cesu8(text(&input.bytes)));
        out.owned.len()
    }),
    (FromUtf16, |input, out| {
        let chars = char::decode_utf16(input.units.iter().copied());
        fill_text(&mut out.bytes, chars.map(|c| c.unwrap_or('\u{FFFD}')))
    }),
    (FromUtf32, |input, out| {
        let chars = input.words.iter().map(|&value| char::from_u32(value).unwrap_or('\u{FFFD}'));
        fill_text(&mut out.bytes, chars)
    }),
    (FromLatin1, |input, out| fill_text(&mut out.bytes, input.bytes.iter().copied().map(char::from))),
    (FromCesu8, |input, out| {
        // std does not support CESU-8. Only surrogates differ from UTF-8, and the texts have no unpaired ones.
        let mut units = Vec::new();
        let mut rest = &input.bytes[..];
        while let Some((&lead, _)) = rest.split_first() {
            let (len, first) = match lead {
                0..0x80 => (1, lead),
                0x80..0xE0 => (2, lead & 0x1F),
                _ => (3, lead & 0xF),
            };
            let unit =
                rest[1..len].iter().fold(u16::from(first), |unit, &byte| unit << 6 | u16::from(byte & 0x3F));
            units.push(unit);
            rest = &rest[len..];
        }
        out.owned = Cow::Owned(String::from_utf16_lossy(&units).into_bytes());
        out.owned.len()
    }),
    (ValidateUtf16, |input, _| char::decode_utf16(input.units.iter().copied()).all(|c| c.is_ok()).into()),
    (ShortValidate, |input, _| input.short.iter().filter(|bytes| from_utf8(bytes).is_ok()).count()),
    (ShortCount, |input, _| input.short_text.iter().map(|text| text.chars().count()).sum()),
    (ShortUtf16Len, |input, _| input.short_text.iter().map(|text| text.encode_utf16().count()).sum()),
    (ShortToUtf16, |input, out| {
        Output::short(&input.short, &mut out.units, |bytes, out| fill(out, text(bytes).encode_utf16()))
    }),
    (ShortFromUtf16, |input, out| {
        Output::short(&input.short_units, &mut out.bytes, |units, out| {
            let chars = char::decode_utf16(units.iter().copied());
            fill_text(out, chars.map(|c| c.unwrap_or('\u{FFFD}')))
        })
    }),
    (ShortToLatin1, |input, out| {
        Output::short(&input.short, &mut out.bytes, |bytes, out| {
            fill(out, text(bytes).chars().map(|c| c as u8))
        })
    }),
    (ShortRepair, |input, _| {
        input.short.iter().map(|bytes| Output::digest(String::from_utf8_lossy(bytes).as_bytes())).sum()
    }),
    (ShortToNewUtf16, |input, _| {
        input.short_text.iter().map(|text| Output::digest(&text.encode_utf16().collect::<Vec<_>>())).sum()
    }),
    (ShortFromUtf16ToNew, |input, _| {
        let text = |units: &[u16]| String::from_utf16(units).unwrap_or_default();
        input.short_units.iter().map(|units| Output::digest(text(units).as_bytes())).sum()
    }),
    (Column, |input, _| input.values().all(|value| from_utf8(value).is_ok()).into()),
    (ColumnViews, |input, _| input.values().all(|value| from_utf8(value).is_ok()).into()),
];
