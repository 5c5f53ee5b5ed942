//! Finds ASCII: bytes whose highest bit is clear.

use crate::simd::{BLOCK_BYTES, Kernel, Lines, Token, Vector};

/// Finds a prefix of ASCII: all bytes, or those before the four blocks that hold the first non-ASCII byte.
pub(crate) struct AsciiPrefix<'b> {
    pub(crate) bytes: &'b [u8],
}

impl Kernel for AsciiPrefix<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let Lines { head, blocks, tail } = Lines::new(token, self.bytes, 1);
        if token.load_front(head, 0).any_high() {
            return 0;
        }
        let (fours, rest) = blocks.as_chunks::<4>();
        // A loop, because a closure is only compiled for the level if it happens to be inlined.
        for (i, four) in fours.iter().enumerate() {
            if !is_ascii(token, four.as_flattened()) {
                return head.len() + i * 4 * BLOCK_BYTES;
            }
        }
        let left = rest.len() * BLOCK_BYTES + tail.len();
        let clean = !ends(token, rest.as_flattened(), tail).any_high();
        if clean { self.bytes.len() } else { self.bytes.len() - left }
    }
}

/// Returns the bits that are set in any byte of the blocks and of the tail, lane by lane.
#[inline(always)]
fn ends<T: Token>(token: T, blocks: &[u8], tail: &[u8]) -> T::Vector {
    let mut any = any_bits(token, blocks);
    for some in tail.chunks(T::Vector::LEN) {
        any = any.or(token.load_front(some, 0));
    }
    any
}

/// Reports whether blocks are ASCII.
#[inline(always)]
pub(crate) fn is_ascii<T: Token>(token: T, blocks: &[u8]) -> bool {
    !any_bits(token, blocks).any_high()
}

/// Returns the bits that are set in any byte of the blocks, lane by lane.
#[inline(always)]
pub(crate) fn any_bits<T: Token>(token: T, blocks: &[u8]) -> T::Vector {
    let mut any = token.splat(0);
    for block in blocks.as_chunks().0 {
        for part in 0..BLOCK_BYTES / T::Vector::LEN {
            any = any.or(token.load(block, part));
        }
    }
    any
}
