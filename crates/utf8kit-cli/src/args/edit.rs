//! Arguments of `utf8 edit`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args};
use utf8kit_encodings::charset::Charset;

use super::format::no_format;
use super::names;
use super::on_error::{self, OnError};
use super::write::WriteArgs;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 edit -i menu.c --old 'thé' --new 'thé vert'    replace text, in any encoding
  utf8 edit menu.c --diff -- clang-format             show what a program for UTF-8 does
  utf8 edit --editor menu.c                           open it in $EDITOR as UTF-8";

/// Accepts --verbose without listing it, because `edit` never skips a file.
fn no_verbose() -> Arg {
    Arg::new("verbose").short('v').long("verbose").action(ArgAction::SetTrue).hide(true)
}

/// `utf8 edit`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg = no_verbose())]
#[command(arg = no_format("an edit prints no results; --ledger FILE records it as a line of JSON"))]
pub(crate) struct EditArgs {
    /// The file
    ///
    /// Its encoding, byte order mark, line ends and all bytes outside the edit are preserved.
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Text to replace
    ///
    /// Given in UTF-8 with LF line ends. It must occur exactly once.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) old: Option<String>,
    /// Text to replace it with
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) new: Option<String>,
    /// Replace all occurrences
    #[arg(long)]
    pub(crate) all: bool,
    /// Open the text in $VISUAL or $EDITOR
    ///
    /// What is saved there is written to the file.
    #[arg(long)]
    pub(crate) editor: bool,
    /// A program that rewrites the text
    ///
    /// The program reads the text from standard input and writes the new text to standard output, as UTF-8 with LF.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    /// Encoding of the file
    ///
    /// [default: from its byte order mark, its declaration or its bytes]
    #[arg(short, long, short_alias = 'f', alias = "from", value_name = "ENCODING")]
    #[arg(value_parser = names::Encodings(names::charset), hide_possible_values = true)]
    pub(crate) encoding: Option<Charset>,
    /// How to handle characters that the encoding lacks
    ///
    /// [default: strict]
    #[arg(long, value_name = "HOW", value_parser = on_error::EDIT)]
    #[arg(help_heading = "Policy")]
    pub(crate) on_error: Option<OnError>,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}
