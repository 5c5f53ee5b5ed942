//! Arguments of `utf8 undo`.

use std::path::PathBuf;

use clap::Args;

use super::write::{LinksArgs, OutputArgs, PreviewArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 undo log                       take all files back to their original
  utf8 undo log menu.txt --last       undo the last step of one file
  utf8 undo log --root ../moved       the folder is elsewhere now";

/// `utf8 undo`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UndoArgs {
    /// The ledger that a command wrote with --ledger.
    #[arg(value_name = "LEDGER")]
    pub(crate) ledger: PathBuf,
    /// The files to restore [default: all that the ledger names]. One that it does not name is matched by its content.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from this file, one per line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// End each path in --files-from with NUL instead of a line feed.
    #[arg(short = '0', long)]
    pub(crate) null: bool,
    /// Undo only the last step of each file instead of all.
    #[arg(long)]
    pub(crate) last: bool,
    /// The folder's present place, if it has been moved.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) preview: PreviewArgs,
    #[command(flatten)]
    pub(crate) links: LinksArgs,
}
