//! Peers in Rust.

use arrow_array::{StringArray, StringViewArray};
use bstr::ByteSlice;
use encoding_rs::{Encoding, UTF_8, mem};
#[cfg(feature = "peers-cpp")]
use polars_arrow::{array::Utf8ViewArray, datatypes::ArrowDataType};

use crate::operation::arrow::Arrow;
#[cfg(feature = "peers-cpp")]
use crate::operation::polars::Views;
use crate::operation::{Operation::*, *};

pub(super) const SIMDUTF8: &[(Operation, Run)] = &[
    (Validate, |input, _| sum(&input.bytes, |bytes| simdutf8::basic::from_utf8(bytes).is_ok().into())),
    (ValidateLocated, |input, _| {
        sum(&input.bytes, |bytes| simdutf8::compat::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len))
    }),
    (Column, values),
    (ColumnViews, values),
];

fn values(input: &Input, _: &mut Output<'_>) -> usize {
    input.column.values().all(|value| simdutf8::basic::from_utf8(value).is_ok()).into()
}

pub(super) const ENCODING_RS: &[(Operation, Run)] = &[
    (Validate, |input, _| sum(&input.bytes, |bytes| (Encoding::utf8_valid_up_to(bytes) == bytes.len()).into())),
    (ValidateLocated, |input, _| sum(&input.bytes, Encoding::utf8_valid_up_to)),
    (Ascii, |input, _| sum(&input.bytes, |bytes| mem::is_ascii(bytes).into())),
    (Repair, |input, out| sum(&input.bytes, |bytes| out.own(UTF_8.decode_without_bom_handling(bytes).0))),
    (ToUtf16, |input, out| {
        out.units.fill(&input.bytes, |bytes, out| {
            mem::convert_utf8_to_utf16_without_replacement(bytes, out).unwrap_or_default()
        })
    }),
    (ToUtf16Lossy, |input, out| out.units.fill(&input.bytes, mem::convert_utf8_to_utf16)),
    (ToLatin1, |input, out| out.bytes.fill(&input.bytes, mem::convert_utf8_to_latin1_lossy)),
    (FromUtf16, |input, out| out.bytes.fill(&input.units, mem::convert_utf16_to_utf8)),
    (FromUtf16Lossy, |input, out| out.bytes.fill(&input.units, mem::convert_utf16_to_utf8)),
    (FromLatin1, |input, out| out.bytes.fill(&input.bytes, mem::convert_latin1_to_utf8)),
    (ValidateUtf16, |input, _| sum(&input.units, |units| (mem::utf16_valid_up_to(units) == units.len()).into())),
];

pub(super) const BSTR: &[(Operation, Run)] = &[
    (Ascii, |input, _| sum(&input.bytes, |bytes| ByteSlice::is_ascii(bytes).into())),
    (Count, |input, _| sum(&input.text, |text| text.as_bytes().chars().count())),
    (Repair, |input, out| sum(&input.bytes, |bytes| out.own(bytes.to_str_lossy()))),
];

pub(super) const BYTECOUNT: &[(Operation, Run)] =
    &[(Count, |input, _| sum(&input.text, |text| bytecount::num_chars(text.as_bytes())))];

pub(super) const SIMD_CESU8: &[(Operation, Run)] = &[
    (ToCesu8, |input, out| {
        sum(&input.bytes, |bytes| {
            out.own_bytes(simd_cesu8::encode(std::str::from_utf8(bytes).unwrap_or_default()).into_owned())
        })
    }),
    (FromCesu8, |input, out| sum(&input.bytes, |bytes| out.own(simd_cesu8::decode_strict(bytes).unwrap_or_default()))),
];

/// In arrow-rs, creating an array validates it; the buffers are shared.
pub(super) const ARROW: &[(Operation, Run)] = &[
    (Column, |input, _| {
        let Arrow { data, offsets, .. } = &input.column.arrow;
        StringArray::try_new(offsets.clone(), data.clone(), None).is_ok().into()
    }),
    (ColumnViews, |input, _| {
        let Arrow { data, views, .. } = &input.column.arrow;
        StringViewArray::try_new(views.clone(), vec![data.clone()], None).is_ok().into()
    }),
];

/// In Polars, creating an array also validates it; the buffers are shared.
#[cfg(feature = "peers-cpp")]
pub(super) const POLARS: &[(Operation, Run)] = &[(ColumnViews, |input, _| {
    let Views { views, buffers } = &input.column.polars;
    Utf8ViewArray::try_new(ArrowDataType::Utf8View, views.clone(), buffers.clone(), None).is_ok().into()
})];
