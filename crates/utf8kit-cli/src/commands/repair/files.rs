//! `utf8 repair --in-place` and `--diff`: any number of files and folders.

use std::ffi::OsStr;

use utf8kit_text::files::{Source, each_text};

use super::source::Repair;
use crate::args::RepairArgs;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::printer::Printer;

/// Repairs files in place.
pub(super) fn in_place(
    args: &RepairArgs,
    suffix: &OsStr,
    config: &Config,
    printer: &mut Printer,
) -> Result<Status, Error> {
    each(args, config, printer, |repair, source| {
        if source.is_by_product(suffix) {
            return Ok(());
        }
        match repair.rules(source)? {
            Some(rules) => repair.in_place(source, rules, suffix),
            None => Ok(()),
        }
    })
}

/// Shows what would change.
pub(super) fn diff(args: &RepairArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let unpack = args.read.input.unpack.unpack();
    let suffix = args.in_place.as_deref().unwrap_or_default();
    each(args, config, printer, |repair, source| {
        if source.is_by_product(suffix) {
            return Ok(());
        }
        let Some(rules) = repair.rules(source)? else { return Ok(()) };
        each_text(source, unpack, &mut |text| {
            let shown = text.map_err(Error::from).and_then(|text| repair.show(&text, &rules));
            shown.or_else(|error| repair.printer.recover(error))
        })
    })
}

/// Calls `take` for each source.
fn each(
    args: &RepairArgs,
    config: &Config,
    printer: &mut Printer,
    mut take: impl FnMut(&mut Repair<'_>, &Source) -> Result<(), Error>,
) -> Result<Status, Error> {
    let mut repair = Repair::new(args, config, printer)?;
    let mut files = 0_u64;
    for source in sources(&args.read.input, None)? {
        files += 1;
        let done = source.map_err(Error::from).and_then(|source| match repair.is_ledger(&source.path) {
            true => Ok(()),
            false => take(&mut repair, &source),
        });
        if let Err(error) = done.or_else(|error| repair.printer.recover(error)) {
            repair.report_total(files);
            return Err(error);
        }
    }
    repair.report_total(files);
    Ok(repair.status())
}
