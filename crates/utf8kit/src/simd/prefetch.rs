//! Prefetches memory that will soon be read.
//!
//! The hardware prefetcher starts again at each page, and a mispredicted branch throws away its loads. On AVX-512,
//! loops that are bound by loads gain only where the input is larger than the L2 cache.
//!
//! `bench/record/kernels/prefetch.md` has the measurements.

/// How far ahead.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const DISTANCE_BYTES: usize = 2048;

/// The length from which an input, with its output, rarely fits in a small L2 cache.
const MIN_BYTES_WHEN_LOAD_BOUND: usize = 256 << 10;

/// Returns whether prefetching pays for this length even in loops that are bound by loads.
#[inline(always)]
pub(crate) fn prefetch_pays_when_load_bound(bytes: &[u8]) -> bool {
    bytes.len() >= MIN_BYTES_WHEN_LOAD_BOUND
}

/// Prefetches the cache line some way ahead of the first of the bytes, which may be beyond them.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unsafe_code, reason = "an instruction that is only a hint")]
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8]) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 CPU has the instruction, which never faults.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(DISTANCE_BYTES).cast()) };
}

/// Does nothing: other architectures were not measured, and Miri has no such instruction.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(crate) fn prefetch(_: &[u8]) {}
