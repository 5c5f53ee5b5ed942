//! What the other kernels do on levels without a byte shuffle: plain words, and loops that compilers understand.
//!
//! Eight ASCII bytes, or four units of ASCII, at a time; other sequences one by one, of text that is known to be well
//! formed without a table.
//!
//! # Tried
//! The definition's decoder and encoder for each item, which know every dialect and check everything: 0.15 GB/s to
//! UTF-16, 0.36 GB/s from it (Zen 3, 2026-11-21).

use crate::kernel::utf8_to_wide::Target;
use crate::kernel::wide_to_utf8::Source;
use crate::out::Out;
use crate::scalar::encode::surrogates;

const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x0101_0101_0101_0101;

/// Converts well-formed UTF-8, but for its last bytes; stops where there is little room. Says how many bytes.
#[inline(always)]
pub(crate) fn widen<U: Target>(bytes: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if u64::from_ne_bytes(*eight) & HIGH == 0 {
            if out.room() < 8 * U::UNIT || !eight.iter().all(|&byte| put_value::<U>(u32::from(byte), out)) {
                break;
            }
            at += 8;
            continue;
        }
        let &[a, b, c, d, ..] = eight;
        let [a, b, c, d] = [a, b, c, d].map(u32::from);
        let (value, len) = match a {
            0..0x80 => (a, 1),
            0x80..0xE0 => (a << 6 & 0x7C0 | b & 0x3F, 2),
            0xE0..0xF0 => (a << 12 & 0xF000 | b << 6 & 0xFC0 | c & 0x3F, 3),
            _ => (a << 18 & 0x1C_0000 | b << 12 & 0x3_F000 | c << 6 & 0xFC0 | d & 0x3F, 4),
        };
        if !put_value::<U>(value, out) {
            break;
        }
        at += len;
    }
    at
}

/// Converts UTF-8 to Latin-1, but for the last bytes, as far as it is well formed, has a place there, and fits. `nul`: NUL is
/// a byte of the dialect.
#[inline(always)]
pub(crate) fn latin1(bytes: &[u8], nul: bool, out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if nul && u64::from_ne_bytes(*eight) & HIGH == 0 {
            if !out.push_front_of(*eight, 8) {
                break;
            }
            at += 8;
            continue;
        }
        let (value, len) = match *eight {
            [0, ..] if !nul => break,
            [byte @ 0..0x80, ..] => (byte, 1),
            [lead @ 0xC2..=0xC3, last @ 0x80..0xC0, ..] => (lead << 6 | last & 0x3F, 2),
            _ => break,
        };
        if !out.push_front_of([value], 1) {
            break;
        }
        at += len;
    }
    at
}

/// Writes a scalar value in the target's units; `false`, and nothing, if there is no room.
#[inline(always)]
pub(crate) fn put_value<U: Target>(value: u32, out: &mut Out<'_>) -> bool {
    let order = |unit: u16| if U::BIG_ENDIAN { unit.to_be_bytes() } else { unit.to_le_bytes() };
    match U::UNIT {
        2 if value < 0x1_0000 => out.push_front_of(order(value as u16), 2),
        2 => {
            let [[a, b], [c, d]] = surrogates(value).map(|unit| order(unit as u16));
            out.push_front_of([a, b, c, d], 4)
        }
        _ => out.push_front_of(if U::BIG_ENDIAN { value.to_be_bytes() } else { value.to_le_bytes() }, 4),
    }
}

/// Converts units as long as they are well formed and there is much room; says how many bytes of them. `four_bytes`: as
/// [`crate::kernel::wide_to_utf8::Narrow`] has it.
#[inline(always)]
pub(crate) fn narrow<S: Source>(source: S, bytes: &[u8], four_bytes: bool, out: &mut Out<'_>) -> usize {
    let [a, b, c, d] = S::ABOVE_ASCII;
    let above_ascii = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        if u64::from_ne_bytes(*eight) & above_ascii == 0 {
            let low = |unit: usize| {
                eight[unit * S::UNIT + if source.any().is_big_endian() { S::UNIT - 1 } else { 0 }]
            };
            if out.room() < 8 || !(0..8 / S::UNIT).all(|unit| out.push_front_of([low(unit)], 1)) {
                break;
            }
            at += 8;
            continue;
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
        let six = |shift: u32| 0x80 | (value >> shift & 0x3F) as u8;
        let (sequence, len) = match value {
            0..0x80 => ([value as u8, 0, 0, 0], 1),
            0x80..0x800 => ([0xC0 | (value >> 6) as u8, six(0), 0, 0], 2),
            0x800..0x1_0000 => {
                let [a, b, c] = three(value);
                ([a, b, c, 0], 3)
            }
            _ => ([0xF0 | (value >> 18) as u8, six(12), six(6), six(0)], 4),
        };
        if !out.push_front_of(sequence, len) {
            break;
        }
        at += step.len();
    }
    at
}

/// Three bytes of UTF-8, of a surrogate too.
#[inline(always)]
fn three(value: u32) -> [u8; 3] {
    let six = |shift: u32| 0x80 | (value >> shift & 0x3F) as u8;
    [0xE0 | (value >> 12) as u8, six(6), six(0)]
}

/// How many bytes of whole words are not 80..BF.
#[inline(always)]
pub(crate) fn starts(words: &[[u8; 8]]) -> usize {
    // Up to 255 a lane before they are summed, pairs of lanes first.
    let mut total = 0;
    for some in words.chunks(255) {
        let lanes = some.iter().fold(0, |lanes, word| {
            let word = u64::from_ne_bytes(*word);
            lanes + ((!word >> 7 | word >> 6) & LOW)
        });
        let pairs = (lanes & 0x00FF_00FF_00FF_00FF) + (lanes >> 8 & 0x00FF_00FF_00FF_00FF);
        total += (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize;
    }
    total
}
