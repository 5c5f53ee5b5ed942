//! x86-64 with SSSE3 and SSE4.1: 16 bytes.
#![allow(unsafe_code, reason = "intrinsics; each is safe as a vector exists only where the token does")]

use core::arch::x86_64::*;

use super::{BLOCK, Kernel, Never, Token, Vector};

/// Proof that the CPU supports the level; only created by [`Sse4::new`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse4(());

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes16(pub(super) __m128i);

impl Sse4 {
    /// # Safety
    /// The CPU must have ssse3,sse4.1: `Level::Sse4.is_available()`.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Sse4 {
        Sse4(())
    }
}

#[target_feature(enable = "ssse3,sse4.1")]
fn compiled_for_level<K: Kernel>(token: Sse4, kernel: K) -> K::Output {
    kernel.call(token)
}

impl Token for Sse4 {
    type Vector = Bytes16;
    type Half = Sse4;
    type Sixteen = Bytes16;

    #[inline(always)]
    fn half(self) -> Sse4 {
        self
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves the features.
        unsafe { compiled_for_level(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes16 {
        // SAFETY: the token proves the features.
        Bytes16(unsafe { _mm_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK], part: usize) -> Bytes16 {
        let bytes: &[u8; 16] = &block.as_chunks().0[part];
        // SAFETY: the token proves the features; the bytes are 16, and the load requires no alignment.
        Bytes16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes16 {
        let bytes = &bytes[at..at + 16];
        // SAFETY: the token proves the features; the bytes are 16, and the load requires no alignment.
        Bytes16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes16 {
        // SAFETY: the token proves the features; the table is 16 bytes, and the load requires no alignment.
        let lane = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
        Bytes16(lane)
    }
}

impl Bytes16 {
    /// Returns the lanes of two bytes at even positions, in lanes of four.
    #[inline(always)]
    fn even_16(self) -> Self {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm_set1_epi32(0xFFFF) };
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_and_si128(self.0, low) })
    }

    /// Returns the lanes of two bytes at odd positions, in lanes of four.
    #[inline(always)]
    fn odd_16(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_srli_epi32::<16>(self.0) })
    }

    /// Narrows lanes of four bytes below 10000 to lanes of two.
    #[inline(always)]
    fn pack_16(self, next: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_packus_epi32(self.0, next.0) })
    }

    /// Returns the bytes at even positions, in lanes of two.
    #[inline(always)]
    fn even(self) -> Self {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm_set1_epi16(0xFF) };
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_and_si128(self.0, low) })
    }

    /// Returns the bytes at odd positions, in lanes of two.
    #[inline(always)]
    fn odd(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_srli_epi16::<8>(self.0) })
    }

    /// Narrows lanes of two bytes below 100 to bytes.
    #[inline(always)]
    fn pack(self, next: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_packus_epi16(self.0, next.0) })
    }
}

impl Vector for Bytes16 {
    const LEN: usize = 16;
    type Sixteen = Bytes16;
    type Masked = Never;
    type Bytes = [u8; 16];

    #[inline(always)]
    fn sixteen(self, _: usize) -> Bytes16 {
        self
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_sub_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        let kept = const { (0xFF_u8 << N) as i8 };
        // SAFETY: a vector is proof of the features.
        let kept = unsafe { _mm_set1_epi8(kept) };
        // SAFETY: a vector is proof of the features.
        let shifted = unsafe { _mm_slli_epi16::<N>(self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_and_si128(shifted, kept) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        let kept = const { (0xFF_u8 >> N) as i8 };
        // SAFETY: a vector is proof of the features.
        let kept = unsafe { _mm_set1_epi8(kept) };
        // SAFETY: a vector is proof of the features.
        let shifted = unsafe { _mm_srli_epi16::<N>(self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_and_si128(shifted, kept) })
    }

    #[inline(always)]
    fn shift_left_16<const N: i32>(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_slli_epi16::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_srli_epi16::<N>(self.0) })
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let nibble = unsafe { _mm_set1_epi8(0x0F) };
        // SAFETY: a vector is proof of the features.
        let places = unsafe { _mm_and_si128(self.0, nibble) };
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_shuffle_epi8(table.0, places) })
    }

    #[inline(always)]
    fn prev1(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_alignr_epi8::<15>(self.0, before.0) })
    }

    #[inline(always)]
    fn prev2(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_alignr_epi8::<14>(self.0, before.0) })
    }

    #[inline(always)]
    fn prev3(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_alignr_epi8::<13>(self.0, before.0) })
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        (self.even().pack(next.even()), self.odd().pack(next.odd()))
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        (self.even_16().pack_16(next.even_16()), self.odd_16().pack_16(next.odd_16()))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm_unpacklo_epi8(self.0, other.0) };
        // SAFETY: a vector is proof of the features.
        [Bytes16(low), Bytes16(unsafe { _mm_unpackhi_epi8(self.0, other.0) })]
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm_unpacklo_epi16(self.0, other.0) };
        // SAFETY: a vector is proof of the features.
        [Bytes16(low), Bytes16(unsafe { _mm_unpackhi_epi16(self.0, other.0) })]
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: a vector is proof of the features; the bytes are 16, and the store requires no alignment.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), self.0) };
        bytes
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_cmpeq_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_cmpgt_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn min_16(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_min_epu16(self.0, other.0) })
    }

    #[inline(always)]
    fn greater_signed_16(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_cmpgt_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_blendv_epi8(no.0, yes.0, self.0) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        let zero = unsafe { _mm_setzero_si128() };
        // SAFETY: a vector is proof of the features.
        let halves = unsafe { _mm_sad_epu8(self.0, zero) };
        // SAFETY: a vector is proof of the features.
        let high = unsafe { _mm_unpackhi_epi64(halves, halves) };
        // SAFETY: a vector is proof of the features.
        let total = unsafe { _mm_add_epi64(halves, high) };
        // SAFETY: a vector is proof of the features.
        unsafe { _mm_cvtsi128_si64(total) as u64 }
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        u64::from(unsafe { _mm_movemask_epi8(self.0) } as u32)
    }

    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        let bytes = unsafe { _mm_packs_epi16(self.0, self.0) };
        // SAFETY: a vector is proof of the features.
        u64::from(unsafe { _mm_movemask_epi8(bytes) } as u32 & 0xFF)
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm_testz_si128(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn any_high(self) -> bool {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm_movemask_epi8(self.0) != 0 }
    }
}

impl super::Sixteen for Bytes16 {
    #[inline(always)]
    fn shuffle(self, places: &[u8; 16]) -> Self {
        // SAFETY: a vector is proof of the features; the places are 16 bytes, and the load requires no alignment.
        let places = unsafe { _mm_loadu_si128(places.as_ptr().cast()) };
        // SAFETY: a vector is proof of the features.
        Bytes16(unsafe { _mm_shuffle_epi8(self.0, places) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Vector::xor(self, other)
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        Vector::interleave(self, other)
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        Vector::interleave_16(self, other)
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        Vector::to_bytes(self)
    }
}
