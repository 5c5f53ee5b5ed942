//! Arguments of `utf8 convert`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_text::charset::{Charset, Fallback};
use utf8kit_text::convert::{BomHandling, Invalid};

use super::format::{Format, Listed};
use super::names::{self, Origin};
use super::read::{InputArgs, ThreadArgs};
use super::rewrite::RewriteArgs;
use super::rows::{RowArgs, RowsArg};
use super::target::TargetArgs;
use super::write::HardLinksArg;

const PATHS: &str = "Files to convert, whose output is concatenated, or with --in-place files and folders; `-` is \
                     standard input";

/// All but messages of Protocol Buffers.
const ROWS: &[RowsArg] =
    &[RowsArg::Csv, RowsArg::Tsv, RowsArg::Jsonl, RowsArg::Lines, RowsArg::Pgdump, RowsArg::Mysqldump];

const TARGETS: &str = "With --reject: put aside what this system refuses in well-formed text, too; docs/targets.md \
                       lists the rules. May be repeated";

const MAX_BYTES: &str = "With --reject: maximum size in bytes of a value: a field of csv or tsv, a string of jsonl, \
                         otherwise a line";

/// `utf8 convert`
#[derive(Debug, Args)]
#[command(mut_arg("paths", |paths| paths.help(PATHS)))]
#[command(mut_arg("rows", |rows| rows.value_parser(Listed(ROWS))))]
#[command(mut_arg("targets", |targets| targets.help(TARGETS)))]
#[command(mut_arg("max_bytes", |most| most.help(MAX_BYTES)))]
#[command(mut_arg("grapheme", |grapheme| grapheme.hide(true)))]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Encoding of the input: any that `--list` shows, or `auto` to detect it [default: as configured, or utf-8].
    #[arg(short, long, aliases = ["encoding", "from-code"], value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) from: Option<Origin>,
    /// Decode ill-formed bytes in this encoding instead, such as windows-1252. For input in UTF-8 or a dialect.
    #[arg(long, value_name = "ENCODING", value_parser = names::Encodings(names::fallback), hide_possible_values = true)]
    pub(crate) fallback: Option<Fallback>,
    /// With --fallback: decode the whole line if any of it is ill-formed. With --in-place: convert line by line a file
    /// in which some lines are UTF-8, if it is certain which; such a file is skipped otherwise.
    #[arg(long)]
    pub(crate) per_line: bool,
    /// Encoding of the output. `utf-16` and `utf-32` are little-endian, with a byte order mark.
    #[arg(short, long, alias = "to-code", value_name = "ENCODING", default_value = "utf-8")]
    #[arg(value_parser = names::Encodings(names::charset), hide_possible_values = true)]
    pub(crate) to: Charset,
    /// Write to this file instead of standard output. If it is the only input itself, see --in-place; it must be
    /// nothing else that is read or written.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Keep converting what is appended to the file, as `tail -F` does, until interrupted.
    #[arg(long, conflicts_with = "in_place")]
    pub(crate) follow: bool,
    /// Convert files in place, and those in folders, each atomically; with SUFFIX, keep a backup under the file's name
    /// and SUFFIX. With `--from auto`, files whose encoding is not certain are left alone, with exit status 1.
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with_all = ["output", "fallback", "rows", "reject"])]
    pub(crate) in_place: Option<OsString>,
    /// With --in-place: show each file's presumed encoding, the evidence, and what would be done. Change nothing.
    #[arg(long, requires = "in_place", conflicts_with = "ledger")]
    pub(crate) dry_run: bool,
    /// Output format of --dry-run. JSON lines can be edited and passed back with --plan.
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(&[Format::Human, Format::Jsonl]))]
    pub(crate) format: Format,
    /// With --in-place: carry out the plan in this file, written by --dry-run --format jsonl.
    #[arg(long, value_name = "FILE", requires = "in_place", conflicts_with_all = ["paths", "from", "to"])]
    pub(crate) plan: Option<PathBuf>,
    /// With --in-place: record each change in this file, so that `utf8 undo FILE` can undo it.
    #[arg(long, value_name = "FILE", requires = "in_place")]
    pub(crate) ledger: Option<PathBuf>,
    /// With --in-place: convert even files of which all or some lines are UTF-8 already, which encodes them twice, that
    /// are clearly in another encoding than --from, which garbles them, or that are no text, such as pictures, which
    /// destroys them.
    #[arg(long, requires = "in_place")]
    pub(crate) force: bool,
    /// How --in-place treats a file that has several hard links.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) hard_links: HardLinksArg,
    /// How to treat ill-formed input and characters that the output encoding lacks.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) invalid: InvalidArg,
    /// Omit what cannot be converted; short for `--invalid remove`.
    #[arg(short = 'c', conflicts_with = "invalid")]
    pub(crate) discard: bool,
    /// List the encodings.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// How to treat a byte order mark.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) bom: BomArg,
    #[command(flatten)]
    pub(crate) rewrite: RewriteArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// How `convert` treats ill-formed input and characters that the output encoding lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InvalidArg {
    /// Stop at the first one, with exit status 1.
    #[default]
    Strict,
    /// Write U+FFFD, or `?` if the output encoding lacks it.
    Replace,
    /// Omit it.
    Remove,
    /// Write each byte as `\xHH`.
    Escape,
}

impl From<InvalidArg> for Invalid {
    fn from(arg: InvalidArg) -> Invalid {
        match arg {
            InvalidArg::Strict => Invalid::Strict,
            InvalidArg::Replace => Invalid::Replace,
            InvalidArg::Remove => Invalid::Remove,
            InvalidArg::Escape => Invalid::Escape,
        }
    }
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
