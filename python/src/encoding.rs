//! Encodings by name.

use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_encodings::charset::Charset;

/// An argument that names one of the library's encodings.
#[derive(Clone, Copy)]
pub(crate) struct Name(pub(crate) AnyEncoding);

impl Name {
    /// The default.
    pub(crate) const UTF8: Name = Name(AnyEncoding::Utf8);
}

impl<'a, 'py> FromPyObject<'a, 'py> for Name {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>()?;
        let name = text.to_str()?;
        if name == "utf-8" {
            return Ok(Name::UTF8);
        }
        name.parse().map(Name).map_err(|_| {
            let names: Vec<_> = AnyEncoding::ALL.iter().map(|encoding| encoding.name()).collect();
            PyLookupError::new_err(format!("unknown encoding: {name}; known are {}", names.join(", ")))
        })
    }
}

/// An argument that names any encoding: one of the library's, `utf-16` or `utf-32` with a mark, or a legacy one.
#[derive(Clone, Copy)]
pub(crate) struct CharsetName(pub(crate) Charset);

impl CharsetName {
    /// UTF-8.
    pub(crate) const UTF8: CharsetName = CharsetName(Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8)));

    /// Returns the library's encoding, if it is one.
    pub(crate) fn native(self) -> Option<AnyEncoding> {
        match self.0 {
            Charset::Named(EncodingLabel::Exact(encoding)) => Some(encoding),
            _ => None,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for CharsetName {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let name: &str = object.extract()?;
        name.parse().map(CharsetName).map_err(|_| PyLookupError::new_err(format!("unknown encoding: {name}")))
    }
}

/// encodings() -> list[str]
///
/// Returns the names of all encodings of the library itself: the seven dialects of UTF-8 first.
#[pyfunction]
pub(crate) fn encodings() -> Vec<&'static str> {
    AnyEncoding::ALL.iter().map(|encoding| encoding.name()).collect()
}

/// dialects() -> list[str]
///
/// Returns the names of the seven dialects of UTF-8, `utf-8` first.
#[pyfunction]
pub(crate) fn dialects() -> Vec<&'static str> {
    AnyEncoding::ALL.iter().filter(|encoding| encoding.is_dialect()).map(|encoding| encoding.name()).collect()
}
