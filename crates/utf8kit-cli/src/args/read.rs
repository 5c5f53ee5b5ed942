//! Options for what is read, shared by most commands.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;
use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_text::charset::Charset;
use utf8kit_text::files::Unpack;

use super::names;
use crate::error::Error;

/// The encoding of an input of which nothing else is known.
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
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files and folders; `-` is standard input.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from this file, one per line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// End each path with NUL instead of a line feed where paths are listed, as in --files-from.
    #[arg(short = '0', long)]
    pub(crate) null: bool,
    /// In folders, read only files that match; with a leading `!`, skip files that match. May be repeated.
    #[arg(short, long, value_name = "GLOB")]
    pub(crate) glob: Vec<String>,
    /// Include hidden files and folders.
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Include files that .gitignore or .ignore excludes.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Descend at most N levels into folders; 1 reads only the files directly in them.
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,
    /// Include binary files in folders (those with a NUL in the first 8 KiB).
    #[arg(long)]
    pub(crate) binary: bool,
    #[command(flatten)]
    pub(crate) unpack: UnpackArgs,
}

impl InputArgs {
    /// Reports whether there are paths, or a list of them.
    pub(crate) fn is_given(&self) -> bool {
        !self.paths.is_empty() || self.files_from.is_some()
    }

    /// Reports whether an option selects files in folders.
    pub(crate) fn selects(&self) -> bool {
        let Self { glob, hidden, no_ignore, max_depth, binary, .. } = self;
        !glob.is_empty() || *hidden || *no_ignore || max_depth.is_some() || *binary
    }
}

/// How compressed files and archives are read.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Read compressed files (gzip, zstd, bzip2, xz) and archives (zip, tar) as plain bytes instead of unpacking them.
    #[arg(long)]
    pub(crate) no_decompress: bool,
    /// Stop unpacking when the content exceeds both 64 MiB and N times the packed size; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = Unpack::default().max_expansion)]
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
pub(crate) struct EncodingArgs {
    /// Encoding of the input: utf-8, utf-8-21bit, utf-8-31bit, utf-8-offset, cesu-8, mutf-8, wtf-8, utf-16le,
    /// utf-16be, utf-16, utf-32le, utf-32be, utf-32, wtf-16le, wtf-16be or latin1. `utf-16` and `utf-32` follow the
    /// byte order mark and default to little-endian, as in iconv [default: as configured, or utf-8].
    #[arg(short, long, alias = "dialect", value_name = "ENCODING", hide_possible_values = true)]
    #[arg(value_parser = names::Encodings(names::encoding))]
    pub(crate) encoding: Option<Charset>,
}

impl EncodingArgs {
    /// Returns the given encoding, which must be one of the library's.
    pub(crate) fn label(&self) -> Result<Option<EncodingLabel>, Error> {
        match self.encoding {
            Some(Charset::Named(label)) => Ok(Some(label)),
            None => Ok(None),
            Some(charset) => Err(Error::usage(names::is_legacy(charset))),
        }
    }
}

/// How many threads to use.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Number of threads [default: one per core].
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

impl ThreadArgs {
    /// Returns the number of threads to use.
    pub(crate) fn count(self) -> usize {
        self.threads.map_or_else(|| available_parallelism().map_or(1, NonZero::get), usize::from)
    }
}
