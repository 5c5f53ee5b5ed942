//! `utf8 convert`: converts inputs to one output, or files in place.

mod decision;
mod in_place;
mod join;
mod plan;

use crate::action::convert::Action;
use crate::args::ConvertArgs;
use crate::commands::encodings;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    match args.action()? {
        Action::List => {
            encodings::list(printer)?;
            Ok(Status::Clean)
        }
        Action::InPlace(conversion) => in_place::run(args, conversion, config, printer),
        Action::Plan(conversion, plan) => in_place::carry_out(args, conversion, plan, config, printer),
        Action::Reject(conversion, path) => join::run(args, conversion, None, Some(path), config, printer),
        Action::Join(conversion, patching) => join::run(args, conversion, patching, None, config, printer),
    }
}
