//! x86-64 with AVX-512 F, BW, VL, VBMI and VBMI2: 64 bytes.
#![allow(unsafe_code, reason = "intrinsics; each is safe as a vector exists only where the token does")]

use core::arch::x86_64::*;

use super::{BLOCK, Kernel, Token, Vector};

/// Proof that the CPU has the level; made by [`Avx512::new`] alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

/// 64 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes64(__m512i);

impl Avx512 {
    /// # Safety
    /// The CPU must have avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt: `Level::Avx512.is_available()`.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Avx512 {
        Avx512(())
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_for_level<K: Kernel>(token: Avx512, kernel: K) -> K::Output {
    kernel.call(token)
}

impl Token for Avx512 {
    type Vector = Bytes64;
    type Half = super::Avx2;
    type Sixteen = super::sse4::Bytes16;
    const SHUFFLE: bool = true;

    #[inline(always)]
    fn sixteen(self, bytes: &[u8; 16]) -> super::sse4::Bytes16 {
        self.half().sixteen(bytes)
    }

    #[inline(always)]
    fn half(self) -> super::Avx2 {
        // SAFETY: the features include those of the half level.
        unsafe { super::Avx2::new() }
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves the features.
        unsafe { compiled_for_level(self, kernel) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes64 {
        // SAFETY: the token proves the features.
        Bytes64(unsafe { _mm512_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK], part: usize) -> Bytes64 {
        let bytes: &[u8; 64] = &block.as_chunks().0[part];
        // SAFETY: the token proves the features; the bytes are 64, and the load asks no alignment.
        Bytes64(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes64 {
        let bytes = &bytes[at..at + 64];
        // SAFETY: the token proves the features; the bytes are 64, and the load asks no alignment.
        Bytes64(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes64 {
        // SAFETY: the token proves the features; the table is 16 bytes, and the load asks no alignment.
        let lane = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
        // SAFETY: the token proves the features.
        Bytes64(unsafe { _mm512_broadcast_i32x4(lane) })
    }
}

impl Vector for Bytes64 {
    const LEN: usize = 64;
    type Sixteen = super::sse4::Bytes16;

    #[inline(always)]
    fn sixteen(self, part: usize) -> super::sse4::Bytes16 {
        let quarter = match part {
            // SAFETY: a vector is proof of the features.
            0 => unsafe { _mm512_castsi512_si128(self.0) },
            // SAFETY: a vector is proof of the features.
            1 => unsafe { _mm512_extracti32x4_epi32::<1>(self.0) },
            // SAFETY: a vector is proof of the features.
            2 => unsafe { _mm512_extracti32x4_epi32::<2>(self.0) },
            // SAFETY: a vector is proof of the features.
            _ => unsafe { _mm512_extracti32x4_epi32::<3>(self.0) },
        };
        super::sse4::Bytes16(quarter)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_sub_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_subs_epu8(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        let kept = const { (0xFF_u8 << N) as i8 };
        // SAFETY: a vector is proof of the features.
        let kept = unsafe { _mm512_set1_epi8(kept) };
        // SAFETY: a vector is proof of the features. The count becomes part of the instruction.
        let count = unsafe { _mm_cvtsi32_si128(N) };
        // SAFETY: a vector is proof of the features.
        let shifted = unsafe { _mm512_sll_epi16(self.0, count) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_and_si512(shifted, kept) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        let kept = const { (0xFF_u8 >> N) as i8 };
        // SAFETY: a vector is proof of the features.
        let kept = unsafe { _mm512_set1_epi8(kept) };
        // SAFETY: a vector is proof of the features. The count becomes part of the instruction.
        let count = unsafe { _mm_cvtsi32_si128(N) };
        // SAFETY: a vector is proof of the features.
        let shifted = unsafe { _mm512_srl_epi16(self.0, count) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_and_si512(shifted, kept) })
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // Of all 64 bytes, not of each 16: this reads six bits of a lane and a table repeats four times, so that no
        // mask is needed. A byte shuffle reads bit 7, too.
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_permutexvar_epi8(self.0, table.0) })
    }

    #[inline(always)]
    fn lookup_high(self, table: Self) -> Self {
        // The bits that a shift of two bytes brings from the neighbour are not read.
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_srli_epi16::<4>(self.0) }).lookup(table)
    }

    #[inline(always)]
    fn prev1(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let across = unsafe { _mm512_alignr_epi64::<6>(self.0, before.0) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_alignr_epi8::<15>(self.0, across) })
    }

    #[inline(always)]
    fn prev2(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let across = unsafe { _mm512_alignr_epi64::<6>(self.0, before.0) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_alignr_epi8::<14>(self.0, across) })
    }

    #[inline(always)]
    fn prev3(self, before: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let across = unsafe { _mm512_alignr_epi64::<6>(self.0, before.0) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_alignr_epi8::<13>(self.0, across) })
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let mask = unsafe { _mm512_cmpeq_epi8_mask(self.0, other.0) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_movm_epi8(mask) })
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        // SAFETY: a vector is proof of the features.
        let mask = unsafe { _mm512_cmpgt_epi8_mask(self.0, other.0) };
        // SAFETY: a vector is proof of the features.
        Bytes64(unsafe { _mm512_movm_epi8(mask) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        let zero = unsafe { _mm512_setzero_si512() };
        // SAFETY: a vector is proof of the features.
        let eighths = unsafe { _mm512_sad_epu8(self.0, zero) };
        // SAFETY: a vector is proof of the features.
        unsafe { _mm512_reduce_add_epi64(eighths) as u64 }
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm512_test_epi8_mask(self.0, self.0) != 0 }
    }

    #[inline(always)]
    fn any_high(self) -> bool {
        // SAFETY: a vector is proof of the features.
        unsafe { _mm512_movepi8_mask(self.0) != 0 }
    }
}
