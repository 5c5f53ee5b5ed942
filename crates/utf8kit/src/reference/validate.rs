//! Finds clean prefixes by the reference implementation: text that is certainly well formed, and without surrogates in
//! dialects that join or classify them together.

use crate::encoding::{Codec, Step};
use crate::grammar::{Grammar, Surrogates, is_continuation, length_class};
use crate::reference::decode::{by_rows, is_surrogate};

/// Returns the length of the longest clean prefix of bytes in a dialect. ASCII is skipped by words.
pub(crate) fn clean_prefix(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let nul = grammar.has_nul();
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        if grammar.is_single(first) {
            rest = after;
            while nul
                && let Some((words, after)) = rest.split_first_chunk::<16>()
                && u128::from_ne_bytes(*words) & (u128::MAX / 255 * 128) == 0
            {
                rest = after;
            }
            continue;
        }
        match after_clean(grammar, first, rest) {
            Some(after) => rest = after,
            None => break,
        }
    }
    bytes.len() - rest.len()
}

/// Returns the bytes after the sequence at the start, if that is complete and allowed in a clean prefix.
#[inline(always)]
fn after_clean<'b>(grammar: &'static Grammar, first: u8, bytes: &'b [u8]) -> Option<&'b [u8]> {
    let lead = grammar.lead(first);
    let (low, high) = lead.second;
    let second = |byte: u8| byte.wrapping_sub(low) <= high.wrapping_sub(low);
    let surrogate = !matches!(grammar.surrogates, Surrogates::Plain) && first == 0xED && bytes.get(1) >= Some(&0xA0);
    // Each arm skips as many bytes as its pattern has, not `lead.len`, so the next step waits for a predicted branch
    // instead of two loads. That is a factor of two.
    match (lead.len, bytes) {
        (2, [_, b, rest @ ..]) if second(*b) && lead.simple => return Some(rest),
        (3, [_, b, c, rest @ ..]) if second(*b) && is_continuation(*c) && lead.simple && !surrogate => {
            return Some(rest);
        }
        (4, [_, b, c, d, rest @ ..]) if second(*b) && is_continuation(*c) && is_continuation(*d) && lead.simple => {
            return Some(rest);
        }
        (0..=4, _) if lead.simple || lead.len == 0 => return None,
        _ => {}
    }
    match by_rows(grammar, bytes) {
        Step { result: Ok(_), len, .. } if !surrogate => bytes.get(usize::from(len)..),
        _ => None,
    }
}

/// Returns the length of the longest clean prefix in an encoding of wider units.
pub(crate) fn clean_prefix_by_items<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(step) = encoding.decode_step(&bytes[at..]) {
        match step.result {
            Ok(value) if !is_surrogate(value) => at += step.len(),
            _ => break,
        }
    }
    at
}

/// Returns the last boundary at or before `end`, if everything before `end` is well formed except for an incomplete
/// sequence there.
#[inline(never)]
pub(crate) fn boundary_before(bytes: &[u8], end: usize) -> usize {
    for back in 1..=3 {
        let Some(at) = end.checked_sub(back) else { break };
        match bytes.get(at) {
            Some(&byte) if is_continuation(byte) => {}
            Some(&byte) if length_class(byte) > back => return at,
            _ => break,
        }
    }
    end
}

/// [`boundary_before`] without a branch on the bytes, for short inputs, in which errors follow sequences of
/// unpredictable length. Long inputs keep the branch, because the search then continues from a predicted boundary and
/// does not wait for it.
#[inline(never)]
pub(crate) fn boundary_before_in_short(bytes: &[u8], end: usize) -> usize {
    let before = bytes.get(..end).unwrap_or_default();
    // ASCII in place of the bytes before the input.
    let mut last = [0; 3];
    match before.last_chunk() {
        Some(three) => last = *three,
        None => last[3 - before.len()..].copy_from_slice(before),
    }
    let [third, second, first] = last;
    let after_two = is_continuation(first);
    let after_three = after_two & is_continuation(second);
    let one = length_class(first) > 1;
    let two = after_two & (length_class(second) > 2);
    let three = after_three & (length_class(third) > 3);
    end - (usize::from(one) + 2 * usize::from(two) + 3 * usize::from(three))
}
