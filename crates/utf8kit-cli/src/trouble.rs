//! What ends a command early, or keeps it from a file.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Standard output takes no more.
    Output(io::Error),
    /// Anything else, as it is told.
    Other(String),
}

impl Trouble {
    /// What was typed makes no sense.
    pub(crate) fn usage(text: impl Into<String>) -> Trouble {
        Trouble::Other(text.into())
    }

    /// Something about a file.
    pub(crate) fn at(path: &Path, what: impl fmt::Display) -> Trouble {
        Trouble::Other(format!("{}: {what}", crate::text::Name(path)))
    }

    /// Nobody reads on: that is no trouble.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Trouble::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Output(error) => write!(f, "standard output: {error}"),
            Trouble::Other(text) => f.write_str(text),
        }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing found, or done.
    Clean = 0,
    /// Findings.
    Findings = 1,
    /// Trouble.
    Trouble = 2,
}
