//! Repairs a text in blocks.

use std::io;
use std::mem;
use std::ops::Range;
use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel, Piece};
use utf8kit_detect::mojibake::Detours;
use utf8kit_detect::repair::{RepairPolicy, Repairer};
use utf8kit_encodings::convert::{MAX_BOM_LEN, mistaken_kind};
use utf8kit_encodings::counts::Counts;

use super::sink::Repaired;
use crate::buffers::Buffers;
use crate::{Block, Blocks, Cut, FileError, RepairSink, Source};

/// Returns the encoding of an input, which its byte order mark may determine.
pub(super) fn encoding_of(blocks: &mut Blocks, label: EncodingLabel) -> io::Result<AnyEncoding> {
    Ok(label.resolve(&blocks.head(MAX_BOM_LEN)?).0)
}

/// A block that was read.
struct RepairedBlock {
    bytes: Vec<u8>,
    items: Range<usize>,
    /// Whether the block needs no repair, except for a line or run of errors that crosses its ends.
    unchanged: bool,
    /// The repaired bytes and the counts, if the block was repaired independently.
    repaired: Option<(Vec<u8>, Counts)>,
}

impl RepairedBlock {
    /// Splits the block into the part that ends a line or run of errors, the part to skip, and the rest. The flag marks
    /// the part to skip.
    fn parts(&self, repairer: &Repairer) -> [(&[u8], bool); 3] {
        let piece = self.bytes.get(self.items.clone()).unwrap_or_default();
        let range = if self.unchanged { repairer.skippable(piece) } else { 0..0 };
        let (front, rest) = piece.split_at(range.end);
        let (begun, unchanged) = front.split_at(range.start);
        [(begun, false), (unchanged, true), (rest, false)]
    }
}

/// Returns the work for one block: determines whether it needs a repair and, if blocks can be repaired independently
/// (`independent`), repairs it.
fn work<'w>(
    policy: &'w RepairPolicy,
    encoding: AnyEncoding,
    independent: bool,
    buffers: &'w Buffers,
) -> impl Fn(&mut Block) -> RepairedBlock + Sync + 'w {
    move |block| {
        let items = block.items(encoding);
        let own = block.bytes.get(items.clone()).unwrap_or_default();
        let unchanged = policy.leaves_unchanged(encoding, own);
        let repaired = (independent && !unchanged).then(|| {
            let (mut repairer, mut out) = (Repairer::new(policy, encoding), buffers.take());
            out.clear();
            repairer.push(own, Piece::Last, &mut out, &mut |_| {});
            let rest_of_block = block.bytes.get(items.start..).unwrap_or_default();
            if let Some((seeming, real)) = mistaken_kind(encoding, own, rest_of_block) {
                repairer.counts.correct(seeming, real);
            }
            (out, repairer.counts)
        });
        RepairedBlock { bytes: mem::replace(&mut block.bytes, buffers.take()), items, unchanged, repaired }
    }
}

/// Repairs a text into a sink, on many threads if errors are independent of each other.
///
/// # Errors
/// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
pub(super) fn repair<S: RepairSink>(
    path: &Path,
    mut blocks: Blocks,
    policy: &RepairPolicy,
    encoding: EncodingLabel,
    threads: usize,
    sink: &mut S,
) -> Result<Repaired, S::Error> {
    let encoding = encoding_of(&mut blocks, encoding).map_err(|error| FileError::io(path, error))?;
    let buffers = Buffers::default();
    let independent = policy.splits(encoding) && !sink.uses_edits();
    let mut repairer = Repairer::new(policy, encoding);
    let mut out = Vec::new();
    blocks.each(Cut::Item(encoding), threads, work(policy, encoding, independent, &buffers), |piece| {
        let piece = piece.map_err(|error| FileError::io(path, error))?;
        let len = piece.items.len();
        if let Some((out, counts)) = piece.repaired {
            repairer.pass(len);
            repairer.counts.merge(&counts);
            sink.write(&out)?;
            buffers.give(out);
        } else {
            for (part, unchanged) in piece.parts(&repairer) {
                match unchanged {
                    _ if part.is_empty() => {}
                    true => {
                        repairer.pass(part.len());
                        sink.unchanged(part)?;
                    }
                    false => push(&mut repairer, part, false, &mut out, sink)?,
                }
            }
        }
        buffers.give(piece.bytes);
        sink.advance(len as u64)
    })?;
    push(&mut repairer, &[], true, &mut out, sink)?;
    Ok(Repaired { counts: repairer.counts, ..Repaired::default() })
}

fn push<S: RepairSink>(
    repairer: &mut Repairer,
    piece: &[u8],
    last: bool,
    out: &mut Vec<u8>,
    sink: &mut S,
) -> Result<(), S::Error> {
    out.clear();
    sink.piece(piece);
    repairer.push(piece, Piece::last_if(last), out, &mut |edit| sink.edit(edit));
    sink.repaired(out, repairer.offset())
}

/// Returns the effect of a repair on an input, and how all its certain lines were encoded twice. Stops at the first
/// change unless later lines matter.
///
/// # Errors
/// Fails if the input cannot be read.
pub(super) fn survey(
    mut blocks: Blocks,
    policy: &RepairPolicy,
    encoding: EncodingLabel,
    threads: usize,
) -> io::Result<(Counts, Detours)> {
    let encoding = encoding_of(&mut blocks, encoding)?;
    let buffers = Buffers::default();
    let mut repairer = Repairer::new(policy, encoding);
    let to_the_end = matches!(policy, RepairPolicy::Mojibake(_));
    let mut out = Vec::new();
    let work = work(policy, encoding, false, &buffers);
    let all = blocks.each_while(Cut::Item(encoding), threads, work, |piece| {
        for (part, unchanged) in piece.parts(&repairer) {
            out.clear();
            if unchanged {
                repairer.pass(part.len());
            } else if !part.is_empty() {
                repairer.push(part, Piece::Partial, &mut out, &mut |_| {});
            }
        }
        buffers.give(piece.bytes);
        repairer.counts.total() == 0 || to_the_end
    })?;
    if all {
        repairer.push(&[], Piece::Last, &mut out, &mut |_| {});
    }
    Ok((repairer.counts, repairer.proven()))
}

/// Returns the policy for a source. If the source can be read twice, the policy includes the evidence of all its
/// lines; otherwise only earlier lines count as evidence.
///
/// # Errors
/// Any error from reading the source.
pub fn policy_for(source: &Source, policy: &RepairPolicy, threads: usize) -> io::Result<RepairPolicy> {
    if *policy != RepairPolicy::Mojibake(None) || !source.is_regular()? {
        return Ok(policy.clone());
    }
    let (_, proven) = survey(Blocks::of(source.open()?)?, policy, EncodingLabel::Exact(AnyEncoding::Utf8), threads)?;
    Ok(policy.with_evidence(proven))
}
