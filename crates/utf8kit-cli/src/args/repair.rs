//! Arguments of `utf8 repair`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_text::RepairPolicy;
use utf8kit_text::files::HardLinks;
use utf8kit_text::rows::TablePolicy;

use super::format::{Format, Listed, RESULTS};
use super::naming::NamingArgs;
use super::policy::PolicyParser;
use super::protobuf::ProtobufArgs;
use super::read::ReadArgs;
use super::rows::RowArgs;
use super::target::TargetArgs;

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  utf8 repair broken.txt -o repaired.txt       replace errors with U+FFFD
  utf8 repair --diff src                       show what would change; write nothing
  utf8 repair --in-place --ledger log src      repair files in place; record each change
  utf8 repair --undo log                       undo those changes
  utf8 repair --names --dry-run .              show which names of files are not UTF-8, and what
                                               they should be; without --dry-run, rename them
  utf8 repair --policy fallback=windows-1252 --per-line mixed.csv
                                               decode lines that are not UTF-8 as windows-1252
  utf8 repair --rows csv --reject bad.csv -o good.csv all.csv
                                               put ill-formed rows into a file of their own
  utf8 repair --rows pgdump --per-table fallback=auto -o utf8.sql mixed.sql
                                               decode values by table and column
  utf8 repair --policy undouble --list-doubtful twice.txt
                                               list lines that could mean several things
  utf8 repair --policy undouble twice.txt      \"caf\u{C3}\u{A9}\" becomes \"caf\u{E9}\"";

/// `utf8 repair`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Write to this file instead of standard output. If it is the input itself, see --in-place; it must be nothing
    /// else that is read or written.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Repair files in place, each atomically; with SUFFIX, keep a backup under the file's name and SUFFIX.
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with = "output")]
    pub(crate) in_place: Option<OsString>,
    /// Keep repairing what is appended to the file, as `tail -F` does, until interrupted.
    #[arg(long, conflicts_with_all = ["in_place", "diff", "ledger", "undo", "restore_from", "list_doubtful"])]
    pub(crate) follow: bool,
    /// How to repair an error [default: as configured, or replace].
    #[arg(short, long, value_name = "POLICY", value_parser = PolicyParser)]
    pub(crate) policy: Option<RepairPolicy>,
    /// With fallback=LABEL: decode the whole line if any of it is ill-formed. (undouble always goes by lines.)
    #[arg(long)]
    pub(crate) per_line: bool,
    /// With --rows pgdump and mysqldump, in place of --policy: let the values of each table and column decide.
    /// `undouble` restores values that were encoded twice; `fallback=auto`, or `fallback=LABEL,LABEL...` with the
    /// encodings to choose from, decodes values that are not UTF-8.
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["policy", "per_line", "replacement", "follow"])]
    pub(crate) per_table: Option<TablePolicy>,
    /// Text to write for each error, with the replace policies and java [default: U+FFFD].
    #[arg(long, value_name = "TEXT")]
    pub(crate) replacement: Option<String>,
    /// Show what would change; change nothing. Bytes that are not text are shown as `‹FF›`: the diff is for
    /// reading, and is not a patch.
    #[arg(long, conflicts_with_all = ["output", "ledger", "undo"])]
    pub(crate) diff: bool,
    /// Append each change to this file as a line of JSON, so that it can be undone.
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    pub(crate) ledger: Option<PathBuf>,
    /// Restore the files that this ledger names, or only those given as PATH: in place, or a single file to -o. A file
    /// given as PATH that the ledger does not name is matched by its content.
    #[arg(long, value_name = "LEDGER", conflicts_with_all = ["in_place", "policy", "replacement", "per_line"])]
    pub(crate) undo: Option<PathBuf>,
    /// With --undo: undo only the last step of each file instead of all.
    #[arg(long, requires = "undo")]
    pub(crate) last: bool,
    /// With --undo: the folder's present place, if it has been moved.
    #[arg(long, value_name = "DIR", requires = "undo")]
    pub(crate) root: Option<PathBuf>,
    /// How --in-place and --undo treat a file that has several hard links.
    #[arg(long, value_name = "HOW", default_value_t, value_enum)]
    pub(crate) hard_links: HardLinksArg,
    /// Give damaged places their bytes of this version, and keep the edits since: a revision of git, a range of them
    /// (v1.0..HEAD; the last first), a file or a folder.
    #[arg(long, value_name = "REV|FILE|DIR")]
    #[arg(conflicts_with_all = ["policy", "per_line", "replacement", "undo", "list_doubtful"])]
    pub(crate) restore_from: Option<OsString>,
    /// With --policy undouble: list the doubtful lines, which could have been encoded twice in several ways, with
    /// what they may become. Change nothing; exit with 1 if there are any.
    #[arg(long, conflicts_with_all = ["in_place", "output", "ledger", "diff", "undo"])]
    pub(crate) list_doubtful: bool,
    /// Output format of --list-doubtful and of --dry-run, which has no short one; changes are written by --ledger.
    #[arg(long, value_name = "FORMAT", default_value_t, value_parser = Listed(RESULTS))]
    pub(crate) format: Format,
    /// With --in-place: repair even files that look like text in another encoding, which replaces their text, or that
    /// are no text, such as pictures, which destroys them. With --names: believe --from whatever the names look like.
    #[arg(long)]
    pub(crate) force: bool,
    /// Exit with 1 if anything was repaired or rejected.
    #[arg(long)]
    pub(crate) fail_if_repaired: bool,
    #[command(flatten)]
    pub(crate) naming: NamingArgs,
    /// With --names: show what would be renamed, and what not for which reason. Change nothing.
    #[arg(long, requires = "names", conflicts_with_all = ["ledger", "output"], help_heading = "Names of files")]
    pub(crate) dry_run: bool,
    /// With --names: carry out the plan in this file, written by --dry-run --format jsonl, and perhaps edited.
    #[arg(long, value_name = "FILE", requires = "names", conflicts_with_all = ["paths", "from", "normalize", "policy"])]
    #[arg(help_heading = "Names of files")]
    pub(crate) plan: Option<PathBuf>,
    /// With --names: what to do with names that would become the same as another one.
    #[arg(
        long,
        value_name = "HOW",
        default_value_t,
        value_enum,
        requires = "names",
        help_heading = "Names of files"
    )]
    pub(crate) on_collision: CollisionArg,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    pub(crate) protobuf: ProtobufArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// What to do with names that would become the same as another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CollisionArg {
    /// Leave them alone, with exit status 1.
    #[default]
    Skip,
    /// Number them: `a (2).txt`.
    Number,
}

/// How to treat a file that has several hard links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HardLinksArg {
    /// Skip the file, with exit status 2.
    #[default]
    Skip,
    /// Overwrite the file, so that all links see the new content; a crash may leave it half written.
    Write,
    /// Replace this link; the others keep the old content.
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
