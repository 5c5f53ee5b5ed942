//! What `utf8 repair` takes.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};
use utf8kit_text::charset::Fallback;
use utf8kit_text::files::HardLinks;

use super::{EncodingArgs, Format, InputArgs, RowArgs, TargetArgs, ThreadArgs, names};

/// What is said below the options.
const EXAMPLES: &str = "\
Examples:
  utf8 repair broken.txt -o repaired.txt       U+FFFD for what is ill-formed
  utf8 repair --diff src                       what would change in a folder; nothing is written
  utf8 repair --in-place --ledger log src      the files themselves, and a record of each change
  utf8 repair --undo log                       all of it back
  utf8 repair --policy fallback=windows-1252 --per-line mixed.csv
                                               lines in windows-1252 among lines in UTF-8
  utf8 repair --rows csv --reject bad.csv -o good.csv all.csv
                                               rows that are ill-formed to one side
  utf8 repair --policy undouble twice.txt      \"caf\u{C3}\u{A9}\" becomes \"caf\u{E9}\"";

/// `utf8 repair`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the files themselves, each in one step; keep the old ones under their names and SUFFIX, if given.
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with = "output")]
    pub(crate) in_place: Option<OsString>,
    /// What is done about an error [default: as configured, or replace].
    #[arg(short, long, value_name = "POLICY", value_parser = PolicyParser)]
    pub(crate) policy: Option<PolicyArg>,
    /// With fallback=LABEL: a line with an error is read in that encoding as a whole.
    #[arg(long)]
    pub(crate) per_line: bool,
    /// What the replace family and java put in its place [default: U+FFFD].
    #[arg(long, value_name = "TEXT")]
    pub(crate) replacement: Option<String>,
    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with_all = ["output", "ledger", "undo"])]
    pub(crate) diff: bool,
    /// Write each change to this file, as JSON lines behind those that are there, so that it can be undone.
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    pub(crate) ledger: Option<PathBuf>,
    /// Restore the files that the ledger names, or those of them that are among PATH: in place, or one with -o
    /// elsewhere. A file that the ledger does not name is looked for by its content.
    #[arg(long, value_name = "LEDGER", conflicts_with_all = ["in_place", "policy", "replacement", "per_line"])]
    pub(crate) undo: Option<PathBuf>,
    /// With --undo: where the tree is now, if it was moved since.
    #[arg(long, value_name = "DIR", requires = "undo")]
    pub(crate) root: Option<PathBuf>,
    /// What --in-place and --undo do to a file that has several names (hard links).
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) hard_links: HardLinksArg,
    /// How messages are written; --ledger writes changes as JSON lines.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
    /// Exit with 1 if anything was repaired or rejected.
    #[arg(long)]
    pub(crate) fail_if_repaired: bool,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// What is done to a file that has several names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HardLinksArg {
    /// Leave it alone, with exit status 2.
    #[default]
    Skip,
    /// Write it over, so that all names have the new content; a crash may leave it half written.
    Write,
    /// Give this name the new content; the others keep the old.
    Split,
}

impl From<HardLinksArg> for HardLinks {
    fn from(arg: HardLinksArg) -> HardLinks {
        match arg {
            HardLinksArg::Skip => HardLinks::Skip,
            HardLinksArg::Write => HardLinks::Write,
            HardLinksArg::Split => HardLinks::Split,
        }
    }
}

/// What `repair` does about an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// One U+FFFD a maximal subpart: as WHATWG, Python, Rust, Node.
    #[default]
    Replace,
    /// One a byte: as Go's range loop.
    ReplaceByte,
    /// One a run of errors: as Go's ToValidUTF8, ClickHouse.
    ReplaceRun,
    /// As replace, but an encoded surrogate is one error: as Java.
    Java,
    /// Leave the bytes out.
    Remove,
    /// Write each byte as `\xHH`; a backslash before an x is written `\x5C`.
    Escape,
    /// Undo `escape` exactly.
    Unescape,
    /// `?` for each byte.
    SameLength,
    /// Decode lines that were encoded twice ("cafÃ©"), where that is certain; all else stays as it is.
    Undouble,
    /// The bytes of errors in that encoding.
    #[value(skip)]
    Fallback(Fallback),
}

/// What `--policy` understands: the policies, and `fallback=LABEL`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyParser;

impl TypedValueParser for PolicyParser {
    type Value = PolicyArg;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<PolicyArg, clap::Error> {
        match value.to_str().and_then(|text| text.strip_prefix("fallback=")) {
            Some(label) => {
                names::fallback.parse_ref(command, argument, OsStr::new(label)).map(PolicyArg::Fallback)
            }
            None => EnumValueParser::<PolicyArg>::new().parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let fallback = PossibleValue::new("fallback=LABEL")
            .help("Read the bytes of errors in that encoding: fallback=windows-1252, say");
        let policies = PolicyArg::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        Some(Box::new(policies.chain([fallback]).collect::<Vec<_>>().into_iter()))
    }
}
