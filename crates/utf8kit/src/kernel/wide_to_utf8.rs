//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! A vector of units is held as lanes of two bytes, and is ASCII, or below 800, or anything. Each lane becomes two
//! lanes, one of them with the bytes that only longer sequences have:
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
//! become such pairs of bytes too. Ill-formed units end the stretch.
//!
//! Runs of ASCII have a separate loop, in which each unit is loaded once.
//!
//! # Tried
//! - The definition alone, one item at a time: 0.25 to 0.4 GB/s of UTF-16 (Zen 3, 2026-11-21).
//! - Each unit's sequence in all possible lengths, one of which is kept without a branch: 0.4 to 1.8 GB/s.
//! - Planes of low and high bytes, twice as many units at a time: as many instructions per unit, but vectors are more
//!   often mixed: 1.01 times simdutf (geometric mean over 27 texts, AVX2), here 1.3. The same for units above FFFF by
//!   way of surrogate pairs: emoji 0.97 times simdutf, now 6.
//! - A separate path for sixteen three-byte sequences, by fixed shuffles: mispredicted in Chinese with ASCII.
//! - A table indexed by the missing bytes instead of the present ones: a subtraction for each address, 84 instructions
//!   for sixteen units, here 75.
//! - On avx512, units below 800 by the steps of the other levels and a compress of the nonzero bytes: 23 GB/s of
//!   Russian; under masks 31 to 33, where simdutf reaches 24. Surrogates as four bytes per unit, with two compresses
//!   per vector: emoji 5.4 GB/s; as pairs of bytes, if nothing else is above 7FF, 9.3 (simdutf 7.2) (Zen 5,
//!   2026-11-22).

use core::marker::PhantomData;
use core::mem;

use super::select;
use super::utf8_latin1::FromLatin1;
use super::validate::from;
use crate::arch::{BLOCK, Keeps, Kernel, Masked, Sixteen, Token, Vector};
use crate::encoding::{ENCODE_BUFFER, Encoding, Latin1, Utf8, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::out::{Make, Out, Room};

/// The encoding of the units.
pub(crate) trait Source: Encoding + Default {
    /// Bytes in a unit.
    const UNIT: usize;
    /// Whether the high byte comes first.
    const BIG_ENDIAN: bool = false;
    /// The bits that are 0 in ASCII, in units that fill four bytes.
    const ABOVE_ASCII: [u8; 4];
    /// The bits that are 0 up to FFFF.
    const ABOVE_PLANE: [u8; 4];

    /// Returns units up to FFFF as lanes of two bytes, little-endian; for Latin-1, which has a shorter path, two bytes
    /// in each lane.
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector;

    /// Returns the bits above FFFF of units of four bytes.
    #[inline(always)]
    fn lanes_above<T: Token>(token: T, _: &[u8]) -> T::Vector {
        token.splat(0)
    }
}

impl Source for Latin1 {
    const UNIT: usize = 1;
    const ABOVE_ASCII: [u8; 4] = [0x80; 4];
    const ABOVE_PLANE: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0)
    }
}

impl Source for Utf16Le {
    const UNIT: usize = 2;
    const ABOVE_ASCII: [u8; 4] = [0x80, 0xFF, 0x80, 0xFF];
    const ABOVE_PLANE: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0)
    }
}

impl Source for Utf16Be {
    const UNIT: usize = 2;
    const BIG_ENDIAN: bool = true;
    const ABOVE_ASCII: [u8; 4] = [0xFF, 0x80, 0xFF, 0x80];
    const ABOVE_PLANE: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        swap(token.load_at(bytes, 0))
    }
}

impl Source for Utf32Le {
    const UNIT: usize = 4;
    const ABOVE_ASCII: [u8; 4] = [0x80, 0xFF, 0xFF, 0xFF];
    const ABOVE_PLANE: [u8; 4] = [0, 0, 0xFF, 0xFF];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).0
    }

    #[inline(always)]
    fn lanes_above<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).1
    }
}

impl Source for Utf32Be {
    const UNIT: usize = 4;
    const BIG_ENDIAN: bool = true;
    const ABOVE_ASCII: [u8; 4] = [0xFF, 0xFF, 0xFF, 0x80];
    const ABOVE_PLANE: [u8; 4] = [0xFF, 0xFF, 0, 0];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        swap(token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).1)
    }

    #[inline(always)]
    fn lanes_above<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        swap(token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).0)
    }
}

/// Swaps the bytes of each lane of two.
#[inline(always)]
fn swap<V: Vector>(lanes: V) -> V {
    lanes.shift_left_16::<8>().or(lanes.shift_right_16::<8>())
}

/// The bytes of the units that fill one vector's lanes: one vector, or two for units of four bytes.
const fn step<S: Source, V: Vector>() -> usize {
    if S::UNIT == 4 { 2 * V::LEN } else { V::LEN }
}

/// Reports whether any unit of `bytes`, which are whole vectors, has any of these bits.
#[inline(always)]
fn any_bits<T: Token>(token: T, bytes: &[u8], bits: [u8; 4]) -> bool {
    let mut all = token.load_at(bytes, 0);
    for vector in 1..bytes.len() / T::Vector::LEN {
        all = all.or(token.load_at(bytes, vector * T::Vector::LEN));
    }
    all.and(token.table(&repeated(bits))).any()
}

/// Repeats `bytes` to fill sixteen bytes.
pub(super) const fn repeated<const N: usize>(bytes: [u8; N]) -> [u8; 16] {
    let mut all = [0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = bytes[i % N];
        i += 1;
    }
    all
}

/// Converts units as long as they are well formed and fit; returns how many.
pub(crate) struct Narrow<'a, 'o, S> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) source: S,
    /// Whether values above FFFF become four bytes of UTF-8; else each surrogate is encoded separately (CESU-8).
    pub(crate) four_bytes: bool,
}

/// [`Narrow`] for a few 16-bit units to UTF-8 with room for the result, all or nothing, without branching on what they
/// hold: successive short inputs are of all lengths and scripts. `ONE`: a single vector, which needs no loop. For
/// levels with masked loads.
pub(crate) struct NarrowShort<'a, 'o, S, const ONE: bool> {
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) source: PhantomData<S>,
}

impl<S: Source, const ONE: bool> Kernel for NarrowShort<'_, '_, S, ONE> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        let NarrowShort { bytes, out: theirs, .. } = self;
        let mut out = mem::take(theirs);
        let constants = Constants::new(token);
        let start = out.written();
        let mut at = 0;
        while at < bytes.len() {
            let units = token.load_front(from(bytes, at), 0);
            let lanes = if S::BIG_ENDIAN { swap(units) } else { units };
            if constants.some_units(token, lanes, (bytes.len() - at) / 2, &mut out).is_none() {
                out.take_back(out.written() - start);
                *theirs = out;
                return false;
            }
            at += T::Vector::LEN;
            if ONE {
                break;
            }
        }
        *theirs = out;
        true
    }
}

/// [`NarrowShort`] for at most sixteen units, on levels that shuffle sixteen bytes: eight at a time, with no branch on
/// what they hold except for surrogates.
pub(crate) struct NarrowFew<'a, 'o, S> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: &'a mut Out<'o>,
    pub(crate) source: PhantomData<S>,
}

impl<S: Source> Kernel for NarrowFew<'_, '_, S> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        if T::Vector::LEN > 16 {
            return self.call(token.half());
        }
        let NarrowFew { bytes, out, .. } = self;
        let constants = Constants::new(token);
        // Room for eight units after any pair that the last eight cut in two.
        let Some(mut room) = out.room_for(3 * most::<S, T::Vector>()) else { return false };
        let mut rest = bytes;
        while !rest.is_empty() {
            let units = token.load_front(rest, 0);
            let lanes = if S::BIG_ENDIAN { swap(units) } else { units };
            let not_ascii = lanes.shift_right_16::<7>().greater_signed_16(constants.zero);
            let done = constants.any_units::<T, S>(token, lanes, not_ascii, true, &mut room);
            // NULs fill the vector, and are taken back; after a high surrogate they are an error.
            let Some(done) = done else {
                room.keep(0, 0);
                return false;
            };
            let here = rest.len() / 2;
            room.take_back(done.saturating_sub(here));
            rest = &rest[2 * done.min(here)..];
        }
        true
    }
}

/// The most bytes that a vector's units become, including what stores may write after them: a whole vector where lanes
/// are compressed, else sixteen bytes.
const fn most<S: Source, V: Vector>() -> usize {
    let spill = match V::KEEPS {
        Keeps::ByTables => 16,
        Keeps::ByCompress => V::LEN,
    };
    step::<S, V>() / S::UNIT * if S::UNIT == 4 { 4 } else { S::UNIT + 1 } + spill
}

impl<'o, S: Source> Kernel for Narrow<'_, 'o, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Narrow { bytes, mut out, source, four_bytes } = self;
        let len = step::<S, T::Vector>();
        let constants = Constants::new(token);
        let mut rest = bytes;
        if S::UNIT == 1 && constants.zero.masked().is_some() {
            let (read, written) = token.run(FromLatin1 { bytes, out });
            (rest, out) = (&bytes[read..], written);
        }
        while let Some(units) = rest.get(..len) {
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
                if S::UNIT > 1 {
                    let some = S::UNIT * T::Vector::LEN;
                    rest = &rest[some * out.vectors::<_, Ascii<S>>(token, rest, some)..];
                }
                continue;
            }
            let Some(mut room) = out.room_for(most::<S, T::Vector>()) else { break };
            let Some(done) = constants.units::<T, S>(token, units, four_bytes, &mut room) else { break };
            rest = &rest[done * S::UNIT..];
        }
        if constants.zero.masked().is_some() {
            let at = bytes.len() - rest.len();
            return (at / S::UNIT + constants.last_by_masks(token, rest, four_bytes, source, &mut out), out);
        }
        let done = (bytes.len() - rest.len()) / S::UNIT;
        if T::Vector::LEN > 16 {
            let (more, out) = Narrow { bytes: rest, out, source, four_bytes }.call(token.half());
            return (done + more, out);
        }
        let mut at = 0;
        if rest.len() >= len {
            // There is an error among them, or little room.
            for _ in 0..len / S::UNIT {
                at += item(source, &rest[at..], four_bytes, &mut out).unwrap_or(0);
            }
        } else if !rest.is_empty()
            && let Some(mut room) = out.room_for(most::<S, T::Vector>())
        {
            // NULs fill up the last vector, and are taken back.
            let mut units = [0; 2 * 16];
            units[..rest.len()].copy_from_slice(rest);
            if let Some(done) = constants.units::<T, S>(token, &units[..len], four_bytes, &mut room) {
                room.take_back(done - rest.len() / S::UNIT);
                at = rest.len();
            }
        }
        (done + at / S::UNIT, out)
    }
}

impl<V: Vector> Constants<V> {
    /// Converts the last units on levels with masks, or those where room is short, by way of a buffer with enough room;
    /// up to an error, or as many as fit. Returns how many.
    #[inline(always)]
    fn last_by_masks<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        bytes: &[u8],
        four_bytes: bool,
        source: S,
        out: &mut Out<'_>,
    ) -> usize {
        let len = step::<S, V>();
        let mut at = 0;
        while at < bytes.len() / S::UNIT * S::UNIT {
            let some = &bytes[at..bytes.len().min(at + len) / S::UNIT * S::UNIT];
            let mut units = [0; 2 * BLOCK];
            for part in 0..len / V::LEN {
                let vector = token.load_front(from(some, part * V::LEN), 0).to_bytes();
                units[part * V::LEN..][..V::LEN].copy_from_slice(vector.as_ref());
            }
            let mut spare = [0; 4 * BLOCK];
            let mut own = Out::over(&mut spare);
            let done = match own.room_for(most::<S, V>()) {
                Some(mut room) => {
                    self.units::<T, S>(token, &units[..len], four_bytes, &mut room).unwrap_or(0)
                }
                None => 0,
            };
            // NULs fill the vector, and are taken back.
            let nuls = (done * S::UNIT).saturating_sub(some.len()) / S::UNIT;
            let written = own.written() - nuls;
            if done == 0 || !out.push(&spare[..written]) {
                // There is an error among them, or too little room.
                while let Some(len) = item(source, &bytes[at..], four_bytes, out) {
                    at += len;
                }
                break;
            }
            at += (done - nuls) * S::UNIT;
        }
        at / S::UNIT
    }
}

/// Writes a vector of ASCII; reports whether there was room.
#[inline(always)]
fn put_ascii<T: Token, S: Source>(token: T, units: &[u8], out: &mut Out<'_>) -> bool {
    let Some(mut room) = out.room_for(T::Vector::LEN) else { return false };
    let lanes = S::lanes(token, units);
    let low = if S::UNIT == 1 { lanes } else { lanes.deinterleave(lanes).0 };
    room.push_units::<1>(low.to_bytes(), units.len() / S::UNIT);
    true
}

/// Writes two vectors of bytes, if they are ASCII and there is room; reports whether it did.
#[inline(always)]
fn put_two_ascii<T: Token>(token: T, bytes: &[u8], out: &mut Out<'_>) -> bool {
    let (first, second) = (token.load_at(bytes, 0), token.load_at(bytes, T::Vector::LEN));
    if first.or(second).any_high() {
        return false;
    }
    let Some(mut room) = out.room_for(2 * T::Vector::LEN) else { return false };
    room.push_units::<1>(first.to_bytes(), T::Vector::LEN);
    room.push_units::<1>(second.to_bytes(), T::Vector::LEN);
    true
}

/// Returns enough units for a whole vector as bytes, if they are ASCII.
pub(super) struct Ascii<S>(PhantomData<S>);

impl<S: Source> Make for Ascii<S> {
    #[inline(always)]
    fn make<T: Token>(token: T, units: &[u8]) -> Option<T::Vector> {
        let len = T::Vector::LEN;
        let first = token.load_at(units, 0);
        let (any, bytes) = match S::UNIT {
            1 => (first, first),
            2 => {
                let second = token.load_at(units, len);
                (first.or(second), low::<_, S>(first.deinterleave(second)))
            }
            _ => {
                let [second, third, fourth] =
                    [token.load_at(units, len), token.load_at(units, 2 * len), token.load_at(units, 3 * len)];
                let front = low::<_, S>(first.deinterleave_16(second));
                let back = low::<_, S>(third.deinterleave_16(fourth));
                (first.or(second).or(third.or(fourth)), low::<_, S>(front.deinterleave(back)))
            }
        };
        if any.and(token.table(&repeated(S::ABOVE_ASCII))).any() { None } else { Some(bytes) }
    }
}

/// Selects the lower halves of units from the lanes at even and at odd positions.
#[inline(always)]
fn low<V, S: Source>((even, odd): (V, V)) -> V {
    if S::BIG_ENDIAN { odd } else { even }
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

/// Lanes that include surrogates.
struct Surrogates<V> {
    /// Which lanes are surrogates.
    either: u64,
    /// Whether the last lane is the first half of a pair.
    cut_off: bool,
    /// The last two bytes of each lane; for a surrogate, its two bytes.
    pairs: V,
}

/// Constants in registers. Lanes are of two bytes, little-endian.
struct Constants<V> {
    zero: V,
    // For bytes of Latin-1:
    lead_of_two: V,
    bit_6: V,
    // For lanes:
    marks: V,
    low: V,
    low_bit_6: V,
    low_six: V,
    top_two: V,
    above_two: V,
    lead_of_three: V,
    /// The top five bits of a surrogate, as bytes, so that no lane's second byte is equal.
    surrogate: V,
}

impl<V: Vector> Constants<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        let lanes = |low: u8, high: u8| token.table(&repeated([low, high]));
        Constants {
            zero: token.splat(0),
            lead_of_two: token.splat(0xC0),
            bit_6: token.splat(0x40),
            marks: lanes(0xC0, 0x80),
            low: lanes(0xFF, 0),
            low_bit_6: lanes(0x40, 0),
            low_six: lanes(0x3F, 0),
            top_two: lanes(0, 0xC0),
            above_two: lanes(0, 0xF8),
            lead_of_three: lanes(0, 0xE0),
            surrogate: lanes(0xD8 >> 3, 0xFF),
        }
    }

    /// Converts a vector of units, except for a high surrogate at its end; returns how many. `None` if some are
    /// ill-formed.
    #[inline(always)]
    fn units<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        bytes: &[u8],
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        let lanes = S::lanes(token, bytes);
        if S::UNIT == 1 {
            self.put_latin1(lanes, room);
            return Some(V::LEN);
        }
        if S::UNIT == 4 && any_bits(token, bytes, S::ABOVE_PLANE) {
            return self.above_plane(token, [lanes, S::lanes_above(token, bytes)], four_bytes, room);
        }
        let not_ascii = lanes.shift_right_16::<7>().greater_signed_16(self.zero);
        if !lanes.and(self.above_two).any() {
            if let Some(masked) = lanes.masked() {
                self.put_two_masked(token, masked, room);
                return Some(V::LEN / 2);
            }
            self.put_two(self.pairs(lanes, not_ascii, self.zero), not_ascii.high_bits_16(), room);
            return Some(V::LEN / 2);
        }
        self.any_units::<T, S>(token, lanes, not_ascii, four_bytes, room)
    }

    /// [`Constants::units`] for any units up to FFFF.
    #[inline(always)]
    fn any_units<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        lanes: V,
        not_ascii: V,
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        let top = lanes.shift_right_16::<11>();
        let three = top.greater_signed_16(self.zero);
        let pairs = self.pairs(lanes, not_ascii, three);
        let leads = lanes.shift_right_16::<4>().or(self.lead_of_three);
        if top.equal(self.surrogate).any() {
            if S::UNIT != 2 {
                return None;
            }
            if let Some(masked) = lanes.masked() {
                return self.surrogates_masked(
                    token,
                    masked,
                    [leads, pairs],
                    [not_ascii, three],
                    four_bytes,
                    room,
                );
            }
            return self.surrogates(token, lanes, [leads, pairs], [not_ascii, three], four_bytes, room);
        }
        self.put_three([leads, pairs], not_ascii, three, room);
        Some(V::LEN / 2)
    }

    /// Converts lanes that include surrogates, given the sequences built as if there were none.
    #[inline(always)]
    fn surrogates<T: Token<Vector = V>>(
        &self,
        token: T,
        lanes: V,
        [leads, pairs]: [V; 2],
        [not_ascii, three]: [V; 2],
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        let lane = |low: u8, high: u8| token.table(&repeated([low, high]));
        let ten = lanes.shift_right_16::<10>();
        let is = |top: u8| ten.equal(lane(top >> 2, 0)).greater_signed_16(lane(0, 0xFF));
        let (first, second) = (is(0xD8), is(0xDC));
        let (first_bits, all) = (first.high_bits(), u64::MAX >> (64 - V::LEN));
        if second.high_bits() != first_bits << 2 & all {
            return None;
        }
        let cut_off = first_bits >> (V::LEN - 1) == 1;
        if !four_bytes {
            self.put_three([leads, pairs], not_ascii, three, room);
            room.take_back(if cut_off { 3 } else { 0 });
            return Some(V::LEN / 2 - usize::from(cut_off));
        }
        // uuuuu: the bits 6 to 9, plus 1, which is the 10000 that pairs are offset by.
        let plane = lanes.shift_right_16::<6>().and(lane(0x0F, 0)).sub(lane(0xFF, 0));
        let first_half = plane
            .shift_right_16::<2>()
            .or(plane.and(lane(0x03, 0)).shift_left_16::<12>())
            .or(lanes.shift_left_16::<6>().and(lane(0, 0x0F)))
            .or(lane(0xF0, 0x80));
        let of_first = lanes.prev2(self.zero).shift_left_16::<4>().and(lane(0x30, 0));
        let second_half = pairs.and(lane(0x8F, 0xFF)).or(of_first);
        let pairs = select(first, first_half, select(second, second_half, pairs));
        self.put_three([leads, pairs], not_ascii, clear(first.or(second), three), room);
        room.take_back(if cut_off { 2 } else { 0 });
        Some(V::LEN / 2 - usize::from(cut_off))
    }

    /// [`Constants::surrogates`] with masks: if all but the surrogates are below 800, each unit makes at most two
    /// bytes.
    #[inline(always)]
    fn surrogates_masked<T: Token<Vector = V>>(
        &self,
        token: T,
        masked: V::Masked,
        [leads, pairs]: [V; 2],
        [not_ascii, three]: [V; 2],
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        let Surrogates { either, cut_off, pairs: halves } = self.halves(token, masked, pairs)?;
        if !four_bytes {
            self.put_three([leads, pairs], not_ascii, three, room);
            room.take_back(if cut_off { 3 } else { 0 });
            return Some(V::LEN / 2 - usize::from(cut_off));
        }
        if three.high_bits_16() & !either == 0 {
            put_nonzero(halves, 0xAAAA_AAAA_AAAA_AAAA, room);
        } else {
            let three = three.masked()?.blend_16(either, self.zero);
            self.put_three([leads, halves], not_ascii, three, room);
        }
        room.take_back(if cut_off { 2 } else { 0 });
        Some(V::LEN / 2 - usize::from(cut_off))
    }

    /// Replaces the lanes of surrogates by their two bytes. `None` if one is unpaired.
    #[inline(always)]
    fn halves<T: Token<Vector = V>>(&self, token: T, masked: V::Masked, pairs: V) -> Option<Surrogates<V>> {
        let lane = |low: u8, high: u8| token.table(&repeated([low, high]));
        let lanes = masked.vector();
        let all = u64::MAX >> (64 - V::LEN / 2);
        let above = lanes.sub(lane(0, 0xD8)).masked()?;
        let first = !above.at_least_16(lane(0, 0x04)) & all;
        let either = !above.at_least_16(lane(0, 0x08)) & all;
        if either ^ first != first << 1 & all {
            return None;
        }
        // Plus 40: the 10000 that pairs are offset by, in the bits of a first half.
        let more = masked.add_16(lane(0x40, 0));
        let lead = more.shift_right_16::<8>().and(lane(0x07, 0));
        let first_half = more.shift_left_16::<6>().and(lane(0, 0x3F)).or(lead).or(lane(0xF0, 0x80));
        let of_first = lanes.prev2(self.zero).shift_left_16::<4>().and(lane(0x30, 0));
        let third = lanes.shift_right_16::<6>().and(lane(0x0F, 0)).or(of_first);
        let second_half = lanes.shift_left_16::<8>().and(lane(0, 0x3F)).or(third).or(lane(0x80, 0x80));
        let pairs =
            pairs.masked()?.blend_16(first, first_half).masked()?.blend_16(either ^ first, second_half);
        Some(Surrogates { either, cut_off: first >> (V::LEN / 2 - 1) == 1, pairs })
    }

    /// Converts the first `count` of a vector of 16-bit units, with no branch on what they hold except for surrogates.
    /// `None` if they are ill-formed, or there is no room.
    #[inline(always)]
    fn some_units<T: Token<Vector = V>>(
        &self,
        token: T,
        lanes: V,
        count: usize,
        out: &mut Out<'_>,
    ) -> Option<()> {
        let not_ascii = lanes.shift_right_16::<7>().greater_signed_16(self.zero);
        let top = lanes.shift_right_16::<11>();
        let mut three = top.greater_signed_16(self.zero);
        let mut pairs = self.pairs(lanes, not_ascii, three);
        let leads = clear(self.low, lanes.shift_right_16::<4>().or(self.lead_of_three));
        if top.equal(self.surrogate).any() {
            let halves = self.halves(token, lanes.masked()?, pairs)?;
            if halves.cut_off {
                return None;
            }
            (pairs, three) = (halves.pairs, three.masked()?.blend_16(halves.either, self.zero));
        }
        for (half, sequences) in leads.and(three).interleave_16(pairs).into_iter().enumerate() {
            let sequences = sequences.masked()?;
            let here = count.saturating_sub(half * V::LEN / 4).min(V::LEN / 4);
            let wanted = u64::MAX.checked_shr((64 - 4 * here) as u32).unwrap_or(0);
            let kept = (sequences.nonzero() | 0x8888_8888_8888_8888) & wanted;
            out.push_lanes(sequences.compress(kept), kept.count_ones() as usize).then_some(())?;
        }
        Some(())
    }

    /// Writes lanes below 800, on levels with masks.
    #[inline(always)]
    fn put_two_masked<T: Token<Vector = V>>(&self, token: T, masked: V::Masked, room: &mut Room<'_>) {
        let lane = |low: u8, high: u8| token.table(&repeated([low, high]));
        let lanes = masked.vector();
        let last = lanes.shift_left_16::<8>();
        let both = lanes.shift_right_16::<6>().or(last.and(lane(0, 0x3F))).or(lane(0xC0, 0x80));
        if let Some(last) = last.masked()
            && let Some(pairs) = last.blend_16(masked.at_least_16(lane(0x80, 0)), both).masked()
        {
            // All but the first byte of an ASCII lane, which is zero.
            let kept = pairs.at_least(lane(1, 0));
            room.push_units::<1>(pairs.compress(kept).to_bytes(), kept.count_ones() as usize);
        }
    }

    /// Returns the last two bytes of sequences, or the last one of ASCII, as [middle, last]; the middle one is the lead
    /// in those that are not `three`.
    #[inline(always)]
    fn pairs(&self, lanes: V, not_ascii: V, three: V) -> V {
        let last = clear(not_ascii.and(self.top_two), lanes.shift_left_16::<8>());
        let middle = lanes.shift_right_16::<6>().and(self.low_six).or(self.marks);
        not_ascii.and(middle.xor(three.and(self.low_bit_6))).or(last)
    }

    /// Converts units of four bytes, some above FFFF, given their lanes and the bits above them.
    #[inline(always)]
    fn above_plane<T: Token<Vector = V>>(
        &self,
        token: T,
        [lanes, above]: [V; 2],
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        let lane = |low: u8, high: u8| token.table(&repeated([low, high]));
        let top = lanes.shift_right_16::<11>();
        let surrogate = top.xor(lane(0xD8 >> 3, 0)).or(above).or(lane(0, 0xFF)).equal(self.zero);
        if !four_bytes || surrogate.or(above.saturating_sub(lane(0x10, 0))).any() {
            return None;
        }
        let not_ascii = lanes.shift_right_16::<7>().or(above).greater_signed_16(self.zero);
        let three = top.or(above).greater_signed_16(self.zero);
        let four = above.greater_signed_16(self.zero);
        let second =
            lanes.shift_right_16::<4>().and(lane(0, 0x0F)).or(above.and(lane(3, 0)).shift_left_16::<12>());
        let mark = self.lead_of_three.xor(four.and(lane(0, 0x60)));
        let second = three.and(second.or(mark));
        let lead = four.and(above.shift_right_16::<2>().or(lane(0xF0, 0)));
        let sequences = lead.or(second).interleave_16(self.pairs(lanes, not_ascii, three));
        // Two bits each: how many bytes precede the last one.
        let more = three.and(lane(0, 0xFF)).or(not_ascii.xor(three).xor(four).and(self.low));
        put_fours::<_, 0xAA>(sequences, more, &FOUR, room);
        Some(V::LEN / 2)
    }

    /// Writes bytes of Latin-1.
    #[inline(always)]
    fn put_latin1(&self, bytes: V, room: &mut Room<'_>) {
        let not_ascii = self.zero.greater_signed(bytes);
        let lead = not_ascii.and(bytes.shift_right::<6>().or(self.lead_of_two));
        let last = clear(not_ascii.and(self.bit_6), bytes);
        let not_ascii = not_ascii.high_bits();
        for (half, pairs) in lead.interleave(last).into_iter().enumerate() {
            self.put_two(pairs, not_ascii >> (half * V::LEN / 2), room);
        }
    }

    /// Writes lanes of [lead, last], or [0, ASCII] where `not_ascii` has no bit.
    #[inline(always)]
    fn put_two(&self, pairs: V, not_ascii: u64, room: &mut Room<'_>) {
        if self.zero.masked().is_some() {
            return put_nonzero(pairs, 0xAAAA_AAAA_AAAA_AAAA, room);
        }
        for eight in 0..V::LEN / 16 {
            let leads = (not_ascii >> (8 * eight)) as usize & 0xFF;
            let bytes = pairs.sixteen(eight).shuffle(&TWO[leads]).to_bytes();
            room.push_front_of(&bytes, 8 + leads.count_ones() as usize);
        }
    }

    /// Writes lanes of [-, lead] and [middle, last]: those that are not `three` have only the second lane, ASCII only
    /// its last byte.
    #[inline(always)]
    fn put_three(&self, [leads, pairs]: [V; 2], not_ascii: V, three: V, room: &mut Room<'_>) {
        let leads = match self.zero.masked() {
            Some(_) => clear(self.low, leads).and(three),
            None => leads,
        };
        put_fours::<_, 0>(leads.interleave_16(pairs), not_ascii.and(three.or(self.low)), &THREE, room);
    }
}

/// `if mask[i] == 255 { 0 } else { all[i] }`
#[inline(always)]
fn clear<V: Vector>(mask: V, all: V) -> V {
    all.xor(mask.and(all))
}

/// Writes sequences of four bytes without the bytes that are absent: a compress drops the zeros; other levels use a
/// table, indexed by two bits per sequence from the lanes of `more`. Each bit counts one byte before the last; a bit in
/// `TWICE` counts two.
#[inline(always)]
fn put_fours<V: Vector, const TWICE: usize>(
    sequences: [V; 2],
    more: V,
    table: &[[u8; 16]; 256],
    room: &mut Room<'_>,
) {
    if more.masked().is_some() {
        for sequences in sequences {
            put_nonzero(sequences, 0x8888_8888_8888_8888, room);
        }
        return;
    }
    let more = more.high_bits();
    for four in 0..V::LEN / 8 {
        let more = (more >> (8 * four)) as usize & 0xFF;
        let sequences = sequences[four / (V::LEN / 16)].sixteen(four % (V::LEN / 16));
        let len = 4 + more.count_ones() + (more & TWICE).count_ones();
        room.push_front_of(&sequences.shuffle(&table[more]).to_bytes(), len as usize);
    }
}

/// Writes the bytes that are not zero, and those at `places`, where a zero is a NUL.
#[inline(always)]
fn put_nonzero<V: Vector>(bytes: V, places: u64, room: &mut Room<'_>) {
    if let Some(bytes) = bytes.masked() {
        let kept = bytes.nonzero() | places;
        room.push_units::<1>(bytes.compress(kept).to_bytes(), kept.count_ones() as usize);
    }
}

const NONE: u8 = 0x80;

/// Eight sequences of [lead, last], indexed by which of them have a lead.
static TWO: [[u8; 16]; 256] = {
    let mut all = [[NONE; 16]; 256];
    let mut leads = 0;
    while leads < 256 {
        let (mut unit, mut len) = (0, 0);
        while unit < 8 {
            if leads >> unit & 1 == 1 {
                all[leads][len] = 2 * unit as u8;
                len += 1;
            }
            all[leads][len] = 2 * unit as u8 + 1;
            len += 1;
            unit += 1;
        }
        leads += 1;
    }
    all
};

/// Four sequences of [-, lead, middle, last], indexed by which of them have a middle (bits 0, 2, 4 and 6) and a lead.
static THREE: [[u8; 16]; 256] = fours([0, 1, 1, 2]);

/// Four sequences of [lead, second, middle, last], indexed by how many bytes precede the last: two bits each.
static FOUR: [[u8; 16]; 256] = fours([0, 1, 2, 3]);

/// Builds a table for four sequences of four bytes, indexed by two bits each; `more` maps these to the bytes before the
/// last.
const fn fours(more: [usize; 4]) -> [[u8; 16]; 256] {
    let mut all = [[NONE; 16]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut unit, mut len) = (0, 0);
        while unit < 4 {
            let mut byte = 3 - more[bits >> (2 * unit) & 3];
            while byte < 4 {
                all[bits][len] = (4 * unit + byte) as u8;
                len += 1;
                byte += 1;
            }
            unit += 1;
        }
        bits += 1;
    }
    all
}
