//! What `utf8 check` is to do.

use utf8kit::EncodingLabel;

use crate::args::CheckArgs;
use crate::error::{Error, refuse};

/// What `utf8 check` is to do, and in which encoding if one was given. Rows may be in a legacy one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Check files.
    Files(Option<EncodingLabel>),
    /// Check files row by row.
    Rows,
    /// Keep checking what is appended to files.
    Follow(Option<EncodingLabel>),
}

impl CheckArgs {
    /// Returns what to do if the rows are messages of Protocol Buffers, which are in UTF-8.
    pub(crate) fn messages(&self) -> Result<Action, Error> {
        let others = [
            (self.target.demands().is_any(), "--for, --max-bytes, --max-chars"),
            (self.read.encoding.encoding.is_some(), "--encoding"),
            (self.follow, "--follow"),
            (self.staged || self.against.is_some(), "--against and --staged"),
        ];
        refuse("--rows protobuf", &others)?;
        Ok(Action::Rows)
    }

    /// Returns what to do.
    pub(crate) fn action(&self) -> Result<Action, Error> {
        let in_rows = self.rows.rows.is_some() || self.target.demands().is_any();
        let label = self.read.encoding.label();
        self.rows.dump(&self.target.demands())?;
        if in_rows && (self.staged || self.against.is_some()) {
            return Err(Error::usage(
                "--against and --staged compare whole files: leave out --rows and --for",
            ));
        }
        match (in_rows, self.follow) {
            (true, true) => Err(Error::usage(
                "--follow checks bytes as they are appended, but --rows and --for need whole rows: give one of them",
            )),
            (true, false) => Ok(Action::Rows),
            (false, true) => Ok(Action::Follow(label?)),
            (false, false) => Ok(Action::Files(label?)),
        }
    }
}
