//! Plain 64-bit words: eight bytes at a time on any machine, even big-endian ones (`from_le_bytes` makes the first byte
//! in memory the lowest lane).

use super::{BLOCK, Kernel, Token, Vector};

/// A token that requires nothing of the CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swar;

/// Eight bytes in a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word(u64);

/// The lowest bit of each byte of a word.
pub(crate) const LOW_BITS: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte of a word, which only ASCII leaves clear.
pub(crate) const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

impl Token for Swar {
    type Vector = Word;
    type Half = Swar;
    type Sixteen = Array16;

    #[inline(always)]
    fn half(self) -> Swar {
        self
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.call(self)
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Word {
        Word(LOW_BITS * u64::from(byte))
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK], part: usize) -> Word {
        Word(u64::from_le_bytes(block.as_chunks::<8>().0[part]))
    }

    #[inline(always)]
    fn load_at(self, bytes: &[u8], at: usize) -> Word {
        Word(u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i])))
    }

    #[inline(always)]
    fn table(self, table: &[u8; 16]) -> Word {
        // No algorithm with look-ups runs here (see `dispatch`); the first half keeps the operation total.
        Word(u64::from_le_bytes(*table.as_chunks::<8>().0.first().unwrap_or(&[0; 8])))
    }
}

impl Word {
    /// Returns 255 in each lane whose highest bit is set in `bits`.
    #[inline(always)]
    fn spread(bits: u64) -> Word {
        Word(((bits & HIGH_BITS) >> 7) * 255)
    }

    #[inline(always)]
    fn lanes(self, other: Word, each: impl Fn(u8, u8) -> u8) -> Word {
        let (a, b) = (self.0.to_le_bytes(), other.0.to_le_bytes());
        Word(u64::from_le_bytes(core::array::from_fn(|i| each(a[i], b[i]))))
    }
}

impl Word {
    #[inline(always)]
    fn lanes_16(self, other: Word, each: impl Fn(u16, u16) -> u16) -> Word {
        let lane = |word: u64, i: usize| (word >> (16 * i)) as u16;
        let lanes: [u16; 4] = core::array::from_fn(|i| each(lane(self.0, i), lane(other.0, i)));
        Word(lanes.iter().rev().fold(0, |word, &lane| word << 16 | u64::from(lane)))
    }
}

impl Vector for Word {
    const LEN: usize = 8;
    type Sixteen = Array16;
    type Bytes = [u8; 8];

    #[inline(always)]
    fn sixteen(self, _: usize) -> Array16 {
        Array16((u128::from(self.0)).to_le_bytes())
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Word(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Word(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Word(self.0 ^ other.0)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // Borrows stop at the lane: the high bits are computed separately.
        Word(((self.0 | HIGH_BITS) - (other.0 & !HIGH_BITS)) ^ ((self.0 ^ !other.0) & HIGH_BITS))
    }

    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        self.lanes(other, u8::saturating_sub)
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Word(self.0 << N & (LOW_BITS * u64::from(0xFF_u8 << N)))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Word(self.0 >> N & (LOW_BITS * u64::from(0xFF_u8 >> N)))
    }

    #[inline(always)]
    fn shift_left_16<const N: i32>(self) -> Self {
        self.lanes_16(self, |lane, _| lane << N)
    }

    #[inline(always)]
    fn shift_right_16<const N: i32>(self) -> Self {
        self.lanes_16(self, |lane, _| lane >> N)
    }

    #[inline(always)]
    fn lookup(self, table: Self) -> Self {
        self.lanes(table, |index, _| table.0.to_le_bytes()[usize::from(index & 7)])
    }

    #[inline(always)]
    fn first_of_sixteen(self) -> Self {
        Word(LOW_BITS * (self.0 & 0xFF))
    }

    #[inline(always)]
    fn prev1(self, before: Self) -> Self {
        Word(self.0 << 8 | before.0 >> 56)
    }

    #[inline(always)]
    fn prev2(self, before: Self) -> Self {
        Word(self.0 << 16 | before.0 >> 48)
    }

    #[inline(always)]
    fn prev3(self, before: Self) -> Self {
        Word(self.0 << 24 | before.0 >> 40)
    }

    #[inline(always)]
    fn deinterleave(self, next: Self) -> (Self, Self) {
        let both = (u128::from(next.0) << 64 | u128::from(self.0)).to_le_bytes();
        let every_second =
            |from: usize| Word(u64::from_le_bytes(core::array::from_fn(|i| both[from + 2 * i])));
        (every_second(0), every_second(1))
    }

    #[inline(always)]
    fn deinterleave_16(self, next: Self) -> (Self, Self) {
        let both = (u128::from(next.0) << 64 | u128::from(self.0)).to_le_bytes();
        let every_second =
            |from: usize| Word(u64::from_le_bytes(core::array::from_fn(|i| both[from + i / 2 * 4 + i % 2])));
        (every_second(0), every_second(2))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let (a, b) = (self.to_bytes(), other.to_bytes());
        let byte = |i: usize| if i.is_multiple_of(2) { a[i / 2] } else { b[i / 2] };
        [0, 8].map(|from| Word(u64::from_le_bytes(core::array::from_fn(|i| byte(from + i)))))
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        let (a, b) = (self.to_bytes(), other.to_bytes());
        let byte = |i: usize| (if i & 2 == 0 { a } else { b })[i / 4 * 2 + i % 2];
        [0, 8].map(|from| Word(u64::from_le_bytes(core::array::from_fn(|i| byte(from + i)))))
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        let differs = self.0 ^ other.0;
        // The high bit of a lane ends up set if the lane is not zero.
        let not_zero = ((differs & !HIGH_BITS) + !HIGH_BITS) | differs;
        Word::spread(!not_zero)
    }

    #[inline(always)]
    fn greater_signed(self, other: Self) -> Self {
        // Biased to unsigned, then: a > b unless b - a does not borrow.
        let (a, b) = (self.0 ^ HIGH_BITS, other.0 ^ HIGH_BITS);
        let low = (b | HIGH_BITS) - (a & !HIGH_BITS); // high bit: no borrow from the low seven bits
        let greater = (a & !b) | (!(a ^ b) & !low);
        Word::spread(greater)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.lanes(other, u8::max)
    }

    #[inline(always)]
    fn min_signed(self, other: Self) -> Self {
        self.lanes(other, |a, b| (a as i8).min(b as i8) as u8)
    }

    #[inline(always)]
    fn min_16(self, other: Self) -> Self {
        self.lanes_16(other, u16::min)
    }

    #[inline(always)]
    fn min_32(self, other: Self) -> Self {
        let lane = |n: u32| u64::from(((self.0 >> n) as u32).min((other.0 >> n) as u32)) << n;
        Word(lane(0) | lane(32))
    }

    #[inline(always)]
    fn greater_signed_16(self, other: Self) -> Self {
        self.lanes_16(other, |a, b| if a as i16 > b as i16 { 0xFFFF } else { 0 })
    }

    #[inline(always)]
    fn where_high(self, yes: Self, no: Self) -> Self {
        let high = Word::spread(self.0).0;
        Word(yes.0 & high | no.0 & !high)
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        let pairs = (self.0 & 0x00FF_00FF_00FF_00FF) + (self.0 >> 8 & 0x00FF_00FF_00FF_00FF);
        pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
    }

    #[inline(always)]
    fn high_bits(self) -> u64 {
        // Moves each high bit to its lane's number, by one multiplication: 7 - i bits up for lane i, collected at the
        // top.
        ((self.0 & HIGH_BITS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn any_high(self) -> bool {
        self.0 & HIGH_BITS != 0
    }
}

/// Sixteen bytes in memory, with a loop for each operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array16([u8; 16]);

impl Array16 {
    #[inline(always)]
    fn lanes(self, other: Self, each: impl Fn(u8, u8) -> u8) -> Self {
        Array16(core::array::from_fn(|i| each(self.0[i], other.0[i])))
    }
}

impl super::Sixteen for Array16 {
    #[inline(always)]
    fn shuffle(self, places: &[u8; 16]) -> Self {
        Array16(places.map(|place| if place < 16 { self.0[usize::from(place)] } else { 0 }))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.lanes(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let byte = |i: usize| if i.is_multiple_of(2) { self.0[i / 2] } else { other.0[i / 2] };
        [0, 16].map(|from| Array16(core::array::from_fn(|i| byte(from + i))))
    }

    #[inline(always)]
    fn interleave_16(self, other: Self) -> [Self; 2] {
        let byte = |i: usize| (if i & 2 == 0 { self.0 } else { other.0 })[i / 4 * 2 + i % 2];
        [0, 16].map(|from| Array16(core::array::from_fn(|i| byte(from + i))))
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}
