//! Arguments of `utf8 detect`.

use clap::Args;

use super::format::{Format, Listed, RESULTS};
use super::read::{InputArgs, ThreadArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 detect old.txt                   the encoding, and how certain that is
  utf8 detect -v old.txt                the evidence, too
  utf8 detect --format short old.txt    only the name, or `unknown`";

/// `utf8 detect`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
}
