//! Repairs one input into the output, or rejects its bad rows.

use std::path::Path;

use utf8kit_encodings::charset::Charset;
use utf8kit_files::{Blocks, Source, only_text};

use super::source::Repairs;
use crate::action::place::Repairing;
use crate::action::written;
use crate::args::{RepairArgs, UTF8};
use crate::commands::rejects::Rejection;
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input;
use crate::output::Output;
use crate::printer::Printer;

/// Repairs an input into the output.
pub(crate) fn repair(args: &dyn Repairing, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let (source, blocks) = open(args)?;
    let mut repairs = Repairs::new(args, config, printer)?;
    if let Some(repair) = repairs.of(&source)? {
        let others: Vec<&Path> = [Some(&*source.path), args.write().in_place.ledger()].into_iter().flatten().collect();
        let mut output = Output::create(args.write().output.output.as_deref(), &others)?;
        repairs.source(&source, blocks, repair, Some(&mut output))?;
        output.commit()?;
    }
    Ok(repairs.status())
}

/// Writes good rows to the output unchanged, and bad ones to the file at `path`.
pub(super) fn reject(args: &RepairArgs, path: &Path, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let (source, blocks) = open(args)?;
    let mut output = Output::create(args.write.output.output.as_deref(), &[&source.path])?;
    let others: Vec<&Path> =
        [Some(&*source.path), written(args.write.output.output.as_deref())].into_iter().flatten().collect();
    let settings = config.of(&source)?;
    let demands = settings.demands(&args.target);
    let mut rejection = Rejection::new(&args.rows, demands, path, &others, args.read.threads.count())?;
    let encoding = args.read.encoding.charset()?.or(settings.encoding);
    let encoding = encoding.unwrap_or(Charset::Named(UTF8));
    rejection.source(&source, blocks, encoding, None, &mut output, printer)?;
    let rejected = rejection.commit()?;
    output.commit()?;
    Ok(if rejected > 0 && args.write.status.exit_non_zero_on_fix { Status::Findings } else { Status::Clean })
}

/// Opens the input.
fn open(args: &dyn Repairing) -> Result<(Source, Blocks), Error> {
    let source = if args.follows() {
        input::growing(&args.read().input.paths)?
    } else {
        let source = input::only(args.read().input.paths.first().map(AsRef::as_ref))?;
        only_text(&source, args.read().input.unpack.unpack())?
    };
    let blocks = source.open().and_then(Blocks::of).map_err(|error| Error::at(&source.path, error))?;
    Ok((source, blocks))
}
