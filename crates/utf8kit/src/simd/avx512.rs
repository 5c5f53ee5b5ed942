//! x86-64 with AVX-512 F, BW, VL, VBMI and VBMI2: 64 bytes.
#![allow(unsafe_code, reason = "loads, stores, and the token; all else is in the table")]

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::sse4::Bytes16;
use super::{BLOCK_BYTES, Kernel, Masked, MaskedToken, Token, Variants, Vector};

/// Proof that the CPU supports the level; only created by [`Avx512::new`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

/// 64 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes64(__m512i);

impl Avx512 {
    /// # Safety
    /// The CPU must have avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt:
    /// `Level::Avx512.is_available()`.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Avx512 {
        Avx512(())
    }

    intrinsics! {
        fn all(self, byte: i8) -> __m512i = _mm512_set1_epi8(byte);
        fn all_32(self, number: i32) -> __m512i = _mm512_set1_epi32(number);
        fn four_times(self, quarter: __m128i) -> __m512i = _mm512_broadcast_i32x4(quarter);
        fn low_bits(self, bits: u64, count: u32) -> u64 = _bzhi_u64(bits, count);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_for_level<K: Kernel>(token: Avx512, kernel: K) -> K::Output {
    kernel.call(token)
}

/// Loaded instead of an empty slice, because a load with no lanes from an unmapped address is slow.
static SOMEWHERE: [u8; BLOCK_BYTES] = [0; BLOCK_BYTES];

impl Token for Avx512 {
    type Vector = Bytes64;
    type Half = super::Avx2;
    type Sixteen = Bytes16;

    #[inline(always)]
    fn half(self) -> super::Avx2 {
        // SAFETY: the features include the features of the half level.
        unsafe { super::Avx2::new() }
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves the features.
        unsafe { compiled_for_level(self, kernel) }
    }

    #[inline(always)]
    fn by_variant<W: Variants<Self>>(self, work: W) -> W::Output {
        work.by_compress(self)
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes64 {
        Bytes64(self.all(byte as i8))
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes64 {
        let bytes = &bytes[at..at + 64];
        // SAFETY: the token proves the features; the bytes are 64, and the load requires no alignment.
        Bytes64(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_front(self, bytes: &[u8], filler: u8) -> Bytes64 {
        // For 64 and more, all lanes are kept.
        let lanes = self.low_bits(u64::MAX, bytes.len().min(BLOCK_BYTES) as u32);
        let behind = self.splat(filler);
        let start = if bytes.is_empty() { SOMEWHERE.as_ptr() } else { bytes.as_ptr() };
        // SAFETY: the token proves the features; lanes whose bit is not set are not read, the others are in the slice.
        Bytes64(unsafe { _mm512_mask_loadu_epi8(behind.0, lanes, start.cast()) })
    }

    #[inline(always)]
    fn load_back(self, bytes: &[u8], filler: u8) -> Bytes64 {
        let in_front = self.splat(filler);
        let len = bytes.len().min(BLOCK_BYTES);
        let lanes = u64::MAX.checked_shl((BLOCK_BYTES - len) as u32).unwrap_or(0);
        let start = bytes.as_ptr_range().end.wrapping_sub(BLOCK_BYTES);
        let start = if bytes.is_empty() { SOMEWHERE.as_ptr() } else { start };
        // SAFETY: the token proves the features; lanes whose bit is not set are not read, the others are in the slice.
        Bytes64(unsafe { _mm512_mask_loadu_epi8(in_front.0, lanes, start.cast()) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes64 {
        Bytes64(self.four_times(self.half().half().table(table).0))
    }
}

impl Bytes64 {
    /// Returns the token that the vector proves to exist.
    #[inline(always)]
    fn token(self) -> Avx512 {
        Avx512(())
    }

    intrinsics! {
        fn quarter_0(self) -> __m128i = _mm512_castsi512_si128(self.0);
        fn quarter<N>(self) -> __m128i = _mm512_extracti32x4_epi32::<N>(self.0);
        /// Returns the last quarter of `before` and the first three of `self`.
        fn across(self, before: Self) -> Self = _mm512_alignr_epi64::<6>(self.0, before.0);
        /// Joins each quarter to the preceding quarter, from `across`, and returns sixteen bytes of both, starting at
        /// `N`.
        fn joined<N>(self, across: Self) -> Self = _mm512_alignr_epi8::<N>(self.0, across.0);
        /// Returns a count for shifts, which becomes part of the instruction.
        fn count(self, bits: i32) -> __m128i = _mm_cvtsi32_si128(bits);
        fn left_16(self, count: __m128i) -> Self = _mm512_sll_epi16(self.0, count);
        fn right_16(self, count: __m128i) -> Self = _mm512_srl_epi16(self.0, count);
        fn right_4_of_16(self) -> Self = _mm512_srli_epi16::<4>(self.0);
        /// Looks up within each sixteen bytes.
        fn shuffle_bytes(self, places: Self) -> Self = _mm512_shuffle_epi8(self.0, places.0);
        /// Looks up among all 64 bytes.
        fn permute(self, table: Self) -> Self = _mm512_permutexvar_epi8(self.0, table.0);
        /// Looks up in a table of 128 bytes.
        fn permute_two(self, low: Self, high: Self) -> Self = _mm512_permutex2var_epi8(low.0, self.0, high.0);
        fn equal_bits(self, other: Self) -> u64 = _mm512_cmpeq_epi8_mask(self.0, other.0);
        fn greater_bits(self, other: Self) -> u64 = _mm512_cmpgt_epi8_mask(self.0, other.0);
        fn greater_bits_16(self, other: Self) -> u32 = _mm512_cmpgt_epi16_mask(self.0, other.0);
        fn at_least_bits_16(self, other: Self) -> u32 = _mm512_cmpge_epu16_mask(self.0, other.0);
        fn bits_16(self) -> u32 = _mm512_movepi16_mask(self.0);
        fn of_bits(self, bits: u64) -> Self = _mm512_movm_epi8(bits);
        fn of_bits_16(self, bits: u32) -> Self = _mm512_movm_epi16(bits);
        fn blend_by_32(self, bits: u32, other: Self) -> Self = _mm512_mask_blend_epi16(bits, self.0, other.0);
        fn kept(self, bits: u64) -> Self = _mm512_maskz_compress_epi8(bits, self.0);
        /// Returns the sum of absolute differences of each group of eight bytes (`vpsadbw`).
        fn differences_of_eight(self, other: Self) -> Self = _mm512_sad_epu8(self.0, other.0);
        fn sum_64(self) -> i64 = _mm512_reduce_add_epi64(self.0);
        fn sub_32(self, other: Self) -> Self = _mm512_sub_epi32(self.0, other.0);
    }

    /// Returns the bytes at these positions of this and the next vector.
    #[inline(always)]
    fn select(self, places: &[u8; 64], next: Self) -> Self {
        self.token().load(places, 0).permute_two(self, next)
    }
}

impl Vector for Bytes64 {
    const LEN: usize = 64;
    type Sixteen = Bytes16;
    type Bytes = [u8; BLOCK_BYTES];

    intrinsics! {
        fn and(self, other: Self) -> Self = _mm512_and_si512(self.0, other.0);
        /// A single intrinsic, because in a sequence of operations the compiler would fuse the wrong ones.
        fn and_both(self, other: Self, third: Self) -> Self =
            _mm512_ternarylogic_epi64::<0x80>(self.0, other.0, third.0);
        fn or(self, other: Self) -> Self = _mm512_or_si512(self.0, other.0);
        fn xor(self, other: Self) -> Self = _mm512_xor_si512(self.0, other.0);
        fn sub(self, other: Self) -> Self = _mm512_sub_epi8(self.0, other.0);
        fn saturating_sub(self, other: Self) -> Self = _mm512_subs_epu8(self.0, other.0);
        fn max(self, other: Self) -> Self = _mm512_max_epu8(self.0, other.0);
        fn min_signed(self, other: Self) -> Self = _mm512_min_epi8(self.0, other.0);
        fn min_16(self, other: Self) -> Self = _mm512_min_epu16(self.0, other.0);
        fn min_32(self, other: Self) -> Self = _mm512_min_epu32(self.0, other.0);
        fn high_bits(self) -> u64 = _mm512_movepi8_mask(self.0);
    }

    #[inline(always)]
    fn sixteen(self, part: usize) -> Bytes16 {
        Bytes16(match part {
            0 => self.quarter_0(),
            1 => self.quarter::<1>(),
            2 => self.quarter::<2>(),
            _ => self.quarter::<3>(),
        })
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
    fn shift_left_16<const N: i32>(self) -> Self {
        self.left_16(self.count(N))
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        self.right_16(self.count(N))
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // Looks up among all 64 bytes, not within each 16: this reads six bits of a lane, and the table repeats four
        // times, so that no mask is needed. A byte shuffle reads bit 7 as well.
        self.permute(table)
    }

    #[inline(always)]
    fn lookup_high(self, table: Self) -> Self {
        // The bits that a two-byte shift brings in from the neighbour are not read.
        self.right_4_of_16().lookup(table)
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
    fn kept_where_greater(self, other: Self, kept: Self) -> Self {
        self.xor(self).blend(self.greater_bits(other), kept)
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        (self.select(&EVEN, next), self.select(&ODD, next))
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        (self.select(&EVEN_16, next), self.select(&ODD_16, next))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [self.select(&BY_TURNS, other), self.select(&INTERLEAVE_HIGH, other)]
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        [self.select(&BY_TURNS_16, other), self.select(&INTERLEAVE_16_HIGH, other)]
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; BLOCK_BYTES] {
        let mut bytes = [0; BLOCK_BYTES];
        // SAFETY: a vector is proof of the features; the bytes are 64, and the store requires no alignment.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), self.0) };
        bytes
    }

    #[inline(always)]
    fn store_front(self, place: &mut [MaybeUninit<u8>]) {
        if place.is_empty() {
            return;
        }
        // For 64 and more, all lanes are stored.
        let lanes = self.token().low_bits(u64::MAX, place.len().min(BLOCK_BYTES) as u32);
        // SAFETY: a vector is proof of the features; lanes whose bit is not set are not written, the others are in the
        // slice.
        unsafe { _mm512_mask_storeu_epi8(place.as_mut_ptr().cast(), lanes, self.0) };
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        self.of_bits(self.equal_bits(other))
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        self.of_bits(self.greater_bits(other))
    }

    #[inline(always)]
    fn greater_signed_16(self, other: Self) -> Self {
        self.of_bits_16(self.greater_bits_16(other))
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        no.blend(self.high_bits(), yes)
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        self.differences_of_eight(self.token().splat(0)).sum_64() as u64
    }

    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        u64::from(self.bits_16())
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.nonzero() != 0
    }
}

/// Positions in two consecutive vectors, as a function of the lane.
macro_rules! places {
    ($name:ident, |$i:ident| $place:expr) => {
        const $name: [u8; 64] = {
            let mut places = [0; 64];
            let mut $i = 0;
            while $i < 64 {
                places[$i] = $place as u8;
                $i += 1;
            }
            places
        };
    };
}

places!(EVEN, |i| 2 * i);
places!(ODD, |i| 2 * i + 1);
places!(EVEN_16, |i| i / 2 * 4 + i % 2);
places!(ODD_16, |i| i / 2 * 4 + 2 + i % 2);
// Alternating lanes of both vectors, of one byte and of two, from the first halves; then from the second halves.
places!(BY_TURNS, |i| i / 2 + i % 2 * 64);
places!(INTERLEAVE_HIGH, |i| 32 + i / 2 + i % 2 * 64);
places!(BY_TURNS_16, |i| i / 4 * 2 + i % 2 + i / 2 % 2 * 64);
places!(INTERLEAVE_16_HIGH, |i| 32 + i / 4 * 2 + i % 2 + i / 2 % 2 * 64);

impl MaskedToken for Avx512 {}

impl Masked for Bytes64 {
    intrinsics! {
        fn nonzero(self) -> u64 = _mm512_test_epi8_mask(self.0, self.0);
        fn at_least(self, other: Self) -> u64 = _mm512_cmpge_epu8_mask(self.0, other.0);
        fn add_16(self, other: Self) -> Self = _mm512_add_epi16(self.0, other.0);
        fn blend(self, mask: u64, other: Self) -> Self = _mm512_mask_blend_epi8(mask, self.0, other.0);
    }

    #[inline(always)]
    fn compress(self, kept: u64) -> Self {
        if cfg!(debug_assertions) && kept == u64::MAX {
            return self; // Bochs 2.7, which tests this level where no machine supports it, would give zeros.
        }
        // To a register: compressing straight to memory is microcoded on Zen 4.
        self.kept(kept)
    }

    #[inline(always)]
    fn at_least_16(self, other: Bytes64) -> u64 {
        u64::from(self.at_least_bits_16(other))
    }

    #[inline(always)]
    fn blend_16(self, mask: u64, other: Bytes64) -> Bytes64 {
        self.blend_by_32(mask as u32, other)
    }

    #[inline(always)]
    fn lookup_six_bits(self, table: &[u8; 64]) -> Bytes64 {
        self.permute(self.token().load(table, 0))
    }

    #[inline(always)]
    fn of_both(self, other: Bytes64, places: &[u8; 64], mask: u64) -> Bytes64 {
        self.xor(self).blend(mask, self.select(places, other))
    }

    #[inline(always)]
    fn lookup_eight_bits(self, table: &[u8; 256]) -> Bytes64 {
        let load = |at| self.token().load_at(table, at);
        // Each look-up reads seven bits.
        let low = self.permute_two(load(0), load(BLOCK_BYTES));
        self.where_high(self.permute_two(load(2 * BLOCK_BYTES), load(3 * BLOCK_BYTES)), low)
    }

    #[inline(always)]
    fn differences(self, numbers: &[i32; 16], less: i32) -> Bytes64 {
        // SAFETY: a vector is proof of the features; the numbers are 64 bytes, and the load requires no alignment.
        let numbers = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
        Bytes64(numbers).sub_32(Bytes64(self.token().all_32(less)))
    }
}
