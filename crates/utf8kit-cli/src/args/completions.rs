//! Arguments of `utf8 completions`.

use clap::Args;

/// `utf8 completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
