//! The action of `utf8 check`.

use std::ffi::OsStr;
use std::path::Path;

use clap::ValueEnum as _;

use utf8kit::{AnyEncoding, EncodingLabel, Policy};
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::display::Argument;
use utf8kit_records::rows::protobuf::Schema;
use utf8kit_records::targets::{RowRepair, Target, Unsuitable};

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
            Action::Files(label) | Action::Against(_, label) | Action::Staged(label) | Action::Tail(label) => label,
        }
    }
}

/// The commands that correct findings, with the options that were given, but without a path.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    /// Corrects damaged places.
    pub(crate) restore: String,
    /// Corrects errors, and text that targets refuse.
    pub(crate) repair: String,
    /// Removes invisible characters also from names, in which `source` keeps them.
    pub(crate) repair_names: String,
    /// Corrects names.
    pub(crate) rename: String,
}

impl CheckArgs {
    /// Returns the commands that correct findings.
    pub(crate) fn commands(&self) -> Commands {
        let from = self.against.as_deref().unwrap_or(OsStr::new("HEAD"));
        Commands {
            restore: format!("utf8 restore --diff --from {}", Argument(Path::new(from))),
            repair: self.repair(|target| target.name()),
            repair_names: self.repair(|target| match target.name() {
                "source" => "text",
                name => name,
            }),
            rename: format!("utf8 rename{}", self.naming()),
        }
    }

    /// Returns the options for names, each preceded by a space.
    fn naming(&self) -> String {
        let form = self.normalize.and_then(|form| form.to_possible_value());
        let form = form.map(|form| format!(" --normalize {}", form.get_name()));
        let from = self.read.encoding.charset().ok().flatten().map(|from| format!(" --from {from}"));
        let targets = self.target.targets.iter().map(|target| format!(" --for {target}"));
        from.into_iter().chain(form).chain(targets).collect()
    }

    /// Returns the repair for the rows and targets. A target may refuse what a repair writes by default.
    fn repair(&self, name: fn(&Target) -> &'static str) -> String {
        let (demands, options) = (self.target.demands(), self.demands(name));
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let syntax = self.rows.syntax_or_lines(utf8, &demands).ok();
        let unsuitable = syntax.and_then(|syntax| RowRepair::new(syntax, demands, Policy::REPLACE).err());
        match unsuitable {
            Some(Unsuitable::Identifiers) => {
                let rows = if self.rows.rows.is_some() { "" } else { " --rows lines" };
                format!("utf8 repair{rows}{options} --reject rejects.txt")
            }
            Some(_) => format!("utf8 repair --diff --policy remove{options}"),
            None => format!("utf8 repair --diff{options}"),
        }
    }

    /// Returns the options for rows and targets that `repair` also accepts, each preceded by a space.
    fn demands(&self, target: fn(&Target) -> &'static str) -> String {
        let name = |rows: RowsArg| rows.to_possible_value().map(|value| value.get_name().to_owned());
        let rows = self.rows.rows.and_then(name).map(|rows| format!(" --rows {rows}"));
        let targets = self.target.targets.iter().map(|one| format!(" --for {}", target(one)));
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
