//! The command `utf8`: check, repair, convert, edit, explain, stats and detect for UTF-8 and its dialects. [`run`] is
//! the entry point for `main.rs` and for the Python package, which includes the command.

mod action;
mod args;
mod columns;
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
mod pending;
mod printer;
mod progress;
mod render;
mod report;
mod results;
mod skips;
mod suggestion;
mod tally;

use std::ffi::OsString;

use clap::FromArgMatches as _;

use action::rules;
use args::{Cli, Color};
use config::Config;
use error::Status;
use printer::Printer;

/// Runs the command with its arguments (starting with its own name). Returns the exit status: 0, 1 for findings, 2 for
/// errors.
pub fn run(typed: impl IntoIterator<Item = OsString>) -> u8 {
    let typed: Vec<OsString> = args::with_suffix(typed.into_iter().collect());
    let mut program = args::program(&typed);
    let typed = program.try_get_matches_from_mut(typed);
    let typed = typed.and_then(|typed| Cli::from_arg_matches(&typed).map(|cli| (cli, typed)));
    let mut printer = match &typed {
        Ok((cli, _)) => Printer::new(cli.color, cli.verbose),
        Err(_) => Printer::new(Color::Auto, false),
    };
    let result = level::force().and_then(|()| match &typed {
        Ok((cli, typed)) => rules::check(&program, typed)
            .and_then(|()| Config::new(cli.no_config, cli.config.as_deref()))
            .and_then(|config| commands::run(&cli.command, &config, &mut printer))
            .map(|status| if cli.exit_zero && status == Status::Findings { Status::Clean } else { status }),
        Err(answer) => printer.answer(answer),
    });
    printer.finish(result) as u8
}
