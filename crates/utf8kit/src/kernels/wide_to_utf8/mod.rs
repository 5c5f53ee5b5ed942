//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! A vector of units is held as lanes of two bytes, and is ASCII, or below 800, or anything; vectors of eight lanes are
//! judged in pairs. Each lane becomes two lanes, one of them with the bytes that only longer sequences have:
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
//! The bytes that are present are kept: by a compress where the level has one; else, sixteen bytes at a time, by a
//! table of shuffles for each pattern of lengths (Lemire and Muła, "Transcoding billions of Unicode characters per
//! second with SIMD instructions", 2022). Only the output position depends on the previous lengths. Bytes of Latin-1
//! become such pairs of bytes too. Ill-formed units end the run.
//!
//! How many bytes a shuffle keeps is looked up beside it. AVX2 has 17 operations for each of the three ports of vectors
//! (llvm-mca, sixteen units of three-byte text), and a count of bits takes one of these; a load does not. UTF-16 is
//! 1.05 times as fast on AVX2 and 1.02 on SSE4; UTF-32, also packed without a mask, 1.08 and 1.03 (Sapphire Rapids,
//! 2026-11-26, geometric means of 27 texts). The same from UTF-8: to UTF-16 0.97 to 1.0, to Latin-1 0.99 to 1.0, to
//! UTF-32 1.03 on AVX2 and 0.9 on SSE4. Zen 3 counts bits by other ports: there a count is 1.03 times as fast from
//! UTF-16 and 1.08 from UTF-32 on AVX2, 1.0 and 1.02 on SSE4; UTF-16 of French, Portuguese and Turkish 0.99 to 1.02
//! (both in one binary, in turns, 2026-11-26). What these three texts differ by from run to run is not the count.
//!
//! The last byte is the lesser of the unit and its lowest six bits with 80: only an ASCII unit is less. Its highest bit
//! then tells ASCII, too.
//!
//! Two vectors of only three-byte sequences are written by fixed shuffles: on SSE4, Chinese and Japanese without ASCII
//! take 0.7 to 0.85 of the time; with ASCII, mispredicted branches cost what is gained (Sapphire Rapids, 2026-11-26).
//! NEON takes 0.9 to 0.98 of the instructions.
//!
//! A vector that ends in the first half of a pair leaves that to the next one, whose place therefore waits. On AVX-512
//! the last unit is read by itself, which is sooner known than a mask of the vector: emoji from UTF-16 take 25 cycles
//! for 64 bytes of UTF-8 instead of 37. Not on AVX2, where that makes 62 of 67, and nothing else faster, and not on
//! SSE4, 112 of 104, as other work fills the time (Sapphire Rapids, 2026-11-26).
//!
//! Runs of ASCII have a separate loop, in which each unit is loaded once. It is not entered for ASCII with something
//! else after it, which is not tested a second time: 1.05 times as fast in mixed texts. On AVX-512, where 32-bit units
//! without ASCII took 1.05 times as long for it, only of 16-bit units (Sapphire Rapids, 2026-11-25).
//!
//! # Tried
//! - The definition alone, one item at a time: 0.25 to 0.4 GB/s of UTF-16 (Zen 3, 2026-11-21).
//! - Each unit's sequence in all possible lengths, one of which is kept without a branch: 0.4 to 1.8 GB/s.
//! - Planes of low and high bytes, twice as many units at a time: as many instructions per unit, but vectors are more
//!   often mixed: 1.01 times simdutf (geometric mean over 27 texts, AVX2), here 1.3. The same for units above FFFF by
//!   way of surrogate pairs: emoji 0.97 times simdutf, now 6.
//! - A table indexed by the missing bytes instead of the present ones: a subtraction for each address, 84 instructions
//!   for sixteen units, here 75.
//! - On avx512, units below 800 by the steps of the other levels and a compress of the nonzero bytes: 23 GB/s of
//!   Russian; under masks 31 to 33, where simdutf reaches 24. Surrogates as four bytes per unit, with two compresses
//!   per vector: emoji 5.4 GB/s; as pairs of bytes, if nothing else is above 7FF, 9.3 (simdutf 7.2) (Zen 5,
//!   2026-11-22).
//! - On avx512, the nonzero bytes with those at the last places, a mask that is moved there from a general register:
//!   Chinese and Korean of UTF-32 took 24 % longer than by one compare with the least byte that is kept in each place,
//!   and geometric means were 1.7 times simdutf, now 1.9 (UTF-16: 1.3, now 1.5).
//! - The next vector after one that is not ASCII without a test for ASCII, which might be mispredicted: on AVX2, UTF-16
//!   fell from 1.22 times simdutf to 1.12, UTF-32 from 1.26 to 1.14.
//! - On SSE4, vectors judged one by one: texts of 64 KiB in Czech and Turkish, whose branches the predictor may or may
//!   not learn, took up to 2.6 times as long, and UTF-16 of 400 KB 1.15 times.
//! - Groups of 32 units, each judged by one test: 1.5 times as fast on SSE4 and 1.2 on AVX2 in 400 KB, which the branch
//!   predictor does not learn, but 0.9 in 64 KiB of French, Portuguese, German and Esperanto. Room reserved for many
//!   vectors at once: 1.2 in pure Arabic, 0.8 in German (Sapphire Rapids, 2026-11-25).
//! - The loop for runs of ASCII entered only after four vectors of it, with one branch for each vector until then, as
//!   in validation: on AVX2, German and Esperanto 0.93 times as fast, geometric mean 0.99 (Zen 3, 2026-11-27).
//! - On AVX2 (Sapphire Rapids, 2026-11-26), fixed shuffles for vectors of only three-byte sequences: Chinese and
//!   Japanese 1.16 to 1.28 times as fast, Hindi and Korean 0.96. Surrogates as a cold branch: emoji 0.28. A loop by an
//!   index instead of slices: 1.0. How well texts of more than 150 KB are learnt depends on the place of the loop: the
//!   same instructions 16 bytes further on were 0.65 to 1.0 times as fast in Czech and Persian.

mod ascii;
mod by_compress;
mod by_tables;
mod short;
mod shuffles;
mod source;

pub(crate) use short::NarrowShort;
pub(crate) use source::Source;

use core::marker::PhantomData;

use super::{lanes_of, utf8_latin1::FromLatin1};
use crate::encoding::{ENCODE_BUFFER, Encoding, Utf8};
use crate::out::{Out, Reserved};
use crate::simd::{BLOCK, Keep, Kernel, MaskedToken, Token, Vector, prefetch};
use ascii::{Ascii, any_bits, put_ascii, put_two_ascii};
use source::step;

/// Converts units as long as they are well formed and fit; returns how many.
pub(crate) struct Narrow<'a, 'o, S> {
    /// Whole units.
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) source: S,
    /// Whether values above FFFF become four bytes of UTF-8; else each surrogate is encoded separately (CESU-8).
    pub(crate) four_bytes: bool,
}

impl<'o, S: Source> Kernel for Narrow<'_, 'o, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        token.keep(self)
    }
}

impl<'o, T: Token, S: Source> Keep<T> for Narrow<'_, 'o, S> {
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
        if S::UNIT == 1 {
            FromLatin1 { bytes, out }.convert(token)
        } else {
            Narrow { out, ..self }.vectors(token)
        }
    }
}

impl<'o, S: Source> Narrow<'_, 'o, S> {
    /// Converts a vector at a time.
    #[inline(always)]
    fn vectors<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Narrow { bytes, mut out, source, four_bytes } = self;
        let len = step::<S, T::Vector>();
        let constants = Constants::new(token);
        let tests_next = S::UNIT == 2 || T::Vector::LEN < BLOCK;
        let mut rest = bytes;
        while let Some(mut units) = rest.get(..len) {
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
            let done = token.keep(Units { constants, units, source: PhantomData::<S>, four_bytes, reserved });
            let Some(done) = done else { break };
            rest = &rest[done * S::UNIT..];
        }
        let done = (bytes.len() - rest.len()) / S::UNIT;
        let rest = Narrow { bytes: rest, out, source, four_bytes };
        let (last, out) = token.keep(Last { rest, constants: &constants });
        (done + last, out)
    }
}

/// Converts a vector of units, except for a high surrogate at its end; returns how many. `None` if some are ill-formed.
struct Units<'a, 'r, V, S> {
    constants: &'a Constants<V>,
    units: &'a [u8],
    source: PhantomData<S>,
    four_bytes: bool,
    reserved: &'a mut Reserved<'r>,
}

impl<T: Token, S: Source> Keep<T> for Units<'_, '_, T::Vector, S> {
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

/// Converts the last units, fewer than a vector of them, or those up to an error or where room is short.
struct Last<'a, 'b, 'o, V, S> {
    rest: Narrow<'b, 'o, S>,
    constants: &'a Constants<V>,
}

impl<'o, T: Token, S: Source> Keep<T> for Last<'_, '_, 'o, T::Vector, S> {
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

/// Converts the first item by the definition; returns how many input bytes it takes. `None` if there is none, it is
/// ill-formed, or it does not fit.
#[inline(always)]
pub(crate) fn item<S: Source>(source: S, bytes: &[u8], four_bytes: bool, out: &mut Out<'_>) -> Option<usize> {
    let step = source.decode(bytes)?;
    let value = step.result.ok().filter(|&value| four_bytes || value < 0x1_0000)?;
    let mut sequence = [0; ENCODE_BUFFER];
    let len = Utf8.encode(value, &mut sequence).ok()?;
    out.push_front_of(sequence, len).then_some(step.len())
}

/// Sequences of up to four bytes.
struct FourByteSequences<V> {
    sequences: [V; 2],
    /// Two bits for each sequence: how many bytes precede the last one.
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
    /// The top five bits of a surrogate, as bytes, so that no lane's second byte is equal.
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

    /// Returns the last bytes of sequences, as lanes: their lowest six bits and 80, which is more than an ASCII unit,
    /// and at most any other one.
    #[inline(always)]
    fn last(&self, lanes: V) -> V {
        lanes.min_16(lanes.and(self.low_six).or(self.low_bit_7))
    }

    /// Returns the sequences of units below 800 as [lead, last]; the lead means nothing in ASCII.
    #[inline(always)]
    fn two(&self, lanes: V) -> V {
        let lead = lanes.shift_right_16::<6>().or(self.low_lead_of_two);
        self.last(lanes).shift_left_16::<8>().or(lead)
    }

    /// Returns the bytes before the last ones, as lanes: the lead in sequences that are not `three`, and nothing in
    /// ASCII.
    #[inline(always)]
    fn middle(&self, lanes: V, three: V) -> V {
        let lead = lanes.shift_right_16::<6>().and(self.low_six).or(self.low_lead_of_two);
        lead.xor(three.and(self.low_bit_6))
    }

    /// Returns the sequences of units of four bytes, some above FFFF, given their lanes and the bits above them. `None`
    /// if some are ill-formed.
    #[inline(always)]
    fn sequences_above_bmp<T: Token<Vector = V>>(
        &self,
        token: T,
        [lanes, above]: [V; 2],
        four_bytes: bool,
    ) -> Option<FourByteSequences<V>> {
        let top = lanes.shift_right_16::<11>();
        let surrogate =
            top.xor(lanes_of(token, 0xD8 >> 3, 0)).or(above).or(lanes_of(token, 0, 0xFF)).equal(self.zero);
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
