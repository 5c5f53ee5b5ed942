//! Plain-word implementations for levels without a byte shuffle: loops over `u64` that any machine runs.

pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod repair;
pub(crate) mod validate;

use crate::arch::HIGH_BITS;

/// Reports whether all bytes are ASCII; `N` is a multiple of eight.
#[inline(always)]
fn is_ascii<const N: usize>(bytes: &[u8; N]) -> bool {
    let any = bytes.as_chunks::<8>().0.iter().fold(0, |any, word| any | u64::from_ne_bytes(*word));
    any & HIGH_BITS == 0
}
