//! What names of files have to be, and what `utf8 rename` is to do.

use std::path::Path;

use utf8kit_text::RepairPolicy;
use utf8kit_text::charset::Fallback;
use utf8kit_text::convert::NormalForm;
use utf8kit_text::files::names::{NameJudge, NameRules};

use super::repair::with_replacement;
use crate::args::{CheckArgs, CollisionArg, NamingArgs, Origin, RenameArgs, TargetArgs};
use crate::error::{Error, refuse};

impl NamingArgs {
    /// Returns the rules for names.
    pub(super) fn rules(
        &self,
        target: &TargetArgs,
        policy: Option<RepairPolicy>,
    ) -> Result<NameRules, Error> {
        let mut rules = NameRules::default();
        rules.from = match self.from {
            Some(Origin::Named(charset)) => Some(
                charset
                    .to_string()
                    .parse::<Fallback>()
                    .map_err(|_| Error::usage(format!("--from: names of files are not in {charset}")))?,
            ),
            Some(Origin::Auto) | None => None,
        };
        rules.policy = policy;
        rules.normal_form = self.normalize.map(NormalForm::from);
        rules.demands = target.demands();
        Ok(rules)
    }
}

impl CheckArgs {
    /// Returns how to judge names.
    pub(crate) fn judge(&self) -> Result<NameJudge, Error> {
        refuse(
            "--names",
            &[
                (self.rows.rows.is_some(), "--rows"),
                (self.rows.reject.is_some(), "--reject"),
                (self.follow, "--follow"),
                (self.against.is_some(), "--against"),
                (self.staged, "--staged"),
                (self.bom.is_some(), "--bom"),
                (self.line_ends.is_some(), "--line-ends"),
                (self.read.encoding.encoding.is_some(), "--encoding: names are to be UTF-8"),
            ],
        )?;
        let rules = self.naming.rules(&self.target, None)?;
        NameJudge::new(rules).map_err(|error| Error::usage(error.to_string()))
    }
}

/// What `utf8 rename` is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// Rename files, or show what would be renamed.
    Tree,
    /// Write this archive with other names.
    Archive(&'a Path),
    /// Carry out this plan, or show what it would do.
    Plan(&'a Path),
}

impl RenameArgs {
    /// Returns what to do.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        refuse(
            "rename",
            &[
                (self.on_error == Some(RepairPolicy::Unescape), "--on-error unescape"),
                (self.says_from_twice(), "both --from and --on-error fallback"),
            ],
        )?;
        match (&self.plan, &self.input.paths[..]) {
            (Some(plan), _) => Ok(Action::Plan(plan)),
            (None, []) if self.input.files_from.is_none() => {
                Err(Error::usage("rename needs a PATH or a --plan"))
            }
            (None, [archive]) if self.output.output.is_some() && !self.apply => Ok(Action::Archive(archive)),
            (None, _) if self.output.output.is_some() => {
                Err(Error::usage("--output takes one archive, which stays as it is, and no --apply"))
            }
            (None, _) => Ok(Action::Tree),
        }
    }

    /// Returns how to judge names.
    pub(crate) fn judge(&self) -> Result<NameJudge, Error> {
        let policy = match &self.replacement {
            Some(text) => Some(with_replacement(self.on_error.clone().unwrap_or_default(), Some(text))?),
            None => self.on_error.clone(),
        };
        let mut rules = self.naming.rules(&self.target, policy)?;
        rules.force = self.force;
        rules.numbered = self.on_collision == CollisionArg::Number;
        NameJudge::new(rules).map_err(|error| Error::usage(error.to_string()))
    }

    /// Reports whether two options say in which encoding names are.
    fn says_from_twice(&self) -> bool {
        let fallback = self.on_error.as_ref().and_then(RepairPolicy::fallback);
        fallback.is_some() && self.naming.from.is_some()
    }
}
