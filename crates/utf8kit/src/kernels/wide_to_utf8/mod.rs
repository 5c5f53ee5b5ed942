//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! A vector of units is held as lanes of two bytes, and is ASCII, or below 800, or anything; vectors of eight lanes are
//! classified in pairs. Each lane becomes two lanes, one of them with the bytes that only longer sequences have:
//!
//! ```text
//! unit                  hhhhhhhh llllllll
//! ASCII                 -        -          -        0lllllll
//! below 800             -        -          110hhhll 10llllll
//! else                  -        1110hhhh   10hhhhll 10llllll
//! high surrogate        -        -          11110hhh 10llllll     of the unit plus 40: the pair's first two bytes
//! low surrogate         -        -          10llhhll 10llllll     its last two, with two bits of the unit before
//! above FFFF            11110hhh 10hhhhhh   10hhhhll 10llllll     of units of four bytes
//! ```
//!
//! The bytes that are present are left-packed: by a compress where the level has one; else, sixteen bytes at a time, by
//! a table of shuffles for each pattern of lengths (Lemire and Muła, "Transcoding billions of Unicode characters per
//! second with SIMD instructions", 2022). Only the output position depends on the previous lengths. Bytes of Latin-1
//! also become such pairs of bytes. Invalid units end the run.
//!
//! The last byte is the smaller one of the unit and of its lowest six bits with 80: only an ASCII unit is smaller, and
//! its highest bit is clear.
//!
//! # Decisions
//! - The number of bytes that a shuffle keeps is looked up in a second table, because a count of bits competes with the
//!   vector operations for a port.
//! - On SSE4 and NEON, two vectors of only three-byte sequences are written by fixed shuffles. With ASCII between them,
//!   mispredicted branches cancel the gain.
//! - A vector that ends in a high surrogate leaves it to the next one. On AVX-512 the last unit is read by itself,
//!   because it is known sooner than a mask of the vector; AVX2 and SSE4 have other work in the meantime.
//! - Runs of ASCII have a separate loop, which loads each unit once. It is not entered for ASCII that ends within the
//!   vector. On AVX-512 only 16-bit units have it.
//!
//! `bench/record/kernels/wide_to_utf8.md` has the measurements.

mod ascii;
mod by_compress;
mod by_tables;
mod lossy;
mod short;
mod shuffles;
mod source;

pub(crate) use lossy::Lossy;
pub(crate) use short::NarrowShort;
pub(crate) use source::Source;

use core::marker::PhantomData;

use super::{lanes_of, utf8_latin1::FromLatin1};
use crate::encoding::{Codec, ENCODE_BUFFER, Utf8};
use crate::out::{Out, Reserved};
use crate::simd::{BLOCK_BYTES, Kernel, MaskedToken, Token, Variants, Vector, prefetch};
use ascii::{Ascii, any_bits, put_ascii, put_two_ascii};
use source::step;

/// Converts units as long as they are well formed and fit; returns their number.
pub(crate) struct Narrow<'a, 'l, 'o, S> {
    /// Must be whole units.
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) source: S,
    /// Whether values above FFFF become four bytes of UTF-8; else each surrogate is encoded separately (CESU-8).
    pub(crate) four_bytes: bool,
    /// How to continue after lone surrogates of 16-bit units. The last units, fewer than a vector, are then left.
    pub(crate) lossy: Option<Lossy<'l>>,
}

impl<'o, S: Source> Kernel for Narrow<'_, '_, 'o, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        token.by_variant(self)
    }
}

impl<'o, T: Token, S: Source> Variants<T> for Narrow<'_, '_, 'o, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn by_tables(self, token: T) -> (usize, Out<'o>) {
        self.vectors(token)
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> (usize, Out<'o>)
    where
        T: MaskedToken,
    {
        let Narrow { bytes, out, .. } = self;
        if S::UNIT == 1 { FromLatin1 { bytes, out }.convert(token) } else { Narrow { out, ..self }.vectors(token) }
    }
}

impl<'o, S: Source> Narrow<'_, '_, 'o, S> {
    /// Converts a vector at a time.
    #[inline(always)]
    fn vectors<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Narrow { bytes, mut out, source, four_bytes, mut lossy } = self;
        let len = step::<S, T::Vector>();
        let constants = Constants::new(token);
        let tests_next = S::UNIT == 2 || T::Vector::LEN < BLOCK_BYTES;
        let mut rest = bytes;
        let mut repaired;
        'vectors: while let Some(mut units) = rest.get(..len) {
            prefetch(rest);
            if !any_bits(token, units, S::ABOVE_ASCII) {
                if !put_ascii::<T, S>(token, units, &mut out) {
                    break;
                }
                rest = &rest[len..];
                // ASCII tends to be followed by more ASCII.
                while S::UNIT == 1
                    && let Some(two) = rest.get(..2 * len)
                    && put_two_ascii(token, two, &mut out)
                {
                    rest = &rest[2 * len..];
                }
                if S::UNIT == 1 {
                    continue;
                }
                match rest.get(..len) {
                    Some(next) if tests_next && any_bits(token, next, S::ABOVE_ASCII) => units = next,
                    _ => {
                        let some = S::UNIT * T::Vector::LEN;
                        rest = &rest[some * out.vectors::<_, Ascii<S>>(token, rest, some)..];
                        continue;
                    }
                }
            }
            let Some(mut reserved) = out.reserve(most::<S, T::Vector>()) else { break };
            let (constants, reserved) = (&constants, &mut reserved);
            let done = loop {
                let source = PhantomData::<S>;
                let done = token.by_variant(Units { constants, units, source, four_bytes, reserved: &mut *reserved });
                match (done, &mut lossy) {
                    (Some(done), _) => break done,
                    (None, Some(lossy)) if S::UNIT == 2 && units.as_ptr() == rest.as_ptr() => {
                        let surrogates = constants.surrogates::<T, S>(token, units);
                        let at = bytes.len() - rest.len();
                        let Some(vector) = lossy.repaired::<S>(units, surrogates, at) else { break 'vectors };
                        repaired = vector;
                        units = &repaired[..len];
                    }
                    _ => break 'vectors,
                }
            };
            rest = &rest[done * S::UNIT..];
        }
        let done = (bytes.len() - rest.len()) / S::UNIT;
        if lossy.is_some() {
            return (done, out);
        }
        let rest = Narrow { bytes: rest, out, source, four_bytes, lossy: None };
        let (last, out) = token.by_variant(Last { rest, constants: &constants });
        (done + last, out)
    }
}

/// Converts a vector of units, except for a high surrogate at its end; returns their number. `None` if some are
/// invalid.
struct Units<'a, 'r, V, S> {
    constants: &'a Constants<V>,
    units: &'a [u8],
    source: PhantomData<S>,
    four_bytes: bool,
    reserved: &'a mut Reserved<'r>,
}

impl<T: Token, S: Source> Variants<T> for Units<'_, '_, T::Vector, S> {
    type Output = Option<usize>;

    #[inline(always)]
    fn by_tables(self, token: T) -> Option<usize> {
        let Units { constants, units, four_bytes, reserved, .. } = self;
        constants.units_by_tables::<T, S>(token, units, four_bytes, reserved)
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> Option<usize>
    where
        T: MaskedToken,
    {
        let Units { constants, units, four_bytes, reserved, .. } = self;
        constants.units_by_compress::<T, S>(token, units, four_bytes, reserved)
    }
}

/// Converts the last units, fewer than a vector, or the units up to an error or near the end of the output.
struct Last<'a, 'b, 'o, V, S> {
    rest: Narrow<'b, 'b, 'o, S>,
    constants: &'a Constants<V>,
}

impl<'o, T: Token, S: Source> Variants<T> for Last<'_, '_, 'o, T::Vector, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn by_tables(self, token: T) -> (usize, Out<'o>) {
        self.rest.last_by_tables(token, self.constants)
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> (usize, Out<'o>)
    where
        T: MaskedToken,
    {
        self.rest.last_by_compress(token, self.constants)
    }
}

/// The most bytes that a vector's units become, including what stores may write after them: a vector, or sixteen bytes.
const fn most<S: Source, V: Vector>() -> usize {
    let spill = if V::LEN > 16 { V::LEN } else { 16 };
    step::<S, V>() / S::UNIT * if S::UNIT == 4 { 4 } else { S::UNIT + 1 } + spill
}

/// Converts the first item by the reference implementation; returns its length in the input. `None` if there is no
/// item, it is invalid, or it does not fit.
#[inline(always)]
pub(crate) fn item<S: Source>(source: S, bytes: &[u8], four_bytes: bool, out: &mut Out<'_>) -> Option<usize> {
    let step = source.decode_step(bytes)?;
    let value = step.result.ok().filter(|&value| four_bytes || value < 0x1_0000)?;
    let mut sequence = [0; ENCODE_BUFFER];
    let len = Utf8.encode_value(value, &mut sequence).ok()?;
    out.push_front_of(sequence, len).then_some(step.len())
}

/// Sequences of up to four bytes.
struct FourByteSequences<V> {
    sequences: [V; 2],
    /// Two bits for each sequence: the number of bytes before the last one.
    more: V,
}

/// Constants in registers. Lanes are of two bytes, little-endian.
struct Constants<V> {
    zero: V,
    // For bytes of Latin-1:
    lead_of_two: V,
    bit_6: V,
    // For lanes:
    low: V,
    low_lead_of_two: V,
    low_bit_6: V,
    low_bit_7: V,
    low_six: V,
    above_two: V,
    lead_of_three: V,
    lead_of_three_and_two: V,
    second_six: V,
    second_bit_6: V,
    /// The top five bits of a surrogate, as bytes, with a second byte that no lane can equal.
    surrogate: V,
}

impl<V: Vector> Constants<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Constants {
            zero: token.splat(0),
            lead_of_two: token.splat(0xC0),
            bit_6: token.splat(0x40),
            low: lanes_of(token, 0xFF, 0),
            low_lead_of_two: lanes_of(token, 0xC0, 0),
            low_bit_6: lanes_of(token, 0x40, 0),
            low_bit_7: lanes_of(token, 0x80, 0),
            low_six: lanes_of(token, 0x3F, 0),
            above_two: lanes_of(token, 0, 0xF8),
            lead_of_three: lanes_of(token, 0, 0xE0),
            lead_of_three_and_two: lanes_of(token, 0xE0, 0xC0),
            second_six: lanes_of(token, 0, 0x3F),
            second_bit_6: lanes_of(token, 0, 0x40),
            surrogate: lanes_of(token, 0xD8 >> 3, 0xFF),
        }
    }

    /// Returns a mask of the first bytes of surrogates, in at most 64 bytes of 16-bit units.
    #[inline(always)]
    fn surrogates<T: Token<Vector = V>, S: Source>(&self, token: T, units: &[u8]) -> u64 {
        let bits = units.chunks_exact(V::LEN).enumerate().map(|(part, vector)| {
            let top = S::lanes(token, vector).shift_right_16::<11>();
            top.equal(self.surrogate).high_bits() << (part * V::LEN)
        });
        bits.fold(0, |all, some| all | some)
    }

    /// Returns the last bytes of sequences, as lanes: their lowest six bits with 80, which is more than an ASCII unit,
    /// and not more than any other.
    #[inline(always)]
    fn last(&self, lanes: V) -> V {
        lanes.min_16(lanes.and(self.low_six).or(self.low_bit_7))
    }

    /// Returns the sequences of units below 800 as [lead, last]; the lead is meaningless in ASCII.
    #[inline(always)]
    fn two(&self, lanes: V) -> V {
        let lead = lanes.shift_right_16::<6>().or(self.low_lead_of_two);
        self.last(lanes).shift_left_16::<8>().or(lead)
    }

    /// Returns the bytes before the last ones, as lanes: the lead in sequences that are not `three`, and a meaningless
    /// byte in ASCII.
    #[inline(always)]
    fn middle(&self, lanes: V, three: V) -> V {
        let lead = lanes.shift_right_16::<6>().and(self.low_six).or(self.low_lead_of_two);
        lead.xor(three.and(self.low_bit_6))
    }

    /// Returns the sequences of units of four bytes, some above FFFF, given their lanes and the bits above them. `None`
    /// if some are invalid.
    #[inline(always)]
    fn sequences_above_bmp<T: Token<Vector = V>>(
        &self,
        token: T,
        [lanes, above]: [V; 2],
        four_bytes: bool,
    ) -> Option<FourByteSequences<V>> {
        let top = lanes.shift_right_16::<11>();
        let surrogate = top.xor(lanes_of(token, 0xD8 >> 3, 0)).or(above).or(lanes_of(token, 0, 0xFF)).equal(self.zero);
        if !four_bytes || surrogate.or(above.saturating_sub(lanes_of(token, 0x10, 0))).any() {
            return None;
        }
        let not_ascii = lanes.shift_right_16::<7>().or(above).greater_signed_16(self.zero);
        let three = top.or(above).greater_signed_16(self.zero);
        let four = above.greater_signed_16(self.zero);
        let second = lanes
            .shift_right_16::<4>()
            .and(lanes_of(token, 0, 0x0F))
            .or(above.and(lanes_of(token, 3, 0)).shift_left_16::<12>());
        let mark = self.lead_of_three.xor(four.and(lanes_of(token, 0, 0x60)));
        let second = three.and(second.or(mark));
        let lead = four.and(above.shift_right_16::<2>().or(lanes_of(token, 0xF0, 0)));
        let last = self.last(lanes.or(above.shift_left_16::<8>()));
        let pairs = not_ascii.and(self.middle(lanes, three)).or(last.shift_left_16::<8>());
        let more = three.and(lanes_of(token, 0, 0xFF)).or(not_ascii.xor(three).xor(four).and(self.low));
        Some(FourByteSequences { sequences: lead.or(second).interleave_16(pairs), more })
    }
}

/// `if mask[i] == 255 { 0 } else { all[i] }`
#[inline(always)]
fn clear<V: Vector>(mask: V, all: V) -> V {
    all.xor(mask.and(all))
}
