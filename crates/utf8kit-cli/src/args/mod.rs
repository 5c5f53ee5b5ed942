//! What can be typed: a file for each command, and here the groups of options that commands share.

mod check;
mod completions;
mod convert;
mod detect;
mod explain;
mod format;
mod man;
pub(crate) mod names;
mod repair;
mod rows;
mod stats;
mod target;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use utf8kit::EncodingLabel;
use utf8kit_text::charset::Charset;
use utf8kit_text::files::Unpack;

pub(crate) use check::{BomRule, CheckArgs, LineEndRule};
pub(crate) use completions::CompletionsArgs;
pub(crate) use convert::{BomArg, ConvertArgs, Origin};
pub(crate) use detect::DetectArgs;
pub(crate) use explain::ExplainArgs;
pub(crate) use format::Format;
pub(crate) use man::ManArgs;
pub(crate) use repair::{HardLinksArg, PolicyArg, RepairArgs};
pub(crate) use rows::RowArgs;
pub(crate) use stats::StatsArgs;
pub(crate) use target::TargetArgs;

use crate::error::Error;

/// Check, repair, convert, explain, stats and detect for UTF-8 and its dialects.
#[derive(Debug, Parser)]
#[command(name = "utf8", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 nothing found, 1 findings, 2 error.")]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value_t, value_enum)]
    pub(crate) color: Color,
    /// Take this configuration instead of the nearest utf8.toml, .gitattributes and .editorconfig.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Take no configuration.
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report every ill-formed place.
    Check(CheckArgs),
    /// Deal with every ill-formed place, by a policy.
    Repair(RepairArgs),
    /// Change the encoding.
    Convert(ConvertArgs),
    /// Show how each code point becomes bytes, bit by bit, or why it cannot.
    Explain(ExplainArgs),
    /// Count, classify and size texts.
    Stats(StatsArgs),
    /// Guess the encoding of files, with the evidence.
    Detect(DetectArgs),
    /// Print what makes a shell complete commands and options.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man(ManArgs),
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Which files are meant.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files and folders; `-` is standard input.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Also the files and folders that this file names, one a line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Lists of names, read (--files-from) and written (--list), have a NUL behind each name instead of a line feed.
    #[arg(short = '0', long)]
    pub(crate) null: bool,
    /// Only files in folders that match (a leading `!` leaves out those that do); may be given repeatedly.
    #[arg(short, long, value_name = "GLOB")]
    pub(crate) glob: Vec<String>,
    /// Hidden files and folders too.
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Also what .gitignore and .ignore leave out.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Folders no deeper than that below those that are named: 1 means their own files only.
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,
    /// Binary files in folders too (those with a NUL in the first 8 KiB).
    #[arg(long)]
    pub(crate) binary: bool,
    #[command(flatten)]
    pub(crate) unpack: UnpackArgs,
}

impl InputArgs {
    /// What is behind each name in a list.
    pub(crate) fn separator(&self) -> u8 {
        if self.null { 0 } else { b'\n' }
    }
}

/// How compressed files and archives are read.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Take compressed files (gzip, zstd, bzip2, xz) and archives (zip, tar) as they are, instead of reading what is in
    /// them.
    #[arg(long)]
    pub(crate) no_decompress: bool,
    /// Give up where a compressed file or an archive holds more than 64 MiB and N times its size; 0: never.
    #[arg(long, value_name = "N", default_value_t = Unpack::default().max_expansion)]
    pub(crate) max_expansion: u64,
}

impl UnpackArgs {
    /// `None`: they are taken as they are.
    pub(crate) fn unpack(self) -> Option<Unpack> {
        let mut unpack = Unpack::default();
        unpack.max_expansion = self.max_expansion;
        (!self.no_decompress).then_some(unpack)
    }
}

/// The encoding of the input.
#[derive(Debug, Args)]
pub(crate) struct EncodingArgs {
    /// Encoding of the input: utf-8, utf-8-21bit, utf-8-31bit, utf-8-offset, cesu-8, mutf-8, wtf-8, utf-16le,
    /// utf-16be, utf-16, utf-32le, utf-32be, utf-32, wtf-16le, wtf-16be or latin1. `utf-16` and `utf-32` go by the
    /// byte order mark, and are little-endian without one, as with iconv [default: as configured, or utf-8].
    #[arg(short, long, alias = "dialect", value_name = "ENCODING", hide_possible_values = true)]
    #[arg(value_parser = names::Encodings(names::encoding))]
    pub(crate) encoding: Option<Charset>,
}

impl EncodingArgs {
    /// The encoding that was typed, which must be one of the library.
    pub(crate) fn label(&self) -> Result<Option<EncodingLabel>, Error> {
        match self.encoding {
            Some(Charset::Named(label)) => Ok(Some(label)),
            None => Ok(None),
            Some(charset) => Err(Error::usage(names::is_legacy(charset))),
        }
    }
}

/// How many threads work.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Threads; as many as there are cores if not given.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}
