//! `utf8 completions`: prints scripts that are generated from the definitions of the arguments.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs, printer: &mut Printer) -> Result<Status, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "utf8", &mut script);
    printer.bytes(&script)?;
    Ok(Status::Clean)
}
