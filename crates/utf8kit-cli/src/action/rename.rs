//! The rules for file names, and the action of `utf8 rename`.

use std::path::Path;

use utf8kit_detect::RepairPolicy;
use utf8kit_encodings::charset::Fallback;
use utf8kit_encodings::convert::NormalForm;
use utf8kit_files::names::{NameChecker, NameRules};

use super::repair::with_replacement;
use crate::args::{CheckArgs, CollisionArg, NormalFormArg, Origin, PolicyArg, RenameArgs, TargetArgs};
use crate::error::{Error, refuse};

/// Returns the rules for names: the encoding of names that are not UTF-8, the normal form, the requirements of targets,
/// and the repair of names that fit no encoding.
fn rules(
    from: Option<Origin>,
    form: Option<NormalFormArg>,
    target: &TargetArgs,
    policy: Option<RepairPolicy>,
) -> Result<NameRules, Error> {
    let mut rules = NameRules::default();
    rules.from = match from {
        Some(Origin::Named(charset)) => Some(
            charset
                .to_string()
                .parse::<Fallback>()
                .map_err(|_| Error::usage(format!("--encoding: file names cannot be in {charset}")))?,
        ),
        Some(Origin::Auto) | None => None,
    };
    rules.policy = policy;
    rules.normal_form = form.map(NormalForm::from);
    rules.demands = target.demands();
    Ok(rules)
}

impl CheckArgs {
    /// Returns the checker of names.
    pub(crate) fn checker(&self) -> Result<NameChecker, Error> {
        let rules = rules(self.read.encoding.encoding, self.normalize, &self.target, None)?;
        NameChecker::new(rules).map_err(|error| Error::usage(error.to_string()))
    }
}

/// The action of `utf8 rename`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// Rename files, or show the new names.
    Tree,
    /// Write this archive with new names.
    Archive(&'a Path),
    /// Carry out this plan, or show its effect.
    Plan(&'a Path),
}

impl RenameArgs {
    /// Returns the options for the rules of names, each preceded by a space.
    pub(crate) fn typed(&self) -> String {
        let from = match self.encoding {
            Some(Origin::Named(charset)) => format!(" --from {charset}"),
            _ => String::new(),
        };
        let form = match self.normalize {
            Some(NormalFormArg::Nfc) => " --normalize nfc",
            Some(NormalFormArg::Nfd) => " --normalize nfd",
            None => "",
        };
        let number = if self.on_collision == CollisionArg::Number { " --on-collision number" } else { "" };
        let policy = self.policy().map_or(String::new(), |policy| format!(" --on-error {policy}"));
        let targets = self.target.targets.iter().map(|target| format!(" --for {}", target.name()));
        format!("{from}{form}{number}{policy}{}", targets.collect::<String>())
    }

    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        refuse(
            "rename",
            &[
                (self.policy() == Some(&RepairPolicy::Unescape), "--on-error unescape"),
                (self.has_duplicate_encoding(), "both --from and --on-error fallback"),
            ],
        )?;
        match (&self.plan, &self.output.output, &self.input.paths[..]) {
            (Some(plan), ..) => Ok(Action::Plan(plan)),
            (None, _, []) if self.input.files_from.is_none() => Err(Error::usage("rename needs a PATH or a --plan")),
            (None, Some(_), [archive]) => Ok(Action::Archive(archive)),
            (None, ..) => Ok(Action::Tree),
        }
    }

    /// Returns the policy for names in no known encoding, if one was given.
    fn policy(&self) -> Option<&RepairPolicy> {
        self.on_error.as_ref().and_then(PolicyArg::repair)
    }

    /// Returns the checker of names.
    pub(crate) fn checker(&self) -> Result<NameChecker, Error> {
        let policy = match &self.replacement {
            Some(text) => Some(with_replacement(self.policy().cloned().unwrap_or_default(), Some(text))?),
            None => self.policy().cloned(),
        };
        let mut rules = rules(self.encoding, self.normalize, &self.target, policy)?;
        rules.force = self.force;
        rules.numbered = self.on_collision == CollisionArg::Number;
        NameChecker::new(rules).map_err(|error| Error::usage(error.to_string()))
    }

    /// Reports whether two options give an encoding of names.
    fn has_duplicate_encoding(&self) -> bool {
        let fallback = self.policy().and_then(RepairPolicy::fallback);
        fallback.is_some() && self.encoding.is_some()
    }
}
