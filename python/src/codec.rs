//! Python's codecs for the dialects: bytes to `str` and back.
//!
//! A `str` holds any code point up to 10FFFF, including lone surrogates. Where that is faster and nothing stops the
//! conversion, the bytes are converted to the units of a `str` at once. Otherwise they are converted to UTF-8, error by
//! error: the library's strict converter stops at ill-formed bytes and at values that UTF-8 cannot represent. A
//! surrogate is passed on as three bytes, the rest is an error.

use std::borrow::Cow;

use pyo3::exceptions::{PyIndexError, PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use utf8kit::{
    AnyEncoding, Converter, ENCODE_BUFFER, Encoding, Error, ErrorKind, Utf8, Utf8Bits21, Utf8Offset,
};

use crate::encoding::Name;
use crate::error::{Found, raise, utf8_error};
use crate::input::Input;
use crate::policy::Policy;
use crate::string;

/// A part without errors, in UTF-8 with surrogates, and the error after it.
struct Stretch {
    text: Vec<u8>,
    /// Number of bytes of the input that are in `text`.
    read: usize,
    /// Whether `text` contains surrogates.
    surrogates: bool,
    error: Option<Error>,
}

/// Converts up to the first error, or as far as no further input can change the output.
fn stretch(encoding: AnyEncoding, bytes: &[u8], last: bool) -> Stretch {
    match encoding {
        // Converts item by item, which needs a loop compiled for it.
        AnyEncoding::Utf8Offset => stretch_of(Utf8Offset, bytes, last),
        any => stretch_of(any, bytes, last),
    }
}

fn stretch_of<E: Encoding>(encoding: E, bytes: &[u8], last: bool) -> Stretch {
    let mut found = Stretch { text: Vec::new(), read: 0, surrogates: false, error: None };
    loop {
        let mut converter = Converter::strict(encoding, Utf8);
        let rest = &bytes[found.read..];
        let pushed = converter.push(rest, &mut found.text);
        let result = pushed.and_then(|()| if last { converter.finish(&mut found.text) } else { Ok(()) });
        let Err(error) = result else {
            found.read = bytes.len() - converter.pending().len();
            return found;
        };
        let at = found.read + error.valid_up_to();
        found.read = at;
        let step = encoding.decode(&bytes[at..]);
        match step.map(|step| (step.result, step.len())) {
            Some((Ok(value @ 0xD800..=0xDFFF), len)) => {
                let mut three = [0; ENCODE_BUFFER];
                let written = Utf8Bits21.encode(value, &mut three).unwrap_or(0);
                found.text.extend_from_slice(&three[..written]);
                found.surrogates = true;
                found.read += len;
            }
            Some((Ok(_), len)) => {
                found.error = Some(Error::new(at as u64, len as u8, ErrorKind::TooLarge));
                return found;
            }
            _ => {
                found.error = Some(Error::new(at as u64, error.len, error.kind));
                return found;
            }
        }
    }
}

/// Creates a `str` from UTF-8 that may contain surrogates.
fn text_of<'py>(py: Python<'py>, text: &[u8], surrogates: bool) -> PyResult<Bound<'py, PyString>> {
    if !surrogates {
        return string::from_utf8(py, text);
    }
    PyString::from_encoded_object(&PyBytes::new(py, text), Some(c"utf-8"), Some(c"surrogatepass"))
}

/// decode(data, encoding, errors, last) -> tuple[str, int]
///
/// Returns the text, and how many bytes were decoded: all but those that need more input, unless these are the last.
#[pyfunction]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    data: Input<'py>,
    encoding: Name,
    errors: &str,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let Name(encoding) = encoding;
    if let Some(units) = data.with(py, |bytes| string::units(encoding, bytes, last)) {
        return Ok((units.text(py, || data.bytes())?, units.read));
    }
    let mut text = Vec::new();
    let mut surrogates = false;
    let mut at = 0;
    // The input for error handlers, created at the first error.
    let mut whole: Option<Input<'py>> = None;
    loop {
        let (found, error) = data.with(py, |bytes| {
            let found = stretch(encoding, bytes.get(at..).unwrap_or_default(), last);
            let error = found.error.map(|error| Found::new(encoding, error, &bytes[at..]).moved(at as u64));
            (found, error)
        });
        surrogates |= found.surrogates;
        if text.is_empty() {
            text = found.text
        } else {
            text.extend_from_slice(&found.text)
        }
        at += found.read;
        let (Some(error), Some(len)) = (error, found.error.map(|error| usize::from(error.len))) else {
            return Ok((text_of(py, &text, surrogates)?, at));
        };
        match errors {
            "replace" => text.extend_from_slice("\u{FFFD}".as_bytes()),
            "ignore" => {}
            _ => {
                let input = match &whole {
                    Some(input) => input,
                    None => whole.insert(Input::Bytes(data.or_changed(py, None))),
                };
                if errors == "strict" {
                    return Err(raise(py, &error, Some(input)));
                }
                let error = utf8_error(py, &error, Some(input))?;
                let (replacement, next) = handled(py, errors, &error, data.with(py, <[u8]>::len))?;
                let replacement = surrogate_bytes(&replacement)?;
                surrogates |= utf8kit::validate(&replacement).is_err();
                text.extend_from_slice(&replacement);
                at = next;
                continue;
            }
        }
        at += len;
    }
}

/// Calls an error handler; returns its text, and the position to continue from.
fn handled<'py>(
    py: Python<'py>,
    name: &str,
    error: &Bound<'py, PyAny>,
    len: usize,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let handler = py.import("codecs")?.call_method1("lookup_error", (name,))?;
    let answer = handler.call1((error,))?;
    let (replacement, next): (Bound<'_, PyString>, isize) = answer
        .extract()
        .map_err(|_| PyTypeError::new_err("decoding error handler must return (str, int) tuple"))?;
    let from_start = if next < 0 { len.checked_sub(next.unsigned_abs()) } else { Some(next.unsigned_abs()) };
    match from_start.filter(|&next| next <= len) {
        Some(next) => Ok((replacement, next)),
        None => Err(PyIndexError::new_err(format!("position {next} from error handler out of bounds"))),
    }
}

/// Returns the UTF-8 of a `str`, with surrogates as three bytes.
fn surrogate_bytes<'t>(text: &'t Bound<'_, PyString>) -> PyResult<Cow<'t, [u8]>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// Converts a text up to its first error.
fn convert<S: Encoding, T: Encoding>(from: S, to: T, text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let mut converter = Converter::strict(from, to);
    converter.push(text, out)?;
    converter.finish(out)
}

/// encode(text, encoding, errors) -> bytes
#[pyfunction]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyString>,
    encoding: Name,
    errors: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let Name(encoding) = encoding;
    let bytes = surrogate_bytes(text)?;
    let surrogates = matches!(bytes, Cow::Owned(_));
    let bytes = bytes.as_ref();
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let result = py.detach(|| match encoding {
            // Surrogates are values of this form, so any `str` is well formed in it.
            any if surrogates => convert(Utf8Bits21, any, rest, &mut out),
            AnyEncoding::Utf8Offset => convert(Utf8, Utf8Offset, rest, &mut out),
            any => convert(Utf8, any, rest, &mut out),
        });
        let Err(error) = result else { return Ok(PyBytes::new(py, &out)) };
        at += error.valid_up_to();
        let place = utf8kit::count_in(Utf8Bits21, &bytes[..at]);
        let end = place + utf8kit::count_in(Utf8Bits21, &bytes[at..at + usize::from(error.len)]);
        at += usize::from(error.len);
        match errors {
            "ignore" => continue,
            "replace" => {
                out.extend_from_slice(&utf8kit::convert_lossy(Utf8, encoding, b"?", utf8kit::Policy::REPLACE))
            }
            _ => {
                let reason = format!("{} cannot hold this {}", encoding.name(), error.kind);
                let class = py.get_type::<PyUnicodeEncodeError>();
                let exception = class.call1((encoding.name(), text, place, end, reason))?;
                if errors == "strict" {
                    return Err(PyErr::from_value(exception));
                }
                let handler = py.import("codecs")?.call_method1("lookup_error", (errors,))?;
                let (replacement, next): (Bound<'_, PyAny>, usize) =
                    handler.call1((exception,))?.extract()?;
                if let Ok(replacement) = replacement.cast::<PyBytes>() {
                    out.extend_from_slice(replacement.as_bytes());
                } else {
                    let replacement = encode(py, replacement.cast::<PyString>()?, Name(encoding), "strict")?;
                    out.extend_from_slice(replacement.as_bytes());
                }
                at = utf8kit::offset_of_in(Utf8Bits21, bytes, next).ok_or_else(|| {
                    PyIndexError::new_err(format!("position {next} from error handler out of bounds"))
                })?;
            }
        }
    }
}

/// replacement(data, start, encoding, policy) -> tuple[str, int]
///
/// Returns what a policy writes for the errors that begin at `start` with nothing good between them, and where they
/// end.
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
        for error in utf8kit::errors_in(encoding.0, rest) {
            if error.valid_up_to() != end {
                break;
            }
            end = error.range().end;
        }
        (utf8kit::convert_lossy(encoding.0, Utf8, &rest[..end], policy), start + end)
    });
    Ok((text_of(py, &text, false)?, end))
}
