//! Converts a file in place: first a dry run, then the file, with a ledger.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::convert::{Conversion, ConversionError, MAX_BOM_LEN};
use crate::counts::Counts;
use crate::files::convert::{Converted, Stop, convert_in_sequence};
use crate::files::harm::not_in;
use crate::files::ledger::{self, Ledger};
use crate::files::repair::{open, replace};
use crate::files::{Blocks, FileError, HardLinks, Input, Monitor, Output, Recorder, Skip, atomic};
use crate::repair::Edit;

/// Options for [`convert_file`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions<'o> {
    /// The suffix under which to keep a backup of the old file. No backup if it is empty.
    pub backup_suffix: OsString,
    /// What to do if the file has several hard links.
    pub hard_links: HardLinks,
    /// The ledger for the changes, so that they can be undone.
    pub ledger: Option<&'o mut Ledger>,
    /// Only report what would be done.
    pub dry_run: bool,
    /// Convert a file even if it is UTF-8 already.
    pub force: bool,
}

/// The result of converting a file, or of a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
/// attributes are kept. [`Undo`](crate::files::undo::Undo) reverts the changes recorded in the ledger.
///
/// # Errors
/// A [`FileError`] if the file cannot be read or replaced; it is then unchanged. [`FileError::Skipped`] if it is left
/// alone: the ledger says that it is converted, or it is UTF-8 and would be encoded a second time.
/// [`FileError::Cancelled`] if `progress` asks to stop.
///
/// ```
/// use utf8kit_text::convert::Conversion;
/// use utf8kit_text::files::{ConvertOptions, FileConversion, convert_file};
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
    atomic::sweep(path);
    let original = open(path, options.ledger.as_deref_mut(), progress)?;
    let blocks = || original.file.try_clone().and_then(|file| Blocks::of(Input::File(file))).map_err(at);
    let mut first = blocks()?;
    let plan = conversion.start(&first.head(MAX_BOM_LEN).map_err(at)?);
    // Find what stops the conversion before anything is written.
    let (mut same, mut lined, mut tried) = (true, Lined::default(), Converted::default());
    let ended = convert_in_sequence(path, first, &plan, None, 1, &mut tried, &mut |piece, out, held| {
        lined.take(piece, out, held, &mut |_| same = false);
        Ok(())
    });
    let (from, to) = (conversion.from.to_string(), conversion.to.to_string());
    let made = (from != to).then_some(ledger::Conversion { from, to });
    match &ended {
        Ok(()) if same => return Ok(FileConversion::Same),
        Err(Stop::Sink(_)) => {}
        _ => {
            if let (Some(made), Some(ledger)) = (&made, &options.ledger)
                && ledger.has_done(made, &original).map_err(at)?
            {
                return Err(FileError::skipped(path, Skip::Done));
            }
            let harm = if options.force { None } else { not_in(blocks()?, conversion.from).map_err(at)? };
            if let Some(reason) = harm {
                return Err(FileError::skipped(path, reason));
            }
        }
    }
    match ended {
        Ok(()) if options.dry_run => return Ok(FileConversion::Converted(tried.counts)),
        Ok(()) => {}
        Err(Stop::Place(error)) => return Ok(FileConversion::Stopped(error)),
        Err(Stop::Sink(error)) => return Err(error),
    }
    let mut output = Output::in_place(path, &original, options.hard_links, &options.backup_suffix)?;
    let second = blocks()?;
    progress.expect(second.len().unwrap_or(0));
    let encoding = match plan.from {
        Codec::Native(encoding) => encoding,
        Codec::Legacy(_) => AnyEncoding::Utf8,
    };
    let mut recorder = Recorder::starting(path, encoding, made, options.ledger.as_deref_mut());
    let (mut lined, mut converted) = (Lined::default(), Converted::default());
    let ended = convert_in_sequence(path, second, &plan, None, 1, &mut converted, &mut |piece, out, held| {
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
    });
    match ended {
        Ok(()) => {}
        // The file was changed in the meantime.
        Err(Stop::Place(error)) => return Ok(FileConversion::Stopped(error)),
        Err(Stop::Sink(error)) => return Err(error),
    }
    recorder.close();
    replace(output, original, &options.backup_suffix, options.ledger.as_deref_mut(), progress)?;
    Ok(FileConversion::Converted(converted.counts))
}

/// Matches the pieces of an input with their output, which may arrive with a later piece.
#[derive(Default)]
struct Lined {
    /// The input that is not written yet.
    before: Vec<u8>,
    /// The offset of that input in the file.
    offset: u64,
}

impl Lined {
    /// Takes the next piece and output, and passes the edit between them to `record` if they differ. `held` is the
    /// number of bytes of the input that are not yet in the output.
    fn take(&mut self, piece: &[u8], out: &[u8], held: usize, record: &mut dyn FnMut(Edit<'_>)) {
        self.before.extend_from_slice(piece);
        let settled = self.before.len().saturating_sub(held);
        let before = &self.before[..settled];
        if before != out {
            record(Edit { offset: self.offset, before, after: out }.trimmed(|_| true));
        }
        self.offset += settled as u64;
        self.before.drain(..settled);
    }
}
