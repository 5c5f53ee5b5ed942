//! Arguments of `utf8 stats`.

use clap::Args;

use super::format::{Format, Listed, RESULTS};
use super::read::ReadArgs;

const THREADS: &str =
    "Number of threads, at most 4, as each has a counter for every code point [default: one per core]";

/// `utf8 stats`
#[derive(Debug, Args)]
#[command(mut_arg("threads", |threads| threads.long_help(THREADS)))]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
}
