//! Output options, shared by the commands that change text.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use utf8kit_files::HardLinks;

/// The destination of a command that changes text within its encoding.
#[derive(Clone, Debug, Args)]
pub(crate) struct WriteArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) preview: PreviewArgs,
    #[command(flatten)]
    pub(crate) status: StatusArgs,
    #[command(flatten)]
    pub(crate) in_place: InPlaceArgs,
}

/// The destination of the result.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write to a file
    ///
    /// The default is standard output. A file that is also the input is changed in place (see --in-place). It must
    /// differ from every other input and output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Options that show changes instead of writing them.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PreviewArgs {
    /// Report what would be done; change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Show what would change; change nothing
    ///
    /// Bytes that are not text are shown as `‹FF›`, so the diff is not always a valid patch.
    #[arg(long)]
    pub(crate) diff: bool,
}

impl PreviewArgs {
    /// Reports whether nothing is written.
    pub(crate) fn is_on(self) -> bool {
        self.dry_run || self.diff
    }
}

/// Returns the command line with the suffix of a backup as clap reads it: `-i=.bak` for `-i.bak`, as sed and Perl have
/// it.
pub(crate) fn with_suffix(mut typed: Vec<OsString>) -> Vec<OsString> {
    const COMMANDS: [&str; 4] = ["repair", "mojibake", "restore", "convert"];
    let is_command = |word: &OsString| COMMANDS.iter().any(|command| word == command);
    let Some(start) = typed.iter().skip(1).position(is_command) else { return typed };
    for word in typed.iter_mut().skip(start + 2).take_while(|word| *word != "--") {
        let suffix = word.to_str().and_then(|word| word.strip_prefix("-i"));
        if let Some(suffix) = suffix.filter(|suffix| suffix.starts_with(['.', '~', '_'])) {
            *word = format!("-i={suffix}").into();
        }
    }
    typed
}

/// How files are changed in place.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "In place")]
pub(crate) struct InPlaceArgs {
    /// Change the files themselves
    ///
    /// Each file, also in folders, is replaced atomically. With SUFFIX, a backup is kept under the file's name plus
    /// SUFFIX.
    #[arg(
        short,
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub(crate) in_place: Option<OsString>,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
}

impl InPlaceArgs {
    /// Returns the suffix of backups: empty for none.
    pub(crate) fn suffix(&self) -> &OsStr {
        self.in_place.as_deref().unwrap_or_default()
    }

    /// Returns the path of the ledger, if there is to be one.
    pub(crate) fn ledger(&self) -> Option<&Path> {
        self.record.ledger.as_deref()
    }
}

/// How the change of a file is recorded, and how its other hard links are treated.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "In place")]
pub(crate) struct RecordArgs {
    /// Record each change, for `utf8 undo`
    ///
    /// Append each change to this file as a line of JSON, so that `utf8 undo FILE` can undo it.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) links: LinksArgs,
}

/// How files with several names are changed.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "In place")]
pub(crate) struct LinksArgs {
    /// How to treat a file with hard links
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    #[arg(hide_short_help = true)]
    pub(crate) hard_links: HardLinksArg,
}

/// How to treat a file that has several hard links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HardLinksArg {
    /// Skip the file, with exit status 2.
    #[default]
    Skip,
    /// Overwrite the file, so that all links see the new content; a crash may leave it half written.
    Write,
    /// Replace this link; the others keep the old content.
    Split,
}

impl From<HardLinksArg> for HardLinks {
    fn from(arg: HardLinksArg) -> HardLinks {
        match arg {
            HardLinksArg::Skip => HardLinks::Skip,
            HardLinksArg::Write => HardLinks::Write,
            HardLinksArg::Split => HardLinks::Split,
        }
    }
}

/// Whether a change counts as a finding.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct StatusArgs {
    /// Exit with 1 if anything was changed
    ///
    /// Rejected rows count as changes.
    #[arg(long)]
    pub(crate) exit_non_zero_on_fix: bool,
}
