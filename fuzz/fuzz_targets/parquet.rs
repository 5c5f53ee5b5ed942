//! A file with a few wrong bytes is rejected, checked or repaired. Only panics outside of the crate `parquet` count,
//! because the library catches panics of that crate.
#![no_main]

use std::panic;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use utf8kit_parquet::{Bytes, ParquetFile, RepairPolicy};

/// Lets panics of the crate `parquet` be caught, and any other panic end the process. Returns a file with an error.
static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    panic::set_hook(Box::new(|about| {
        if about.location().is_none_or(|place| !place.file().contains("/parquet-")) {
            eprintln!("{about}");
            std::process::abort();
        }
    }));
    let schema = "message m { required binary name (STRING); optional binary list (STRING); }";
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let properties = WriterProperties::builder().set_bloom_filter_enabled(true).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
    for _ in 0..2 {
        let mut group = writer.next_row_group().expect("a group");
        for levels in [None, Some(&[1_i16, 0, 1, 1][..])] {
            let mut column = group.next_column().expect("a column").expect("a column");
            let values: Vec<_> = [&b"fine"[..], b"caf\xE9", b"fine", b"last"][..if levels.is_some() { 3 } else { 4 }]
                .iter()
                .map(|value| ByteArray::from(value.to_vec()))
                .collect();
            column.typed::<ByteArrayType>().write_batch(&values, levels, None).expect("written");
            column.close().expect("closed");
        }
        group.close().expect("closed");
    }
    writer.into_inner().expect("closed")
});

// The input is a file, or changes to one: each three bytes are an offset and the new byte at it.
fuzz_target!(|input: &[u8]| {
    let mut bytes = FILE.clone();
    if input.starts_with(b"PAR1") {
        bytes = input.to_vec();
    } else {
        for edit in input.as_chunks::<3>().0 {
            let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % bytes.len();
            bytes[at] = edit[2];
        }
    }
    let Ok(file) = ParquetFile::open(Bytes::from(bytes)) else { return };
    let _ = file.check(true, &mut |_| {});
    let policy = RepairPolicy::default();
    if let Ok(Some(due)) = file.repair(&policy, &mut || true) {
        let _ = due.write(&mut Vec::new(), &mut || true);
    }
});
