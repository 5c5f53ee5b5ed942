//! x86-64 with AVX2: 32 bytes.
#![allow(unsafe_code, reason = "intrinsics; each is safe as a vector exists only where the token does")]

use core::arch::x86_64::*;

use super::{BLOCK, Kernel, Never, Token, Vector};

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
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_for_level<K: Kernel>(token: Avx2, kernel: K) -> K::Output {
    kernel.call(token)
}

impl Token for Avx2 {
    type Vector = Bytes32;
    type Half = super::Sse4;
    type Sixteen = super::sse4::Bytes16;

    #[inline(always)]
    fn half(self) -> super::Sse4 {
        // SAFETY: the features include those of the half level.
        unsafe { super::Sse4::new() }
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves the features.
        unsafe { compiled_for_level(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes32 {
        // SAFETY: the token proves the features.
        Bytes32(unsafe { _mm256_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK], part: usize) -> Bytes32 {
        let bytes: &[u8; 32] = &block.as_chunks().0[part];
        // SAFETY: the token proves the features; the bytes are 32, and the load requires no alignment.
        Bytes32(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
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
        let [low, high] = [low, high].map(|half| self.half().table(&super::front_of(half, filler)));
        // SAFETY: the token proves the features.
        Bytes32(unsafe { _mm256_set_m128i(high.0, low.0) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes32 {
        // SAFETY: the token proves the features; the table is 16 bytes, and the load requires no alignment.
        let lane = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
        // SAFETY: the token proves the features.
        Bytes32(unsafe { _mm256_broadcastsi128_si256(lane) })
    }
}

impl Bytes32 {
    /// Returns the lanes of two bytes at even positions, in lanes of four.
    #[inline(always)]
    fn even_16(self) -> Self {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm256_set1_epi32(0xFFFF) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_and_si256(self.0, low) })
    }

    /// Returns the lanes of two bytes at odd positions, in lanes of four.
    #[inline(always)]
    fn odd_16(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_srli_epi32::<16>(self.0) })
    }

    /// Narrows lanes of four bytes below 10000 to lanes of two, alternating the halves of both vectors.
    #[inline(always)]
    fn pack_16(self, next: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_packus_epi32(self.0, next.0) })
    }

    /// Returns the bytes at even positions, in lanes of two.
    #[inline(always)]
    fn even(self) -> Self {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm256_set1_epi16(0xFF) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_and_si256(self.0, low) })
    }

    /// Returns the bytes at odd positions, in lanes of two.
    #[inline(always)]
    fn odd(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_srli_epi16::<8>(self.0) })
    }

    /// Narrows lanes of two bytes below 100 to bytes, alternating the halves of both vectors.
    #[inline(always)]
    fn pack(self, next: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_packus_epi16(self.0, next.0) })
    }

    /// Returns the first halves of both vectors, and the second halves.
    #[inline(always)]
    fn halves_in_order(self, next: Self) -> [Self; 2] {
        // SAFETY: a vector is proof of the features.
        let first = unsafe { _mm256_permute2x128_si256::<0x20>(self.0, next.0) };
        // SAFETY: a vector is proof of the features.
        [Bytes32(first), Bytes32(unsafe { _mm256_permute2x128_si256::<0x31>(self.0, next.0) })]
    }

    /// Swaps the middle quarters.
    #[inline(always)]
    fn in_order(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_permute4x64_epi64::<0b11_01_10_00>(self.0) })
    }
}

impl Vector for Bytes32 {
    const LEN: usize = 32;
    type Sixteen = super::sse4::Bytes16;
    type Masked = Never;
    type Bytes = [u8; 32];

    #[inline(always)]
    fn sixteen(self, part: usize) -> super::sse4::Bytes16 {
        let half = match part {
            // SAFETY: a vector is proof of the features.
            0 => unsafe { _mm256_castsi256_si128(self.0) },
            // SAFETY: a vector is proof of the features.
            _ => unsafe { _mm256_extracti128_si256::<1>(self.0) },
        };
        super::sse4::Bytes16(half)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_sub_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        let kept = const { (0xFF_u8 << N) as i8 };
        // SAFETY: a vector is proof of the features.
        let kept = unsafe { _mm256_set1_epi8(kept) };
        // SAFETY: a vector is proof of the features.
        let shifted = unsafe { _mm256_slli_epi16::<N>(self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_and_si256(shifted, kept) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        let kept = const { (0xFF_u8 >> N) as i8 };
        // SAFETY: a vector is proof of the features.
        let kept = unsafe { _mm256_set1_epi8(kept) };
        // SAFETY: a vector is proof of the features.
        let shifted = unsafe { _mm256_srli_epi16::<N>(self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_and_si256(shifted, kept) })
    }

    #[inline(always)]
    fn shift_left_16<const N: i32>(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_slli_epi16::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_srli_epi16::<N>(self.0) })
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let nibble = unsafe { _mm256_set1_epi8(0x0F) };
        // SAFETY: a vector is proof of the features.
        let places = unsafe { _mm256_and_si256(self.0, nibble) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_shuffle_epi8(table.0, places) })
    }

    #[inline(always)]
    fn prev1(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let across = unsafe { _mm256_permute2x128_si256::<0x21>(before.0, self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_alignr_epi8::<15>(self.0, across) })
    }

    #[inline(always)]
    fn prev2(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let across = unsafe { _mm256_permute2x128_si256::<0x21>(before.0, self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_alignr_epi8::<14>(self.0, across) })
    }

    #[inline(always)]
    fn prev3(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let across = unsafe { _mm256_permute2x128_si256::<0x21>(before.0, self.0) };
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_alignr_epi8::<13>(self.0, across) })
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        (self.even().pack(next.even()).in_order(), self.odd().pack(next.odd()).in_order())
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        (self.even_16().pack_16(next.even_16()).in_order(), self.odd_16().pack_16(next.odd_16()).in_order())
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm256_unpacklo_epi8(self.0, other.0) };
        // SAFETY: a vector is proof of the features.
        let high = unsafe { _mm256_unpackhi_epi8(self.0, other.0) };
        Bytes32(low).halves_in_order(Bytes32(high))
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm256_unpacklo_epi16(self.0, other.0) };
        // SAFETY: a vector is proof of the features.
        let high = unsafe { _mm256_unpackhi_epi16(self.0, other.0) };
        Bytes32(low).halves_in_order(Bytes32(high))
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        // SAFETY: a vector is proof of the features; the bytes are 32, and the store requires no alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0) };
        bytes
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_cmpeq_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_cmpgt_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn min_16(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_min_epu16(self.0, other.0) })
    }

    #[inline(always)]
    fn greater_signed_16(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_cmpgt_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes32(unsafe { _mm256_blendv_epi8(no.0, yes.0, self.0) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        let zero = unsafe { _mm256_setzero_si256() };
        // SAFETY: a vector is proof of the features.
        let quarters = unsafe { _mm256_sad_epu8(self.0, zero) };
        // SAFETY: a vector is proof of the features.
        let high = unsafe { _mm256_extracti128_si256::<1>(quarters) };
        // SAFETY: a vector is proof of the features.
        let low = unsafe { _mm256_castsi256_si128(quarters) };
        // SAFETY: a vector is proof of the features.
        let halves = unsafe { _mm_add_epi64(low, high) };
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
        u64::from(unsafe { _mm256_movemask_epi8(self.0) } as u32)
    }

    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        let bytes = unsafe { _mm256_packs_epi16(self.0, self.0) };
        // Each half yields its eight bits twice.
        // SAFETY: a vector is proof of the features.
        let bits = unsafe { _mm256_movemask_epi8(bytes) } as u32;
        u64::from(bits & 0xFF | bits >> 8 & 0xFF00)
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn any_high(self) -> bool {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm256_movemask_epi8(self.0) != 0 }
    }
}
