//! The conversion of a file where it is: a plan first, then the file, with a ledger.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::convert::{Conversion, ConversionError, Converter, Counts, HEAD, Plan};
use crate::files::{Blocks, FileError, HardLinks, Input, Original, Output, Progress, Recorder};
use crate::repair::Edit;
use crate::repair::ledger::Ledger;

/// How a file is converted where it is.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions<'o> {
    /// Keep the old file under its name and this suffix, if it is not empty.
    pub backup_suffix: OsString,
    /// What is done if it has several names.
    pub hard_links: HardLinks,
    /// Where each change is written, so that it can be undone.
    pub ledger: Option<&'o mut Ledger>,
    /// Only tell what would be done.
    pub dry_run: bool,
}

/// What the conversion of a file did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is the same in both encodings: it was not touched.
    Same,
    /// It was converted; places that could not be carried over, by kind.
    Converted(Counts),
    /// A strict conversion would stop there: it was not touched.
    Stopped(ConversionError),
}

/// Converts a file where it is. It is replaced atomically, even across a crash, and only by a conversion that went
/// through; a file that is the same in both encodings is not touched. Owner, mode, access control lists and extended
/// attributes are kept. [`Undo`](crate::repair::undo::Undo) takes back what is in the ledger.
///
/// # Errors
/// What keeps it from being read or replaced: it is as it was then. [`FileError::Cancelled`] if `progress` says so.
///
/// ```
/// use utf8kit_text::convert::{BomHandling, Conversion, Invalid};
/// use utf8kit_text::files::{ConvertOptions, Outcome, convert_file};
///
/// let path = std::env::temp_dir().join("utf8kit-convert-file-example");
/// std::fs::write(&path, b"na\xEFve").unwrap();
/// let conversion = Conversion {
///     from: "latin1".parse().unwrap(),
///     to: "utf-8".parse().unwrap(),
///     invalid: Invalid::Strict,
///     bom: BomHandling::Keep,
/// };
/// let outcome = convert_file(&path, &conversion, &mut ConvertOptions::default(), &mut ()).unwrap();
/// assert!(matches!(outcome, Outcome::Converted(_)));
/// assert_eq!(std::fs::read(&path).unwrap(), "na\u{EF}ve".as_bytes());
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn convert_file(
    path: &Path,
    conversion: &Conversion,
    options: &mut ConvertOptions<'_>,
    progress: &mut dyn Progress,
) -> Result<Outcome, FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    let original = Original::open(path, || progress.wait_for_lock(path)).map_err(at)?;
    let blocks = || original.file.try_clone().and_then(|file| Blocks::of(Input::File(file))).map_err(at);
    let mut first = blocks()?;
    let plan = conversion.start(&first.head(HEAD).map_err(at)?);
    // What stops a conversion is found before anything is written.
    let (mut same, mut counts) = (true, Counts::default());
    let tried = pieces(path, first, &plan, &mut counts, &mut |piece, out| {
        same &= piece == out;
        Ok(())
    });
    match tried {
        Ok(()) if same => return Ok(Outcome::Same),
        Ok(()) if options.dry_run => return Ok(Outcome::Converted(counts)),
        Ok(()) => {}
        Err(Stop::Place(error)) => return Ok(Outcome::Stopped(error)),
        Err(Stop::File(error)) => return Err(error),
    }
    let mut output = Output::in_place(path, &original, options.hard_links, &options.backup_suffix)?;
    let second = blocks()?;
    progress.expect(second.len().unwrap_or(0));
    let encoding = match plan.from {
        Codec::Native(encoding) => encoding,
        Codec::Legacy(_) => AnyEncoding::Utf8,
    };
    let mut recorder = Recorder::new(path, encoding, options.ledger.as_deref_mut());
    let mut offset = 0;
    let written = pieces(path, second, &plan, &mut Counts::default(), &mut |piece, out| {
        recorder.piece(piece);
        recorder.repaired(out);
        if piece != out {
            recorder.edit(narrowed(offset, piece, out));
        }
        offset += piece.len() as u64;
        output.put(out)?;
        match progress.advance(piece.len() as u64) {
            ControlFlow::Break(()) => Err(FileError::Cancelled),
            ControlFlow::Continue(()) => Ok(()),
        }
    });
    match written {
        Ok(()) => {}
        // It was changed meanwhile.
        Err(Stop::Place(error)) => return Ok(Outcome::Stopped(error)),
        Err(Stop::File(error)) => return Err(error),
    }
    recorder.end()?;
    output.replace(original, &options.backup_suffix)?;
    Ok(Outcome::Converted(counts))
}

/// Why a conversion ends early.
enum Stop {
    Place(ConversionError),
    File(FileError),
}

/// Takes a piece, and what it becomes.
type Take<'t> = &'t mut dyn FnMut(&[u8], &[u8]) -> Result<(), FileError>;

/// Gives pieces of a file, and what each becomes: together they are all of it, though a character that is cut becomes
/// something with the next piece only.
fn pieces(path: &Path, blocks: Blocks, plan: &Plan, counts: &mut Counts, take: Take<'_>) -> Result<(), Stop> {
    let mut converter = Converter::new(plan);
    let (mut out, mut skip) = (plan.prefix.clone(), plan.skip);
    let moved = |error: ConversionError| {
        let offset = error.offset + plan.skip as u64;
        Stop::Place(error.at(offset))
    };
    let own = |block: &mut crate::files::Block| (std::mem::take(&mut block.bytes), block.own.clone());
    blocks.each(1, own, |block| {
        let (bytes, own) = block.map_err(|error| Stop::File(FileError::io(path, error)))?;
        let piece = bytes.get(own).unwrap_or_default();
        let text = piece.get(std::mem::take(&mut skip)..).unwrap_or_default();
        converter.push(text, false, &mut out, counts).map_err(moved)?;
        take(piece, &out).map_err(Stop::File)?;
        out.clear();
        Ok(())
    })?;
    converter.push(&[], true, &mut out, counts).map_err(moved)?;
    if out.is_empty() { Ok(()) } else { take(&[], &out).map_err(Stop::File) }
}

/// The edit that makes a piece what it becomes, without what is the same at either end.
fn narrowed<'p>(offset: u64, before: &'p [u8], after: &'p [u8]) -> Edit<'p> {
    let front = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (before, after) = (&before[front..], &after[front..]);
    let back = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    Edit {
        offset: offset + front as u64,
        before: &before[..before.len() - back],
        after: &after[..after.len() - back],
    }
}
