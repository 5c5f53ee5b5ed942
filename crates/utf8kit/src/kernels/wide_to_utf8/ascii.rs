//! Units that are ASCII.

use core::marker::PhantomData;

use super::source::Source;
use crate::kernels::repeated;
use crate::out::{Make, Out};
use crate::simd::{Token, Vector};

/// Reports whether any unit of `bytes`, which must be whole vectors, has any of these bits.
#[inline(always)]
pub(super) fn any_bits<T: Token>(token: T, bytes: &[u8], bits: [u8; 4]) -> bool {
    let mut all = token.load_at(bytes, 0);
    for vector in 1..bytes.len() / T::Vector::LEN {
        all = all.or(token.load_at(bytes, vector * T::Vector::LEN));
    }
    all.and(token.table(&repeated(bits))).any()
}

/// Writes a vector of ASCII; reports whether it fitted.
#[inline(always)]
pub(super) fn put_ascii<T: Token, S: Source>(token: T, units: &[u8], out: &mut Out<'_>) -> bool {
    let Some(mut reserved) = out.reserve(T::Vector::LEN) else { return false };
    if units.len() == S::UNIT * T::Vector::LEN {
        reserved.push_units::<1>(Ascii::<S>::make(token, units).1.to_bytes(), T::Vector::LEN);
        return true;
    }
    let lanes = S::lanes(token, units);
    let low = if S::UNIT == 1 { lanes } else { lanes.deinterleave(lanes).0 };
    reserved.push_units::<1>(low.to_bytes(), units.len() / S::UNIT);
    true
}

/// Writes two vectors of bytes, if they are ASCII and fit; reports whether it did.
#[inline(always)]
pub(super) fn put_two_ascii<T: Token>(token: T, bytes: &[u8], out: &mut Out<'_>) -> bool {
    let (first, second) = (token.load_at(bytes, 0), token.load_at(bytes, T::Vector::LEN));
    if first.or(second).any_high() {
        return false;
    }
    let Some(mut reserved) = out.reserve(2 * T::Vector::LEN) else { return false };
    reserved.push_units::<1>(first.to_bytes(), T::Vector::LEN);
    reserved.push_units::<1>(second.to_bytes(), T::Vector::LEN);
    true
}

/// Makes a vector of bytes from as many units, if they are ASCII.
pub(crate) struct Ascii<S>(PhantomData<S>);

impl<S: Source> Make for Ascii<S> {
    const IN_PAIRS: bool = S::UNIT == 2;

    #[inline(always)]
    fn make<T: Token>(token: T, units: &[u8]) -> (T::Vector, T::Vector) {
        let len = T::Vector::LEN;
        let first = token.load_at(units, 0);
        let (any, bytes) = match S::UNIT {
            1 => (first, first),
            2 => {
                let second = token.load_at(units, len);
                (first.or(second), low::<_, S>(first.deinterleave(second)))
            }
            _ => {
                let [second, third, fourth] =
                    [token.load_at(units, len), token.load_at(units, 2 * len), token.load_at(units, 3 * len)];
                let front = low::<_, S>(first.deinterleave_16(second));
                let back = low::<_, S>(third.deinterleave_16(fourth));
                (first.or(second).or(third.or(fourth)), low::<_, S>(front.deinterleave(back)))
            }
        };
        (any.and(token.table(&repeated(S::ABOVE_ASCII))), bytes)
    }
}

/// Selects the lower halves of units from the lanes at even and at odd positions.
#[inline(always)]
fn low<V, S: Source>((even, odd): (V, V)) -> V {
    if S::BIG_ENDIAN { odd } else { even }
}
