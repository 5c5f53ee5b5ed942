//! Converts a file in place: first a dry run, then the file, with a ledger.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use utf8kit::AnyEncoding;
use utf8kit_detect::repair::{Edit, Patching};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::convert::{Conversion, ConversionError, MAX_BOM_LEN, Plan};
use utf8kit_encodings::counts::Counts;

use crate::convert::{Converted, Stop, Take, convert_in_sequence};
use crate::ledger;
use crate::preflight::{is_joined, unsuited, would_lose_text};
use crate::{
    Blocks, ByteLengths, ConvertedLengths, FileError, InPlace, Monitor, Original, Output, Recorder, Skip,
    converted_lengths,
};

/// Options for [`convert_file`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions<'o> {
    /// How the file is replaced.
    pub in_place: InPlace<'o>,
    /// Only report what would be done.
    pub dry_run: bool,
    /// Convert a file even if it appears to be text in another encoding than the one to convert from.
    pub force: bool,
    /// Convert a file line by line if some of its lines are UTF-8, and it is certain which. Otherwise such a file is
    /// skipped.
    pub per_line: bool,
}

/// The result of converting a file, or of a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one for each file, not many")]
pub enum FileConversion {
    /// The file is the same in both encodings and was not touched.
    Same,
    /// The file was converted, with this number of places lost, by kind.
    Converted(Counts),
    /// A strict conversion would stop here, so the file was not touched.
    Stopped(ConversionError),
}

/// Converts a file in place. The file is replaced atomically, even across a crash, and only if the whole conversion
/// succeeds. A file that is the same in both encodings is not touched. Owner, mode, access control lists and extended
/// attributes are kept. [`Undo`](crate::undo::Undo) reverts the changes recorded in the ledger.
///
/// # Errors
/// A [`FileError`] if the file cannot be read or replaced; it is then unchanged (but see
/// [`HardLinks::Write`](super::HardLinks::Write)). [`FileError::Skipped`] if it is left alone, because the ledger
/// records that it was converted, or because it is in another encoding, so that text would be lost or encoded a second
/// time. [`FileError::Cancelled`] if `progress` asks to stop.
///
/// ```
/// use utf8kit_encodings::convert::Conversion;
/// use utf8kit_files::{ConvertOptions, FileConversion, convert_file};
///
/// let path = std::env::temp_dir().join("utf8kit-convert-file-example");
/// std::fs::write(&path, b"na\xEFve").unwrap();
/// let conversion = Conversion::new("latin1".parse().unwrap(), "utf-8".parse().unwrap());
/// let outcome = convert_file(&path, &conversion, &mut ConvertOptions::default(), &mut ()).unwrap();
/// assert!(matches!(outcome, FileConversion::Converted(_)));
/// assert_eq!(std::fs::read(&path).unwrap(), "na\u{EF}ve".as_bytes());
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn convert_file(
    path: &Path,
    conversion: &Conversion,
    options: &mut ConvertOptions<'_>,
    progress: &mut dyn Monitor,
) -> Result<FileConversion, FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    let original = options.in_place.open(path, progress)?;
    let (from, to) = (conversion.from.to_string(), conversion.to.to_string());
    let made = (from != to).then_some(ledger::Conversion { from, to });
    let patching = allowed(path, &original, conversion, made.as_ref(), options)?;
    let mut conversion = *conversion;
    if patching.is_some() {
        conversion.from = AnyEncoding::Utf8.into();
    }
    let input = ConversionInput::of(path, &original, &conversion, patching)?;
    let counts = match input.trial() {
        Ok(FileConversion::Converted(counts)) => counts,
        Ok(outcome) => return Ok(outcome),
        Err(stop) => return stopped(stop),
    };
    if !options.force
        && let Some(reason) = would_lose_text(|| Blocks::of_file(&original.file), &conversion, &counts).map_err(at)?
    {
        return Err(FileError::skipped(path, reason));
    }
    if options.dry_run {
        options.in_place.check(path, &original)?;
        return Ok(FileConversion::Converted(counts));
    }
    let mut output = options.in_place.create(path, &original)?;
    let recorder = Recorder::starting(path, input.encoding(), made, options.in_place.ledger.as_deref_mut());
    let counts = match input.write(&mut output, recorder, progress) {
        Ok(counts) => counts,
        // The file was changed in the meantime.
        Err(stop) => return stopped(stop),
    };
    options.in_place.replace(output, original, progress)?;
    Ok(FileConversion::Converted(counts))
}

/// Returns the outcome of a conversion that ended early.
fn stopped(stop: Stop<FileError>) -> Result<FileConversion, FileError> {
    match stop {
        Stop::Place(error) => Ok(FileConversion::Stopped(error)),
        Stop::Sink(error) => Err(error),
    }
}

/// Determines whether a file may be converted, and whether line by line.
fn allowed(
    path: &Path,
    original: &Original,
    conversion: &Conversion,
    made: Option<&ledger::Conversion>,
    options: &mut ConvertOptions<'_>,
) -> Result<Option<Patching>, FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    if let (Some(made), Some(ledger)) = (made, &mut options.in_place.ledger)
        && ledger.has_done(made, original).map_err(at)?
    {
        return Err(FileError::skipped(path, Skip::Done));
    }
    if options.force {
        return Ok(None);
    }
    match unsuited(|| Blocks::of_file(&original.file), conversion).map_err(at)? {
        None => {
            let blocks = Blocks::of_file(&original.file).map_err(at)?;
            match converted_lengths(blocks, conversion).map_err(at)? {
                // Nothing stores the lengths of lines.
                Some(ConvertedLengths::Wrong(ByteLengths::Lines(_))) => Ok(None),
                Some(ConvertedLengths::Wrong(wrong)) => Err(FileError::skipped(path, Skip::Lengths(wrong))),
                None | Some(ConvertedLengths::Right(_)) => Ok(None),
            }
        }
        Some(reason) => {
            let by_line = reason.by_line().filter(|_| options.per_line);
            by_line.map(Some).ok_or_else(|| FileError::skipped(path, reason))
        }
    }
}

/// A file that is read twice for its conversion.
struct ConversionInput<'r> {
    path: &'r Path,
    original: &'r Original,
    plan: Plan,
    patching: Option<Patching>,
}

impl<'r> ConversionInput<'r> {
    fn of(
        path: &'r Path,
        original: &'r Original,
        conversion: &Conversion,
        patching: Option<Patching>,
    ) -> Result<ConversionInput<'r>, FileError> {
        let at = |error: io::Error| FileError::io(path, error);
        let blocks = || Blocks::of_file(&original.file);
        let mut plan = conversion.start(&blocks().and_then(|mut blocks| blocks.head(MAX_BOM_LEN)).map_err(at)?);
        plan.rewrite.remove_marks = blocks().and_then(|blocks| is_joined(blocks, &plan)).map_err(at)?;
        Ok(ConversionInput { path, original, plan, patching })
    }

    /// Returns the encoding to record in the ledger.
    fn encoding(&self) -> AnyEncoding {
        match self.plan.from {
            Codec::Native(encoding) => encoding,
            Codec::Legacy(_) => AnyEncoding::Utf8,
        }
    }

    /// Converts the file, and passes on each piece with its output (see [`convert_in_sequence`]).
    fn convert(&self, blocks: Blocks, take: Take<'_, FileError>) -> Result<Counts, Stop<FileError>> {
        let mut converted = Converted::default();
        let patch = self.patching.and_then(|patching| patching.start(self.plan.from));
        convert_in_sequence(self.path, blocks, &self.plan, patch, 1, &mut converted, take)?;
        Ok(converted.counts)
    }

    fn blocks(&self) -> Result<Blocks, FileError> {
        Blocks::of_file(&self.original.file).map_err(|error| FileError::io(self.path, error))
    }

    /// Determines the effect of the conversion, or the error that stops it, before anything is written.
    fn trial(&self) -> Result<FileConversion, Stop<FileError>> {
        let (mut same, mut lined) = (true, Lined::default());
        let counts = self.convert(self.blocks()?, &mut |piece, out, held| {
            lined.take(piece, out, held, &mut |_| same = false);
            Ok(())
        })?;
        Ok(if same { FileConversion::Same } else { FileConversion::Converted(counts) })
    }

    /// Writes the converted file, and records its changes.
    fn write(
        &self,
        output: &mut Output,
        mut recorder: Recorder<'_>,
        progress: &mut dyn Monitor,
    ) -> Result<Counts, Stop<FileError>> {
        let blocks = self.blocks()?;
        progress.expect(blocks.len().unwrap_or(0));
        let mut lined = Lined::default();
        let counts = self.convert(blocks, &mut |piece, out, held| {
            recorder.piece(piece);
            recorder.repaired(out);
            if recorder.is_recording() {
                lined.take(piece, out, held, &mut |edit| recorder.edit(edit));
            }
            output.put(out)?;
            match progress.advance(piece.len() as u64) {
                ControlFlow::Break(()) => Err(FileError::Cancelled),
                ControlFlow::Continue(()) => Ok(()),
            }
        })?;
        recorder.close();
        Ok(counts)
    }
}

/// Matches the pieces of an input with their output, which may arrive with a later piece.
#[derive(Default)]
struct Lined {
    /// The input whose output has not arrived yet.
    before: Vec<u8>,
    /// The offset of this input in the file.
    offset: u64,
}

impl Lined {
    /// Adds the next piece and output, and passes the edit between them to `record` if they differ. `held` is the
    /// number of bytes of the input that are not yet in the output.
    fn take(&mut self, piece: &[u8], out: &[u8], held: usize, record: &mut dyn FnMut(Edit<'_>)) {
        self.before.extend_from_slice(piece);
        let settled = self.before.len().saturating_sub(held);
        let before = &self.before[..settled];
        if before != out {
            record(Edit::new(self.offset, before, out).trimmed(|_| true));
        }
        self.offset += settled as u64;
        self.before.drain(..settled);
    }
}
