//! `utf8kit.protobuf`: messages of Protocol Buffers.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use utf8kit_records::rows::protobuf::{Framing, Schema, WireError};

use crate::input::Input;
use crate::policy::Policy;

/// A place: number of the message, path, offset of the text in the data, offset of the error in the text, length, kind.
type Place = (usize, String, usize, u64, u8, &'static str);

fn value_error(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn framing(name: &str) -> PyResult<Framing> {
    match name {
        "one" => Ok(Framing::One),
        "varint" => Ok(Framing::Varint),
        "fixed32" => Ok(Framing::Fixed32),
        _ => Err(value_error(format!("framing {name:?} is not one of: one, varint, fixed32"))),
    }
}

/// A message type of a descriptor set.
#[pyclass(frozen, module = "utf8kit._native", name = "ProtobufMessage")]
pub(crate) struct ProtobufMessage {
    schema: Schema,
    name: Option<String>,
}

#[pymethods]
impl ProtobufMessage {
    /// Reads a descriptor set, and finds a message in it.
    #[new]
    fn new(descriptor_set: &[u8], name: Option<String>) -> PyResult<ProtobufMessage> {
        let schema = Schema::new(descriptor_set).map_err(value_error)?;
        schema.message(name.as_deref()).map_err(value_error)?;
        Ok(ProtobufMessage { schema, name })
    }

    /// Returns the errors of all texts, at most `limit`.
    fn check(&self, py: Python<'_>, data: Input<'_>, framed: &str, limit: usize) -> PyResult<Vec<Place>> {
        let framing = framing(framed)?;
        let message = self.schema.message(self.name.as_deref()).map_err(value_error)?;
        let found = data.with(py, |data| {
            let mut found = Vec::new();
            for (number, range) in framing.messages(data).enumerate() {
                let range = range?;
                let start = range.start;
                let bytes = data.get(range).unwrap_or_default();
                let tell = &mut |bad: utf8kit_records::rows::protobuf::BadText<'_>| {
                    if found.len() >= limit {
                        return;
                    }
                    let (path, offset) = (bad.path(), bad.offset + start);
                    let errors = utf8kit::errors(bad.value).take(limit - found.len());
                    found.extend(
                        errors.map(|error| (number, path.clone(), offset, error.offset, error.len, error.kind.name())),
                    );
                };
                message.check(bytes, tell).map_err(|error| error.moved(start))?;
            }
            Ok::<_, WireError>(found)
        });
        found.map_err(value_error)
    }

    /// Returns the data with every text repaired, and the number of texts that changed.
    fn repair<'py>(
        &self,
        py: Python<'py>,
        data: Input<'py>,
        policy: Policy,
        framed: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        let framing = framing(framed)?;
        let message = self.schema.message(self.name.as_deref()).map_err(value_error)?;
        let mut repair = |text: &[u8]| match policy.repair_value(text) {
            Cow::Owned(new) => Some(new),
            Cow::Borrowed(_) => None,
        };
        let done = data.with(py, |data| message.repair_all(framing, data, &mut repair));
        let done = done.map_err(value_error)?;
        let texts = done.as_ref().map_or(0, |done| done.texts);
        Ok((data.or_changed(py, done.map(|done| done.data)), texts))
    }
}
