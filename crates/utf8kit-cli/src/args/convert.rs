//! Arguments of `utf8 convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::convert::BomHandling;

use super::format::{Format, Listed};
use super::names::{self, Origin};
use super::on_error::{self, OnError};
use super::read::{InputArgs, ThreadArgs};
use super::rewrite::RewriteArgs;
use super::rows::{RowArgs, RowsArg};
use super::target::TargetArgs;
use super::write::{InPlaceArgs, OutputArgs, PreviewArgs, StatusArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 convert -f windows-1252 old.txt -o new.txt        to UTF-8
  utf8 convert -n --from auto src                        show what would be done, and why
  utf8 convert -t latin1 --on-error transliterate a.txt  write the nearest characters";
/// Every format except messages of Protocol Buffers.
const ROWS: &[RowsArg] =
    &[RowsArg::Csv, RowsArg::Tsv, RowsArg::Jsonl, RowsArg::Lines, RowsArg::Pgdump, RowsArg::Mysqldump];

const TARGETS: &str = "With --reject: also reject valid text that this system refuses; docs/targets.md lists the \
                       rules. May be repeated";

const MAX_BYTES: &str = "With --reject: maximum size in bytes of a value: a field of csv or tsv, a string of jsonl, \
                         otherwise a line";

/// `utf8 convert`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("rows", |rows| rows.value_parser(Listed(ROWS))))]
#[command(mut_arg("targets", |targets| targets.long_help(TARGETS)))]
#[command(mut_arg("max_bytes", |most| most.long_help(MAX_BYTES)))]
#[command(mut_arg("grapheme", |grapheme| grapheme.hide(true)))]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Encoding of the input, or `auto`
    ///
    /// Any that `utf8 encodings` lists, or `auto` to detect it [default: as configured, or utf-8].
    #[arg(short = 'f', long = "from", short_alias = 'e', alias = "encoding", alias = "from-code")]
    #[arg(id = "encoding", value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) from: Option<Origin>,
    /// Encoding of the output
    ///
    /// `utf-16` and `utf-32` are little-endian, with a byte order mark.
    #[arg(short, long, alias = "to-code", value_name = "ENCODING", default_value = "utf-8")]
    #[arg(value_parser = names::Encodings(names::charset), hide_possible_values = true)]
    pub(crate) to: Charset,
    /// How to handle invalid or unencodable text
    ///
    /// Several can be combined, such as `transliterate,replace` [default: strict].
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = on_error::CONVERT)]
    #[arg(help_heading = "Policy")]
    pub(crate) on_error: Vec<OnError>,
    /// Omit what cannot be converted
    ///
    /// Short for `--on-error remove`.
    #[arg(short = 'c')]
    #[arg(help_heading = "Policy")]
    pub(crate) discard: bool,
    /// How to treat a byte order mark
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    #[arg(help_heading = "Policy")]
    pub(crate) bom: BomArg,
    /// List the encodings
    ///
    /// Same as `utf8 encodings`.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// Convert mixed files line by line
    ///
    /// Converts a file in which some lines are UTF-8, provided that it is certain which. Without this option, such a
    /// file is skipped.
    #[arg(long)]
    #[arg(help_heading = "Policy")]
    pub(crate) lines: bool,
    /// Follow the file as it grows
    ///
    /// Keep converting what is appended to the file, as `tail -F` does, until interrupted.
    #[arg(long)]
    pub(crate) tail: bool,
    /// Convert even what would lose text
    ///
    /// Converts even files that will be garbled: files with lines already in UTF-8, which are encoded twice; files
    /// clearly in another encoding than --from; and files that are not text, such as pictures.
    #[arg(long)]
    #[arg(help_heading = "Policy")]
    pub(crate) force: bool,
    /// Output format of --dry-run
    ///
    /// The output has the presumed encoding of each file, the evidence, and the planned action. JSON lines can be
    /// edited and passed back with --plan.
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(&[Format::Human, Format::Jsonl]))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
    /// Carry out the plan in this file
    ///
    /// Such a plan is written by --dry-run --format jsonl.
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) preview: PreviewArgs,
    #[command(flatten)]
    pub(crate) status: StatusArgs,
    #[command(flatten)]
    pub(crate) in_place: InPlaceArgs,
    #[command(flatten)]
    pub(crate) rewrite: RewriteArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// How `convert` treats a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BomArg {
    /// Convert it like any other code point.
    #[default]
    Keep,
    /// Remove it.
    Strip,
    /// Write one at the start.
    Add,
}

impl From<BomArg> for BomHandling {
    fn from(arg: BomArg) -> BomHandling {
        match arg {
            BomArg::Keep => BomHandling::Keep,
            BomArg::Strip => BomHandling::Strip,
            BomArg::Add => BomHandling::Add,
        }
    }
}
