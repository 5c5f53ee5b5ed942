//! Options for the names of files, shared by `check` and `repair`.

use clap::Args;

use super::names::{self, Origin};
use super::rewrite::NormalFormArg;

/// Whether it is about names, and what they have to be.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Names of files")]
pub(crate) struct NamingArgs {
    /// Process the names of files and folders instead of their content, and the names in zip and tar files that are
    /// given as PATH.
    #[arg(long)]
    pub(crate) names: bool,
    /// With --names: the encoding of all names that are not UTF-8, or `auto` to judge by the names beside each
    /// [default: auto].
    #[arg(long, value_name = "ENCODING", requires = "names")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) from: Option<Origin>,
    /// With --names: the Unicode normal form that names must have.
    #[arg(long, value_name = "FORM", value_enum, requires = "names")]
    pub(crate) normalize: Option<NormalFormArg>,
}
