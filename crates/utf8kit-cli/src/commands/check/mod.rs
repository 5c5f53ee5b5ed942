//! `utf8 check`: reports every error of every file, in path order.

mod attacks;
mod comparison;
mod doubts;
mod dump;
mod examine;
mod files;
mod git_index;
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
mod tail;

use crate::action::check::Action;
use crate::args::CheckArgs;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::{sources, sources_or_current_dir};
use crate::printer::Printer;
use recipients::Recipients;
use rules::Rules;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let action = args.action()?;
    let mut recipients = Recipients::new(args, printer)?;
    let rules = Rules::new(args, config, action.encoding(), &recipients);
    let input = &args.read.input;
    let sources = || sources(input, Some("."));
    match &action {
        Action::Names => names::run(args, &args.checker()?, &mut recipients)?,
        Action::Messages(schema) => protobuf::run(args, schema, sources()?, &mut recipients)?,
        Action::Rows => rows::run(args, sources()?, &rules, &mut recipients)?,
        Action::Files(_) => files::run(sources()?, None, &rules, &mut recipients)?,
        // Standard input has no old version.
        Action::Against(version, _) => {
            files::run(sources_or_current_dir(input)?, Some(version), &rules, &mut recipients)?
        }
        Action::Staged(_) => git_index::run(&rules, &mut recipients)?,
        Action::Tail(_) => tail::run(sources()?, &rules, &mut recipients)?,
    }
    recipients.end(args, rules.pairs.as_ref())
}
