//! `utf8kit.Summary`: summaries of text in parts that merge.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use utf8kit::{AnyEncoding, ErrorKind};

use crate::encoding::Name;
use crate::input::{Input, os_error};
use crate::signals::{Cancelled, interruptible};

/// Number of bytes of a file read at a time.
const BYTES_PER_READ: usize = 4 << 20;

/// Default number of first errors that a summary keeps.
pub(crate) const DEFAULT_ERRORS_KEPT: usize = 100;

/// A summary of a text: whether it is valid, its first errors, the number of errors of each kind, a histogram of their
/// positions, and the numbers of code points and lines.
///
/// The summaries of two adjacent byte ranges merge into the summary of both, for any split and any grouping of ranges.
/// So threads, processes and machines get the result of a single pass.
///
/// >>> from utf8kit import Summary
/// >>> data = b"one\ntw\xffo\nthr\xe2\x82ee"
/// >>> whole = Summary.of(data)
/// >>> Summary.of(data, 0, 13).merge(Summary.of(data, 13)) == whole   # the cut is within a sequence
/// True
/// >>> whole.errors, whole.kinds["truncated"], whole.lines, whole.is_valid
/// (2, 1, 2, False)
/// >>> whole.first_errors[1]
/// {'offset': 12, 'len': 2, 'kind': 'truncated', 'line': 3, 'column': 4}
#[pyclass(frozen, eq, module = "utf8kit", name = "Summary")]
#[derive(Clone, PartialEq)]
pub(crate) struct Summary {
    encoding: AnyEncoding,
    summary: utf8kit::summary::Summary,
}

#[pymethods]
impl Summary {
    /// Creates an empty summary, which is neutral in a merge.
    #[new]
    #[pyo3(
        signature = (encoding = Name::UTF8, keep = DEFAULT_ERRORS_KEPT),
        text_signature = "(encoding='utf-8', keep=100)"
    )]
    fn new(encoding: Name, keep: usize) -> Summary {
        Summary { encoding: encoding.0, summary: utf8kit::summary::Summary::new(keep) }
    }

    /// Summarises the text that begins in `data[start:end]`.
    ///
    /// Args:
    ///     data: any buffer. It is not copied. Bytes around the range are also used, because a sequence belongs to the
    ///         range in which it begins.
    ///     start, end: offsets in bytes. Default: all of the data.
    ///     base: the offset of the data in a larger text; offsets of errors refer to that.
    ///     encoding: one of `utf8kit.encodings()`.
    ///     keep: the number of errors to keep, from the first.
    #[staticmethod]
    #[pyo3(
        signature = (data, start = 0, end = None, *, base = 0, encoding = Name::UTF8, keep = DEFAULT_ERRORS_KEPT),
        text_signature = "(data, start=0, end=None, *, base=0, encoding='utf-8', keep=100)"
    )]
    fn of(
        py: Python<'_>,
        data: Input<'_>,
        start: usize,
        end: Option<usize>,
        base: u64,
        encoding: Name,
        keep: usize,
    ) -> PyResult<Summary> {
        let mut summary = utf8kit::summary::Summary::new(keep);
        data.pieces(py, None, |bytes, piece| {
            let end = end.unwrap_or(bytes.len()).min(piece.end);
            let start = start.max(piece.start);
            if start < end {
                summary.merge(&utf8kit::summary::Summary::of(encoding.0, bytes, start..end, base, keep));
            }
            ControlFlow::Continue(())
        })?;
        Ok(Summary { encoding: encoding.0, summary })
    }

    /// Summarises the text that begins in a range of a file. It is read in pieces of 4 MiB.
    ///
    /// Args:
    ///     path: a file that supports seeking.
    ///     start, end: offsets in bytes. Default: the whole file. See `utf8kit.ranges`.
    ///     encoding: one of `utf8kit.encodings()`.
    ///     keep: the number of errors to keep, from the first.
    ///
    /// Raises:
    ///     OSError: the file cannot be read.
    #[staticmethod]
    #[pyo3(
        signature = (path, start = 0, end = None, *, encoding = Name::UTF8, keep = DEFAULT_ERRORS_KEPT),
        text_signature = "(path, start=0, end=None, *, encoding='utf-8', keep=100)"
    )]
    fn of_file(
        py: Python<'_>,
        path: PathBuf,
        start: u64,
        end: Option<u64>,
        encoding: Name,
        keep: usize,
    ) -> PyResult<Summary> {
        let (file, end) = (path.clone(), end.unwrap_or(u64::MAX));
        let summary = interruptible(py, move |cancelled| of_file(&file, start..end, encoding.0, keep, cancelled))?;
        let summary = summary.map_err(|error| os_error(py, &path, error))?;
        Ok(Summary { encoding: encoding.0, summary })
    }

    /// Returns the summary of both. `other` must be the summary of the next part. Neither is changed.
    ///
    /// Raises:
    ///     ValueError: they have different encodings.
    fn merge(&self, other: &Bound<'_, PyAny>) -> PyResult<Summary> {
        let Ok(other) = other.cast::<Summary>() else {
            return Err(PyTypeError::new_err("a Summary merges with a Summary"));
        };
        let other = other.get();
        if self.encoding != other.encoding {
            let (one, two) = (self.encoding.name(), other.encoding.name());
            return Err(PyValueError::new_err(format!("a summary of {one} and one of {two} do not merge")));
        }
        let mut merged = self.clone();
        merged.summary.merge(&other.summary);
        Ok(merged)
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Summary> {
        self.merge(other)
    }

    /// For `sum(summaries)`, which starts at 0.
    fn __radd__(&self, zero: u8) -> PyResult<Summary> {
        match zero {
            0 => Ok(self.clone()),
            _ => Err(PyTypeError::new_err("a Summary merges with a Summary")),
        }
    }

    /// Whether there are no errors.
    #[getter]
    fn is_valid(&self) -> bool {
        self.summary.errors == 0
    }

    /// The encoding.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.encoding.name()
    }

    /// The number of bytes in the range.
    #[getter]
    fn bytes(&self) -> u64 {
        self.summary.bytes
    }

    /// The number of valid code points that begin in it.
    #[getter]
    fn code_points(&self) -> u64 {
        self.summary.code_points
    }

    /// The number of errors that begin in it.
    #[getter]
    fn errors(&self) -> u64 {
        self.summary.errors
    }

    /// The number of line feeds.
    #[getter]
    fn lines(&self) -> u64 {
        self.summary.lines
    }

    /// Errors by kind: a dict with all six kinds.
    #[getter]
    fn kinds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let kinds = PyDict::new(py);
        for &kind in ErrorKind::ALL {
            kinds.set_item(kind.name(), self.summary.of_kind(kind))?;
        }
        Ok(kinds)
    }

    /// The kept errors, from the first: dicts of `offset`, `len`, `kind`, and `line` and `column`, both from 1. Lines
    /// and columns count from the start of the summary.
    #[getter]
    fn first_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for placed in &self.summary.first_errors {
            let one = PyDict::new(py);
            one.set_item("offset", placed.error.offset)?;
            one.set_item("len", placed.error.len)?;
            one.set_item("kind", placed.error.kind.name())?;
            one.set_item("line", placed.line + 1)?;
            one.set_item("column", placed.column + 1)?;
            all.append(one)?;
        }
        Ok(all)
    }

    /// The histogram of errors: the width of a bin in bytes, and the number of errors in each bin (4,096 bins, or
    /// none).
    #[getter]
    fn histogram(&self) -> (u64, Vec<u64>) {
        (self.summary.histogram.bin_width(), self.summary.histogram.bins().to_vec())
    }

    /// Returns everything but the histogram, as values that JSON supports.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("encoding", self.encoding())?;
        all.set_item("is_valid", self.is_valid())?;
        all.set_item("bytes", self.summary.bytes)?;
        all.set_item("code_points", self.summary.code_points)?;
        all.set_item("lines", self.summary.lines)?;
        all.set_item("errors", self.summary.errors)?;
        all.set_item("kinds", self.kinds(py)?)?;
        all.set_item("first_errors", self.first_errors(py)?)?;
        Ok(all)
    }

    /// Serialises to bytes, for `from_bytes` in another process or on another machine: tens of bytes if there are no
    /// errors.
    ///
    /// >>> from utf8kit import Summary
    /// >>> len(Summary.of(b"fine" * 1000).to_bytes()) < 40
    /// True
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = self.encoding.name().as_bytes().to_vec();
        bytes.push(0);
        bytes.extend(self.summary.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// Deserialises the output of `to_bytes` in this version or an earlier one.
    ///
    /// Raises:
    ///     ValueError: the bytes are invalid.
    #[staticmethod]
    fn from_bytes(data: Input<'_>, py: Python<'_>) -> PyResult<Summary> {
        data.with(py, |bytes| {
            let end = bytes.iter().position(|&byte| byte == 0)?;
            let encoding = str::from_utf8(&bytes[..end]).ok()?.parse().ok()?;
            let summary = utf8kit::summary::Summary::from_bytes(&bytes[end + 1..]).ok()?;
            Some(Summary { encoding, summary })
        })
        .ok_or_else(|| PyValueError::new_err("these bytes are not a serialized Summary"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Summary>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        let (bytes, errors) = (self.summary.bytes, self.summary.errors);
        let plural = if errors == 1 { "" } else { "s" };
        format!("<Summary of {bytes} bytes of {}: {errors} error{plural}>", self.encoding.name())
    }
}

impl Summary {
    /// Wraps a summary for Python.
    pub(crate) fn new_of(encoding: AnyEncoding, summary: utf8kit::summary::Summary) -> Summary {
        Summary { encoding, summary }
    }
}

/// Summarises a range of a file piece by piece, with a few bytes around each piece that may belong to its sequences.
fn of_file(
    path: &Path,
    Range { start, end }: Range<u64>,
    encoding: AnyEncoding,
    keep: usize,
    cancelled: &Cancelled,
) -> io::Result<utf8kit::summary::Summary> {
    let around = 4 * utf8kit::MAX_LEN;
    let mut file = File::open(path)?;
    let mut summary = utf8kit::summary::Summary::new(keep);
    // The offset in the file of the bytes in memory. Bytes before `at` are done.
    let mut base = start.saturating_sub(around as u64);
    let mut at = start;
    let mut bytes: Vec<u8> = Vec::with_capacity(BYTES_PER_READ + 2 * around);
    file.seek(SeekFrom::Start(base))?;
    while at < end && !cancelled.get() {
        let wanted = (at - base) as usize + BYTES_PER_READ + around;
        let missing = wanted.saturating_sub(bytes.len());
        let read = file.by_ref().take(missing as u64).read_to_end(&mut bytes)?;
        let over = read < missing;
        let known = base + bytes.len() as u64;
        let stop = if over { known } else { at + BYTES_PER_READ as u64 }.min(end);
        if stop > at {
            let range = (at - base) as usize..(stop - base) as usize;
            summary.merge(&utf8kit::summary::Summary::of(encoding, &bytes, range, base, keep));
        }
        if over {
            break;
        }
        let done = ((stop - base) as usize).saturating_sub(around);
        bytes.drain(..done);
        base += done as u64;
        at = stop;
    }
    Ok(summary)
}
