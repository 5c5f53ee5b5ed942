//! What text is for: options that `check`, `repair` and `convert` share.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use utf8kit_text::targets::{Demands, Target};

/// What the text is to be beyond well-formed.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Targets")]
pub(crate) struct TargetArgs {
    /// Also what this system refuses of well-formed text; docs/targets.md has its rules.
    #[arg(long = "for", value_name = "TARGET")]
    #[arg(value_parser = PossibleValuesParser::new(Target::all().map(Target::name)).try_map(|name| name.parse::<Target>()))]
    pub(crate) target: Option<Target>,
    /// The most bytes of a value: of a field of csv and tsv, a string of jsonl, a line else. More is cut off at a boundary.
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// With --max-bytes: never cut what readers take for one character.
    #[arg(long, alias = "graphemes", requires = "max_bytes")]
    pub(crate) grapheme: bool,
}

impl TargetArgs {
    /// What is demanded.
    pub(crate) fn demands(self) -> Demands {
        Demands { target: self.target, max_bytes: self.max_bytes, graphemes: self.grapheme }
    }
}
