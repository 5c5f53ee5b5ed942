//! The action of `utf8 check`.

use std::ffi::OsStr;

use clap::ValueEnum as _;

use utf8kit::EncodingLabel;
use utf8kit_encodings::charset::Charset;
use utf8kit_records::rows::protobuf::Schema;

use crate::args::{CheckArgs, RowsArg};
use crate::error::Error;

/// The action of `utf8 check`, with the encoding if one was given. Rows and lines for a target may be in a legacy
/// encoding.
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
    /// Check files, and damage since this version.
    Against(&'a OsStr, Option<EncodingLabel>),
    /// Check the files staged for the next commit, and the damage in them.
    Staged(Option<EncodingLabel>),
    /// Keep checking data that is appended to files.
    Tail(Option<EncodingLabel>),
}

impl Action<'_> {
    /// Returns the encoding of the files, if one was given.
    pub(crate) fn encoding(&self) -> Option<EncodingLabel> {
        match *self {
            Action::Names | Action::Messages(_) | Action::Rows => None,
            Action::Files(label)
            | Action::Against(_, label)
            | Action::Staged(label)
            | Action::Tail(label) => label,
        }
    }
}

impl CheckArgs {
    /// Returns the options for rows and targets that `repair` also accepts, each preceded by a space.
    pub(crate) fn demands(&self) -> String {
        let name = |rows: RowsArg| rows.to_possible_value().map(|value| value.get_name().to_owned());
        let rows = self.rows.rows.and_then(name).map(|rows| format!(" --rows {rows}"));
        let targets = self.target.targets.iter().map(|target| format!(" --for {}", target.name()));
        let limits = [(self.target.max_bytes, "bytes"), (self.target.max_chars, "chars")];
        let limits = limits.into_iter().filter_map(|(most, of)| Some(format!(" --max-{of} {}", most?)));
        rows.into_iter().chain(targets).chain(limits).collect()
    }

    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if self.names {
            return Ok(Action::Names);
        }
        if let Some(schema) = self.protobuf.schema(&self.rows)? {
            return Ok(Action::Messages(schema));
        }
        self.rows.dump()?;
        let charset = self.read.encoding.charset()?;
        let label = match charset {
            Some(Charset::Named(label)) => Some(label),
            _ => None,
        };
        let is_legacy = charset.is_some() && label.is_none();
        let demands = self.target.demands().is_any();
        Ok(match &self.against {
            // Text in a legacy encoding is read by lines.
            _ if self.rows.rows.is_some() || is_legacy && !demands => Action::Rows,
            Some(version) => Action::Against(version, label),
            None if self.staged => Action::Staged(label),
            None if self.tail => Action::Tail(label),
            // With --for, files without findings are not split into rows.
            None => Action::Files(label.filter(|_| !demands)),
        })
    }
}
