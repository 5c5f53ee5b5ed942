//! Algorithms over vectors, each written once for every level. Safe code only: see [`crate::simd`].
//!
//! A kernel never names an error. It reports how far the input is certainly well formed, or, in `repair`, where items
//! begin and which of them are errors. The reference implementation names the errors and decides the rest.

pub(crate) mod ascii;
#[cfg(any(feature = "column", all(test, feature = "alloc")))]
pub(crate) mod column;
pub(crate) mod count;
mod items;
#[cfg(any(feature = "index", all(test, feature = "alloc")))]
mod marks;
pub(crate) mod repair;
#[cfg(any(feature = "summary", all(test, feature = "alloc")))]
pub(crate) mod summary;
pub(crate) mod tables;
pub(crate) mod utf16;
pub(crate) mod utf8_latin1;
pub(crate) mod utf8_to_wide;
pub(crate) mod validate;
pub(crate) mod validate_and_count;
#[cfg(any(feature = "column", all(test, feature = "alloc")))]
pub(crate) mod views;
pub(crate) mod wide_to_utf8;

use crate::simd::{Token, Vector};

/// `if mask[i] == 255 { yes[i] } else { no[i] }`
#[inline(always)]
fn select<V: Vector>(mask: V, yes: V, no: V) -> V {
    no.xor(mask.and(yes.xor(no)))
}

/// Returns the bytes starting at `at`; none if there are fewer.
#[inline(always)]
pub(crate) fn rest_from(bytes: &[u8], at: usize) -> &[u8] {
    bytes.split_at(at.min(bytes.len())).1
}

/// Returns a vector whose two-byte lanes all consist of these two bytes.
#[inline(always)]
fn lanes_of<T: Token>(token: T, low: u8, high: u8) -> T::Vector {
    token.table(&repeated([low, high]))
}

/// Repeats `bytes` to fill sixteen bytes.
const fn repeated<const N: usize>(bytes: [u8; N]) -> [u8; 16] {
    let mut all = [0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = bytes[i % N];
        i += 1;
    }
    all
}
