//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! Sixteen units at a time, as two vectors of eight lanes of 16 bits. ASCII is packed. Else, for each unit, the bytes of
//! its sequence are made where they stand in a lane, and those that there are brought together by a table of shuffles
//! (Lemire and Muła, "Transcoding billions of Unicode characters per second with SIMD instructions", 2022):
//!
//! ```text
//! all below 800    [lead, last]           8 units, by the pattern of those below 80
//! else             [lead, middle, last]   4 units, by the patterns of those below 80 and below 800
//! ```
//!
//! Where units hold a surrogate or a value above FFFF, the definition decodes the sixteen (on levels without a byte
//! shuffle always); what is ill-formed ends the stretch.
//!
//! # Tried
//! - The definition alone, an item at a time: 0.25 to 0.4 GB/s of UTF-16 (Zen 3, 2026-11-21).
//! - Each unit's sequence in all lengths it could have, one of them kept without a branch: 0.4 to 1.8 GB/s.

use crate::arch::{Kernel, Sixteen, Token};
use crate::dialect::Utf8;
use crate::encoding::{ENCODED, Encoding, Latin1, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::out::{Out, Room};

/// Units made at a time.
const GROUP: usize = 16;

/// What the units are.
pub(crate) trait Source: Encoding {
    /// Bytes in a unit.
    const UNIT: usize;

    /// A group's units, eight and eight; `None` if one is above FFFF.
    fn eights<T: Token>(token: T, group: &[[u8; 16]]) -> Option<[T::Sixteen; 2]>;
}

impl Source for Latin1 {
    const UNIT: usize = 1;

    #[inline(always)]
    fn eights<T: Token>(token: T, group: &[[u8; 16]]) -> Option<[T::Sixteen; 2]> {
        let [all] = group else { return None };
        let (all, zero) = (token.sixteen(all), token.sixteen(&[0; 16]));
        Some([all.interleave_low(zero), all.interleave_high(zero)])
    }
}

impl Source for Utf16Le {
    const UNIT: usize = 2;

    #[inline(always)]
    fn eights<T: Token>(token: T, group: &[[u8; 16]]) -> Option<[T::Sixteen; 2]> {
        let [first, second] = group else { return None };
        Some([token.sixteen(first), token.sixteen(second)])
    }
}

impl Source for Utf16Be {
    const UNIT: usize = 2;

    #[inline(always)]
    fn eights<T: Token>(token: T, group: &[[u8; 16]]) -> Option<[T::Sixteen; 2]> {
        let [first, second] = group else { return None };
        Some([token.sixteen(first).shuffle(&SWAPPED), token.sixteen(second).shuffle(&SWAPPED)])
    }
}

impl Source for Utf32Le {
    const UNIT: usize = 4;

    #[inline(always)]
    fn eights<T: Token>(token: T, group: &[[u8; 16]]) -> Option<[T::Sixteen; 2]> {
        halves(token, group, 0b1010_1010, [&LITTLE_HALVES, &LITTLE_HALVES_BEHIND])
    }
}

impl Source for Utf32Be {
    const UNIT: usize = 4;

    #[inline(always)]
    fn eights<T: Token>(token: T, group: &[[u8; 16]]) -> Option<[T::Sixteen; 2]> {
        halves(token, group, 0b0101_0101, [&BIG_HALVES, &BIG_HALVES_BEHIND])
    }
}

/// The low halves of sixteen units of four bytes, if the lanes that are the high halves are all zero.
#[inline(always)]
fn halves<T: Token>(
    token: T,
    group: &[[u8; 16]],
    high: u32,
    [places, behind]: [&[u8; 16]; 2],
) -> Option<[T::Sixteen; 2]> {
    let [a, b, c, d] = group else { return None };
    let [a, b, c, d] = [a, b, c, d].map(|four| token.sixteen(four));
    let zero = token.sixteen(&[0; 16]);
    let none = a.or(b).or(c.or(d)).equal_16(zero).high_bits_16() & high == high;
    none.then(|| [a.shuffle(places).or(b.shuffle(behind)), c.shuffle(places).or(d.shuffle(behind))])
}

/// Converts units as long as they are well formed and fit; says how many.
pub(crate) struct Narrow<'a, 'o, S> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) source: S,
    /// Whether the target is UTF-8 above FFFF too.
    pub(crate) four_bytes: bool,
}

impl<'o, S: Source> Kernel for Narrow<'_, 'o, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Narrow { bytes, mut out, source, four_bytes } = self;
        let constants = Constants::new(token);
        let mut at = 0;
        while let Some(group) = bytes[at..].get(..GROUP * S::UNIT) {
            let Some(mut room) = out.room_for(GROUP * 4 + SPILL) else { break };
            let eights = if T::SHUFFLE { S::eights(token, group.as_chunks().0) } else { None };
            if let Some([first, second]) = eights
                && !constants.surrogates(first, second)
            {
                if constants.is_ascii(first.or(second)) {
                    let packed = first.shuffle(&PACKED).or(second.shuffle(&PACKED_BEHIND));
                    room.push_units::<1, 16>(packed.to_bytes(), 16);
                } else {
                    constants.eight(first, &mut room);
                    constants.eight(second, &mut room);
                }
                at += GROUP * S::UNIT;
                continue;
            }
            if !four_bytes {
                break;
            }
            // A pair may begin in the group and end behind it.
            let end = at + GROUP * S::UNIT;
            while at < end {
                let Some(step) = source.decode(&bytes[at..]) else { break };
                let mut sequence = [0; ENCODED];
                let Ok(len) = step.result.and_then(|value| Utf8.encode(value, &mut sequence)) else {
                    drop(room);
                    return (at / S::UNIT, out);
                };
                room.push_units::<1, ENCODED>(sequence, len);
                at += step.len();
            }
        }
        (at / S::UNIT, out)
    }
}

/// What a store may write behind its bytes.
const SPILL: usize = 16;

/// Constants in registers: every lane of two bytes the same.
struct Constants<S> {
    zero: S,
    /// The bits that only units of 80 and above have; of 800 and above; and what those of surrogates are.
    not_ascii: S,
    top_five: S,
    surrogate: S,
    low_six: S,
    middle_marker: S,
    two_byte_marker: S,
    three_byte_lead: S,
    last_payload: S,
    last_marker: S,
}

impl<S: Sixteen> Constants<S> {
    #[inline(always)]
    fn new<T: Token<Sixteen = S>>(token: T) -> Self {
        let lanes = |value: u16| token.sixteen(&core::array::from_fn(|i| value.to_le_bytes()[i % 2]));
        Constants {
            zero: lanes(0),
            not_ascii: lanes(0xFF80),
            top_five: lanes(0xF800),
            surrogate: lanes(0xD800),
            low_six: lanes(0x3F),
            middle_marker: lanes(0x80),
            two_byte_marker: lanes(0x40),
            three_byte_lead: lanes(0xE0),
            last_payload: lanes(0x3F00),
            last_marker: lanes(0x8000),
        }
    }

    #[inline(always)]
    fn is_ascii(&self, units: S) -> bool {
        units.and(self.not_ascii).equal_16(self.zero).high_bits_16() == 0xFF
    }

    /// Whether there is a surrogate in either.
    #[inline(always)]
    fn surrogates(&self, first: S, second: S) -> bool {
        let is = |units: S| units.and(self.top_five).equal_16(self.surrogate);
        is(first).or(is(second)).high_bits_16() != 0
    }

    /// Eight units, none of them a surrogate.
    #[inline(always)]
    fn eight(&self, units: S, room: &mut Room<'_>) {
        let ascii = units.and(self.not_ascii).equal_16(self.zero);
        let short = units.and(self.top_five).equal_16(self.zero);
        let (ascii_bits, short_bits) = (ascii.high_bits_16(), short.high_bits_16());
        // The last byte, high in its lane: the unit itself, or 10 and six bits.
        let itself = units.shuffle(&HIGHER);
        let last = itself.and(self.last_payload).or(self.last_marker);
        let last = last.xor(ascii.and(last.xor(itself)));
        // The one before, low in its lane: 110 and five bits, or 10 and six bits.
        let above = units.shift_right_16::<6>().and(self.low_six).or(self.middle_marker);
        let pairs = above.or(short.and(self.two_byte_marker)).or(last);
        if short_bits == 0xFF {
            let places = &TWO[ascii_bits as usize & 0xFF];
            let len = 16 - (ascii_bits & 0xFF).count_ones() as usize;
            return room.push_units::<1, 16>(pairs.shuffle(places).to_bytes(), len);
        }
        let lead = units.shift_right_16::<12>().or(self.three_byte_lead);
        for (half, [pair, single]) in
            [[&PAIRS, &LEADS], [&PAIRS_BEHIND, &LEADS_BEHIND]].into_iter().enumerate()
        {
            let sequences = pairs.shuffle(pair).or(lead.shuffle(single));
            let missing = (short_bits >> (4 * half) & 0xF) | (ascii_bits >> (4 * half) & 0xF) << 4;
            let places = &THREE[missing as usize & 0xFF];
            let len = 12 - missing.count_ones() as usize;
            room.push_units::<1, 16>(sequences.shuffle(places).to_bytes(), len);
        }
    }
}

const NONE: u8 = 0x80;

/// Sixteen places, by a function of theirs.
macro_rules! places {
    ($name:ident, |$i:ident| $place:expr) => {
        const $name: [u8; 16] = {
            let mut places = [NONE; 16];
            let mut $i = 0;
            while $i < 16 {
                places[$i] = $place as u8;
                $i += 1;
            }
            places
        };
    };
}

const GONE: usize = NONE as usize;

places!(SWAPPED, |i| i ^ 1);
// The low byte of each lane, high.
places!(HIGHER, |i| if i % 2 == 1 { i - 1 } else { GONE });
// Low bytes of eight lanes, in front, or behind those of eight others.
places!(PACKED, |i| if i < 8 { 2 * i } else { GONE });
places!(PACKED_BEHIND, |i| if i < 8 { GONE } else { 2 * (i - 8) });
// Low halves of four lanes of four bytes as lanes of two, in front or behind.
places!(LITTLE_HALVES, |i| if i < 8 { 2 * i - i % 2 } else { GONE });
places!(LITTLE_HALVES_BEHIND, |i| if i < 8 { GONE } else { 2 * (i - 8) - i % 2 });
places!(BIG_HALVES, |i| if i < 8 { 2 * i + 3 - 3 * (i % 2) } else { GONE });
places!(BIG_HALVES_BEHIND, |i| if i < 8 { GONE } else { 2 * (i - 8) + 3 - 3 * (i % 2) });
// [lead, pair, pair, -] of the first or the last four lanes.
places!(LEADS, |i| if i % 4 == 0 { i / 2 } else { GONE });
places!(LEADS_BEHIND, |i| if i % 4 == 0 { 8 + i / 2 } else { GONE });
places!(PAIRS, |i| if i % 4 == 1 || i % 4 == 2 { i / 4 * 2 + i % 4 - 1 } else { GONE });
places!(PAIRS_BEHIND, |i| if i % 4 == 1 || i % 4 == 2 { 8 + i / 4 * 2 + i % 4 - 1 } else { GONE });

/// Eight sequences of [lead, last], by which of them have no lead.
static TWO: [[u8; 16]; 256] = {
    let mut all = [[NONE; 16]; 256];
    let mut missing = 0;
    while missing < 256 {
        let (mut unit, mut len) = (0, 0);
        while unit < 8 {
            if missing >> unit & 1 == 0 {
                all[missing][len] = 2 * unit as u8;
                len += 1;
            }
            all[missing][len] = 2 * unit as u8 + 1;
            len += 1;
            unit += 1;
        }
        missing += 1;
    }
    all
};

/// Four sequences of [lead, middle, last, -], by which of them have no lead (bits 0 to 3), and neither (4 to 7).
static THREE: [[u8; 16]; 256] = {
    let mut all = [[NONE; 16]; 256];
    let mut missing = 0;
    while missing < 256 {
        let (mut unit, mut len) = (0, 0);
        while unit < 4 {
            let mut byte = (missing >> unit & 1) + (missing >> (4 + unit) & 1);
            while byte < 3 {
                all[missing][len] = (4 * unit + byte) as u8;
                len += 1;
                byte += 1;
            }
            unit += 1;
        }
        missing += 1;
    }
    all
};
