//! Converts an input in blocks.

use std::mem;
use std::ops::Range;
use std::path::Path;

use utf8kit::{AnyEncoding, Piece};
use utf8kit_detect::repair::{Patch, Patching};
use utf8kit_encodings::convert::{ConversionError, ConversionErrorKind, Converter, Plan, mistaken_kind};
use utf8kit_encodings::counts::Counts;

use crate::buffers::Buffers;
use crate::serialization::{Relength, may_have_strings};
use crate::{Block, Blocks, Cut, FileError, Sink};

/// The result of a conversion.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The losses, by kind.
    pub counts: Counts,
    /// The counts of text decoded from the fallback encoding.
    pub patched: Counts,
    /// The error at which a strict conversion stopped. Everything before it was written.
    pub error: Option<ConversionError>,
}

/// Converts an input by a plan made from its first bytes, on many threads if the input can be split. With `patching`,
/// invalid UTF-8 is decoded from another encoding. Without it, the lengths of strings that PHP serialized are updated
/// for the new encoding.
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
    let ended = match (plan.splits(), patch) {
        (Some(encoding), None) => convert_independently(path, blocks, plan, encoding, threads, sink, &mut converted),
        (_, patch) => convert_in_sequence(path, blocks, plan, patch, threads, &mut converted, &mut |piece, out, _| {
            sink.write(out)?;
            sink.advance(piece.len() as u64)
        }),
    };
    match ended {
        Ok(()) => {}
        Err(Stop::Place(error)) => converted.error = Some(error),
        Err(Stop::Sink(error)) => return Err(error),
    }
    Ok(converted)
}

/// The reason why a conversion ends early.
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

/// Converts each block independently, on all threads. Blocks that may have a length with its string are converted in
/// sequence, because the string may end in another block.
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
    let (buffers, sources) = (Buffers::default(), Buffers::default());
    let stores_lengths = Relength::of(plan).is_some();
    let work = |block: &mut Block| {
        let mut part = ConvertedBlock { out: buffers.take(), ..ConvertedBlock::default() };
        part.out.clear();
        let items = items(plan, encoding, block);
        part.read = items.len();
        let text = block.bytes.get(items.start..).unwrap_or_default();
        let has_strings = stores_lengths && may_have_strings(text, items.len());
        if !has_strings {
            convert(plan, encoding, block, &items, &mut part);
        }
        if stores_lengths {
            let bytes = mem::replace(&mut block.bytes, sources.take());
            part.source = Some(Source { bytes, items, base: block.base, has_strings });
        }
        part
    };
    let mut sequence: Option<Sequence<'_>> = None;
    blocks.each(Cut::Item(encoding), threads, work, |part| {
        let mut part = part.map_err(|error| FileError::io(path, error)).map_err(S::Error::from)?;
        if let Some(source) = part.source.take() {
            if sequence.is_some() || source.has_strings {
                let open = sequence.get_or_insert_with(|| Sequence::of_lengths(plan, &source));
                part.out.clear();
                part.counts = Counts::default();
                let text = source.bytes.get(source.items.clone()).unwrap_or_default();
                part.error = open.push(text, Piece::Partial, &mut part.out, &mut part.counts).err();
                sequence = sequence.take().filter(|open| open.held() > 0);
            }
            sources.give(source.bytes);
        }
        sink.write(&part.out)?;
        buffers.give(part.out);
        converted.counts.merge(&part.counts);
        sink.advance(part.read as u64)?;
        part.error.map_or(Ok(()), |error| Err(Stop::Place(error)))
    })?;
    let Some(mut open) = sequence else { return Ok(()) };
    let mut out = Vec::new();
    let ended = open.push(&[], Piece::Last, &mut out, &mut converted.counts);
    sink.write(&out)?;
    ended.map_err(Stop::Place)
}

/// A converted block.
#[derive(Default)]
struct ConvertedBlock {
    out: Vec<u8>,
    read: usize,
    counts: Counts,
    error: Option<ConversionError>,
    /// The block itself, if lengths that it stores may change.
    source: Option<Source>,
}

/// A block before it is converted.
struct Source {
    bytes: Vec<u8>,
    /// The code points and errors that begin in the block.
    items: Range<usize>,
    /// The offset of `bytes` in the input.
    base: u64,
    /// Whether a length with a string may begin in it. If so, it is not converted yet.
    has_strings: bool,
}

/// Returns the bytes that begin in a block, without the part that the plan skips.
fn items(plan: &Plan, encoding: AnyEncoding, block: &Block) -> Range<usize> {
    let skip = plan.skip.saturating_sub(usize::try_from(block.base).unwrap_or(usize::MAX));
    let range = block.items(encoding);
    range.start.max(skip).min(range.end)..range.end
}

/// Converts the bytes that begin in a block.
fn convert(plan: &Plan, encoding: AnyEncoding, block: &Block, range: &Range<usize>, part: &mut ConvertedBlock) {
    let items = block.bytes.get(range.clone()).unwrap_or_default();
    let mut error = Converter::new(plan).push(items, true, &mut part.out, &mut part.counts).err();
    let after = block.bytes.get(range.start..).unwrap_or_default();
    match (&mut error, mistaken_kind(encoding, items, after)) {
        (None, Some((seeming, real))) => part.counts.correct(seeming, real),
        (Some(error), Some((_, real))) if error.end() == items.len() as u64 => {
            error.kind = ConversionErrorKind::IllFormed(real)
        }
        _ => {}
    }
    if let Some(error) = &mut error {
        error.offset += block.base + range.start as u64;
    }
    part.error = error;
}

/// The processing of text before it is converted.
enum Rewrite<'p> {
    Nothing,
    Patch(Box<Patch>),
    Lengths(Relength<'p>),
}

impl Rewrite<'_> {
    fn text<'t>(&'t mut self, text: &'t [u8], piece: Piece) -> &'t [u8] {
        match self {
            Rewrite::Nothing => text,
            Rewrite::Patch(patch) => patch.text(text, piece),
            Rewrite::Lengths(relength) => relength.text(text, piece),
        }
    }

    /// Returns how many bytes were read but are not in the text yet.
    fn held(&self) -> usize {
        match self {
            Rewrite::Nothing => 0,
            Rewrite::Patch(patch) => patch.held(),
            Rewrite::Lengths(relength) => relength.held(),
        }
    }

    /// Maps a position in the text to the input.
    fn source_offset(&self, offset: u64) -> u64 {
        match self {
            Rewrite::Nothing => offset,
            Rewrite::Patch(patch) => patch.source_offset(offset),
            Rewrite::Lengths(relength) => relength.source_offset(offset),
        }
    }
}

/// Text that is converted in pieces, one after another.
struct Sequence<'p> {
    rewrite: Rewrite<'p>,
    converter: Converter,
    /// The start of the text in the input.
    start: u64,
}

impl<'p> Sequence<'p> {
    fn new(plan: &'p Plan, rewrite: Rewrite<'p>, start: u64) -> Sequence<'p> {
        Sequence { rewrite, converter: Converter::new(plan), start }
    }

    /// Begins with a block that may contain a length.
    fn of_lengths(plan: &'p Plan, source: &Source) -> Sequence<'p> {
        let before = source.items.start.checked_sub(1).and_then(|before| source.bytes.get(before));
        let rewrite = match Relength::of(plan) {
            Some(relength) => Rewrite::Lengths(relength.after(before.copied())),
            None => Rewrite::Nothing,
        };
        Sequence::new(plan, rewrite, source.base + source.items.start as u64)
    }

    /// Converts the next piece.
    fn push(
        &mut self,
        bytes: &[u8],
        piece: Piece,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        let text = self.rewrite.text(bytes, piece);
        let pushed = self.converter.push(text, piece.is_last(), out, counts);
        pushed.map_err(|error| {
            let offset = self.start + self.rewrite.source_offset(error.offset);
            error.at(offset)
        })
    }

    /// Returns how many bytes were read but are not in the output yet.
    fn held(&self) -> usize {
        self.converter.held() + self.rewrite.held()
    }
}

/// Receives a piece of the input, the output since the previous piece, and about how many bytes of the input so far are
/// not yet in the output.
pub(super) type Take<'t, E> = &'t mut dyn FnMut(&[u8], &[u8], usize) -> Result<(), E>;

/// Converts an input that cannot be split, one block after another. Another thread may read ahead.
pub(super) fn convert_in_sequence<E: From<FileError>>(
    path: &Path,
    blocks: Blocks,
    plan: &Plan,
    patch: Option<Patch>,
    threads: usize,
    converted: &mut Converted,
    take: Take<'_, E>,
) -> Result<(), Stop<E>> {
    // Bytes decoded in another encoding have no length that is certainly right.
    let rewrite = match (patch, Relength::of(plan)) {
        (Some(patch), _) => Rewrite::Patch(Box::new(patch)),
        (None, Some(relength)) => Rewrite::Lengths(relength),
        (None, None) => Rewrite::Nothing,
    };
    let mut sequence = Sequence::new(plan, rewrite, plan.skip as u64);
    let (mut out, mut skip) = (plan.prefix.clone(), plan.skip);
    let own = |block: &mut Block| (mem::take(&mut block.bytes), block.own.clone());
    blocks.each(Cut::Anywhere, threads.min(2), own, |block| {
        let (bytes, own) = block.map_err(|error| FileError::io(path, error)).map_err(E::from)?;
        let piece = bytes.get(own).unwrap_or_default();
        let text = piece.get(mem::take(&mut skip)..).unwrap_or_default();
        let pushed = sequence.push(text, Piece::Partial, &mut out, &mut converted.counts);
        take(piece, &out, sequence.held())?;
        out.clear();
        pushed.map_err(Stop::Place)
    })?;
    let ended = sequence.push(&[], Piece::Last, &mut out, &mut converted.counts);
    take(&[], &out, 0)?;
    if let Rewrite::Patch(patch) = &sequence.rewrite {
        converted.patched = *patch.counts();
    }
    ended.map_err(Stop::Place)
}

#[cfg(test)]
mod tests {
    use utf8kit_encodings::convert::Conversion;

    use super::*;
    use crate::blocks::BLOCK;
    use crate::{Input, Source as Named};

    struct Bytes(Vec<u8>);

    impl Sink for Bytes {
        type Error = FileError;

        fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }

        fn advance(&mut self, _: u64) -> Result<(), FileError> {
            Ok(())
        }
    }

    fn converted(blocks: Blocks, from: &str, to: &str) -> (Vec<u8>, Option<ConversionError>) {
        let plan = Conversion::new(from.parse().unwrap(), to.parse().unwrap()).start(b"");
        let mut sink = Bytes(Vec::new());
        let converted = convert_blocks(Path::new("x"), blocks, &plan, None, 3, &mut sink).unwrap();
        (sink.0, converted.error)
    }

    /// A PHP string may span two blocks, wherever they are cut, and its length comes first.
    #[test]
    fn lengths_of_strings_in_two_blocks_are_updated() {
        let path = std::env::temp_dir().join(format!("utf8kit-blocks-{}", std::process::id()));
        let (old, new) = (b"s:9:\"Br\xF6tchen!\";", "s:10:\"Brötchen!\";".as_bytes());
        // A string never begins right after a letter.
        let filler = |len: usize| [&b"no s: is it ".repeat(len / 12)[..], &[b' '; 12][..len % 12]].concat();
        for before in 0..old.len() + 2 {
            let [first, second, last] = [BLOCK - before, 2 * BLOCK - old.len(), BLOCK].map(filler);
            let text = [&*first, old, &second, old, &last].concat();
            let expected = [&*first, new, &second, new, &last].concat();
            std::fs::write(&path, &text).unwrap();
            let file = Blocks::of(Named::file(&path).open().unwrap()).unwrap();
            for blocks in [file, Blocks::of(Input::of(text)).unwrap()] {
                assert!(converted(blocks, "latin1", "utf-8") == (expected.clone(), None), "{before}");
            }
            // The position of an error refers to the input, even if earlier text became longer.
            let text = [&*first, new, &second, "€".as_bytes(), &last].concat();
            let at = first.len() + new.len() + second.len();
            let (written, error) = converted(Blocks::of(Input::of(text)).unwrap(), "utf-8", "latin1");
            assert_eq!(error.map(|error| error.offset), Some(at as u64));
            assert!(written == [&*first, old, &second].concat(), "{before}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
