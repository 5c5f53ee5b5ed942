//! `utf8 repair --undo`: what a ledger says was changed is put back, byte for byte.

use std::io;
use std::path::Path;

use utf8kit_text::display::{Name, counted};
use utf8kit_text::files::{FileError, Kind, Original, Source};
use utf8kit_text::repair::ledger::{self, Entry};
use utf8kit_text::repair::undo::{UndoError, fingerprint, restore};

use crate::args::RepairArgs;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::output::{Output, Writer};
use crate::printer::Printer;

/// Runs it.
pub(crate) fn run(args: &RepairArgs, ledger: &Path, printer: &mut Printer) -> Result<Status, Error> {
    if args.input.paths.is_empty() {
        return Err(Error::usage("--undo needs the FILE that was repaired"));
    }
    let several = args.input.paths.len() > 1 || args.input.paths.iter().any(|path| path.is_dir());
    if args.output.is_some() && several {
        return Err(Error::usage("more than one PATH: not with --output"));
    }
    let entries = ledger::entries(ledger)?;
    let mut undo = Undo { ledger, entries, printer };
    for source in sources(&args.input, None)? {
        let done = source.map_err(Error::from).and_then(|source| undo.file(&source, args.output.as_deref()));
        done.unwrap_or_else(|error| undo.printer.error(&error));
    }
    Ok(Status::Clean)
}

struct Undo<'u> {
    ledger: &'u Path,
    entries: Vec<Entry>,
    printer: &'u mut Printer,
}

impl Undo<'_> {
    fn file(&mut self, source: &Source, elsewhere: Option<&Path>) -> Result<(), Error> {
        let path = &*source.path;
        let at = |error: io::Error| Error::at(path, error);
        if source.kind == Kind::Stdin {
            return Err(Error::usage("--undo reads the file twice: not from standard input"));
        }
        let walked = source.kind == Kind::Walked;
        let size = std::fs::metadata(path).map_err(at)?.len();
        if walked && !ledger::may_be_meant(&self.entries, path, size) {
            return Ok(());
        }
        let printer = &mut *self.printer;
        let wait = || printer.message(format_args!("{}: waits for another program", Name(path)));
        let original = Original::open(path, wait).map_err(at)?;
        let print = fingerprint(&original.file).map_err(at)?;
        let entry = match ledger::find(&self.entries, path, &print) {
            Ok(entry) => entry,
            // A file that happens to be as long as one of the ledger's, or is as it was.
            Err(_) if walked && self.entries.iter().all(|e| e.before == print || !e.is_named(path)) => {
                return Ok(());
            }
            Err(reason) => return Err(FileError::NotUndone { path: path.to_owned(), reason }.into()),
        };
        let mut output = Output::create(Some(elsewhere.unwrap_or(path)))?;
        let mut writer = Writer { output: &mut output, printer: self.printer, error: None };
        match restore(path, &original.file, self.ledger, entry, &mut writer) {
            Ok(()) => {}
            Err(UndoError::File(error)) => return Err(error.into()),
            Err(UndoError::Output(error)) => return Err(writer.error.unwrap_or(Error::Output(error))),
            Err(_) => return Err(Error::at(path, "not undone")),
        }
        if elsewhere.is_none() {
            output.sync()?;
            original.is_as_it_was().map_err(at)?;
        }
        let _locked = original.ready_to_be_replaced();
        output.commit()?;
        let changes = counted(entry.changes(), "change");
        self.printer.message(format_args!("{}: undid {changes}", Name(path)));
        Ok(())
    }
}
