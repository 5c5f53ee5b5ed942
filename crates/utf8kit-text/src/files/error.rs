//! What keeps a file from being read, replaced or restored.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::display::Name;
use crate::files::ArchiveError;

/// What went wrong with a file. Its text names the file, safely for a terminal.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read, written or replaced.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What is in a compressed file or an archive cannot be read.
    Archive {
        /// The file, or `archive!member`.
        path: PathBuf,
        /// Why.
        error: ArchiveError,
    },
    /// A folder cannot be walked.
    Walk {
        /// The folder or file, if it is known.
        path: Option<PathBuf>,
        /// Why.
        message: String,
    },
    /// A glob that is not understood, and why.
    Glob(String),
    /// A name in a list of names is not UTF-8, on a system whose paths must be.
    NameNotUtf8,
    /// The file has several names (hard links), and was left alone: see [`HardLinks`](super::HardLinks).
    HardLinks {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        links: u64,
    },
    /// A file that was given as a ledger is none.
    NotALedger(PathBuf),
    /// What a ledger says does not fit the file it says it of.
    DamagedLedger {
        /// The ledger.
        ledger: PathBuf,
        /// The file.
        file: PathBuf,
    },
    /// The work was ended early, as [`Progress`](super::Progress) asked.
    Cancelled,
    /// A repair cannot be undone, and why.
    NotUndone {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl FileError {
    /// What an error in reading or writing says about a file.
    pub fn io(path: &Path, error: io::Error) -> FileError {
        let path = path.to_owned();
        match error.downcast::<ArchiveError>() {
            Ok(error) => FileError::Archive { path, error },
            Err(error) => FileError::Io { path, error },
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io { path, error } => write!(f, "{}: {error}", Name(path)),
            FileError::Archive { path, error } => write!(f, "{}: {error}", Name(path)),
            FileError::Walk { path: Some(path), message } => write!(f, "{}: {message}", Name(path)),
            FileError::Walk { path: None, message } | FileError::Glob(message) => f.write_str(message),
            FileError::NameNotUtf8 => f.write_str("--files-from: a name that is not UTF-8"),
            FileError::HardLinks { path, links } => write!(
                f,
                "{}: left alone, as it has {links} hard links: --hard-links write changes all, split this one",
                Name(path)
            ),
            FileError::NotALedger(path) => write!(f, "{}: not a ledger of utf8 repair", Name(path)),
            FileError::DamagedLedger { ledger, file } => {
                write!(f, "{}: what it says of {} is damaged", Name(ledger), Name(file))
            }
            FileError::Cancelled => f.write_str("cancelled"),
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
