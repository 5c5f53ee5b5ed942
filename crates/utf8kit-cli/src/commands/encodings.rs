//! `utf8 encodings`: lists the encodings, or tells what a name stands for.

use utf8kit_text::charset::Charset;

use crate::args::{EncodingsArgs, names};
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &EncodingsArgs, printer: &mut Printer) -> Result<Status, Error> {
    match &args.name {
        Some(name) => {
            let charset = names::charset(name).map_err(Error::usage)?;
            printer.print(format_args!("{charset}\n"))?;
        }
        None => list(printer)?,
    }
    Ok(Status::Clean)
}

/// Lists the names of all encodings.
pub(super) fn list(printer: &mut Printer) -> Result<(), Error> {
    Charset::names().try_for_each(|name| printer.print(format_args!("{name}\n")))
}
