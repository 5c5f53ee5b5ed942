//! Replaces errors by SWAR: item by item near errors, with ASCII eight bytes at a time, and by the automaton between
//! them. Where the automaton stops, the item loop advances to the error; starting the reference's search there would be
//! wasted work. A conversion to wider units stops at each error, and continues after it.

use super::convert::{MAX_BYTES_OF_ITEMS, decoded, widen_items, widen_long};
use super::{HIGH_BITS, first_byte, validate};
use crate::kernels::repair::{Replace, Replaced};
use crate::kernels::utf8_to_wide::WidenLossy;
use crate::reference::convert::Wide;
use crate::reference::decode;
use crate::simd::BLOCK_BYTES;

/// How many clean bytes after an error are copied item by item before a long clean run is searched.
const CLEAN_BYTES_BY_ITEM: usize = 24;

/// Copies text and replaces its errors, as long as eight bytes and enough capacity are left.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn replace<'o>(work: Replace<'_, '_, 'o>) -> Replaced<'o> {
    let Replace { grammar, bytes, mut out, replacement, mut listener, in_run } = work;
    let in_front = if in_run { 0 } else { usize::MAX };
    let mut run_end = in_front;
    let (mut at, mut stop) = (0, CLEAN_BYTES_BY_ITEM);
    let most = replacement.most();
    while let Some(eight) = bytes[at..].first_chunk::<8>()
        && out.remaining() >= most
    {
        if at >= stop {
            let fits = &bytes[at..bytes.len().min(at + out.remaining() - most)];
            let clean = validate::clean_steps(grammar, fits);
            if !out.push(&fits[..clean]) {
                break;
            }
            at += clean;
            // Near the end, or near an error.
            stop = at + CLEAN_BYTES_BY_ITEM;
            continue;
        }
        let &[a, b, c, d, ..] = eight;
        let four = [a, b, c, d];
        if a < 0x80 {
            let ascii = first_byte(u64::from_le_bytes(*eight) & HIGH_BITS);
            let _ = out.push_front_of(*eight, ascii);
            at += ascii;
            continue;
        }
        // By a branch for each length, so that the next item does not wait for it.
        if let Some((_, len)) = decoded(grammar, four) {
            let _ = out.push_front_of(four, len);
            at += len;
            continue;
        }
        let len = decode::prefix(grammar.lead(four[0]), &four);
        let (start, joined) = (out.written(), run_end == at);
        let _ = if replacement.is_short() {
            out.push_front_of(replacement.bytes, replacement.len(len, joined))
        } else {
            replacement.texts(len, joined).all(|text| out.push(text))
        };
        if let Some(listener) = &mut listener {
            listener(at..at + len, out.since(start));
        }
        at += len;
        run_end = at;
        stop = at + CLEAN_BYTES_BY_ITEM;
    }
    Replaced { read: at, out, in_run: run_end == at, found: run_end != in_front }
}

/// Converts text and replaces its errors, as long as eight bytes and enough capacity are left.
#[inline(always)]
pub(crate) fn widen<'o, U: Wide>(work: WidenLossy<'_, '_, 'o, U>) -> Replaced<'o> {
    let WidenLossy { grammar, bytes, mut out, replacement, mut listener, in_run, .. } = work;
    let in_front = if in_run { 0 } else { usize::MAX };
    let (mut run_end, mut at) = (in_front, 0);
    let most = U::UNIT * (replacement.bytes.len() + BLOCK_BYTES);
    loop {
        at += widen_long::<U>(grammar, &bytes[at..], &mut out);
        let Some(&[a, b, c, d, ..]) = bytes[at..].first_chunk::<8>() else { break };
        let four = [a, b, c, d];
        if out.remaining() < most || decoded(grammar, four).is_some() {
            break;
        }
        let len = decode::prefix(grammar.lead(a), &four);
        let text = &replacement.bytes[..replacement.len(len, run_end == at)];
        let front = widen_items::<U>(grammar, &text[..text.len().min(MAX_BYTES_OF_ITEMS)], &mut out);
        widen_items::<U>(grammar, &text[front..], &mut out);
        if let Some(listener) = &mut listener {
            listener(at..at + len, text);
        }
        at += len;
        run_end = at;
    }
    Replaced { read: at, out, in_run: run_end == at, found: run_end != in_front }
}
