//! What `utf8 detect` takes.

use clap::Args;

use super::{Format, InputArgs, ThreadArgs};

/// `utf8 detect`
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}
