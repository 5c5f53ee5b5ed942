//! Validates and counts code points and lines, for a summary.

use super::count::CONTINUATION_MAX;
use super::tables::Tables;
use crate::grammar::Grammar;
use crate::reference::validate::boundary_before;
use crate::simd::{BLOCK_BYTES, Kernel, Token, Vector};

/// The result of [`CountedPrefix`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The length of a prefix that is well formed, treating NUL as valid, and ends at a boundary.
    pub(crate) len: usize,
    /// The code points in it.
    pub(crate) code_points: usize,
    /// The line feeds in it.
    pub(crate) lines: usize,
}

/// Finds a clean prefix and counts it in the same pass; it is at most a block and a sequence shorter than the prefix
/// that [`CleanPrefix`] finds.
pub(crate) struct CountedPrefix<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'b [u8],
}

impl Kernel for CountedPrefix<'_> {
    type Output = Counted;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Counted {
        let tables = Tables::new(token, self.grammar);
        let whole = self.bytes.as_chunks::<BLOCK_BYTES>().0.as_flattened();
        let (mut clean, mut starts, mut lines) = (0, 0, 0);
        // Several blocks are validated, then counted while they are in the L1 cache, because one loop for both would
        // spill registers.
        while clean < whole.len() {
            let goal = whole.len().min(clean + MAX_BLOCKS_COUNTED * BLOCK_BYTES);
            let end = tables.clean_blocks(token, &whole[..goal], clean);
            let counts = starts_and_lines(token, &whole[clean..end]);
            starts += counts.0;
            lines += counts.1;
            clean = end;
            if end < goal {
                break;
            }
        }
        let len = boundary_before(self.bytes, clean);
        // A sequence cut off at the end has been counted, by its lead.
        Counted { len, code_points: starts - usize::from(len < clean), lines }
    }
}

/// How many blocks [`starts_and_lines`] takes at once. With 16 lanes, 63 blocks are the most that cannot overflow.
pub(crate) const MAX_BLOCKS_COUNTED: usize = 60;

/// Returns the code points and line feeds of whole blocks, at most [`MAX_BLOCKS_COUNTED`].
#[inline(always)]
pub(crate) fn starts_and_lines<T: Token>(token: T, blocks: &[u8]) -> (usize, usize) {
    let (limit, line_feed) = (token.splat(CONTINUATION_MAX as u8), token.splat(b'\n'));
    let (mut starts, mut lines) = (token.splat(0), token.splat(0));
    for block in blocks.as_chunks().0 {
        for part in 0..BLOCK_BYTES / T::Vector::LEN {
            let lanes = token.load(block, part);
            starts = starts.sub(lanes.greater_signed(limit));
            lines = lines.sub(lanes.equal(line_feed));
        }
    }
    (starts.sum() as usize, lines.sum() as usize)
}
