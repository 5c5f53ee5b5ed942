//! The table of incompatible and dependent options, checked before a command runs. An option that would have no effect
//! is an error.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::overwrites_input;
use crate::error::Error;

/// What an option requires of others.
enum Demand {
    /// None of these may be given with it.
    Refuses(&'static [&'static str]),
    /// One of these must also be given.
    Needs(&'static [&'static str]),
}

use Demand::{Needs, Refuses};

/// A rule: the commands, the options (with values if only some are affected), the demand of each option, and the
/// reason, unless it is obvious.
struct Rule(&'static [&'static str], &'static [&'static str], Demand, &'static str);

const ALL: &[&str] = &[];
const CHECK: &[&str] = &["check"];
const CONVERT_COMMAND: &[&str] = &["convert"];
const REPAIR: &[&str] = &["repair"];
/// Commands that read messages of Protocol Buffers.
const OF_MESSAGES: &[&str] = &["check", "repair"];
const MOJIBAKE_COMMAND: &[&str] = &["mojibake"];
const RENAME: &[&str] = &["rename"];
/// Commands that change text within its encoding.
const REPAIRING: &[&str] = &["repair", "mojibake", "restore"];
const WRITING: &[&str] = &["repair", "mojibake", "restore", "convert", "edit"];
const EDIT: &[&str] = &["edit"];

/// Options that select files in folders.
const SELECTS: &[&str] = &["glob", "exclude", "hidden", "no_ignore", "max_depth", "binary"];
/// More than one file, or files from a list.
const SEVERAL: &[&str] = &["files_from", "paths+"];
/// Requirements on text.
const LIMITS: &[&str] = &["targets", "max_bytes", "max_chars"];
/// Options for results per file instead of one output.
const BY_FILE: &[&str] = &["in_place", "diff", "dry_run", "list_doubtful"];
const DUMPS: &[&str] = &["rows=pgdump,mysqldump"];
const MESSAGES: &[&str] = &["rows=protobuf"];

/// The rules.
const RULES: &[Rule] = &[
    // Rows and targets.
    Rule(ALL, &["delimiter", "quote", "fields", "reject"], Needs(&["rows"]), ""),
    Rule(ALL, &["grapheme"], Needs(&["max_bytes", "max_chars"]), ""),
    Rule(ALL, &["descriptor"], Needs(MESSAGES), ""),
    Rule(OF_MESSAGES, MESSAGES, Needs(&["descriptor"]), "it defines which fields are text"),
    Rule(ALL, &["message", "framing"], Needs(&["descriptor"]), ""),
    Rule(OF_MESSAGES, MESSAGES, Refuses(&["delimiter", "quote", "fields", "reject"]), ""),
    Rule(OF_MESSAGES, MESSAGES, Refuses(LIMITS), ""),
    Rule(OF_MESSAGES, MESSAGES, Refuses(&["encoding", "tail", "per_table"]), "messages are in UTF-8"),
    Rule(ALL, DUMPS, Refuses(&["delimiter", "quote", "fields"]), ""),
    Rule(ALL, DUMPS, Refuses(&["reject"]), "rows cannot be removed from a dump"),
    Rule(ALL, DUMPS, Refuses(LIMITS), ""),
    Rule(ALL, DUMPS, Refuses(&["tail"]), ""),
    // check
    Rule(CHECK, &["quiet"], Refuses(&["list"]), ""),
    Rule(CHECK, &["names"], Refuses(&["rows", "reject", "tail", "against", "staged", "bom", "line_ends"]), ""),
    Rule(CHECK, &["normalize"], Needs(&["names"]), ""),
    Rule(CHECK, MESSAGES, Refuses(&["against", "staged"]), ""),
    Rule(CHECK, &["staged"], Refuses(&["tail", "against", "max_depth"]), ""),
    Rule(CHECK, &["staged"], Refuses(&["rows"]), "whole files are compared"),
    Rule(CHECK, &["staged"], Refuses(LIMITS), "whole files are compared"),
    Rule(CHECK, &["against"], Refuses(&["tail"]), ""),
    Rule(CHECK, &["against"], Refuses(&["rows"]), "whole files are compared"),
    Rule(CHECK, &["against"], Refuses(LIMITS), "whole files are compared"),
    Rule(CHECK, &["tail"], Refuses(&["report"]), ""),
    Rule(CHECK, &["tail"], Refuses(&["rows"]), "bytes are checked as they come, and it needs whole rows"),
    Rule(CHECK, &["tail"], Refuses(LIMITS), "bytes are checked as they come, and it needs whole lines"),
    // The destination of the result.
    Rule(WRITING, &["in_place"], Refuses(&["output", "tail"]), ""),
    Rule(WRITING, &["tail"], Refuses(&["diff", "dry_run", "ledger", "files_from"]), ""),
    Rule(ALL, &["ledger"], Refuses(&["diff", "dry_run"]), "nothing is changed"),
    Rule(WRITING, &["hard_links"], Needs(&["in_place", "over", "editor"]), ""),
    Rule(EDIT, &["ledger"], Needs(&["in_place", "over", "editor"]), ""),
    Rule(WRITING, &["reject"], Refuses(&["in_place"]), "name an output with -o"),
    Rule(WRITING, &["reject"], Refuses(&["diff", "dry_run", "ledger", "force"]), "no row is changed"),
    Rule(REPAIR, &["policy=strict"], Refuses(LIMITS), "`utf8 check --for` reports what a target does not allow"),
    Rule(REPAIR, &["policy=strict"], Refuses(&["replacement"]), "nothing is replaced"),
    Rule(REPAIR, &["reject"], Refuses(&["policy", "replacement"]), "bad rows are written to it unchanged"),
    Rule(REPAIR, &["reject"], Refuses(SEVERAL), ""),
    Rule(REPAIR, MESSAGES, Refuses(&["in_place"]), "name an output with -o"),
    Rule(REPAIR, MESSAGES, Refuses(&["diff", "dry_run", "ledger"]), ""),
    Rule(REPAIR, MESSAGES, Refuses(SEVERAL), ""),
    Rule(REPAIR, &["per_table"], Needs(DUMPS), ""),
    Rule(REPAIR, &["per_table"], Refuses(&["policy", "replacement"]), ""),
    Rule(MOJIBAKE_COMMAND, &["list_doubtful"], Refuses(&["in_place", "output", "ledger", "diff", "dry_run"]), ""),
    Rule(MOJIBAKE_COMMAND, &["rows"], Refuses(&["list_doubtful"]), "it lists lines"),
    Rule(MOJIBAKE_COMMAND, &["rows"], Refuses(&["lines"]), "values are checked by table and column"),
    Rule(REPAIRING, SEVERAL, Needs(BY_FILE), ""),
    Rule(REPAIRING, SELECTS, Needs(BY_FILE), "it selects files in folders"),
    // convert
    Rule(CONVERT_COMMAND, &["discard"], Refuses(&["on_error"]), ""),
    Rule(CONVERT_COMMAND, BY_FILE, Refuses(&["rows", "reject"]), ""),
    Rule(CONVERT_COMMAND, BY_FILE, Refuses(LIMITS), ""),
    Rule(CONVERT_COMMAND, &["plan"], Needs(&["in_place"]), ""),
    Rule(
        CONVERT_COMMAND,
        &["plan"],
        Refuses(&["paths", "files_from", "encoding", "to", "lines"]),
        "the plan sets that",
    ),
    Rule(
        CONVERT_COMMAND,
        &["plan"],
        Refuses(&["normalize", "line_ends", "on_error=transliterate"]),
        "the plan sets that",
    ),
    Rule(CONVERT_COMMAND, &["plan"], Refuses(SELECTS), ""),
    Rule(CONVERT_COMMAND, &["lines", "exit_non_zero_on_fix"], Needs(BY_FILE), ""),
    Rule(CONVERT_COMMAND, &["ledger"], Needs(&["in_place", "over"]), ""),
    Rule(CONVERT_COMMAND, SELECTS, Needs(BY_FILE), "it selects files in folders"),
    Rule(CONVERT_COMMAND, LIMITS, Needs(&["reject"]), "to change values, pass the result on to `utf8 repair`"),
    Rule(CONVERT_COMMAND, &["reject"], Refuses(&["on_error", "discard"]), "bad rows are written to it unchanged"),
    Rule(CONVERT_COMMAND, DUMPS, Refuses(&["tail", "bom"]), ""),
    Rule(CONVERT_COMMAND, DUMPS, Refuses(&["normalize", "line_ends"]), "values stay as they are"),
    Rule(CONVERT_COMMAND, DUMPS, Refuses(&["encoding=auto"]), "a dump declares its encoding"),
    // rename
    Rule(RENAME, &["apply"], Refuses(&["output", "dry_run"]), ""),
    Rule(RENAME, &["ledger"], Needs(&["apply"]), ""),
    Rule(
        RENAME,
        &["plan"],
        Refuses(&["paths", "files_from", "encoding", "normalize", "on_error"]),
        "the plan sets that",
    ),
    Rule(RENAME, &["output"], Refuses(SEVERAL), "it is for one archive"),
];

/// The given arguments of a command.
struct Given<'g> {
    name: &'g str,
    matches: &'g ArgMatches,
    command: &'g Command,
}

impl Given<'_> {
    /// Reports whether an option is given. A name may be followed by values (`rows=csv,tsv`); `paths+` stands for more
    /// than one path, and `over` for an output that is the input itself.
    fn has(&self, option: &str) -> bool {
        match option {
            "over" => self.is_over(),
            "paths+" => self.typed("paths") && self.paths().count() > 1,
            _ => match option.split_once('=') {
                None => self.typed(option),
                Some((option, values)) => {
                    let is_one =
                        |typed: &std::ffi::OsStr| values.split(',').any(|value| typed.eq_ignore_ascii_case(value));
                    self.typed(option) && self.matches.get_raw(option).is_some_and(|mut typed| typed.any(is_one))
                }
            },
        }
    }

    fn typed(&self, id: &str) -> bool {
        self.knows(id) && self.matches.value_source(id) == Some(ValueSource::CommandLine)
    }

    fn knows(&self, id: &str) -> bool {
        self.command.get_arguments().any(|arg| arg.get_id() == id)
    }

    fn paths(&self) -> impl Iterator<Item = &Path> {
        self.matches.try_get_many::<PathBuf>("paths").ok().flatten().into_iter().flatten().map(PathBuf::as_path)
    }

    fn is_over(&self) -> bool {
        let output = self.typed("output").then(|| self.matches.get_one::<PathBuf>("output")).flatten();
        let mut paths = self.paths();
        match (paths.next(), paths.next()) {
            (Some(path), None) => overwrites_input(output.map(PathBuf::as_path), path),
            _ => false,
        }
    }

    /// Returns the name of an option as users know it.
    fn shown(&self, option: &str) -> String {
        if option == "paths+" {
            return "more than one PATH".to_owned();
        }
        let (id, values) = option.split_once('=').unwrap_or((option, ""));
        let value = match values.split_once(',') {
            None if values.is_empty() => String::new(),
            None => format!(" {values}"),
            Some(_) => {
                let typed = self.matches.try_get_raw(id).ok().flatten().and_then(|mut raw| raw.next());
                typed.map_or(String::new(), |typed| format!(" {}", typed.to_string_lossy()))
            }
        };
        match self.command.get_arguments().find(|arg| arg.get_id() == id) {
            Some(arg) => match (arg.get_long(), arg.get_short()) {
                (Some(long), _) => format!("--{long}{value}"),
                (None, Some(short)) => format!("-{short}"),
                (None, None) => "PATH".to_owned(),
            },
            None => id.to_owned(),
        }
    }

    /// Checks a rule.
    fn check(&self, Rule(commands, options, demand, reason): &Rule) -> Result<(), Error> {
        if !commands.is_empty() && !commands.contains(&self.name) {
            return Ok(());
        }
        let mut given = options.iter().filter(|option| self.has(option));
        given.try_for_each(|option| self.demanded(option, demand, reason))
    }

    /// Checks the demand of an option that is given.
    fn demanded(&self, option: &str, demand: &Demand, reason: &str) -> Result<(), Error> {
        let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let option = self.shown(option);
        match demand {
            Refuses(others) => match others.iter().find(|other| self.has(other)) {
                Some(other) => {
                    let other = self.shown(other);
                    Err(Error::usage(format!("{option} cannot be combined with {other}{because}")))
                }
                None => Ok(()),
            },
            Needs(others) if others.iter().any(|other| self.has(other)) => Ok(()),
            // The command itself reports what it does not support.
            Needs(others) if !others.iter().any(|other| self.knows(id(other))) => Ok(()),
            Needs(others) => {
                let known = others.iter().filter(|other| self.knows(id(other)));
                let others: Vec<_> = known.map(|other| self.shown(other)).collect();
                Err(Error::usage(format!("{option} needs {}{because}", others.join(" or "))))
            }
        }
    }
}

/// Returns the name of an option, without its values.
fn id(option: &str) -> &str {
    option.split('=').next().unwrap_or(option)
}

/// Checks the options of the command that was typed.
pub(crate) fn check(program: &Command, typed: &ArgMatches) -> Result<(), Error> {
    let Some((name, matches)) = typed.subcommand() else { return Ok(()) };
    let Some(command) = program.find_subcommand(name) else { return Ok(()) };
    let given = Given { name, matches, command };
    RULES.iter().try_for_each(|rule| given.check(rule))
}
