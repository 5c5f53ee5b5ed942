//! validate, is_valid, errors, iter_errors: finds errors and their positions.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use utf8kit::{AnyEncoding, Encoding as _, MAX_LEN, Utf8};

use crate::encoding::Name;
use crate::error::{Found, utf8_error};
use crate::input::{BYTES_PER_CHECK, Input};

/// Finds the first error.
///
/// Args:
///     data: bytes, bytearray, memoryview, mmap or any other buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     The first error, or None if the data is valid.
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
pub(crate) fn validate<'py>(py: Python<'py>, data: Input<'py>, encoding: Name) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = first_error(py, &data, encoding.0)?;
    found.map(|found| utf8_error(py, &found, data.for_errors(py).as_ref())).transpose()
}

fn first_error(py: Python<'_>, data: &Input<'_>, encoding: AnyEncoding) -> PyResult<Option<Found>> {
    if data.bytes().len() > BYTES_PER_CHECK {
        return Ok(find(py, data, encoding, &mut 0, 1)?.pop());
    }
    Ok(data.with(py, |bytes| {
        let result = match encoding {
            AnyEncoding::Utf8 => Utf8.validate(bytes),
            other => other.validate(bytes),
        };
        result.err().map(|error| Found::new(encoding, error, bytes))
    }))
}

/// Finds errors from the boundary `at`, up to `limit`, and moves `at` after them. Checks for Ctrl-C between pieces.
pub(crate) fn find(
    py: Python<'_>,
    data: &Input<'_>,
    encoding: AnyEncoding,
    at: &mut usize,
    limit: usize,
) -> PyResult<Vec<Found>> {
    let mut found = Vec::new();
    let len = data.bytes().len();
    data.steps(py, |bytes| {
        let end = encoding.ceil_char_boundary(bytes, at.saturating_add(BYTES_PER_CHECK).min(len));
        // Later bytes may determine the extent of an error.
        let seen = bytes.get(*at..len.min(end + 2 * MAX_LEN)).unwrap_or_default();
        let mut next = end;
        for error in encoding.errors(seen) {
            let start = *at + error.valid_up_to();
            if start >= end || found.len() >= limit {
                break;
            }
            found.push(Found::new(encoding, error, seen).moved(*at as u64));
            if found.len() == limit {
                next = start + usize::from(error.len);
            }
        }
        *at = next;
        if *at < len && found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

/// Reports whether the data is valid.
///
/// Args:
///     data: any buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///
/// >>> import utf8kit
/// >>> utf8kit.is_valid("Grüße".encode()), utf8kit.is_valid(b"caf\xe9")
/// (True, False)
/// >>> utf8kit.is_valid(b"\xed\xa0\x80", "wtf-8")
/// True
#[pyfunction]
#[pyo3(signature = (data, encoding = Name::UTF8), text_signature = "(data, encoding='utf-8')")]
pub(crate) fn is_valid(py: Python<'_>, data: Input<'_>, encoding: Name) -> PyResult<bool> {
    Ok(first_error(py, &data, encoding.0)?.is_none())
}

/// Iterates over the errors, in order. For data with many errors, it needs less memory than `errors`.
///
/// Args:
///     data: any buffer. A buffer of more than 64 MiB that is not `bytes` is not copied, so it must not change in the
///         meantime.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     An iterator of `Utf8Error`.
///
/// >>> import utf8kit
/// >>> next(utf8kit.iter_errors(b"a" * 1000 + b"\xff" * 1000)).offset
/// 1000
#[pyfunction]
#[pyo3(signature = (data, encoding = Name::UTF8), text_signature = "(data, encoding='utf-8')")]
pub(crate) fn iter_errors(data: &Bound<'_, PyAny>, encoding: Name) -> PyResult<ErrorIterator> {
    let input: Input<'_> = data.extract()?;
    let whole = input.for_errors(data.py());
    let object = whole.as_ref().and_then(Input::as_object).map_or(data, |bytes| bytes.as_any());
    let rest = Mutex::new((0, VecDeque::new()));
    Ok(ErrorIterator { object: object.clone().unbind(), encoding: encoding.0, rest })
}

/// The iterator of `iter_errors`.
#[pyclass(frozen, module = "utf8kit._native", name = "ErrorIterator")]
pub(crate) struct ErrorIterator {
    object: Py<PyAny>,
    encoding: AnyEncoding,
    /// The position of the search, and the errors found so far.
    rest: Mutex<(usize, VecDeque<Found>)>,
}

#[pymethods]
impl ErrorIterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        /// The number of errors found at a time.
        const ERRORS_PER_CALL: usize = 64;
        let input: Input<'py> = self.object.bind(py).extract()?;
        let lock = || self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, known) = {
            let mut rest = lock();
            (rest.0, rest.1.pop_front())
        };
        let found = match known {
            Some(found) => Some(found),
            None => {
                let mut next = at;
                let more = find(py, &input, self.encoding, &mut next, ERRORS_PER_CALL)?;
                let mut rest = lock();
                *rest = (next, more.into());
                rest.1.pop_front()
            }
        };
        let whole = input.as_object().is_some();
        found.map(|found| utf8_error(py, &found, whole.then_some(&input))).transpose()
    }
}

/// Finds every error, in order.
///
/// Args:
///     data: any buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///     limit: the maximum number of errors to return; None for all of them.
///
/// Returns:
///     A list of `Utf8Error`: the maximal subparts (The Unicode Standard, section 3.9) that Python's own decoder
///     replaces. For counts of any size, see `Summary`.
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
    let found = find(py, &data, encoding.0, &mut 0, limit.unwrap_or(usize::MAX))?;
    let list = PyList::empty(py);
    let whole = if found.is_empty() { None } else { data.for_errors(py) };
    for found in &found {
        list.append(utf8_error(py, found, whole.as_ref())?)?;
    }
    Ok(list)
}
