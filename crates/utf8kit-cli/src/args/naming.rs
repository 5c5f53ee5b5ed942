//! Options for the names of files, shared by `check` and `rename`.

use clap::Args;

use super::names::{self, Origin};
use super::rewrite::NormalFormArg;

/// What names of files have to be.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Names of files")]
pub(crate) struct NamingArgs {
    /// The encoding of all names that are not UTF-8, or `auto` to judge by the names beside each [default: auto].
    #[arg(long, value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) from: Option<Origin>,
    /// The Unicode normal form that names must have.
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) normalize: Option<NormalFormArg>,
}
