//! `utf8 check --rows protobuf`: the errors in messages of Protocol Buffers, by field.

use std::io::{self, Read as _};

use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, errors};
use utf8kit_encodings::display::plain;
use utf8kit_files::{FileError, Source};
use utf8kit_records::rows::protobuf::{BadText, Message, Schema};
use utf8kit_records::rows::{Field, RowPlace};

use super::recipients::{FindingCount, Recipients};
use crate::args::CheckArgs;
use crate::error::Error;
use crate::results::{Checked, Finding, Phrases};

/// Checks the messages of all sources.
pub(super) fn run(
    args: &CheckArgs,
    schema: &Schema,
    sources: impl Iterator<Item = Result<Source, FileError>>,
    recipients: &mut Recipients<'_>,
) -> Result<(), Error> {
    let message = schema.message(args.protobuf.message.as_deref());
    let message = message.map_err(|error| Error::usage(error.to_string()))?;
    let mut phrases = Phrases::default();
    for source in sources {
        let checked =
            source.map_err(Error::from).and_then(|source| check(&source, message, args, recipients, &mut phrases));
        match checked {
            // Continue with the next file.
            Err(error @ Error::Other(_)) => recipients.unread(&error),
            other => other?,
        }
    }
    Ok(())
}

fn check(
    source: &Source,
    message: Message<'_>,
    args: &CheckArgs,
    recipients: &mut Recipients<'_>,
    phrases: &mut Phrases,
) -> Result<(), Error> {
    let path = &source.path;
    let at = |error: io::Error| Error::at(path, error);
    let mut data = Vec::new();
    source.open().and_then(|mut file| file.read_to_end(&mut data)).map_err(at)?;
    let (mut summary, mut found, mut reported) = (Summary::new(0), FindingCount::default(), Ok(()));
    for (number, range) in args.protobuf.framing.framing().messages(&data).enumerate() {
        let wrong = |error| at(io::Error::other(error));
        let range = range.map_err(wrong)?;
        let start = range.start;
        let bytes = data.get(range).unwrap_or_default();
        let checked = message.check(bytes, &mut |bad: BadText<'_>| {
            let (path, row) = (bad.path(), number as u64 + 1);
            for error in errors(bad.value) {
                let first = error.valid_up_to();
                summary.merge(&Summary::of(AnyEncoding::Utf8, bad.value, first..first + 1, 0, 0));
                if reported.is_ok() {
                    let place = RowPlace::new(row, Some(Field::Path(path.clone())));
                    let what = format!("message {row}, {}", plain(&path));
                    let finding =
                        Finding::in_value(&source.path, &what, (None, Some(place)), bad.value, error, phrases);
                    reported = recipients.finding(&mut found, &finding);
                }
            }
        });
        std::mem::replace(&mut reported, Ok(()))?;
        checked.map_err(|error| wrong(error.moved(start)))?;
    }
    summary.bytes = data.len() as u64;
    recipients.file(&Checked::new(path, &summary))
}
