//! The commands, one per file.

pub(crate) mod check;
pub(crate) mod check_rows;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod convert_in_place;
pub(crate) mod detect;
pub(crate) mod doubtful;
pub(crate) mod explain;
pub(crate) mod man;
pub(crate) mod reject;
pub(crate) mod repair;
pub(crate) mod stats;
pub(crate) mod undo;

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
        Command::Convert(args) => convert::run(args, config, printer),
        Command::Explain(args) => explain::run(args, config, printer),
        Command::Stats(args) => stats::run(args, config, printer),
        Command::Detect(args) => detect::run(args, config, printer),
        Command::Completions(args) => completions::run(args, printer),
        Command::Man(args) => man::run(args, printer),
    }
}
