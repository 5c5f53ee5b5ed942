//! The command `utf8`: check, repair, convert, explain, stats and detect for UTF-8 and its dialects.

mod bars;
mod bits;
mod blocks;
mod census;
mod charset;
mod cli;
mod commands;
mod conversion;
mod diff;
mod evidence;
mod fault;
mod hint;
mod in_order;
mod in_place;
mod input;
mod json;
mod ledger;
mod legacy;
mod lines;
mod mend;
mod options;
mod output;
mod page;
mod pairs;
mod palette;
mod pivot;
mod printer;
mod progress;
mod report;
mod sniff;
mod snippet;
mod source;
mod strip;
mod text;
mod trouble;
mod undo;
mod undouble;
mod unicode;
mod words;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Color};
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
