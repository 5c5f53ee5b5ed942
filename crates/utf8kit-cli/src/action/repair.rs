//! The action of `utf8 repair`.

use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel, Policy};
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::Invalid;
use utf8kit_files::Repair;
use utf8kit_records::rows::protobuf::Schema;
use utf8kit_records::rows::{DumpPolicy, DumpRepair, TablePolicy};
use utf8kit_records::targets::RowRepair;

use super::place::Place;
use crate::args::{BomArg, ConvertArgs, OnError, Origin, PolicyArg, RepairArgs, RewriteArgs, UTF8};
use crate::config::Settings;
use crate::error::Error;

/// The action of `utf8 repair`.
#[derive(Debug)]
pub(crate) enum Action<'a> {
    /// Write bad rows to this file, and the other rows to the output.
    Reject(&'a Path),
    /// Write repaired text there.
    Write(Place),
    /// Repair messages of Protocol Buffers, of these types and by this policy, into the output.
    Messages(Schema, RepairPolicy),
    /// Convert text in a legacy encoding to the same encoding.
    Convert(Box<ConvertArgs>),
}

impl RepairArgs {
    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        let is_strict = self.policy == Some(PolicyArg::Strict);
        if let Some(schema) = self.protobuf.schema(&self.rows)? {
            if is_strict {
                return usage("--on-error strict writes nothing new: `utf8 check --rows protobuf` reports errors");
            }
            let policy = self.policy_in(self.chosen(), UTF8)?;
            return Ok(Action::Messages(schema, policy));
        }
        if let Some(charset @ Charset::Legacy(_)) = self.read.encoding.charset()? {
            return Ok(Action::Convert(Box::new(self.conversion(charset)?)));
        }
        if is_strict {
            let charset = self.read.encoding.charset()?.unwrap_or(Charset::Named(UTF8));
            return Ok(Action::Convert(Box::new(self.conversion(charset)?)));
        }
        self.rows.dump()?;
        if let Some(path) = &self.rows.reject {
            return Ok(Action::Reject(path));
        }
        // Fails before any file is read.
        self.how(&Settings::default(), self.read.encoding.label()?.unwrap_or(UTF8))?;
        if self.tail {
            return Ok(Action::Write(Place::Output));
        }
        Ok(Action::Write(Place::of(&self.read.input, &self.write)?))
    }

    /// Returns the conversion that repairs text in a legacy encoding.
    fn conversion(&self, charset: Charset) -> Result<ConvertArgs, Error> {
        let chosen = self.chosen();
        let policy = match &chosen {
            RepairPolicy::Errors(policy) => Some(policy.as_policy()),
            _ => None,
        };
        let invalid = match policy.filter(|_| self.replacement.is_none()).and_then(Invalid::of) {
            _ if self.policy == Some(PolicyArg::Strict) => Invalid::Strict,
            Some(invalid) => invalid,
            None => {
                return usage(&format!(
                    "--encoding {charset} goes with policies for errors, and with U+FFFD as the replacement: the \
                     others are for errors in UTF-8"
                ));
            }
        };
        let mut in_place = self.write.in_place.clone();
        if self.write.preview.is_on() {
            in_place.in_place.get_or_insert_default();
        }
        Ok(ConvertArgs {
            input: self.read.input.clone(),
            from: Some(Origin::Named(charset)),
            to: charset,
            on_error: vec![OnError::Invalid(invalid)],
            discard: false,
            bom: BomArg::Keep,
            list: false,
            lines: false,
            tail: self.tail,
            force: self.force,
            format: self.format,
            plan: None,
            output: self.write.output.clone(),
            preview: self.write.preview,
            status: self.write.status,
            in_place,
            rewrite: RewriteArgs::default(),
            threads: self.read.threads,
            rows: self.rows.clone(),
            target: self.target.clone(),
        })
    }

    /// Returns the policy on the command line, or the default.
    fn chosen(&self) -> RepairPolicy {
        self.policy.as_ref().and_then(PolicyArg::repair).cloned().unwrap_or_default()
    }

    /// Returns how to repair a file in this encoding, with its settings.
    pub(super) fn how(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error> {
        let policy = self.policy.as_ref().and_then(PolicyArg::repair).or(settings.policy.as_ref());
        let policy = policy.cloned().unwrap_or_default();
        let policy = self.policy_in(policy, encoding)?;
        if let Some(format) = self.rows.dump()? {
            if encoding != UTF8 {
                return Err(Error::usage(format!(
                    "dumps are repaired as UTF-8: use utf8 convert --rows {} --from {encoding}",
                    format.name()
                )));
            }
            if self.per_table == Some(TablePolicy::Mojibake) {
                return usage("--per-table: for values that were encoded twice, use `utf8 mojibake --rows`");
            }
            let each = || DumpPolicy::Each(policy.clone());
            let chosen = self.per_table.clone().map_or_else(each, DumpPolicy::PerTable);
            let dump = DumpRepair::new(format, chosen).map_err(|error| Error::usage(error.to_string()))?;
            return Ok(Repair::Dump(dump));
        }
        let rows = self.for_target(&policy, encoding, settings)?;
        Ok(rows.map_or(Repair::Text { policy, encoding }, Repair::Rows))
    }

    /// Returns the policy, completed by the other options.
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
        // In JSON, the backslashes of escapes are themselves escaped.
        let escapes = self.rows.are_json()
            && matches!(policy, RepairPolicy::Errors(policy) if policy.as_policy() == Policy::Escape);
        if !demands.is_any() && !escapes {
            return Ok(None);
        }
        if encoding != UTF8 {
            return Err(Error::usage(format!(
                "--for and --max-bytes repair only UTF-8, the encoding that is loaded: convert the file first, with \
                 `utf8 convert --from {encoding}`"
            )));
        }
        let RepairPolicy::Errors(policy) = policy else {
            return Err(Error::usage("--for and --max-bytes go with the policies that replace, remove or escape"));
        };
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let repair = RowRepair::new(self.rows.syntax_or_lines(utf8, &demands)?, demands, policy.as_policy());
        repair.map(Some).map_err(|error| Error::usage(error.to_string()))
    }
}

/// Returns the policy with the text of --replacement, if given.
pub(super) fn with_replacement(policy: RepairPolicy, replacement: Option<&str>) -> Result<RepairPolicy, Error> {
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
