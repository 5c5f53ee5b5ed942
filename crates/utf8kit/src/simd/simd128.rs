//! WebAssembly with simd128: 16 bytes. WebAssembly has no feature detection at run time: only machines with these
//! instructions accept a module that contains them, so the level is available wherever it was compiled in.
#![allow(unsafe_code, reason = "loads and stores; all other operations are safe")]

use core::arch::wasm32::*;

use super::{Kernel, Token, Vector};

/// Proof that the module was compiled with simd128.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes16(v128);

impl Token for Simd128 {
    type Vector = Bytes16;
    type Half = Simd128;
    type Sixteen = Bytes16;

    #[inline(always)]
    fn half(self) -> Simd128 {
        self
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.call(self)
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes16 {
        Bytes16(u8x16_splat(byte))
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Bytes16 {
        let bytes = &bytes[at..at + 16];
        // SAFETY: the bytes are 16, and the load requires no alignment.
        Bytes16(unsafe { v128_load(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Bytes16 {
        self.load_at(table, 0)
    }
}

impl Bytes16 {
    intrinsics! {
        fn even(self, next: Self) -> Self =
            i8x16_shuffle::<0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30>(self.0, next.0);
        fn odd(self, next: Self) -> Self =
            i8x16_shuffle::<1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31>(self.0, next.0);
        fn even_16(self, next: Self) -> Self = i16x8_shuffle::<0, 2, 4, 6, 8, 10, 12, 14>(self.0, next.0);
        fn odd_16(self, next: Self) -> Self = i16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(self.0, next.0);
        fn low(self, other: Self) -> Self =
            i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(self.0, other.0);
        fn high(self, other: Self) -> Self =
            i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(self.0, other.0);
        fn low_16(self, other: Self) -> Self = i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(self.0, other.0);
        fn high_16(self, other: Self) -> Self = i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(self.0, other.0);
        /// Looks up positions below 16; others give 0.
        fn swizzle(self, places: Self) -> Self = u8x16_swizzle(self.0, places.0);
        fn mask(self) -> u16 = u8x16_bitmask(self.0);
        fn mask_16(self) -> u8 = i16x8_bitmask(self.0);
    }
}

impl Vector for Bytes16 {
    const LEN: usize = 16;
    const TESTED_ALONE: bool = true;
    type Sixteen = Bytes16;
    type Bytes = [u8; 16];

    intrinsics! {
        fn and(self, other: Self) -> Self = v128_and(self.0, other.0);
        fn or(self, other: Self) -> Self = v128_or(self.0, other.0);
        fn xor(self, other: Self) -> Self = v128_xor(self.0, other.0);
        fn sub(self, other: Self) -> Self = u8x16_sub(self.0, other.0);
        fn saturating_sub(self, other: Self) -> Self = u8x16_sub_sat(self.0, other.0);
        fn prev1(self, before: Self) -> Self =
            i8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before.0, self.0);
        fn prev2(self, before: Self) -> Self =
            i8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before.0, self.0);
        fn prev3(self, before: Self) -> Self =
            i8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before.0, self.0);
        fn equal(self, other: Self) -> Self = u8x16_eq(self.0, other.0);
        fn greater_signed(self, other: Self) -> Self = i8x16_gt(self.0, other.0);
        fn max(self, other: Self) -> Self = u8x16_max(self.0, other.0);
        fn min_signed(self, other: Self) -> Self = i8x16_min(self.0, other.0);
        fn min_16(self, other: Self) -> Self = u16x8_min(self.0, other.0);
        fn min_32(self, other: Self) -> Self = u32x4_min(self.0, other.0);
        fn greater_signed_16(self, other: Self) -> Self = i16x8_gt(self.0, other.0);
        fn any(self) -> bool = v128_any_true(self.0);
    }

    #[inline(always)]
    fn sixteen(self, _: usize) -> Bytes16 {
        self
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Bytes16(u8x16_shl(self.0, N as u32))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Bytes16(u8x16_shr(self.0, N as u32))
    }

    #[inline(always)]
    fn shift_left_16<const N: i32>(self) -> Self {
        Bytes16(i16x8_shl(self.0, N as u32))
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        Bytes16(u16x8_shr(self.0, N as u32))
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        // Lanes may be 16 or more, for which a swizzle would give 0.
        table.swizzle(self.and(Simd128.splat(0x0F)))
    }

    #[inline(always)]
    fn first_of_sixteen(self) -> Self {
        self.swizzle(Simd128.splat(0))
    }

    #[inline(always)]
    fn lookup_high(self, table: Self) -> Self {
        // The shift of bytes is five instructions in V8 on x86-64, which recomputes its mask each time.
        self.shift_right_16::<4>().lookup(table)
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        (self.even(next), self.odd(next))
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        (self.even_16(next), self.odd_16(next))
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
        // SAFETY: the bytes are 16, and the store requires no alignment.
        unsafe { v128_store(bytes.as_mut_ptr().cast(), self.0) };
        bytes
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        Bytes16(v128_bitselect(yes.0, no.0, i8x16_shr(self.0, 7)))
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        let fours = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(self.0));
        let twos = i32x4_add(fours, i32x4_shuffle::<2, 3, 0, 1>(fours, fours));
        u64::from(u32x4_extract_lane::<0>(twos) + u32x4_extract_lane::<1>(twos))
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        u64::from(self.mask())
    }

    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        u64::from(self.mask_16())
    }
}

impl super::Sixteen for Bytes16 {
    #[inline(always)]
    fn shuffle(self, places: &[u8; 16]) -> Self {
        self.swizzle(Simd128.table(places))
    }

    sixteen_as_vector!();
}
