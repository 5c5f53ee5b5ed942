//! `utf8 repair --undo`: what a ledger says was changed is put back, byte for byte.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::cli::RepairArgs;
use crate::in_place::Original;
use crate::input::{Kind, Source, sources};
use crate::ledger::{self, Change, Entry, Printing};
use crate::output::{Output, Replacement};
use crate::printer::Printer;
use crate::text::{Name, counted};
use crate::trouble::{Status, Trouble};

/// How much is read at a time.
const PIECE: usize = 256 * 1024;

/// Runs it.
pub(crate) fn run(args: &RepairArgs, ledger: &Path, printer: &mut Printer) -> Result<Status, Trouble> {
    if args.input.paths.is_empty() {
        return Err(Trouble::usage("--undo needs the FILE that was repaired"));
    }
    let several = args.input.paths.len() > 1 || args.input.paths.iter().any(|path| path.is_dir());
    if args.output.is_some() && several {
        return Err(Trouble::usage("more than one PATH: not with --output"));
    }
    let entries = ledger::entries(ledger)?;
    let mut undo = Undo { ledger, entries, printer };
    for source in sources(&args.input, None)? {
        let done = source.and_then(|source| undo.file(&source, args.output.as_deref()));
        done.unwrap_or_else(|trouble| undo.printer.trouble(&trouble));
    }
    Ok(Status::Clean)
}

struct Undo<'u> {
    ledger: &'u Path,
    entries: Vec<Entry>,
    printer: &'u mut Printer,
}

impl Undo<'_> {
    fn file(&mut self, source: &Source, output: Option<&Path>) -> Result<(), Trouble> {
        let path = &*source.path;
        let at = |error: io::Error| Trouble::at(path, error);
        if source.kind == Kind::Stdin {
            return Err(Trouble::usage("--undo reads the file twice: not from standard input"));
        }
        let walked = source.kind == Kind::Walked;
        let size = std::fs::metadata(path).map_err(at)?.len();
        if walked && !ledger::may_be_meant(&self.entries, path, size) {
            return Ok(());
        }
        let printer = &mut *self.printer;
        let wait = || printer.message(format_args!("{}: waits for another program", Name(path)));
        let original = Original::open(path, wait).map_err(at)?;
        let print = print(&original.file).map_err(at)?;
        let entry = match ledger::find(&self.entries, path, &print) {
            Ok(entry) => entry,
            // A file that happens to be as long as one of the ledger's, or is as it was.
            Err(_) if walked && self.entries.iter().all(|e| e.before == print || !e.is_named(path)) => {
                return Ok(());
            }
            Err(reason) => return Err(Trouble::at(path, format!("not undone: {reason}"))),
        };
        let mut output = match output {
            Some(elsewhere) => Output::create(Some(elsewhere))?,
            None => Output::Replacement(Replacement::of(path).map_err(at)?),
        };
        let in_place = matches!(&output, Output::Replacement(_));
        let changes = ledger::changes(self.ledger, entry).map_err(|error| Trouble::at(self.ledger, error))?;
        let restored = restore(&original.file, changes, |bytes| output.write(bytes, self.printer));
        let damaged = || Trouble::at(self.ledger, format!("what it says of {} is damaged", Name(path)));
        if restored.map_err(|stop| stop.trouble(at, damaged))?.end() != entry.before {
            return Err(damaged());
        }
        if in_place {
            output.sync()?;
            original.is_as_it_was().map_err(at)?;
        }
        output.commit()?;
        let changes = counted(entry.changes(), "change");
        self.printer.message(format_args!("{}: undid {changes}", Name(path)));
        Ok(())
    }
}

/// The print of a file.
fn print(file: &File) -> io::Result<ledger::Print> {
    let mut printing = Printing::default();
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    copy(&mut reader, u64::MAX, |bytes| {
        printing.update(bytes);
        Ok::<_, Stop>(())
    })
    .map_err(|stop| match stop {
        Stop::Input(error) => error,
        _ => io::Error::other("unreadable"),
    })?;
    Ok(printing.end())
}

/// Why a restoration ends early.
enum Stop {
    Input(io::Error),
    Output(Trouble),
    /// The ledger does not fit.
    Ledger,
}

impl Stop {
    fn trouble(self, at: impl Fn(io::Error) -> Trouble, damaged: impl Fn() -> Trouble) -> Trouble {
        match self {
            Stop::Input(error) => at(error),
            Stop::Output(trouble) => trouble,
            Stop::Ledger => damaged(),
        }
    }
}

/// Writes the old file; its print.
fn restore(
    file: &File,
    changes: impl Iterator<Item = io::Result<Change>>,
    mut write: impl FnMut(&[u8]) -> Result<(), Trouble>,
) -> Result<Printing, Stop> {
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    let mut printing = Printing::default();
    // How much of the old file is written.
    let mut done = 0;
    let mut held = Vec::with_capacity(2 * PIECE);
    let mut write = |bytes: &[u8], last: bool| {
        held.extend_from_slice(bytes);
        if held.len() < PIECE && !last {
            return Ok(());
        }
        printing.update(&held);
        write(&held).map_err(Stop::Output)?;
        held.clear();
        Ok(())
    };
    for change in changes {
        let change = change.map_err(|_| Stop::Ledger)?;
        let kept = change.offset.checked_sub(done).ok_or(Stop::Ledger)?;
        if copy(&mut reader, kept, |bytes| write(bytes, false))? < kept {
            return Err(Stop::Ledger);
        }
        let mut after = vec![0; change.after.len()];
        reader.read_exact(&mut after).map_err(|_| Stop::Ledger)?;
        if after != change.after {
            return Err(Stop::Ledger);
        }
        write(&change.before, false)?;
        done = change.offset + change.before.len() as u64;
    }
    copy(&mut reader, u64::MAX, |bytes| write(bytes, false))?;
    write(&[], true)?;
    Ok(printing)
}

/// Gives so many bytes to `take`, or as many as there are; how many.
fn copy(
    reader: &mut impl io::BufRead,
    len: u64,
    mut take: impl FnMut(&[u8]) -> Result<(), Stop>,
) -> Result<u64, Stop> {
    let mut left = len;
    while left > 0 {
        let bytes = reader.fill_buf().map_err(Stop::Input)?;
        if bytes.is_empty() {
            break;
        }
        let front = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        take(&bytes[..front])?;
        reader.consume(front);
        left -= front as u64;
    }
    Ok(len - left)
}

/// Reads an open file from its beginning, wherever others read it.
struct Rewound<'f> {
    file: &'f File,
    started: bool,
}

impl Rewound<'_> {
    fn of(file: &File) -> Rewound<'_> {
        Rewound { file, started: false }
    }
}

impl Read for Rewound<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.started, true) {
            io::Seek::rewind(&mut self.file)?;
        }
        self.file.read(buffer)
    }
}
