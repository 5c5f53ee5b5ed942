//! Algorithms over vectors, each written once for every level. Safe code only: see [`crate::arch`].
//!
//! A kernel never names an error. It reports how far the input is certainly well formed, or, in `repair`, where items
//! begin and which of them are errors. The scalar definition names the errors and decides the rest.

pub(crate) mod column;
pub(crate) mod count;
pub(crate) mod repair;
pub(crate) mod utf16;
pub(crate) mod utf8_latin1;
pub(crate) mod utf8_to_wide;
pub(crate) mod validate;
pub(crate) mod wide_to_utf8;

use crate::arch::Vector;

/// `if mask[i] == 255 { yes[i] } else { no[i] }`
#[inline(always)]
fn select<V: Vector>(mask: V, yes: V, no: V) -> V {
    no.xor(mask.and(yes.xor(no)))
}
