//! validate, errors, repair, convert, count: each a call into the library.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use utf8kit::{AnyEncoding, Utf8};
use utf8kit_text::Counts;
use utf8kit_text::convert::{Conversion, Converter, Invalid, MAX_BOM_LEN};

use crate::encoding::{CharsetName, Name};
use crate::error::{Found, raise, utf8_error};
use crate::input::Input;
use crate::policy::Policy;

/// Finds the first error.
///
/// Args:
///     data: bytes, bytearray, memoryview, mmap or any other buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     The first error, or None if the data is well formed.
///
/// >>> import utf8kit
/// >>> utf8kit.validate("Grüße".encode()) is None
/// True
/// >>> error = utf8kit.validate(b"caf\xe9 au lait")
/// >>> error.offset, error.len, error.kind, error.bytes, error.expected
/// (3, 1, 'truncated', b'\xe9', (128, 191))
/// >>> print(error)
/// byte 3: truncated sequence: E9 lacks 2 bytes; after E9, expected 80..BF, found 20
#[pyfunction]
#[pyo3(signature = (data, encoding = Name::UTF8), text_signature = "(data, encoding='utf-8')")]
pub(crate) fn validate<'py>(
    py: Python<'py>,
    data: Input<'py>,
    encoding: Name,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = data.with(py, |bytes| {
        let result = match encoding.0 {
            AnyEncoding::Utf8 => utf8kit::validate_in(Utf8, bytes),
            other => utf8kit::validate_in(other, bytes),
        };
        result.err().map(|error| Found::new(encoding.0, error, bytes))
    });
    found.map(|found| utf8_error(py, &found, data.for_errors(py).as_ref())).transpose()
}

/// Finds every error, in order.
///
/// Args:
///     data: any buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///     limit: the maximum number of errors to return; None for all of them.
///
/// Returns:
///     A list of `Utf8Error`: the maximal subparts of The Unicode Standard, section 3.9, as Python's own
///     decoder replaces them. For counts of any size, see `Summary`.
///
/// >>> import utf8kit
/// >>> [(error.offset, error.kind) for error in utf8kit.errors(b"a\xe0\x80b\xff")]
/// [(1, 'overlong'), (2, 'unexpected_continuation'), (4, 'invalid_byte')]
/// >>> len(utf8kit.errors(b"\xff" * 100, limit=3))
/// 3
#[pyfunction]
#[pyo3(
    signature = (data, encoding = Name::UTF8, limit = None),
    text_signature = "(data, encoding='utf-8', limit=None)"
)]
pub(crate) fn errors<'py>(
    py: Python<'py>,
    data: Input<'py>,
    encoding: Name,
    limit: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let found: Vec<Found> = data.with(py, |bytes| {
        let errors = utf8kit::errors_in(encoding.0, bytes);
        errors.take(limit.unwrap_or(usize::MAX)).map(|error| Found::new(encoding.0, error, bytes)).collect()
    });
    let list = PyList::empty(py);
    let whole = if found.is_empty() { None } else { data.for_errors(py) };
    for found in &found {
        list.append(utf8_error(py, found, whole.as_ref())?)?;
    }
    Ok(list)
}

/// Repairs every error by a policy. The encoding stays the same.
///
/// Args:
///     data: any buffer. It is not copied.
///     policy: `replace` (a U+FFFD per maximal subpart, as in Python, browsers and Rust), `replace-byte` (one per byte,
///         as in Go's range loop), `replace-run` (one per run of errors, as in Go's `ToValidUTF8`), `java` (as in
///         Java's decoder), `remove`, `escape` (`\xHH`, undone exactly by `unescape`), `same-length` (a `?` per
///         byte), `unescape`, `undouble` (text that was encoded twice), `fallback=LABEL` (ill-formed bytes are
///         decoded in a legacy encoding), `fallback-lines=LABEL` (so are whole lines that contain them), or
///         `replace=TEXT` with any text.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     bytes; the same object if it is `bytes` and nothing changed.
///
/// >>> import utf8kit
/// >>> utf8kit.repair(b"caf\xe9!").decode()
/// 'caf\ufffd!'
/// >>> utf8kit.repair(b"caf\xe9!", "escape")
/// b'caf\\xE9!'
/// >>> utf8kit.repair(b"caf\xe9!", "fallback=windows-1252").decode()
/// 'café!'
#[pyfunction]
#[pyo3(
    signature = (data, policy = Policy::default(), encoding = Name::UTF8),
    text_signature = "(data, policy='replace', encoding='utf-8')"
)]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    data: Input<'py>,
    policy: Policy,
    encoding: Name,
) -> PyResult<Bound<'py, PyBytes>> {
    policy.check(encoding.0)?;
    let changed = data.with(py, |bytes| match policy.repair(encoding.0, bytes) {
        Cow::Borrowed(_) => None,
        Cow::Owned(repaired) => Some(repaired),
    });
    Ok(data.or_changed(py, changed))
}

/// Converts from one encoding to another.
///
/// Args:
///     data: any buffer. It is not copied.
///     source: the encoding of the data: one of `utf8kit.encodings()`, or a label of the WHATWG Encoding Standard
///         (`windows-1252`, `shift_jis`, `gb18030`, ...).
///     target: the encoding to convert to; the same names.
///     policy: what to do about errors and characters that the target cannot represent; None raises `Utf8Error`.
///
/// Returns:
///     bytes.
///
/// >>> import utf8kit
/// >>> utf8kit.convert("€".encode(), "utf-8", "utf-16be").hex(" ")
/// '20 ac'
/// >>> utf8kit.convert(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8", "utf-8").decode()
/// '😀'
/// >>> utf8kit.convert("naïve €".encode(), "utf-8", "latin1", "replace")
/// b'na\xefve ?'
#[pyfunction]
#[pyo3(signature = (data, source, target, policy = None))]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    data: Input<'py>,
    source: CharsetName,
    target: CharsetName,
    policy: Option<Policy>,
) -> PyResult<Bound<'py, PyBytes>> {
    let converted = match (source.native(), target.native()) {
        (Some(source), Some(target)) => {
            let policy = policy.as_ref().map(Policy::about_errors).transpose()?;
            data.with(py, |bytes| match policy {
                Some(policy) => Ok(utf8kit::convert_lossy(source, target, bytes, policy)),
                None => {
                    utf8kit::convert(source, target, bytes).map_err(|error| Found::new(source, error, bytes))
                }
            })
        }
        _ => {
            let invalid = policy.as_ref().map_or(Ok(Invalid::Strict), Policy::as_invalid)?;
            let mut conversion = Conversion::new(source.0, target.0);
            conversion.invalid = invalid;
            data.with(py, |bytes| convert_any(&conversion, bytes))
        }
    };
    match converted {
        Ok(converted) => Ok(PyBytes::new(py, &converted)),
        Err(found) => Err(raise(py, &found, data.for_errors(py).as_ref())),
    }
}

/// Converts if an encoding is a legacy one, or one whose byte order a mark decides.
fn convert_any(conversion: &Conversion, bytes: &[u8]) -> Result<Vec<u8>, Found> {
    let plan = conversion.start(&bytes[..bytes.len().min(MAX_BOM_LEN)]);
    let mut out = plan.prefix.clone();
    let pushed = Converter::new(&plan).push(&bytes[plan.skip..], true, &mut out, &mut Counts::default());
    pushed.map(|()| out).map_err(|error| {
        let offset = error.offset + plan.skip as u64;
        Found::conversion(error.at(offset), &conversion.from.to_string(), &conversion.to.to_string())
    })
}

/// Counts code points, with each error as one.
///
/// Args:
///     data: any buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     The length of `data.decode(encoding, "replace")`, without decoding it.
///
/// >>> import utf8kit
/// >>> utf8kit.count("Grüße".encode())
/// 5
#[pyfunction]
#[pyo3(signature = (data, encoding = Name::UTF8), text_signature = "(data, encoding='utf-8')")]
pub(crate) fn count(py: Python<'_>, data: Input<'_>, encoding: Name) -> usize {
    data.with(py, |bytes| utf8kit::count_in(encoding.0, bytes))
}
