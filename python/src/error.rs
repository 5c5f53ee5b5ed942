//! Converts the library's errors to Python exceptions.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use utf8kit::explain::explain;
use utf8kit::{AnyEncoding, Error, MAX_LEN};
use utf8kit_encodings::convert::{Conversion, ConversionError, ConversionErrorKind};
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::unicode;

use crate::encoding::Name;
use crate::input::Input;

/// An error with the bytes around it. It contains all that [`utf8_error`] needs without the input.
#[derive(Clone)]
pub(crate) struct Found {
    encoding: Cow<'static, str>,
    offset: u64,
    len: usize,
    kind: &'static str,
    /// The description, if it cannot be derived from the bytes.
    words: Option<String>,
    /// The error's bytes, and as many bytes after them as can affect it.
    bytes: Vec<u8>,
    /// For a character that the target encoding lacks: the character and the target's name.
    lacking: Option<Box<(char, String)>>,
}

impl Found {
    /// Creates the error at `error.offset` of `bytes`.
    pub(crate) fn new(encoding: AnyEncoding, error: Error, bytes: &[u8]) -> Found {
        let start = error.valid_up_to().min(bytes.len());
        let bytes = bytes[start..bytes.len().min(start + 2 * MAX_LEN)].to_vec();
        let words = error.unrepresentable.then(|| format!("{} that the target cannot hold", error.kind));
        let (offset, kind) = (error.offset, error.kind.name());
        Found {
            encoding: Cow::Borrowed(encoding.name()),
            offset,
            len: usize::from(error.len).min(bytes.len()),
            kind,
            words,
            bytes,
            lacking: None,
        }
    }

    /// Creates the error of a conversion between two encodings of the library. For a character that `target` lacks, the
    /// exception is an `UnencodableError`.
    pub(crate) fn converting(source: AnyEncoding, target: AnyEncoding, error: Error, bytes: &[u8]) -> Found {
        let found = Found::new(source, error, bytes);
        if !error.unrepresentable {
            return found;
        }
        let item = explain(source, &found.bytes).next();
        let character = item.and_then(|item| char::from_u32(item.result.ok()?));
        let name = target.name();
        let words = character.map(|character| lacks(name, character)).or(found.words);
        Found { lacking: character.map(|character| Box::new((character, name.to_owned()))), words, ..found }
    }

    /// Creates an error of a stream, given the bytes around it and their offset.
    pub(crate) fn in_stream(encoding: AnyEncoding, mut error: Error, around: &[u8], base: u64) -> Found {
        error.offset = error.offset.saturating_sub(base);
        Found::new(encoding, error, around).moved(base)
    }

    /// [`Found::converting`] of a stream, given the bytes around the error and their offset.
    pub(crate) fn converting_in_stream(
        source: AnyEncoding,
        target: AnyEncoding,
        mut error: Error,
        around: &[u8],
        base: u64,
    ) -> Found {
        error.offset = error.offset.saturating_sub(base);
        Found::converting(source, target, error, around).moved(base)
    }

    /// Creates the error of a conversion from or to a legacy encoding, whose text begins after `skipped` bytes.
    pub(crate) fn conversion(error: ConversionError, conversion: &Conversion, skipped: u64) -> Found {
        let offset = error.offset + skipped;
        let error = error.at(offset);
        let (source, target) = (conversion.from.to_string(), conversion.to.to_string());
        let lacking = match error.kind {
            ConversionErrorKind::Lacking(value, None) | ConversionErrorKind::Altered(value, _) => {
                char::from_u32(value).map(|value| Box::new((value, target.clone())))
            }
            _ => None,
        };
        let words = match lacking.as_deref() {
            Some((character, target)) => lacks(target, *character),
            None => error.describe(&source, &target),
        };
        let kind = match error.kind {
            ConversionErrorKind::IllFormed(kind) | ConversionErrorKind::Lacking(_, Some(kind)) => kind.name(),
            _ => "malformed",
        };
        let (len, bytes) = (error.bytes.len(), error.bytes);
        Found { encoding: Cow::Owned(source), offset: error.offset, len, kind, words: Some(words), bytes, lacking }
    }

    /// Returns the same error, `base` bytes further on.
    pub(crate) fn moved(mut self, base: u64) -> Found {
        self.offset += base;
        self
    }
}

/// Describes a character that an encoding lacks.
fn lacks(target: &str, character: char) -> String {
    let value = u32::from(character);
    format!("{target} lacks U+{value:04X} {}", unicode::name(value)).trim_end().to_owned()
}

/// Creates the `utf8kit.UnencodableError` of a character that the target lacks.
fn unencodable_error<'py>(
    py: Python<'py>,
    found: &Found,
    (character, target): &(char, String),
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "utf8kit._error", "UnencodableError")?;
    let bytes = PyBytes::new(py, &found.bytes[..found.len]);
    class.call1((target, character.to_string(), found.offset, bytes, found.words.as_deref().unwrap_or_default()))
}

/// Creates the `utf8kit.Utf8Error` of an error. Like Python's own exceptions, it holds the input, or if that is not
/// given, only the error's bytes.
pub(crate) fn utf8_error<'py>(
    py: Python<'py>,
    found: &Found,
    input: Option<&Input<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if let Some(lacking) = &found.lacking {
        return unencodable_error(py, found, lacking);
    }
    let class = CLASS.import(py, "utf8kit._error", "Utf8Error")?;
    let (object, start) = match input.and_then(Input::as_object) {
        Some(object) => (object.clone(), usize::try_from(found.offset).unwrap_or(usize::MAX)),
        None => (PyBytes::new(py, &found.bytes[..found.len]), 0),
    };
    let context = PyBytes::new(py, &found.bytes);
    let words = found.words.as_deref();
    class.call1((&*found.encoding, object, start, start + found.len, found.offset, found.kind, context, words))
}

/// Returns the exception to raise for an error.
pub(crate) fn raise(py: Python<'_>, found: &Found, input: Option<&Input<'_>>) -> PyErr {
    utf8_error(py, found, input).map_or_else(|error| error, PyErr::from_value)
}

/// The description, and the bytes that were expected.
type Described = (String, Option<(u8, u8)>);

/// describe(context, encoding) -> tuple[str, tuple[int, int] | None]
///
/// Describes the error at the start of `context`: a description, and the range of bytes that would have continued it.
#[pyfunction]
pub(crate) fn describe(context: &[u8], encoding: Name) -> PyResult<Described> {
    let item = explain(encoding.0, context).next().ok_or_else(|| PyValueError::new_err("no bytes"))?;
    Ok((Description::about(encoding.0, context).message(), item.expected))
}
