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
    (ValidateShort, |input, _| input.short().filter(|bytes| validate(bytes).is_ok()).count()),
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
];
