//! The action of `utf8 mojibake`.

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_detect::mojibake::Detours;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_files::Repair;
use utf8kit_records::rows::{DumpFormat, DumpPolicy, DumpRepair, TablePolicy};

use super::place::Place;
use crate::args::{MojibakeArgs, RowsArg, UTF8};
use crate::error::Error;

/// The action of `utf8 mojibake`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// List the ambiguous lines.
    ListDoubtful,
    /// Write repaired text there.
    Write(Place),
}

impl MojibakeArgs {
    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action, Error> {
        let charset = self.read.encoding.charset()?.unwrap_or(Charset::Named(UTF8));
        if charset.writer() != Codec::Native(AnyEncoding::Utf8) {
            return Err(Error::usage(format!(
                "mojibake is repaired in UTF-8: convert the file first, with `utf8 convert --from {charset}`"
            )));
        }
        if self.list_doubtful {
            return Ok(Action::ListDoubtful);
        }
        // Fails before any file is read.
        self.how(UTF8)?;
        Ok(Action::Write(Place::of(&self.read.input, &self.write)?))
    }

    /// Returns the policy for text.
    pub(crate) fn policy(&self) -> RepairPolicy {
        // No evidence is the same as an empty set.
        RepairPolicy::Mojibake(self.lines.then(Detours::default))
    }

    /// Returns how to repair a file in this encoding.
    pub(super) fn how(&self, encoding: EncodingLabel) -> Result<Repair, Error> {
        let usage = |error: &dyn ToString| Error::usage(error.to_string());
        let policy = self.policy();
        policy.check(encoding.default_encoding()).map_err(|_| {
            Error::usage(format!(
                "mojibake is repaired in UTF-8: convert the file first, with `utf8 convert --from {encoding}`"
            ))
        })?;
        let format = match self.rows {
            Some(RowsArg::Pgdump) => DumpFormat::PgDump,
            Some(RowsArg::Mysqldump) => DumpFormat::MysqlDump,
            Some(_) => return Err(Error::usage("--rows: only pgdump and mysqldump; other rows are lines")),
            None => return Ok(Repair::Text { policy, encoding }),
        };
        let dump = DumpRepair::new(format, DumpPolicy::PerTable(TablePolicy::Mojibake));
        dump.map(Repair::Dump).map_err(|error| usage(&error))
    }
}
