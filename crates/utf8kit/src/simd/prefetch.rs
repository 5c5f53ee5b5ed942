//! Asks for memory that is read soon.
//!
//! Processors read ahead by themselves, but begin anew at each page, and a mispredicted branch throws away what else
//! was on its way. Times the speed without this, in 64 KiB, which lie in the second cache, and in 4 MiB, in the third
//! (Sapphire Rapids, 2026-11-26, old and new in turns, cycles, geometric means; -: not used there; ?: not measured):
//!
//! ```text
//!                      avx512           AVX2             sse4
//!                      64 KiB  4 MiB    64 KiB  4 MiB    64 KiB
//! UTF-16 to UTF-8      1.05    1.24     1.01    1.07     1.00
//! UTF-32 to UTF-8      1.03    1.16     1.03    ?        1.05
//! UTF-8 to UTF-16      -       1.09     1.01    1.02     1.00
//! UTF-8 to UTF-32      -       ?        1.02    ?        1.00
//! UTF-8 to Latin-1     1.05    1.01     1.03    1.01     1.01
//! validation           -       -        1.07    1.09     1.00
//! ```
//!
//! To UTF-16 in 128, 256 and 512 KiB, 1 and 2 MiB (seven texts): on avx512 1.03, 1.01, 1.01, 1.07 and 1.08, on AVX2
//! 1.03, 1.04, 1.02, 1.04 and 1.02.
//!
//! # Tried
//! - In all lengths on AVX-512, where loads are what limits a loop: to UTF-16 0.94 times as fast in Arabic, also in
//!   128 KiB of text in one script; validation 0.95 in three-byte text. Validation only in long texts: 1.07 in 4 MiB,
//!   but 0.99 in 64 KiB.
//! - In copies with repair on AVX-512: 0.97 times as fast with an error every 10,000 bytes, 1.02 every 1,000. In UTF-16
//!   that is validated or repaired, and from Latin-1: 0.97 to 1.01.
//! - For the output, too: 0.98 to 1.0 times as fast in 64 KiB, 0.99 to 1.03 in 4 MiB.
//! - 512, 1024 and 4096 bytes ahead: UTF-16 to UTF-8 in 4 MiB 1.18, 1.19 and 1.26 times as fast instead of 1.24.

/// How far ahead.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const DISTANCE_BYTES: usize = 2048;

/// From how many bytes on an input is far: with its output, it hardly lies in a small second cache.
const MIN_BYTES_WHEN_LOAD_BOUND: usize = 256 << 10;

/// Reports whether it is better to ask ahead for an input also where many loads are waiting.
#[inline(always)]
pub(crate) fn prefetch_pays_when_load_bound(bytes: &[u8]) -> bool {
    bytes.len() >= MIN_BYTES_WHEN_LOAD_BOUND
}

/// Asks for the cache line some way ahead of the first of the bytes, wherever that is.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unsafe_code, reason = "an instruction that is only a hint")]
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8]) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 CPU has the instruction, which never faults.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(DISTANCE_BYTES).cast()) };
}

/// Nothing: elsewhere than on x86-64 it was not measured, and Miri has no such instruction.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(crate) fn prefetch(_: &[u8]) {}
