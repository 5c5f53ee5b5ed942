//! Errors in reading, replacing or restoring files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use utf8kit_encodings::display::Name;

use crate::{ArchiveError, Skip};

/// An error with a file. Its message names the file, in a form that is safe for a terminal.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read, written or replaced.
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The content of a compressed file or an archive cannot be read.
    Archive {
        /// The file, or `archive!member`.
        path: PathBuf,
        /// The cause.
        error: ArchiveError,
    },
    /// A folder cannot be walked.
    Walk {
        /// The folder or file, if it is known.
        path: Option<PathBuf>,
        /// The cause.
        message: String,
    },
    /// A glob is invalid, with the reason.
    Glob(String),
    /// A name in a list of names is not UTF-8, on a system whose paths must be.
    NameNotUtf8,
    /// The file was left alone.
    Skipped {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: Skip,
    },
    /// A file that was given as a ledger is not one.
    NotALedger(PathBuf),
    /// A ledger of content was given for names, or vice versa.
    OtherLedger {
        /// The ledger.
        path: PathBuf,
        /// Whether it records names.
        of_names: bool,
    },
    /// An entry of a ledger does not fit its file.
    DamagedLedger {
        /// The ledger.
        ledger: PathBuf,
        /// The file.
        file: PathBuf,
    },
    /// The file was left alone, because its changes could not be recorded in the ledger.
    NotRecorded {
        /// The file.
        path: PathBuf,
    },
    /// The work was cancelled by [`Monitor`](super::Monitor).
    Cancelled,
    /// A repair cannot be undone, because the file is not at the path in the ledger.
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A repair cannot be undone.
    NotUndone {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl FileError {
    /// Makes an error of a failed read or write of a file.
    pub fn io(path: &Path, error: io::Error) -> FileError {
        let path = path.to_owned();
        match error.downcast::<ArchiveError>() {
            Ok(error) => FileError::Archive { path, error },
            Err(error) => FileError::Io { path, error },
        }
    }

    /// Returns the error of a file that is left alone.
    pub fn skipped(path: &Path, reason: Skip) -> FileError {
        FileError::Skipped { path: path.to_owned(), reason }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io { path, error } => write!(f, "{}: {error}", Name(path)),
            FileError::Archive { path, error } => write!(f, "{}: {error}", Name(path)),
            FileError::Walk { path: Some(path), message } => write!(f, "{}: {message}", Name(path)),
            FileError::Walk { path: None, message } | FileError::Glob(message) => f.write_str(message),
            FileError::NameNotUtf8 => f.write_str("a path that is not UTF-8"),
            FileError::Skipped { path, reason } => write!(f, "{}: skipped: {reason}", Name(path)),
            FileError::NotALedger(path) => write!(f, "{}: not a ledger written by utf8", Name(path)),
            FileError::OtherLedger { path, of_names: true } => {
                write!(f, "{}: this ledger records names, not content: use another file", Name(path))
            }
            FileError::OtherLedger { path, of_names: false } => {
                write!(f, "{}: not a ledger of names: use another file", Name(path))
            }
            FileError::DamagedLedger { ledger, file } => {
                write!(f, "{}: the entry for {} is damaged", Name(ledger), Name(file))
            }
            FileError::NotRecorded { path } => {
                write!(f, "{}: left alone, because the ledger cannot be written", Name(path))
            }
            FileError::Cancelled => f.write_str("cancelled"),
            FileError::Missing { path } => write!(f, "{}: not undone: no such file", Name(path)),
            FileError::NotUndone { path, reason } => write!(f, "{}: not undone: {reason}", Name(path)),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FileError::Io { error, .. } => Some(error),
            FileError::Archive { error, .. } => Some(error),
            _ => None,
        }
    }
}
