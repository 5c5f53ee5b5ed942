//! UTF-8 that is known to be well formed, to UTF-16 or UTF-32.
//!
//! # Algorithm
//! Lemire and Muła, "Transcoding billions of Unicode characters per second with SIMD instructions" (2022): a bit
//! for each byte that ends a sequence; the next twelve of them say how the next sequences are laid out, and an
//! entry of a table says which bytes to bring together:
//!
//! ```text
//! 6 sequences of 1 or 2 bytes   -> 6 lanes of 16 bits:  [last, lead]
//! 4 sequences of 1 to 3 bytes   -> 4 lanes of 32 bits:  [last, second, lead, 0]
//! 3 sequences of 1 to 4 bytes   -> 3 lanes of 32 bits:  [last, third, second, lead]
//! ```
//!
//! whose payload bits are then shifted together. Runs of sixteen ASCII bytes, eight sequences of two and four of
//! three have their own way, without the table.
//!
//! # Deviations
//! - The tables (209 shuffles, 4,096 entries) are computed at compile time from the lengths.
//! - Well-formedness is the other kernel's business, a few kilobytes ahead, so nothing is checked here.

use crate::arch::{BLOCK, Kernel, Sixteen, Token, Vector};
use crate::out::Out;

/// What the units are.
pub(crate) trait Target: Copy {
    /// Bytes in a unit: 2 or 4.
    const UNIT: usize;
    /// The order of bytes.
    const BIG_ENDIAN: bool;
}

macro_rules! targets {
    ($($name:ident, $unit:literal, $big_endian:literal;)*) => {$(
        /// A target.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Target for $name {
            const UNIT: usize = $unit;
            const BIG_ENDIAN: bool = $big_endian;
        }
    )*};
}

targets! {
    ToUtf16Le, 2, false;
    ToUtf16Be, 2, true;
    ToUtf32Le, 4, false;
    ToUtf32Be, 4, true;
}

/// Converts as much of `bytes` (well-formed UTF-8) as leaves less than a block, or fits; says how much.
pub(crate) struct Widen<'a, 'o, U> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) target: U,
}

impl<U: Target> Kernel for Widen<'_, '_, U> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        if !T::SHUFFLE {
            return 0;
        }
        let Widen { bytes, out, target } = self;
        let limit = token.splat(0xBF); // the largest continuation, as a signed number
        let mut at = 0;
        while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
            let mut starts = 0;
            let mut high = 0;
            for part in 0..BLOCK / T::Vector::LEN {
                let lanes = token.load(block, part);
                starts |= lanes.greater_signed(limit).high_bits() << (part * T::Vector::LEN);
                high |= lanes.high_bits() << (part * T::Vector::LEN);
            }
            if high == 0 {
                if !widen_ascii(block, out, target) {
                    return at;
                }
                at += BLOCK;
                continue;
            }
            // Bit i: byte i ends a sequence. What follows the block does not show; its last 12 bytes wait.
            let ends = starts >> 1;
            let mut within = 0;
            while within <= BLOCK - 16 {
                let Some(window) = block[within..].first_chunk::<16>() else { break };
                match step(token, window, ends >> within, out, target) {
                    0 => return at + within,
                    step => within += step,
                }
            }
            at += within;
        }
        at
    }
}

/// Sixty-four ASCII bytes.
#[inline(always)]
fn widen_ascii<U: Target>(block: &[u8; BLOCK], out: &mut Out<'_>, _: U) -> bool {
    out.room() >= BLOCK * U::UNIT
        && match (U::UNIT, U::BIG_ENDIAN) {
            (2, false) => out.widen(block, |b| [b, 0]) > 0,
            (2, true) => out.widen(block, |b| [0, b]) > 0,
            (_, false) => out.widen(block, |b| [b, 0, 0, 0]) > 0,
            (_, true) => out.widen(block, |b| [0, 0, 0, b]) > 0,
        }
}

/// The next few sequences; how many bytes they were, 0 if they do not fit.
#[inline(always)]
fn step<T: Token, U: Target>(token: T, window: &[u8; 16], ends: u64, out: &mut Out<'_>, target: U) -> usize {
    let bytes = token.sixteen(window);
    if ends & 0xFFFF == 0xFFFF {
        let low = two_byte_lanes(token, bytes.shuffle(&ASCII_LOW));
        let high = two_byte_lanes(token, bytes.shuffle(&ASCII_HIGH));
        let fits = out.room() >= 16 * U::UNIT;
        return if fits && put_16(low, 8, out, target) && put_16(high, 8, out, target) { 16 } else { 0 };
    }
    if ends & 0xFFFF == 0xAAAA {
        return if put_16(two_byte_lanes(token, bytes.shuffle(&TWOS)), 8, out, target) { 16 } else { 0 };
    }
    if ends & 0xFFF == 0x924 {
        let values = three_byte_lanes(token, bytes.shuffle(&THREES));
        return if put_32_as_16(values, 4, out, target) { 12 } else { 0 };
    }
    let Entry { shuffle, consumed } = ENTRIES[(ends & 0xFFF) as usize];
    let places = &SHUFFLES[usize::from(shuffle)];
    let lanes = bytes.shuffle(places);
    let fits = if shuffle < FOURS {
        put_16(two_byte_lanes(token, lanes), 6, out, target)
    } else if shuffle < THREE {
        put_32_as_16(three_byte_lanes(token, lanes), 4, out, target)
    } else {
        put_values(four_byte_lanes(token, lanes), out, target)
    };
    if fits { usize::from(consumed) } else { 0 }
}

/// A constant of lanes.
#[inline(always)]
fn lanes_of<T: Token, const N: usize>(token: T, lane: [u8; N]) -> T::Sixteen {
    token.sixteen(&core::array::from_fn(|i| lane[i % N]))
}

/// `[last, lead]`: 0aaaaaaa, or 110bbbbb 10aaaaaa.
#[inline(always)]
fn two_byte_lanes<T: Token>(token: T, lanes: T::Sixteen) -> T::Sixteen {
    let low = lanes.and(lanes_of(token, [0x7F, 0]));
    let high = lanes.and(lanes_of(token, [0, 0x1F])).shift_right_16::<2>();
    low.or(high)
}

/// `[last, second, lead, 0]`: of two bytes, the lead stands where the second would; its bit 5 is 0.
#[inline(always)]
fn three_byte_lanes<T: Token>(token: T, lanes: T::Sixteen) -> T::Sixteen {
    let low = lanes.and(lanes_of(token, [0x7F, 0, 0, 0]));
    let middle = lanes.and(lanes_of(token, [0, 0x3F, 0, 0])).shift_right_32::<2>();
    let high = lanes.and(lanes_of(token, [0, 0, 0x0F, 0])).shift_right_32::<4>();
    low.or(middle).or(high)
}

/// `[last, third, second, lead]`: of three bytes, the lead stands where the second would, and its bit 5 is 1: taken
/// away by its bit 6, which no continuation has.
#[inline(always)]
fn four_byte_lanes<T: Token>(token: T, lanes: T::Sixteen) -> T::Sixteen {
    let low = lanes.and(lanes_of(token, [0x7F, 0, 0, 0]));
    let third = lanes.and(lanes_of(token, [0, 0x3F, 0, 0])).shift_right_32::<2>();
    let marker = lanes.and(lanes_of(token, [0, 0, 0x40, 0])).shift_right_32::<1>();
    let second = lanes.and(lanes_of(token, [0, 0, 0x3F, 0])).xor(marker).shift_right_32::<4>();
    let lead = lanes.and(lanes_of(token, [0, 0, 0, 0x07])).shift_right_32::<6>();
    low.or(third).or(second).or(lead)
}

/// Writes `count` (at most 8) values from lanes of two bytes.
#[inline(always)]
fn put_16<S: Sixteen, U: Target>(lanes: S, count: usize, out: &mut Out<'_>, _: U) -> bool {
    match (U::UNIT, U::BIG_ENDIAN) {
        (2, false) => out.push_front_of(lanes.to_bytes(), 2 * count),
        (2, true) => out.push_front_of(lanes.shuffle(&SWAP_2).to_bytes(), 2 * count),
        (_, false) => {
            out.room() >= 32
                && out.push_front_of(lanes.shuffle(&LOW_2_TO_4).to_bytes(), 16)
                && out.push_front_of(lanes.shuffle(&HIGH_2_TO_4).to_bytes(), 4 * count - 16)
        }
        (_, true) => {
            out.room() >= 32
                && out.push_front_of(lanes.shuffle(&LOW_2_TO_4).shuffle(&SWAP_4).to_bytes(), 16)
                && out.push_front_of(lanes.shuffle(&HIGH_2_TO_4).shuffle(&SWAP_4).to_bytes(), 4 * count - 16)
        }
    }
}

/// Writes `count` (at most 4) values below 10000 from lanes of four bytes.
#[inline(always)]
fn put_32_as_16<S: Sixteen, U: Target>(lanes: S, count: usize, out: &mut Out<'_>, _: U) -> bool {
    match (U::UNIT, U::BIG_ENDIAN) {
        (2, false) => out.push_front_of(lanes.shuffle(&LOW_HALVES).to_bytes(), 2 * count),
        (2, true) => out.push_front_of(lanes.shuffle(&LOW_HALVES_SWAPPED).to_bytes(), 2 * count),
        (_, false) => out.push_front_of(lanes.to_bytes(), 4 * count),
        (_, true) => out.push_front_of(lanes.shuffle(&SWAP_4).to_bytes(), 4 * count),
    }
}

/// Writes three values from lanes of four bytes.
#[inline(always)]
fn put_values<S: Sixteen, U: Target>(lanes: S, out: &mut Out<'_>, target: U) -> bool {
    if U::UNIT == 4 {
        return put_32_as_16(lanes, 3, out, target);
    }
    let mut units = [0; 16];
    let mut len = 0;
    let bytes = lanes.to_bytes();
    for lane in &bytes.as_chunks::<4>().0[..3] {
        let value = u32::from_le_bytes(*lane);
        // Branches would follow the text's; both forms are made, and one is kept.
        let above = value.wrapping_sub(0x1_0000);
        let (high, low) = (0xD800 | (above >> 10) as u16, 0xDC00 | (above & 0x3FF) as u16);
        let pair = value > 0xFFFF;
        let (first, second) = if pair { (high, low) } else { (value as u16, 0) };
        let to = |unit: u16| if U::BIG_ENDIAN { unit.to_be_bytes() } else { unit.to_le_bytes() };
        [units[len], units[len + 1]] = to(first);
        [units[len + 2], units[len + 3]] = to(second);
        len += if pair { 4 } else { 2 };
    }
    out.push_front_of(units, len)
}

const NONE: u8 = 0x80;
const ASCII_LOW: [u8; 16] = [0, NONE, 1, NONE, 2, NONE, 3, NONE, 4, NONE, 5, NONE, 6, NONE, 7, NONE];
const ASCII_HIGH: [u8; 16] = [8, NONE, 9, NONE, 10, NONE, 11, NONE, 12, NONE, 13, NONE, 14, NONE, 15, NONE];
const TWOS: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];
const THREES: [u8; 16] = [2, 1, 0, NONE, 5, 4, 3, NONE, 8, 7, 6, NONE, 11, 10, 9, NONE];
const SWAP_2: [u8; 16] = TWOS;
const SWAP_4: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
const LOW_2_TO_4: [u8; 16] = [0, 1, NONE, NONE, 2, 3, NONE, NONE, 4, 5, NONE, NONE, 6, 7, NONE, NONE];
const HIGH_2_TO_4: [u8; 16] = [8, 9, NONE, NONE, 10, 11, NONE, NONE, 12, 13, NONE, NONE, 14, 15, NONE, NONE];
const LOW_HALVES: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE];
const LOW_HALVES_SWAPPED: [u8; 16] =
    [1, 0, 5, 4, 9, 8, 13, 12, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE];

/// What twelve bits say.
#[derive(Clone, Copy)]
struct Entry {
    shuffle: u8,
    consumed: u8,
}

/// Shuffles from here on bring together four sequences of 1 to 3 bytes; before, six of 1 or 2.
const FOURS: u8 = 64;
/// From here on, three sequences of 1 to 4 bytes.
const THREE: u8 = 64 + 81;

/// For each kind of table entry: how many sequences, the longest, the lane's width, the first shuffle.
const KINDS: [(usize, usize, usize, usize); 3] =
    [(6, 2, 2, 0), (4, 3, 4, FOURS as usize), (3, 4, 4, THREE as usize)];

static SHUFFLES: [[u8; 16]; 64 + 81 + 64] = {
    let mut all = [[NONE; 16]; 64 + 81 + 64];
    let mut k = 0;
    while k < 3 {
        let (count, longest, width, first) = KINDS[k];
        let mut n = 0;
        while n < longest.pow(count as u32) {
            // The lengths are the digits of n, the first sequence's lowest.
            let mut digits = n;
            let mut start = 0;
            let mut i = 0;
            while i < count {
                let len = digits % longest + 1;
                digits /= longest;
                let mut byte = 0;
                while byte < len {
                    all[first + n][i * width + byte] = (start + len - 1 - byte) as u8;
                    byte += 1;
                }
                start += len;
                i += 1;
            }
            n += 1;
        }
        k += 1;
    }
    all
};

static ENTRIES: [Entry; 4096] = {
    // Bits that no well-formed text has go nowhere, but forwards.
    let mut all = [Entry { shuffle: THREE, consumed: 1 }; 4096];
    let mut bits = 0;
    while bits < 4096 {
        let mut k = 0;
        while k < 3 {
            let (count, longest, _, first) = KINDS[k];
            let (mut i, mut start, mut n, mut power, mut fits) = (0, 0, 0, 1, true);
            while i < count && fits {
                let len = ((bits >> start) as u16 | 1 << 15).trailing_zeros() as usize + 1;
                fits = len <= longest && start + len <= 12;
                if fits {
                    n += (len - 1) * power;
                    power *= longest;
                    start += len;
                }
                i += 1;
            }
            if fits {
                all[bits] = Entry { shuffle: (first + n) as u8, consumed: start as u8 };
                break;
            }
            k += 1;
        }
        bits += 1;
    }
    all
};
