//! What `utf8 explain` takes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{EncodingArgs, Format, UnpackArgs};

/// `utf8 explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Texts.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Bytes in hexadecimal: `E2 82 AC`.
    #[arg(long, value_name = "BYTES")]
    pub(crate) hex: Vec<String>,
    /// A code point: `20AC` or `U+20AC`.
    #[arg(long, value_name = "CODE_POINT")]
    pub(crate) code_point: Vec<String>,
    /// The bytes of a file; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) bytes: Option<PathBuf>,
    /// What lies around a byte offset of a file.
    #[arg(long, value_names = ["OFFSET", "FILE"], num_args = 2)]
    pub(crate) at: Vec<OsString>,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) unpack: UnpackArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}
