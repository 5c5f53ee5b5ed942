//! Encodes one value as bytes.

use super::decode::is_surrogate;
use crate::encoding::ENCODE_BUFFER;
use crate::error::ErrorKind;
use crate::grammar::{Grammar, Surrogates, lead_mask};

/// Writes `value` in a dialect of UTF-8.
#[inline(always)]
pub(crate) fn dialect(
    grammar: &'static Grammar,
    value: u32,
    out: &mut [u8; ENCODE_BUFFER],
) -> Result<usize, ErrorKind> {
    if value < 0x80 && (value != 0 || grammar.has_nul()) {
        out[0] = value as u8;
        return Ok(1);
    }
    if value > grammar.max() {
        return Err(ErrorKind::TooLarge);
    }
    if is_surrogate(value) && !allows_surrogate(grammar) {
        return Err(ErrorKind::Surrogate);
    }
    let paired = matches!(grammar.surrogates, Surrogates::Joined | Surrogates::JoinedOrLone);
    if paired && value >= 0x1_0000 {
        let pair = surrogates(value);
        let mut low = [0; ENCODE_BUFFER];
        let first = sequence(grammar, pair[0], out);
        let second = sequence(grammar, pair[1], &mut low);
        out[first..first + second].copy_from_slice(&low[..second]);
        return Ok(first + second);
    }
    Ok(sequence(grammar, value, out))
}

/// Returns the two surrogates of a value above FFFF.
#[inline(always)]
pub(crate) const fn surrogates(value: u32) -> [u32; 2] {
    let above = value.wrapping_sub(0x1_0000);
    [0xD800 | above >> 10, 0xDC00 | above & 0x3FF]
}

/// Reports whether a surrogate value may be written alone.
#[inline(always)]
fn allows_surrogate(grammar: &'static Grammar) -> bool {
    match grammar.surrogates {
        // As in the rows: by the lead and the second byte of D800.
        Surrogates::Plain => grammar.base(3) == 0 && grammar.lead(0xED).second.1 == 0xBF,
        Surrogates::Joined => false,
        Surrogates::JoinedOrLone | Surrogates::Refused => true,
    }
}

/// Writes one sequence of the length class whose range contains the value.
#[inline(always)]
fn sequence(grammar: &'static Grammar, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> usize {
    let mut len = 2; // including NUL, where it takes two bytes
    while len < grammar.longest_unit && value >= grammar.shortest(len + 1) {
        len += 1;
    }
    // A known length needs no loop.
    *out = match len {
        2 => bytes_of::<2>(grammar, value),
        3 => bytes_of::<3>(grammar, value),
        4 => bytes_of::<4>(grammar, value),
        5 => bytes_of::<5>(grammar, value),
        _ => bytes_of::<6>(grammar, value),
    };
    len
}

/// Returns the bytes of a sequence of `LEN` bytes. They are assembled in a register and stored at once: storing single
/// bytes and then loading them together would stall.
#[inline(always)]
fn bytes_of<const LEN: usize>(grammar: &'static Grammar, value: u32) -> [u8; ENCODE_BUFFER] {
    let mut bits = value - grammar.base(LEN);
    let mut word = 0;
    for place in (1..LEN).rev() {
        word |= u64::from(0x80 | bits & 0x3F) << (8 * place);
        bits >>= 6;
    }
    word |= u64::from(!(lead_mask(LEN) << 1 | 1) as u8 | bits as u8);
    word.to_le_bytes()
}

/// Writes `value` as one or two 16-bit units. `LONE` means that a surrogate may be written alone.
#[inline(always)]
pub(crate) fn utf16<const LONE: bool>(
    value: u32,
    out: &mut [u8; ENCODE_BUFFER],
    write: fn(u16) -> [u8; 2],
) -> Result<usize, ErrorKind> {
    if value < 0x1_0000 {
        if is_surrogate(value) && !LONE {
            return Err(ErrorKind::Surrogate);
        }
        [out[0], out[1]] = write(value as u16);
        return Ok(2);
    }
    if value > 0x10_FFFF {
        return Err(ErrorKind::TooLarge);
    }
    let [high, low] = surrogates(value);
    [out[0], out[1]] = write(high as u16);
    [out[2], out[3]] = write(low as u16);
    Ok(4)
}

/// Writes `value` as one 32-bit unit.
#[inline(always)]
pub(crate) fn utf32(value: u32, out: &mut [u8; ENCODE_BUFFER], write: fn(u32) -> [u8; 4]) -> Result<usize, ErrorKind> {
    if is_surrogate(value) {
        return Err(ErrorKind::Surrogate);
    }
    if value > 0x10_FFFF {
        return Err(ErrorKind::TooLarge);
    }
    out[..4].copy_from_slice(&write(value));
    Ok(4)
}

/// Writes `value` as one byte.
#[inline(always)]
pub(crate) fn latin1(value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
    out[0] = match u8::try_from(value) {
        Ok(byte) => byte,
        Err(_) if is_surrogate(value) => return Err(ErrorKind::Surrogate),
        Err(_) => return Err(ErrorKind::TooLarge),
    };
    Ok(1)
}
