//! `utf8 repair`: repairs every error according to a policy, into an output or in place.

mod files;
mod messages;
mod single_input;
mod source;

use crate::action::place::{Place, Repairing};
use crate::action::repair::Action;
use crate::args::RepairArgs;
use crate::commands::convert;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    match args.action()? {
        Action::Write(place) => write(args, place, config, printer),
        Action::Convert(args) => convert::run(&args, config, printer),
        Action::Messages(schema, policy) => messages::run(args, &schema, &policy, printer),
        Action::Reject(path) => single_input::reject(args, path, config, printer),
    }
}

/// Writes repaired text there.
pub(super) fn write(
    args: &impl Repairing,
    place: Place,
    config: &Config,
    printer: &mut Printer,
) -> Result<Status, Error> {
    match place {
        Place::Output => single_input::repair(args, config, printer),
        Place::Files => files::in_place(args, config, printer),
        Place::Nowhere => files::show(args, config, printer),
    }
}
