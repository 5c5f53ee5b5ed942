//! What `utf8 convert` takes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use utf8kit_text::charset::{Charset, Fallback, UnknownCharset};
use utf8kit_text::convert::{BomHandling, Invalid};

use super::{Format, HardLinksArg, RowArgs, TargetArgs, ThreadArgs, UnpackArgs, names};

/// `utf8 convert`
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Files, converted one after the other; `-` is standard input.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Encoding of the input: any of `--encoding` elsewhere, or a label of the WHATWG Encoding Standard; `auto` is
    /// what `utf8 detect` takes it for [default: as configured, or utf-8].
    #[arg(short, long, aliases = ["encoding", "from-code"], value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) from: Option<Origin>,
    /// Read what is ill-formed in UTF-8 (or the dialect of it) in that encoding: windows-1252, say.
    #[arg(long, value_name = "ENCODING", value_parser = names::Encodings(names::fallback), hide_possible_values = true)]
    pub(crate) fallback: Option<Fallback>,
    /// With --fallback: a line that is ill-formed is read in that encoding as a whole.
    #[arg(long, requires = "fallback")]
    pub(crate) per_line: bool,
    /// Encoding of the output; utf-16 and utf-32 are little-endian behind a byte order mark.
    #[arg(short, long, alias = "to-code", value_name = "ENCODING", default_value = "utf-8")]
    #[arg(value_parser = names::Encodings(names::charset), hide_possible_values = true)]
    pub(crate) to: Charset,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Convert the files themselves, and those in folders, each in one step; keep the old ones under their names and
    /// SUFFIX, if given. With `--from auto`, what is not recognised for sure is left alone, with exit status 1.
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with_all = ["output", "fallback", "rows", "reject"])]
    pub(crate) in_place: Option<OsString>,
    /// With --in-place: tell what is thought of each file, why, and what would be done; change nothing.
    #[arg(long, requires = "in_place", conflicts_with = "ledger")]
    pub(crate) dry_run: bool,
    /// How --dry-run tells it; JSON lines can be edited, and given back with --plan.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
    /// With --in-place: do what this file says, which --dry-run --format jsonl wrote.
    #[arg(long, value_name = "FILE", requires = "in_place", conflicts_with_all = ["paths", "from", "to"])]
    pub(crate) plan: Option<PathBuf>,
    /// With --in-place: write each change to this file, so that `utf8 repair --undo FILE` can take it back.
    #[arg(long, value_name = "FILE", requires = "in_place")]
    pub(crate) ledger: Option<PathBuf>,
    /// What --in-place does to a file that has several names (hard links).
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) hard_links: HardLinksArg,
    /// What is done about ill-formed input and about what the target cannot hold.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) invalid: InvalidArg,
    /// Leave out what cannot be converted: `--invalid remove`.
    #[arg(short = 'c', conflicts_with = "invalid")]
    pub(crate) discard: bool,
    /// List the encodings.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// What is done about a byte order mark.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) bom: BomArg,
    #[command(flatten)]
    pub(crate) unpack: UnpackArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// What `convert` does about ill-formed input and about what the target cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InvalidArg {
    /// Stop there, with exit status 1.
    #[default]
    Strict,
    /// Write U+FFFD, or `?` where the target lacks it.
    Replace,
    /// Leave it out.
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

/// What `convert` does about a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BomArg {
    /// Convert it as any other code point.
    #[default]
    Keep,
    /// Leave it out.
    Strip,
    /// Begin with one.
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

/// What `--from` may name: an encoding, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// What a file looks like.
    Auto,
    /// An encoding.
    Named(Charset),
}

impl FromStr for Origin {
    type Err = UnknownCharset;

    fn from_str(text: &str) -> Result<Origin, UnknownCharset> {
        if text.eq_ignore_ascii_case("auto") { Ok(Origin::Auto) } else { text.parse().map(Origin::Named) }
    }
}
