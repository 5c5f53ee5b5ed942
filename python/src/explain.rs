//! How each code point is encoded in bytes, for `utf8kit.explain`.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use utf8kit::explain::{Bit, Explanation};

use crate::encoding::Name;
use crate::input::Input;
use crate::signals;

/// A code point or an error, and the structure of its bytes.
#[pyclass(frozen, module = "utf8kit", name = "Item")]
pub(crate) struct Item {
    item: Explanation,
}

#[pymethods]
impl Item {
    /// Its offset in bytes.
    #[getter]
    fn offset(&self) -> usize {
        self.item.offset
    }

    /// Its bytes.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.item.bytes())
    }

    /// The code point; None for an error.
    #[getter]
    fn code_point(&self) -> Option<u32> {
        self.item.result.ok()
    }

    /// The kind of error; None for a code point.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.item.result.err().map(|kind| kind.name())
    }

    /// The combined payload bits, before `base` is added.
    #[getter]
    fn payload(&self) -> u32 {
        self.item.payload
    }

    /// The number of payload bits.
    #[getter]
    fn payload_len(&self) -> u32 {
        self.item.payload_len()
    }

    /// The offset added to the payload: 0x10000 for surrogate pairs, the first value of the length in `utf-8-offset`.
    #[getter]
    fn base(&self) -> u32 {
        self.item.base
    }

    /// The number of bytes that the first byte announces; 0 if it announces none.
    #[getter]
    fn length_class(&self) -> usize {
        self.item.length_class
    }

    /// For an error, the byte that interrupted the sequence, if there is one.
    #[getter]
    fn next(&self) -> Option<u8> {
        self.item.next
    }

    /// For an error, the bytes (first, last) that would have continued the sequence.
    #[getter]
    fn expected(&self) -> Option<(u8, u8)> {
        self.item.expected
    }

    /// For an error, the value that a lax decoder would read, one that checks only length and markers.
    #[getter]
    fn lax_value(&self) -> Option<u32> {
        self.item.lax_value
    }

    /// For each byte, its eight bits, highest first, as pairs of the bit and its position in the payload. The position
    /// is None for marker bits.
    #[getter]
    fn bits(&self) -> Vec<Vec<(bool, Option<u8>)>> {
        let one = |bit: Bit| match bit {
            Bit::Payload { set, position } => (set, Some(position)),
            marker => (marker.is_set(), None),
        };
        (0..self.item.bytes().len()).map(|byte| self.item.bits(byte).map(one).to_vec()).collect()
    }

    fn __repr__(&self) -> String {
        match self.item.result {
            Ok(value) => format!("<Item U+{value:04X} at byte {}>", self.item.offset),
            Err(kind) => format!("<Item {} at byte {}>", kind.name(), self.item.offset),
        }
    }
}

/// How many items to explain between two checks for Ctrl-C.
const ITEMS_PER_CHECK: usize = 4096;

/// explain(data, encoding, limit) -> list[Item]
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    data: Input<'_>,
    encoding: Name,
    limit: usize,
) -> PyResult<Bound<'py, PyList>> {
    let items = data.with(py, |bytes| {
        let mut items = Vec::new();
        for item in utf8kit::explain::explain(encoding.0, bytes).take(limit) {
            if items.len() % ITEMS_PER_CHECK == 0 {
                signals::check()?;
            }
            items.push(item);
        }
        PyResult::Ok(items)
    })?;
    let list = PyList::empty(py);
    for item in items {
        if list.len() % ITEMS_PER_CHECK == 0 {
            py.check_signals()?;
        }
        list.append(Item { item })?;
    }
    Ok(list)
}
