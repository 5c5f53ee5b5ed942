//! AArch64 with NEON: 16 bytes. The architecture's usual targets include NEON, so the level is available wherever it
//! was compiled for; targets without it, and big-endian ones, run on plain words.
#![allow(unsafe_code, reason = "intrinsics; the module is only compiled where the target has NEON")]

use core::arch::aarch64::*;

use super::{BLOCK, Kernel, Never, Token, Vector};

/// Proof that the target has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon;

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes16(uint8x16_t);

#[inline(always)]
fn load(bytes: &[u8; 16]) -> Bytes16 {
    // SAFETY: the target has NEON; the bytes are 16, and the load requires no alignment.
    Bytes16(unsafe { vld1q_u8(bytes.as_ptr()) })
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
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vdupq_n_u8(byte) })
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK], part: usize) -> Bytes16 {
        load(&block.as_chunks().0[part])
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes16 {
        load(&bytes[at..].as_chunks().0[0])
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes16 {
        load(table)
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
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vsubq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vqsubq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vshlq_n_u8::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vshrq_n_u8::<N>(self.0) })
    }

    #[inline(always)]
    fn shift_left_16<const N: i32>(self) -> Self {
        // SAFETY: the target has NEON.
        let lanes = unsafe { vreinterpretq_u16_u8(self.0) };
        // SAFETY: the target has NEON.
        let shifted = unsafe { vshlq_n_u16::<N>(lanes) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vreinterpretq_u8_u16(shifted) })
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        // SAFETY: the target has NEON.
        let lanes = unsafe { vreinterpretq_u16_u8(self.0) };
        // SAFETY: the target has NEON.
        let shifted = unsafe { vshrq_n_u16::<N>(lanes) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vreinterpretq_u8_u16(shifted) })
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // Lanes may be 16 or more, for which the instruction would give 0.
        // SAFETY: the target has NEON.
        let nibble = unsafe { vdupq_n_u8(0x0F) };
        // SAFETY: the target has NEON.
        let places = unsafe { vandq_u8(self.0, nibble) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vqtbl1q_u8(table.0, places) })
    }

    #[inline(always)]
    fn prev1(self, before: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vextq_u8::<15>(before.0, self.0) })
    }

    #[inline(always)]
    fn prev2(self, before: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vextq_u8::<14>(before.0, self.0) })
    }

    #[inline(always)]
    fn prev3(self, before: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vextq_u8::<13>(before.0, self.0) })
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        // SAFETY: the target has NEON.
        let even = unsafe { vuzp1q_u8(self.0, next.0) };
        // SAFETY: the target has NEON.
        (Bytes16(even), Bytes16(unsafe { vuzp2q_u8(self.0, next.0) }))
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        // SAFETY: the target has NEON.
        let (a, b) = (unsafe { vreinterpretq_u16_u8(self.0) }, unsafe { vreinterpretq_u16_u8(next.0) });
        // SAFETY: the target has NEON.
        let (even, odd) = (unsafe { vuzp1q_u16(a, b) }, unsafe { vuzp2q_u16(a, b) });
        // SAFETY: the target has NEON.
        let even = unsafe { vreinterpretq_u8_u16(even) };
        // SAFETY: the target has NEON.
        (Bytes16(even), Bytes16(unsafe { vreinterpretq_u8_u16(odd) }))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // SAFETY: the target has NEON.
        let low = unsafe { vzip1q_u8(self.0, other.0) };
        // SAFETY: the target has NEON.
        [Bytes16(low), Bytes16(unsafe { vzip2q_u8(self.0, other.0) })]
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        // SAFETY: the target has NEON.
        let (a, b) = (unsafe { vreinterpretq_u16_u8(self.0) }, unsafe { vreinterpretq_u16_u8(other.0) });
        // SAFETY: the target has NEON.
        let (low, high) = (unsafe { vzip1q_u16(a, b) }, unsafe { vzip2q_u16(a, b) });
        // SAFETY: the target has NEON.
        let low = unsafe { vreinterpretq_u8_u16(low) };
        // SAFETY: the target has NEON.
        [Bytes16(low), Bytes16(unsafe { vreinterpretq_u8_u16(high) })]
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the target has NEON; the bytes are 16, and the store requires no alignment.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), self.0) };
        bytes
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vceqq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        let left = unsafe { vreinterpretq_s8_u8(self.0) };
        // SAFETY: the target has NEON.
        let right = unsafe { vreinterpretq_s8_u8(other.0) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vcgtq_s8(left, right) })
    }

    #[inline(always)]
    fn min_16(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        let (a, b) = (unsafe { vreinterpretq_u16_u8(self.0) }, unsafe { vreinterpretq_u16_u8(other.0) });
        // SAFETY: the target has NEON.
        let least = unsafe { vminq_u16(a, b) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vreinterpretq_u8_u16(least) })
    }

    #[inline(always)]
    fn greater_signed_16(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        let (a, b) = (unsafe { vreinterpretq_s16_u8(self.0) }, unsafe { vreinterpretq_s16_u8(other.0) });
        // SAFETY: the target has NEON.
        let greater = unsafe { vcgtq_s16(a, b) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vreinterpretq_u8_u16(greater) })
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        // SAFETY: the target has NEON.
        let signed = unsafe { vreinterpretq_s8_u8(self.0) };
        // SAFETY: the target has NEON.
        let high = unsafe { vcltzq_s8(signed) };
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vbslq_u8(high, yes.0, no.0) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: the target has NEON.
        u64::from(unsafe { vaddlvq_u8(self.0) })
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        // There is no such instruction: each lane becomes its bit's weight, and neighbours are added three times.
        const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the target has NEON.
        let signed = unsafe { vreinterpretq_s8_u8(self.0) };
        // SAFETY: the target has NEON.
        let high = unsafe { vcltzq_s8(signed) };
        // SAFETY: the target has NEON.
        let bits = unsafe { vandq_u8(high, load(&WEIGHTS).0) };
        // SAFETY: the target has NEON.
        let pairs = unsafe { vpaddq_u8(bits, bits) };
        // SAFETY: the target has NEON.
        let fours = unsafe { vpaddq_u8(pairs, pairs) };
        // SAFETY: the target has NEON.
        let eights = unsafe { vpaddq_u8(fours, fours) };
        // SAFETY: the target has NEON.
        let halves = unsafe { vreinterpretq_u16_u8(eights) };
        // SAFETY: the target has NEON.
        u64::from(unsafe { vgetq_lane_u16::<0>(halves) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: the target has NEON.
        let fours = unsafe { vreinterpretq_u32_u8(self.0) };
        // SAFETY: the target has NEON.
        unsafe { vmaxvq_u32(fours) != 0 }
    }

    #[inline(always)]
    fn any_high(self) -> bool {
        // SAFETY: the target has NEON.
        unsafe { vmaxvq_u8(self.0) >= 128 }
    }
}

impl super::Sixteen for Bytes16 {
    #[inline(always)]
    fn shuffle(self, places: &[u8; 16]) -> Self {
        // SAFETY: the target has NEON.
        Bytes16(unsafe { vqtbl1q_u8(self.0, load(places).0) })
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
