//! Python's codecs for the dialects: bytes to `str` and back.

mod decode;
mod encode;

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use utf8kit::{AnyEncoding, Encoding, Utf8};

use crate::encoding::Name;
use crate::input::Input;
use crate::policy::Policy;
use crate::string;
use decode::decode;
use encode::encode;

/// A dialect as a codec of Python's.
#[pyclass(frozen, module = "utf8kit._native", name = "Codec")]
pub(crate) struct Codec(AnyEncoding);

#[pymethods]
impl Codec {
    #[new]
    fn new(encoding: Name) -> Codec {
        Codec(encoding.0)
    }

    /// Returns the name of the dialect.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.0.name()
    }

    /// Returns the text and the number of decoded bytes: all except incomplete bytes at the end, unless these are the
    /// last.
    #[pyo3(signature = (data, errors = "strict", last = true))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        data: Input<'py>,
        errors: &str,
        last: bool,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        decode(py, &data, self.0, errors, last)
    }

    /// Returns the bytes, and the number of encoded code points, which is all of them.
    #[pyo3(signature = (text, errors = "strict"))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        errors: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        Ok((encode(py, text, self.0, errors)?, text.len()?))
    }
}

/// Error handling that needs no call of Python code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handler {
    Replace,
    Ignore,
    /// `surrogateescape`.
    Escape,
    /// `strict`, or any other.
    Python,
}

impl Handler {
    fn of(errors: &str) -> Handler {
        match errors {
            "replace" => Handler::Replace,
            "ignore" => Handler::Ignore,
            "surrogateescape" => Handler::Escape,
            _ => Handler::Python,
        }
    }
}

/// Reports whether a text is the same in a dialect as in UTF-8. A few dialects never differ; the others differ only in
/// NUL and beyond the basic plane.
fn is_same_in(dialect: AnyEncoding, text: &[u8]) -> bool {
    match dialect {
        AnyEncoding::Utf8Bits21 | AnyEncoding::Utf8Bits31 | AnyEncoding::Wtf8 => true,
        AnyEncoding::Cesu8 => has_none(text, |byte| byte >= 0xF0),
        AnyEncoding::Mutf8 => has_none(text, |byte| byte >= 0xF0 || byte == 0),
        _ => has_none(text, |byte| byte >= 0x80),
    }
}

/// Reports whether a text has no such byte. Processes blocks, so that the compiler vectorizes the loop.
fn has_none(text: &[u8], is: impl Fn(u8) -> bool) -> bool {
    text.chunks(64).all(|block| !block.iter().fold(false, |any, &byte| any | is(byte)))
}

/// Below this many bytes, [`is_same_in`] pays off even if the text must also be validated.
const MIN_BYTES_TO_VALIDATE: usize = 64;

/// Returns the UTF-8 of a `str`, with surrogates as three bytes.
fn surrogate_bytes<'t>(text: &'t Bound<'_, PyString>) -> PyResult<Cow<'t, [u8]>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// replacement(data, start, encoding, policy) -> tuple[str, int]
///
/// Returns the replacement by a policy for the run of adjacent errors at `start`, and the end of the run.
#[pyfunction]
pub(crate) fn replacement<'py>(
    py: Python<'py>,
    data: Input<'py>,
    start: usize,
    encoding: Name,
    policy: Policy,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let policy = policy.about_errors()?;
    let (text, end) = data.with(py, |bytes| {
        let rest = bytes.get(start..).unwrap_or_default();
        let mut end = 0;
        for error in encoding.0.errors(rest) {
            if error.valid_up_to() != end {
                break;
            }
            end = error.range().end;
        }
        (utf8kit::convert_lossy(encoding.0, Utf8, &rest[..end], policy), start + end)
    });
    Ok((string::from_utf8(py, &text)?, end))
}
