//! Arguments of `utf8 restore`.

use std::ffi::OsString;

use clap::Args;

use super::format::{no_format, refused};
use super::read::InputArgs;
use super::write::WriteArgs;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 restore menu.c --from HEAD -o menu.new    restore damaged bytes from the last commit
  utf8 restore --diff --from v1.0..HEAD src      show what can be restored from these versions
  utf8 restore -i --from ../backup src           from another folder, in place";

/// `utf8 restore`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(arg = no_format("`utf8 check --against` reports damage in other formats; --ledger FILE records each change"))]
#[command(arg = refused("encoding", "old and new bytes are compared, in any encoding").short('e'))]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The version to take bytes from
    ///
    /// A git revision, a range (v1.0..HEAD; searched from the last), a file or a folder. Later edits are kept.
    #[arg(long, value_name = "REV|FILE|DIR")]
    pub(crate) from: OsString,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}
