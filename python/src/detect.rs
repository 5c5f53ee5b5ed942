//! detect and undouble: the detection of encodings and mojibake in utf8kit-text.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use utf8kit_text::repair;

use crate::input::{Input, PIECE};
use crate::signals::{self, interruptible};

/// The best guess at an encoding.
#[pyclass(frozen, get_all, module = "utf8kit", name = "Detection")]
pub(crate) struct Detection {
    /// The encoding's name; None if the data is not text at all.
    encoding: Option<&'static str>,
    /// The confidence: `certain`, `likely` or `possible`.
    confidence: &'static str,
    /// The evidence, in words.
    evidence: Vec<String>,
    /// For text that was encoded twice, the encoding by which its UTF-8 was decoded; `repair(data, "undouble")` undoes
    /// it.
    doubled: Option<&'static str>,
    /// For UTF-8 with some lines in another encoding, that encoding; `repair(data, "fallback-lines=...")` repairs it.
    mixed: Option<&'static str>,
}

#[pymethods]
impl Detection {
    fn __repr__(&self) -> String {
        let encoding = self.encoding.map_or("None".to_owned(), |name| format!("'{name}'"));
        format!("Detection(encoding={encoding}, confidence='{}')", self.confidence)
    }
}

/// Guesses the encoding of some bytes, which are the whole data, and says why.
///
/// Args:
///     data: any buffer. It is not copied.
///
/// Returns:
///     A `Detection`: byte order marks, NULs as in UTF-16, UTF-8 once or twice, the signs of a dialect, then
///     statistics of legacy encodings, whichever decides first.
///
/// >>> import utf8kit
/// >>> utf8kit.detect("naïve".encode())
/// Detection(encoding='utf-8', confidence='certain')
/// >>> utf8kit.detect("cafÃ©".encode()).doubled
/// 'windows-1252'
#[pyfunction]
pub(crate) fn detect(py: Python<'_>, data: Input<'_>) -> PyResult<Detection> {
    let guess = match data.as_object().filter(|bytes| bytes.as_bytes().len() > PIECE) {
        Some(bytes) => {
            let bytes = PyBackedBytes::from(bytes.clone());
            interruptible(py, move |_| utf8kit_text::detect::detect(&bytes))?
        }
        None => data.with(py, utf8kit_text::detect::detect),
    };
    Ok(Detection {
        encoding: guess.encoding,
        confidence: guess.confidence.name(),
        evidence: guess.evidence,
        doubled: guess.doubled,
        mixed: guess.mixed,
    })
}

/// Decodes lines that were encoded twice (or more often), as far as that is certain. The rest is unchanged.
///
/// Args:
///     text: a str.
///
/// Returns:
///     str.
///
/// >>> import utf8kit
/// >>> utf8kit.undouble("cafÃ© itâ€™s\nnaïve")
/// 'café it’s\nnaïve'
#[pyfunction]
pub(crate) fn undouble(py: Python<'_>, text: &str) -> PyResult<String> {
    py.detach(|| {
        let mut all = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            all += repair::undouble(line).as_deref().unwrap_or(line);
            signals::check()?;
        }
        Ok(all)
    })
}
