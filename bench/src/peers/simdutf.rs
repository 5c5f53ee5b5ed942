//! simdutf, through its Rust crate. `SIMDUTF_FORCE_IMPLEMENTATION` chooses its level, once per process.
#![allow(unsafe_code, reason = "its conversions take pointers")]

use simdutf::{
    ErrorCode, convert_latin1_to_utf8, convert_utf8_to_latin1, convert_utf8_to_utf16, convert_utf8_to_utf32,
    convert_utf16_to_utf8, convert_utf32_to_utf8, count_utf8, utf8_length_from_utf16, utf16_length_from_utf8,
    validate_ascii, validate_utf8, validate_utf8_with_errors, validate_utf16,
};

use crate::definition::{Operation::*, *};

/// `Output` has the maximum room that simdutf needs: 3 bytes per unit, 4 per word, 2 per byte of Latin-1.
macro_rules! into {
    ($convert:ident, $from:ident, $to:ident) => {
        |input, out| {
            let (from, to) = (&input.$from, &mut out.$to);
            // SAFETY: `from` can be read, and `to` has room for 3 times the input's bytes.
            unsafe { $convert(from.as_ptr(), from.len(), to.as_mut_ptr()) }
        }
    };
}

pub(super) const RUNS: &[(Operation, Run)] = &[
    (Validate, |input, _| validate_utf8(&input.bytes).into()),
    (ValidateLocated, |input, _| {
        let result = validate_utf8_with_errors(&input.bytes);
        if result.error == ErrorCode::Success { input.bytes.len() } else { result.count }
    }),
    (Ascii, |input, _| validate_ascii(&input.bytes).into()),
    (Count, |input, _| count_utf8(input.text.as_bytes())),
    (Utf16Len, |input, _| utf16_length_from_utf8(input.text.as_bytes())),
    (ToUtf16, into!(convert_utf8_to_utf16, bytes, units)),
    (ToUtf32, into!(convert_utf8_to_utf32, bytes, words)),
    (ToLatin1, into!(convert_utf8_to_latin1, bytes, bytes)),
    (FromUtf16, into!(convert_utf16_to_utf8, units, bytes)),
    (FromUtf32, into!(convert_utf32_to_utf8, words, bytes)),
    (FromLatin1, into!(convert_latin1_to_utf8, bytes, bytes)),
    (ValidateUtf16, |input, _| validate_utf16(&input.units).into()),
    (ShortValidate, |input, _| input.short.iter().filter(|bytes| validate_utf8(bytes)).count()),
    (ShortCount, |input, _| input.short_text.iter().map(|text| count_utf8(text.as_bytes())).sum()),
    (ShortUtf16Len, |input, _| {
        input.short_text.iter().map(|text| utf16_length_from_utf8(text.as_bytes())).sum()
    }),
    (ShortToUtf16, |input, out| {
        Output::short(&input.short, &mut out.units, |from, to| {
            // SAFETY: `from` can be read, and `to` has room for 3 times the input's bytes.
            unsafe { convert_utf8_to_utf16(from.as_ptr(), from.len(), to.as_mut_ptr()) }
        })
    }),
    (ShortFromUtf16, |input, out| {
        Output::short(&input.short_units, &mut out.bytes, |from, to| {
            // SAFETY: `from` can be read, and `to` has room for 3 times the input's bytes.
            unsafe { convert_utf16_to_utf8(from.as_ptr(), from.len(), to.as_mut_ptr()) }
        })
    }),
    (ShortToLatin1, |input, out| {
        Output::short(&input.short, &mut out.bytes, |from, to| {
            // SAFETY: `from` can be read, and `to` has room for 3 times the input's bytes.
            unsafe { convert_utf8_to_latin1(from.as_ptr(), from.len(), to.as_mut_ptr()) }
        })
    }),
    (ShortToNewUtf16, |input, _| {
        let units = |text: &str| {
            let len = utf16_length_from_utf8(text.as_bytes());
            let mut units = Vec::with_capacity(len);
            // SAFETY: the text can be read, and there is room for what it becomes.
            let written = unsafe { convert_utf8_to_utf16(text.as_ptr(), text.len(), units.as_mut_ptr()) };
            // SAFETY: so many were written.
            unsafe { units.set_len(written) };
            Output::digest::<u16>(&units)
        };
        input.short_text.iter().map(|text| units(text)).sum()
    }),
    (ShortFromUtf16ToNew, |input, _| {
        let text = |units: &[u16]| {
            let len = utf8_length_from_utf16(units);
            let mut text = Vec::with_capacity(len);
            // SAFETY: the units can be read, and there is room for what they become.
            let written = unsafe { convert_utf16_to_utf8(units.as_ptr(), units.len(), text.as_mut_ptr()) };
            // SAFETY: so many were written.
            unsafe { text.set_len(written) };
            Output::digest::<u8>(&text)
        };
        input.short_units.iter().map(|units| text(units)).sum()
    }),
];
