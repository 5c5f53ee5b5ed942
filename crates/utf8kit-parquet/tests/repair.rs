//! Tests repairs of files that the crate `parquet` writes, including rare features: Bloom filters, page indexes, pages
//! of both versions, every encoding of strings, nested columns.

use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::PageReader as _;
use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_files::{FileError, Skip};
use utf8kit_parquet::{Bytes, ParquetError, ParquetFile, TextPlace, repair_file};

const SCHEMA: &str = "message m {
    required int96 time;
    optional binary word (STRING);
    optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
    required binary clean (STRING);
}";
const GROUPS: usize = 3;
const ROWS: usize = 500;
const BAD: &[u8] = b"caf\xE9";

fn bytes(text: impl Into<Vec<u8>>) -> ByteArray {
    ByteArray::from(text.into())
}

/// Writes a file; in the second row group, `word` and `tags` have an error in row 7 and row 3.
fn written(properties: WriterProperties) -> Bytes {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for group in 0..GROUPS {
        let bad = |row: usize, at: usize| group == 1 && row == at;
        let mut columns = writer.next_row_group().unwrap();
        let mut time = columns.next_column().unwrap().unwrap();
        let times: Vec<_> = (0..ROWS as u32).map(|row| Int96::from(vec![row, 7, 5_373_484])).collect();
        time.typed::<Int96Type>().write_batch(&times, None, None).unwrap();
        time.close().unwrap();
        let mut word = columns.next_column().unwrap().unwrap();
        let levels: Vec<i16> = (0..ROWS).map(|row| i16::from(row % 5 > 0)).collect();
        let text = |row: usize| if bad(row, 7) { BAD.to_vec() } else { format!("word {}", row % 90).into() };
        let words: Vec<_> = (0..ROWS).filter(|row| row % 5 > 0).map(|row| bytes(text(row))).collect();
        word.typed::<ByteArrayType>().write_batch(&words, Some(&levels), None).unwrap();
        word.close().unwrap();
        // Lists: null, empty, with a null, with two values.
        let mut tags = columns.next_column().unwrap().unwrap();
        let (mut values, mut defined, mut repeated) = (vec![], vec![], vec![]);
        for row in 0..ROWS {
            let level = row as i16 % 4;
            defined.push(level);
            repeated.push(0);
            if level == 3 {
                defined.push(3);
                repeated.push(1);
                values.extend([bytes("x"), bytes(if bad(row, 3) { BAD } else { b"y" })]);
            }
        }
        tags.typed::<ByteArrayType>().write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
        tags.close().unwrap();
        let mut clean = columns.next_column().unwrap().unwrap();
        let texts: Vec<_> = (0..ROWS).map(|row| bytes(format!("größe {row}"))).collect();
        clean.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
        clean.close().unwrap();
        columns.close().unwrap();
    }
    writer.into_inner().unwrap().into()
}

fn each_setting(test: impl Fn(Bytes)) {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for encoding in
            [None, Some(Encoding::PLAIN), Some(Encoding::DELTA_BYTE_ARRAY), Some(Encoding::DELTA_LENGTH_BYTE_ARRAY)]
        {
            let text = ["word", "tags.list.element", "clean"]
                .map(|path| ColumnPath::from(path.split('.').map(String::from).collect::<Vec<_>>()));
            let builder = WriterProperties::builder();
            let builder = text
                .into_iter()
                .fold(builder, |builder, path| builder.set_column_encoding(path, encoding.unwrap_or(Encoding::PLAIN)));
            let builder = builder
                .set_writer_version(version)
                .set_dictionary_enabled(encoding.is_none())
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_statistics_enabled(EnabledStatistics::Page)
                .set_bloom_filter_enabled(true)
                .set_bloom_filter_max_ndv(1000)
                .set_data_page_row_count_limit(100)
                .set_write_batch_size(50);
            test(written(builder.build()));
        }
    }
}

fn metadata(file: &Bytes) -> ParquetMetaData {
    let mut reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.try_parse(file).unwrap();
    reader.finish().unwrap()
}

fn range(chunk: &ColumnChunkMetaData) -> Range<usize> {
    let (start, len) = chunk.byte_range();
    start as usize..(start + len) as usize
}

fn repaired(file: &Bytes) -> Bytes {
    let (mut out, policy) = (Vec::new(), RepairPolicy::default());
    let file = ParquetFile::open(file.clone()).unwrap();
    let due = file.repair(&policy, &mut || true).unwrap().unwrap();
    let done = due.write(&mut out, &mut || true).unwrap();
    assert_eq!((done.errors, done.chunks, done.rows), (2, 2, (GROUPS * ROWS) as u64));
    out.into()
}

#[test]
fn errors_have_their_rows() {
    each_setting(|file| {
        let mut found = Vec::new();
        let file = ParquetFile::open(file).unwrap();
        file.check(false, &mut |bad| {
            if bad.place == TextPlace::Value {
                found.push((bad.row_group, bad.row, bad.column, bad.error.offset));
            }
        })
        .unwrap();
        let (first, group) = (ROWS as u64, Some(1));
        let expected = [(group, Some(first + 7), "word".into(), 3), (group, Some(first + 3), "tags.element".into(), 3)];
        assert_eq!(found, expected);
    });
}

#[test]
fn all_other_bytes_stay() {
    each_setting(|old| {
        let new = repaired(&old);
        let (before, after) = (metadata(&old), metadata(&new));
        for (group, (one, two)) in before.row_groups().iter().zip(after.row_groups()).enumerate() {
            let mut grown = 0;
            for (index, (one, two)) in one.columns().iter().zip(two.columns()).enumerate() {
                let touched = group == 1 && (index == 1 || index == 2);
                assert_eq!(old[range(one)] == new[range(two)], !touched, "{group} {index}");
                grown += two.uncompressed_size() - one.uncompressed_size();
                if !touched {
                    assert_eq!(one.statistics(), two.statistics());
                }
                // The pages are at the offsets in the index.
                let pages = after.page_index_for_row_group(group).page_locations(index).unwrap().clone();
                assert!(pages.len() > 1 || index == 0);
                let count = pages.len() + usize::from(two.dictionary_page_offset().is_some());
                let file = Arc::new(new.clone());
                let mut reader = SerializedPageReader::new(file, two, ROWS, Some(pages)).unwrap();
                assert_eq!(std::iter::from_fn(|| reader.get_next_page().unwrap()).count(), count);
                let bloom = |file: &Bytes, chunk| Sbbf::read_from_column_chunk(chunk, file).unwrap().unwrap();
                assert_eq!(bloom(&new, two).num_blocks(), bloom(&old, one).num_blocks());
                if touched {
                    assert!(bloom(&new, two).check("caf\u{FFFD}") && !bloom(&old, one).check("caf\u{FFFD}"));
                }
            }
            assert_eq!(two.total_byte_size() - one.total_byte_size(), grown);
        }
        let (one, two) = (before.page_index_for_row_group(0), after.page_index_for_row_group(0));
        assert!((0..4).all(|index| one.column_index(index) == two.column_index(index)));
        let policy = RepairPolicy::default();
        assert!(ParquetFile::open(new).unwrap().repair(&policy, &mut || true).unwrap().is_none());
    });
}

#[test]
fn text_in_another_encoding_is_not_replaced_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("file"), folder.path().join("copy"));
    let old = written(WriterProperties::new());
    std::fs::write(&path, &old).unwrap();
    let policy = RepairPolicy::default();
    let refused = repair_file(&path, &path, &policy, false, &mut || true);
    let Err(ParquetError::File(FileError::Skipped { reason, .. })) = refused else { panic!("{refused:?}") };
    assert!(matches!(reason, Skip::LegacyValues { .. }), "{reason:?}");
    assert_eq!(std::fs::read(&path).unwrap(), old);
    // A copy loses nothing, and another repair may keep the text.
    assert_eq!(repair_file(&path, &copy, &policy, false, &mut || true).unwrap().errors, 2);
    assert_eq!(repair_file(&path, &path, &policy, true, &mut || true).unwrap().errors, 2);
}

#[test]
fn a_cancelled_repair_ends() {
    let file = ParquetFile::open(written(WriterProperties::new())).unwrap();
    let policy = RepairPolicy::default();
    let cancelled = file.repair(&policy, &mut || false);
    assert!(matches!(cancelled, Err(ParquetError::Cancelled)));
}
