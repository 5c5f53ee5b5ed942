//! `utf8 undo`: restores files or names from a ledger, byte for byte.

use std::path::{Path, PathBuf};

use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::names::{NameUndone, undo_names};
use utf8kit_files::undo::{Steps, Undo, UndoError, UndoFile, Undone};
use utf8kit_files::{FileError, Source};

use crate::action::undo::Action;
use crate::args::UndoArgs;
use crate::error::{Error, Status};
use crate::input::named;
use crate::output::{Output, Writer};
use crate::printer::Printer;
use crate::render;
use crate::skips::Skips;

/// Runs the command.
pub(crate) fn run(args: &UndoArgs, printer: &mut Printer) -> Result<Status, Error> {
    let action = args.action()?;
    let paths = match named(&args.paths, args.files_from.as_deref(), args.null)? {
        Some(paths) if paths.is_empty() => return Ok(Status::Clean),
        paths => paths.unwrap_or_default(),
    };
    match action {
        Action::Names => names(args, &paths, printer),
        Action::Files => files(args, &paths, printer),
    }
}

/// Undoes a ledger of files.
fn files(args: &UndoArgs, paths: &[PathBuf], printer: &mut Printer) -> Result<Status, Error> {
    let undo = Undo::open(&args.ledger)?;
    let targets = undo.targets(paths, args.root.as_deref());
    let output = args.output.output.as_deref();
    if output.is_some() && targets.len() != 1 {
        return Err(Error::usage("--output takes one file: name the one to restore"));
    }
    let steps = if args.last { Steps::Last } else { Steps::All };
    let word = if args.preview.is_on() { "would undo" } else { "undid" };
    for target in targets {
        let done = match output {
            _ if args.preview.is_on() => show(args, &undo, &target, steps, printer),
            Some(output) => elsewhere(&undo, &target, steps, output, &args.ledger, printer),
            None => match undo.restore(&target, steps, args.links.hard_links.into(), printer) {
                Err(FileError::Skipped { path, reason }) => {
                    Skips::default().add(&Source::file(&path), &reason, printer);
                    continue;
                }
                done => done.map_err(Error::from),
            },
        };
        match done {
            Ok(undone) => report(&target, undone, word, printer),
            Err(error) => printer.error(&error),
        }
    }
    Ok(Status::Clean)
}

/// Reports what was undone.
fn report(target: &UndoFile, undone: Undone, word: &str, printer: &mut Printer) {
    let (name, changes) = (Name(target.path()), counted(undone.changes, "change"));
    match undone.steps {
        0 if undone.edited => {}
        0 => printer.message(format_args!("{name}: nothing to undo: it is already as it was before")),
        1 => printer.message(format_args!("{name}: {word} {changes}")),
        steps => printer.message(format_args!("{name}: {word} {changes} in {steps} steps")),
    }
    if undone.edited {
        printer.skipped(
            true,
            format_args!("{name}: changed by something else since the earlier steps, so these are not undone"),
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

/// Determines what would be undone in a file, and shows it as a diff if requested.
fn show(args: &UndoArgs, undo: &Undo, target: &UndoFile, steps: Steps, printer: &mut Printer) -> Result<Undone, Error> {
    let mut restored = Vec::new();
    let undone = undo.restore_to(target, steps, &mut restored, &mut ()).map_err(|error| match error {
        UndoError::File(error) => error.into(),
        error => Error::usage(error.to_string()),
    })?;
    if args.preview.diff {
        let path = target.path();
        let now = std::fs::read(path).map_err(|error| Error::at(path, error))?;
        let diff = render::versions::diff(&now, &restored, path, "undone", printer);
        printer.bytes(diff.as_bytes())?;
    }
    Ok(undone)
}

/// Undoes a ledger of names.
fn names(args: &UndoArgs, paths: &[PathBuf], printer: &mut Printer) -> Result<Status, Error> {
    let (mut restored, mut same) = (0, 0);
    let (ledger, root, dry_run) = (&args.ledger, args.root.as_deref(), args.preview.dry_run);
    undo_names(ledger, paths, root, args.last, dry_run, &mut |path, to, done| match done {
        Ok(NameUndone::Restored) => {
            restored += 1;
            if printer.is_verbose() {
                printer.message(format_args!("{}: no longer \"{}\"", Name(path), Name(to)));
            }
        }
        Ok(_) => same += 1,
        Err(error) => printer.error(&error.into()),
    })?;
    let as_before = if same > 0 { format!(", {same} already had their old names") } else { String::new() };
    let word = if dry_run { "would restore" } else { "restored" };
    printer.message(format_args!("{word} {}{as_before}", counted(restored, "name")));
    Ok(Status::Clean)
}
