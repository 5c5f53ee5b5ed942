//! Converts by SWAR, and by loops that compilers vectorize.
//!
//! Eight ASCII bytes, or four units of ASCII, at a time. To wider units, up to four sequences of two bytes, or two
//! sequences of three or four bytes, are converted as one word; other sequences one by one. Leads of two-byte sequences
//! are recognised by comparison, and need only a continuation; other leads are looked up in the grammar.
//!
//! Inputs of fewer than sixteen bytes have a separate loop, with NULs after them, so that each item is read as four
//! bytes. Other levels also send inputs of that length here that their short kernels do not convert.
//!
//! # Decisions
//! - Items are not decoded branchlessly, because each item would wait for the length of the one before.
//! - 16-bit units are tested up to four together, with branches for one and two bytes, because scripts come in runs.
//! - A loop for runs of four-byte sequences would help emoji only, and change how the other branches are compiled.
//!
//! `bench/record/kernels/utf8_to_wide.md` has the measurements.

use super::{LANES, is_ascii};
use crate::encoding::Latin1;
use crate::grammar::{Grammar, is_continuation};
use crate::kernels::utf8_latin1::{self, ToLatin1};
use crate::kernels::utf8_to_wide::{Extend, Widen};
use crate::kernels::wide_to_utf8::{self, Narrow, Source};
use crate::out::Out;
use crate::reference::convert::{Wide, items, put};
use crate::reference::decode::{is_high_surrogate, is_low_surrogate, is_surrogate, join};
use crate::simd::{BLOCK_BYTES, FRONT_BYTES, front_of};

/// How many bytes of ASCII are converted at a time, once there are eight.
const ASCII_BYTES_PER_STORE: usize = 32;

/// How many bytes of ASCII become wider units at a time, before [`ASCII_BYTES_PER_STORE`].
const ASCII_BYTES_PER_LOOP: usize = 4 * BLOCK_BYTES;

/// How many bytes are converted item by item.
pub(super) const MAX_BYTES_OF_ITEMS: usize = 15;

/// Converts as much as is well formed and fits; returns the number of bytes.
#[inline(always)]
pub(crate) fn widen<'o, U: Wide>(work: Widen<'_, 'o, U>) -> (usize, Out<'o>) {
    let Widen { grammar, bytes, mut out, .. } = work;
    let mut at = widen_long::<U>(grammar, bytes, &mut out);
    // The last items, or the last ones that fit.
    let some = &bytes[at..bytes.len().min(at + MAX_BYTES_OF_ITEMS)];
    at += widen_items::<U>(grammar, some, &mut out);
    (at, out)
}

/// Returns fewer than sixteen bytes, and enough NULs after them that each item can be read as four bytes.
#[inline(always)]
fn padded(bytes: &[u8]) -> [u8; 24] {
    let mut all = [0; 24];
    all[..16].copy_from_slice(&front_of(bytes, 0));
    all
}

/// [`widen`] for fewer than sixteen bytes, as long as they are well formed.
#[inline(always)]
pub(crate) fn widen_small<'o, U: Wide>(work: Widen<'_, 'o, U>) -> (usize, Out<'o>) {
    let Widen { grammar, bytes, mut out, .. } = work;
    let at = widen_items::<U>(grammar, bytes, &mut out);
    (at, out)
}

/// Converts fewer than sixteen bytes item by item, as long as they are well formed and fit; returns their number. All
/// bytes are tested, so that an incomplete item at the end is left.
#[inline(always)]
pub(super) fn widen_items<U: Wide>(grammar: &'static Grammar, bytes: &[u8], out: &mut Out<'_>) -> usize {
    let with_nuls = padded(bytes);
    let mut at = 0;
    while at < bytes.len()
        && let Some(&[a, b, c, d]) = with_nuls[at..].first_chunk()
        && let Some((value, len)) = decoded(grammar, [a, b, c, d])
        && put::<U>(value, out)
    {
        at += len;
    }
    at
}

/// Copies at most sixteen bytes of ASCII, all or nothing, if there is capacity for sixteen.
#[inline(always)]
pub(crate) fn copy_ascii(bytes: &[u8], out: &mut Out<'_>) -> bool {
    if bytes.len() > FRONT_BYTES {
        return false;
    }
    let front = front_of(bytes, 0);
    is_ascii(&front) && out.push_front_of(front, bytes.len())
}

/// Returns the value and the length of the first item; `None` if it is invalid.
#[inline(always)]
pub(super) fn decoded(grammar: &'static Grammar, [first, second, third, fourth]: [u8; 4]) -> Option<(u32, usize)> {
    let (a, b, c, d) = (u32::from(first), u32::from(second), u32::from(third), u32::from(fourth));
    let begins = |len| grammar.begins(first, second, len);
    match a {
        0..0x80 => Some((a, 1)),
        0x80..0xE0 => {
            (first >= grammar.first_of_two() && is_continuation(second)).then_some((a << 6 & 0x7C0 | b & 0x3F, 2))
        }
        0xE0..0xF0 => {
            (begins(3) && is_continuation(third)).then_some((a << 12 & 0xF000 | b << 6 & 0xFC0 | c & 0x3F, 3))
        }
        _ => (begins(4) && is_continuation(third) && is_continuation(fourth))
            .then_some((a << 18 & 0x1C_0000 | b << 12 & 0x3_F000 | c << 6 & 0xFC0 | d & 0x3F, 4)),
    }
}

/// Writes each byte as the unit of its value, as many as fit; returns their number.
#[inline(always)]
pub(crate) fn extend<'o, U: Wide>(work: Extend<'_, 'o, U>) -> (usize, Out<'o>) {
    let Extend { bytes, mut out, target } = work;
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK_BYTES>()
        && put_bytes::<U, BLOCK_BYTES>(block, &mut out)
    {
        at += BLOCK_BYTES;
    }
    at += items(Latin1, target, &bytes[at..], &mut out);
    (at, out)
}

/// Writes each byte as the unit of its value; returns `false` if the capacity is too small, and then writes nothing.
#[inline(always)]
fn put_bytes<U: Wide, const N: usize>(bytes: &[u8; N], out: &mut Out<'_>) -> bool {
    out.remaining() >= N * U::UNIT && bytes.iter().all(|&byte| put::<U>(u32::from(byte), out))
}

/// Writes the ASCII bytes at the front of eight as units; returns `false` if the capacity is too small for eight.
#[inline(always)]
fn put_ascii<U: Wide>(eight: &[u8; 8], ascii: usize, out: &mut Out<'_>) -> bool {
    let low = if U::BIG_ENDIAN { U::UNIT - 1 } else { 0 };
    if U::UNIT == 4 {
        let mut units = [[0; 4]; 8];
        units.iter_mut().zip(eight).for_each(|(unit, byte)| unit[low] = *byte);
        return units.as_flattened().first_chunk::<32>().is_some_and(|units| out.push_front_of(*units, 4 * ascii));
    }
    let mut units = [[0; 2]; 8];
    units.iter_mut().zip(eight).for_each(|(unit, byte)| unit[low] = *byte);
    units.as_flattened().first_chunk::<16>().is_some_and(|units| out.push_front_of(*units, 2 * ascii))
}

/// Converts UTF-8, except for its last bytes. Stops near the end of the output or at invalid text. Returns the number
/// of bytes.
#[inline(always)]
pub(super) fn widen_long<U: Wide>(grammar: &'static Grammar, bytes: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if is_ascii(eight) {
            // As 32-bit units, `put_ascii` takes 1.4 times as long.
            let fits = if U::UNIT == 2 { put_ascii::<U>(eight, 8, out) } else { put_bytes::<U, 8>(eight, out) };
            if !fits {
                break;
            }
            at += 8;
            while let Some(much) = bytes[at..].first_chunk::<ASCII_BYTES_PER_LOOP>()
                && is_ascii(much)
                && put_bytes::<U, ASCII_BYTES_PER_LOOP>(much, out)
            {
                at += ASCII_BYTES_PER_LOOP;
            }
            while let Some(more) = bytes[at..].first_chunk::<ASCII_BYTES_PER_STORE>()
                && is_ascii(more)
                && put_bytes::<U, ASCII_BYTES_PER_STORE>(more, out)
            {
                at += ASCII_BYTES_PER_STORE;
            }
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
        let Some(&eight) = bytes[at..].first_chunk::<8>() else { break };
        let [a, _, c, ..] = eight;
        // A single one of two bytes by a branch as well.
        if a < 0xE0 && c & 0xE0 == 0xC0 {
            let (units, count) = twos(grammar, eight);
            if count == 0 || !put_twos::<U>(units, count, out) {
                break;
            }
            at += 2 * count;
            continue;
        }
        if a >= 0xE0 {
            while let Some(&eight) = bytes[at..].first_chunk::<8>()
                && let Some((values, len)) = pair(grammar, eight)
                && put_pair::<U>(values, len, out)
            {
                at += len;
            }
        }
        // The next item, of any length.
        let Some(&[a, b, c, d]) = bytes[at..].first_chunk::<4>() else { break };
        let Some((value, len)) = decoded(grammar, [a, b, c, d]) else { break };
        if !put::<U>(value, out) {
            break;
        }
        at += len;
    }
    at
}

/// Returns the values of up to four sequences of two bytes as 16-bit units, and how many there are.
#[inline(always)]
fn twos(grammar: &'static Grammar, bytes: [u8; 8]) -> (u64, usize) {
    let word = u64::from_le_bytes(bytes);
    let all = |unit: u64| unit * LANES;
    let leads = word & all(0x00FF);
    let mut others = word & all(0xC0E0) ^ all(0x80C0);
    let enough = leads + all(0x8000 - u64::from(grammar.first_of_two()));
    others |= !enough & all(0x8000);
    let units = (leads & all(0x001F)) << 6 | word >> 8 & all(0x003F);
    (units, others.trailing_zeros() as usize / 16)
}

/// Writes the first of four 16-bit units; returns `false` if the capacity is too small for four.
#[inline(always)]
fn put_twos<U: Wide>(units: u64, count: usize, out: &mut Out<'_>) -> bool {
    if U::UNIT == 2 {
        return out.push_front_of(in_order::<U>(units), 2 * count);
    }
    let two = |half: u64| in_order::<U>(half & 0xFFFF | (half & 0xFFFF_0000) << 16);
    let four = [two(units), two(units >> 32)];
    four.as_flattened().first_chunk::<16>().is_some_and(|four| out.push_front_of(*four, 4 * count))
}

/// Returns a word of units, the first of them lowest, as the target's bytes.
#[inline(always)]
fn in_order<U: Wide>(units: u64) -> [u8; 8] {
    let bytes = units.to_le_bytes();
    match (U::BIG_ENDIAN, bytes) {
        (false, _) => bytes,
        (true, [a, b, c, d, e, f, g, h]) if U::UNIT == 2 => [b, a, d, c, f, e, h, g],
        (true, [a, b, c, d, e, f, g, h]) => [d, c, b, a, h, g, f, e],
    }
}

/// Returns the values of two sequences of three bytes, or two of four, each in half a word, and the bytes of both.
#[inline(always)]
fn pair(grammar: &'static Grammar, bytes: [u8; 8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(bytes);
    let [a, b, _, d, e, f, ..] = bytes;
    let begin =
        |[one, two]: [[u8; 2]; 2], len| grammar.begins(one[0], one[1], len) && grammar.begins(two[0], two[1], len);
    if word & 0xC0C0_F0C0_C0F0 == 0x8080_E080_80E0 && begin([[a, b], [d, e]], 3) {
        let both = |bits: u64| word & (bits << 24 | bits);
        let values = both(0x0F) << 12 | both(0x3F00) >> 2 | both(0x3F_0000) >> 16;
        Some((values & 0xFFFF | values << 8 & 0xFFFF << 32, 6))
    } else if word & 0xC0C0_C0F8_C0C0_C0F8 == 0x8080_80F0_8080_80F0 && begin([[a, b], [e, f]], 4) {
        let both = |bits: u64| word & (bits << 32 | bits);
        let [first, second] = [both(0x07) << 18, both(0x3F00) << 4];
        Some((first | second | both(0x3F_0000) >> 10 | both(0x3F00_0000) >> 24, 8))
    } else {
        None
    }
}

/// Writes two values, each in half a word, of sequences of `len` bytes together; returns `false` if the capacity is too
/// small.
#[inline(always)]
fn put_pair<U: Wide>(values: u64, len: usize, out: &mut Out<'_>) -> bool {
    if U::UNIT == 4 {
        return out.push_front_of(in_order::<U>(values), 8);
    }
    if len == 6 {
        let [a, b, c, d, ..] = in_order::<U>(values | values >> 16);
        return out.push_front_of([a, b, c, d], 4);
    }
    let above = values.wrapping_sub(0x0001_0000_0001_0000);
    let high = above >> 10 & 0x0000_03FF_0000_03FF;
    let low = (above & 0x0000_03FF_0000_03FF) << 16;
    out.push_front_of(in_order::<U>(0xDC00_D800_DC00_D800 | high | low), 8)
}

/// Converts a prefix as long as it is well formed, is in Latin-1, and fits; returns the number of input bytes.
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
            while let Some(more) = bytes[at..].first_chunk::<ASCII_BYTES_PER_STORE>()
                && is_ascii(more)
                && out.push_front_of(*more, ASCII_BYTES_PER_STORE)
            {
                at += ASCII_BYTES_PER_STORE;
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

/// Converts units as long as they are well formed and fit; returns their number.
#[inline(always)]
pub(crate) fn narrow<'o, S: Source>(work: Narrow<'_, '_, 'o, S>) -> (usize, Out<'o>) {
    let Narrow { bytes, mut out, source, four_bytes, mut lossy } = work;
    let [a, b, c, d] = S::ABOVE_ASCII;
    let above_ascii = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if u64::from_ne_bytes(*eight) & above_ascii == 0 {
            let low =
                |unit: usize| eight[unit * S::UNIT + if source.erase().is_big_endian() { S::UNIT - 1 } else { 0 }];
            if out.remaining() < 8 || !(0..8 / S::UNIT).all(|unit| out.push_front_of([low(unit)], 1)) {
                break;
            }
            at += 8;
            while let Some(more) = bytes[at..].first_chunk::<ASCII_BYTES_PER_STORE>()
                && more.as_chunks().0.iter().fold(0, |all, word| all | u64::from_ne_bytes(*word)) & above_ascii == 0
                && out.push_front_of(low_bytes::<S>(more), ASCII_BYTES_PER_STORE / S::UNIT)
            {
                at += ASCII_BYTES_PER_STORE;
            }
            continue;
        }
        // The units up to the first surrogate, without a test for ASCII before each.
        let units = eight.chunks_exact(S::UNIT);
        let plain = units.take_while(|unit| put_plain(value_of::<S>(unit), four_bytes, &mut out)).count();
        at += S::UNIT * plain;
        if plain > 0 {
            continue;
        }
        // A pair of surrogates, an error, or the end of the output.
        let pair = [value_of::<S>(&eight[..2]), value_of::<S>(&eight[2..4])];
        let Some(value) = joined(pair).filter(|_| S::UNIT == 2) else {
            if let Some(lossy) = &mut lossy
                && matches!(pair[0], 0xD800..0xE000)
                && put_plain(value_of::<S>(&lossy.replacement), four_bytes, &mut out)
            {
                lossy.report(at);
                at += 2;
                continue;
            }
            break;
        };
        let fits = if four_bytes {
            out.push_front_of(encoded(value).0, 4)
        } else {
            let [[a, b, c], [d, e, f]] = [three(pair[0]), three(pair[1])];
            out.push_front_of([a, b, c, d, e, f], 6)
        };
        if !fits {
            break;
        }
        at += 4;
    }
    while let Some(len) = wide_to_utf8::item(source, &bytes[at..], four_bytes, &mut out) {
        at += len;
    }
    (at / S::UNIT, out)
}

/// Returns the low byte of each unit, and then zeros.
#[inline(always)]
fn low_bytes<S: Source>(units: &[u8; ASCII_BYTES_PER_STORE]) -> [u8; ASCII_BYTES_PER_STORE] {
    let place = if S::BIG_ENDIAN { S::UNIT - 1 } else { 0 };
    let mut low = [0; ASCII_BYTES_PER_STORE];
    for (low, unit) in low.iter_mut().zip(units.chunks_exact(S::UNIT)) {
        *low = unit[place];
    }
    low
}

/// Returns a unit as a number.
#[inline(always)]
fn value_of<S: Source>(unit: &[u8]) -> u32 {
    match *unit {
        [byte] => byte.into(),
        [a, b] if S::BIG_ENDIAN => u16::from_be_bytes([a, b]).into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] if S::BIG_ENDIAN => u32::from_be_bytes([a, b, c, d]),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => u32::MAX,
    }
}

/// Returns the value of a pair of surrogates.
#[inline(always)]
fn joined([high, low]: [u32; 2]) -> Option<u32> {
    let is_pair = is_high_surrogate(high) && is_low_surrogate(low);
    is_pair.then(|| join(high, low))
}

/// Writes the value of a unit as UTF-8. Returns `false`, and writes nothing, if it is not a scalar value, would take
/// four bytes although these are not wanted, or does not fit.
#[inline(always)]
fn put_plain(value: u32, four_bytes: bool, out: &mut Out<'_>) -> bool {
    let known = match value {
        0..0x800 => true,
        0x800..0x1_0000 => !is_surrogate(value),
        _ => four_bytes && value < 0x11_0000,
    };
    let (sequence, len) = encoded(value);
    known && out.push_front_of(sequence, len)
}

/// [`narrow`] for fewer than sixteen bytes of 16-bit units to UTF-8.
#[inline(always)]
pub(crate) fn narrow_small<'o, S: Source>(work: Narrow<'_, '_, 'o, S>) -> (usize, Out<'o>) {
    let Narrow { bytes, mut out, .. } = work;
    let with_nuls = padded(bytes);
    let mut at = 0;
    while at < bytes.len()
        && let Some(&[a, b, c, d]) = with_nuls[at..].first_chunk()
    {
        let pair = [value_of::<S>(&[a, b]), value_of::<S>(&[c, d])];
        let (value, len) = match joined(pair) {
            Some(value) => (value, 4),
            None if is_surrogate(pair[0]) => break,
            None => (pair[0], 2),
        };
        let (sequence, written) = encoded(value);
        if !out.push_only_front_of(sequence, written) {
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
