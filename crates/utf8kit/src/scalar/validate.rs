//! Finds clean prefixes by the definition: text that is certainly well formed, and without surrogates in dialects where
//! these are joined or judged together.

use crate::encoding::{Encoding, Step};
use crate::grammar::{Grammar, Surrogates, is_continuation, length_class};
use crate::scalar::decode::{by_rows, is_surrogate};

/// Returns the length of the longest clean prefix of bytes in a dialect. ASCII is skipped by words.
pub(crate) fn clean_prefix(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let nul = grammar.has_nul();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] < 0x80 && nul {
            at += 1;
            while let Some(words) = bytes[at..].first_chunk::<16>() {
                if u128::from_ne_bytes(*words) & (u128::MAX / 255 * 128) != 0 {
                    break;
                }
                at += 16;
            }
            continue;
        }
        match plain_len(grammar, &bytes[at..]) {
            0 => break,
            len => at += len,
        }
    }
    at
}

/// Returns the length of the sequence at the start, if it is complete and may be in a clean prefix, else 0.
#[inline(always)]
fn plain_len(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let lead = &grammar.leads[usize::from(bytes[0])];
    let (low, high) = lead.second;
    let second = |byte: u8| byte.wrapping_sub(low) <= high.wrapping_sub(low);
    let surrogate =
        !matches!(grammar.surrogates, Surrogates::Plain) && bytes[0] == 0xED && bytes.get(1) >= Some(&0xA0);
    // Each arm returns its length as a literal, not as `lead.len`, so the next step waits for a predicted branch
    // instead of two loads. That is a factor of two.
    match (lead.len, bytes) {
        (0, _) => return 0,
        (1, _) => return 1,
        (2, &[_, b, ..]) if second(b) && lead.simple => return 2,
        (3, &[_, b, c, ..]) if second(b) && is_continuation(c) && lead.simple && !surrogate => return 3,
        (4, &[_, b, c, d, ..]) if second(b) && is_continuation(c) && is_continuation(d) && lead.simple => {
            return 4;
        }
        _ => {}
    }
    match by_rows(grammar, bytes) {
        Step { result: Ok(_), len, .. } if !surrogate => usize::from(len),
        _ => 0,
    }
}

/// Returns the length of the longest clean prefix in an encoding of wider units.
pub(crate) fn clean_prefix_by_items<E: Encoding>(encoding: E, bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(step) = encoding.decode(&bytes[at..]) {
        match step.result {
            Ok(value) if !is_surrogate(value) => at += step.len(),
            _ => break,
        }
    }
    at
}

/// Returns the last boundary at or before `end`, if everything before `end` is well formed except for an incomplete
/// sequence there.
#[inline(always)]
pub(crate) fn boundary_before(bytes: &[u8], end: usize) -> usize {
    for back in 1..=end.min(3) {
        let byte = bytes[end - back];
        if !is_continuation(byte) {
            return if length_class(byte) > back { end - back } else { end };
        }
    }
    end
}
