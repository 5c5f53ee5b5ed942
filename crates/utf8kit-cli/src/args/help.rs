//! The help texts: `-h` fits on one screen, `--help` is complete.

use std::ffi::OsString;

use clap::{Command, CommandFactory as _};

use super::Cli;

/// The exit statuses, by command.
const STATUSES: [(&str, &str); 12] = [
    ("check", "0 if nothing was found, 1 if something was, 2 on error"),
    (
        "repair",
        "0 if done, 1 if the output may have lost text or a strict repair stopped, 2 on error or if a file was left \
         alone because text would be lost",
    ),
    ("restore", "0 if done, 1 if doubtful places stay as they are, 2 on error"),
    ("mojibake", "0 if done, 1 if doubtful lines or other encodings stay as they are, 2 on error"),
    ("rename", "0 if done or planned, 1 if bad names stay as they are, 2 on error"),
    ("undo", "0 if done or already done, 2 on error or if a file has changed since"),
    (
        "convert",
        "0 if done, 1 if a conversion stopped or its output may have lost text, 2 on error or if a file was left alone \
         because text would be lost",
    ),
    ("edit", "0 if done, 1 if the edit does not fit the text, 2 on error"),
    ("explain", "0 if explained, 2 on error"),
    ("stats", "0 if counted, 2 on error"),
    ("detect", "0 if examined, whatever was found, 2 on error"),
    ("encodings", "0 if listed, 2 if there is no such encoding"),
];

/// Returns a command whose complete help ends with its exit statuses.
fn with_status(command: Command) -> Command {
    let Some((_, status)) = STATUSES.iter().find(|(name, _)| *name == command.get_name()) else {
        return command;
    };
    let examples = command.get_after_help().map_or(String::new(), |examples| format!("{examples}\n\n"));
    command.after_long_help(format!("{examples}Exit status: {status}."))
}

/// Returns the definition of the command line. With `-h`, options do not list their values, so that each takes one
/// line.
pub(crate) fn program(typed: &[OsString]) -> Command {
    let program = Cli::command().mut_subcommands(with_status);
    if !typed.iter().any(|typed| typed == "-h") {
        return program;
    }
    let brief = |arg: clap::Arg| match arg.get_action().takes_values() {
        true => arg.hide_possible_values(true).hide_default_value(true),
        false => arg,
    };
    program.mut_args(brief).mut_subcommands(|command| command.mut_args(brief))
}
