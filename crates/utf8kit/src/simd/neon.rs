//! AArch64 with NEON: 16 bytes. The architecture's usual targets include NEON, so the level is available wherever it
//! was compiled in; targets without it, and big-endian ones, use SWAR.
#![allow(unsafe_code, reason = "loads and stores; all else is in the table")]

use core::arch::aarch64::*;

use super::{Kernel, Token, Vector};

/// Proof that the target has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon;

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes16(uint8x16_t);

/// Eight lanes of two bytes.
#[derive(Clone, Copy, Debug)]
struct Lanes(uint16x8_t);

impl Neon {
    intrinsics! {
        fn all(self, byte: u8) -> uint8x16_t = vdupq_n_u8(byte);
    }
}

impl Token for Neon {
    type Vector = Bytes16;
    type Half = Neon;
    type Sixteen = Bytes16;

    #[inline(always)]
    fn half(self) -> Neon {
        self
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.call(self)
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes16 {
        Bytes16(self.all(byte))
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes16 {
        let bytes = &bytes[at..at + 16];
        // SAFETY: the target has NEON; the bytes are 16, and the load requires no alignment.
        Bytes16(unsafe { vld1q_u8(bytes.as_ptr()) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes16 {
        self.load_at(table, 0)
    }
}

impl Lanes {
    intrinsics! {
        fn shift_left<N>(self) -> Self = vshlq_n_u16::<N>(self.0);
        fn shift_right<N>(self) -> Self = vshrq_n_u16::<N>(self.0);
        fn even(self, next: Self) -> Self = vuzp1q_u16(self.0, next.0);
        fn odd(self, next: Self) -> Self = vuzp2q_u16(self.0, next.0);
        fn low(self, other: Self) -> Self = vzip1q_u16(self.0, other.0);
        fn high(self, other: Self) -> Self = vzip2q_u16(self.0, other.0);
        fn min(self, other: Self) -> Self = vminq_u16(self.0, other.0);
        fn signed(self) -> int16x8_t = vreinterpretq_s16_u16(self.0);
        fn greater(self, a: int16x8_t, b: int16x8_t) -> Self = vcgtq_s16(a, b);
        fn first(self) -> u16 = vgetq_lane_u16::<0>(self.0);
        fn as_bytes(self) -> uint8x16_t = vreinterpretq_u8_u16(self.0);
    }

    #[inline(always)]
    fn bytes(self) -> Bytes16 {
        Bytes16(self.as_bytes())
    }
}

impl Bytes16 {
    intrinsics! {
        fn even(self, next: Self) -> Self = vuzp1q_u8(self.0, next.0);
        fn odd(self, next: Self) -> Self = vuzp2q_u8(self.0, next.0);
        fn low(self, other: Self) -> Self = vzip1q_u8(self.0, other.0);
        fn high(self, other: Self) -> Self = vzip2q_u8(self.0, other.0);
        /// Looks up positions below 16; others give 0.
        fn table_lookup(self, places: Self) -> Self = vqtbl1q_u8(self.0, places.0);
        /// Takes the bits of `yes` where a bit is set, otherwise the bits of `no`.
        fn choose(self, yes: Self, no: Self) -> Self = vbslq_u8(self.0, yes.0, no.0);
        fn signed(self) -> int8x16_t = vreinterpretq_s8_u8(self.0);
        fn greater(self, a: int8x16_t, b: int8x16_t) -> Self = vcgtq_s8(a, b);
        fn min_of_signed(self, a: int8x16_t, b: int8x16_t) -> int8x16_t = vminq_s8(a, b);
        fn of_signed(self, lanes: int8x16_t) -> Self = vreinterpretq_u8_s8(lanes);
        fn below_zero(self, a: int8x16_t) -> Self = vcltzq_s8(a);
        fn add_neighbours(self, next: Self) -> Self = vpaddq_u8(self.0, next.0);
        fn sum_of_lanes(self) -> u16 = vaddlvq_u8(self.0);
        fn max_lane(self) -> u8 = vmaxvq_u8(self.0);
        fn in_fours(self) -> uint32x4_t = vreinterpretq_u32_u8(self.0);
        fn max_four(self, fours: uint32x4_t) -> u32 = vmaxvq_u32(fours);
        fn min_of_fours(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vminq_u32(a, b);
        fn of_fours(self, fours: uint32x4_t) -> Self = vreinterpretq_u8_u32(fours);
        fn in_lanes(self) -> uint16x8_t = vreinterpretq_u16_u8(self.0);
    }

    #[inline(always)]
    fn lanes(self) -> Lanes {
        Lanes(self.in_lanes())
    }

    /// Returns 255 for each lane of 128 or more.
    #[inline(always)]
    fn is_high(self) -> Self {
        self.below_zero(self.signed())
    }
}

impl Vector for Bytes16 {
    const LEN: usize = 16;
    type Sixteen = Bytes16;
    type Bytes = [u8; 16];

    intrinsics! {
        fn and(self, other: Self) -> Self = vandq_u8(self.0, other.0);
        fn or(self, other: Self) -> Self = vorrq_u8(self.0, other.0);
        fn xor(self, other: Self) -> Self = veorq_u8(self.0, other.0);
        fn sub(self, other: Self) -> Self = vsubq_u8(self.0, other.0);
        fn saturating_sub(self, other: Self) -> Self = vqsubq_u8(self.0, other.0);
        fn shift_left<N>(self) -> Self = vshlq_n_u8::<N>(self.0);
        fn shift_right<N>(self) -> Self = vshrq_n_u8::<N>(self.0);
        fn first_of_sixteen(self) -> Self = vdupq_laneq_u8::<0>(self.0);
        fn prev1(self, before: Self) -> Self = vextq_u8::<15>(before.0, self.0);
        fn prev2(self, before: Self) -> Self = vextq_u8::<14>(before.0, self.0);
        fn prev3(self, before: Self) -> Self = vextq_u8::<13>(before.0, self.0);
        fn max(self, other: Self) -> Self = vmaxq_u8(self.0, other.0);
        fn equal(self, other: Self) -> Self = vceqq_u8(self.0, other.0);
    }

    #[inline(always)]
    fn sixteen(self, _: usize) -> Bytes16 {
        self
    }

    #[inline(always)]
    fn shift_left_16<const N: i32>(self) -> Self {
        self.lanes().shift_left::<N>().bytes()
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        self.lanes().shift_right::<N>().bytes()
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // Lanes may be 16 or more, for which the instruction would give 0.
        table.table_lookup(self.and(Neon.splat(0x0F)))
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        (self.even(next), self.odd(next))
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        let (a, b) = (self.lanes(), next.lanes());
        (a.even(b).bytes(), a.odd(b).bytes())
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [self.low(other), self.high(other)]
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        let (a, b) = (self.lanes(), other.lanes());
        [a.low(b).bytes(), a.high(b).bytes()]
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the target has NEON; the bytes are 16, and the store requires no alignment.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), self.0) };
        bytes
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        self.greater(self.signed(), other.signed())
    }

    #[inline(always)]
    fn min_signed(self, other: Self) -> Self {
        self.of_signed(self.min_of_signed(self.signed(), other.signed()))
    }

    #[inline(always)]
    fn min_16(self, other: Self) -> Self {
        self.lanes().min(other.lanes()).bytes()
    }

    #[inline(always)]
    fn min_32(self, other: Self) -> Self {
        self.of_fours(self.min_of_fours(self.in_fours(), other.in_fours()))
    }

    #[inline(always)]
    fn greater_signed_16(self, other: Self) -> Self {
        let (a, b) = (self.lanes(), other.lanes());
        a.greater(a.signed(), b.signed()).bytes()
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        self.is_high().choose(yes, no)
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        u64::from(self.sum_of_lanes())
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        // Without such an instruction, each lane becomes its bit's weight, and neighbours are added three times.
        const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let mut sums = self.is_high().and(Neon.table(&WEIGHTS));
        for _ in 0..3 {
            sums = sums.add_neighbours(sums);
        }
        u64::from(sums.lanes().first())
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.max_four(self.in_fours()) != 0
    }

    #[inline(always)]
    fn any_high(self) -> bool {
        self.max_lane() >= 128
    }
}

impl super::Sixteen for Bytes16 {
    #[inline(always)]
    fn shuffle(self, places: &[u8; 16]) -> Self {
        self.table_lookup(Neon.table(places))
    }

    sixteen_as_vector!();
}
