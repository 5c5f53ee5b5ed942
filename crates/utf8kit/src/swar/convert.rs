//! Converts by plain words, and by loops that compilers understand.
//!
//! Eight ASCII bytes, or four units of ASCII, at a time; other sequences one by one, and without a table in text that
//! is known to be well formed.
//!
//! Inputs of fewer than sixteen bytes have a separate loop, with NULs after them, so that each item is read as four
//! bytes. Other levels also send what their short kernels do not convert of that length here.
//!
//! # Tried
//! The definition's decoder and encoder for each item, which handle every dialect and check everything: 0.15 GB/s to
//! UTF-16, 0.36 GB/s from it (Zen 3, 2026-11-21).
//!
//! UTF-16 to UTF-8 with one and two bytes selected rather than branched to: 1.12 to 1.15 times as fast for at most 64
//! units, but 0.9 in 64 KiB (0.8 in Arabic and Hebrew). To Latin-1 without `MORE_ASCII`: 0.5 times as fast, and by
//! another 0.8 where the loop is badly aligned. Units without `MORE_ASCII`: 0.6 times as fast in English. 16-bit units
//! tested for ASCII and surrogates one by one instead of up to four together: 0.56 to 0.95 times as fast where the
//! text is not Latin, but 1.14 in emoji (Zen 4, 2026-11-23). 32-bit units two at a time: 1.1 in texts of 64 KiB, which
//! the branch predictor learns, but 0.93 in short ones, which it does not (Zen 5, 2026-11-24).
//!
//! To wider units (Zen 5, 2026-11-24, old and new in turns on a busy machine): ASCII in front of another item written
//! together, with that item at once, and one of two or three bytes that takes another of its length along: 1.13 times
//! as fast to UTF-16 (1.4 in Vietnamese, 0.88 in emoji) and 1.17 to UTF-32 (0.9 in emoji). Without the branch for a
//! single one, 0.9 in Hebrew; with the next item left to the next turn, 0.86. Four bytes that take another four along:
//! 1.07 in emoji, but 0.88 in Hebrew. Four of two bytes by one word: 1.2 in Arabic, but 0.94 in Czech. Room reserved
//! for a whole run: 0.9, 0.65 for UTF-32 of English.

use super::{is_ascii, validate};
use crate::arch::{BLOCK, FRONT, front_of};
use crate::encoding::{Latin1, MAX_LEN, Utf8};
use crate::kernel::utf8_latin1::{self, ToLatin1};
use crate::kernel::utf8_to_wide::{Extend, Extent, Widen};
use crate::kernel::validate::CleanPrefix;
use crate::kernel::wide_to_utf8::{self, Narrow, Source};
use crate::out::Out;
use crate::scalar::convert::{Wide, items, put};
use crate::scalar::decode::is_surrogate;
use crate::scalar::encode::surrogates;

/// How many bytes of ASCII are converted at a time.
const ASCII_AT_ONCE: usize = 4 * BLOCK;

/// How many bytes of ASCII are copied to Latin-1, or from units, at a time, once there are eight.
const MORE_ASCII: usize = 32;

/// How many bytes are validated in advance, and converted while they are in the nearest cache.
const AHEAD: usize = 4096;

/// Converts as much as is well formed, wanted, and fits; returns how many bytes.
#[inline(always)]
pub(crate) fn widen<'o, U: Wide, const WELL_FORMED: bool>(
    work: Widen<'_, 'o, U, WELL_FORMED>,
) -> (usize, Out<'o>) {
    let Widen { grammar, bytes, mut out, target, extent } = work;
    let mut at = 0;
    loop {
        while let Some(blocks) = bytes[at..].first_chunk::<ASCII_AT_ONCE>()
            && grammar.has_nul()
            && is_ascii(blocks)
            && put_bytes::<U, ASCII_AT_ONCE>(blocks, &mut out)
        {
            at += ASCII_AT_ONCE;
        }
        let ahead = &bytes[at..bytes.len().min(at + AHEAD)];
        let clean = validate::clean_prefix(CleanPrefix { grammar, bytes: ahead });
        // Whether this is the last run: an error rather than a sequence cut off by its end, or nothing after it.
        let last = clean + MAX_LEN < ahead.len() || ahead.len() < AHEAD;
        let mut read = widen_well_formed::<U>(&ahead[..clean], &mut out);
        if last && extent != Extent::Blocks {
            read += items(Utf8, target, &ahead[read..clean], &mut out);
        }
        at += read;
        // Words leave the last bytes for the next run; if more are left, there is no room.
        if last || clean - read >= BLOCK {
            return (at, out);
        }
    }
}

/// Returns fewer than sixteen bytes, and enough NULs after them that each item can be read as four bytes.
#[inline(always)]
fn padded(bytes: &[u8]) -> [u8; 24] {
    let mut all = [0; 24];
    all[..16].copy_from_slice(&front_of(bytes, 0));
    all
}

/// [`widen`] for fewer than sixteen bytes: all that is well formed.
#[inline(always)]
pub(crate) fn widen_small<'o, U: Wide, const WELL_FORMED: bool>(
    work: Widen<'_, 'o, U, WELL_FORMED>,
) -> (usize, Out<'o>) {
    let Widen { grammar, bytes, mut out, target, .. } = work;
    let clean = if WELL_FORMED { bytes.len() } else { validate::clean_prefix_small(grammar, bytes) };
    let bytes = &bytes[..clean];
    let with_nuls = padded(bytes);
    let mut at = 0;
    while at < clean
        && let Some(&[a, b, c, d]) = with_nuls[at..].first_chunk()
    {
        let (value, len) = decoded([a, b, c, d]);
        if !put::<U>(value, &mut out) {
            break;
        }
        at += len;
    }
    // A sequence that is cut off is not clean; items without room are left to the definition.
    at += items(Utf8, target, &bytes[at.min(clean)..], &mut out);
    (at, out)
}

/// Copies at most sixteen bytes of ASCII, all or nothing, if there is room for sixteen.
#[inline(always)]
pub(crate) fn copy_ascii(bytes: &[u8], out: &mut Out<'_>) -> bool {
    if bytes.len() > FRONT {
        return false;
    }
    let front = front_of(bytes, 0);
    is_ascii(&front) && out.push_front_of(front, bytes.len())
}

/// Returns the value and the length of the first item of well-formed text.
#[inline(always)]
fn decoded([a, b, c, d]: [u8; 4]) -> (u32, usize) {
    let [a, b, c, d] = [a, b, c, d].map(u32::from);
    match a {
        0..0x80 => (a, 1),
        0x80..0xE0 => (a << 6 & 0x7C0 | b & 0x3F, 2),
        0xE0..0xF0 => (a << 12 & 0xF000 | b << 6 & 0xFC0 | c & 0x3F, 3),
        _ => (a << 18 & 0x1C_0000 | b << 12 & 0x3_F000 | c << 6 & 0xFC0 | d & 0x3F, 4),
    }
}

/// Writes each byte as the unit of its value, as long as there is room; returns how many.
#[inline(always)]
pub(crate) fn extend<'o, U: Wide>(work: Extend<'_, 'o, U>) -> (usize, Out<'o>) {
    let Extend { bytes, mut out, target } = work;
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>()
        && put_bytes::<U, BLOCK>(block, &mut out)
    {
        at += BLOCK;
    }
    at += items(Latin1, target, &bytes[at..], &mut out);
    (at, out)
}

/// Writes each byte as the unit of its value; returns `false` if there is no room, and then writes nothing.
#[inline(always)]
fn put_bytes<U: Wide, const N: usize>(bytes: &[u8; N], out: &mut Out<'_>) -> bool {
    out.remaining() >= N * U::UNIT && bytes.iter().all(|&byte| put::<U>(u32::from(byte), out))
}

/// Writes the ASCII bytes at the front of eight as units; returns `false` if there is no room for eight.
#[inline(always)]
fn put_ascii<U: Wide>(eight: &[u8; 8], ascii: usize, out: &mut Out<'_>) -> bool {
    let low = if U::BIG_ENDIAN { U::UNIT - 1 } else { 0 };
    if U::UNIT == 4 {
        let mut units = [[0; 4]; 8];
        units.iter_mut().zip(eight).for_each(|(unit, byte)| unit[low] = *byte);
        return units
            .as_flattened()
            .first_chunk::<32>()
            .is_some_and(|units| out.push_front_of(*units, 4 * ascii));
    }
    let mut units = [[0; 2]; 8];
    units.iter_mut().zip(eight).for_each(|(unit, byte)| unit[low] = *byte);
    units.as_flattened().first_chunk::<16>().is_some_and(|units| out.push_front_of(*units, 2 * ascii))
}

/// Converts well-formed UTF-8, except for its last bytes; stops where room is short. Returns how many bytes.
#[inline(always)]
fn widen_well_formed<U: Wide>(bytes: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if is_ascii(eight) {
            // As 32-bit units, `put_ascii` takes 1.4 times as long.
            let fits =
                if U::UNIT == 2 { put_ascii::<U>(eight, 8, out) } else { put_bytes::<U, 8>(eight, out) };
            if !fits {
                break;
            }
            at += 8;
            continue;
        }
        // A single one by a branch, so that the next item does not wait for the count.
        let ascii = (u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080).trailing_zeros() as usize / 8;
        if ascii == 1 {
            if !put::<U>(u32::from(eight[0]), out) {
                break;
            }
            at += 1;
        } else if ascii > 0 {
            if !put_ascii::<U>(eight, ascii, out) {
                break;
            }
            at += ascii;
        }
        let Some(&[a, b, c, d, e, f]) = bytes[at..].first_chunk::<6>() else { break };
        let (value, len) = decoded([a, b, c, d]);
        if !put::<U>(value, out) {
            break;
        }
        at += len;
        // One of two or three bytes takes another of its length along.
        if len == 2 && c & 0xE0 == 0xC0 {
            if !put::<U>(decoded([c, d, 0, 0]).0, out) {
                break;
            }
            at += 2;
        }
        if len == 3 && d & 0xF0 == 0xE0 {
            if !put::<U>(decoded([d, e, f, 0]).0, out) {
                break;
            }
            at += 3;
        }
    }
    at
}

/// Converts a prefix as long as it is well formed, is in Latin-1, and fits; returns how many input bytes.
#[inline(always)]
pub(crate) fn to_latin1<'o>(work: ToLatin1<'_, 'o>) -> (usize, Out<'o>) {
    let ToLatin1 { bytes, mut out, nul } = work;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if nul && is_ascii(eight) {
            if !out.push_front_of(*eight, 8) {
                break;
            }
            at += 8;
            while let Some(more) = bytes[at..].first_chunk::<MORE_ASCII>()
                && is_ascii(more)
                && out.push_front_of(*more, MORE_ASCII)
            {
                at += MORE_ASCII;
            }
            continue;
        }
        let Some((value, len)) = latin1_item(eight, nul) else { break };
        if !out.push_front_of([value], 1) {
            break;
        }
        at += len;
    }
    (at + utf8_latin1::by_items(&bytes[at..], nul, &mut out), out)
}

/// [`to_latin1`] for fewer than sixteen bytes.
#[inline(always)]
pub(crate) fn to_latin1_small<'o>(work: ToLatin1<'_, 'o>) -> (usize, Out<'o>) {
    let ToLatin1 { bytes, mut out, nul } = work;
    let with_nuls = padded(bytes);
    let mut at = 0;
    while at < bytes.len() {
        let Some((value, len)) = latin1_item(&with_nuls[at..], nul) else { break };
        if !out.push_front_of([value], 1) {
            break;
        }
        at += len;
    }
    (at, out)
}

/// Returns the Latin-1 byte at the start of UTF-8 text, and its length there.
#[inline(always)]
fn latin1_item(bytes: &[u8], nul: bool) -> Option<(u8, usize)> {
    match *bytes {
        [0, ..] if !nul => None,
        [byte @ 0..0x80, ..] => Some((byte, 1)),
        [lead @ 0xC2..=0xC3, last @ 0x80..0xC0, ..] => Some((lead << 6 | last & 0x3F, 2)),
        _ => None,
    }
}

/// Converts units as long as they are well formed and fit; returns how many.
#[inline(always)]
pub(crate) fn narrow<'o, S: Source>(work: Narrow<'_, 'o, S>) -> (usize, Out<'o>) {
    let Narrow { bytes, mut out, source, four_bytes } = work;
    let [a, b, c, d] = S::ABOVE_ASCII;
    let above_ascii = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if u64::from_ne_bytes(*eight) & above_ascii == 0 {
            let low = |unit: usize| {
                eight[unit * S::UNIT + if source.any().is_big_endian() { S::UNIT - 1 } else { 0 }]
            };
            if out.remaining() < 8 || !(0..8 / S::UNIT).all(|unit| out.push_front_of([low(unit)], 1)) {
                break;
            }
            at += 8;
            while let Some(more) = bytes[at..].first_chunk::<MORE_ASCII>()
                && more.as_chunks().0.iter().fold(0, |all, word| all | u64::from_ne_bytes(*word))
                    & above_ascii
                    == 0
                && out.push_front_of(low_bytes::<S>(more), MORE_ASCII / S::UNIT)
            {
                at += MORE_ASCII;
            }
            continue;
        }
        if S::UNIT == 2 {
            // Those up to the first surrogate, without a test for ASCII before each.
            let basic =
                eight.as_chunks().0.iter().take_while(|unit| put_basic(source, **unit, &mut out)).count();
            at += 2 * basic;
            if basic > 0 {
                continue;
            }
        }
        let Some(step) = source.decode(eight) else { break };
        let Ok(value) = step.result else { break };
        if value >= 0x1_0000 && !four_bytes {
            let [[a, b, c], [d, e, f]] = surrogates(value).map(three);
            if !out.push_front_of([a, b, c, d, e, f], 6) {
                break;
            }
            at += step.len();
            continue;
        }
        let (sequence, len) = encoded(value);
        if !out.push_front_of(sequence, len) {
            break;
        }
        at += step.len();
    }
    while let Some(len) = wide_to_utf8::item(source, &bytes[at..], four_bytes, &mut out) {
        at += len;
    }
    (at / S::UNIT, out)
}

/// Returns the low byte of each unit, and then zeros.
#[inline(always)]
fn low_bytes<S: Source>(units: &[u8; MORE_ASCII]) -> [u8; MORE_ASCII] {
    let place = if S::BIG_ENDIAN { S::UNIT - 1 } else { 0 };
    let mut low = [0; MORE_ASCII];
    for (low, unit) in low.iter_mut().zip(units.chunks_exact(S::UNIT)) {
        *low = unit[place];
    }
    low
}

/// Writes a 16-bit unit as UTF-8. Returns `false`, and writes nothing, if it is a surrogate or there is no room.
#[inline(always)]
fn put_basic<S: Source>(source: S, unit: [u8; 2], out: &mut Out<'_>) -> bool {
    let big_endian = source.any().is_big_endian();
    let value = u32::from(if big_endian { u16::from_be_bytes(unit) } else { u16::from_le_bytes(unit) });
    if is_surrogate(value) {
        return false;
    }
    let (sequence, len) = encoded(value);
    out.push_front_of(sequence, len)
}

/// [`narrow`] for fewer than sixteen bytes of 16-bit units to UTF-8.
#[inline(always)]
pub(crate) fn narrow_small<'o, S: Source>(work: Narrow<'_, 'o, S>) -> (usize, Out<'o>) {
    let Narrow { bytes, mut out, .. } = work;
    let with_nuls = padded(bytes);
    let unit = |pair: [u8; 2]| {
        u32::from(if S::BIG_ENDIAN { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let mut at = 0;
    while at < bytes.len()
        && let Some(&[a, b, c, d]) = with_nuls[at..].first_chunk()
    {
        let (value, len) = match (unit([a, b]), unit([c, d])) {
            (high @ 0xD800..0xDC00, low @ 0xDC00..0xE000) => {
                (0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF), 4)
            }
            (0xD800..0xE000, _) => break,
            (value, _) => (value, 2),
        };
        let (sequence, written) = encoded(value);
        if !(out.push_front_of(sequence, written) || out.push(&sequence[..written])) {
            break;
        }
        at += len;
    }
    (at / S::UNIT, out)
}

/// Returns a scalar value in UTF-8, and its length.
#[inline(always)]
fn encoded(value: u32) -> ([u8; 4], usize) {
    let six = |shift: u32| 0x80 | (value >> shift & 0x3F) as u8;
    match value {
        0..0x80 => ([value as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xC0 | (value >> 6) as u8, six(0), 0, 0], 2),
        0x800..0x1_0000 => {
            let [a, b, c] = three(value);
            ([a, b, c, 0], 3)
        }
        _ => ([0xF0 | (value >> 18) as u8, six(12), six(6), six(0)], 4),
    }
}

/// Returns three bytes of UTF-8, even for a surrogate.
#[inline(always)]
fn three(value: u32) -> [u8; 3] {
    let six = |shift: u32| 0x80 | (value >> shift & 0x3F) as u8;
    [0xE0 | (value >> 12) as u8, six(6), six(0)]
}
