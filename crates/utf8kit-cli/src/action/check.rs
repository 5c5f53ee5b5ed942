//! What `utf8 check` is to do.

use std::ffi::OsStr;

use utf8kit::EncodingLabel;
use utf8kit_text::rows::protobuf::Schema;

use crate::args::CheckArgs;
use crate::error::{Error, refuse};

/// What `utf8 check` is to do, and in which encoding if one was given. Rows, and lines that a target reads, may be in a
/// legacy one.
#[derive(Clone, Debug)]
pub(crate) enum Action<'a> {
    /// Check the names of files and folders.
    Names,
    /// Check messages of Protocol Buffers of these types.
    Messages(Schema),
    /// Check files row by row.
    Rows,
    /// Check files.
    Files(Option<EncodingLabel>),
    /// Check files, and what was damaged since this version.
    Against(&'a OsStr, Option<EncodingLabel>),
    /// Check what is staged for the next commit, and what it damages.
    Staged(Option<EncodingLabel>),
    /// Keep checking what is appended to files.
    Follow(Option<EncodingLabel>),
}

impl Action<'_> {
    /// Returns the encoding of the files, if one was given.
    pub(crate) fn encoding(&self) -> Option<EncodingLabel> {
        match *self {
            Action::Names | Action::Messages(_) | Action::Rows => None,
            Action::Files(label)
            | Action::Against(_, label)
            | Action::Staged(label)
            | Action::Follow(label) => label,
        }
    }
}

impl CheckArgs {
    /// Returns what to do.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if self.names {
            return Ok(Action::Names);
        }
        if let Some(schema) = self.protobuf.schema(&self.rows)? {
            return self.may_check_messages().map(|()| Action::Messages(schema));
        }
        let demands = self.target.demands();
        self.rows.dump(&demands)?;
        let in_rows = self.rows.rows.is_some() || demands.is_any();
        if in_rows && (self.staged || self.against.is_some()) {
            return Err(Error::usage(
                "--against and --staged compare whole files: leave out --rows and --for",
            ));
        }
        if in_rows && self.follow {
            return Err(Error::usage(
                "--follow checks bytes as they are appended, but --rows and --for need whole rows: give one of them",
            ));
        }
        let label = if in_rows { None } else { self.read.encoding.label()? };
        Ok(match &self.against {
            _ if self.rows.rows.is_some() => Action::Rows,
            Some(version) => Action::Against(version, label),
            None if self.staged => Action::Staged(label),
            None if self.follow => Action::Follow(label),
            // With --for, files without a finding need no rows.
            None => Action::Files(label),
        })
    }

    /// Checks the options beside messages of Protocol Buffers, which are in UTF-8.
    fn may_check_messages(&self) -> Result<(), Error> {
        let others = [
            (self.target.demands().is_any(), "--for, --max-bytes, --max-chars"),
            (self.read.encoding.encoding.is_some(), "--encoding"),
            (self.follow, "--follow"),
            (self.staged || self.against.is_some(), "--against and --staged"),
        ];
        refuse("--rows protobuf", &others)
    }
}
