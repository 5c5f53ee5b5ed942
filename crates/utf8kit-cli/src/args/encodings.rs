//! Arguments of `utf8 encodings`.

use clap::Args;

use super::format::no_format;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 encodings                list all
  utf8 encodings latin1         what a name stands for
  utf8 encodings | grep 125     the code pages of Windows";

/// `utf8 encodings`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(arg = no_format("the list has one encoding a line, with its name first"))]
pub(crate) struct EncodingsArgs {
    /// The encodings to describe [default: list all].
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
}
