//! The bytes of a Python object, without a copy if that is sound.
//!
//! An object of the buffer protocol stays in place while the buffer is held, but other threads may write to its bytes
//! in the meantime. A read-only buffer may show memory that others can write to. So the GIL is released only for
//! `bytes` and views of `bytes`. Otherwise, the call keeps the GIL, or on builds without a GIL, copies the bytes.

use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::slice;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};
use utf8kit::{AnyEncoding, Encoding as _};

use crate::signals;

/// Below this many bytes, releasing the GIL costs more than other threads gain.
pub(crate) const MIN_BYTES_TO_DETACH: usize = 16 << 10;

/// Number of bytes processed between two checks for Ctrl-C.
pub(crate) const BYTES_PER_CHECK: usize = 1 << 20;

/// The bytes of an argument, held for the duration of a call.
pub(crate) enum Input<'py> {
    /// From `bytes`, which never change.
    Bytes(Bound<'py, PyBytes>),
    /// From another object.
    Buffer {
        /// Keeps the memory in place.
        buffer: PyUntypedBuffer,
        /// Whether nothing can write to it.
        frozen: bool,
    },
    /// Gathered from strides, or copied to protect from other writers.
    Copied(Vec<u8>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Input<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.to_owned()));
        }
        let py = object.py();
        // ctypes arrays do not expose their strides, but a view of them does.
        let buffer =
            PyUntypedBuffer::get(&object).or_else(|error| match error.is_instance_of::<PyBufferError>(py) {
                true => PyUntypedBuffer::get(PyMemoryView::from(&object)?.as_any()),
                false => Err(error),
            })?;
        let frozen = is_view_of_bytes(&object);
        if !buffer.is_c_contiguous() || (cfg!(Py_GIL_DISABLED) && !frozen) {
            buffer.release(py);
            let joined = py.import("builtins")?.getattr("bytes")?.call1((object,))?;
            return Ok(Input::Copied(joined.cast::<PyBytes>()?.as_bytes().to_vec()));
        }
        if buffer.len_bytes() > 0 && buffer.buf_ptr().is_null() {
            return Err(PyBufferError::new_err("the buffer has no memory"));
        }
        Ok(Input::Buffer { buffer, frozen })
    }
}

/// Reports whether this is a `memoryview` of `bytes`.
fn is_view_of_bytes(object: &Bound<'_, PyAny>) -> bool {
    let Ok(view) = object.cast::<PyMemoryView>() else { return false };
    view.getattr("obj").is_ok_and(|base| base.is_exact_instance_of::<PyBytes>())
}

impl<'py> Input<'py> {
    /// Calls `work` with the bytes, without the GIL if that is sound and worth it.
    pub(crate) fn with<T: Send>(&self, py: Python<'py>, work: impl FnOnce(&[u8]) -> T + Send) -> T {
        let bytes = self.bytes();
        let can_detach = self.is_frozen() && bytes.len() >= MIN_BYTES_TO_DETACH;
        if can_detach { py.detach(|| work(bytes)) } else { work(bytes) }
    }

    /// Reports whether nothing can write to the bytes.
    fn is_frozen(&self) -> bool {
        match self {
            Input::Bytes(_) | Input::Copied(_) => true,
            Input::Buffer { frozen, .. } => *frozen,
        }
    }

    /// Calls `step` with the bytes until it breaks, and checks for Ctrl-C between the calls, without the GIL if that is
    /// sound and worth it. Reacquiring the GIL for each check could take as long as a step.
    pub(crate) fn steps(&self, py: Python<'py>, mut step: impl FnMut(&[u8]) -> ControlFlow<()> + Send) -> PyResult<()> {
        let bytes = self.bytes();
        if self.is_frozen() && bytes.len() >= MIN_BYTES_TO_DETACH {
            return py.detach(|| {
                while step(bytes).is_continue() {
                    signals::check()?;
                }
                Ok(())
            });
        }
        while step(self.bytes()).is_continue() {
            py.check_signals()?;
        }
        Ok(())
    }

    /// Calls `work` with the bytes and successive ranges of them, until it breaks, and checks for Ctrl-C in between.
    /// The ranges end at boundaries of the encoding, if there is one.
    pub(crate) fn pieces(
        &self,
        py: Python<'py>,
        encoding: Option<AnyEncoding>,
        mut work: impl FnMut(&[u8], Range<usize>) -> ControlFlow<()> + Send,
    ) -> PyResult<()> {
        let mut at = 0;
        self.steps(py, |bytes| {
            let cut = bytes.len().min(at + BYTES_PER_CHECK);
            let end = encoding.map_or(cut, |encoding| encoding.ceil_char_boundary(bytes, cut));
            let flow = work(bytes, at..end);
            at = end;
            if at < bytes.len() { flow } else { ControlFlow::Break(()) }
        })
    }

    /// Returns the bytes. No Python code may run while they are in use, unless the object is frozen: see
    /// [`Input::with`].
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) => bytes.as_bytes(),
            Input::Copied(bytes) => bytes,
            Input::Buffer { buffer, .. } if buffer.len_bytes() == 0 => &[],
            Input::Buffer { buffer, .. } => {
                #[expect(unsafe_code, reason = "this is what a buffer is")]
                // SAFETY: the exporter keeps `len_bytes` contiguous bytes in place until the buffer is released, which
                // `self` does when it is dropped. Nothing writes to them: either nothing can, or the GIL is held while
                // `with` uses them.
                unsafe {
                    slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes())
                }
            }
        }
    }

    /// Returns the object as `bytes`, if it is that.
    pub(crate) fn as_object(&self) -> Option<&Bound<'py, PyBytes>> {
        match self {
            Input::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the object for exceptions about it: itself, or a copy, as in Python's own exceptions. None if the copy
    /// would be large.
    pub(crate) fn for_errors(&self, py: Python<'py>) -> Option<Input<'py>> {
        const MAX_BYTES_COPIED: usize = 64 << 20;
        (self.as_object().is_some() || self.bytes().len() <= MAX_BYTES_COPIED)
            .then(|| Input::Bytes(self.or_changed(py, None)))
    }

    /// Returns `changed`, or the original object if nothing changed and it is `bytes`.
    pub(crate) fn or_changed(&self, py: Python<'py>, changed: Option<Vec<u8>>) -> Bound<'py, PyBytes> {
        match (changed, self.as_object()) {
            (Some(changed), _) => PyBytes::new(py, &changed),
            (None, Some(same)) => same.clone(),
            (None, None) => PyBytes::new(py, self.bytes()),
        }
    }
}

/// Converts an error of the operating system to an `OSError` of the right subclass, with its number and file. An
/// exception of a file object is returned unchanged.
pub(crate) fn os_error(py: Python<'_>, path: &Path, error: io::Error) -> PyErr {
    if error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) {
        return error.into();
    }
    let code = error.raw_os_error();
    if cfg!(windows) && code.is_some() {
        // Python derives the number from Windows' own.
        return PyOSError::new_err((0, error.to_string(), path.to_owned(), code));
    }
    let words = |code: i32| py.import("os")?.call_method1("strerror", (code,))?.extract::<String>();
    let (code, message) = match code {
        Some(code) => (code, words(code).unwrap_or_else(|_| error.to_string())),
        None => (number(error.kind()), error.to_string()),
    };
    PyOSError::new_err((code, message, path.to_owned()))
}

/// Returns the number of an error that the operating system did not report itself; the same on all systems.
fn number(kind: io::ErrorKind) -> i32 {
    match kind {
        io::ErrorKind::NotFound => 2,
        io::ErrorKind::PermissionDenied => EACCES,
        io::ErrorKind::AlreadyExists => EEXIST,
        io::ErrorKind::InvalidInput => 22,
        _ => EIO,
    }
}

/// Error numbers that are the same on all systems: input/output error, no permission, and file exists.
pub(crate) const EIO: i32 = 5;
pub(crate) const EACCES: i32 = 13;
pub(crate) const EEXIST: i32 = 17;
