//! `utf8kit.rows`: records of CSV, TSV and JSON lines, and the text that target systems reject.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use utf8kit::AnyEncoding;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_files::{Blocks, FileError, Input as Opened, Repair, RepairSink, Sink, Source, validate_rows};
use utf8kit_records::RowSink;
use utf8kit_records::rows::{Field, FieldCount, Quote, RowFormat, RowOptions, RowSyntax};
use utf8kit_records::targets::{Demands, RowRepair, Target};
use utf8kit_records::validator::{BadRow, RowValidator};

use crate::encoding::CharsetName;
use crate::files::{raise, threads};
use crate::input::Input;
use crate::policy::Policy;
use crate::signals::{Cancelled, interruptible};

/// A problem: row, field, name or path, offset, length, kind, reason.
type Problem = (u64, Option<u64>, Option<String>, u64, usize, &'static str, String);

/// The format of rows, and the requirements on them.
#[derive(Clone)]
#[pyclass(frozen, module = "utf8kit._native", name = "Rows")]
pub(crate) struct Rows {
    syntax: RowSyntax,
    charset: Charset,
    demands: Demands,
}

fn value_error(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The number of fields as passed by the caller.
#[derive(FromPyObject)]
enum Fields {
    Number(i64),
    Name(String),
}

impl Fields {
    fn count(self) -> PyResult<FieldCount> {
        match self {
            Fields::Name(name) if name == "header" => Ok(FieldCount::Header),
            Fields::Name(name) => {
                Err(value_error(format!("fields must be a positive number or \"header\", not {name:?}")))
            }
            Fields::Number(number) => match number.try_into() {
                Ok(count @ 1..) => Ok(FieldCount::Exactly(count)),
                _ => Err(value_error(format!("fields must be a positive number or \"header\", not {number}"))),
            },
        }
    }
}

/// Returns the only character of an argument.
fn sign(name: &str, text: &str) -> PyResult<char> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(sign), None) => Ok(sign),
        _ => Err(value_error(format!("{name} must be one character, not {text:?}"))),
    }
}

#[pymethods]
impl Rows {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the options of a Python function")]
    fn new(
        format: Option<&str>,
        targets: Vec<String>,
        encoding: CharsetName,
        delimiter: Option<&str>,
        quote: Option<&str>,
        fields: Option<Fields>,
        max_bytes: Option<usize>,
        max_chars: Option<usize>,
    ) -> PyResult<Rows> {
        let mut demands = Demands::default();
        for name in targets {
            let target: Result<Target, _> = name.parse();
            let known = || Target::all().map(Target::name).collect::<Vec<_>>().join(", ");
            let unknown = |_| PyLookupError::new_err(format!("unknown target: {name}; known are {}", known()));
            demands.targets.push(target.map_err(unknown)?);
        }
        (demands.max_bytes, demands.max_chars) = (max_bytes, max_chars);
        let mut options = RowOptions::new(match format {
            None => demands.lines(),
            Some("csv") => RowFormat::Csv,
            Some("tsv") => RowFormat::Tsv,
            Some("jsonl") => RowFormat::Jsonl,
            Some("lines") => RowFormat::Lines,
            Some(other) => {
                return Err(value_error(format!("format {other:?} is not one of: csv, tsv, jsonl, lines")));
            }
        });
        options.delimiter = delimiter.map(|text| sign("delimiter", text)).transpose()?;
        options.quote = match quote {
            Some("") => Some(Quote::Unquoted),
            other => other.map(|text| sign("quote", text).map(Quote::Sign)).transpose()?,
        };
        options.fields = fields.map(Fields::count).transpose()?;
        options.reader = demands.reader();
        let syntax = RowSyntax::new(options, encoding.0.writer()).map_err(value_error)?;
        Ok(Rows { syntax, charset: encoding.0, demands })
    }

    /// Returns the problems of the rows of a file or of bytes, at most `limit`.
    fn check(&self, py: Python<'_>, source: Given<'_>, limit: usize) -> PyResult<Vec<Problem>> {
        let validator = RowValidator::well_formed(self.syntax.clone()).demanding(self.demands.clone());
        let validator = validator
            .ok_or_else(|| value_error("targets apply to rows in UTF-8, or in an encoding that converts to it"))?;
        let (path, opened) = source.open();
        let found = interruptible(py, move |cancelled| {
            let mut problems = Problems { found: Vec::new(), limit, cancelled: cancelled.clone() };
            let blocks = opened().and_then(Blocks::of).map_err(|error| FileError::io(&path, error))?;
            match validate_rows(&path, blocks, &validator, threads(0), &mut problems) {
                Err(FileError::Cancelled) | Ok(()) => Ok(problems.found),
                Err(error) => Err(error),
            }
        })?;
        found.map_err(|error| raise(py, error))
    }

    /// Returns repaired rows of UTF-8, and the number of repairs.
    fn repair<'py>(&self, py: Python<'py>, data: Input<'py>, policy: Policy) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        if self.syntax.codec() != Codec::Native(AnyEncoding::Utf8) {
            return Err(value_error(format!("convert rows in {} to utf-8 first", self.charset)));
        }
        let RepairPolicy::Errors(policy) = &policy.0 else {
            return Err(value_error("here the policy must be one about single errors, such as replace or remove"));
        };
        let repair = RowRepair::new(self.syntax.clone(), self.demands.clone(), policy.as_policy());
        let repair = repair.map_err(value_error)?;
        let copied = data.bytes().to_vec();
        let done = interruptible(py, move |cancelled| {
            let path = Path::new("<bytes>");
            let blocks = Blocks::of(Opened::of(copied)).map_err(|error| FileError::io(path, error))?;
            let mut written = Written { out: Vec::new(), cancelled: cancelled.clone() };
            let counts = Repair::Rows(repair).run(path, blocks, threads(0), &mut written)?.counts;
            Ok((written.out, counts.total()))
        })?;
        let (out, changes) = done.map_err(|error| raise(py, error))?;
        Ok((data.or_changed(py, (changes > 0).then_some(out)), changes))
    }
}

/// targets() -> list[tuple[str, str]]
///
/// Returns the names of the systems that rows can be checked for, with descriptions.
#[pyfunction]
pub(crate) fn targets() -> Vec<(&'static str, &'static str)> {
    Target::all().map(|target| (target.name(), target.about())).collect()
}

/// Rows from a file or in memory.
#[derive(FromPyObject)]
enum Given<'py> {
    Bytes(Input<'py>),
    Path(PathBuf),
}

impl Given<'_> {
    /// Returns the path, and a function to open it.
    fn open(self) -> (PathBuf, Box<dyn FnOnce() -> std::io::Result<Opened> + Send>) {
        match self {
            Given::Path(path) => (path.clone(), Box::new(move || Source::file(&path).open())),
            Given::Bytes(data) => {
                let copied = data.bytes().to_vec();
                (PathBuf::from("<bytes>"), Box::new(move || Ok(Opened::of(copied))))
            }
        }
    }
}

/// Collects the problems.
struct Problems {
    found: Vec<Problem>,
    limit: usize,
    cancelled: Cancelled,
}

impl RowSink for Problems {
    type Error = FileError;

    fn advance(&mut self, _: u64) -> Result<(), FileError> {
        if self.cancelled.get() { Err(FileError::Cancelled) } else { Ok(()) }
    }

    fn good(&mut self, _: &[u8], _: &[u8]) -> Result<(), FileError> {
        Ok(())
    }

    fn bad(&mut self, row: &BadRow<'_>) -> Result<(), FileError> {
        let mut places = row.places();
        for problem in row.problems() {
            if self.found.len() >= self.limit {
                return Err(FileError::Cancelled);
            }
            let (number, name) = match places.at(problem.offset).field {
                Some(Field::Column { number, name }) => (Some(number), name),
                Some(Field::Path(path)) => (None, Some(path)),
                _ => (None, None),
            };
            let (offset, reason) = (row.offset + problem.offset as u64, problem.description.message());
            self.found.push((row.number, number, name, offset, problem.len, problem.kind.name(), reason));
        }
        Ok(())
    }
}

/// Repaired rows in memory.
struct Written {
    out: Vec<u8>,
    cancelled: Cancelled,
}

impl Sink for Written {
    type Error = FileError;

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn advance(&mut self, _: u64) -> Result<(), FileError> {
        if self.cancelled.get() { Err(FileError::Cancelled) } else { Ok(()) }
    }
}

impl RepairSink for Written {
    fn uses_edits(&self) -> bool {
        false
    }
}
