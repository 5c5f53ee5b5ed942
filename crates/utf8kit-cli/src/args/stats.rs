//! Arguments of `utf8 stats`.

use clap::Args;

use super::{EncodingArgs, Format, InputArgs, ThreadArgs};

/// `utf8 stats`
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}
