//! Arguments of `utf8 check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::format::Format;
use super::protobuf::ProtobufArgs;
use super::read::ReadArgs;
use super::rewrite::{LineEndRule, NormalFormArg};
use super::rows::RowArgs;
use super::target::TargetArgs;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 check .                              every error in every text file
  utf8 check --rows csv --for mysql a.csv   what a database would reject, row by row
  utf8 check --against HEAD menu.c          what was damaged since the last commit";

/// `utf8 check`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
    /// Print at most N errors per file
    ///
    /// 0 for all [default: 3 in human, all in other formats].
    #[arg(long, value_name = "N")]
    #[arg(help_heading = "Output")]
    pub(crate) max_errors: Option<usize>,
    /// Print only the names of files
    ///
    /// Only files with findings are listed.
    #[arg(short, long)]
    #[arg(help_heading = "Output")]
    pub(crate) list: bool,
    /// Print nothing; only set the exit status
    #[arg(short, long)]
    #[arg(help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Also write an HTML report
    ///
    /// The report is a single file and needs no network access.
    #[arg(long, value_name = "FILE.html")]
    #[arg(help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Rule for a byte order mark
    ///
    /// Applies to the start of each file [default: as configured, or allow].
    #[arg(long, value_name = "RULE", value_enum)]
    #[arg(help_heading = "Policy")]
    pub(crate) bom: Option<BomRule>,
    /// Line ends that files must have
    ///
    /// [default: as configured, or any]
    #[arg(long, value_name = "RULE", value_enum)]
    #[arg(help_heading = "Policy")]
    pub(crate) line_ends: Option<LineEndRule>,
    /// Follow the file as it grows
    ///
    /// Keep checking what is appended to the file, as `tail -F` does, until interrupted.
    #[arg(long)]
    pub(crate) tail: bool,
    /// Also report damage since this version
    ///
    /// A revision of git (HEAD, origin/main, ...), a file or a folder.
    #[arg(long, value_name = "REV|FILE|DIR")]
    pub(crate) against: Option<OsString>,
    /// Check staged files, also for damage
    ///
    /// Check the files that are staged for the next commit, and report damage to their text.
    #[arg(long)]
    pub(crate) staged: bool,
    /// Check names instead of contents
    ///
    /// Check the names of files and folders instead of their content, including names inside zip and tar files given as
    /// PATH. --encoding sets the encoding of names that are not UTF-8; `auto` infers it from the other names in the
    /// same folder.
    #[arg(long, help_heading = "Names of files")]
    pub(crate) names: bool,
    /// The normal form that names must have
    #[arg(long, value_name = "FORM", value_enum, help_heading = "Names of files")]
    #[arg(hide_short_help = true)]
    pub(crate) normalize: Option<NormalFormArg>,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) protobuf: ProtobufArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Rule of `check` for a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BomRule {
    /// Accept files with or without one.
    #[default]
    Allow,
    /// Report files that have one.
    Forbid,
    /// Report files that have none.
    Require,
}
