//! The command line: one file per command, and the groups of options that several commands share.

mod check;
mod completions;
mod convert;
mod detect;
mod edit;
mod encodings;
mod explain;
mod format;
mod help;
mod man;
mod mojibake;
pub(crate) mod names;
mod on_error;
pub(crate) mod policy;
mod protobuf;
mod read;
mod rename;
mod repair;
mod restore;
mod rewrite;
mod rows;
mod stats;
mod target;
mod undo;
mod write;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use check::{BomRule, CheckArgs};
pub(crate) use completions::CompletionsArgs;
pub(crate) use convert::{BomArg, ConvertArgs};
pub(crate) use detect::DetectArgs;
pub(crate) use edit::EditArgs;
pub(crate) use encodings::EncodingsArgs;
pub(crate) use explain::ExplainArgs;
pub(crate) use format::{Format, RESULTS};
pub(crate) use help::program;
pub(crate) use man::ManArgs;
pub(crate) use mojibake::MojibakeArgs;
pub(crate) use names::Origin;
pub(crate) use on_error::OnError;
pub(crate) use policy::PolicyArg;
pub(crate) use read::{InputArgs, ReadArgs, UTF8};
pub(crate) use rename::{CollisionArg, RenameArgs};
pub(crate) use repair::RepairArgs;
pub(crate) use restore::RestoreArgs;
pub(crate) use rewrite::{LineEndRule, NormalFormArg, RewriteArgs};
pub(crate) use rows::{RowArgs, RowsArg};
pub(crate) use stats::StatsArgs;
pub(crate) use target::TargetArgs;
pub(crate) use undo::UndoArgs;
pub(crate) use write::{OutputArgs, WriteArgs, with_suffix};

/// Maps common problems, in users' words, to the command that solves them.
const WHICH: &str = "\
Which command?
  a load stops at a bad byte          utf8 check FILE
  accents are garbled (caf\u{C3}\u{A9})         utf8 mojibake FILE
  nobody knows the encoding           utf8 detect FILE
  a zip's names are broken            utf8 rename FILE.zip
  an editor ruined the file           utf8 restore FILE --from HEAD
  a character is unfamiliar           utf8 explain CHARACTER

Exit status: 0 if nothing was found, 1 if something was, 2 on error.";

/// Find, explain and repair what is wrong with text, in UTF-8 and any other encoding
#[derive(Debug, Parser)]
#[command(name = "utf8", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = WHICH)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value_t, value_enum, help_heading = "Output")]
    pub(crate) color: Color,
    /// Show more: skipped files, all pictures
    ///
    /// Name every file that is skipped, with the reason, and show all pictures.
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) verbose: bool,
    /// Use this configuration file
    ///
    /// All other files (utf8.toml, .gitattributes, .editorconfig) are ignored.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) config: Option<PathBuf>,
    /// Exit with 0 even if something was found
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) exit_zero: bool,
    /// Ignore all configuration files
    #[arg(long, global = true, help_heading = "Configuration")]
    pub(crate) no_config: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report every error
    Check(CheckArgs),
    /// Repair every error, by a policy of your choice
    Repair(RepairArgs),
    /// Restore damaged places from an earlier version
    Restore(RestoreArgs),
    /// Repair garbled accents: text decoded in the wrong encoding
    Mojibake(MojibakeArgs),
    /// Find file names that are wrong, and rename the files
    ///
    /// Covers files, folders, and members of archives (zip, tar). An archive itself keeps its name.
    Rename(RenameArgs),
    /// Undo the changes that a ledger records
    Undo(UndoArgs),
    /// Convert from one encoding to another
    ///
    /// Several files are concatenated in the output. With --in-place, each stays a file of its own.
    Convert(ConvertArgs),
    /// Edit a file in any encoding, leaving all other bytes alone
    Edit(EditArgs),
    /// Show how characters become bytes, or why bytes are invalid
    Explain(ExplainArgs),
    /// Show statistics of text, and its size in other encodings
    Stats(StatsArgs),
    /// Detect the encoding of files, and show the evidence
    Detect(DetectArgs),
    /// List the encodings
    Encodings(EncodingsArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Use colour on a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
