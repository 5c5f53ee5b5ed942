//! Arguments of `utf8 edit`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args, ValueEnum};
use utf8kit_text::charset::Charset;
use utf8kit_text::document::Unencodable;

use super::names;
use super::write::HardLinksArg;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 edit menu.c --old 'thé' --new 'thé vert'    replace text, whatever the file's encoding and line ends
  utf8 edit menu.c --diff -- clang-format          let a program that only knows UTF-8 format it; show the result
  utf8 edit --editor menu.c                        open it in $EDITOR as UTF-8";

/// Accepts --verbose, and does not list it: no file is skipped.
fn no_verbose() -> Arg {
    Arg::new("verbose").short('v').long("verbose").action(ArgAction::SetTrue).hide(true)
}

/// `utf8 edit`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg = no_verbose())]
pub(crate) struct EditArgs {
    /// The file. Its encoding, byte order mark, line ends and every byte that is not edited stay.
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Text to replace, in UTF-8 with LF. It must occur once.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "new")]
    pub(crate) old: Option<String>,
    /// Text to replace it with.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "old")]
    pub(crate) new: Option<String>,
    /// Replace the text wherever it occurs.
    #[arg(long, requires = "old")]
    pub(crate) all: bool,
    /// Open the text in the editor that $VISUAL or $EDITOR names.
    #[arg(long, conflicts_with_all = ["old", "command"])]
    pub(crate) editor: bool,
    /// A program that reads the text on its standard input and writes the new text on its standard output, as UTF-8
    /// with LF.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "old")]
    pub(crate) command: Vec<OsString>,
    /// Encoding of the file [default: by its byte order mark, its declaration or its bytes].
    #[arg(short, long, value_name = "ENCODING", hide_possible_values = true)]
    #[arg(value_parser = names::Encodings(names::encoding))]
    pub(crate) encoding: Option<Charset>,
    /// What to do about characters that the encoding lacks.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) unencodable: UnencodableArg,
    /// Show what would change; change nothing.
    #[arg(long, conflicts_with = "ledger")]
    pub(crate) diff: bool,
    /// Say what would be done; change nothing.
    #[arg(long, conflicts_with = "ledger")]
    pub(crate) dry_run: bool,
    /// Append the changes to this file as lines of JSON, so that `utf8 undo FILE` can undo them.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// How to treat a file that has several hard links.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) hard_links: HardLinksArg,
}

/// What to do about characters that an encoding lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnencodableArg {
    /// Refuse the edit, with exit status 1.
    #[default]
    Refuse,
    /// Write the nearest equivalent.
    Transliterate,
    /// Write \u20AC or \U0001F600.
    Escape,
    /// Convert the whole file to UTF-8.
    Recode,
}

impl From<UnencodableArg> for Unencodable {
    fn from(arg: UnencodableArg) -> Unencodable {
        match arg {
            UnencodableArg::Refuse => Unencodable::Refuse,
            UnencodableArg::Transliterate => Unencodable::Transliterate,
            UnencodableArg::Escape => Unencodable::Escape,
            UnencodableArg::Recode => Unencodable::Recode,
        }
    }
}
