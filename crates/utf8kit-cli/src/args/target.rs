//! Options for the system that text is loaded into, shared by `check`, `repair` and `convert`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use utf8kit_text::targets::{Demands, Target};

/// What text has to satisfy beyond being well-formed.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Targets")]
pub(crate) struct TargetArgs {
    /// Also find what this system refuses in well-formed text; docs/targets.md lists the rules.
    #[arg(long = "for", value_name = "TARGET")]
    #[arg(value_parser = names().try_map(|name| name.parse::<Target>()))]
    pub(crate) target: Option<Target>,
    /// Maximum size in bytes of a value: a field of csv or tsv, a string of jsonl, otherwise a line. Repair cuts longer
    /// values at a character boundary.
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// With --max-bytes: cut only between grapheme clusters (what readers see as one character).
    #[arg(long, alias = "graphemes", requires = "max_bytes")]
    pub(crate) grapheme: bool,
}

/// Returns the parser of the targets' names.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Target::all().map(Target::name))
}

impl TargetArgs {
    /// Returns the demands on text.
    pub(crate) fn demands(self) -> Demands {
        let mut demands = Demands::default();
        demands.target = self.target;
        demands.max_bytes = self.max_bytes;
        demands.graphemes = self.grapheme;
        demands
    }
}
