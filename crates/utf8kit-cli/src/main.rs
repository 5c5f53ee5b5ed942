//! The command `utf8`: check, repair, convert, explain, stats and detect for UTF-8 and its dialects.

mod census;
mod charset;
mod bits;
mod bars;
mod blocks;
mod cli;
mod commands;
mod conversion;
mod evidence;
mod fault;
mod in_order;
mod input;
mod legacy;
mod json;
mod report;
mod options;
mod output;
mod pivot;
mod printer;
mod progress;
mod sniff;
mod source;
mod text;
mod trouble;
mod words;
mod unicode;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use utf8kit::Level;

use cli::{Cli, Color, Command};
use printer::Printer;
use trouble::{Status, Trouble};

fn main() -> ExitCode {
    let status = match Cli::try_parse() {
        Ok(cli) => {
            let mut printer = Printer::new(cli.color);
            let result = options::force_level().and_then(|()| run(&cli.command, &mut printer));
            printer.finish(result)
        }
        Err(answer) => {
            let mut printer = Printer::new(Color::Auto);
            let result = instead(&answer, &mut printer);
            printer.finish(result)
        }
    };
    ExitCode::from(status as u8)
}

/// Runs the command.
fn run(command: &Command, printer: &mut Printer) -> Result<Status, Trouble> {
    match command {
        Command::Check(args) => commands::check::run(args, printer),
        Command::Repair(args) => commands::repair::run(args, printer),
        Command::Convert(args) => commands::convert::run(args, printer),
        Command::Explain(args) => commands::explain::run(args, printer),
        Command::Stats(args) => commands::stats::run(args, printer),
        Command::Detect(args) => commands::detect::run(args, printer),
    }
}

/// What is said instead of running a command: the version, the help, or what is wrong with the arguments.
fn instead(answer: &clap::Error, printer: &mut Printer) -> Result<Status, Trouble> {
    if answer.kind() == ErrorKind::DisplayVersion {
        options::force_level()?;
        let levels: Vec<_> = Level::available().map(Level::name).collect();
        let (active, available) = (Level::active(), levels.join(", "));
        let version = env!("CARGO_PKG_VERSION");
        printer.print(format_args!("utf8 {version}\nlevel {active} (available: {available})\n"))?;
        return Ok(Status::Clean);
    }
    printer.answer(answer)
}
