//! Arguments of `utf8 stats`.

use clap::Args;

use super::format::{Format, Listed, RESULTS};
use super::read::ReadArgs;

const THREADS_HELP: &str =
    "Number of threads, at most 4, because each has a counter for every code point [default: one per core]";

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 stats book.txt                   what a text consists of
  utf8 stats src                        the files of a folder, and their total
  utf8 stats --format jsonl book.txt    for programs";

/// `utf8 stats`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("threads", |threads| threads.long_help(THREADS_HELP)))]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
}
