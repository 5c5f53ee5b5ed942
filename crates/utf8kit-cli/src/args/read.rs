//! Input options, shared by most commands.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;
use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_encodings::charset::Charset;
use utf8kit_files::Unpack;

use super::names::{self, Origin};
use crate::error::Error;

/// The encoding of an input for which none is given, configured or detected.
pub(crate) const UTF8: EncodingLabel = EncodingLabel::Exact(AnyEncoding::Utf8);

/// Which files to read, in which encoding and with how many threads.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// Which files to read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Files and folders; `-` is standard input
    #[arg(value_name = "PATH", help_heading = "Arguments")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file
    ///
    /// One path per line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    #[arg(hide_short_help = true)]
    pub(crate) files_from: Option<PathBuf>,
    /// Paths in lists end with NUL
    ///
    /// In lists of paths, such as --files-from, each path ends with NUL instead of a line feed.
    #[arg(short = '0', long)]
    #[arg(hide_short_help = true)]
    pub(crate) null: bool,
    /// In folders, only files that match
    ///
    /// With a leading `!`, skip files that match. May be repeated.
    #[arg(short, long, value_name = "GLOB")]
    pub(crate) glob: Vec<String>,
    /// In folders, skip files that match
    ///
    /// Folders that match are skipped with everything in them. May be repeated.
    #[arg(long, value_name = "GLOB")]
    #[arg(hide_short_help = true)]
    pub(crate) exclude: Vec<String>,
    /// Folders are always read recursively.
    #[arg(short = 'r', long, hide = true)]
    recursive: bool,
    /// Include hidden files and folders
    #[arg(long)]
    #[arg(hide_short_help = true)]
    pub(crate) hidden: bool,
    /// Include files that .gitignore excludes
    ///
    /// Include files that .gitignore or .ignore excludes.
    #[arg(long)]
    #[arg(hide_short_help = true)]
    pub(crate) no_ignore: bool,
    /// Descend at most N levels into folders
    ///
    /// 1 reads only the files directly in them.
    #[arg(long, value_name = "N")]
    #[arg(hide_short_help = true)]
    pub(crate) max_depth: Option<usize>,
    /// Include binary files in folders
    ///
    /// A file counts as binary if its first 8 KiB contain a NUL.
    #[arg(long)]
    pub(crate) binary: bool,
    #[command(flatten)]
    pub(crate) unpack: UnpackArgs,
}

impl InputArgs {
    /// Reports whether paths or a list of paths were given.
    pub(crate) fn is_given(&self) -> bool {
        !self.paths.is_empty() || self.files_from.is_some()
    }
}

/// How compressed files and archives are read.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct UnpackArgs {
    /// Read packed files without unpacking
    ///
    /// Read compressed files (gzip, zstd, bzip2, xz) and archives (zip, tar) as plain bytes instead of unpacking them.
    #[arg(long)]
    #[arg(hide_short_help = true)]
    pub(crate) no_decompress: bool,
    /// Limit on the unpacked size
    ///
    /// Stop unpacking when the content exceeds both 64 MiB and N times the packed size; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = Unpack::default().max_expansion)]
    #[arg(hide_short_help = true)]
    pub(crate) max_expansion: u64,
}

impl UnpackArgs {
    /// Returns the limits of unpacking, or `None` if nothing is unpacked.
    pub(crate) fn unpack(self) -> Option<Unpack> {
        let mut unpack = Unpack::default();
        unpack.max_expansion = self.max_expansion;
        (!self.no_decompress).then_some(unpack)
    }
}

/// The encoding of the input.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct EncodingArgs {
    /// Encoding of the input
    ///
    /// Any name that `utf8 encodings` lists. `utf-16` and `utf-32` follow the byte order mark and default to
    /// little-endian, as in iconv [default: as configured, or utf-8]. `-f` and `--from` are synonyms.
    #[arg(short, long, short_alias = 'f', alias = "from", value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::origin), hide_possible_values = true)]
    pub(crate) encoding: Option<Origin>,
}

impl EncodingArgs {
    /// Returns the given encoding, if one is named.
    pub(crate) fn charset(&self) -> Result<Option<Charset>, Error> {
        match self.encoding {
            Some(Origin::Named(charset)) => Ok(Some(charset)),
            Some(Origin::Auto) => Err(Error::usage(
                "--encoding auto is for `utf8 convert` and file names: `utf8 detect` guesses the encoding of a file",
            )),
            None => Ok(None),
        }
    }

    /// Returns the given encoding. A legacy encoding is an error.
    pub(crate) fn label(&self) -> Result<Option<EncodingLabel>, Error> {
        match self.charset()? {
            Some(Charset::Named(label)) => Ok(Some(label)),
            None => Ok(None),
            Some(charset) => Err(Error::usage(names::is_legacy(charset))),
        }
    }
}

/// How many threads to use.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ThreadArgs {
    /// Number of threads [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    #[arg(hide_short_help = true)]
    pub(crate) threads: Option<u16>,
}

impl ThreadArgs {
    /// Returns the number of threads to use.
    pub(crate) fn count(self) -> usize {
        self.threads.map_or_else(|| available_parallelism().map_or(1, NonZero::get), usize::from)
    }
}
