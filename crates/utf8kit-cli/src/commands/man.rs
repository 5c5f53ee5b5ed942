//! `utf8 man`: prints manual pages that are generated from the definitions of the arguments.

use clap::CommandFactory as _;

use crate::args::{Cli, ManArgs};
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &ManArgs, printer: &mut Printer) -> Result<Status, Error> {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = &args.command {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| Error::usage(format!("there is no command {name}")))?;
        command = command.display_name(format!("utf8-{name}"));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Error::Output)?;
    printer.bytes(&page)?;
    Ok(Status::Clean)
}
