//! Errors that end a command, or keep it from processing a file.

use std::fmt;
use std::io;
use std::path::Path;

use utf8kit_files::{ArchiveError, FileError};

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Error {
    /// Standard output cannot be written to.
    Output(io::Error),
    /// The configuration of a file is invalid. It holds for every file below it, so the command ends.
    Config(String),
    /// Any other error, as its message.
    Other(String),
}

impl Error {
    /// Creates an error about the arguments.
    pub(crate) fn usage(text: impl Into<String>) -> Error {
        Error::Other(text.into())
    }

    /// Creates an error about a file.
    pub(crate) fn at(path: &Path, what: impl fmt::Display) -> Error {
        Error::Other(format!("{}: {what}", utf8kit_encodings::display::Name(path)))
    }

    /// Reports whether the reader of standard output has closed it. That is not a failure.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Output(error) => write!(f, "standard output: {error}"),
            Error::Config(text) | Error::Other(text) => f.write_str(text),
        }
    }
}

impl From<FileError> for Error {
    /// Converts an error of the library, adding the options that help.
    fn from(error: FileError) -> Error {
        let options = match &error {
            FileError::NameNotUtf8 => return Error::Other(format!("--files-from: {error}")),
            FileError::Archive { error: ArchiveError::Expands { .. }, .. } => ": --max-expansion allows more",
            FileError::Missing { .. } => "; use --root if the tree was moved",
            _ => "",
        };
        Error::Other(format!("{error}{options}"))
    }
}

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing found, or done.
    Clean = 0,
    /// Findings.
    Findings = 1,
    /// Error.
    Error = 2,
}

/// Returns an error if an option is given that cannot be combined with this one.
pub(crate) fn refuse(option: &str, others: &[(bool, &str)]) -> Result<(), Error> {
    match others.iter().find(|(given, _)| *given) {
        Some((_, other)) => Err(Error::usage(format!("{option} cannot be combined with {other}"))),
        None => Ok(()),
    }
}
