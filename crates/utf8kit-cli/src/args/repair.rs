//! Arguments of `utf8 repair`.

use clap::Args;
use utf8kit_records::rows::TablePolicy;

use super::format::Format;
use super::policy::{PolicyArg, PolicyParser};
use super::protobuf::ProtobufArgs;
use super::read::ReadArgs;
use super::rows::RowArgs;
use super::target::TargetArgs;
use super::write::WriteArgs;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 repair broken.txt -o repaired.txt                 replace errors with U+FFFD
  utf8 repair -p fallback-lines=windows-1252 mixed.csv   decode lines that are not UTF-8
  utf8 repair -i --ledger log src                        in place; `utf8 undo log` reverts that";

/// `utf8 repair`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// How to repair an error
    ///
    /// [default: as configured, or replace]
    #[arg(short, long = "on-error", visible_alias = "policy", value_name = "POLICY", value_parser = PolicyParser)]
    #[arg(help_heading = "Policy")]
    pub(crate) policy: Option<PolicyArg>,
    /// Text to write for each error
    ///
    /// Applies to the replace policies and java [default: U+FFFD].
    #[arg(long, value_name = "TEXT")]
    #[arg(help_heading = "Policy")]
    pub(crate) replacement: Option<String>,
    /// Repair each column by its own values
    ///
    /// With --rows pgdump and mysqldump, instead of --on-error: decide separately for each column of each table, by its
    /// values. `fallback=auto`, or `fallback=LABEL,LABEL...` with the encodings to choose from, decodes values that are
    /// not UTF-8.
    #[arg(long, value_name = "POLICY")]
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Policy")]
    pub(crate) per_table: Option<TablePolicy>,
    /// Follow the file as it grows
    ///
    /// Keep repairing what is appended to the file, as `tail -F` does, until interrupted.
    #[arg(long)]
    pub(crate) tail: bool,
    /// Repair even if text would be lost
    ///
    /// Repair even files that look like text in another encoding, and so replace their text, and files that are not
    /// text, such as pictures, which are destroyed.
    #[arg(long)]
    #[arg(help_heading = "Policy")]
    pub(crate) force: bool,
    /// Rejected; the error names the replacement
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum, hide = true)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) protobuf: ProtobufArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}
