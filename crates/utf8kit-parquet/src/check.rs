//! Finds invalid values.

use bytes::Bytes;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{AsBytes, ByteArray, ByteArrayType};
use parquet::file::reader::{ChunkReader, SerializedPageReader};

use crate::{Column, Go, ParquetError, ParquetFile, TextError, TextPlace, guarded};

/// Rows that are decoded at a time.
pub(crate) const ROWS_PER_BATCH: usize = 1024;

/// The result of surveying the pages of a column chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Survey {
    /// Whether all values of pages and dictionary are valid. `None` if they must be decoded to decide.
    pub(crate) is_valid: Option<bool>,
    /// The number of pages with data.
    pub(crate) pages: usize,
    /// Whether they are of the second version.
    pub(crate) second_version: bool,
    /// The encoding of values that are not in a dictionary.
    pub(crate) encoding: Option<Encoding>,
}

impl<R: ChunkReader + 'static> ParquetFile<R> {
    pub(crate) fn pages(&self, row_group: usize, column: usize) -> Result<SerializedPageReader<R>, ParquetError> {
        let described = self.described(row_group, column)?;
        if described.chunk.column_type() != PhysicalType::BYTE_ARRAY {
            return Err(ParquetError::Malformed("the type of a column chunk does not match its column"));
        }
        let reader = std::sync::Arc::clone(&self.reader);
        guarded(|| Ok(SerializedPageReader::new(reader, described.chunk, described.rows.max(0) as usize, None)?))
    }

    /// Surveys all pages of a column chunk without decoding levels or looking up values in dictionaries.
    pub(crate) fn survey(&self, row_group: usize, column: usize, go: Go<'_>) -> Result<Survey, ParquetError> {
        let mut pages = self.pages(row_group, column)?;
        let descriptor = self.metadata.file_metadata().schema_descr().column(column);
        let levels = usize::from(descriptor.max_def_level() > 0) + usize::from(descriptor.max_rep_level() > 0);
        let mut survey = Survey { is_valid: Some(true), ..Survey::default() };
        while let Some(page) = guarded(|| Ok(pages.get_next_page()?))? {
            if !go() {
                return Err(ParquetError::Cancelled);
            }
            survey.add(&page, levels);
        }
        Ok(survey)
    }

    /// Reports whether all values of a column in a row group are valid.
    ///
    /// # Errors
    /// [`ParquetError`] if the column cannot be read.
    pub fn is_valid(&self, row_group: usize, column: &Column, go: Go<'_>) -> Result<bool, ParquetError> {
        self.is_clean(row_group, column.index, self.survey(row_group, column.index, go)?, go)
    }

    /// The same after a survey. All values are decoded if the survey is inconclusive, or if a dictionary contains an
    /// invalid value that may be unused.
    pub(crate) fn is_clean(
        &self,
        row_group: usize,
        column: usize,
        survey: Survey,
        go: Go<'_>,
    ) -> Result<bool, ParquetError> {
        if survey.is_valid == Some(true) {
            return Ok(true);
        }
        let mut values = Values::new(self, row_group, column)?;
        while values.read()? > 0 {
            if !go() {
                return Err(ParquetError::Cancelled);
            }
            if values.values.iter().any(|value| utf8kit::validate(value.as_bytes()).is_err()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the errors in the values of a column in a row group.
    ///
    /// # Errors
    /// [`ParquetError`] if the column cannot be read.
    pub fn errors(&self, row_group: usize, column: &Column) -> Result<Errors, ParquetError> {
        let before = self.metadata.row_groups().iter().take(row_group);
        let row = before.map(|group| group.num_rows().max(0) as u64).sum();
        let values = Values::new(self, row_group, column.index)?;
        Ok(Errors { values, row_group, row, path: column.path.clone() })
    }
}

impl Survey {
    fn add(&mut self, page: &Page, levels: usize) {
        self.pages += usize::from(page.is_data_page());
        let values = match page {
            Page::DictionaryPage { buf, .. } => Some(&buf[..]),
            Page::DataPage { buf, def_level_encoding, rep_level_encoding, .. } => {
                let known = [def_level_encoding, rep_level_encoding].iter().all(|one| **one == Encoding::RLE);
                known.then(|| (0..levels).try_fold(&buf[..], |rest, _| rest_after(rest))).flatten()
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                self.second_version = true;
                buf.get(*def_levels_byte_len as usize + *rep_levels_byte_len as usize..)
            }
        };
        let is_valid = match (page.encoding(), values) {
            (Encoding::RLE_DICTIONARY, _) => return,
            (Encoding::PLAIN_DICTIONARY, _) if page.is_data_page() => return,
            (Encoding::PLAIN | Encoding::PLAIN_DICTIONARY, Some(values)) => are_valid(values),
            _ => None,
        };
        if page.is_data_page() {
            self.encoding = Some(page.encoding());
        }
        self.is_valid = self.is_valid.and_then(|before| Some(before && is_valid?));
    }
}

/// Returns the bytes after a length-prefixed part with a 32-bit length.
fn rest_after(bytes: &[u8]) -> Option<&[u8]> {
    let (len, rest) = bytes.split_first_chunk()?;
    rest.get(u32::from_le_bytes(*len) as usize..)
}

/// Reports whether all values of a page are valid. Each value follows its length.
fn are_valid(mut values: &[u8]) -> Option<bool> {
    while !values.is_empty() {
        let rest = rest_after(values)?;
        if utf8kit::validate(&values[4..values.len() - rest.len()]).is_err() {
            return Some(false);
        }
        values = rest;
    }
    Some(true)
}

/// The values of a column chunk with their levels, some rows at a time.
pub(crate) struct Values {
    reader: ColumnReaderImpl<ByteArrayType>,
    max_definition: i16,
    max_repetition: i16,
    pub(crate) values: Vec<ByteArray>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

impl Values {
    pub(crate) fn new<R: ChunkReader + 'static>(
        file: &ParquetFile<R>,
        row_group: usize,
        column: usize,
    ) -> Result<Values, ParquetError> {
        let descriptor = file.metadata.file_metadata().schema_descr().column(column);
        let (max_definition, max_repetition) = (descriptor.max_def_level(), descriptor.max_rep_level());
        let pages = Box::new(file.pages(row_group, column)?);
        let reader = guarded(|| Ok(ColumnReaderImpl::new(descriptor, pages)))?;
        let (values, definitions, repetitions) = Default::default();
        Ok(Values { reader, max_definition, max_repetition, values, definitions, repetitions })
    }

    /// Returns the definition levels and repetition levels, if there are any.
    pub(crate) fn levels(&self) -> [Option<&[i16]>; 2] {
        let definitions = (self.max_definition > 0).then_some(&self.definitions[..]);
        [definitions, (self.max_repetition > 0).then_some(&self.repetitions[..])]
    }

    /// Reads the next rows. Returns how many; 0 at the end.
    pub(crate) fn read(&mut self) -> Result<usize, ParquetError> {
        let Values { reader, values, definitions, repetitions, .. } = self;
        values.clear();
        definitions.clear();
        repetitions.clear();
        guarded(|| Ok(reader.read_records(ROWS_PER_BATCH, Some(definitions), Some(repetitions), values)?.0))
    }
}

/// The errors in the values of a column in a row group: see [`ParquetFile::errors`].
pub struct Errors {
    values: Values,
    row_group: usize,
    /// The first row that was not read yet.
    row: u64,
    path: String,
}

impl Errors {
    /// Returns the errors of the next rows, often none, or `None` after the last row.
    ///
    /// # Errors
    /// [`ParquetError`] if the column cannot be read.
    #[expect(clippy::should_implement_trait, reason = "an iterator has no errors of its own")]
    pub fn next(&mut self) -> Result<Option<Vec<TextError>>, ParquetError> {
        let rows = self.values.read()?;
        if rows == 0 {
            return Ok(None);
        }
        let mut found = Vec::new();
        let Values { max_definition, values, definitions, repetitions, .. } = &self.values;
        let is_bad = |value: &&ByteArray| utf8kit::validate(value.as_bytes()).is_err();
        if values.iter().any(|value| is_bad(&value)) {
            let (mut row, mut values) = (self.row, values.iter());
            let slots = values.len().max(definitions.len()).max(repetitions.len());
            for slot in 0..slots {
                if slot > 0 && repetitions.get(slot).is_none_or(|level| *level == 0) {
                    row += 1;
                }
                let is_value = definitions.get(slot).is_none_or(|level| *level == *max_definition);
                let value = if is_value { values.next() } else { None };
                let Some(value) = value.filter(is_bad) else { continue };
                for error in utf8kit::errors(value.as_bytes()) {
                    let (row_group, column) = (Some(self.row_group), self.path.clone());
                    let value = Bytes::copy_from_slice(value.as_bytes());
                    found.push(TextError { row_group, row: Some(row), column, value, error, place: TextPlace::Value });
                }
            }
        }
        self.row += rows as u64;
        Ok(Some(found))
    }
}
