//! Arguments of `utf8 mojibake`.

use clap::Args;

use super::format::{Format, Listed, RESULTS};
use super::read::ReadArgs;
use super::rows::RowsArg;
use super::write::WriteArgs;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 mojibake garbled.txt -o right.txt    \"caf\u{C3}\u{A9}\" becomes \"caf\u{E9}\"
  utf8 mojibake --list-doubtful garbled.txt list lines that could mean several things
  utf8 mojibake -i --ledger log src         in place; `utf8 undo log` reverts that";

/// Dumps of databases.
const ROWS: &[RowsArg] = &[RowsArg::Pgdump, RowsArg::Mysqldump];

/// `utf8 mojibake`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MojibakeArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Decide each line by itself
    ///
    /// Other lines are not used as evidence.
    #[arg(long)]
    #[arg(help_heading = "Policy")]
    pub(crate) lines: bool,
    /// List ambiguous lines
    ///
    /// Prints each line that has several possible repairs, with the repairs. Changes nothing; exits with 1 if there is
    /// such a line.
    #[arg(long)]
    #[arg(help_heading = "Output")]
    pub(crate) list_doubtful: bool,
    /// Output format of --list-doubtful
    ///
    /// To record changes as JSON, use --ledger.
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
    /// Change even files that are not text
    ///
    /// Pictures, for example.
    #[arg(long)]
    #[arg(help_heading = "Policy")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// Read a dump of a database
    ///
    /// Each column of a table is decided by its own values.
    #[arg(long, value_name = "FORMAT", value_parser = Listed(ROWS))]
    #[arg(help_heading = "Rows")]
    pub(crate) rows: Option<RowsArg>,
}
