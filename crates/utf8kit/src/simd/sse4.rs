//! x86-64 with SSSE3, SSE4.1 and POPCNT (since 2008): 16 bytes.
#![allow(unsafe_code, reason = "loads, stores, and the token; all else is in the table")]

use core::arch::x86_64::*;

use super::{Kernel, LOW_OF_FOUR, LOW_OF_TWO, Token, Vector};

/// Proof that the CPU supports the level; only created by [`Sse4::new`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse4(());

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes16(pub(super) __m128i);

impl Sse4 {
    /// # Safety
    /// The CPU must have ssse3,sse4.1,popcnt: `Level::Sse4.is_available()`.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Sse4 {
        Sse4(())
    }

    intrinsics! {
        fn all(self, byte: i8) -> __m128i = _mm_set1_epi8(byte);
    }
}

#[target_feature(enable = "ssse3,sse4.1,popcnt")]
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
        Bytes16(self.all(byte as i8))
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes16 {
        let bytes = &bytes[at..at + 16];
        // SAFETY: the token proves the features; the bytes are 16, and the load requires no alignment.
        Bytes16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes16 {
        self.load_at(table, 0)
    }
}

impl Bytes16 {
    /// Returns the token that the vector proves to exist.
    #[inline(always)]
    fn token(self) -> Sse4 {
        Sse4(())
    }

    intrinsics! {
        /// Narrows lanes of two bytes below 100 to bytes.
        fn pack(self, next: Self) -> Self = _mm_packus_epi16(self.0, next.0);
        /// Narrows lanes of four bytes below 10000 to lanes of two.
        fn pack_16(self, next: Self) -> Self = _mm_packus_epi32(self.0, next.0);
        /// Narrows lanes of two bytes to bytes with the same sign.
        fn pack_signed(self, next: Self) -> Self = _mm_packs_epi16(self.0, next.0);
        /// Returns the lanes of two bytes at odd positions, in lanes of four.
        fn odd_16(self) -> Self = _mm_srli_epi32::<16>(self.0);
        fn low(self, other: Self) -> Self = _mm_unpacklo_epi8(self.0, other.0);
        fn high(self, other: Self) -> Self = _mm_unpackhi_epi8(self.0, other.0);
        fn low_16(self, other: Self) -> Self = _mm_unpacklo_epi16(self.0, other.0);
        fn high_16(self, other: Self) -> Self = _mm_unpackhi_epi16(self.0, other.0);
        fn shuffle_bytes(self, places: Self) -> Self = _mm_shuffle_epi8(self.0, places.0);
        /// Returns the sum of absolute differences of each group of eight bytes (`psadbw`).
        fn differences(self, other: Self) -> Self = _mm_sad_epu8(self.0, other.0);
        pub(super) fn add_64(self, other: Self) -> Self = _mm_add_epi64(self.0, other.0);
        fn second_64(self) -> Self = _mm_unpackhi_epi64(self.0, self.0);
        fn first_64(self) -> i64 = _mm_cvtsi128_si64(self.0);
        fn mask(self) -> i32 = _mm_movemask_epi8(self.0);
        /// Returns 1 if no bit is set in both.
        fn disjoint(self, other: Self) -> i32 = _mm_testz_si128(self.0, other.0);
    }

    /// Returns the bytes at even positions, in lanes of two.
    #[inline(always)]
    fn even(self) -> Self {
        self.and(self.token().table(&LOW_OF_TWO))
    }

    /// Returns the lanes of two bytes at even positions, in lanes of four.
    #[inline(always)]
    fn even_16(self) -> Self {
        self.and(self.token().table(&LOW_OF_FOUR))
    }

    /// Returns the sum of both halves.
    #[inline(always)]
    pub(super) fn sum_64(self) -> u64 {
        self.add_64(self.second_64()).first_64() as u64
    }
}

impl Vector for Bytes16 {
    const LEN: usize = 16;
    type Sixteen = Bytes16;
    type Bytes = [u8; 16];

    intrinsics! {
        fn and(self, other: Self) -> Self = _mm_and_si128(self.0, other.0);
        fn or(self, other: Self) -> Self = _mm_or_si128(self.0, other.0);
        fn xor(self, other: Self) -> Self = _mm_xor_si128(self.0, other.0);
        fn sub(self, other: Self) -> Self = _mm_sub_epi8(self.0, other.0);
        fn saturating_sub(self, other: Self) -> Self = _mm_subs_epu8(self.0, other.0);
        fn shift_left_16<N>(self) -> Self = _mm_slli_epi16::<N>(self.0);
        fn shift_right_16<N>(self) -> Self = _mm_srli_epi16::<N>(self.0);
        fn prev1(self, before: Self) -> Self = _mm_alignr_epi8::<15>(self.0, before.0);
        fn prev2(self, before: Self) -> Self = _mm_alignr_epi8::<14>(self.0, before.0);
        fn prev3(self, before: Self) -> Self = _mm_alignr_epi8::<13>(self.0, before.0);
        fn equal(self, other: Self) -> Self = _mm_cmpeq_epi8(self.0, other.0);
        fn greater_signed(self, other: Self) -> Self = _mm_cmpgt_epi8(self.0, other.0);
        fn max(self, other: Self) -> Self = _mm_max_epu8(self.0, other.0);
        fn min_signed(self, other: Self) -> Self = _mm_min_epi8(self.0, other.0);
        fn min_16(self, other: Self) -> Self = _mm_min_epu16(self.0, other.0);
        fn min_32(self, other: Self) -> Self = _mm_min_epu32(self.0, other.0);
        fn greater_signed_16(self, other: Self) -> Self = _mm_cmpgt_epi16(self.0, other.0);
        fn where_high(self, yes: Self, no: Self) -> Self = _mm_blendv_epi8(no.0, yes.0, self.0);
    }

    #[inline(always)]
    fn sixteen(self, _: usize) -> Bytes16 {
        self
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        self.shift_left_16::<N>().and(self.token().splat(0xFF << N))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        self.shift_right_16::<N>().and(self.token().splat(0xFF >> N))
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        self.and(self.token().splat(0x0F)).lookup_below_128(table)
    }

    #[inline(always)]
    fn lookup_below_128(self, table: Self) -> Self {
        table.shuffle_bytes(self)
    }

    #[inline(always)]
    fn first_of_sixteen(self) -> Self {
        self.shuffle_bytes(self.token().splat(0))
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        let odd = self.shift_right_16::<8>().pack(next.shift_right_16::<8>());
        (self.even().pack(next.even()), odd)
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        (self.even_16().pack_16(next.even_16()), self.odd_16().pack_16(next.odd_16()))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [self.low(other), self.high(other)]
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        [self.low_16(other), self.high_16(other)]
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: a vector is proof of the features; the bytes are 16, and the store requires no alignment.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), self.0) };
        bytes
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        self.differences(self.token().splat(0)).sum_64()
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        u64::from(self.mask() as u32)
    }

    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        self.pack_signed(self).high_bits() & 0xFF
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.disjoint(self) == 0
    }
}

impl super::Sixteen for Bytes16 {
    #[inline(always)]
    fn shuffle(self, places: &[u8; 16]) -> Self {
        self.shuffle_bytes(self.token().table(places))
    }

    sixteen_as_vector!();
}
