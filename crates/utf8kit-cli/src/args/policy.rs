//! The value of `--on-error` for commands that repair errors.
//!
//! The names are the same in all commands. Where one does not apply, the error says why.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use utf8kit_detect::RepairPolicy;
use utf8kit_detect::repair::UnknownRepairPolicy;
use utf8kit_encodings::charset::Fallback;

use super::names;

/// How errors are repaired, or that they are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PolicyArg {
    /// Stop at the first one.
    Strict,
    /// By this policy.
    Repair(RepairPolicy),
}

impl PolicyArg {
    /// Returns the policy of the repair.
    pub(crate) fn repair(&self) -> Option<&RepairPolicy> {
        match self {
            PolicyArg::Strict => None,
            PolicyArg::Repair(policy) => Some(policy),
        }
    }
}

/// Parses the policy, and lists the policies for shell completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyParser;

impl TypedValueParser for PolicyParser {
    type Value = PolicyArg;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<PolicyArg, clap::Error> {
        match value == STRICT.0 {
            true => Ok(PolicyArg::Strict),
            false => parse.parse_ref(command, argument, value).map(PolicyArg::Repair),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(policies()))
    }
}

/// Not a policy for errors, but the request that there are none.
const STRICT: (&str, &str) = ("strict", "Stop at the first error, with exit status 1; no file is written");

/// The effect of another command.
const MOJIBAKE: &str = "mojibake";

/// Returns the names of the policies for errors.
fn listed() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    RepairPolicy::names().filter(|(name, _)| *name != MOJIBAKE)
}

/// Returns the value that a shell inserts for a name.
pub(super) fn example(name: &'static str) -> &'static str {
    match name {
        "fallback=LABEL" => "fallback=windows-1252",
        "fallback-lines=LABEL" => "fallback-lines=windows-1252",
        name => name,
    }
}

fn policies() -> impl Iterator<Item = PossibleValue> {
    [STRICT].into_iter().chain(listed()).map(move |(name, about)| PossibleValue::new(example(name)).help(about))
}

/// Parses a policy of `repair`.
pub(crate) fn parse(text: &str) -> Result<RepairPolicy, String> {
    match text {
        MOJIBAKE => return Err("`utf8 mojibake` repairs valid text that was misdecoded".to_owned()),
        "transliterate" => {
            return Err("an invalid byte has no nearest character: `utf8 convert --on-error transliterate` is for \
                        valid characters that the output encoding lacks"
                .to_owned());
        }
        "recode" => return Err("that is for `utf8 edit`; to convert a file, use `utf8 convert`".to_owned()),
        _ => {}
    }
    text.parse().map_err(|error| match (error, text.split_once('=')) {
        (UnknownRepairPolicy::Fallback(error), Some((_, label))) => {
            names::suggest::<Fallback>(label, names::with_options(error))
        }
        _ => names::unknown(text, [STRICT].into_iter().chain(listed()).map(|(name, _)| name)),
    })
}
