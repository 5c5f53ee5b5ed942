//! Arguments of `utf8 undo`.

use std::path::PathBuf;

use clap::Args;

use super::format::no_format;
use super::write::{LinksArgs, OutputArgs, PreviewArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 undo log                       restore the original of every file
  utf8 undo log menu.txt --last       undo the last step of one file
  utf8 undo log --root ../moved       the folder is elsewhere now";

/// `utf8 undo`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(arg = no_format("undo prints no results; the ledger itself has a line of JSON for each change"))]
pub(crate) struct UndoArgs {
    /// The ledger that a command wrote
    // `ledger` is the option of commands that write one.
    #[arg(id = "undone", value_name = "LEDGER")]
    pub(crate) ledger: PathBuf,
    /// Only these files
    ///
    /// [default: all files in the ledger]. A path that is not in the ledger is matched by its content.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file
    ///
    /// One path per line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    #[arg(hide_short_help = true)]
    pub(crate) files_from: Option<PathBuf>,
    /// Paths in lists end with NUL
    #[arg(short = '0', long)]
    #[arg(hide_short_help = true)]
    pub(crate) null: bool,
    /// Undo only the last change of each file
    #[arg(long)]
    pub(crate) last: bool,
    /// Where the folder is now, if it was moved
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) preview: PreviewArgs,
    #[command(flatten)]
    pub(crate) links: LinksArgs,
}
