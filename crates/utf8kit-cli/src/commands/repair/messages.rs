//! `utf8 repair --rows protobuf`: the text in messages of Protocol Buffers, into the output.

use std::io::{self, Read as _};

use utf8kit::AnyEncoding;
use utf8kit_text::display::{Name, counted};
use utf8kit_text::repair::{RepairPolicy, Repairer};

use crate::args::RepairArgs;
use crate::error::{Error, Status};
use crate::input;
use crate::output::Output;
use crate::printer::Printer;

/// Repairs an input into the output.
pub(super) fn run(args: &RepairArgs, policy: &RepairPolicy, printer: &mut Printer) -> Result<Status, Error> {
    let Some(schema) = args.protobuf.schema(&args.rows)? else { return Ok(Status::Clean) };
    let message = schema.message(args.protobuf.message.as_deref());
    let message = message.map_err(|error| Error::usage(error.to_string()))?;
    let source = input::only(args.read.input.paths.first().map(AsRef::as_ref))?;
    let at = |error: io::Error| Error::at(&source.path, error);
    let mut data = Vec::new();
    source.open().and_then(|mut file| file.read_to_end(&mut data)).map_err(at)?;
    let framing = args.protobuf.framing.framing();
    let repaired = message.repair_all(framing, &data, &mut |text| repaired(policy, text));
    let repaired = repaired.map_err(|error| at(io::Error::other(error)))?;
    let texts = repaired.as_ref().map_or(0, |repaired| repaired.texts);
    let mut output = Output::create(args.output.as_deref())?;
    output.write(repaired.as_ref().map_or(&data, |repaired| &repaired.data), printer)?;
    output.sync()?;
    output.commit()?;
    if texts > 0 {
        let name = Name(&source.path);
        printer.message(format_args!("{name}: {} repaired", counted(texts, "text")));
    }
    Ok(if texts > 0 && args.fail_if_repaired { Status::Findings } else { Status::Clean })
}

/// Returns a text as the policy repairs it, if it changes.
fn repaired(policy: &RepairPolicy, text: &[u8]) -> Option<Vec<u8>> {
    if policy.leaves_unchanged(AnyEncoding::Utf8, text) {
        return None;
    }
    let (mut repairer, mut out) = (Repairer::new(policy, AnyEncoding::Utf8), Vec::new());
    repairer.push(text, true, &mut out, &mut |_| {});
    (repairer.counts.total() > 0).then_some(out)
}
