//! Results as JSON lines.

use serde::Serialize;
use utf8kit_text::json::write_line;

use crate::error::Error;
use crate::printer::Printer;

/// Prints one object as a line.
pub(crate) fn line(object: &impl Serialize, printer: &mut Printer) -> Result<(), Error> {
    let mut line = Vec::new();
    write_line(object, &mut line).map_err(Error::Output)?;
    printer.bytes(&line)
}
