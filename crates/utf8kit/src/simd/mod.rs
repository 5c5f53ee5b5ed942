//! The boundary between algorithms and instructions: the operations on a vector of bytes, once per level.
//!
//! A [`Kernel`] is an algorithm; a [`Token`] proves that the CPU has a level's instructions and runs kernels
//! compiled for it. Kernels hold no `unsafe`: a vector can only be made from a token.
//!
//! One `#[target_feature]` function per level ([`Token::run`]) serves every operation, because everything inside it is
//! `#[inline(always)]`. Adding an operation touches no file of this folder; adding a level adds one.

use core::hint::select_unpredictable;
use core::mem::MaybeUninit;

#[cfg(any(
    target_arch = "x86_64",
    target_feature = "simd128",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
))]
#[macro_use]
mod intrinsics;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod level;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
mod prefetch;
#[cfg(target_feature = "simd128")]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod sse4;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(crate) use neon::Neon;
pub(crate) use prefetch::{prefetch, prefetch_pays_when_load_bound};
#[cfg(target_feature = "simd128")]
pub(crate) use simd128::Simd128;
#[cfg(target_arch = "x86_64")]
pub(crate) use sse4::Sse4;

/// The number of bytes that a kernel processes as a unit.
pub(crate) const BLOCK_BYTES: usize = 64;

/// The lower byte of each lane of two.
#[cfg(target_arch = "x86_64")]
const LOW_OF_TWO: [u8; 16] = [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0];
/// The lower two bytes of each lane of four.
#[cfg(target_arch = "x86_64")]
const LOW_OF_FOUR: [u8; 16] = [0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0];

/// An input split into blocks whose vectors cross no cache line, where that pays.
///
/// A load that crosses a cache line costs as much as two loads, and `Vec` aligns only to 16 bytes. In short inputs the
/// partial first block does not pay.
pub(crate) struct Lines<'b> {
    /// Less than a vector; empty on levels that do not align.
    pub(crate) head: &'b [u8],
    pub(crate) blocks: &'b [[u8; BLOCK_BYTES]],
    /// Less than a block.
    pub(crate) tail: &'b [u8],
}

impl<'b> Lines<'b> {
    /// The least length for which blocks are aligned.
    pub(crate) const MIN_BYTES_TO_ALIGN: usize = 8 * BLOCK_BYTES;

    /// Splits `bytes`, which must be whole units of `unit` bytes, without splitting a unit.
    #[inline(always)]
    pub(crate) fn new<T: Token>(_: T, bytes: &'b [u8], unit: usize) -> Self {
        let (mut start, width) = (0, T::Vector::LEN);
        if width >= BLOCK_BYTES / 2 && bytes.len() >= Self::MIN_BYTES_TO_ALIGN {
            let place = bytes.as_ptr().align_offset(width);
            start = if place < width && place.is_multiple_of(unit) { place } else { 0 };
        }
        let (head, rest) = bytes.split_at(start);
        let (blocks, tail) = rest.as_chunks();
        Lines { head, blocks, tail }
    }
}

/// How many bytes [`front_of`] returns.
pub(crate) const FRONT_BYTES: usize = 16;

/// Returns the first 16 bytes, or all, followed by `filler`, without a copy through memory, and without a branch on the
/// length except for 16, because successive short inputs are of all lengths.
#[inline(always)]
pub(crate) fn front_of(bytes: &[u8], filler: u8) -> [u8; 16] {
    if let Some(all) = bytes.first_chunk::<16>() {
        return *all;
    }
    let len = bytes.len();
    let [word, half, two, one] = words_by_length_bits::<0>(bytes);
    let filler = u64::from_le_bytes([filler; 8]);
    let rest = half | two << (8 * (len & 4)) | one << (8 * (len & 6)) | filler << (8 * (len & 7));
    let low = select_unpredictable(len < 8, rest, word);
    let high = select_unpredictable(len < 8, filler, rest);
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}

/// Splits fewer than 16 bytes into little-endian numbers of eight, four, two and one bytes, by the bits of their
/// length. Missing numbers are read from a constant, so that an address is selected without a branch.
#[inline(always)]
pub(crate) fn words_by_length_bits<const FILLER: u8>(bytes: &[u8]) -> [u64; 4] {
    let len = bytes.len();
    let fillers = const { &[FILLER; 8] };
    [
        u64::from_le_bytes(*first_of(bytes, fillers)),
        u64::from(u32::from_le_bytes(*first_of(&bytes[len & 8..], fillers))),
        u64::from(u16::from_le_bytes(*first_of(&bytes[len & 12..], fillers))),
        u64::from(u8::from_le_bytes(*first_of(&bytes[len & 14..], fillers))),
    ]
}

/// Returns the first `N` bytes, or the first of `others` if there are fewer.
#[inline(always)]
fn first_of<'b, const N: usize>(bytes: &'b [u8], others: &'static [u8; 8]) -> &'b [u8; N] {
    bytes.first_chunk().or(others.first_chunk()).unwrap_or(&[0; N])
}

/// Proof that the CPU has a level's instructions.
pub(crate) trait Token: Copy {
    /// The level's vector.
    type Vector: Vector<Sixteen = Self::Sixteen>;

    /// The level with half the vector, for short inputs; itself at 16 bytes.
    type Half: Token;

    /// The level's sixteen-byte vector, for work that shuffles bytes.
    type Sixteen: Sixteen;

    /// Returns proof of the half level, which this level includes.
    fn half(self) -> Self::Half;

    /// `vzeroupper`. Call it only where no wide vector is live. Other libraries may have left the upper halves of
    /// registers in use, which slows down baseline code, and compilers clear them only after code that used them.
    #[inline(always)]
    fn clear_other_halves(self) {}

    /// Runs `kernel`, compiled for this level.
    fn run<K: Kernel>(self, kernel: K) -> K::Output;

    /// Runs `work` by the level's variant: with lane masks or with tables.
    #[inline(always)]
    fn by_variant<W: Variants<Self>>(self, work: W) -> W::Output {
        work.by_tables(self)
    }

    /// Returns a vector with `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Loads the `part`-th vector of a block: bytes `part * LEN ..`.
    #[inline(always)]
    fn load(self, block: &[u8; BLOCK_BYTES], part: usize) -> Self::Vector {
        self.load_at(block, part * Self::Vector::LEN)
    }

    /// Loads the vector at `at`, which may be anywhere in `bytes` if a whole vector is left.
    fn load_at(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Loads the first bytes of `bytes`, at most a vector, with `filler` in the lanes after them. Reads nothing outside
    /// the slice.
    #[inline(always)]
    fn load_front(self, bytes: &[u8], filler: u8) -> Self::Vector {
        if Self::Vector::LEN == 16 {
            return self.table(&front_of(bytes, filler));
        }
        let mut block = [filler; BLOCK_BYTES];
        let len = bytes.len().min(Self::Vector::LEN);
        block[..len].copy_from_slice(&bytes[..len]);
        self.load(&block, 0)
    }

    /// Loads the last bytes of `bytes`, at most a vector, into the last lanes, with `filler` in the lanes before them.
    #[inline(always)]
    fn load_back(self, bytes: &[u8], filler: u8) -> Self::Vector {
        let mut block = [filler; BLOCK_BYTES];
        let len = bytes.len().min(Self::Vector::LEN);
        block[Self::Vector::LEN - len..Self::Vector::LEN].copy_from_slice(&bytes[bytes.len() - len..]);
        self.load(&block, 0)
    }

    /// Loads the vectors that begin one, two and three bytes before `at`.
    #[inline(always)]
    fn load_before(self, bytes: &[u8], at: usize) -> [Self::Vector; 3] {
        [self.load_at(bytes, at - 1), self.load_at(bytes, at - 2), self.load_at(bytes, at - 3)]
    }

    /// Loads a table for [`Vector::lookup`]: the 16 bytes, repeated to fill the vector.
    fn table(self, table: &[u8; 16]) -> Self::Vector;
}

/// An algorithm over vectors.
pub(crate) trait Kernel {
    /// The result of the algorithm.
    type Output;

    /// Runs the algorithm. This function, and everything it calls on vectors, must be `#[inline(always)]` to be
    /// compiled for the level.
    fn call<T: Token>(self, token: T) -> Self::Output;
}

/// An algorithm for short inputs, with few branches on their length and content, because successive short inputs are of
/// all lengths and scripts.
pub(crate) trait Short: Kernel {
    /// Returns whether this kernel handles this input on this level.
    #[allow(dead_code, reason = "machines without vectors never ask")]
    fn is_for<T: Token>(&self, token: T) -> bool;
}

/// The longest input, in bytes, that any level treats as short.
pub(crate) const MAX_SHORT_BYTES: usize = 4 * BLOCK_BYTES;

/// An operation with one implementation for levels with lane masks and one for the others. Usually the difference is
/// left-packing: `vpcompressb` or a shuffle table. [`Token::by_variant`] chooses, so that each is compiled only for its
/// levels.
pub(crate) trait Variants<T: Token>: Sized {
    /// The result of the work.
    type Output;

    /// By shuffles, from a table indexed by the pattern of kept bytes.
    fn by_tables(self, token: T) -> Self::Output;

    /// By an instruction under a mask, which only AVX-512 has ([`Masked::compress`]).
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX-512 has masks"))]
    fn by_compress(self, token: T) -> Self::Output
    where
        T: MaskedToken;
}

/// A level whose vectors are [`Masked`], and whose loads and stores can be limited to some lanes.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX-512 has masks"))]
pub(crate) trait MaskedToken: Token<Vector: Masked> {}

/// A value for the levels without masks, and one for the levels with masks.
pub(crate) struct PerVariant<R> {
    pub(crate) tables: R,
    pub(crate) compress: R,
}

impl<T: Token, R> Variants<T> for PerVariant<R> {
    type Output = R;

    #[inline(always)]
    fn by_tables(self, _: T) -> R {
        self.tables
    }

    #[inline(always)]
    fn by_compress(self, _: T) -> R {
        self.compress
    }
}

/// A vector of bytes. Each operation is documented by its scalar meaning for lane `i`.
pub(crate) trait Vector: Copy {
    /// Bytes in a vector; divides [`BLOCK_BYTES`].
    const LEN: usize;

    /// Whether a loop tests each vector before it loads the next one. Without this, the compiler loads so far ahead on
    /// simd128 that V8 runs out of registers.
    const TESTED_ALONE: bool = false;

    /// The level's sixteen-byte vector.
    type Sixteen: Sixteen;

    /// An array of [`Vector::LEN`] bytes.
    type Bytes: AsRef<[u8]>;

    /// Returns the lanes.
    fn to_bytes(self) -> Self::Bytes;

    /// Fills `place`, which must be at most a vector, with the first lanes, and writes nothing after it.
    #[inline(always)]
    fn store_front(self, place: &mut [MaybeUninit<u8>]) {
        for (place, &byte) in place.iter_mut().zip(self.to_bytes().as_ref()) {
            place.write(byte);
        }
    }

    /// Returns the `part`-th sixteen bytes.
    fn sixteen(self, part: usize) -> Self::Sixteen;

    /// `self[i] & other[i]`
    fn and(self, other: Self) -> Self;
    /// `self[i] & other[i] & third[i]`
    #[inline(always)]
    fn and_both(self, other: Self, third: Self) -> Self {
        self.and(other).and(third)
    }
    /// `self[i] | other[i]`
    fn or(self, other: Self) -> Self;
    /// `self[i] ^ other[i]`
    fn xor(self, other: Self) -> Self;
    /// `self[i].wrapping_sub(other[i])`
    fn sub(self, other: Self) -> Self;
    /// `self[i].saturating_sub(other[i])`
    fn saturating_sub(self, other: Self) -> Self;
    /// `self[i] << N`
    fn shift_left<const N: i32>(self) -> Self;
    /// `self[i] >> N`
    fn shift_right<const N: i32>(self) -> Self;
    /// `self[i] << N` on lanes of two bytes, little-endian.
    fn shift_left_16<const N: i32>(self) -> Self;
    /// `self[i] >> N` on lanes of two bytes.
    fn shift_right_16<const N: i32>(self) -> Self;
    /// `table[self[i] & 15]`
    fn lookup(self, table: Self) -> Self;
    /// [`Vector::lookup`] of lanes below 128.
    #[inline(always)]
    fn lookup_below_128(self, table: Self) -> Self {
        self.lookup(table)
    }
    /// `table[self[i] >> 4]`
    #[inline(always)]
    fn lookup_high(self, table: Self) -> Self {
        self.shift_right::<4>().lookup(table)
    }
    /// Each sixteen bytes become sixteen copies of their first byte.
    fn first_of_sixteen(self) -> Self;
    /// The vector that begins one byte earlier, where `before` is the vector preceding `self`.
    fn prev1(self, before: Self) -> Self;
    /// [`Vector::prev1`] for two bytes.
    fn prev2(self, before: Self) -> Self;
    /// [`Vector::prev1`] for three bytes.
    fn prev3(self, before: Self) -> Self;
    /// The vectors that begin one, two and three bytes earlier, as if each sixteen bytes followed a copy of themselves.
    #[inline(always)]
    fn prev_in_sixteen(self) -> [Self; 3] {
        [self.prev1(self), self.prev2(self), self.prev3(self)]
    }
    /// `if self[i] is signed greater than other[i] { kept[i] } else { 0 }`
    #[inline(always)]
    fn kept_where_greater(self, other: Self, kept: Self) -> Self {
        kept.and(self.greater_signed(other))
    }
    /// The bytes at even positions of this and the next vector, and those at odd positions.
    fn deinterleave(self, next: Self) -> (Self, Self);
    /// [`Vector::deinterleave`] for lanes of two bytes.
    fn deinterleave_16(self, next: Self) -> (Self, Self);
    /// The lanes of four bytes of this and the next vector as lanes of two. Their values must fit.
    #[inline(always)]
    fn narrow_32(self, next: Self) -> Self {
        self.deinterleave_16(next).0
    }
    /// `self[0], other[0], self[1], other[1]` and so on: two vectors.
    fn interleave(self, other: Self) -> [Self; 2];
    /// [`Vector::interleave`] for lanes of two bytes.
    fn interleave_16(self, other: Self) -> [Self; 2];
    /// `if self[i] == other[i] { 255 } else { 0 }`
    fn equal(self, other: Self) -> Self;
    /// `if (self[i] as i8) > (other[i] as i8) { 255 } else { 0 }`
    fn greater_signed(self, other: Self) -> Self;
    /// `self[i].max(other[i])`
    fn max(self, other: Self) -> Self;
    /// `(self[i] as i8).min(other[i] as i8)`
    fn min_signed(self, other: Self) -> Self;
    /// `self[i].min(other[i])` on unsigned lanes of two bytes.
    fn min_16(self, other: Self) -> Self;
    /// `self[i].min(other[i])` on unsigned lanes of four bytes.
    fn min_32(self, other: Self) -> Self;
    /// `if (self[i] as i16) > (other[i] as i16) { 65535 } else { 0 }` on lanes of two bytes.
    fn greater_signed_16(self, other: Self) -> Self;
    /// `if self[i] >= 128 { yes[i] } else { no[i] }`
    fn where_high(self, yes: Self, no: Self) -> Self;
    /// Returns the sum of all lanes.
    fn sum(self) -> u64;
    /// Bit `i` is the highest bit of `self[i]`.
    fn high_bits(self) -> u64;
    /// Bit `i` is the highest bit of lane `i` of two bytes.
    #[inline(always)]
    fn high_bits_16(self) -> u64 {
        self.deinterleave(self).1.high_bits() & u64::MAX >> (64 - Self::LEN / 2)
    }
    /// Reports whether any lane is not zero.
    fn any(self) -> bool;
    /// Reports whether any lane is 128 or more.
    #[inline(always)]
    fn any_high(self) -> bool {
        self.high_bits() != 0
    }
}

/// Sixteen bytes that can be shuffled, and treated as lanes of two bytes, little-endian on any machine.
pub(crate) trait Sixteen: Copy {
    /// `if places[i] < 16 { self[places[i]] } else { 0 }`; each place is below 16, or 128.
    fn shuffle(self, places: &[u8; 16]) -> Self;
    /// `self[i] ^ other[i]` on bits.
    fn xor(self, other: Self) -> Self;
    /// `self[0], other[0], self[1], other[1]` and so on: twice sixteen bytes.
    fn interleave(self, other: Self) -> [Self; 2];
    /// [`Sixteen::interleave`] for lanes of two bytes.
    fn interleave_16(self, other: Self) -> [Self; 2];
    /// Returns the bytes.
    fn to_bytes(self) -> [u8; 16];
}

/// Sixty-four bytes, with operations that a mask of 64 bits limits to some of them, and look-ups by six bits.
pub(crate) trait Masked: Vector {
    /// The lanes whose bit is set, consecutively, then zeros.
    fn compress(self, kept: u64) -> Self;
    /// Bit `i` is set if `self[i]` is not zero.
    fn nonzero(self) -> u64;
    /// Bit `i` is set if `self[i] >= other[i]`.
    fn at_least(self, other: Self) -> u64;
    /// [`Masked::at_least`] for lanes of two bytes.
    fn at_least_16(self, other: Self) -> u64;
    /// `self[i].wrapping_add(other[i])` on lanes of two bytes.
    fn add_16(self, other: Self) -> Self;
    /// `if mask >> i & 1 == 1 { other[i] } else { self[i] }`
    fn blend(self, mask: u64, other: Self) -> Self;
    /// [`Masked::blend`] for lanes of two bytes.
    fn blend_16(self, mask: u64, other: Self) -> Self;
    /// `table[self[i] & 63]`
    fn lookup_six_bits(self, table: &[u8; 64]) -> Self;
    /// `if mask >> i & 1 == 1 { (self followed by other)[places[i]] } else { 0 }`; places are below 128.
    fn of_both(self, other: Self, places: &[u8; 64], mask: u64) -> Self;
    /// `table[self[i]]`
    fn lookup_eight_bits(self, table: &[u8; 256]) -> Self;
    /// `numbers[i].wrapping_sub(less)` on lanes of four bytes, whatever `self` is.
    fn differences(self, numbers: &[i32; 16], less: i32) -> Self;
}
