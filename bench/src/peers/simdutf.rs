//! simdutf, through its Rust crate. `SIMDUTF_FORCE_IMPLEMENTATION` chooses its level, once per process.
#![allow(unsafe_code, reason = "its conversions take pointers")]

use simdutf::{
    ErrorCode, convert_latin1_to_utf8, convert_utf8_to_latin1, convert_utf8_to_utf16,
    convert_utf8_to_utf16_with_errors, convert_utf8_to_utf32, convert_utf16_to_utf8, convert_utf32_to_utf8, count_utf8,
    utf8_length_from_utf16, utf16_length_from_utf8, validate_ascii, validate_utf8, validate_utf8_with_errors,
    validate_utf16,
};

use crate::operation::{Operation::*, *};

unsafe extern "C" {
    /// `simdutf::to_well_formed_utf16(const char16_t *, size_t, char16_t *)`, which its crate contains but does not
    /// expose.
    #[link_name = "_ZN7simdutf20to_well_formed_utf16EPKDsmPDs"]
    fn to_well_formed_utf16(from: *const u16, len: usize, to: *mut u16);
}

/// `Output` has the maximum capacity that simdutf needs: 3 bytes per unit, 4 per word, 2 per byte of Latin-1.
macro_rules! into {
    ($convert:ident, $from:ident, $to:ident) => {
        |input, out| {
            out.$to.fill(&input.$from, |from, to| {
                // SAFETY: `from` can be read, and `to` has capacity for 3 times the input's bytes.
                unsafe { $convert(from.as_ptr(), from.len(), to.as_mut_ptr()) }
            })
        }
    };
}

/// Replaces errors as JavaScript engines with simdutf do. It converts up to each error and returns the position, so the
/// length of the output must be counted.
fn lossy(bytes: &[u8], to: &mut [u16]) -> usize {
    let (mut rest, mut written) = (bytes, 0);
    loop {
        let to = &mut to[written..];
        // SAFETY: `rest` can be read, and `to` has capacity for a unit for each of its bytes.
        let result = unsafe { convert_utf8_to_utf16_with_errors(rest.as_ptr(), rest.len(), to.as_mut_ptr()) };
        if result.error == ErrorCode::Success {
            return written + result.count;
        }
        let (clean, broken) = rest.split_at(result.count);
        let len = utf16_length_from_utf8(clean);
        to[len] = 0xFFFD;
        written += len + 1;
        let error = std::str::from_utf8(&broken[..broken.len().min(4)]).err();
        let len = error.and_then(|error| error.error_len()).unwrap_or(broken.len());
        rest = &broken[len..];
    }
}

/// Replaces lone surrogates and then converts, which is what its Rust crate allows.
fn from_lossy(units: &[u16], to: &mut [u8]) -> usize {
    let mut repaired = vec![0; units.len()];
    // SAFETY: the units can be read, and the capacity is enough for as many.
    unsafe { to_well_formed_utf16(units.as_ptr(), units.len(), repaired.as_mut_ptr()) };
    // SAFETY: the units can be read, and `to` has capacity for 3 bytes for each.
    unsafe { convert_utf16_to_utf8(repaired.as_ptr(), repaired.len(), to.as_mut_ptr()) }
}

pub(super) const RUNS: &[(Operation, Run)] = &[
    (Validate, |input, _| sum(&input.bytes, |bytes| validate_utf8(bytes).into())),
    (ValidateAndCount, |input, _| {
        sum(&input.bytes, |bytes| {
            if !validate_utf8(bytes) {
                return 0;
            }
            count_utf8(bytes) + 2 * utf16_length_from_utf8(bytes)
        })
    }),
    (ValidateLocated, |input, _| {
        sum(&input.bytes, |bytes| {
            let result = validate_utf8_with_errors(bytes);
            if result.error == ErrorCode::Success { bytes.len() } else { result.count }
        })
    }),
    (Ascii, |input, _| sum(&input.bytes, |bytes| validate_ascii(bytes).into())),
    (Count, |input, _| sum(&input.text, |text| count_utf8(text.as_bytes()))),
    (Utf16Len, |input, _| sum(&input.text, |text| utf16_length_from_utf8(text.as_bytes()))),
    (ToUtf16, into!(convert_utf8_to_utf16, bytes, units)),
    (ToUtf16Lossy, |input, out| out.units.fill(&input.bytes, lossy)),
    (ToNewUtf16, |input, _| {
        sum(&input.text, |text| {
            let len = utf16_length_from_utf8(text.as_bytes());
            let mut units = Vec::with_capacity(len);
            // SAFETY: the text can be read, and there is capacity for the result.
            let written = unsafe { convert_utf8_to_utf16(text.as_ptr(), text.len(), units.as_mut_ptr()) };
            // SAFETY: that many were written.
            unsafe { units.set_len(written) };
            digest::<u16>(&units)
        })
    }),
    (ToUtf32, into!(convert_utf8_to_utf32, bytes, words)),
    (ToLatin1, into!(convert_utf8_to_latin1, bytes, bytes)),
    (FromUtf16, into!(convert_utf16_to_utf8, units, bytes)),
    (FromUtf16ToNew, |input, _| {
        sum(&input.units, |units| {
            let len = utf8_length_from_utf16(units);
            let mut text = Vec::with_capacity(len);
            // SAFETY: the units can be read, and there is capacity for the result.
            let written = unsafe { convert_utf16_to_utf8(units.as_ptr(), units.len(), text.as_mut_ptr()) };
            // SAFETY: that many were written.
            unsafe { text.set_len(written) };
            digest::<u8>(&text)
        })
    }),
    (FromUtf16Lossy, |input, out| out.bytes.fill(&input.units, from_lossy)),
    (FromUtf32, into!(convert_utf32_to_utf8, words, bytes)),
    (FromLatin1, into!(convert_latin1_to_utf8, bytes, bytes)),
    (RepairUtf16, |input, out| {
        out.units.fill(&input.units, |from, to| {
            // SAFETY: `from` can be read, and `to` has room for as many units.
            unsafe { to_well_formed_utf16(from.as_ptr(), from.len(), to.as_mut_ptr()) };
            from.len()
        })
    }),
    (ValidateUtf16, |input, _| sum(&input.units, |units| validate_utf16(units).into())),
];
