//! Arguments of `utf8 explain`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::format::{Format, Listed, RESULTS};
use super::read::{EncodingArgs, UnpackArgs};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 explain U+20AC            how a character becomes bytes
  utf8 explain --hex 'C0 AF'     why these bytes are invalid
  utf8 explain --at 120 a.txt    what is at byte 120";

/// `utf8 explain`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// Text, code points such as U+20AC, or a file
    ///
    /// A file is explained by its contents, and `-` is standard input.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Bytes in hexadecimal, such as `E2 82 AC`
    #[arg(long, value_name = "BYTES")]
    pub(crate) hex: Vec<String>,
    /// A code point, such as `20AC` or `U+20AC`
    #[arg(long, value_name = "CODE_POINT")]
    pub(crate) code_point: Vec<String>,
    /// Explain the bytes of a file
    ///
    /// `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) bytes: Option<PathBuf>,
    /// Explain the text around a byte offset in a file
    #[arg(long, value_names = ["OFFSET", "FILE"], num_args = 2)]
    pub(crate) at: Vec<OsString>,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) unpack: UnpackArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    #[arg(help_heading = "Output")]
    pub(crate) format: Format,
}
