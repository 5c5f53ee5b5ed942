//! `utf8 completions`: made from the same definitions as the arguments themselves.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::printer::Printer;
use crate::trouble::{Status, Trouble};

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "utf8", &mut script);
    printer.bytes(&script)?;
    Ok(Status::Clean)
}
