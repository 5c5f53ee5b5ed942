//! Converts item by item: for the last bytes of a kernel, and for short inputs.

use crate::encoding::{Codec, ENCODE_BUFFER, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::out::Out;
use crate::reference::decode::{is_surrogate, usual};
use crate::reference::encode::surrogates;

/// Converts items while they are well formed, the target can represent them, and they fit. Returns how many bytes were
/// read. Stops at surrogates and incomplete items, because these depend on the next bytes.
#[inline(always)]
pub(crate) fn items<S: Codec, T: Codec>(from: S, to: T, bytes: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some((value, len)) = value_at(from, &bytes[at..]) {
        let mut encoded = [0; ENCODE_BUFFER];
        let Ok(written) = to.encode_value(value, &mut encoded) else { break };
        if !out.push_only_front_of(encoded, written) {
            break;
        }
        at += len;
    }
    at
}

/// Returns the value at the start, and its length, unless it is a surrogate or incomplete.
#[inline(always)]
fn value_at<E: Codec>(encoding: E, bytes: &[u8]) -> Option<(u32, usize)> {
    if let Some(grammar) = encoding.erase().grammar()
        && let Some((value, len)) = usual(grammar, bytes)
        && !is_surrogate(value)
    {
        return Some((value, len));
    }
    let step = encoding.decode_step(bytes)?;
    let value = step.result.ok().filter(|&value| !step.incomplete && !is_surrogate(value))?;
    Some((value, step.len()))
}

/// An encoding of units of two or four bytes, with the properties that a kernel needs at compile time.
pub(crate) trait Wide: Codec + Default {
    /// Number of bytes in a unit.
    const UNIT: usize;
    /// Whether units begin with the most significant byte.
    const BIG_ENDIAN: bool;
}

macro_rules! wide {
    ($($name:ident, $unit:literal, $big_endian:literal;)*) => {$(
        impl Wide for $name {
            const UNIT: usize = $unit;
            const BIG_ENDIAN: bool = $big_endian;
        }
    )*};
}

wide! {
    Utf16Le, 2, false;
    Utf16Be, 2, true;
    Utf32Le, 4, false;
    Utf32Be, 4, true;
}

/// Writes a scalar value, which is not checked, in the target's units. Returns `false`, and writes nothing, if it does
/// not fit.
#[inline(always)]
pub(crate) fn put<U: Wide>(value: u32, out: &mut Out<'_>) -> bool {
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
