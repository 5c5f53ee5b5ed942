//! What `utf8 repair` is to do.

use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel, Policy};
use utf8kit_text::charset::Codec;
use utf8kit_text::files::Repair;
use utf8kit_text::repair::RepairPolicy;
use utf8kit_text::rows::protobuf::Schema;
use utf8kit_text::rows::{DumpPolicy, DumpRepair, TablePolicy};
use utf8kit_text::targets::RowRepair;

use super::place::Place;
use crate::args::{RepairArgs, UTF8};
use crate::config::Settings;
use crate::error::{Error, refuse};

/// What `utf8 repair` is to do.
#[derive(Clone, Debug)]
pub(crate) enum Action<'a> {
    /// Write bad rows to this file and the others to the output.
    Reject(&'a Path),
    /// Repair files in place.
    InPlace,
    /// Show what would change.
    Show,
    /// Repair one input into the output.
    One,
    /// Repair messages of Protocol Buffers of these types into the output by this policy.
    Messages(Schema, RepairPolicy),
}

impl RepairArgs {
    /// Returns what to do.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if let Some(schema) = self.protobuf.schema(&self.rows)? {
            return self.messages().map(|policy| Action::Messages(schema, policy));
        }
        let dump = self.rows.dump(&self.target.demands())?;
        if dump.is_none() && self.per_table.is_some() {
            return usage("--per-table goes with --rows pgdump and mysqldump only");
        }
        if dump.is_some() && self.follow {
            return usage("--rows pgdump and mysqldump do not go with --follow");
        }
        if let Some(path) = &self.rows.reject {
            return self.may_reject().map(|()| Action::Reject(path));
        }
        // Told before any file is read.
        self.how(&Settings::default(), self.read.encoding.label()?.unwrap_or(UTF8))?;
        if self.follow {
            return Ok(Action::One);
        }
        Ok(match Place::of(&self.read.input, &self.output, self.preview, &self.in_place)? {
            Place::Output => Action::One,
            Place::InPlace => Action::InPlace,
            Place::Nowhere => Action::Show,
        })
    }

    /// Returns the policy for messages of Protocol Buffers, which are repaired into an output.
    fn messages(&self) -> Result<RepairPolicy, Error> {
        let input = &self.read.input;
        let others = [
            (self.in_place.in_place.is_some(), "--in-place: name an output with -o"),
            (self.preview.is_on() || self.in_place.ledger().is_some(), "--dry-run, --diff, --ledger"),
            (self.per_table.is_some(), "--per-table"),
            (self.target.demands().is_any(), "--for, --max-bytes, --max-chars"),
            (self.read.encoding.encoding.is_some() || self.follow, "--encoding, --follow"),
            (input.paths.len() > 1 || input.files_from.is_some(), "more than one PATH"),
        ];
        refuse("--rows protobuf", &others)?;
        self.policy_in(self.policy.clone().unwrap_or_default(), UTF8)
    }

    /// Checks the options beside --reject, which changes no row.
    fn may_reject(&self) -> Result<(), Error> {
        let others = [
            (self.in_place.in_place.is_some(), "--in-place: name an output with -o"),
            (self.preview.is_on(), "--dry-run and --diff"),
            (self.in_place.ledger().is_some(), "--ledger: what is put aside is not changed"),
            (self.replacement.is_some(), "--replacement"),
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
    pub(super) fn how(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error> {
        let policy = self.policy.clone().or_else(|| settings.policy.clone()).unwrap_or_default();
        let policy = self.policy_in(policy, encoding)?;
        if let Some(format) = self.rows.dump(&settings.demands(&self.target))? {
            if encoding != UTF8 {
                return Err(Error::usage(format!(
                    "dumps are repaired as UTF-8: use utf8 convert --rows {} --from {encoding}",
                    format.name()
                )));
            }
            if self.per_table == Some(TablePolicy::Undouble) {
                return usage("--per-table: values that were encoded twice are for `utf8 mojibake --rows`");
            }
            let each = || DumpPolicy::Each(policy.clone());
            let chosen = self.per_table.clone().map_or_else(each, DumpPolicy::PerTable);
            let dump = DumpRepair::new(format, chosen).map_err(|error| Error::usage(error.to_string()))?;
            return Ok(Repair::Dump(dump));
        }
        let rows = self.for_target(&policy, encoding, settings)?;
        Ok(rows.map_or(Repair::Text { policy, encoding }, Repair::Rows))
    }

    /// Returns the policy as the other options complete it.
    fn policy_in(&self, policy: RepairPolicy, encoding: EncodingLabel) -> Result<RepairPolicy, Error> {
        let policy = with_replacement(policy, self.replacement.as_deref())?;
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

/// Returns the policy with the text of --replacement, if that is given.
pub(super) fn with_replacement(
    policy: RepairPolicy,
    replacement: Option<&str>,
) -> Result<RepairPolicy, Error> {
    let Some(with) = replacement else { return Ok(policy) };
    if let RepairPolicy::Errors(policy) = &policy
        && let Policy::Replace { each, .. } = policy.as_policy()
    {
        return Ok(Policy::Replace { each, with }.into());
    }
    usage("--replacement goes with the replace policies and java only")
}

fn usage<T>(text: &str) -> Result<T, Error> {
    Err(Error::usage(text))
}
