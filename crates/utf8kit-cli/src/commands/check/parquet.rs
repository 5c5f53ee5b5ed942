//! Parquet files: the errors in their strings, by row group, row and column.

use std::fs::File;
use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit::summary::Summary;
use utf8kit_encodings::display::plain;
use utf8kit_files::Source;
use utf8kit_parquet::{LocalFile, ParquetError, ParquetFile, TextError, TextPlace};
use utf8kit_records::rows::{Field, RowPlace};

use super::recipients::{FindingCount, Recipients};
use crate::error::Error;
use crate::results::{Checked, Finding, Phrases};

/// Reports whether a file is checked by its columns: a file on disk that begins as Parquet files do.
pub(super) fn is_parquet(source: &Source, head: &[u8]) -> bool {
    head.starts_with(b"PAR1") && source.is_regular().unwrap_or(false)
}

/// Checks a file.
pub(super) fn check(source: &Source, recipients: &mut Recipients<'_>, phrases: &mut Phrases) -> Result<(), Error> {
    let path = &source.path;
    let opened = File::open(path).and_then(LocalFile::new).map_err(|error| Error::at(path, error))?;
    let (mut summary, mut found, mut reported) = (Summary::new(0), FindingCount::default(), Ok(()));
    let checked = ParquetFile::open(opened).and_then(|file| {
        let number = |bad: &TextError| {
            let column = file.columns().iter().find(|column| column.path == bad.column);
            column.map_or(0, |column| column.index as u64 + 1)
        };
        file.check(false, &mut |bad| {
            let start = bad.error.valid_up_to();
            summary.merge(&Summary::of(AnyEncoding::Utf8, &bad.value, start..start + 1, 0, 0));
            if reported.is_ok() {
                reported = report(path, &bad, number(&bad), recipients, &mut found, phrases);
            }
        })
    });
    reported?;
    checked.map_err(|error| match error {
        ParquetError::Io(error) => Error::at(path, error),
        error => Error::at(path, std::io::Error::other(error.to_string())),
    })?;
    summary.bytes = path.metadata().map_or(0, |metadata| metadata.len());
    recipients.file(&Checked::new(path, &summary))
}

fn report(
    path: &Path,
    bad: &TextError,
    number: u64,
    recipients: &mut Recipients<'_>,
    found: &mut FindingCount,
    phrases: &mut Phrases,
) -> Result<(), Error> {
    let name = plain(&bad.column);
    let column = match bad.place {
        TextPlace::Value => format!("column {name}"),
        TextPlace::Min | TextPlace::Max => format!("{}imum of column {name}", bad.place.name()),
        TextPlace::Name => format!("name of column {name}"),
        TextPlace::Key => format!("footer, key {name}"),
        _ => format!("footer, entry {name}"),
    };
    let group = bad.row_group.map(|group| format!("row group {group}, ")).unwrap_or_default();
    let row = bad.row.map(|row| format!("row {}, ", row + 1)).unwrap_or_default();
    let field = Field::Column { number, name: Some(bad.column.clone()) };
    let row_place = bad.row.map(|row| RowPlace::new(row + 1, Some(field)));
    let place = (bad.row_group, row_place);
    let finding = Finding::in_value(path, &format!("{group}{row}{column}"), place, &bad.value, bad.error, phrases);
    recipients.finding(found, &finding)
}
