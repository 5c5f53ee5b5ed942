//! utf8kit.

use std::borrow::Cow;

use utf8kit::{
    Cesu8, Latin1, Policy, Utf8, Utf16Native, Utf32Native, convert, convert_into, convert_lossy_into,
    convert_units_into, validate,
};

use crate::bytes::{bytes_of_units, bytes_of_units_mut, bytes_of_words};
use crate::definition::{Operation::*, *};

pub(super) const RUNS: &[(Operation, Run)] = &[
    (Validate, |input, _| validate(&input.bytes).is_ok().into()),
    (ValidateLocated, |input, _| validate(&input.bytes).map_or_else(|error| error.valid_up_to(), str::len)),
    (Ascii, |input, _| utf8kit::is_ascii(&input.bytes).into()),
    (Count, |input, _| utf8kit::count(&input.text)),
    (Utf16Len, |input, _| utf8kit::utf16_len(&input.text)),
    (Repair, |input, out| out.own(utf8kit::repair(&input.bytes))),
    (ToUtf16, |input, out| {
        convert_units_into(Utf8, Utf16Native, &input.bytes, true, &mut out.units[..]).written
    }),
    (ToUtf16Lossy, |input, out| {
        let units = bytes_of_units_mut(&mut out.units);
        convert_lossy_into(Utf8, Utf16Native, &input.bytes, Policy::REPLACE, units).written / 2
    }),
    (ToUtf32, |input, out| {
        convert_units_into(Utf8, Utf32Native, &input.bytes, true, &mut out.words[..]).written
    }),
    (ToLatin1, |input, out| convert_into(Utf8, Latin1, &input.bytes, true, &mut out.bytes[..]).written),
    (ToCesu8, |input, out| {
        out.owned = Cow::Owned(convert(Utf8, Cesu8, &input.bytes).unwrap_or_default());
        out.owned.len()
    }),
    (FromUtf16, |input, out| {
        convert_into(Utf16Native, Utf8, bytes_of_units(&input.units), true, &mut out.bytes[..]).written
    }),
    (FromUtf32, |input, out| {
        convert_into(Utf32Native, Utf8, bytes_of_words(&input.words), true, &mut out.bytes[..]).written
    }),
    (FromLatin1, |input, out| convert_into(Latin1, Utf8, &input.bytes, true, &mut out.bytes[..]).written),
    (FromCesu8, |input, out| {
        out.owned = Cow::Owned(convert(Cesu8, Utf8, &input.bytes).unwrap_or_default());
        out.owned.len()
    }),
    (ValidateUtf16, |input, _| utf8kit::validate_utf16(&input.units).is_ok().into()),
    (ShortValidate, |input, _| input.short.iter().filter(|bytes| validate(bytes).is_ok()).count()),
    (ShortCount, |input, _| input.short_text.iter().map(|text| utf8kit::count(text)).sum()),
    (ShortUtf16Len, |input, _| input.short_text.iter().map(|text| utf8kit::utf16_len(text)).sum()),
    (ShortToUtf16, |input, out| {
        Output::short(&input.short, &mut out.units, |bytes, out| {
            convert_units_into(Utf8, Utf16Native, bytes, true, out).written
        })
    }),
    (ShortFromUtf16, |input, out| {
        Output::short(&input.short_units, &mut out.bytes, |units, out| {
            convert_into(Utf16Native, Utf8, bytes_of_units(units), true, out).written
        })
    }),
    (ShortToLatin1, |input, out| {
        Output::short(&input.short, &mut out.bytes, |bytes, out| {
            convert_into(Utf8, Latin1, bytes, true, out).written
        })
    }),
    (ShortRepair, |input, _| {
        input.short.iter().map(|bytes| Output::digest(utf8kit::repair(bytes).as_bytes())).sum()
    }),
    (ShortToNewUtf16, |input, _| {
        input.short_text.iter().map(|text| Output::digest(&utf8kit::to_utf16(text))).sum()
    }),
    (ShortFromUtf16ToNew, |input, _| {
        let text = |units: &[u16]| utf8kit::from_utf16(units).unwrap_or_default();
        input.short_units.iter().map(|units| Output::digest(text(units).as_bytes())).sum()
    }),
    (Column, |input, _| {
        utf8kit::column::is_valid(&input.bytes, &input.offsets, None).unwrap_or_default().into()
    }),
    (ColumnViews, |input, _| {
        utf8kit::column::views::is_valid(&input.views, &[&input.bytes], None).unwrap_or_default().into()
    }),
];

/// The cost of a column as one text: not a peer, but a limit.
pub(super) const AS_ONE_TEXT: &[(Operation, Run)] = &[(Column, as_one_text), (ColumnViews, as_one_text)];

fn as_one_text(input: &Input, _: &mut Output<'_>) -> usize {
    validate(&input.bytes).is_ok().into()
}
