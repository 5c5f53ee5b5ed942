//! Arguments of `utf8 detect`.

use clap::Args;

use super::format::{Format, Listed, RESULTS};
use super::read::{InputArgs, ThreadArgs};

/// `utf8 detect`
#[derive(Debug, Args)]
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
