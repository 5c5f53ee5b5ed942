//! The command `utf8`: check, repair, convert, edit, explain, stats and detect for UTF-8 and its dialects. [`run`] is
//! the entry point for `main.rs` and for the Python package, which includes the command.

mod action;
mod args;
mod commands;
mod config;
mod error;
mod input;
mod json;
mod level;
mod loss;
mod memo;
mod output;
mod palette;
mod printer;
mod progress;
mod remedy;
mod render;
mod report;
mod results;
mod skips;
mod tally;
mod waiting;

use std::ffi::OsString;

use clap::Parser;

use args::{Cli, Color};
use config::Config;
use printer::Printer;

/// Runs the command with its arguments (starting with its own name). Returns the exit status: 0, 1 for findings, 2 for
/// errors.
pub fn run(typed: impl IntoIterator<Item = OsString>) -> u8 {
    let typed = Cli::try_parse_from(typed);
    let mut printer = match &typed {
        Ok(cli) => Printer::new(cli.color, cli.verbose),
        Err(_) => Printer::new(Color::Auto, false),
    };
    let result = level::force().and_then(|()| match typed {
        Ok(cli) => Config::new(cli.no_config, cli.config.as_deref())
            .and_then(|config| commands::run(&cli.command, &config, &mut printer)),
        Err(answer) => printer.answer(&answer),
    });
    printer.finish(result) as u8
}
