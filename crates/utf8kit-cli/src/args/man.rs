//! Arguments of `utf8 man`.

use clap::Args;

/// `utf8 man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command whose page to print [default: utf8 itself].
    pub(crate) command: Option<String>,
}
