//! `utf8 repair --undo`: restores files from a ledger, byte for byte.

use std::path::Path;

use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::read_list;
use utf8kit_text::files::undo::{Target, Undo, UndoError};

use crate::args::RepairArgs;
use crate::error::{Error, Status};
use crate::output::{Output, Writer};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, ledger: &Path, printer: &mut Printer) -> Result<Status, Error> {
    let mut paths = args.read.input.paths.clone();
    if let Some(list) = &args.read.input.files_from {
        paths.extend(read_list(list, args.read.input.separator())?);
        if paths.is_empty() {
            return Ok(Status::Clean);
        }
    }
    let undo = Undo::open(ledger)?;
    let targets = undo.targets(&paths, args.root.as_deref());
    if args.output.is_some() && targets.len() != 1 {
        return Err(Error::usage("--output takes one file: name the one to restore"));
    }
    for target in targets {
        let done = match args.output.as_deref() {
            Some(output) => elsewhere(&undo, &target, output, printer),
            None => undo.restore(&target, args.hard_links.into(), printer).map_err(Error::from),
        };
        match done {
            Ok(changes) => {
                let changes = counted(changes, "change");
                printer.message(format_args!("{}: undid {changes}", Name(target.path())));
            }
            Err(error) => printer.error(&error),
        }
    }
    Ok(Status::Clean)
}

/// Restores a file to another path.
fn elsewhere(undo: &Undo, target: &Target, path: &Path, printer: &mut Printer) -> Result<u64, Error> {
    let mut output = Output::create(Some(path))?;
    let mut writer = Writer { output: &mut output, printer, error: None };
    match undo.restore_to(target, &mut writer, &mut ()) {
        Ok(changes) => {
            output.sync()?;
            output.commit()?;
            Ok(changes)
        }
        Err(UndoError::Output(error)) => Err(writer.error.unwrap_or(Error::Output(error))),
        Err(UndoError::File(error)) => Err(error.into()),
        Err(error) => Err(Error::usage(error.to_string())),
    }
}
