//! Lines and columns in files.

use utf8kit::LineColumn;
use utf8kit::summary::Summary;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::MAX_BOM_LEN;

use crate::{Block, Blocks, Cut, Source, SourceKind};

/// Returns the line and column, from 1, of an offset in a file that is read as `from`. `None` if the input cannot be
/// read again, or for legacy encodings, where lines are not defined.
pub fn line_column(source: &Source, from: Charset, offset: u64, threads: usize) -> Option<LineColumn> {
    if source.kind == SourceKind::Stdin {
        return None;
    }
    let mut blocks = source.open().and_then(Blocks::of).ok()?;
    blocks.len()?;
    let encoding = match from.reader(&blocks.head(MAX_BOM_LEN).ok()?).0 {
        Codec::Native(encoding) => encoding,
        Codec::Legacy(_) => return None,
    };
    let mut before = Summary::new(0);
    let work = |block: &mut Block| {
        let end = usize::try_from(offset.saturating_sub(block.base)).unwrap_or(usize::MAX);
        let own = block.own.start..block.own.end.min(end);
        (!own.is_empty()).then(|| Summary::of(encoding, &block.bytes, own, block.base, 0))
    };
    // Stops at the first block after the offset.
    let _ = blocks.each(Cut::Item(encoding), threads, work, |summary| match summary {
        Ok(Some(summary)) => {
            before.merge(&summary);
            Ok(())
        }
        _ => Err(()),
    });
    Some(LineColumn::new(before.lines + 1, before.column + 1))
}
