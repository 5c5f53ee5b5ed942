//! `utf8kit.compare` and `utf8kit.restore`: damage between two versions of a file.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};

use crate::document::slice;
use crate::input::Input;
use crate::signals::interruptible;

/// A damaged place: text that was not edited but whose bytes changed.
#[pyclass(frozen, eq, module = "utf8kit", name = "Damage")]
#[derive(PartialEq)]
pub(crate) struct Damage(utf8kit_document::Damage);

#[pymethods]
impl Damage {
    /// The kind of damage: `replaced` with U+FFFD or a question mark, `removed`, `doubled` (UTF-8 was decoded in
    /// another encoding and written as UTF-8), `recoded`, `normalized`, `line_ends` or `byte_order_mark`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    /// The bytes in the old version, as a slice.
    #[getter(old)]
    fn range_of_old<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySlice>> {
        slice(py, &self.0.old)
    }

    /// The bytes in the new version, as a slice.
    #[getter(new)]
    fn range_of_new<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySlice>> {
        slice(py, &self.0.new)
    }

    /// The line in the new version, from 1.
    #[getter]
    fn line(&self) -> usize {
        self.0.line
    }

    /// The column in the new version, from 1, in code points.
    #[getter]
    fn column(&self) -> usize {
        self.0.column
    }

    /// Whether the original bytes are uncertain. `restore` does not change such a place.
    #[getter]
    fn doubtful(&self) -> bool {
        self.0.doubtful
    }

    fn __repr__(&self) -> String {
        let utf8kit_document::Damage { kind, old, new, line, column, doubtful, .. } = &self.0;
        let doubtful = if *doubtful { ", doubtful" } else { "" };
        let (name, old_end, new_end) = (kind.name(), old.end, new.end);
        format!(
            "<Damage {name} at {line}:{column}, bytes {}:{old_end} now {}:{new_end}{doubtful}>",
            old.start, new.start
        )
    }
}

/// An intended change.
#[pyclass(frozen, eq, module = "utf8kit", name = "Change")]
#[derive(PartialEq)]
pub(crate) struct Change(utf8kit_document::Change);

#[pymethods]
impl Change {
    /// The replaced bytes of the old version, as a slice.
    #[getter(old)]
    fn range_of_old<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySlice>> {
        slice(py, &self.0.old)
    }

    /// The replacement in bytes of the new version, as a slice.
    #[getter(new)]
    fn range_of_new<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySlice>> {
        slice(py, &self.0.new)
    }

    fn __repr__(&self) -> String {
        let utf8kit_document::Change { old, new, .. } = &self.0;
        format!("<Change of bytes {}:{} to {}:{}>", old.start, old.end, new.start, new.end)
    }
}

/// The differences between two versions of a file.
#[pyclass(frozen, get_all, module = "utf8kit", name = "Comparison")]
pub(crate) struct Comparison {
    /// How the old version was decoded and encoded in between, in words.
    view: String,
    /// The damage, in order: a list of `Damage`.
    damage: Py<PyAny>,
    /// The edits, in order: a list of `Change`.
    edits: Py<PyAny>,
}

#[pymethods]
impl Comparison {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (damage, edits) = (self.damage.bind(py).len()?, self.edits.bind(py).len()?);
        Ok(format!("<Comparison: damage in {damage} places, {edits} edits; {}>", self.view))
    }
}

/// Compares two versions of a file: distinguishes damage by programs from edits by people.
///
/// Args:
///     old, new: the versions, in any encoding: any buffers.
///
/// Returns:
///     A `Comparison`.
///
/// >>> import utf8kit
/// >>> old = b"un caf\xe9\r\n"
/// >>> new = "un bon caf\ufffd\r\n".encode()
/// >>> [damage] = utf8kit.compare(old, new).damage
/// >>> damage.kind, old[damage.old], damage.line, damage.column
/// ('replaced', b'\xe9', 1, 11)
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, old: Input<'_>, new: Input<'_>) -> PyResult<Comparison> {
    let (old, new) = (old.bytes().to_vec(), new.bytes().to_vec());
    let found = interruptible(py, move |_| utf8kit_document::compare(&old, &new))?;
    let damage: Vec<Damage> = found.damage.into_iter().map(Damage).collect();
    let edits: Vec<Change> = found.edits.into_iter().map(Change).collect();
    Ok(Comparison {
        view: found.view.to_string(),
        damage: damage.into_pyobject(py)?.unbind(),
        edits: edits.into_pyobject(py)?.unbind(),
    })
}

/// Restores text that was damaged between two versions of a file, and keeps the edits.
///
/// Args:
///     old, new: the versions: any buffers.
///     damage: the items of `compare(old, new).damage` to restore; None for all. Doubtful places are never restored.
///
/// Returns:
///     bytes.
///
/// >>> import utf8kit
/// >>> utf8kit.restore(b"un caf\xe9\r\n", "un bon caf\ufffd\n".encode())
/// b'un bon caf\xe9\r\n'
#[pyfunction]
#[pyo3(signature = (old, new, damage = None))]
pub(crate) fn restore<'py>(
    py: Python<'py>,
    old: Input<'py>,
    new: Input<'py>,
    damage: Option<Vec<PyRef<'py, Damage>>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (old, new) = (old.bytes().to_vec(), new.bytes().to_vec());
    let damage: Option<Vec<_>> = damage.map(|all| all.iter().map(|damage| damage.0.clone()).collect());
    let restored = interruptible(py, move |_| match damage {
        Some(damage) => utf8kit_document::restore(&old, &new, &damage),
        None => {
            let found = utf8kit_document::compare(&old, &new);
            found.restore(&old, &new, &found.damage)
        }
    })?;
    Ok(PyBytes::new(py, &restored))
}
