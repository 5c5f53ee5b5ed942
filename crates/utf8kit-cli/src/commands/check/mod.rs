//! `utf8 check`: reports every ill-formed place of every file, in path order.

mod against;
mod dump;
mod examine;
mod files;
mod follow;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod protobuf;
mod recipients;
mod rows;
mod rules;
mod staged;

use crate::action::check::Action;
use crate::args::CheckArgs;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::{sources, sources_here};
use crate::printer::Printer;
use recipients::Recipients;
use rules::Rules;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    if args.naming.names {
        let judge = args.judge()?;
        let mut recipients = Recipients::new(args, printer)?;
        names::run(args, &judge, &mut recipients)?;
        return recipients.end(args, None);
    }
    let schema = args.protobuf.schema(&args.rows)?;
    let action = if schema.is_some() { args.messages()? } else { args.action()? };
    let mut recipients = Recipients::new(args, printer)?;
    let typed = match action {
        Action::Files(typed) | Action::Follow(typed) => typed,
        Action::Rows => None,
    };
    let rules = Rules::new(args, config, typed, &recipients);
    // Standard input has no old version.
    let sources = || match args.against {
        Some(_) => sources_here(&args.read.input),
        None => sources(&args.read.input, Some(".")),
    };
    if let Some(schema) = schema {
        protobuf::run(args, &schema, sources()?, &mut recipients)?;
        return recipients.end(args, None);
    }
    match action {
        Action::Files(_) if args.staged => staged::run(&rules, &mut recipients)?,
        Action::Files(_) => files::run(sources()?, &rules, &mut recipients)?,
        // Files without a finding need no rows.
        Action::Rows if args.rows.rows.is_none() => files::run(sources()?, &rules, &mut recipients)?,
        Action::Rows => rows::run(args, sources()?, &rules, &mut recipients)?,
        Action::Follow(_) => follow::run(sources()?, &rules, &mut recipients)?,
    }
    recipients.end(args, rules.pairs.as_ref())
}
