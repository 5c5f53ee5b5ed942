//! A repair undone: what a ledger says was changed is put back, byte for byte.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use crate::files::FileError;
use crate::repair::ledger::{self, Change, Entry, Fingerprint, Fingerprinter};

/// How much is read at a time.
const PIECE: usize = 256 * 1024;

/// Writes to `out` what a file was before the repair that an entry of a ledger speaks of.
///
/// # Errors
/// What keeps the files from being read or `out` from being written; [`FileError::DamagedLedger`] if the ledger does
/// not fit the file. What was written must be thrown away then.
pub fn restore(
    path: &Path,
    file: &File,
    ledger: &Path,
    entry: &Entry,
    out: &mut dyn Write,
) -> Result<(), UndoError> {
    let damaged = || FileError::DamagedLedger { ledger: ledger.to_owned(), file: path.to_owned() };
    let changes = ledger::changes(ledger, entry).map_err(|error| FileError::io(ledger, error))?;
    match restored(file, changes, out) {
        Ok(fingerprinter) if fingerprinter.end() == entry.before => Ok(()),
        Ok(_) | Err(Stop::Ledger) => Err(damaged().into()),
        Err(Stop::Input(error)) => Err(FileError::io(path, error).into()),
        Err(Stop::Output(error)) => Err(UndoError::Output(error)),
    }
}

/// Why a file was not restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum UndoError {
    /// About the file or the ledger.
    File(FileError),
    /// What is restored cannot be written.
    Output(io::Error),
}

impl From<FileError> for UndoError {
    fn from(error: FileError) -> UndoError {
        UndoError::File(error)
    }
}

/// The fingerprint of an open file.
///
/// # Errors
/// What keeps it from being read.
pub fn fingerprint(file: &File) -> io::Result<Fingerprint> {
    let mut fingerprinter = Fingerprinter::default();
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    copy(&mut reader, u64::MAX, |bytes| {
        fingerprinter.update(bytes);
        Ok::<_, Stop>(())
    })
    .map_err(|stop| match stop {
        Stop::Input(error) => error,
        _ => io::Error::other("unreadable"),
    })?;
    Ok(fingerprinter.end())
}

/// Why a restoration ends early.
enum Stop {
    Input(io::Error),
    Output(io::Error),
    /// The ledger does not fit.
    Ledger,
}

/// Writes the old file; its fingerprint.
fn restored(
    file: &File,
    changes: impl Iterator<Item = io::Result<Change>>,
    out: &mut dyn Write,
) -> Result<Fingerprinter, Stop> {
    let mut reader = BufReader::with_capacity(PIECE, Rewound::of(file));
    let mut fingerprinter = Fingerprinter::default();
    // How much of the old file is written.
    let mut done = 0;
    let mut held = Vec::with_capacity(2 * PIECE);
    let mut write = |bytes: &[u8], last: bool| {
        held.extend_from_slice(bytes);
        if held.len() < PIECE && !last {
            return Ok(());
        }
        fingerprinter.update(&held);
        out.write_all(&held).map_err(Stop::Output)?;
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
    Ok(fingerprinter)
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
