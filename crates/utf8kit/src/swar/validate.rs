//! Finds how far bytes are clean, by SWAR: ASCII by blocks, everything else by the automaton of the grammar. One
//! automaton runs from start to end, because several at once are faster only for emoji, and slower on average.

use crate::grammar::{Grammar, automaton};
use crate::kernels::{rest_from, validate::CleanPrefix};
use crate::reference;
use crate::reference::validate::boundary_before;
use crate::simd::BLOCK_BYTES;
use crate::swar::is_ascii;

/// How many bytes the automaton processes between tests for an error.
const BYTES_PER_ERROR_TEST: usize = 16;

/// Returns the length of a prefix that is well formed, treating NUL as valid, and that ends at a boundary. The rest may
/// also be well formed.
pub(crate) fn clean_prefix(CleanPrefix { grammar, bytes }: CleanPrefix<'_>) -> usize {
    let at = clean_steps(grammar, bytes);
    at + reference::validate::clean_prefix(grammar, rest_from(bytes, at))
}

/// [`clean_prefix`] by the automaton alone, which stops less than [`BYTES_PER_ERROR_TEST`] bytes and a sequence before
/// an error or the end.
#[inline(always)]
pub(super) fn clean_steps(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let mut rest = after_ascii(bytes);
    if let Some(automaton) = &grammar.automaton {
        let mut state = automaton::WHOLE;
        while let Some((some, after)) = rest.split_first_chunk::<BYTES_PER_ERROR_TEST>() {
            if state == automaton::WHOLE && is_ascii(some) {
                rest = after_ascii(after);
                continue;
            }
            for &byte in some {
                state = automaton::after(automaton, state, byte);
            }
            state &= automaton::STATE_BITS;
            if state == automaton::BROKEN {
                break;
            }
            rest = after;
        }
    }
    boundary_before(bytes, bytes.len() - rest.len())
}

/// [`clean_prefix`] for a few bytes, by the automaton, which has no branches to predict; by the reference
/// implementation if there is no automaton or not all bytes are clean.
#[inline(always)]
pub(crate) fn clean_prefix_small(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    if let Some(automaton) = &grammar.automaton
        && automaton::accepts(automaton, bytes)
    {
        return bytes.len();
    }
    reference::validate::clean_prefix(grammar, bytes)
}

/// Returns the length of a prefix of ASCII: all bytes, or those before the four blocks that hold the first non-ASCII
/// byte.
pub(crate) fn ascii_prefix(bytes: &[u8]) -> usize {
    let fours = bytes.as_chunks::<{ 4 * BLOCK_BYTES }>().0;
    let clean = 4 * BLOCK_BYTES * fours.iter().take_while(|four| is_ascii(four)).count();
    if bytes[clean..].is_ascii() { bytes.len() } else { clean }
}

/// Returns the bytes after the blocks of ASCII at the start.
#[inline(never)]
fn after_ascii(mut bytes: &[u8]) -> &[u8] {
    while let Some((block, after)) = bytes.split_first_chunk::<BLOCK_BYTES>()
        && is_ascii(block)
    {
        bytes = after;
    }
    bytes
}
