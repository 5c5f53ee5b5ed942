//! Converts an input in blocks.

use std::mem;
use std::path::Path;

use utf8kit::{AnyEncoding, Piece};
use utf8kit_detect::repair::{Patch, Patching};
use utf8kit_encodings::convert::{ConversionError, ConversionErrorKind, Converter, Plan, mistaken_kind};
use utf8kit_encodings::counts::Counts;

use crate::buffers::Buffers;
use crate::lengths::has_serialized;
use crate::serialized::Relength;
use crate::{Block, Blocks, Cut, FileError, Sink};

/// The result of a conversion.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The losses, by kind.
    pub counts: Counts,
    /// The counts of what was decoded from the fallback encoding.
    pub patched: Counts,
    /// The error at which a strict conversion stopped. Everything before it was written.
    pub error: Option<ConversionError>,
}

/// Converts an input by a plan made from its first bytes, on many threads if the input can be split. With `patching`,
/// ill-formed UTF-8 is decoded from another encoding. Without it, the lengths of strings that PHP serialized are
/// written as they are in the other encoding.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
///
/// ```
/// use utf8kit_encodings::convert::{Conversion, MAX_BOM_LEN};
/// use utf8kit_files::{Blocks, FileError, Sink, Source, convert_blocks};
///
/// struct Bytes(Vec<u8>);
/// impl Sink for Bytes {
///     type Error = FileError;
///     fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
///         self.0.extend_from_slice(bytes);
///         Ok(())
///     }
///     fn advance(&mut self, _: u64) -> Result<(), FileError> {
///         Ok(())
///     }
/// }
///
/// let path = std::env::temp_dir().join("utf8kit-convert-blocks-example");
/// std::fs::write(&path, "na\u{EF}ve \u{20AC}").unwrap();
/// let conversion = Conversion::new("utf-8".parse().unwrap(), "latin1".parse().unwrap());
/// let mut blocks = Blocks::of(Source::file(&path).open().unwrap()).unwrap();
/// let plan = conversion.start(&blocks.head(MAX_BOM_LEN).unwrap());
/// let mut sink = Bytes(Vec::new());
/// let converted = convert_blocks(&path, blocks, &plan, None, 1, &mut sink).unwrap();
/// assert_eq!(sink.0, b"na\xEFve ");
/// assert_eq!(converted.error.unwrap().offset, 7);
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn convert_blocks<S: Sink>(
    path: &Path,
    blocks: Blocks,
    plan: &Plan,
    patching: Option<Patching>,
    threads: usize,
    sink: &mut S,
) -> Result<Converted, S::Error> {
    let mut converted = Converted::default();
    let patch = patching.and_then(|patching| patching.start(plan.from));
    // A length comes before the string that has it, which may be in another block.
    let has_lengths = plan.splits().is_some()
        && patch.is_none()
        && Relength::of(plan).is_some()
        && has_serialized(&blocks).map_err(|error| FileError::io(path, error))?.unwrap_or(true);
    let ended = match (plan.splits(), patch) {
        (Some(encoding), None) if !has_lengths => {
            convert_independently(path, blocks, plan, encoding, threads, sink, &mut converted)
        }
        (_, patch) => {
            convert_in_sequence(path, blocks, plan, patch, threads, &mut converted, &mut |piece, out, _| {
                sink.write(out)?;
                sink.advance(piece.len() as u64)
            })
        }
    };
    match ended {
        Ok(()) => {}
        Err(Stop::Place(error)) => converted.error = Some(error),
        Err(Stop::Sink(error)) => return Err(error),
    }
    Ok(converted)
}

/// Why a conversion ends early.
pub(super) enum Stop<E> {
    /// A place that cannot be converted.
    Place(ConversionError),
    /// The input cannot be read, or the sink accepts no more output.
    Sink(E),
}

impl<E> From<E> for Stop<E> {
    fn from(error: E) -> Stop<E> {
        Stop::Sink(error)
    }
}

/// Converts each block independently, on all threads.
fn convert_independently<S: Sink>(
    path: &Path,
    blocks: Blocks,
    plan: &Plan,
    encoding: AnyEncoding,
    threads: usize,
    sink: &mut S,
    converted: &mut Converted,
) -> Result<(), Stop<S::Error>> {
    sink.write(&plan.prefix)?;
    let buffers = Buffers::default();
    let work = |block: &mut Block| {
        let mut out = buffers.take();
        out.clear();
        convert(plan, encoding, block, out)
    };
    blocks.each(Cut::Item(encoding), threads, work, |part| {
        let part = part.map_err(|error| FileError::io(path, error)).map_err(S::Error::from)?;
        sink.write(&part.out)?;
        buffers.give(part.out);
        converted.counts.merge(&part.counts);
        sink.advance(part.read as u64)?;
        part.error.map_or(Ok(()), |error| Err(Stop::Place(error)))
    })
}

/// A converted block.
struct ConvertedBlock {
    out: Vec<u8>,
    read: usize,
    counts: Counts,
    error: Option<ConversionError>,
}

/// Converts the items that begin in a block. `out` is an empty buffer.
fn convert(plan: &Plan, encoding: AnyEncoding, block: &Block, mut out: Vec<u8>) -> ConvertedBlock {
    let skip = plan.skip.saturating_sub(usize::try_from(block.base).unwrap_or(usize::MAX));
    let range = block.items(encoding);
    let start = range.start.max(skip);
    let items = block.bytes.get(start..range.end).unwrap_or_default();
    let mut counts = Counts::default();
    let mut error = Converter::new(plan).push(items, true, &mut out, &mut counts).err();
    let behind = block.bytes.get(start..).unwrap_or_default();
    match (&mut error, mistaken_kind(encoding, items, behind)) {
        (None, Some((seeming, real))) => counts.correct(seeming, real),
        (Some(error), Some((_, real))) if error.end() == items.len() as u64 => {
            error.kind = ConversionErrorKind::IllFormed(real)
        }
        _ => {}
    }
    if let Some(error) = &mut error {
        error.offset += block.base + start as u64;
    }
    ConvertedBlock { out, read: items.len(), counts, error }
}

/// Receives a piece of the input, the output since the piece before, and about how many bytes at the end of the input
/// so far are not yet in the output.
pub(super) type Take<'t, E> = &'t mut dyn FnMut(&[u8], &[u8], usize) -> Result<(), E>;

/// Converts an input that cannot be split, one block after another. Another thread may read ahead.
pub(super) fn convert_in_sequence<E: From<FileError>>(
    path: &Path,
    blocks: Blocks,
    plan: &Plan,
    mut patch: Option<Patch>,
    threads: usize,
    converted: &mut Converted,
    take: Take<'_, E>,
) -> Result<(), Stop<E>> {
    let mut converter = Converter::new(plan);
    let (mut out, mut skip) = (plan.prefix.clone(), plan.skip);
    // Bytes that are read in another encoding have no length that is certainly right.
    let mut relength = Relength::of(plan).filter(|_| patch.is_none());
    let moved = |error: ConversionError, patch: &Option<Patch>, relength: &Option<Relength<'_>>| {
        let offset = match (patch, relength) {
            (Some(patch), _) => patch.source_offset(error.offset),
            (None, Some(relength)) => relength.source_offset(error.offset),
            (None, None) => error.offset,
        };
        Stop::Place(error.at(offset + plan.skip as u64))
    };
    let own = |block: &mut Block| (mem::take(&mut block.bytes), block.own.clone());
    blocks.each(Cut::Anywhere, threads.min(2), own, |block| {
        let (bytes, own) = block.map_err(|error| FileError::io(path, error)).map_err(E::from)?;
        let piece = bytes.get(own).unwrap_or_default();
        let text = piece.get(mem::take(&mut skip)..).unwrap_or_default();
        let text = match (&mut patch, &mut relength) {
            (Some(patch), _) => patch.text(text, Piece::Partial),
            (None, Some(relength)) => relength.text(text, false),
            (None, None) => text,
        };
        let pushed = converter.push(text, false, &mut out, &mut converted.counts);
        let held = patch.as_ref().map_or(0, Patch::held) + relength.as_ref().map_or(0, Relength::held);
        take(piece, &out, converter.held() + held)?;
        out.clear();
        pushed.map_err(|error| moved(error, &patch, &relength))
    })?;
    let text = match (&mut patch, &mut relength) {
        (Some(patch), _) => patch.text(&[], Piece::Last),
        (None, Some(relength)) => relength.text(&[], true),
        (None, None) => &[],
    };
    let ended = converter.push(text, true, &mut out, &mut converted.counts);
    take(&[], &out, 0)?;
    if let Some(patch) = &patch {
        converted.patched = *patch.counts();
    }
    ended.map_err(|error| moved(error, &patch, &relength))
}
