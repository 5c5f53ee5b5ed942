//! The command line: one file per command, and the groups of options that several commands share.

mod check;
mod completions;
mod convert;
mod detect;
mod edit;
mod encodings;
mod explain;
mod format;
mod man;
mod mojibake;
pub(crate) mod names;
mod naming;
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
pub(crate) use man::ManArgs;
pub(crate) use mojibake::MojibakeArgs;
pub(crate) use names::Origin;
pub(crate) use naming::NamingArgs;
pub(crate) use read::{InputArgs, ReadArgs, UTF8};
pub(crate) use rename::{CollisionArg, RenameArgs};
pub(crate) use repair::RepairArgs;
pub(crate) use restore::RestoreArgs;
pub(crate) use rewrite::{LineEndRule, RewriteArgs};
pub(crate) use rows::{RowArgs, RowsArg};
pub(crate) use stats::StatsArgs;
pub(crate) use target::TargetArgs;
pub(crate) use undo::UndoArgs;
pub(crate) use write::{HardLinksArg, InPlaceArgs, OutputArgs, PreviewArgs};

/// Check, repair, convert, edit, explain, measure and detect text in UTF-8 and other encodings.
#[derive(Debug, Parser)]
#[command(name = "utf8", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 if nothing was found, 1 if something was, 2 on error.")]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value_t, value_enum)]
    pub(crate) color: Color,
    /// Name every file that is skipped, with the reason.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Use this configuration file; ignore utf8.toml, .gitattributes and .editorconfig.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Ignore all configuration files.
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report every error.
    Check(CheckArgs),
    /// Repair every error, by a policy of your choice.
    Repair(RepairArgs),
    /// Give damaged places the bytes of an earlier version; edits since stay.
    Restore(RestoreArgs),
    /// Put right text that was decoded in a wrong encoding: garbled accents.
    Mojibake(MojibakeArgs),
    /// Show how names of files should be, or rename them.
    Rename(RenameArgs),
    /// Take back what a ledger records.
    Undo(UndoArgs),
    /// Convert from one encoding to another.
    Convert(ConvertArgs),
    /// Edit the text of a file in any encoding; every byte that is not edited stays.
    Edit(EditArgs),
    /// Show how code points become bytes, bit by bit, or why bytes are ill-formed.
    Explain(ExplainArgs),
    /// Show what text consists of, and its size in other encodings.
    Stats(StatsArgs),
    /// Guess the encoding of files, and show the evidence.
    Detect(DetectArgs),
    /// List the encodings.
    Encodings(EncodingsArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print a manual page.
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
