//! The value of `--on-error` for commands that repair errors.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use utf8kit_detect::RepairPolicy;
use utf8kit_detect::repair::UnknownRepairPolicy;
use utf8kit_encodings::charset::Fallback;

use super::names;

/// Parses the policy, and lists the policies for shell completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyParser;

impl TypedValueParser for PolicyParser {
    type Value = RepairPolicy;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<RepairPolicy, clap::Error> {
        match value.to_str().unwrap_or_default().parse::<RepairPolicy>() {
            // This parser's own error lists the policies.
            Err(UnknownRepairPolicy::Name) => PossibleValuesParser::new(policies())
                .parse_ref(command, argument, value)
                .map(|_| RepairPolicy::default()),
            _ => parse.parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(policies()))
    }
}

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
    listed().map(move |(name, about)| PossibleValue::new(example(name)).help(about))
}

/// Parses a policy of `repair`.
pub(crate) fn parse(text: &str) -> Result<RepairPolicy, String> {
    if text == MOJIBAKE {
        return Err("valid text that reads wrong is for `utf8 mojibake`".to_owned());
    }
    text.parse().map_err(|error| match (error, text.split_once('=')) {
        (UnknownRepairPolicy::Fallback(error), Some((_, label))) => {
            names::suggest::<Fallback>(label, names::with_options(error))
        }
        _ => names::unknown(text, listed().map(|(name, _)| name)),
    })
}
