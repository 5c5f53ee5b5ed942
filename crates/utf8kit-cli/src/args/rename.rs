//! Arguments of `utf8 rename`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_text::RepairPolicy;

use super::format::{Format, Listed};
use super::naming::NamingArgs;
use super::policy::PolicyParser;
use super::read::InputArgs;
use super::target::TargetArgs;
use super::write::{OutputArgs, StatusArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 rename photos                    show which names are not UTF-8, and what they should be
  utf8 rename --apply photos            rename them; `utf8 undo utf8-names.jsonl` takes it back
  utf8 rename old.zip -o new.zip        the names in an archive";

const PATHS: &str = "Files and folders, whose own names are not changed, and archives (zip, tar)";

/// `utf8 rename`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("paths", |paths| paths.help(PATHS)))]
pub(crate) struct RenameArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) naming: NamingArgs,
    /// Rename, instead of showing the plan.
    #[arg(long)]
    pub(crate) apply: bool,
    /// With --apply: append each change to this file as a line of JSON, so that `utf8 undo FILE` can undo it.
    #[arg(long, value_name = "FILE", default_value = "utf8-names.jsonl")]
    pub(crate) ledger: PathBuf,
    /// Take the plan in this file, written by --format jsonl, and perhaps edited.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "from", "normalize", "on_error"])]
    pub(crate) plan: Option<PathBuf>,
    /// Output format of the plan.
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(&[Format::Human, Format::Jsonl]))]
    pub(crate) format: Format,
    /// What to do with names that would become the same as another one.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) on_collision: CollisionArg,
    /// How to repair a name that is in no known encoding [default: leave it alone].
    #[arg(long, value_name = "POLICY", value_parser = PolicyParser)]
    pub(crate) on_error: Option<RepairPolicy>,
    /// Text to write for each error, with the replace policies and java [default: U+FFFD].
    #[arg(long, value_name = "TEXT")]
    pub(crate) replacement: Option<String>,
    /// Believe --from whatever the names look like.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) status: StatusArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// What to do with names that would become the same as another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CollisionArg {
    /// Leave them alone, with exit status 1.
    #[default]
    Skip,
    /// Number them: `a (2).txt`.
    Number,
}
