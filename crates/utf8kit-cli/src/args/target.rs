//! Options for the system that text is loaded into, shared by `check`, `repair` and `convert`.

use std::ffi::OsStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use utf8kit_records::targets::{Demands, Target};

/// Requirements on valid text.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Targets")]
pub(crate) struct TargetArgs {
    /// Also find text that this system rejects
    ///
    /// Finds valid text that the system rejects. `utf8 check --for help` lists the systems, docs/targets.md their
    /// rules. May be repeated.
    #[arg(long = "for", value_name = "TARGET")]
    #[arg(value_parser = TargetParser)]
    pub(crate) targets: Vec<Target>,
    /// Maximum size of a value in bytes
    ///
    /// A value is a field of csv or tsv, a string of jsonl, otherwise a line. `repair` cuts longer values at a
    /// character boundary.
    #[arg(long, value_name = "N")]
    #[arg(hide_short_help = true)]
    pub(crate) max_bytes: Option<usize>,
    /// Maximum size in characters
    ///
    /// Counts code points, as VARCHAR(N) of PostgreSQL, MySQL and MariaDB does.
    #[arg(long, value_name = "N")]
    #[arg(hide_short_help = true)]
    pub(crate) max_chars: Option<usize>,
    /// Cut only between grapheme clusters
    ///
    /// With --max-bytes or --max-chars: never splits what a reader perceives as one character.
    #[arg(long, alias = "graphemes")]
    #[arg(hide_short_help = true)]
    pub(crate) grapheme: bool,
}

/// Parses the name of a target. `help` lists them all.
#[derive(Clone, Copy, Debug)]
struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Target;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Target, clap::Error> {
        if value == "help" {
            let lines = Target::all().map(|target| format!("{:<21}{}\n", target.name(), target.about()));
            return Err(clap::Error::raw(ErrorKind::DisplayHelp, lines.collect::<String>()));
        }
        let target = names().try_map(|name| name.parse::<Target>());
        target.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = Target::all().map(|target| PossibleValue::new(target.name()).aliases(target.alias()));
        Some(Box::new(names))
    }
}

/// Returns the parser for target names.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Target::all().map(|target| PossibleValue::new(target.name()).aliases(target.alias())))
}

impl TargetArgs {
    /// Returns the requirements on text.
    pub(crate) fn demands(&self) -> Demands {
        let mut demands = Demands::default();
        demands.targets.clone_from(&self.targets);
        demands.max_bytes = self.max_bytes;
        demands.max_chars = self.max_chars;
        demands.graphemes = self.grapheme;
        demands
    }
}
