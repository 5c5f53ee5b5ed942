//! `utf8 mojibake`: repairs text that was decoded in the wrong encoding.

mod doubtful_lines;

use crate::action::mojibake::Action;
use crate::args::MojibakeArgs;
use crate::commands::repair;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::printer::Printer;

/// Runs the command.
pub(crate) fn run(args: &MojibakeArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    match args.action()? {
        Action::ListDoubtful => doubtful_lines::run(args, config, printer),
        Action::Write(place) => repair::write(args, place, config, printer),
    }
}
