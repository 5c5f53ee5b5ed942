//! What names of files have to be.

use utf8kit_text::RepairPolicy;
use utf8kit_text::charset::Fallback;
use utf8kit_text::convert::NormalForm;
use utf8kit_text::files::names::{NameJudge, NameRules};

use crate::args::{CheckArgs, CollisionArg, NamingArgs, Origin, RepairArgs, TargetArgs};
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

impl RepairArgs {
    /// Returns how to judge names.
    pub(crate) fn judge(&self) -> Result<NameJudge, Error> {
        refuse(
            "--names",
            &[
                (self.rows.rows.is_some(), "--rows"),
                (self.rows.reject.is_some(), "--reject"),
                (self.follow, "--follow"),
                (self.diff, "--diff: --dry-run shows what would change"),
                (self.list_doubtful, "--list-doubtful"),
                (self.restore_from.is_some(), "--restore-from"),
                (self.per_line, "--per-line"),
                (self.in_place.as_ref().is_some_and(|suffix| !suffix.is_empty()), "--in-place=SUFFIX"),
                (self.read.encoding.encoding.is_some(), "--encoding: --from is the encoding of names"),
                (self.policy == Some(RepairPolicy::Unescape), "--policy unescape"),
                (self.says_from_twice(), "both --from and --policy fallback"),
            ],
        )?;
        let policy = match &self.replacement {
            Some(_) => Some(self.with_replacement(self.policy.clone().unwrap_or_default())?),
            None => self.policy.clone(),
        };
        let mut rules = self.naming.rules(&self.target, policy)?;
        rules.force = self.force;
        rules.numbered = self.on_collision == CollisionArg::Number;
        NameJudge::new(rules).map_err(|error| Error::usage(error.to_string()))
    }

    /// Reports whether two options say in which encoding names are.
    fn says_from_twice(&self) -> bool {
        let fallback = self.policy.as_ref().and_then(RepairPolicy::fallback);
        fallback.is_some() && self.naming.from.is_some()
    }
}
