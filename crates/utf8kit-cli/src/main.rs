//! The command `utf8`: check, repair, convert, explain, stats and detect for UTF-8 and its dialects.

mod args;
mod commands;
mod error;
mod input;
mod json;
mod options;
mod output;
mod printer;
mod progress;
mod render;
mod report;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Color};
use printer::Printer;

fn main() -> ExitCode {
    let typed = Cli::try_parse();
    let mut printer = Printer::new(typed.as_ref().map_or(Color::Auto, |cli| cli.color));
    let result = options::force_level().and_then(|()| match typed {
        Ok(cli) => commands::run(&cli.command, &mut printer),
        Err(answer) => printer.answer(&answer),
    });
    ExitCode::from(printer.finish(result) as u8)
}
