//! `utf8 repair --undo`: restores files from a ledger, byte for byte.

use std::path::Path;

use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::undo::{Steps, Undo, UndoError, UndoFile, Undone};
use utf8kit_text::files::{FileError, Source};

use crate::args::RepairArgs;
use crate::error::{Error, Status};
use crate::input::named;
use crate::output::{Output, Writer};
use crate::printer::Printer;
use crate::skips::Skips;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, ledger: &Path, printer: &mut Printer) -> Result<Status, Error> {
    let paths = match named(&args.read.input)? {
        Some(paths) if paths.is_empty() => return Ok(Status::Clean),
        paths => paths.unwrap_or_default(),
    };
    let undo = Undo::open(ledger)?;
    let targets = undo.targets(&paths, args.root.as_deref());
    if args.output.is_some() && targets.len() != 1 {
        return Err(Error::usage("--output takes one file: name the one to restore"));
    }
    let steps = if args.last { Steps::Last } else { Steps::All };
    for target in targets {
        let done = match args.output.as_deref() {
            Some(output) => elsewhere(&undo, &target, steps, output, ledger, printer),
            None => match undo.restore(&target, steps, args.hard_links.into(), printer) {
                Err(FileError::Skipped { path, reason }) => {
                    Skips::default().add(&Source::file(&path), &reason, printer);
                    continue;
                }
                done => done.map_err(Error::from),
            },
        };
        match done {
            Ok(undone) => report(&target, undone, printer),
            Err(error) => printer.error(&error),
        }
    }
    Ok(Status::Clean)
}

/// Reports what was undone.
fn report(target: &UndoFile, undone: Undone, printer: &mut Printer) {
    let (name, changes) = (Name(target.path()), counted(undone.changes, "change"));
    match undone.steps {
        0 if undone.edited => {}
        0 => printer.message(format_args!("{name}: it is as it was before the repair: nothing to undo")),
        1 => printer.message(format_args!("{name}: undid {changes}")),
        steps => printer.message(format_args!("{name}: undid {changes} in {steps} steps")),
    }
    if undone.edited {
        printer.skipped(
            true,
            format_args!("{name}: something else has changed it since the earlier steps, so these stay"),
        );
    }
}

/// Restores a file to another path.
fn elsewhere(
    undo: &Undo,
    target: &UndoFile,
    steps: Steps,
    path: &Path,
    ledger: &Path,
    printer: &mut Printer,
) -> Result<Undone, Error> {
    let mut output = Output::create(Some(path), &[ledger])?;
    let mut writer = Writer { output: &mut output, printer, error: None };
    match undo.restore_to(target, steps, &mut writer, &mut ()) {
        Ok(undone) => {
            output.commit()?;
            Ok(undone)
        }
        Err(UndoError::Output(error)) => Err(writer.error.unwrap_or(Error::Output(error))),
        Err(UndoError::File(error)) => Err(error.into()),
        Err(error) => Err(Error::usage(error.to_string())),
    }
}
