//! Arguments of `utf8 detect`.

use clap::Args;

use super::format::{Format, Listed, RESULTS, refused};
use super::read::{InputArgs, ThreadArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 detect old.txt                   the encoding, and how certain that is
  utf8 detect -v old.txt                also the evidence
  utf8 detect --format short old.txt    only the name, or `unknown`";

/// `utf8 detect`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(arg = refused("encoding", "the encoding is what is detected; `utf8 check --encoding E` checks a known one")
    .short('e').short_alias('f').alias("from"))]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Print the language instead
    ///
    /// Prints the ISO 639 code, or `und` if the language is unknown. A few words are needed to identify it.
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
