//! What `utf8 man` takes.

use clap::Args;

/// `utf8 man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command to print the page of, instead of that of utf8.
    pub(crate) command: Option<String>,
}
