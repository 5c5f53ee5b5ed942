//! Arguments of `utf8 rename`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::format::{Format, Listed};
use super::names::{self, Origin};
use super::policy::{PolicyArg, PolicyParser};
use super::read::InputArgs;
use super::rewrite::NormalFormArg;
use super::target::TargetArgs;
use super::write::{OutputArgs, StatusArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 rename photos                    show which names are not UTF-8, and what they should be
  utf8 rename --apply photos            rename them; `utf8 undo utf8-names.jsonl` reverts that
  utf8 rename old.zip -o new.zip        the names in an archive";
/// `utf8 rename`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RenameArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Encoding of names that are not UTF-8
    ///
    /// `auto` infers it from the other names in the same folder [default: auto].
    #[arg(short, long, short_alias = 'f', alias = "from", value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) encoding: Option<Origin>,
    /// The normal form that names must have
    #[arg(long, value_name = "FORM", value_enum)]
    #[arg(help_heading = "Policy")]
    pub(crate) normalize: Option<NormalFormArg>,
    /// Rename, instead of showing the plan
    #[arg(long)]
    #[arg(help_heading = "In place")]
    pub(crate) apply: bool,
    /// Show the plan, as without --apply
    #[arg(short = 'n', long, alias = "diff")]
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "In place")]
    pub(crate) dry_run: bool,
    /// Record each change, for `utf8 undo`
    ///
    /// With --apply: append each change to this file as a line of JSON, so that `utf8 undo FILE` can undo it.
    #[arg(long, value_name = "FILE", default_value = "utf8-names.jsonl")]
    #[arg(help_heading = "In place")]
    pub(crate) ledger: PathBuf,
    /// Carry out the plan in this file
    ///
    /// Such a plan is written by --format jsonl, and can be edited.
    #[arg(long, value_name = "FILE")]
    #[arg(help_heading = "In place")]
    pub(crate) plan: Option<PathBuf>,
    /// Output format of the plan
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(&[Format::Human, Format::Jsonl]))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
    /// How to resolve names that would collide
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    #[arg(help_heading = "Policy")]
    pub(crate) on_collision: CollisionArg,
    /// How to repair names in no known encoding
    ///
    /// By default and with `strict`, such names are left alone.
    #[arg(long, value_name = "POLICY", value_parser = PolicyParser)]
    #[arg(help_heading = "Policy")]
    pub(crate) on_error: Option<PolicyArg>,
    /// Text to write for each error
    ///
    /// Applies to the replace policies and java [default: U+FFFD].
    #[arg(long, value_name = "TEXT")]
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Policy")]
    pub(crate) replacement: Option<String>,
    /// Trust --encoding
    ///
    /// Applies the encoding even to names that look like another one.
    #[arg(long)]
    #[arg(help_heading = "Policy")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) status: StatusArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// How to resolve names that would collide with another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CollisionArg {
    /// Leave them unchanged, with exit status 1.
    #[default]
    Skip,
    /// Number them: `a (2).txt`.
    Number,
}
