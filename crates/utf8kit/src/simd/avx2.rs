//! x86-64 with AVX2: 32 bytes.
#![allow(unsafe_code, reason = "loads, stores, and the token; all else is in the table")]

use core::arch::x86_64::*;

use super::sse4::Bytes16;
use super::{Kernel, LOW_OF_FOUR, LOW_OF_TWO, Token, Vector};

/// Proof that the CPU supports the level; only created by [`Avx2::new`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes32(__m256i);

impl Avx2 {
    /// # Safety
    /// The CPU must have avx2,bmi1,bmi2,lzcnt,popcnt: `Level::Avx2.is_available()`.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Avx2 {
        Avx2(())
    }

    intrinsics! {
        fn all(self, byte: i8) -> __m256i = _mm256_set1_epi8(byte);
        fn twice(self, half: __m128i) -> __m256i = _mm256_broadcastsi128_si256(half);
        fn of_halves(self, high: __m128i, low: __m128i) -> __m256i = _mm256_set_m128i(high, low);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_for_level<K: Kernel>(token: Avx2, kernel: K) -> K::Output {
    kernel.call(token)
}

impl Token for Avx2 {
    type Vector = Bytes32;
    type Half = super::Sse4;
    type Sixteen = Bytes16;

    #[inline(always)]
    fn half(self) -> super::Sse4 {
        // SAFETY: the features include the features of the half level.
        unsafe { super::Sse4::new() }
    }

    #[inline(always)]
    fn clear_other_halves(self) {
        // SAFETY: the token proves the features. No value is lost, because no vector of this level is live.
        unsafe { _mm256_zeroupper() };
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves the features.
        unsafe { compiled_for_level(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes32 {
        Bytes32(self.all(byte as i8))
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes32 {
        let bytes = &bytes[at..at + 32];
        // SAFETY: the token proves the features; the bytes are 32, and the load requires no alignment.
        Bytes32(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_front(self, bytes: &[u8], filler: u8) -> Bytes32 {
        let (low, high) = bytes.split_at(bytes.len().min(16));
        let (low, high) = (super::front_of(low, filler), super::front_of(high, filler));
        Bytes32(self.of_halves(self.half().table(&high).0, self.half().table(&low).0))
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes32 {
        Bytes32(self.twice(self.half().table(table).0))
    }
}

impl Bytes32 {
    /// Returns the token that the vector proves to exist.
    #[inline(always)]
    fn token(self) -> Avx2 {
        Avx2(())
    }

    intrinsics! {
        fn first_half(self) -> __m128i = _mm256_castsi256_si128(self.0);
        fn second_half(self) -> __m128i = _mm256_extracti128_si256::<1>(self.0);
        /// Returns the second half of `before` and the first one of `self`.
        fn across(self, before: Self) -> Self = _mm256_permute2x128_si256::<0x21>(before.0, self.0);
        /// Joins each half to the preceding half, from `across`, and returns sixteen bytes of both, starting at `N`.
        fn joined<N>(self, across: Self) -> Self = _mm256_alignr_epi8::<N>(self.0, across.0);
        /// Narrows lanes of two bytes below 100 to bytes, alternating the halves of both vectors.
        fn pack(self, next: Self) -> Self = _mm256_packus_epi16(self.0, next.0);
        /// Narrows lanes of four bytes below 10000 to lanes of two, alternating the halves of both vectors.
        fn pack_16(self, next: Self) -> Self = _mm256_packus_epi32(self.0, next.0);
        /// Narrows lanes of two bytes to bytes with the same sign, alternating the halves of both vectors.
        fn pack_signed(self, next: Self) -> Self = _mm256_packs_epi16(self.0, next.0);
        /// Returns the lanes of two bytes at odd positions, in lanes of four.
        fn odd_16(self) -> Self = _mm256_srli_epi32::<16>(self.0);
        /// Swaps the middle quarters.
        fn in_order(self) -> Self = _mm256_permute4x64_epi64::<0b11_01_10_00>(self.0);
        fn first_halves(self, next: Self) -> Self = _mm256_permute2x128_si256::<0x20>(self.0, next.0);
        fn second_halves(self, next: Self) -> Self = _mm256_permute2x128_si256::<0x31>(self.0, next.0);
        // In each half separately.
        fn low(self, other: Self) -> Self = _mm256_unpacklo_epi8(self.0, other.0);
        fn high(self, other: Self) -> Self = _mm256_unpackhi_epi8(self.0, other.0);
        fn low_16(self, other: Self) -> Self = _mm256_unpacklo_epi16(self.0, other.0);
        fn high_16(self, other: Self) -> Self = _mm256_unpackhi_epi16(self.0, other.0);
        fn shuffle_bytes(self, places: Self) -> Self = _mm256_shuffle_epi8(self.0, places.0);
        /// Returns the sum of absolute differences of each group of eight bytes (`vpsadbw`).
        fn differences(self, other: Self) -> Self = _mm256_sad_epu8(self.0, other.0);
        fn mask(self) -> i32 = _mm256_movemask_epi8(self.0);
        /// Returns 1 if no bit is set in both.
        fn disjoint(self, other: Self) -> i32 = _mm256_testz_si256(self.0, other.0);
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

    /// Returns the first halves of both vectors, and the second halves.
    #[inline(always)]
    fn halves_in_order(self, next: Self) -> [Self; 2] {
        [self.first_halves(next), self.second_halves(next)]
    }
}

impl Vector for Bytes32 {
    const LEN: usize = 32;
    type Sixteen = Bytes16;
    type Bytes = [u8; 32];

    intrinsics! {
        fn and(self, other: Self) -> Self = _mm256_and_si256(self.0, other.0);
        fn or(self, other: Self) -> Self = _mm256_or_si256(self.0, other.0);
        fn xor(self, other: Self) -> Self = _mm256_xor_si256(self.0, other.0);
        fn sub(self, other: Self) -> Self = _mm256_sub_epi8(self.0, other.0);
        fn saturating_sub(self, other: Self) -> Self = _mm256_subs_epu8(self.0, other.0);
        fn shift_left_16<N>(self) -> Self = _mm256_slli_epi16::<N>(self.0);
        fn shift_right_16<N>(self) -> Self = _mm256_srli_epi16::<N>(self.0);
        fn equal(self, other: Self) -> Self = _mm256_cmpeq_epi8(self.0, other.0);
        fn greater_signed(self, other: Self) -> Self = _mm256_cmpgt_epi8(self.0, other.0);
        fn max(self, other: Self) -> Self = _mm256_max_epu8(self.0, other.0);
        fn min_signed(self, other: Self) -> Self = _mm256_min_epi8(self.0, other.0);
        fn min_16(self, other: Self) -> Self = _mm256_min_epu16(self.0, other.0);
        fn min_32(self, other: Self) -> Self = _mm256_min_epu32(self.0, other.0);
        fn greater_signed_16(self, other: Self) -> Self = _mm256_cmpgt_epi16(self.0, other.0);
        fn where_high(self, yes: Self, no: Self) -> Self = _mm256_blendv_epi8(no.0, yes.0, self.0);
    }

    #[inline(always)]
    fn sixteen(self, part: usize) -> Bytes16 {
        Bytes16(if part == 0 { self.first_half() } else { self.second_half() })
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
    fn prev1(self, before: Self) -> Self {
        self.joined::<15>(self.across(before))
    }

    #[inline(always)]
    fn prev2(self, before: Self) -> Self {
        self.joined::<14>(self.across(before))
    }

    #[inline(always)]
    fn prev3(self, before: Self) -> Self {
        self.joined::<13>(self.across(before))
    }

    #[inline(always)]
    fn prev_in_sixteen(self) -> [Self; 3] {
        [self.joined::<15>(self), self.joined::<14>(self), self.joined::<13>(self)]
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        let odd = self.shift_right_16::<8>().pack(next.shift_right_16::<8>());
        (self.even().pack(next.even()).in_order(), odd.in_order())
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        (self.even_16().pack_16(next.even_16()).in_order(), self.odd_16().pack_16(next.odd_16()).in_order())
    }

    #[inline(always)]
    fn narrow_32(self, next: Self) -> Self {
        self.pack_16(next).in_order()
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        self.low(other).halves_in_order(self.high(other))
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        self.low_16(other).halves_in_order(self.high_16(other))
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        // SAFETY: a vector is proof of the features; the bytes are 32, and the store requires no alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0) };
        bytes
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        let quarters = self.differences(self.token().splat(0));
        let high = quarters.sixteen(1);
        quarters.sixteen(0).add_64(high).sum_64()
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        u64::from(self.mask() as u32)
    }

    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        // Each half yields its eight bits twice.
        let bits = self.pack_signed(self).high_bits();
        bits & 0xFF | bits >> 8 & 0xFF00
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.disjoint(self) == 0
    }
}
