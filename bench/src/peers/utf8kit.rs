//! utf8kit.

use utf8kit::{
    Cesu8, Encoding as _, Latin1, Piece, Policy, Utf8, Utf16, Utf32, convert, convert_into, convert_lossy_into,
    validate, validate_and_count,
};

use crate::operation::{Operation::*, *};

pub(super) const RUNS: &[(Operation, Run)] = &[
    (Validate, |input, _| sum(&input.bytes, |bytes| validate(bytes).is_ok().into())),
    (ValidateAndCount, |input, _| {
        sum(&input.bytes, |bytes| {
            let (_, counts) = validate_and_count(bytes).unwrap_or_default();
            counts.code_points + 2 * counts.utf16_len
        })
    }),
    (ValidateLocated, |input, _| {
        sum(&input.bytes, |bytes| validate(bytes).map_or_else(|error| error.valid_up_to(), str::len))
    }),
    (Ascii, |input, _| sum(&input.bytes, |bytes| utf8kit::is_ascii(bytes).into())),
    (Count, |input, _| sum(&input.text, utf8kit::count)),
    (Utf16Len, |input, _| sum(&input.text, utf8kit::utf16_len)),
    (Repair, |input, out| sum(&input.bytes, |bytes| out.own(utf8kit::repair(bytes)))),
    (ToUtf16, |input, out| {
        out.units.fill(&input.bytes, |bytes, out| convert_into(Utf8, Utf16, bytes, Piece::Last, out).written)
    }),
    (ToUtf16Lossy, |input, out| {
        out.units.fill(&input.bytes, |bytes, out| {
            convert_lossy_into(Utf8, Utf16, bytes, Piece::Last, Policy::REPLACE, out).written
        })
    }),
    (ToNewUtf16, |input, _| sum(&input.text, |text| digest(&utf8kit::Utf16.encode_string(text).unwrap_or_default()))),
    (ToUtf32, |input, out| {
        out.words.fill(&input.bytes, |bytes, out| convert_into(Utf8, Utf32, bytes, Piece::Last, out).written)
    }),
    (ToLatin1, |input, out| {
        out.bytes.fill(&input.bytes, |bytes, out| convert_into(Utf8, Latin1, bytes, Piece::Last, out).written)
    }),
    (ToCesu8, |input, out| sum(&input.bytes, |bytes| out.own_bytes(convert(Utf8, Cesu8, bytes).unwrap_or_default()))),
    (FromUtf16, |input, out| {
        out.bytes.fill(&input.units, |units, out| convert_into(Utf16, Utf8, units, Piece::Last, out).written)
    }),
    (FromUtf16Lossy, |input, out| {
        out.bytes.fill(&input.units, |units, out| {
            convert_lossy_into(Utf16, Utf8, units, Piece::Last, Policy::REPLACE, out).written
        })
    }),
    (FromUtf16ToNew, |input, _| {
        sum(&input.units, |units| digest(utf8kit::Utf16.decode_string(units).unwrap_or_default().as_bytes()))
    }),
    (FromUtf32, |input, out| {
        out.bytes.fill(&input.words, |words, out| convert_into(Utf32, Utf8, words, Piece::Last, out).written)
    }),
    (FromLatin1, |input, out| {
        out.bytes.fill(&input.bytes, |bytes, out| convert_into(Latin1, Utf8, bytes, Piece::Last, out).written)
    }),
    (FromCesu8, |input, out| sum(&input.bytes, |bytes| out.own_bytes(convert(Cesu8, Utf8, bytes).unwrap_or_default()))),
    (RepairUtf16, |input, out| {
        out.units.fill(&input.units, |units, out| {
            convert_lossy_into(Utf16, Utf16, units, Piece::Last, Policy::REPLACE, out).written
        })
    }),
    (ValidateUtf16, |input, _| sum(&input.units, |units| utf8kit::Utf16.validate(units).is_ok().into())),
    (Column, |Input { column, .. }, _| {
        utf8kit::column::is_valid(&column.data, &column.offsets, None).unwrap_or_default().into()
    }),
    (ColumnViews, |Input { column, .. }, _| {
        utf8kit::column::views::is_valid(&column.views, &[&column.data], None).unwrap_or_default().into()
    }),
];

/// The cost of a column as a single text: a lower bound, not a peer.
pub(super) const AS_ONE_TEXT: &[(Operation, Run)] = &[(Column, as_one_text), (ColumnViews, as_one_text)];

fn as_one_text(input: &Input, _: &mut Output<'_>) -> usize {
    validate(&input.column.data).is_ok().into()
}
