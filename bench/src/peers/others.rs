//! Peers in Rust.

use arrow_array::{StringArray, StringViewArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use bstr::ByteSlice;
use encoding_rs::{Encoding, UTF_8, mem};

use crate::definition::{Operation::*, *};

pub(super) const SIMDUTF8: &[(Operation, Run)] = &[
    (Validate, |input, _| simdutf8::basic::from_utf8(&input.bytes).is_ok().into()),
    (ValidateLocated, |input, _| {
        simdutf8::compat::from_utf8(&input.bytes).map_or_else(|error| error.valid_up_to(), str::len)
    }),
    (ShortValidate, |input, _| {
        input.short.iter().filter(|bytes| simdutf8::basic::from_utf8(bytes).is_ok()).count()
    }),
    (Column, |input, _| input.values().all(|value| simdutf8::basic::from_utf8(value).is_ok()).into()),
    (ColumnViews, |input, _| input.values().all(|value| simdutf8::basic::from_utf8(value).is_ok()).into()),
];

pub(super) const ENCODING_RS: &[(Operation, Run)] = &[
    (Validate, |input, _| (Encoding::utf8_valid_up_to(&input.bytes) == input.bytes.len()).into()),
    (ValidateLocated, |input, _| Encoding::utf8_valid_up_to(&input.bytes)),
    (ShortValidate, |input, _| {
        input.short.iter().filter(|bytes| Encoding::utf8_valid_up_to(bytes) == bytes.len()).count()
    }),
    (ShortToUtf16, |input, out| {
        Output::short(&input.short, &mut out.units, |bytes, out| {
            mem::convert_utf8_to_utf16_without_replacement(bytes, out).unwrap_or_default()
        })
    }),
    (ShortFromUtf16, |input, out| {
        Output::short(&input.short_units, &mut out.bytes, mem::convert_utf16_to_utf8)
    }),
    (ShortToLatin1, |input, out| {
        Output::short(&input.short, &mut out.bytes, mem::convert_utf8_to_latin1_lossy)
    }),
    (ShortRepair, |input, _| {
        let text = |bytes| UTF_8.decode_without_bom_handling(bytes).0;
        input.short.iter().map(|bytes| Output::digest(text(bytes).as_bytes())).sum()
    }),
    (Ascii, |input, _| mem::is_ascii(&input.bytes).into()),
    (Repair, |input, out| out.own(UTF_8.decode_without_bom_handling(&input.bytes).0)),
    (ToUtf16, |input, out| {
        mem::convert_utf8_to_utf16_without_replacement(&input.bytes, &mut out.units).unwrap_or_default()
    }),
    (ToUtf16Lossy, |input, out| mem::convert_utf8_to_utf16(&input.bytes, &mut out.units)),
    (ToLatin1, |input, out| mem::convert_utf8_to_latin1_lossy(&input.bytes, &mut out.bytes)),
    (FromUtf16, |input, out| mem::convert_utf16_to_utf8(&input.units, &mut out.bytes)),
    (FromLatin1, |input, out| mem::convert_latin1_to_utf8(&input.bytes, &mut out.bytes)),
    (ValidateUtf16, |input, _| (mem::utf16_valid_up_to(&input.units) == input.units.len()).into()),
];

pub(super) const BSTR: &[(Operation, Run)] = &[
    (Ascii, |input, _| ByteSlice::is_ascii(&input.bytes[..]).into()),
    (Count, |input, _| input.text.as_bytes().chars().count()),
    (Repair, |input, out| out.own(input.bytes.to_str_lossy())),
];

pub(super) const BYTECOUNT: &[(Operation, Run)] = &[
    (Count, |input, _| bytecount::num_chars(input.text.as_bytes())),
    (ShortCount, |input, _| input.short_text.iter().map(|text| bytecount::num_chars(text.as_bytes())).sum()),
];

pub(super) const SIMD_CESU8: &[(Operation, Run)] = &[
    (ToCesu8, |input, out| {
        out.owned = simd_cesu8::encode(std::str::from_utf8(&input.bytes).unwrap_or_default());
        out.owned.len()
    }),
    (FromCesu8, |input, out| out.own(simd_cesu8::decode_strict(&input.bytes).unwrap_or_default())),
];

/// A column as arrow-rs stores it.
pub(crate) type ArrowLayout = Option<Arrow>;

pub(crate) struct Arrow {
    data: Buffer,
    offsets: OffsetBuffer<i32>,
    views: ScalarBuffer<u128>,
}

pub(crate) fn arrow_layout(input: &Input) -> ArrowLayout {
    let views: Vec<u128> = input.views.iter().map(|&view| u128::from_le_bytes(view)).collect();
    Some(Arrow {
        data: Buffer::from(&input.bytes[..]),
        offsets: OffsetBuffer::new(input.offsets.clone().into()),
        views: views.into(),
    })
}

/// In arrow-rs, creating an array validates it; the buffers are shared.
pub(super) const ARROW: &[(Operation, Run)] = &[
    (Column, |input, _| {
        let Some(Arrow { data, offsets, .. }) = &input.arrow else { return 0 };
        StringArray::try_new(offsets.clone(), data.clone(), None).is_ok().into()
    }),
    (ColumnViews, |input, _| {
        let Some(Arrow { data, views, .. }) = &input.arrow else { return 0 };
        StringViewArray::try_new(views.clone(), vec![data.clone()], None).is_ok().into()
    }),
];
