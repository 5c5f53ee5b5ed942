//! `utf8 repair`: repairs every error according to a policy, into an output or in place.

mod doubtful;
mod files;
mod messages;
mod names;
mod one;
mod restore;
mod source;
mod undo;

use utf8kit_text::files::ledger::is_of_names;

use crate::action::repair::Action;
use crate::args::RepairArgs;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &RepairArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    match args.action()? {
        Action::Undo(ledger) if is_of_names(ledger).unwrap_or(false) => names::undo(args, ledger, printer),
        Action::Undo(ledger) => undo::run(args, ledger, printer),
        Action::Names => names::run(args, &args.judge()?, printer),
        Action::NamesIn(archive) => names::archive(args, archive, &args.judge()?, printer),
        Action::PlannedNames(plan) => {
            args.judge()?;
            names::planned(args, plan, printer)
        }
        Action::Restore(name) => restore::run(args, name, config, printer),
        Action::ListDoubtful => doubtful::run(args, config, printer),
        Action::InPlace(suffix) => files::in_place(args, suffix, config, printer),
        Action::Diff => files::diff(args, config, printer),
        Action::One => one::repair(args, config, printer),
        Action::Messages(schema, policy) => messages::run(args, &schema, &policy, printer),
        Action::Reject(path) => one::reject(args, path, config, printer),
    }
}
