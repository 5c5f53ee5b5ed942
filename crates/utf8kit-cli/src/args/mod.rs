//! What can be typed: one `Args` struct a command, and the groups of options they share.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use utf8kit_text::charset::{Charset, EncodingName, Fallback, UnknownCharset};
use utf8kit_text::convert::{BomHandling, Invalid};
use utf8kit_text::files::HardLinks;

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
    /// Binary files in folders too (those with a NUL in the first 8 KiB).
    #[arg(long)]
    pub(crate) binary: bool,
}

impl InputArgs {
    /// What is behind each name in a list.
    pub(crate) fn separator(&self) -> u8 {
        if self.null { 0 } else { b'\n' }
    }
}

/// The encoding of the input.
#[derive(Debug, Args)]
pub(crate) struct EncodingArgs {
    /// Encoding of the input: utf-8, utf-8-21bit, utf-8-31bit, utf-8-offset, cesu-8, mutf-8, wtf-8, utf-16le,
    /// utf-16be, utf-16, utf-32le, utf-32be, utf-32, wtf-16le, wtf-16be or latin1. `utf-16` and `utf-32` go by the
    /// byte order mark, and are little-endian without one, as with iconv.
    #[arg(short, long, alias = "dialect", value_name = "ENCODING", default_value = "utf-8")]
    pub(crate) encoding: EncodingName,
}

/// How many threads work.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Threads; as many as there are cores if not given.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

/// How the results of `explain`, `stats` and `detect` are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Human,
    /// One JSON object a line.
    Jsonl,
}

/// `utf8 check`
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: CheckFormat,
    /// Print at most so many errors a file, 0 for all [default: 20 in human, all elsewhere].
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<usize>,
    /// Print only the names of ill-formed files.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// Print nothing: the exit status tells.
    #[arg(short, long, conflicts_with = "list")]
    pub(crate) quiet: bool,
    /// Write a report to this file too: one page of HTML that needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Whether files may, may not or must begin with a byte order mark.
    #[arg(long, value_name = "RULE", default_value_t, value_enum)]
    pub(crate) bom: BomRule,
}

/// How `check` writes its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people.
    #[default]
    Human,
    /// `path:line:column: message`
    Short,
    /// One JSON object a line.
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

/// What `check` says to a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BomRule {
    /// Nothing.
    #[default]
    Allow,
    /// A file that begins with one is not as it should be.
    Forbid,
    /// A file that does not begin with one is not as it should be.
    Require,
}

/// `utf8 repair`
#[derive(Debug, Args)]
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
    /// What is done about an error.
    #[arg(short, long, value_name = "POLICY", default_value = "replace", value_parser = PolicyParser)]
    pub(crate) policy: PolicyArg,
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
    /// Exit with 1 if anything was repaired.
    #[arg(long)]
    pub(crate) fail_if_repaired: bool,
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
                let parser = str::parse::<Fallback>;
                parser.parse_ref(command, argument, OsStr::new(label)).map(PolicyArg::Fallback)
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

/// `utf8 convert`
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Files, converted one after the other; `-` is standard input.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Encoding of the input: any of `--encoding` elsewhere, or a label of the WHATWG Encoding Standard; `auto` is
    /// what `utf8 detect` takes it for.
    #[arg(short, long, aliases = ["encoding", "from-code"], value_name = "ENCODING", default_value = "utf-8")]
    pub(crate) from: Origin,
    /// Read what is ill-formed in UTF-8 (or the dialect of it) in that encoding: windows-1252, say.
    #[arg(long, value_name = "ENCODING")]
    pub(crate) fallback: Option<Fallback>,
    /// With --fallback: a line that is ill-formed is read in that encoding as a whole.
    #[arg(long, requires = "fallback")]
    pub(crate) per_line: bool,
    /// Encoding of the output; utf-16 and utf-32 are little-endian behind a byte order mark.
    #[arg(short, long, alias = "to-code", value_name = "ENCODING", default_value = "utf-8")]
    pub(crate) to: Charset,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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
    pub(crate) threads: ThreadArgs,
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
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}

/// `utf8 stats`
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}

/// `utf8 detect`
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: Format,
}

/// `utf8 completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// `utf8 man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command to print the page of, instead of that of utf8.
    pub(crate) command: Option<String>,
}
