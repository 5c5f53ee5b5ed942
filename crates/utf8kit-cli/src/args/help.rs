//! The help texts: `-h` fits on one screen, `--help` is complete.

use std::ffi::OsString;

use clap::{Command, CommandFactory as _};

use super::Cli;

/// Returns the definition of the command line. With `-h`, options do not list their values, so that each takes one
/// line.
pub(crate) fn program(typed: &[OsString]) -> Command {
    let program = Cli::command();
    if !typed.iter().any(|typed| typed == "-h") {
        return program;
    }
    let brief = |arg: clap::Arg| match arg.get_action().takes_values() {
        true => arg.hide_possible_values(true).hide_default_value(true),
        false => arg,
    };
    program.mut_args(brief).mut_subcommands(|command| command.mut_args(brief))
}
