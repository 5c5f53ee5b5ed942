//! Arguments of `utf8 stats`.

use clap::Args;

use super::format::Format;
use super::read::ReadArgs;

/// `utf8 stats`
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}
