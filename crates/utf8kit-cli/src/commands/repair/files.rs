//! Repairs of any number of files and folders: in place, or shown.

use utf8kit_files::{Source, each_text};

use super::source::Repairs;
use crate::action::place::Repairing;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::printer::Printer;

/// Repairs files in place.
pub(crate) fn in_place(args: &dyn Repairing, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let suffix = args.write().in_place.suffix();
    each(args, config, printer, |repairs, source| {
        if source.is_by_product(suffix) {
            return Ok(());
        }
        match repairs.of(source)? {
            Some(repair) => repairs.in_place(source, &repair),
            None => Ok(()),
        }
    })
}

/// Shows what would change.
pub(crate) fn show(args: &dyn Repairing, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let unpack = args.read().input.unpack.unpack();
    let (suffix, is_in_place) = (args.write().in_place.suffix(), args.write().in_place.in_place.is_some());
    each(args, config, printer, |repairs, source| {
        if source.is_by_product(suffix) {
            return Ok(());
        }
        let Some(repair) = repairs.of(source)? else { return Ok(()) };
        if is_in_place && repairs.replace(source, &repair)?.is_none() {
            return Ok(());
        }
        each_text(source, unpack, &mut |text| {
            let shown = text.map_err(Error::from).and_then(|text| repairs.show(&text, repair.clone()));
            shown.or_else(|error| repairs.printer.recover(error))
        })
    })
}

/// Calls `take` for each source.
fn each(
    args: &dyn Repairing,
    config: &Config,
    printer: &mut Printer,
    mut take: impl FnMut(&mut Repairs<'_>, &Source) -> Result<(), Error>,
) -> Result<Status, Error> {
    let mut repairs = Repairs::new(args, config, printer)?;
    let mut files = 0_u64;
    for source in sources(&args.read().input, None)? {
        files += 1;
        let done = source.map_err(Error::from).and_then(|source| match repairs.is_ledger(&source.path) {
            true => Ok(()),
            false => take(&mut repairs, &source),
        });
        if let Err(error) = done.or_else(|error| repairs.printer.recover(error)) {
            repairs.report_total(files);
            return Err(error);
        }
    }
    repairs.report_total(files);
    Ok(repairs.status())
}
