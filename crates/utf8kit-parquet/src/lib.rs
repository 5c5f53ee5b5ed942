//! Parquet files whose strings are not UTF-8: finds every error with its row group, row and column, and repairs a file
//! while preserving everything else, byte for byte.
//!
//! A repair rewrites only column chunks that contain an invalid value, with their encoding, compression, statistics,
//! page index and Bloom filter. All other bytes are copied, and offsets in the metadata are adjusted. Unknown fields of
//! the metadata are kept.
//!
//! ```
//! # use std::sync::Arc;
//! # use parquet::data_type::{ByteArray, ByteArrayType};
//! # use parquet::file::writer::SerializedFileWriter;
//! # use parquet::schema::parser::parse_message_type;
//! # let schema = Arc::new(parse_message_type("message m { required binary name (STRING); }").unwrap());
//! # let mut file = Vec::new();
//! # let mut writer = SerializedFileWriter::new(&mut file, schema, Default::default()).unwrap();
//! # let mut group = writer.next_row_group().unwrap();
//! # let mut column = group.next_column().unwrap().unwrap();
//! # let values = [&b"fine"[..], b"caf\xE9"].map(|value| ByteArray::from(value.to_vec()));
//! # column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
//! # column.close().unwrap();
//! # group.close().unwrap();
//! # writer.close().unwrap();
//! use utf8kit_parquet::{Bytes, ParquetFile, RepairPolicy, TextPlace};
//!
//! let file = ParquetFile::open(Bytes::from(file))?;
//! let mut found = Vec::new();
//! file.check(false, &mut |bad| if bad.place == TextPlace::Value { found.push((bad.row, bad.error.offset)) })?;
//! assert_eq!(found, [(Some(1), 3)]);
//!
//! let mut repaired = Vec::new();
//! let policy = RepairPolicy::default();
//! let due = file.repair(&policy, &mut || true)?.expect("an error");
//! assert_eq!(due.write(&mut repaired, &mut || true)?.errors, 1);
//! let file = ParquetFile::open(Bytes::from(repaired))?;
//! assert!(file.repair(&policy, &mut || true)?.is_none());
//! # Ok::<(), utf8kit_parquet::ParquetError>(())
//! ```

mod check;
mod error;
mod file;
mod footer;
mod repair;
mod rewrite;
mod thrift;

use std::ops::Range;
use std::sync::Arc;

pub use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as PhysicalType};
pub use parquet::errors::ParquetError as PageError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
pub use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};
use utf8kit::{Error, Policy};
pub use utf8kit_detect::repair::RepairPolicy;

pub use check::Errors;
pub use error::ParquetError;
pub use file::{LocalFile, repair_file};
pub use repair::{PreparedRepair, Repaired};

/// Called from time to time. `false` cancels the work.
pub type Go<'g> = &'g mut dyn FnMut() -> bool;

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextError {
    /// The row group, from 0; `None` for errors in the metadata of the whole file.
    pub row_group: Option<usize>,
    /// The row in the file, from 0; `None` for errors outside of values.
    pub row: Option<u64>,
    /// The names of the fields that lead to the value, joined with dots, without the repeated group of a list. For an
    /// entry of the footer, its key.
    pub column: String,
    /// The value.
    pub value: Bytes,
    /// The error in it.
    pub error: Error,
    /// The part of the file that contains it.
    pub place: TextPlace,
}

/// The part of a file that contains an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextPlace {
    /// A value.
    Value,
    /// The minimum of a row group's statistics.
    Min,
    /// The maximum of a row group's statistics.
    Max,
    /// A key of the footer.
    Key,
    /// The value of an entry of the footer.
    Entry,
    /// The name of a column.
    Name,
}

impl TextPlace {
    /// Returns its name: `value`, `min`, `max`, `key`, `entry` or `name`.
    pub fn name(self) -> &'static str {
        match self {
            TextPlace::Value => "value",
            TextPlace::Min => "min",
            TextPlace::Max => "max",
            TextPlace::Key => "key",
            TextPlace::Entry => "entry",
            TextPlace::Name => "name",
        }
    }
}

/// A column of strings or bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Column {
    /// Its index among the columns of the file.
    pub index: usize,
    /// Its path as [`TextError::column`] has it.
    pub path: String,
    /// Its path with the groups of lists.
    pub full_path: String,
    /// Whether it is declared as text: a string, an enumeration or JSON.
    pub is_text: bool,
}

/// A Parquet file that is open for reading.
#[derive(Debug)]
pub struct ParquetFile<R> {
    reader: Arc<R>,
    footer: thrift::Struct,
    /// The offset of the footer.
    end: u64,
    /// The footer as parsed by the crate `parquet`, with valid strings.
    metadata: ParquetMetaData,
    columns: Vec<Column>,
}

impl<R: ChunkReader + 'static> ParquetFile<R> {
    /// Reads the metadata of a file.
    ///
    /// # Errors
    /// [`ParquetError`] if the file is not Parquet, is encrypted, or refers to other files.
    pub fn open(reader: R) -> Result<ParquetFile<R>, ParquetError> {
        let (footer, end) = footer::read(&reader)?;
        // The crate `parquet` rejects names and entries that are not UTF-8.
        let mut readable = footer.clone();
        // Escaping keeps different names different.
        footer::repair(&mut readable, &RepairPolicy::Errors(Policy::Escape.into()))?;
        let mut bytes = Vec::new();
        readable.write(&mut bytes);
        let metadata = guarded(|| Ok(ParquetMetaDataReader::decode_metadata(&bytes)?))?;
        let columns = columns(metadata.file_metadata().schema_descr());
        Ok(ParquetFile { reader: Arc::new(reader), footer, end, metadata, columns })
    }

    /// Returns the number of row groups.
    pub fn row_groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.metadata.file_metadata().num_rows().max(0) as u64
    }

    /// Returns the columns of strings and bytes.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the stored size of a column in a row group in bytes, or 0 if there is no such column.
    pub fn stored_size(&self, row_group: usize, column: &Column) -> u64 {
        self.described(row_group, column.index).map_or(0, |found| found.range.end - found.range.start)
    }

    /// Calls `bad` with every error in the footer: in its entries and the names of columns.
    pub fn check_footer(&self, bad: &mut dyn FnMut(TextError)) {
        footer::errors(&self.footer, bad);
    }

    /// Calls `bad` with every error in the minimum and maximum of a column in a row group.
    pub fn check_bounds(&self, row_group: usize, column: &Column, bad: &mut dyn FnMut(TextError)) {
        if let Some(chunk) = self.chunk(row_group, column.index) {
            footer::errors_in_bounds(chunk, row_group, &column.path, bad);
        }
    }

    /// Calls `bad` with every error of the file: first in the footer, then in each row group, column by column. With
    /// `binary`, columns of bytes that are not declared as text are also checked.
    ///
    /// # Errors
    /// [`ParquetError`] if a column cannot be read.
    pub fn check(&self, binary: bool, bad: &mut dyn FnMut(TextError)) -> Result<(), ParquetError> {
        self.check_footer(bad);
        for group in 0..self.row_groups() {
            for column in self.columns.iter().filter(|column| binary || column.is_text) {
                self.check_bounds(group, column, bad);
                if self.is_valid(group, column, &mut || true)? {
                    continue;
                }
                let mut errors = self.errors(group, column)?;
                while let Some(found) = errors.next()? {
                    found.into_iter().for_each(&mut *bad);
                }
            }
        }
        Ok(())
    }

    fn chunk(&self, row_group: usize, column: usize) -> Option<&thrift::Struct> {
        self.footer.nth(footer::file::ROW_GROUPS, row_group)?.nth(footer::group::COLUMNS, column)
    }

    /// Returns the descriptor and the metadata of a column chunk.
    fn described(&self, row_group: usize, column: usize) -> Result<Described<'_>, ParquetError> {
        let group = self.metadata.row_groups().get(row_group);
        let chunk = group.and_then(|group| group.columns().get(column));
        let chunk = chunk.ok_or(ParquetError::Malformed("a row group lacks a column"))?;
        // A wrong size would make the crate `parquet` panic.
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        let range = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
        let range = range.and_then(|(start, len)| Some(start..start.checked_add(len)?));
        let inside = range.filter(|range| range.start >= 4 && range.end <= self.end);
        let range = inside.ok_or(ParquetError::Malformed("a column chunk lies outside the file"))?;
        Ok(Described { chunk, range, rows: group.map_or(0, |group| group.num_rows()) })
    }
}

/// A column chunk for the crate `parquet` to read.
struct Described<'f> {
    chunk: &'f parquet::file::metadata::ColumnChunkMetaData,
    /// Its bytes in the file.
    range: Range<u64>,
    rows: i64,
}

/// Calls the crate `parquet`, which panics on some broken files.
fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    result.unwrap_or(Err(ParquetError::Malformed("a page or the metadata is damaged")))
}

fn columns(schema: &SchemaDescriptor) -> Vec<Column> {
    let mut found = Vec::new();
    for (index, column) in schema.columns().iter().enumerate() {
        if column.physical_type() == PhysicalType::BYTE_ARRAY {
            let full_path = column.path().string();
            let path = short_path(schema.root_schema(), column);
            let is_text = is_text(column);
            // Other annotations are not text: decimals, BSON, geometries.
            if is_text || column.logical_type_ref().is_none() && column.converted_type() == ConvertedType::NONE {
                found.push(Column { index, path, full_path, is_text });
            }
        }
    }
    found
}

fn is_text(column: &ColumnDescriptor) -> bool {
    let logical = column.logical_type_ref();
    matches!(logical, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json))
        || matches!(column.converted_type(), ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON)
}

/// Returns the path of a column without the repeated groups of lists, as in Arrow.
fn short_path(root: &Type, column: &ColumnDescriptor) -> String {
    let mut path: Vec<&str> = Vec::new();
    let (mut parent, mut in_list) = (root, false);
    for part in column.path().parts() {
        let Some(field) = parent
            .is_group()
            .then(|| parent.get_fields())
            .and_then(|fields| fields.iter().find(|field| field.name() == part))
        else {
            return column.path().string();
        };
        let info = field.get_basic_info();
        // The rules of the format for lists of older writers.
        let older = part == "array" || path.last().is_some_and(|list| *part == format!("{list}_tuple"));
        let wraps = in_list
            && field.is_group()
            && info.has_repetition()
            && info.repetition() == Repetition::REPEATED
            && field.get_fields().len() == 1
            && !older;
        if !wraps {
            path.push(part);
        }
        in_list =
            info.converted_type() == ConvertedType::LIST || matches!(info.logical_type_ref(), Some(LogicalType::List));
        parent = field;
    }
    path.join(".")
}
