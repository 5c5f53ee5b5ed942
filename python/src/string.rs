//! Creates a `str`.
//!
//! CPython decodes non-ASCII UTF-8 byte by byte. So the bytes are converted here to the units in which a `str` holds
//! its code points, of one, two or four bytes each, and CPython only copies them. The function for that,
//! `PyUnicode_FromKindAndData`, has existed since Python 3.3 but is not part of the stable ABI. So it is looked up at
//! run time, and if it is missing, CPython decodes the units as Latin-1, UTF-16 or UTF-32.
#![expect(unsafe_code, reason = "PyO3 has no safe function for these decoders")]

use std::mem;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

use pyo3::ffi::{self, PyUnicode_DecodeLatin1, PyUnicode_DecodeUTF16, PyUnicode_DecodeUTF32};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use utf8kit::{AnyEncoding, Converter, Encoding, Latin1, Utf8Bits21, Utf16, Utf32, Wtf16};

use crate::input::MIN_BYTES_TO_DETACH;

/// Below this many bytes, converting costs as much as it saves.
const MIN_BYTES_TO_CONVERT: usize = 64;

/// The byte order passed to CPython's decoders. If it is given, a byte order mark at the start is kept as text.
const BYTE_ORDER: c_int = if cfg!(target_endian = "big") { 1 } else { -1 };

/// `PyUnicode_FromKindAndData`: the width of a unit in bytes, the units, and their number.
type FromUnits = unsafe extern "C" fn(c_int, *const c_void, ffi::Py_ssize_t) -> *mut ffi::PyObject;

/// Text in units of the width that its `str` needs.
pub(crate) struct Units {
    /// In bytes: 1, 2 or 4.
    width: usize,
    /// The units; `None` if the bytes are ASCII, which are their own units.
    converted: Option<Vec<u8>>,
    /// The number of bytes converted.
    pub(crate) read: usize,
}

/// Converts bytes in a dialect, as far as no further input can change the output. Returns `None` if the conversion
/// stops at an error or at a value that the target lacks, or if converting through UTF-8 is as fast. With `escapes`, no
/// surrogates are converted.
pub(crate) fn units(dialect: AnyEncoding, bytes: &[u8], last: bool, escapes: bool) -> Option<Units> {
    if bytes.len() < MIN_BYTES_TO_CONVERT {
        return None;
    }
    // The highest byte is a lead, unless all bytes are ASCII.
    let highest = bytes.iter().fold(0, |highest, &byte| highest.max(byte));
    let (width, target) = match (highest, dialect) {
        // Its lead bytes differ. With ED or higher, there may be surrogate pairs, which no kernel converts to UTF-32.
        (_, AnyEncoding::Utf8Offset) | (0xED.., AnyEncoding::Cesu8 | AnyEncoding::Mutf8) => return None,
        (0..=0x7F, _) => {
            let all = Units { width: 1, converted: None, read: bytes.len() };
            return dialect.validate(bytes).is_ok().then_some(all);
        }
        (0x80..=0xC3, _) => (1, Latin1.any()),
        (0xC4..=0xEF, AnyEncoding::Wtf8) if !escapes => (2, Wtf16.any()),
        (0xC4..=0xEF, _) => (2, Utf16.any()),
        _ => (4, Utf32.any()),
    };
    let mut converted = Vec::new();
    let mut converter = Converter::strict(dialect, target);
    converter.push(bytes, &mut converted).ok()?;
    if last {
        converter.finish(&mut converted).ok()?;
    }
    Some(Units { width, converted: Some(converted), read: bytes.len() - converter.pending().len() })
}

impl Units {
    /// Creates a `str` of the units. `ascii` returns the bytes that they were made from. It is called if the bytes are
    /// the units, and no Python code runs after that.
    pub(crate) fn text<'py, 'b>(
        &'b self,
        py: Python<'py>,
        ascii: impl FnOnce() -> &'b [u8],
    ) -> PyResult<Bound<'py, PyString>> {
        let from_units = if self.width > 1 { from_units(py) } else { None };
        let units = self.converted.as_deref().unwrap_or_else(ascii);
        let (start, len) = (units.as_ptr().cast::<c_char>(), units.len() as ffi::Py_ssize_t);
        let mut order = BYTE_ORDER;
        let errors = c"surrogatepass".as_ptr();
        // Each function reads the `len` bytes before it returns, with the interpreter attached.
        let text = match (self.width, from_units) {
            // SAFETY: see above.
            (1, _) => unsafe { PyUnicode_DecodeLatin1(start, len, ptr::null()) },
            (width, Some(from_units)) if start.addr().is_multiple_of(width) => {
                // SAFETY: see above; the units are of this width, aligned, and code points.
                unsafe { from_units(width as c_int, start.cast(), len / width as ffi::Py_ssize_t) }
            }
            // SAFETY: see above; `order` is written to as well.
            (2, _) => unsafe { PyUnicode_DecodeUTF16(start, len, errors, &mut order) },
            // SAFETY: see above; `order` is written to as well.
            _ => unsafe { PyUnicode_DecodeUTF32(start, len, errors, &mut order) },
        };
        // SAFETY: an owned reference, or null with an exception set.
        let text = unsafe { Bound::from_owned_ptr_or_err(py, text)? };
        Ok(text.cast_into()?)
    }
}

/// Returns the function of CPython, if there is one.
fn from_units(py: Python<'_>) -> Option<FromUnits> {
    static FOUND: PyOnceLock<Option<FromUnits>> = PyOnceLock::new();
    *FOUND.get_or_init(py, || {
        let ctypes = py.import("ctypes").ok()?;
        let function = ctypes.getattr("pythonapi").and_then(|api| api.getattr("PyUnicode_FromKindAndData")).ok()?;
        let address = ctypes.call_method1("cast", (function, ctypes.getattr("c_void_p").ok()?)).ok()?;
        let address: usize = address.getattr("value").and_then(|value| value.extract()).ok()?;
        // SAFETY: the function of this name has had this type since Python 3.3, and is never unloaded.
        (address != 0).then(|| unsafe { mem::transmute::<*const c_void, FromUnits>(address as *const c_void) })
    })
}

/// Creates a `str` from UTF-8.
pub(crate) fn from_utf8<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let convert = || units(AnyEncoding::Utf8, text, true, false);
    let units = if text.len() < MIN_BYTES_TO_DETACH { convert() } else { py.detach(convert) };
    match units {
        Some(units) => units.text(py, || text),
        None => PyString::from_bytes(py, text),
    }
}

/// Creates a `str` from UTF-8 with surrogates, each of three bytes.
pub(crate) fn from_surrogates<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let mut units = Vec::with_capacity(4 * text.len());
    let mut at = 0;
    while let Some(step) = Utf8Bits21.decode(&text[at..]) {
        // All of it is valid.
        units.extend_from_slice(&step.result.unwrap_or(0xFFFD).to_ne_bytes());
        at += step.len();
    }
    Units { width: 4, converted: Some(units), read: text.len() }.text(py, || text)
}
