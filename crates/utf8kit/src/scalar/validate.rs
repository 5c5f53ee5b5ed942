//! How far bytes are clean, by the definition: well formed beyond doubt, and without surrogates where those are
//! joined or judged together.

use crate::dialect::{Grammar, Pairs};
use crate::encoding::Encoding;
use crate::scalar::decode::{is_surrogate, unit};

/// The length of the longest clean prefix of a dialect's bytes. ASCII is skipped by words.
#[inline(always)]
pub(crate) fn clean_prefix(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let nul = grammar.leads[0].len == 1;
    let pairs_matter = !matches!(grammar.pairs, Pairs::Plain);
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
            while at < bytes.len() && bytes[at] < 0x80 {
                at += 1;
            }
            continue;
        }
        let Some(step) = unit(grammar, &bytes[at..]) else { break };
        match step.result {
            Ok(value) if !(pairs_matter && is_surrogate(value)) => at += step.len(),
            _ => break,
        }
    }
    at
}

/// The same in an encoding of wider units.
pub(crate) fn clean_prefix_by_items<E: Encoding>(encoding: E, bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(step) = encoding.decode(&bytes[at..]) {
        match step.result {
            Ok(value) if !is_surrogate(value) && step.len() <= encoding.unit() => at += step.len(),
            _ => break,
        }
    }
    at
}
