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
    /// Print the language instead
    ///
    /// Its code in ISO 639, or `und` for one that is not known. It takes some words to tell.
    #[arg(long)]
    #[arg(help_heading = "Output")]
    pub(crate) language: bool,
    /// Also print the evidence, as with -v
    #[arg(long)]
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Output")]
    pub(crate) explain: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
}
