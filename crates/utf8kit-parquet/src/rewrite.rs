//! Rewrites one column chunk with its original encoding, compression and kinds of metadata.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, Repetition};
use parquet::bloom_filter::Sbbf;
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{AsBytes, ByteArray, ByteArrayType};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::reader::ChunkReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescriptor, Type};
use utf8kit::AnyEncoding;
use utf8kit_detect::repair::RepairPolicy;

use crate::check::{ROWS_PER_BATCH, Survey, Values};
use crate::footer::{self, BOUNDS, chunk, column, file, group};
use crate::thrift::{Struct, Value};
use crate::{Go, ParquetError, ParquetFile, guarded};

/// Pages get about as many rows as before, but no more bytes.
const MAX_BYTES_OF_PAGE: usize = 64 << 20;

/// The longest minimum or maximum, as in Parquet's writer for Java.
const MAX_BYTES_OF_BOUND: usize = 4096;

/// A dictionary that grows longer than this is abandoned, as by other writers.
const MAX_BYTES_OF_DICTIONARY: usize = 1 << 20;

/// A column chunk that was rewritten. Offsets count from its start.
pub(crate) struct Rewritten {
    pub(crate) bytes: Bytes,
    /// Its `ColumnMetaData`.
    pub(crate) metadata: Struct,
    pub(crate) column_index: Option<Bytes>,
    pub(crate) offset_index: Option<Struct>,
    /// Its Bloom filter with the header.
    pub(crate) bloom: Option<Vec<u8>>,
    pub(crate) errors: u64,
}

impl<R: ChunkReader + 'static> ParquetFile<R> {
    /// Rewrites a column chunk with repaired values.
    pub(crate) fn rewrite(
        &self,
        place: (usize, usize),
        survey: Survey,
        bloom_bytes: Option<usize>,
        policy: &RepairPolicy,
        go: Go<'_>,
    ) -> Result<Rewritten, ParquetError> {
        let (row_group, index) = place;
        let old = self.chunk(row_group, index).ok_or(ParquetError::Malformed("a column is missing"))?;
        let old_metadata = old.child(chunk::METADATA).cloned().unwrap_or_default();
        let descriptor = self.metadata.file_metadata().schema_descr().column(index);
        let properties = self.properties(row_group, index, old, survey)?;
        let mut bloom = bloom_bytes.map(Sbbf::new_with_num_of_bytes);
        let mut values = Values::new(self, row_group, index)?;
        let mut out = Vec::new();
        let mut writer =
            guarded(|| Ok(SerializedFileWriter::new(&mut out, schema(&descriptor)?, Arc::new(properties))?))?;
        let mut group_writer = writer.next_row_group()?;
        let mut column_writer = group_writer.next_column()?.ok_or(ParquetError::Malformed("no column"))?;
        let typed = column_writer.typed::<ByteArrayType>();
        let (rows, errors) = copy_repaired(&mut values, typed, bloom.as_mut(), policy, go)?;
        guarded(|| Ok(column_writer.close()?))?;
        guarded(|| Ok(group_writer.close()?))?;
        guarded(|| Ok(writer.close()?))?;
        let mut rewritten = taken(&Bytes::from(out), &old_metadata)?;
        let same = rewritten.metadata.number(column::VALUES) == old_metadata.number(column::VALUES);
        if !same || rows != self.described(row_group, index)?.rows.max(0) as u64 {
            return Err(ParquetError::Malformed("the number of values in a column chunk does not match its metadata"));
        }
        if let Some(bloom) = bloom {
            bloom.write(rewritten.bloom.insert(Vec::new()))?;
        }
        rewritten.errors = errors;
        Ok(rewritten)
    }

    fn properties(
        &self,
        row_group: usize,
        index: usize,
        old: &Struct,
        survey: Survey,
    ) -> Result<WriterProperties, ParquetError> {
        let described = self.described(row_group, index)?;
        let (described, all_rows) = (described.chunk, described.rows.max(1) as usize);
        let metadata = old.child(chunk::METADATA);
        let statistics = metadata.and_then(|metadata| metadata.child(column::STATISTICS));
        let bounds = BOUNDS.iter().flatten().filter_map(|id| statistics?.binary(*id).map(Bytes::len));
        let longest = bounds.max().unwrap_or(0).clamp(64, MAX_BYTES_OF_BOUND);
        let rows = all_rows.div_ceil(survey.pages.max(1));
        let has = |field: [i16; 2]| old.number(field[0]).is_some();
        let whole_dictionary = described.dictionary_page_offset().is_some() && survey.encoding.is_none();
        let builder = WriterProperties::builder()
            .set_compression(described.compression())
            .set_dictionary_enabled(described.dictionary_page_offset().is_some())
            .set_dictionary_page_size_limit(if whole_dictionary { usize::MAX } else { MAX_BYTES_OF_DICTIONARY })
            .set_data_page_row_count_limit(rows)
            .set_write_batch_size(rows.min(ROWS_PER_BATCH))
            .set_data_page_size_limit(MAX_BYTES_OF_PAGE)
            .set_encoding(survey.encoding.unwrap_or(Encoding::PLAIN))
            .set_writer_version(match survey.second_version {
                true => WriterVersion::PARQUET_2_0,
                false => WriterVersion::PARQUET_1_0,
            })
            .set_statistics_enabled(match statistics {
                _ if has(chunk::COLUMN_INDEX) => EnabledStatistics::Page,
                Some(_) => EnabledStatistics::Chunk,
                None => EnabledStatistics::None,
            })
            .set_offset_index_disabled(!has(chunk::OFFSET_INDEX))
            .set_statistics_truncate_length(Some(longest));
        Ok(builder.build())
    }
}

/// Writes all values, repairing the invalid ones. Returns the numbers of rows and of errors.
fn copy_repaired(
    values: &mut Values,
    writer: &mut ColumnWriterImpl<'_, ByteArrayType>,
    mut bloom: Option<&mut Sbbf>,
    policy: &RepairPolicy,
    go: Go<'_>,
) -> Result<(u64, u64), ParquetError> {
    let (mut rows, mut errors) = (0, 0);
    loop {
        match values.read()? {
            0 => return Ok((rows, errors)),
            read => rows += read as u64,
        }
        if !go() {
            return Err(ParquetError::Cancelled);
        }
        for value in &mut values.values {
            if utf8kit::validate(value.as_bytes()).is_err() {
                errors += utf8kit::errors(value.as_bytes()).count() as u64;
                *value = ByteArray::from(policy.repair_value(AnyEncoding::Utf8, value.as_bytes()).into_owned());
            }
            if let Some(bloom) = bloom.as_deref_mut() {
                bloom.insert(value);
            }
        }
        let [definitions, repetitions] = values.levels();
        guarded(|| Ok(writer.write_batch(&values.values, definitions, repetitions)?))?;
    }
}

/// Returns a schema with one column of the same levels and annotations. Its pages do not depend on the names of the
/// enclosing groups, or on how optional and repeated groups alternate.
fn schema(column: &ColumnDescriptor) -> Result<Arc<Type>, ParquetError> {
    let leaf = column.self_type_ptr();
    let own = leaf.get_basic_info().has_repetition().then(|| leaf.get_basic_info().repetition());
    let own_repetitions = i16::from(own == Some(Repetition::REPEATED));
    let own_definitions = own_repetitions + i16::from(own == Some(Repetition::OPTIONAL));
    let repeated = column.max_rep_level() - own_repetitions;
    let defined = column.max_def_level() - own_definitions;
    let mut inner = leaf;
    for level in 0..defined {
        let repetition = if level < repeated { Repetition::REPEATED } else { Repetition::OPTIONAL };
        let group = Type::group_type_builder("group").with_repetition(repetition).with_fields(vec![inner]);
        inner = Arc::new(group.build()?);
    }
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(vec![inner]).build()?))
}

/// Extracts the chunk and its metadata from a file with one column.
fn taken(whole: &Bytes, old: &Struct) -> Result<Rewritten, ParquetError> {
    let (footer, _) = footer::read(whole)?;
    let one = footer.structs(file::ROW_GROUPS).next().and_then(|group| group.structs(group::COLUMNS).next());
    let wrong = || ParquetError::Malformed("a column chunk was not written");
    let one = one.ok_or_else(wrong)?;
    let mut metadata = one.child(chunk::METADATA).cloned().ok_or_else(wrong)?;
    let offsets = || column::OFFSETS.iter().filter_map(|id| metadata.number(*id)).filter(|offset| *offset > 0);
    let start = offsets().min().ok_or_else(wrong)?;
    let bytes = part(whole, Some(start), metadata.number(column::COMPRESSED_SIZE)).ok_or_else(wrong)?;
    for id in column::OFFSETS {
        if let Some(offset) = metadata.number(id) {
            metadata.set_number(id, offset - start);
        }
    }
    metadata.set(column::PATH, old.get(column::PATH).cloned());
    metadata.set(column::ENTRIES, old.get(column::ENTRIES).cloned());
    // Readers of old files may not know newer fields.
    for id in [column::STATISTICS, column::ENCODING_STATISTICS, column::SIZE_STATISTICS] {
        if old.get(id).is_none() {
            metadata.set(id, None);
        }
    }
    let index = |[offset, len]: [i16; 2]| part(whole, one.number(offset), one.number(len));
    let mut offset_index = match index(chunk::OFFSET_INDEX) {
        Some(bytes) => Some(Struct::read(&bytes)?.0),
        None => None,
    };
    if let Some(index) = &mut offset_index {
        move_pages(index, |offset| offset - start);
    }
    let column_index = index(chunk::COLUMN_INDEX);
    Ok(Rewritten { bytes, metadata, column_index, offset_index, bloom: None, errors: 0 })
}

/// Returns a part of a file.
fn part(whole: &Bytes, offset: Option<i64>, len: Option<i64>) -> Option<Bytes> {
    let (start, len) = (usize::try_from(offset?).ok()?, usize::try_from(len?).ok()?);
    (start.checked_add(len)? <= whole.len()).then(|| whole.slice(start..start + len))
}

/// Moves the pages of an `OffsetIndex`.
pub(crate) fn move_pages(index: &mut Struct, to: impl Fn(i64) -> i64) {
    for page in index.list_mut(1) {
        if let Value::Struct(page) = page
            && let Some(offset) = page.number(1)
        {
            page.set_number(1, to(offset));
        }
    }
}
