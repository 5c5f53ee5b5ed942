//! `utf8kit.parquet`: files on disk, and files of any file system through Python's file objects.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use utf8kit_files::{FileError, Skip};
use utf8kit_parquet::{Bytes, ChunkReader, Column, Errors, Length, LocalFile, ParquetError, Repaired, TextError};

use crate::input::os_error;
use crate::policy::Policy;
use crate::signals::interruptible;

/// A file on disk, or an object with `seek` and `read`.
#[derive(Clone)]
enum Opened {
    Local(LocalFile),
    Object(Object),
}

/// A file object. Its length is known.
#[derive(Clone)]
struct Object {
    file: Arc<Mutex<Py<PyAny>>>,
    len: u64,
}

impl Object {
    fn read(&self, at: u64, len: usize) -> PyResult<Vec<u8>> {
        // One reader at a time, because the position is shared.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        Python::attach(|py| {
            let file = file.bind(py);
            file.call_method1("seek", (at,))?;
            Ok(file.call_method1("read", (len,))?.cast_into::<PyBytes>()?.as_bytes().to_vec())
        })
    }
}

/// A file object from an offset.
struct From {
    object: Object,
    at: u64,
}

impl Read for From {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.object.read(self.at, bytes.len())?;
        let part = bytes.get_mut(..read.len()).ok_or_else(|| io::Error::other("read returned too many bytes"))?;
        part.copy_from_slice(&read);
        self.at += read.len() as u64;
        Ok(read.len())
    }
}

impl Length for Opened {
    fn len(&self) -> u64 {
        match self {
            Opened::Local(file) => file.len(),
            Opened::Object(object) => object.len,
        }
    }
}

/// The result type of the crate `parquet`.
type Page<T> = Result<T, utf8kit_parquet::PageError>;

impl ChunkReader for Opened {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Page<Self::T> {
        Ok(match self {
            Opened::Local(file) => Box::new(file.get_read(start)?),
            Opened::Object(object) => {
                Box::new(BufReader::with_capacity(256 << 10, From { object: object.clone(), at: start }))
            }
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Page<Bytes> {
        match self {
            Opened::Local(file) => file.get_bytes(start, length),
            Opened::Object(object) => {
                let mut bytes = Vec::new();
                From { object: object.clone(), at: start }.take(length as u64).read_to_end(&mut bytes)?;
                if bytes.len() == length {
                    Ok(bytes.into())
                } else {
                    Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
                }
            }
        }
    }
}

/// Converts an error. An error of a file on disk has its path.
fn raise(py: Python<'_>, error: ParquetError, path: Option<&PathBuf>) -> PyErr {
    match (error, path) {
        (ParquetError::File(FileError::Io { path, error }), _) => os_error(py, &path, error),
        (ParquetError::File(error), _) => crate::files::raise(py, error),
        (ParquetError::Io(error), Some(path)) => os_error(py, path, error),
        (ParquetError::Io(error), None) => error.into(),
        (error, Some(path)) => PyValueError::new_err(format!("{}: {error}", path.display())),
        (error, None) => PyValueError::new_err(error.to_string()),
    }
}

/// A place: row group, row, column, offset, length, kind, what contains it.
type Place = (Option<usize>, Option<u64>, String, u64, u8, &'static str, &'static str);

fn place(bad: TextError) -> Place {
    (bad.row_group, bad.row, bad.column, bad.error.offset, bad.error.len, bad.error.kind.name(), bad.place.name())
}

/// A Parquet file that is open for reading.
#[pyclass(frozen, module = "utf8kit._native", name = "ParquetFile")]
pub(crate) struct ParquetFile {
    file: Arc<utf8kit_parquet::ParquetFile<Opened>>,
    path: Option<PathBuf>,
}

impl ParquetFile {
    fn column(&self, index: usize) -> PyResult<&Column> {
        let found = self.file.columns().iter().find(|column| column.index == index);
        found.ok_or_else(|| PyValueError::new_err("no column of strings or bytes has this index"))
    }
}

#[pymethods]
impl ParquetFile {
    /// Opens a file: a path, or an object with `seek` and `read`.
    #[new]
    fn new(py: Python<'_>, file: &Bound<'_, PyAny>) -> PyResult<ParquetFile> {
        let path = if file.hasattr("read")? { None } else { Some(file.extract::<PathBuf>()?) };
        let opened = match &path {
            Some(path) => {
                let opened = File::open(path).and_then(LocalFile::new);
                Opened::Local(opened.map_err(|error| os_error(py, path, error))?)
            }
            None => {
                let len = file.call_method1("seek", (0, 2))?;
                let len = if len.is_none() { file.call_method0("tell")? } else { len };
                Opened::Object(Object { file: Arc::new(Mutex::new(file.clone().unbind())), len: len.extract()? })
            }
        };
        match interruptible(py, |_| utf8kit_parquet::ParquetFile::open(opened))? {
            Ok(file) => Ok(ParquetFile { file: Arc::new(file), path }),
            Err(error) => Err(raise(py, error, path.as_ref())),
        }
    }

    /// The number of row groups.
    #[getter]
    fn row_groups(&self) -> usize {
        self.file.row_groups()
    }

    /// Returns the columns of text, or also of bytes: index, path, and the path with the groups of lists.
    fn columns(&self, binary: bool) -> Vec<(usize, String, String)> {
        let columns = self.file.columns().iter().filter(|column| binary || column.is_text);
        columns.map(|column| (column.index, column.path.clone(), column.full_path.clone())).collect()
    }

    /// Returns the stored size of a column in a row group, in bytes.
    fn size(&self, row_group: usize, column: usize) -> PyResult<u64> {
        let column = self.column(column)?;
        Ok(self.file.stored_size(row_group, column))
    }

    /// Returns the errors in the footer.
    fn footer(&self) -> Vec<Place> {
        let mut found = Vec::new();
        self.file.check_footer(&mut |bad| found.push(place(bad)));
        found
    }

    /// Returns the errors in the minimum and maximum of a column in a row group.
    fn bounds(&self, row_group: usize, column: usize) -> PyResult<Vec<Place>> {
        let (column, mut found) = (self.column(column)?, Vec::new());
        self.file.check_bounds(row_group, column, &mut |bad| found.push(place(bad)));
        Ok(found)
    }

    /// Returns the errors in the values of a column in a row group, as an iterator of lists; None if there are none.
    fn errors(&self, py: Python<'_>, row_group: usize, column: usize) -> PyResult<Option<ParquetErrors>> {
        let (file, column) = (Arc::clone(&self.file), self.column(column)?.clone());
        let found =
            interruptible(py, move |cancelled| match file.is_valid(row_group, &column, &mut || !cancelled.get())? {
                true => Ok(None),
                false => file.errors(row_group, &column).map(Some),
            })?;
        let found = found.map_err(|error| raise(py, error, self.path.as_ref()))?;
        let errors = |errors| ParquetErrors { errors: Arc::new(Mutex::new(errors)), path: self.path.clone() };
        Ok(found.map(errors))
    }

    /// Writes a repaired file to the object with `write` that `open()` returns. `open` is called only if something
    /// needs a repair, and with `spares_text` only if the repair replaces no text in another encoding. Returns the
    /// number of row groups, of rows and of errors.
    fn repair(
        &self,
        py: Python<'_>,
        open: Py<PyAny>,
        policy: Policy,
        spares_text: bool,
    ) -> PyResult<(usize, u64, u64)> {
        policy.check_values()?;
        let file = Arc::clone(&self.file);
        let name = self.path.clone().unwrap_or_default();
        let done = interruptible(py, move |cancelled| {
            let Some(due) = file.repair(&policy.0, &mut || !cancelled.get())? else { return Ok(None) };
            if spares_text && let Some(encoding) = due.loses_text_in(&mut || !cancelled.get())? {
                return Err(FileError::skipped(&name, Skip::LegacyValues { encoding, dump: None }).into());
            }
            let sink = Python::attach(|py| open.call0(py)).map_err(io::Error::from)?;
            let mut sink = io::BufWriter::with_capacity(1 << 20, ObjectSink(sink));
            let done = due.write(&mut sink, &mut || !cancelled.get())?;
            sink.flush()?;
            Ok(Some(done))
        })?;
        let done = done.map_err(|error| raise(py, error, self.path.as_ref()))?;
        Ok(done.map_or((self.file.row_groups(), self.file.rows(), 0), counts))
    }
}

/// A file object that is written to.
struct ObjectSink(Py<PyAny>);

impl Write for ObjectSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| self.0.call_method1(py, "write", (PyBytes::new(py, bytes),)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn counts(done: Repaired) -> (usize, u64, u64) {
    (done.row_groups, done.rows, done.errors)
}

/// The maximum number of errors in a list, except that rows decoded together stay together.
const MAX_ERRORS_IN_LIST: usize = 1000;

/// Lists of errors, one for the rows that are decoded together.
#[pyclass(frozen, module = "utf8kit._native", name = "ParquetErrors")]
pub(crate) struct ParquetErrors {
    errors: Arc<Mutex<Errors>>,
    path: Option<PathBuf>,
}

#[pymethods]
impl ParquetErrors {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<Place>>> {
        let errors = Arc::clone(&self.errors);
        let next = interruptible(py, move |cancelled| {
            let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
            let mut some = Vec::new();
            // Each list is worth a thread.
            while some.len() < MAX_ERRORS_IN_LIST
                && !cancelled.get()
                && let Some(found) = errors.next()?
            {
                some.extend(found);
            }
            Ok((!some.is_empty()).then_some(some))
        })?;
        let next: Option<Vec<TextError>> = next.map_err(|error| raise(py, error, self.path.as_ref()))?;
        Ok(next.map(|found| found.into_iter().map(place).collect()))
    }
}

/// parquet_repair(src, dst, policy, force) -> tuple[int, int, int]
///
/// Repairs a file on disk; with `force`, also in place if text in another encoding is lost. Returns the number of row groups, of rows and of errors.
#[pyfunction]
pub(crate) fn parquet_repair(
    py: Python<'_>,
    src: PathBuf,
    dst: PathBuf,
    policy: Policy,
    force: bool,
) -> PyResult<(usize, u64, u64)> {
    policy.check_values()?;
    let source = src.clone();
    let done = interruptible(py, move |cancelled| {
        utf8kit_parquet::repair_file(&source, &dst, &policy.0, force, &mut || !cancelled.get())
    })?;
    done.map(counts).map_err(|error| raise(py, error, Some(&src)))
}
