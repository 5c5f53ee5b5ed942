//! Why an Arrow column cannot be read.

use std::fmt;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use utf8kit::column::LayoutError;

/// Why a column cannot be read.
#[derive(Debug)]
pub(crate) enum ArrowError {
    /// The structure in the capsule was already used.
    Released,
    /// The producer violates the format.
    Malformed(&'static str),
    /// Invalid offsets, views or validity.
    Layout(LayoutError),
    /// A value that cannot become a string.
    IllFormed { row: u64, what: String },
    /// An error of the producer.
    Source(String),
    /// The exception for Ctrl-C.
    Interrupted(PyErr),
}

impl fmt::Display for ArrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrowError::Released => f.write_str("this Arrow capsule has been consumed already"),
            ArrowError::Malformed(what) => write!(f, "not valid Arrow data: {what}"),
            ArrowError::Layout(error) => write!(f, "not valid Arrow data: {error}"),
            ArrowError::IllFormed { row, what } => write!(f, "row {row}, {what}"),
            ArrowError::Source(message) => f.write_str(message),
            ArrowError::Interrupted(error) => write!(f, "{error}"),
        }
    }
}

impl From<PyErr> for ArrowError {
    fn from(error: PyErr) -> ArrowError {
        ArrowError::Interrupted(error)
    }
}

impl From<LayoutError> for ArrowError {
    fn from(error: LayoutError) -> ArrowError {
        ArrowError::Layout(error)
    }
}

impl From<ArrowError> for PyErr {
    fn from(error: ArrowError) -> PyErr {
        match error {
            ArrowError::Interrupted(error) => error,
            error => PyValueError::new_err(error.to_string()),
        }
    }
}
