//! Arguments of `utf8 check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::format::Format;
use super::naming::NamingArgs;
use super::protobuf::ProtobufArgs;
use super::read::ReadArgs;
use super::rewrite::LineEndRule;
use super::rows::RowArgs;
use super::target::TargetArgs;

/// `utf8 check`
#[derive(Debug, Args)]
#[command(mut_arg("from", |from| from.requires("names")))]
#[command(mut_arg("normalize", |form| form.requires("names")))]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
    /// Print at most N errors per file; 0 for all [default: 20 in human, all in other formats].
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<usize>,
    /// Print only the names of ill-formed files.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// Print nothing; only set the exit status.
    #[arg(short, long, conflicts_with = "list")]
    pub(crate) quiet: bool,
    /// Also write a self-contained HTML report to this file.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Rule for a byte order mark at the start of a file [default: as configured, or allow].
    #[arg(long, value_name = "RULE", value_enum)]
    pub(crate) bom: Option<BomRule>,
    /// Line ends that files must have [default: as configured, or any].
    #[arg(long, value_name = "RULE", value_enum)]
    pub(crate) line_ends: Option<LineEndRule>,
    /// Exit with 0 even if something was found.
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Keep checking what is appended to the file, as `tail -F` does, until interrupted.
    #[arg(long, conflicts_with = "report")]
    pub(crate) follow: bool,
    /// Also report what was damaged since this version: a revision of git (HEAD, origin/main, ...), a file or a folder.
    #[arg(long, value_name = "REV|FILE|DIR", conflicts_with_all = ["follow", "staged"])]
    pub(crate) against: Option<OsString>,
    /// Check what is staged for the next commit, and report what it damages.
    #[arg(long, conflicts_with_all = ["follow", "max_depth"])]
    pub(crate) staged: bool,
    /// Check the names of files and folders instead of their content, and the names in zip and tar files that are
    /// given as PATH.
    #[arg(long, help_heading = "Names of files")]
    pub(crate) names: bool,
    #[command(flatten)]
    pub(crate) naming: NamingArgs,
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
