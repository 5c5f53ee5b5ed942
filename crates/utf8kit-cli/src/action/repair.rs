//! What `utf8 repair` is to do.

use std::ffi::OsStr;
use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel, Policy};
use utf8kit_text::charset::Codec;
use utf8kit_text::display::Name;
use utf8kit_text::files::Repair;
use utf8kit_text::repair::RepairPolicy;
use utf8kit_text::rows::protobuf::Schema;
use utf8kit_text::rows::{DumpPolicy, DumpRepair};
use utf8kit_text::targets::RowRepair;

use crate::args::{HardLinksArg, RepairArgs, UTF8};
use crate::config::Settings;
use crate::error::{Error, refuse};

/// What `utf8 repair` is to do.
#[derive(Clone, Debug)]
pub(crate) enum Action<'a> {
    /// Restore the files of this ledger.
    Undo(&'a Path),
    /// Rename files.
    Names,
    /// Change the names in this archive.
    NamesIn(&'a Path),
    /// Carry out this plan of names.
    PlannedNames(&'a Path),
    /// Give damaged places their bytes of this version.
    Restore(&'a OsStr),
    /// Write bad rows to this file and the others to the output.
    Reject(&'a Path),
    /// List the lines that could mean several things.
    ListDoubtful,
    /// Repair files in place and keep backups under this suffix, unless it is empty.
    InPlace(&'a OsStr),
    /// Show what would change.
    Diff,
    /// Repair one input into the output.
    One,
    /// Repair messages of Protocol Buffers of these types into the output by this policy.
    Messages(Schema, RepairPolicy),
}

impl RepairArgs {
    /// Returns what to do.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        let input = &self.read.input;
        if let Some(schema) = self.protobuf.schema(&self.rows)? {
            return self.messages().map(|policy| Action::Messages(schema, policy));
        }
        let dump = self.rows.dump(&self.target.demands())?;
        if dump.is_none() && self.per_table.is_some() {
            return usage("--per-table goes with --rows pgdump and mysqldump only");
        }
        if dump.is_some() && (self.follow || self.list_doubtful) {
            return usage("--rows pgdump and mysqldump do not go with --follow and --list-doubtful");
        }
        if let Some(ledger) = &self.undo {
            return self.may_undo().map(|()| Action::Undo(ledger));
        }
        if self.naming.names {
            return self.names();
        }
        if let Some(name) = &self.restore_from {
            return self.may_restore().map(|()| Action::Restore(name));
        }
        if let Some(path) = &self.rows.reject {
            return self.may_reject().map(|()| Action::Reject(path));
        }
        self.may_repair()?;
        // Told before any file is read.
        self.repair(&Settings::default(), self.read.encoding.label()?.unwrap_or(UTF8))?;
        match (&self.in_place, &input.paths[..]) {
            _ if self.list_doubtful && self.policy != Some(RepairPolicy::Undouble(None)) => {
                usage("--list-doubtful goes with --policy undouble only")
            }
            _ if self.list_doubtful => Ok(Action::ListDoubtful),
            _ if self.diff => Ok(Action::Diff),
            (None, _) if input.files_from.is_some() => usage("--files-from: only with --in-place or --diff"),
            (Some(_), []) if input.files_from.is_none() => usage("--in-place needs a PATH"),
            (Some(suffix), _) => Ok(Action::InPlace(suffix)),
            (None, _) if self.writes_over_input() => Ok(Action::InPlace(OsStr::new(""))),
            (None, [path]) if path.is_dir() => Err(Error::usage(format!(
                "{} is a folder: repair its files with --in-place, or see what would change with --diff",
                Name(path)
            ))),
            (None, [] | [_]) => Ok(Action::One),
            (None, _) => usage("more than one PATH: only with --in-place or --diff"),
        }
    }

    /// Returns the policy for messages of Protocol Buffers, which are repaired into an output.
    fn messages(&self) -> Result<RepairPolicy, Error> {
        let input = &self.read.input;
        let others = [
            (self.in_place.is_some(), "--in-place: name an output with -o"),
            (self.diff || self.ledger.is_some() || self.undo.is_some(), "--diff, --ledger, --undo"),
            (self.restore_from.is_some() || self.list_doubtful, "--restore-from, --list-doubtful"),
            (self.naming.names || self.per_table.is_some(), "--names, --per-table"),
            (self.target.demands().is_any(), "--for, --max-bytes, --max-chars"),
            (self.read.encoding.encoding.is_some() || self.follow, "--encoding, --follow"),
            (input.paths.len() > 1 || input.files_from.is_some(), "more than one PATH"),
        ];
        refuse("--rows protobuf", &others)?;
        self.policy_in(self.policy.clone().unwrap_or_default(), UTF8)
    }

    /// Reports whether the output is the file that is repaired.
    fn writes_over_input(&self) -> bool {
        let paths = &self.read.input.paths;
        matches!(&paths[..], [path] if !self.follow && super::writes_over(self.output.as_deref(), path))
    }

    /// Checks the options that some ways to repair do without.
    fn may_repair(&self) -> Result<(), Error> {
        let input = &self.read.input;
        if self.list_doubtful && self.rows.rows.is_some() {
            return usage("--list-doubtful lists lines: leave out --rows");
        }
        if self.hard_links != HardLinksArg::Skip && self.in_place.is_none() && !self.writes_over_input() {
            return usage("--hard-links goes with --in-place and --undo");
        }
        if input.selects() && self.in_place.is_none() && !self.diff && !self.list_doubtful {
            return usage(
                "--glob, --hidden, --no-ignore, --max-depth and --binary select files in folders: only with \
                 --in-place, --diff or --list-doubtful",
            );
        }
        Ok(())
    }

    /// Checks the options beside --undo, which goes by the paths of the ledger.
    fn may_undo(&self) -> Result<(), Error> {
        let input = &self.read.input;
        let others = [
            (input.selects(), "--glob and the like: it goes by the paths of the ledger"),
            (self.rows.rows.is_some(), "--rows"),
            (self.target.demands().is_any(), "--for, --max-bytes, --max-chars"),
            (self.read.encoding.encoding.is_some(), "--encoding: it restores bytes"),
            (self.force, "--force"),
            (self.fail_if_repaired, "--fail-if-repaired"),
        ];
        refuse("--undo", &others)?;
        if input.paths.iter().any(|path| path.as_os_str() == "-") {
            return usage("--undo reads the file twice: not from standard input");
        }
        Ok(())
    }

    /// Returns what to do with names.
    fn names(&self) -> Result<Action<'_>, Error> {
        let input = &self.read.input;
        match (&self.plan, &input.paths[..]) {
            (Some(plan), _) => Ok(Action::PlannedNames(plan)),
            (None, []) if input.files_from.is_none() => usage("--names needs a PATH or a --plan"),
            (None, [archive]) if self.output.is_some() && self.ledger.is_none() => {
                Ok(Action::NamesIn(archive))
            }
            (None, _) if self.output.is_some() => {
                usage("--names with --output takes one archive, which stays as it is, and no --ledger")
            }
            (None, _) => Ok(Action::Names),
        }
    }

    /// Checks the options beside --restore-from, which restores bytes.
    fn may_restore(&self) -> Result<(), Error> {
        let input = &self.read.input;
        let is_one = matches!(&input.paths[..], [path] if !path.is_dir()) && input.files_from.is_none();
        let others = [
            (self.rows.rows.is_some(), "--rows and --reject: it restores bytes"),
            (self.target.demands().is_any(), "--for, --max-bytes, --max-chars: it restores bytes"),
            (self.force, "--force"),
        ];
        refuse("--restore-from", &others)?;
        if input.paths.is_empty() && input.files_from.is_none() {
            return usage("--restore-from needs a PATH");
        }
        if self.in_place.is_none() && !self.diff && !is_one {
            return usage("more than one file: only with --in-place or --diff");
        }
        Ok(())
    }

    /// Checks the options beside --reject, which changes no row.
    fn may_reject(&self) -> Result<(), Error> {
        let others = [
            (self.in_place.is_some(), "--in-place: name an output with -o"),
            (self.diff, "--diff"),
            (self.ledger.is_some(), "--ledger: what is put aside is not changed"),
            (self.per_line || self.replacement.is_some(), "--per-line and --replacement"),
            (self.list_doubtful, "--list-doubtful"),
            (self.force, "--force"),
            (
                self.policy.as_ref().is_some_and(|policy| *policy != RepairPolicy::default()),
                "--policy: bad rows are put aside as they are, good ones stay as they are",
            ),
        ];
        refuse("--reject", &others)?;
        match self.read.input.paths.len() {
            0 | 1 => Ok(()),
            _ => Err(Error::usage("--reject takes one PATH, or standard input")),
        }
    }

    /// Returns how to repair a file in this encoding, with its settings.
    pub(crate) fn repair(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error> {
        let policy = self.policy.clone().or_else(|| settings.policy.clone()).unwrap_or_default();
        let policy = self.policy_in(policy, encoding)?;
        if let Some(format) = self.rows.dump(&settings.demands(&self.target))? {
            if encoding != UTF8 {
                return Err(Error::usage(format!(
                    "dumps are repaired as UTF-8: use utf8 convert --rows {} --from {encoding}",
                    format.name()
                )));
            }
            let each = || DumpPolicy::Each(policy.clone());
            let chosen = self.per_table.clone().map_or_else(each, DumpPolicy::PerTable);
            let dump = DumpRepair::new(format, chosen).map_err(|error| Error::usage(error.to_string()))?;
            return Ok(Repair::Dump(dump));
        }
        let rows = self.for_target(&policy, encoding, settings)?;
        Ok(rows.map_or(Repair::Text { policy, encoding }, Repair::Rows))
    }

    /// Returns the policy with the text of --replacement, if that is given.
    pub(super) fn with_replacement(&self, policy: RepairPolicy) -> Result<RepairPolicy, Error> {
        let Some(with) = self.replacement.as_deref() else { return Ok(policy) };
        if let RepairPolicy::Errors(policy) = &policy
            && let Policy::Replace { each, .. } = policy.as_policy()
        {
            return Ok(Policy::Replace { each, with }.into());
        }
        usage("--replacement goes with the replace policies and java only")
    }

    /// Returns the policy as the other options complete it.
    fn policy_in(&self, policy: RepairPolicy, encoding: EncodingLabel) -> Result<RepairPolicy, Error> {
        let policy = match self.with_replacement(policy)? {
            RepairPolicy::Fallback(fallback) if self.per_line => RepairPolicy::FallbackLines(fallback),
            policy => policy,
        };
        if self.per_line && !matches!(policy, RepairPolicy::FallbackLines(_) | RepairPolicy::Undouble(_)) {
            return Err(Error::usage("--per-line goes with --policy fallback=LABEL and undouble only"));
        }
        policy.check(encoding.default_encoding()).map_err(|error| Error::usage(error.to_string()))?;
        Ok(policy)
    }

    /// Returns the repair for the target, if one is given.
    fn for_target(
        &self,
        policy: &RepairPolicy,
        encoding: EncodingLabel,
        settings: &Settings,
    ) -> Result<Option<RowRepair>, Error> {
        let demands = settings.demands(&self.target);
        // In JSON, escapes are escaped themselves.
        let escapes = self.rows.are_json()
            && matches!(policy, RepairPolicy::Errors(policy) if policy.as_policy() == Policy::Escape);
        if !demands.is_any() && !escapes {
            return Ok(None);
        }
        if encoding != UTF8 {
            return Err(Error::usage(format!(
                "--for and --max-bytes repair UTF-8, which is what is loaded: convert the file first, with `utf8 \
                 convert --from {encoding}`"
            )));
        }
        let RepairPolicy::Errors(policy) = policy else {
            return Err(Error::usage(
                "--for and --max-bytes go with the policies that replace, remove or escape",
            ));
        };
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let repair = RowRepair::new(self.rows.syntax_or_lines(utf8, &demands)?, demands, policy.as_policy());
        repair.map(Some).map_err(|error| Error::usage(error.to_string()))
    }
}

fn usage<T>(text: &str) -> Result<T, Error> {
    Err(Error::usage(text))
}
