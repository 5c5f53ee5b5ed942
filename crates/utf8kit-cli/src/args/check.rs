//! What `utf8 check` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{EncodingArgs, Format, InputArgs, RowArgs, TargetArgs, ThreadArgs};

/// `utf8 check`
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
    /// Print at most so many errors a file, 0 for all [default: 20 in human, all elsewhere].
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<usize>,
    /// Print only the names of ill-formed files.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// Print nothing: the exit status tells.
    #[arg(short, long, conflicts_with = "list")]
    pub(crate) quiet: bool,
    /// Write a report to this file too: one page of HTML that needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Whether files may, may not or must begin with a byte order mark [default: as configured, or allow].
    #[arg(long, value_name = "RULE", value_enum)]
    pub(crate) bom: Option<BomRule>,
    /// Which line ends files must have [default: as configured, or any].
    #[arg(long, value_name = "RULE", value_enum)]
    pub(crate) line_ends: Option<LineEndRule>,
    /// Exit with 0 if there are findings.
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Check what is appended to a file, too, until it is interrupted: as tail -F.
    #[arg(long, conflicts_with = "report")]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Which line ends `check` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineEndRule {
    /// A line feed alone.
    Lf,
    /// A carriage return and a line feed.
    Crlf,
}

/// What `check` says to a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BomRule {
    /// Nothing.
    #[default]
    Allow,
    /// A file that begins with one is not as it should be.
    Forbid,
    /// A file that does not begin with one is not as it should be.
    Require,
}
