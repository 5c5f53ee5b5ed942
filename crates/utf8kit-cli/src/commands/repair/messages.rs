//! `utf8 repair --rows protobuf`: repairs the text in messages of Protocol Buffers into the output.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::Path;

use utf8kit::AnyEncoding::Utf8;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_detect::{Action, Suggestion};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{Blocks, Input, Skip, Source, other_encoding};
use utf8kit_records::rows::protobuf::Schema;

use crate::args::RepairArgs;
use crate::error::{Error, Status};
use crate::input;
use crate::output::Output;
use crate::printer::Printer;
use crate::suggestion::{self, Help};

/// About how many bytes of changed texts are kept to guess their encoding.
const MAX_BYTES_OF_EVIDENCE: usize = 1 << 20;

/// Repairs an input into the output.
pub(super) fn run(
    args: &RepairArgs,
    schema: &Schema,
    policy: &RepairPolicy,
    printer: &mut Printer,
) -> Result<Status, Error> {
    let message = schema.message(args.protobuf.message.as_deref());
    let message = message.map_err(|error| Error::usage(error.to_string()))?;
    let source = input::only(args.read.input.paths.first().map(AsRef::as_ref))?;
    let at = |error: io::Error| Error::at(&source.path, error);
    let mut data = Vec::new();
    source.open().and_then(|mut file| file.read_to_end(&mut data)).map_err(at)?;
    // The changed texts as lines.
    let mut changed = Vec::new();
    let mut repair = |text: &[u8]| {
        let Cow::Owned(new) = policy.repair_value(Utf8, text) else { return None };
        if changed.len() < MAX_BYTES_OF_EVIDENCE {
            changed.extend(text.iter().take(MAX_BYTES_OF_EVIDENCE));
            changed.push(b'\n');
        }
        Some(new)
    };
    let repaired = message.repair_all(args.protobuf.framing.framing(), &data, &mut repair);
    let repaired = repaired.map_err(|error| at(io::Error::other(error)))?;
    let texts = repaired.as_ref().map_or(0, |repaired| repaired.texts);
    let others: Vec<&Path> = [Some(&*source.path), args.protobuf.descriptor.as_deref()].into_iter().flatten().collect();
    let mut output = Output::create(args.write.output.output.as_deref(), &others)?;
    output.write(repaired.as_ref().map_or(&data, |repaired| &repaired.data), printer)?;
    output.commit()?;
    let mut is_lossy = false;
    if texts > 0 {
        let name = Name(&source.path);
        printer.message(format_args!("{name}: {} repaired", counted(texts, "text")));
        is_lossy = warn(&source, changed, policy, printer) && !args.force;
    }
    let is_fixed = texts > 0 && args.write.status.exit_non_zero_on_fix;
    Ok(if is_lossy || is_fixed { Status::Findings } else { Status::Clean })
}

/// Warns if the repaired texts appear to be in another encoding. Returns whether it warned.
fn warn(source: &Source, changed: Vec<u8>, policy: &RepairPolicy, printer: &mut Printer) -> bool {
    let found = Blocks::of(Input::of(changed)).and_then(|lines| other_encoding(lines, policy, Utf8));
    let Ok(Some(skip)) = found else { return false };
    let found = match (&skip, skip.suggestion().map(|suggestion| suggestion.action)) {
        (Skip::OtherEncoding { encoding, .. }, _) => (*encoding).to_owned(),
        (_, Some(Action::Convert { from, .. })) => from.to_string(),
        (_, Some(Action::Fallback(from) | Action::FallbackLines(from))) => from.to_string(),
        _ => return false,
    };
    let instead = found.parse().map_or_else(
        |_| Help::default(),
        |fallback| suggestion::for_texts(fallback, skip.suggestion().is_some_and(Suggestion::is_sure)),
    );
    let name = Name(&source.path);
    printer.message(format_args!("{name}: some texts look like {found}, and this repair loses text{instead}"));
    true
}
