//! `utf8 repair`: repairs every error according to a policy, into an output or in place.

pub(super) mod files;
mod messages;
pub(super) mod one;
mod source;

use crate::action::repair::Action;
use crate::args::RepairArgs;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    match args.action()? {
        Action::InPlace => files::in_place(args, config, printer),
        Action::Show => files::show(args, config, printer),
        Action::One => one::repair(args, config, printer),
        Action::Messages(schema, policy) => messages::run(args, &schema, &policy, printer),
        Action::Reject(path) => one::reject(args, path, config, printer),
    }
}
