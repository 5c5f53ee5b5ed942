//! Bad rows, byte for byte, and beside them the reasons.

use std::ffi::OsString;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{BadRow, Field, Flaw};
use crate::files::{FileError, Output};
use crate::json::{PathFields, hex, write_line};

/// The most reasons that are written of a row; all are counted.
const REASONS: usize = 100;

/// So many bytes are written together.
const BUFFER: usize = 64 * 1024;

/// A file of bad rows, and its sidecar of reasons: a JSON object a line. Both appear when all is done, each in one step,
/// empty if no row was bad.
#[derive(Debug)]
pub struct Rejects {
    rows: BufWriter<Output>,
    reasons: BufWriter<Output>,
    path: PathBuf,
    sidecar: PathBuf,
    /// The row at hand, of which more may come.
    row: Option<Rejected>,
    /// How many rows there are.
    pub count: u64,
}

/// A bad row.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "rejected")]
struct Rejected {
    #[serde(flatten)]
    path: PathFields,
    row: u64,
    /// Where it is in the input, and so how it goes back to its place.
    offset: u64,
    len: u64,
    errors: u64,
    reasons: Vec<Reason>,
}

/// Why it is bad.
#[derive(Debug, Serialize)]
struct Reason {
    kind: &'static str,
    /// In the input.
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
    field: Option<FieldId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column_name: Option<String>,
}

/// What a field is known by: its number or its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum FieldId {
    Number(u64),
    Path(String),
}

impl FieldFields {
    /// Those of a field.
    pub fn of(field: Option<&Field>) -> FieldFields {
        let column_name = field.and_then(Field::column_name).map(str::to_owned);
        let field = field.map(|field| match field {
            Field::Column { number, .. } => FieldId::Number(*number),
            Field::Path(path) => FieldId::Path(path.clone()),
        });
        FieldFields { field, column_name }
    }
}

impl Rejects {
    /// To a file. Nothing is there before [`Rejects::commit`].
    ///
    /// # Errors
    /// What keeps the files from being made.
    pub fn create(path: &Path) -> Result<Rejects, FileError> {
        let sidecar = sidecar(path);
        let create = |path| Output::create(path).map(|output| BufWriter::with_capacity(BUFFER, output));
        let (rows, reasons) = (create(path)?, create(&sidecar)?);
        Ok(Rejects { rows, reasons, path: path.to_owned(), sidecar, row: None, count: 0 })
    }

    /// Takes a bad row of an input; `notice` is told of all that is wrong with it.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn put(
        &mut self,
        path: &Path,
        bad: &BadRow<'_>,
        notice: &mut dyn FnMut(&Flaw),
    ) -> Result<(), FileError> {
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
        for flaw in bad.flaws() {
            row.errors += 1;
            notice(&flaw);
            if row.reasons.len() < REASONS {
                row.reasons.push(Reason {
                    kind: flaw.kind.name(),
                    offset: bad.offset + flaw.offset as u64,
                    len: flaw.len,
                    bytes: hex(&bad.bytes[flaw.offset..flaw.offset + flaw.len]),
                    field: FieldFields::of(places.at(flaw.offset).field.as_ref()),
                    message: flaw.words.message(),
                });
            }
        }
        row.len += bad.bytes.len() as u64;
        if bad.part == Some(false) { Ok(()) } else { self.end_row() }
    }

    fn end_row(&mut self) -> Result<(), FileError> {
        let Some(row) = self.row.take() else { return Ok(()) };
        self.count += 1;
        write_line(&row, &mut self.reasons).map_err(|error| FileError::io(&self.sidecar, error))
    }

    /// The input is done: what comes next is another one.
    ///
    /// # Errors
    /// What keeps the last row from being written.
    pub fn end_input(&mut self) -> Result<(), FileError> {
        self.end_row()
    }

    /// Makes both files seen under their names, once they are on the disk.
    ///
    /// # Errors
    /// What keeps them from being seen.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.end_row()?;
        let unbuffered = |writer: BufWriter<Output>, path: &Path| {
            writer.into_inner().map_err(|error| FileError::io(path, error.into_error()))
        };
        let (mut rows, mut reasons) =
            (unbuffered(self.rows, &self.path)?, unbuffered(self.reasons, &self.sidecar)?);
        rows.sync()?;
        reasons.sync()?;
        rows.commit()?;
        reasons.commit()
    }
}

/// The name of the reasons beside a file of rows.
pub fn sidecar(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".reasons.jsonl");
    PathBuf::from(name)
}
