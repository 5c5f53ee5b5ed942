//! `utf8 man`: manual pages, made from the same definitions as the arguments themselves.

use clap::CommandFactory as _;

use crate::cli::{Cli, ManArgs};
use crate::printer::Printer;
use crate::trouble::{Status, Trouble};

/// Runs the command.
pub(crate) fn run(args: &ManArgs, printer: &mut Printer) -> Result<Status, Trouble> {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = &args.command {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| Trouble::usage(format!("there is no command {name}")))?;
        command = command.display_name(format!("utf8-{name}"));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Trouble::Output)?;
    printer.bytes(&page)?;
    Ok(Status::Clean)
}
