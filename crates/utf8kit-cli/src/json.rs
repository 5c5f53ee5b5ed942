//! JSON lines: results, and plans that are passed back.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use utf8kit_files::json::write_line;

use crate::error::Error;
use crate::printer::Printer;

/// Prints one object as a line.
pub(crate) fn line(object: &impl Serialize, printer: &mut Printer) -> Result<(), Error> {
    let mut line = Vec::new();
    write_line(object, &mut line).map_err(Error::Output)?;
    printer.bytes(&line)
}

/// Reads the objects of a file, without its empty lines.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let at = |error| Error::at(path, error);
    let mut objects = Vec::new();
    for (index, line) in BufReader::new(File::open(path).map_err(at)?).lines().enumerate() {
        let line = line.map_err(at)?;
        if !line.trim().is_empty() {
            let object = serde_json::from_str(&line);
            objects.push(object.map_err(|error| Error::at(path, format_args!("line {}: {error}", index + 1)))?);
        }
    }
    Ok(objects)
}
