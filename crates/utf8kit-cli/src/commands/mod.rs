//! The commands, one per file or folder.

mod check;
mod completions;
mod convert;
mod detect;
mod edit;
mod encodings;
mod explain;
mod man;
mod mojibake;
mod rejects;
mod rename;
mod repair;
mod restore;
mod stats;
mod undo;
mod versions;

use crate::args::Command;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(command: &Command, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    if let Some((format, reason)) = command.refused() {
        return Err(Error::usage(format!("--format {format} {reason}")));
    }
    match command {
        Command::Check(args) => check::run(args, config, printer),
        Command::Repair(args) => repair::run(args, config, printer),
        Command::Restore(args) => restore::run(args, config, printer),
        Command::Mojibake(args) => mojibake::run(args, config, printer),
        Command::Rename(args) => rename::run(args, printer),
        Command::Undo(args) => undo::run(args, printer),
        Command::Encodings(args) => encodings::run(args, printer),
        Command::Convert(args) => convert::run(args, config, printer),
        Command::Edit(args) => edit::run(args, config, printer),
        Command::Explain(args) => explain::run(args, config, printer),
        Command::Stats(args) => stats::run(args, config, printer),
        Command::Detect(args) => detect::run(args, config, printer),
        Command::Completions(args) => completions::run(args, printer),
        Command::Man(args) => man::run(args, printer),
    }
}
