//! The metadata at the end of a file, and the text in it. Field numbers are from `parquet.thrift`:
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use std::collections::HashSet;

use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use utf8kit::AnyEncoding;
use utf8kit_detect::repair::RepairPolicy;

use crate::thrift::{Struct, Value};
use crate::{ParquetError, TextError, TextPlace};

/// Fields of `FileMetaData`.
pub(crate) mod file {
    pub(crate) const SCHEMA: i16 = 2;
    pub(crate) const ROW_GROUPS: i16 = 4;
    pub(crate) const ENTRIES: i16 = 5;
    pub(crate) const CREATED_BY: i16 = 6;
    pub(crate) const ENCRYPTION: i16 = 8;
}

/// Fields of `RowGroup`.
pub(crate) mod group {
    pub(crate) const COLUMNS: i16 = 1;
    pub(crate) const SIZE: i16 = 2;
    pub(crate) const SORTED_BY: i16 = 4;
    pub(crate) const OFFSET: i16 = 5;
    pub(crate) const COMPRESSED_SIZE: i16 = 6;
}

/// Fields of `ColumnChunk`.
pub(crate) mod chunk {
    pub(crate) const FILE: i16 = 1;
    pub(crate) const OFFSET: i16 = 2;
    pub(crate) const METADATA: i16 = 3;
    pub(crate) const OFFSET_INDEX: [i16; 2] = [4, 5];
    pub(crate) const COLUMN_INDEX: [i16; 2] = [6, 7];
    pub(crate) const CRYPTO: [i16; 2] = [8, 9];
}

/// Fields of `ColumnMetaData`.
pub(crate) mod column {
    pub(crate) const PATH: i16 = 3;
    pub(crate) const VALUES: i16 = 5;
    pub(crate) const SIZE: i16 = 6;
    pub(crate) const COMPRESSED_SIZE: i16 = 7;
    pub(crate) const ENTRIES: i16 = 8;
    /// Offsets of data, index and dictionary pages.
    pub(crate) const OFFSETS: [i16; 3] = [9, 10, 11];
    pub(crate) const STATISTICS: i16 = 12;
    pub(crate) const ENCODING_STATISTICS: i16 = 13;
    pub(crate) const BLOOM: [i16; 2] = [14, 15];
    pub(crate) const SIZE_STATISTICS: i16 = 16;
}

/// Pairs of minimum and maximum in `Statistics`, each with the fields for whether they are exact.
pub(crate) const BOUNDS: [[i16; 2]; 2] = [[2, 1], [6, 5]];
pub(crate) const EXACT: [i16; 2] = [7, 8];

/// The name of a `SchemaElement`, and the number of its children.
pub(crate) const NAME: i16 = 4;
pub(crate) const CHILDREN: i16 = 5;

/// The magic numbers of files, and of files whose footer is encrypted.
const MAGIC: &[u8] = b"PAR1";
const ENCRYPTED: &[u8] = b"PARE";

/// Reads the footer. Returns it with the offset at which it begins.
pub(crate) fn read<R: ChunkReader>(reader: &R) -> Result<(Struct, u64), ParquetError> {
    let size = reader.len();
    let tail = match size {
        0..12 => return Err(ParquetError::NotParquet),
        _ => reader.get_bytes(size - 8, 8)?,
    };
    let (len, magic) = tail.split_at(4);
    match magic {
        MAGIC if *reader.get_bytes(0, 4)? == *MAGIC => {}
        ENCRYPTED => return Err(ParquetError::Encrypted),
        _ => return Err(ParquetError::NotParquet),
    }
    let len = u64::from(u32::from_le_bytes(len.try_into().unwrap_or_default()));
    let start = size.checked_sub(8 + len).filter(|start| *start >= 4);
    let start = start.ok_or(ParquetError::Malformed("the footer is longer than the file"))?;
    let (footer, _) = Struct::read(&reader.get_bytes(start, len as usize)?)?;
    check(&footer)?;
    Ok((footer, start))
}

/// Rejects unsupported files, because a repair of an encrypted file would lose all of it.
fn check(footer: &Struct) -> Result<(), ParquetError> {
    let chunks = || footer.structs(file::ROW_GROUPS).flat_map(|group| group.structs(group::COLUMNS));
    if footer.get(file::ENCRYPTION).is_some()
        || chunks().any(|one| chunk::CRYPTO.iter().any(|id| one.get(*id).is_some()))
    {
        return Err(ParquetError::Encrypted);
    }
    if chunks().any(|one| one.get(chunk::FILE).is_some()) {
        return Err(ParquetError::OtherFiles);
    }
    if chunks().any(|one| one.child(chunk::METADATA).is_none()) {
        return Err(ParquetError::Malformed("a column chunk has no metadata"));
    }
    Ok(())
}

/// Calls `bad` with every error in the strings of the footer: entries, and names of columns.
pub(crate) fn errors(footer: &Struct, bad: &mut dyn FnMut(TextError)) {
    for entry in footer.structs(file::ENTRIES) {
        let (key, value) = (entry.binary(1), entry.binary(2));
        let shown = key.map_or_else(String::new, |key| String::from_utf8_lossy(key).into_owned());
        for (text, place) in [(key, TextPlace::Key), (value, TextPlace::Entry)] {
            text.into_iter().for_each(|text| in_text(text, None, &shown, place, bad));
        }
    }
    let created_by = footer.binary(file::CREATED_BY);
    created_by.into_iter().for_each(|text| in_text(text, None, "created_by", TextPlace::Entry, bad));
    for element in footer.structs(file::SCHEMA) {
        let name = element.binary(NAME);
        name.into_iter().for_each(|text| in_text(text, None, &String::from_utf8_lossy(text), TextPlace::Name, bad));
    }
}

/// Calls `bad` with every error in the minima and maxima of a column chunk.
pub(crate) fn errors_in_bounds(one: &Struct, group: usize, path: &str, bad: &mut dyn FnMut(TextError)) {
    let statistics = one.child(chunk::METADATA).and_then(|column| column.child(column::STATISTICS));
    let Some(statistics) = statistics else { return };
    // Cautious writers store each of them twice.
    for (index, place) in [TextPlace::Min, TextPlace::Max].into_iter().enumerate() {
        let found = BOUNDS.iter().rev().find_map(|bounds| statistics.binary(bounds[index]));
        found.into_iter().for_each(|text| in_text(text, Some(group), path, place, bad));
    }
}

fn in_text(text: &Bytes, row_group: Option<usize>, column: &str, place: TextPlace, bad: &mut dyn FnMut(TextError)) {
    for error in utf8kit::errors(text) {
        let (column, value) = (column.to_owned(), text.clone());
        bad(TextError { row_group, row: None, column, value, error, place });
    }
}

/// Repairs all strings of the footer. Returns the number of errors that they had.
///
/// # Errors
/// [`ParquetError::SameNames`] if two columns of one group would have the same name.
pub(crate) fn repair(footer: &mut Struct, policy: &RepairPolicy) -> Result<u64, ParquetError> {
    let mut errors = 0;
    for entry in footer.structs_mut(file::ENTRIES) {
        errors += repair_text(entry.get_mut(1), policy) + repair_text(entry.get_mut(2), policy);
    }
    errors += repair_text(footer.get_mut(file::CREATED_BY), policy);
    let names = footer.structs_mut(file::SCHEMA).map(|element| repair_text(element.get_mut(NAME), policy));
    let in_names: u64 = names.sum();
    for group in footer.structs_mut(file::ROW_GROUPS) {
        for metadata in group.structs_mut(group::COLUMNS).filter_map(|one| one.child_mut(chunk::METADATA)) {
            // The paths repeat the names.
            for name in metadata.list_mut(column::PATH) {
                repair_text(Some(name), policy);
            }
            for entry in metadata.structs_mut(column::ENTRIES) {
                errors += repair_text(entry.get_mut(1), policy) + repair_text(entry.get_mut(2), policy);
            }
        }
    }
    if in_names > 0 {
        check_names(footer)?;
    }
    Ok(errors + in_names)
}

/// Repairs a string. Returns the number of errors that it had.
fn repair_text(value: Option<&mut Value>, policy: &RepairPolicy) -> u64 {
    let Some(Value::Binary(bytes)) = value else { return 0 };
    let errors = utf8kit::errors(bytes).count() as u64;
    if errors > 0 {
        *bytes = Bytes::from(policy.repair_value(AnyEncoding::Utf8, bytes).into_owned());
    }
    errors
}

/// Checks that siblings have different names. The schema is a tree in pre-order.
fn check_names(footer: &Struct) -> Result<(), ParquetError> {
    // For each open group: the number of children that follow, and the names of the earlier ones.
    let mut open: Vec<(i64, HashSet<Bytes>)> = Vec::new();
    for element in footer.structs(file::SCHEMA) {
        let name = element.binary(NAME).cloned().unwrap_or_default();
        if let Some((left, names)) = open.last_mut() {
            *left -= 1;
            if !names.insert(name.clone()) {
                return Err(ParquetError::SameNames(String::from_utf8_lossy(&name).into_owned()));
            }
        }
        open.push((element.number(CHILDREN).unwrap_or(0), HashSet::new()));
        while open.last().is_some_and(|(left, _)| *left <= 0) {
            open.pop();
        }
    }
    Ok(())
}
