//! `utf8kit.arrow`: columns of any library that supports the Arrow PyCapsule interface.

mod column;
mod decode;
mod error;
mod export;
mod ffi;
mod leaf;
mod lines;
mod repair;
mod visit;

use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyString, PyTuple, PyType};

use crate::policy::Policy;
use crate::signals::interruptible;
use column::{Column, has_text};
use decode::Decoding;
use error::ArrowError;
use export::{Array, Buffer, Exported, Sink};
use ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, Source, Type};
use repair::Repairs;
use visit::{Bad, Next};

pub(crate) use lines::arrow_lines;

/// An argument: one array, or a stream of them.
pub(crate) enum ArrowInput {
    Array(Type, Arc<ArrowArray>),
    Stream(Type, Source),
}

impl<'a, 'py> FromPyObject<'a, 'py> for ArrowInput {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<ArrowInput> {
        let (py, kind) = (object.py(), object.get_type());
        let (as_array, as_stream) = (intern!(py, "__arrow_c_array__"), intern!(py, "__arrow_c_stream__"));
        // A polars series takes 5 µs to report a missing attribute, and its type takes 2 µs.
        let streams = defines(&kind, as_stream)? && !defines(&kind, as_array)?;
        let input = if !streams && object.hasattr(as_array)? {
            let pair = object.call_method0(as_array)?;
            let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
            let schema: ArrowSchema = take(&schema, c"arrow_schema")?;
            ArrowInput::Array(Type::copy(&schema)?, Arc::new(take(&array, c"arrow_array")?))
        } else if streams || object.hasattr(as_stream)? {
            let stream = object.call_method0(as_stream)?;
            let stream: ArrowArrayStream = take(stream.cast::<PyCapsule>()?, c"arrow_array_stream")?;
            let mut source = Source::new(stream);
            ArrowInput::Stream(py.detach(|| source.schema())?, source)
        } else {
            let name = kind.name()?;
            return Err(PyTypeError::new_err(format!(
                "expected an object with __arrow_c_array__ or __arrow_c_stream__, not {name}"
            )));
        };
        if !has_text(input.kind()) {
            let format = input.kind().format.to_string_lossy();
            return Err(PyTypeError::new_err(format!("no strings or binary values in Arrow type {format:?}")));
        }
        Ok(input)
    }
}

/// Reports whether a type or a base type defines an attribute. If not, that costs no exception.
fn defines(kind: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    for class in kind.mro() {
        if class.getattr(intern!(kind.py(), "__dict__"))?.contains(name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Moves a structure out of a capsule.
fn take<T: ffi::Movable>(capsule: &Bound<'_, PyCapsule>, name: &'static CStr) -> PyResult<T> {
    let pointer = capsule.pointer_checked(Some(name))?;
    #[expect(unsafe_code, reason = "a capsule is a pointer with a name")]
    // SAFETY: a capsule of this name holds such a structure.
    let taken = unsafe { ffi::take(pointer) };
    Ok(taken?)
}

fn is_long(kind: &Type, array: &ArrowArray) -> bool {
    Column::new(kind, array).is_ok_and(|column| column.is_long())
}

impl ArrowInput {
    fn kind(&self) -> &Type {
        let (ArrowInput::Array(kind, _) | ArrowInput::Stream(kind, _)) = self;
        kind
    }

    /// Reports whether it is one long array. A stream can be interrupted between its pieces.
    fn is_long(&self) -> bool {
        matches!(self, ArrowInput::Array(kind, array) if is_long(kind, array))
    }

    /// Calls `visit` with each piece and the number of its first row, until it returns `false`.
    fn each(self, mut visit: impl FnMut(Column<'_>, u64) -> Result<bool, ArrowError>) -> Result<(), ArrowError> {
        match self {
            ArrowInput::Array(kind, array) => visit(Column::new(&kind, &array)?, 0).map(|_| ()),
            ArrowInput::Stream(kind, mut source) => {
                let mut first = 0;
                while let Some(array) = source.next()? {
                    let column = Column::new(&kind, &array)?;
                    let len = column.len() as u64;
                    if !visit(column, first)? {
                        break;
                    }
                    first += len;
                }
                Ok(())
            }
        }
    }

    /// Calls `bad` with the row number of each invalid value, and the value, until it wants no more.
    fn each_bad(self, mut bad: impl FnMut(u64, Bad<'_>) -> Next) -> Result<(), ArrowError> {
        self.each(|column, first| {
            let next = column.visit(&mut String::new(), &mut |value| bad(first + value.row as u64, value))?;
            Ok(next != Next::Nothing)
        })
    }
}

/// is_valid(column) -> bool
#[pyfunction]
pub(crate) fn arrow_is_valid(py: Python<'_>, column: ArrowInput) -> PyResult<bool> {
    run(py, column.is_long(), move || {
        let mut valid = true;
        column.each(|column, _| {
            valid = column.is_valid()?;
            Ok(valid)
        })?;
        Ok(valid)
    })
}

/// A place: row, path, offset in the value, length, kind.
type Place = (u64, String, u64, u8, &'static str);

fn place(row: u64, bad: &Bad<'_>) -> Place {
    (row, bad.path.to_owned(), bad.error.offset, bad.error.len, bad.error.kind.name())
}

/// first_error(column) -> tuple | None
#[pyfunction]
pub(crate) fn arrow_first_error(py: Python<'_>, column: ArrowInput) -> PyResult<Option<Place>> {
    run(py, column.is_long(), move || {
        let mut found: Option<Place> = None;
        column.each(|column, first| {
            // The first row, whatever the field.
            column.visit(&mut String::new(), &mut |bad| {
                let row = first + bad.row as u64;
                if found.as_ref().is_none_or(|(least, ..)| row < *least) {
                    found = Some(place(row, &bad));
                }
                Next::Field
            })?;
            Ok(found.is_none())
        })?;
        Ok(found)
    })
}

/// error_count(column) -> int
#[pyfunction]
pub(crate) fn arrow_error_count(py: Python<'_>, column: ArrowInput) -> PyResult<u64> {
    run(py, column.is_long(), move || {
        let mut count = 0;
        column.each_bad(|_, bad| {
            count += utf8kit::errors(bad.value).count() as u64;
            Next::Value
        })?;
        Ok(count)
    })
}

/// bad_rows(column) -> Array
#[pyfunction]
pub(crate) fn arrow_bad_rows(py: Python<'_>, column: ArrowInput) -> PyResult<ArrowColumn> {
    let rows = run(py, column.is_long(), move || {
        let mut rows = Vec::new();
        column.each_bad(|row, _| {
            rows.push(row);
            Next::Value
        })?;
        // The rows of several fields follow each other.
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    })?;
    Ok(ArrowColumn::numbers(rows))
}

/// errors(column, limit) -> Array
#[pyfunction]
pub(crate) fn arrow_errors(py: Python<'_>, column: ArrowInput, limit: usize) -> PyResult<ArrowColumn> {
    let found = run(py, column.is_long(), move || {
        let mut found: Vec<Place> = Vec::new();
        if limit == 0 {
            return Ok(found);
        }
        column.each_bad(|row, bad| {
            let missing = limit - found.len();
            let errors = utf8kit::errors(bad.value).take(missing);
            found.extend(errors.map(|error| place(row, &Bad { error, ..bad })));
            if found.len() < limit { Next::Value } else { Next::Nothing }
        })?;
        Ok(found)
    })?;
    Ok(ArrowColumn::places(&found))
}

/// Works on a column without the GIL, so that Ctrl-C ends it if it is long. (A separate thread takes 20 µs.)
fn run<T: Send + 'static>(
    py: Python<'_>,
    is_long: bool,
    work: impl FnOnce() -> Result<T, ArrowError> + Send + 'static,
) -> PyResult<T> {
    Ok(if is_long { interruptible(py, |_| work())?? } else { py.detach(work)? })
}

/// Maps an array to an array of the type `kind`, a stream to a stream. `map` is passed the number of the first row.
fn mapped(
    py: Python<'_>,
    column: ArrowInput,
    kind: Type,
    map: impl Fn(&Type, Arc<ArrowArray>, u64) -> Result<Arc<Exported>, ArrowError> + Send + 'static,
) -> PyResult<Py<PyAny>> {
    match column {
        ArrowInput::Array(given, array) => {
            let is_long = is_long(&given, &array);
            let exported = run(py, is_long, move || map(&given, array, 0))?;
            Ok(Py::new(py, ArrowColumn { kind, exported })?.into_any())
        }
        ArrowInput::Stream(given, source) => {
            let mut first = 0;
            let map = move |given: &Type, array: Arc<ArrowArray>| {
                let start = first;
                first += u64::try_from(array.length).unwrap_or(0);
                map(given, array, start)
            };
            let sink = Sink::new(source, given, kind.clone(), map);
            Ok(Py::new(py, ArrowStream { kind, sink: Mutex::new(Some(sink)) })?.into_any())
        }
    }
}

/// repair(column, policy) -> Array | Stream
#[pyfunction]
pub(crate) fn arrow_repair(py: Python<'_>, column: ArrowInput, policy: Policy) -> PyResult<Py<PyAny>> {
    let kind = column.kind().clone();
    let repairs = Repairs::new(policy);
    mapped(py, column, kind, move |kind, array, _| repairs.repair(kind, array))
}

/// decode(column, policy) -> Array | Stream
#[pyfunction]
#[pyo3(signature = (column, policy))]
pub(crate) fn arrow_decode(py: Python<'_>, column: ArrowInput, policy: Option<Policy>) -> PyResult<Py<PyAny>> {
    let kind = decode::decoded_type(column.kind());
    let decoding = Decoding::new(policy);
    mapped(py, column, kind, move |kind, array, first| decoding.decode(kind, array, first))
}

/// mask(column) -> Array | Stream
#[pyfunction]
pub(crate) fn arrow_mask(py: Python<'_>, column: ArrowInput) -> PyResult<Py<PyAny>> {
    let kind = decode::mask_type(column.kind());
    mapped(py, column, kind, |kind, array, _| decode::mask(kind, &array))
}

/// constant(column) -> str | None
///
/// Returns the text that all rows share, or None if they differ, one is null, or there are none.
#[pyfunction]
pub(crate) fn arrow_constant(py: Python<'_>, column: ArrowInput) -> PyResult<Option<String>> {
    let found = py.detach(|| {
        let mut found = None;
        column.each(|column, _| column.is_constant(&mut found))?;
        Ok::<_, ArrowError>(found)
    })?;
    Ok(found.and_then(|found| String::from_utf8(found).ok()))
}

/// check_policy(policy)
#[pyfunction]
pub(crate) fn arrow_check_policy(policy: Policy) {
    drop(policy);
}

/// A column or a record batch for any library that supports the Arrow PyCapsule interface: `pyarrow.array(it)`,
/// `polars.Series(it)`, `pyarrow.record_batch(it)`.
#[pyclass(frozen, module = "utf8kit.arrow", name = "Array")]
pub(crate) struct ArrowColumn {
    kind: Type,
    exported: Arc<Exported>,
}

#[pymethods]
impl ArrowColumn {
    /// Returns the type and the data, as capsules. May be called any number of times; nothing is copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        drop(requested_schema); // a hint that the protocol allows to ignore
        let schema = self.__arrow_c_schema__(py)?;
        let array = PyCapsule::new_with_value(py, self.exported.export(), c"arrow_array")?;
        PyTuple::new(py, [schema, array])
    }

    /// Returns the type, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, self.kind.export(), c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.exported.array.length).unwrap_or(0)
    }

    fn __repr__(&self) -> String {
        format!("<utf8kit.arrow.Array of {} values>", self.exported.array.length)
    }
}

impl ArrowColumn {
    fn new(kind: Type, array: Array) -> ArrowColumn {
        ArrowColumn { kind, exported: Exported::new(array, None) }
    }

    fn numbers(numbers: Vec<u64>) -> ArrowColumn {
        ArrowColumn::new(Type::new(c"L", c"", Vec::new()), numbers_array(numbers))
    }

    /// Creates a record batch of places.
    fn places(places: &[Place]) -> ArrowColumn {
        let lens = Buffer::Bytes(places.iter().map(|place| place.3).collect());
        let len = places.len();
        let children = vec![
            numbers_array(places.iter().map(|place| place.0).collect()),
            texts_array(places.iter().map(|place| place.1.as_str())),
            numbers_array(places.iter().map(|place| place.2).collect()),
            plain_array(len, vec![Buffer::Absent, lens]),
            texts_array(places.iter().map(|place| place.4)),
        ];
        let field = |format, name| Type::new(format, name, Vec::new());
        let fields = vec![
            field(c"L", c"row"),
            field(c"U", c"column"),
            field(c"L", c"offset"),
            field(c"C", c"len"),
            field(c"U", c"kind"),
        ];
        let array = Array { children, ..plain_array(len, vec![Buffer::Absent]) };
        ArrowColumn::new(Type::new(c"+s", c"", fields), array)
    }
}

fn plain_array(len: usize, buffers: Vec<Buffer>) -> Array {
    let length = len as i64;
    Array { length, null_count: 0, offset: 0, buffers, children: Vec::new(), dictionary: None }
}

fn numbers_array(numbers: Vec<u64>) -> Array {
    plain_array(numbers.len(), vec![Buffer::Absent, Buffer::Numbers(numbers)])
}

fn texts_array<'t>(texts: impl Iterator<Item = &'t str>) -> Array {
    let (mut data, mut offsets) = (Vec::new(), vec![0]);
    for text in texts {
        data.extend_from_slice(text.as_bytes());
        offsets.push(data.len() as i64);
    }
    plain_array(offsets.len() - 1, vec![Buffer::Absent, Buffer::Offsets64(offsets), Buffer::Bytes(data)])
}

/// A stream of arrays or record batches, each created when requested: `pyarrow.chunked_array(it)`,
/// `pyarrow.RecordBatchReader.from_stream(it)`, `polars.DataFrame(it)`. Can be read once.
#[pyclass(frozen, module = "utf8kit.arrow", name = "Stream")]
pub(crate) struct ArrowStream {
    kind: Type,
    sink: Mutex<Option<Sink>>,
}

#[pymethods]
impl ArrowStream {
    /// Returns the stream, as a capsule. Raises ValueError the second time.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema); // a hint that the protocol allows to ignore
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or(ArrowError::Released)?;
        // The first piece is created here, so that Ctrl-C raises KeyboardInterrupt. For later pieces, it raises an
        // error of the reader.
        let first = py.detach(|| sink.source.next());
        let is_long = matches!(&first, Ok(Some(array)) if is_long(&sink.given, array));
        let sink = run(py, is_long, move || sink.begin(first).map(|()| sink))?;
        PyCapsule::new_with_value(py, sink.export(), c"arrow_array_stream")
    }

    /// Returns the type of the pieces, as a capsule, any number of times, because DuckDB asks for it before it reads.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(py, self.kind.export(), c"arrow_schema")
    }
}
