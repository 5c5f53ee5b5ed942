//! Creates a `str` from UTF-8.
//!
//! CPython decodes Latin-1, UTF-16 and UTF-32 several times as fast as non-ASCII UTF-8, so converting first pays off.
//! (The stable ABI does not allow writing into a `str` directly.)
#![expect(unsafe_code, reason = "PyO3 has no safe function for these decoders")]

use std::os::raw::{c_char, c_int};
use std::ptr;

use pyo3::ffi::{self, PyUnicode_DecodeLatin1, PyUnicode_DecodeUTF16, PyUnicode_DecodeUTF32};
use pyo3::prelude::*;
use pyo3::types::PyString;
use utf8kit::{Latin1, Utf8, Utf16Native, Utf32Native, convert};

/// Below this many bytes, converting costs as much as it saves.
const WORTH_CONVERTING: usize = 64;

/// The byte order passed to CPython's decoders. If it is given, a byte order mark at the start is kept as text.
const ORDER: c_int = if cfg!(target_endian = "big") { 1 } else { -1 };

/// Creates a `str` from UTF-8.
pub(crate) fn from_utf8<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
    if text.len() < WORTH_CONVERTING {
        return PyString::from_bytes(py, text);
    }
    // The highest byte is a lead, unless all bytes are ASCII.
    let highest = text.iter().fold(0, |highest, &byte| highest.max(byte));
    let (unit, converted) = py.detach(|| match highest {
        0..=0x7F => (1, None),
        0x80..=0xC3 => (1, convert(Utf8, Latin1, text).ok()),
        // Units from 8000 on might be surrogates, which slows down the UTF-16 decoder.
        0xC4..=0xE7 => (2, convert(Utf8, Utf16Native, text).ok()),
        _ => (4, convert(Utf8, Utf32Native, text).ok()),
    });
    let Some(converted) = converted else { return PyString::from_bytes(py, text) };
    let (start, len) = (converted.as_ptr().cast::<c_char>(), converted.len() as ffi::Py_ssize_t);
    let mut order = ORDER;
    // Each decoder reads the `len` bytes before it returns, with the interpreter attached.
    let text = match unit {
        // SAFETY: see above.
        1 => unsafe { PyUnicode_DecodeLatin1(start, len, ptr::null()) },
        // SAFETY: see above; `order` is written to as well.
        2 => unsafe { PyUnicode_DecodeUTF16(start, len, ptr::null(), &mut order) },
        // SAFETY: see above; `order` is written to as well.
        _ => unsafe { PyUnicode_DecodeUTF32(start, len, ptr::null(), &mut order) },
    };
    // SAFETY: an owned reference, or null with an exception set.
    let text = unsafe { Bound::from_owned_ptr_or_err(py, text)? };
    Ok(text.cast_into()?)
}
