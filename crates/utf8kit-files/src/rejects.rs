//! Writes bad rows, byte for byte, and the reasons next to them.

use std::ffi::OsString;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use utf8kit_records::rows::Field;
use utf8kit_records::validator::{BadRow, Problem};

use crate::json::{PathFields, hex, write_line};
use crate::{FileError, Output};

/// Maximum number of reasons written per row; all are counted.
const MAX_REASONS_PER_ROW: usize = 100;

/// Size of the write buffers, in bytes.
const WRITE_BUFFER_BYTES: usize = 64 * 1024;

/// A file of bad rows, and its sidecar of reasons with one JSON object per line. Both appear at the end, each
/// atomically. They are empty if no row was bad.
#[derive(Debug)]
pub struct Rejects {
    rows: BufWriter<Output>,
    reasons: BufWriter<Output>,
    path: PathBuf,
    sidecar: PathBuf,
    /// The current row, if more parts of it may follow.
    row: Option<Rejected>,
    /// Number of rejected rows.
    pub count: u64,
}

/// A bad row.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "rejected")]
struct Rejected {
    #[serde(flatten)]
    path: PathFields,
    row: u64,
    /// The position of the row in the input, which allows restoring it to its place.
    offset: u64,
    len: u64,
    errors: u64,
    reasons: Vec<Reason>,
}

/// Why a row is bad.
#[derive(Debug, Serialize)]
struct Reason {
    kind: &'static str,
    /// The byte offset in the input.
    offset: u64,
    len: usize,
    bytes: String,
    #[serde(flatten)]
    field: FieldFields,
    message: String,
}

/// A field, in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FieldFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<FieldId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column_name: Option<String>,
}

/// The number or the path of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum FieldId {
    Number(u64),
    Path(String),
}

impl FieldFields {
    /// Describes a field.
    pub fn of(field: Option<&Field>) -> FieldFields {
        let column_name = field.and_then(Field::column_name).map(str::to_owned);
        let (schema, table) = match field {
            Some(Field::Cell { schema, table, .. }) => (schema.clone(), Some(table.clone())),
            _ => (None, None),
        };
        let field = field.and_then(|field| match field {
            Field::Column { number, .. } | Field::Cell { number, .. } => Some(FieldId::Number(*number)),
            Field::Path(path) => Some(FieldId::Path(path.clone())),
            _ => None,
        });
        FieldFields { schema, table, field, column_name }
    }
}

impl Rejects {
    /// Creates both files. They are not visible before [`Rejects::commit`].
    ///
    /// # Errors
    /// [`FileError`] if a file cannot be created.
    pub fn create(path: &Path) -> Result<Rejects, FileError> {
        let sidecar = sidecar(path);
        let create = |path| Output::create(path).map(|output| BufWriter::with_capacity(WRITE_BUFFER_BYTES, output));
        let (rows, reasons) = (create(path)?, create(&sidecar)?);
        Ok(Rejects { rows, reasons, path: path.to_owned(), sidecar, row: None, count: 0 })
    }

    /// Adds a bad row of an input, and calls `notice` for each of its problems.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be written.
    pub fn put(&mut self, path: &Path, bad: &BadRow<'_>, notice: &mut dyn FnMut(&Problem)) -> Result<(), FileError> {
        self.rows.write_all(bad.bytes).map_err(|error| FileError::io(&self.path, error))?;
        let row = self.row.get_or_insert_with(|| Rejected {
            path: PathFields::of(path),
            row: bad.number,
            offset: bad.offset,
            len: 0,
            errors: 0,
            reasons: Vec::new(),
        });
        let mut places = bad.places();
        for problem in bad.problems() {
            row.errors += 1;
            notice(&problem);
            if row.reasons.len() < MAX_REASONS_PER_ROW {
                row.reasons.push(Reason {
                    kind: problem.kind.name(),
                    offset: bad.offset + problem.offset as u64,
                    len: problem.len,
                    bytes: hex(&bad.bytes[problem.offset..problem.offset + problem.len]),
                    field: FieldFields::of(places.at(problem.offset).field.as_ref()),
                    message: problem.description.message(),
                });
            }
        }
        row.len += bad.bytes.len() as u64;
        if bad.part == Some(false) { Ok(()) } else { self.end_row() }
    }

    /// Writes the last row of an input. Later rows are from another input.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be written.
    pub fn end_row(&mut self) -> Result<(), FileError> {
        let Some(row) = self.row.take() else { return Ok(()) };
        self.count += 1;
        write_line(&row, &mut self.reasons).map_err(|error| FileError::io(&self.sidecar, error))
    }

    /// Flushes both files to disk, and makes them visible under their names.
    ///
    /// # Errors
    /// [`FileError`] if that fails.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.end_row()?;
        let unbuffered = |writer: BufWriter<Output>, path: &Path| {
            writer.into_inner().map_err(|error| FileError::io(path, error.into_error()))
        };
        let (mut rows, mut reasons) = (unbuffered(self.rows, &self.path)?, unbuffered(self.reasons, &self.sidecar)?);
        rows.sync()?;
        reasons.sync()?;
        rows.commit()?;
        reasons.commit()
    }
}

/// Returns the path of the sidecar for a file of rows.
pub fn sidecar(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".reasons.jsonl");
    PathBuf::from(name)
}
