//! Arguments of `utf8 encodings`.

use clap::Args;

/// `utf8 encodings`
#[derive(Debug, Args)]
pub(crate) struct EncodingsArgs {
    /// The encoding to describe [default: list all].
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}
