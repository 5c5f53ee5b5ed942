//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! As many units as a vector has lanes at a time, as planes of their low and their high bytes. The last bytes of all their
//! sequences are one plane, those before another, and so on; as these are operations on bytes, a plane is made at once:
//!
//! ```text
//! unit             hhhhhhhh llllllll
//! last byte        0lllllll            below 80, else 10llllll
//! the one before   110hhhll            below 800, else 10hhhhll
//! lead of three    1110hhhh
//! high surrogate   11110hhh 10llllll   of the unit plus 40: the pair's first two bytes
//! low surrogate    10llhhll 10llllll   its last two, with two bits of the unit in front
//! ```
//!
//! So every unit has one to three bytes of its own, pairs too. They are brought together lane by lane, and those that there
//! are kept: by a compress where the level has one; else by a table of shuffles for each pattern of lengths, eight units
//! of up to two bytes, or four of up to three (Lemire and Muła, "Transcoding billions of Unicode characters per second with
//! SIMD instructions", 2022), or by three fixed shuffles where sixteen have three. ASCII is the low plane itself.
//!
//! Where a unit of 32 bits is above FFFF, the units go through UTF-16. What is ill-formed ends the stretch.
//!
//! # Tried
//! - The definition alone, an item at a time: 0.25 to 0.4 GB/s of UTF-16 (Zen 3, 2026-11-21).
//! - Each unit's sequence in all lengths it could have, one of them kept without a branch: 0.4 to 1.8 GB/s.
//! - Lanes of 16 bits, eight units at a time, surrogates by the definition: 3.4 to 5.8, emoji 0.5; this 3.5 to 8.5,
//!   emoji 4.9 (AVX2).
//! - On avx512, the model of Zen 4 in llvm-mca 19 gives 33 cycles for 64 units of three bytes: of a model, not measured.

use crate::arch::{BLOCK, Compress, Kernel, Sixteen, Token, Vector};
use crate::dialect::Utf8;
use crate::encoding::{ENCODED, Encoding, Latin1, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::out::{Out, Room};

/// What the units are.
pub(crate) trait Source: Encoding {
    /// Bytes in a unit.
    const UNIT: usize;

    /// The low and the high bytes of as many units as a vector has lanes; `None` if one is above FFFF.
    fn planes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]>;
}

impl Source for Latin1 {
    const UNIT: usize = 1;

    #[inline(always)]
    fn planes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        Some([token.load_at(bytes, 0), token.splat(0)])
    }
}

impl Source for Utf16Le {
    const UNIT: usize = 2;

    #[inline(always)]
    fn planes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let (low, high) = token.load_at(bytes, 0).deinterleave(token.load_at(bytes, T::Vector::LEN));
        Some([low, high])
    }
}

impl Source for Utf16Be {
    const UNIT: usize = 2;

    #[inline(always)]
    fn planes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let (high, low) = token.load_at(bytes, 0).deinterleave(token.load_at(bytes, T::Vector::LEN));
        Some([low, high])
    }
}

impl Source for Utf32Le {
    const UNIT: usize = 4;

    #[inline(always)]
    fn planes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let [first, second, third, fourth] = four_planes(token, bytes);
        (!third.or(fourth).any()).then_some([first, second])
    }
}

impl Source for Utf32Be {
    const UNIT: usize = 4;

    #[inline(always)]
    fn planes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let [first, second, third, fourth] = four_planes(token, bytes);
        (!first.or(second).any()).then_some([fourth, third])
    }
}

/// The first, second, third and fourth bytes of units of four.
#[inline(always)]
fn four_planes<T: Token>(token: T, bytes: &[u8]) -> [T::Vector; 4] {
    let len = T::Vector::LEN;
    let (even, odd) = token.load_at(bytes, 0).deinterleave(token.load_at(bytes, len));
    let (more_even, more_odd) = token.load_at(bytes, 2 * len).deinterleave(token.load_at(bytes, 3 * len));
    let (first, third) = even.deinterleave(more_even);
    let (second, fourth) = odd.deinterleave(more_odd);
    [first, second, third, fourth]
}

/// Converts units as long as they are well formed and fit; says how many.
pub(crate) struct Narrow<'a, 'o, S> {
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) source: S,
    /// Whether the target is UTF-8 above FFFF too; else surrogates are written as what they are, in pairs (CESU-8).
    pub(crate) four_bytes: bool,
}

/// NULs that fill a vector up, and what stores may write behind their bytes.
const SPILL: usize = 2 * BLOCK;
/// The most bytes of UTF-8 that a unit becomes.
const MOST: usize = 4;

impl<'o, S: Source> Kernel for Narrow<'_, 'o, S> {
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let Narrow { bytes, mut out, source, four_bytes } = self;
        let mut at = 0;
        if !T::SHUFFLE {
            while let Some(len) = item(source, &bytes[at..], four_bytes, &mut out) {
                at += len;
            }
            return (at / S::UNIT, out);
        }
        let len = T::Vector::LEN;
        let constants = Constants::new(token);
        while let Some(units) = bytes[at..].get(..len * S::UNIT)
            && let Some(mut room) = out.room_for(len * MOST + SPILL)
            && let Some(done) = constants.units(token, source, units, four_bytes, &mut room)
        {
            at += done * S::UNIT;
        }
        let rest = &bytes[at..];
        if len > 16 {
            let (done, out) = Narrow { bytes: rest, out, source, four_bytes }.call(token.half());
            return (at / S::UNIT + done, out);
        }
        if rest.len() >= len * S::UNIT {
            // There is an error among them, or little room.
            for _ in 0..len {
                at += item(source, &bytes[at..], four_bytes, &mut out).unwrap_or(0);
            }
        } else if !rest.is_empty()
            && let Some(mut room) = out.room_for(len * MOST + SPILL)
        {
            // NULs make a vector of the last ones, and are taken back.
            let mut units = [0; 16 * 4];
            units[..rest.len()].copy_from_slice(rest);
            if let Some(done) = constants.units(token, source, &units, four_bytes, &mut room) {
                room.take_back(done - rest.len() / S::UNIT);
                at = bytes.len();
            }
        }
        (at / S::UNIT, out)
    }
}

/// Converts the item at the front by the definition; says how many bytes of the input that was. `None` if there is none,
/// it is ill-formed, or does not fit.
#[inline(always)]
fn item<S: Source>(source: S, bytes: &[u8], four_bytes: bool, out: &mut Out<'_>) -> Option<usize> {
    let step = source.decode(bytes)?;
    let value = step.result.ok().filter(|&value| four_bytes || value < 0x1_0000)?;
    let mut sequence = [0; ENCODED];
    let len = Utf8.encode(value, &mut sequence).ok()?;
    out.push_front_of(sequence, len).then_some(step.len())
}

/// Constants in registers.
struct Constants<V> {
    zero: V,
    bit_6: V,
    bit_7: V,
    two_bits: V,
    low_six: V,
    top_five: V,
    top_six: V,
    /// The largest high byte of a unit of two bytes of UTF-8.
    short: V,
    high_surrogate: V,
    low_surrogate: V,
    lead_of_two: V,
    lead_of_three: V,
    lead_of_four: V,
}

/// The bytes of the units' sequences, those that there are, and what there are.
struct Sequences<V> {
    /// The units' high bytes, of which the lead of three is made where there are such sequences.
    high: V,
    middle: V,
    last: V,
    /// One byte.
    ascii: V,
    /// Up to two bytes.
    short: V,
}

impl<V: Vector> Constants<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Constants {
            zero: token.splat(0),
            bit_6: token.splat(0x40),
            bit_7: token.splat(0x80),
            two_bits: token.splat(0x03),
            low_six: token.splat(0x3F),
            top_five: token.splat(0xF8),
            top_six: token.splat(0xFC),
            short: token.splat(0x07),
            high_surrogate: token.splat(0xD8),
            low_surrogate: token.splat(0xDC),
            lead_of_two: token.splat(0xC0),
            lead_of_three: token.splat(0xE0),
            lead_of_four: token.splat(0xF0),
        }
    }

    /// Converts as many units as a vector has lanes, but for a high surrogate at their end; says how many. `None` if some
    /// are ill-formed.
    #[inline(always)]
    fn units<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        source: S,
        bytes: &[u8],
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        match S::planes(token, bytes) {
            Some(planes) => self.planes::<S>(planes, four_bytes, room),
            None => self.wide_units(token, source, bytes, room),
        }
    }

    /// Their planes.
    #[inline(always)]
    fn planes<S: Source>(&self, [low, high]: [V; 2], four_bytes: bool, room: &mut Room<'_>) -> Option<usize> {
        let above_ascii = low.and(self.bit_7).or(high);
        if !above_ascii.any() {
            room.push_units::<1>(low.to_bytes(), V::LEN);
            return Some(V::LEN);
        }
        let six = low.and(self.low_six);
        // Of the unit's bits 6 to 11: hhhhll.
        let next_six = high.shift_left::<2>().or(low.shift_right::<6>()).and(self.low_six);
        let short = high.saturating_sub(self.short).equal(self.zero);
        let ascii = above_ascii.equal(self.zero);
        let mut sequences = Sequences {
            high,
            middle: next_six.or(self.bit_7).or(short.and(self.bit_6)),
            last: select(ascii, low, six.or(self.bit_7)),
            ascii,
            short,
        };
        let mut cut_off = 0;
        if high.and(self.top_five).equal(self.high_surrogate).any() {
            let top_six = high.and(self.top_six);
            let first = top_six.equal(self.high_surrogate);
            let second = top_six.equal(self.low_surrogate);
            let (first_bits, all) = (first.high_bits(), u64::MAX >> (64 - V::LEN));
            if S::UNIT != 2 || second.high_bits() != first_bits << 1 & all {
                return None;
            }
            if four_bytes {
                self.join([low, high], first, second, &mut sequences);
            }
            cut_off = (first_bits >> (V::LEN - 1)) as usize;
        }
        self.put(&sequences, room);
        room.take_back(cut_off * if four_bytes { 2 } else { 3 });
        Some(V::LEN - cut_off)
    }

    /// Two bytes for each surrogate of a pair.
    #[inline(always)]
    fn join(&self, [low, high]: [V; 2], first: V, second: V, sequences: &mut Sequences<V>) {
        // The first one's ten bits plus 40, which is the 10000 that pairs count from: ten bits and a carry.
        let carry = low.shift_right::<6>().equal(self.two_bits); // 255, which is 1 less than none
        let top = high.and(self.two_bits).sub(carry);
        let eight = low.sub(self.lead_of_two); // C0 less is 40 more
        let lead = self.lead_of_four.or(top);
        let after_lead = self.bit_7.or(eight.shift_right::<2>());
        // Two bits of the first one, and four of the second.
        let four = high.and(self.two_bits).shift_left::<2>().or(low.shift_right::<6>());
        let third = low.prev1(self.zero).and(self.two_bits).shift_left::<4>().or(four).or(self.bit_7);
        sequences.middle = select(first, lead, select(second, third, sequences.middle));
        sequences.last = select(first, after_lead, sequences.last);
        sequences.short = sequences.short.or(first).or(second);
    }

    /// Units of which some are above FFFF, through UTF-16.
    #[inline(always)]
    fn wide_units<T: Token<Vector = V>, S: Source>(
        &self,
        token: T,
        source: S,
        bytes: &[u8],
        room: &mut Room<'_>,
    ) -> Option<usize> {
        // Two for each, and a vector of NULs behind.
        let mut units = [0; 2 * 2 * BLOCK + 2 * BLOCK];
        let mut len = 0;
        for unit in bytes.as_chunks::<4>().0.iter().take(V::LEN) {
            let value = source.decode(unit)?.result.ok()?;
            let above = value.wrapping_sub(0x1_0000);
            let (first, count) = if value < 0x1_0000 { (value, 1) } else { (0xD800 | above >> 10, 2) };
            let pair = first | (0xDC00 | above & 0x3FF) << 16;
            units[len..len + 4].copy_from_slice(&pair.to_le_bytes());
            len += 2 * count;
        }
        units[len..len + 2].fill(0);
        let mut at = 0;
        while at < len {
            at += 2 * self.planes::<Utf16Le>(Utf16Le::planes(token, &units[at..])?, true, room)?;
        }
        room.take_back((at - len) / 2);
        Some(V::LEN)
    }

    /// Writes the bytes that there are.
    #[inline(always)]
    fn put(&self, all: &Sequences<V>, room: &mut Room<'_>) {
        let (ascii, short) = (all.ascii.high_bits(), all.short.high_bits());
        let all_short = short == u64::MAX >> (64 - V::LEN);
        let lead = self.lead_of_three.or(all.high.shift_right::<4>());
        if self.zero.compressible().is_some() {
            let middle = clear(all.ascii, all.middle);
            let pairs = middle.interleave(all.last);
            if all_short {
                for sequences in pairs {
                    put_nonzero(sequences, 0xAAAA_AAAA_AAAA_AAAA, room);
                }
                return;
            }
            let leads = self.zero.interleave(clear(all.short, lead));
            for (leads, pairs) in leads.into_iter().zip(pairs) {
                for sequences in leads.interleave_16(pairs) {
                    put_nonzero(sequences, 0x8888_8888_8888_8888, room);
                }
            }
            return;
        }
        if all_short {
            for part in 0..V::LEN / 16 {
                let planes = [all.middle.sixteen(part), all.last.sixteen(part)];
                put_pairs(planes, (ascii >> (16 * part)) as usize & 0xFFFF, room);
            }
            return;
        }
        for part in 0..V::LEN / 16 {
            let planes = [lead.sixteen(part), all.middle.sixteen(part), all.last.sixteen(part)];
            let [ascii, short] = [ascii, short].map(|bits| (bits >> (16 * part)) as usize & 0xFFFF);
            put_sixteen(planes, self.zero.sixteen(part), [ascii, short], room);
        }
    }
}

/// `if mask[i] == 255 { yes[i] } else { no[i] }`
#[inline(always)]
fn select<V: Vector>(mask: V, yes: V, no: V) -> V {
    no.xor(mask.and(yes.xor(no)))
}

/// `if mask[i] == 255 { 0 } else { all[i] }`
#[inline(always)]
fn clear<V: Vector>(mask: V, all: V) -> V {
    all.xor(mask.and(all))
}

/// The bytes that are not zero, and those at some places, where a zero is a NUL.
#[inline(always)]
fn put_nonzero<V: Vector>(bytes: V, places: u64, room: &mut Room<'_>) {
    if let Some(bytes) = bytes.compressible() {
        let kept = bytes.nonzero() | places;
        room.push_units::<1>(bytes.compress(kept).to_bytes(), kept.count_ones() as usize);
    }
}

/// The bytes of sixteen sequences of up to two that there are, of their planes; a bit each of those that have one.
#[inline(always)]
fn put_pairs<S: Sixteen>([middle, last]: [S; 2], ascii: usize, room: &mut Room<'_>) {
    for (half, pairs) in middle.interleave(last).into_iter().enumerate() {
        let missing = ascii >> (8 * half) & 0xFF;
        let len = 16 - missing.count_ones() as usize;
        room.push_units::<1>(pairs.shuffle(&TWO[missing]).to_bytes(), len);
    }
}

/// The same of sequences of up to three; a bit each of those that have one, and up to two.
#[inline(always)]
fn put_sixteen<S: Sixteen>(
    [lead, middle, last]: [S; 3],
    zero: S,
    [ascii, short]: [usize; 2],
    room: &mut Room<'_>,
) {
    if short == 0 {
        for [leads, middles, lasts] in &THREE_PLANES {
            let bytes = lead.shuffle(leads).or(middle.shuffle(middles)).or(last.shuffle(lasts));
            room.push_units::<1>(bytes.to_bytes(), 16);
        }
        return;
    }
    if short == 0xFFFF {
        return put_pairs([middle, last], ascii, room);
    }
    let pairs = middle.interleave(last);
    let leads = zero.interleave(lead);
    for (half, (leads, pairs)) in leads.into_iter().zip(pairs).enumerate() {
        let sequences = leads.interleave_16(pairs);
        for (quarter, sequences) in sequences.into_iter().enumerate() {
            let place = 8 * half + 4 * quarter;
            let missing = (short >> place & 0xF) | (ascii >> place & 0xF) << 4;
            let len = 12 - missing.count_ones() as usize;
            room.push_units::<1>(sequences.shuffle(&THREE[missing]).to_bytes(), len);
        }
    }
}

const NONE: u8 = 0x80;

/// Where the bytes of sixteen sequences of three are in their planes: three times sixteen bytes, of three planes each.
static THREE_PLANES: [[[u8; 16]; 3]; 3] = {
    let mut all = [[[NONE; 16]; 3]; 3];
    let mut byte = 0;
    while byte < 48 {
        all[byte / 16][byte % 3][byte % 16] = byte as u8 / 3;
        byte += 1;
    }
    all
};

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

/// Four sequences of [-, lead, middle, last], by which of them have no lead (bits 0 to 3), and neither (4 to 7).
static THREE: [[u8; 16]; 256] = {
    let mut all = [[NONE; 16]; 256];
    let mut missing = 0;
    while missing < 256 {
        let (mut unit, mut len) = (0, 0);
        while unit < 4 {
            let mut byte = 1 + (missing >> unit & 1) + (missing >> (4 + unit) & 1);
            while byte < 4 {
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
