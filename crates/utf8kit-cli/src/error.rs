//! What ends a command early, or keeps it from a file.

use std::fmt;
use std::io;
use std::path::Path;

use utf8kit_text::files::FileError;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Error {
    /// Standard output takes no more.
    Output(io::Error),
    /// The configuration is wrong: then nothing is known of any file below it.
    Config(String),
    /// Anything else, as it is told.
    Other(String),
}

impl Error {
    /// What was typed makes no sense.
    pub(crate) fn usage(text: impl Into<String>) -> Error {
        Error::Other(text.into())
    }

    /// Something about a file.
    pub(crate) fn at(path: &Path, what: impl fmt::Display) -> Error {
        Error::Other(format!("{}: {what}", utf8kit_text::display::Name(path)))
    }

    /// Nobody reads on: that is no error.
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
    fn from(error: FileError) -> Error {
        Error::Other(error.to_string())
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing found, or done.
    Clean = 0,
    /// Findings.
    Findings = 1,
    /// Error.
    Error = 2,
}
