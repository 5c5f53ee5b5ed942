//! UTF-16, UTF-32 and Latin-1 to UTF-8.
//!
//! # Algorithm
//! ASCII is looked for two vectors at a time, and is the low bytes of the units. Else as many units as a vector has bytes
//! are taken, as lanes of two bytes:
//!
//! ```text
//! unit             hhhhhhhh llllllll
//! all below 800    110hhhll 10llllll   or 00000000 0lllllll
//! ```
//!
//! Where a unit is 800 or more, as planes of their low and their high bytes. The last bytes of all their sequences are one
//! plane, those before another, and so on; as these are operations on bytes, a plane is made at once:
//!
//! ```text
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
//! SIMD instructions", 2022), or by three fixed shuffles where sixteen have three. The bytes of Latin-1 need no lanes.
//!
//! Where a unit of 32 bits is above FFFF, the units go through UTF-16. What is ill-formed ends the stretch.
//!
//! # Tried
//! - The definition alone, an item at a time: 0.25 to 0.4 GB/s of UTF-16 (Zen 3, 2026-11-21).
//! - Each unit's sequence in all lengths it could have, one of them kept without a branch: 0.4 to 1.8 GB/s.
//! - Lanes of 16 bits, eight units at a time, surrogates by the definition: 3.4 to 5.8, emoji 0.5; planes for all units
//!   3.5 to 8.5, emoji 4.9 (AVX2); this 4 to 12.
//! - ASCII one vector at a time: German is then half ASCII, and guessed wrong.
//! - The bits of each four units put together from two masks: 25 instructions more for 32 units than one interleave.
//! - No test for sixteen sequences of three: Chinese 5.6 instead of 6.8.
//! - On avx512, the model of Zen 4 in llvm-mca 19 gives 33 cycles for 64 units of three bytes: of a model, not measured.

use super::{select, words};
use crate::arch::{BLOCK, Compress, Kernel, Sixteen, Token, Vector};
use crate::dialect::Utf8;
use crate::encoding::{ENCODED, Encoding, Latin1, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::out::{Out, Room};
use crate::scalar::encode::surrogates;

/// What the units are.
pub(crate) trait Source: Encoding {
    /// Bytes in a unit.
    const UNIT: usize;
    /// The bits that are 0 in ASCII, of units that fill four bytes.
    const ABOVE_ASCII: [u8; 4];
    /// The bits that are 0 up to FFFF.
    const ABOVE_PLANE: [u8; 4];

    /// As many units as a vector has bytes, all up to FFFF, in two vectors of two bytes each, little-endian; `None` of
    /// Latin-1, whose bytes have a shorter way.
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]>;
}

impl Source for Latin1 {
    const UNIT: usize = 1;
    const ABOVE_ASCII: [u8; 4] = [0x80; 4];
    const ABOVE_PLANE: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(_: T, _: &[u8]) -> Option<[T::Vector; 2]> {
        None
    }
}

impl Source for Utf16Le {
    const UNIT: usize = 2;
    const ABOVE_ASCII: [u8; 4] = [0x80, 0xFF, 0x80, 0xFF];
    const ABOVE_PLANE: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        Some([token.load_at(bytes, 0), token.load_at(bytes, T::Vector::LEN)])
    }
}

impl Source for Utf16Be {
    const UNIT: usize = 2;
    const ABOVE_ASCII: [u8; 4] = [0xFF, 0x80, 0xFF, 0x80];
    const ABOVE_PLANE: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let [first, second] = Utf16Le::lanes(token, bytes)?;
        Some([swap(first), swap(second)])
    }
}

impl Source for Utf32Le {
    const UNIT: usize = 4;
    const ABOVE_ASCII: [u8; 4] = [0x80, 0xFF, 0xFF, 0xFF];
    const ABOVE_PLANE: [u8; 4] = [0, 0, 0xFF, 0xFF];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let [(first, _), (second, _)] = halves(token, bytes);
        Some([first, second])
    }
}

impl Source for Utf32Be {
    const UNIT: usize = 4;
    const ABOVE_ASCII: [u8; 4] = [0xFF, 0xFF, 0xFF, 0x80];
    const ABOVE_PLANE: [u8; 4] = [0xFF, 0xFF, 0, 0];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> Option<[T::Vector; 2]> {
        let [(_, first), (_, second)] = halves(token, bytes);
        Some([swap(first), swap(second)])
    }
}

/// Lanes of two bytes in the other order.
#[inline(always)]
fn swap<V: Vector>(lanes: V) -> V {
    lanes.shift_left_16::<8>().or(lanes.shift_right_16::<8>())
}

/// The first and the last two bytes of units of four, in two vectors each.
#[inline(always)]
fn halves<T: Token>(token: T, bytes: &[u8]) -> [(T::Vector, T::Vector); 2] {
    let len = T::Vector::LEN;
    [
        token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, len)),
        token.load_at(bytes, 2 * len).deinterleave_16(token.load_at(bytes, 3 * len)),
    ]
}

/// Whether any unit of `bytes`, whole vectors, has any of these bits.
#[inline(always)]
fn any_bits<T: Token>(token: T, bytes: &[u8], bits: [u8; 4]) -> bool {
    let mut all = token.load_at(bytes, 0);
    for vector in 1..bytes.len() / T::Vector::LEN {
        all = all.or(token.load_at(bytes, vector * T::Vector::LEN));
    }
    all.and(token.table(&repeated(bits))).any()
}

/// As often as sixteen bytes hold it.
const fn repeated<const N: usize>(bytes: [u8; N]) -> [u8; 16] {
    let mut all = [0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = bytes[i % N];
        i += 1;
    }
    all
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
            at = words::narrow(source, bytes, four_bytes, &mut out);
            while let Some(len) = item(source, &bytes[at..], four_bytes, &mut out) {
                at += len;
            }
            return (at / S::UNIT, out);
        }
        let len = T::Vector::LEN;
        let constants = Constants::new(token);
        let mut not_ascii = 0; // up to here, give or take a vector
        while let Some(units) = bytes[at..].get(..len * S::UNIT)
            && let Some(mut room) = out.room_for(len * MOST + SPILL)
        {
            if at >= not_ascii
                && let Some(two) = bytes[at..].get(..2 * len * S::UNIT)
            {
                if !any_bits(token, two, S::ABOVE_ASCII) {
                    for units in [&two[..len * S::UNIT], &two[len * S::UNIT..]] {
                        let low = match S::lanes(token, units) {
                            Some([first, second]) => first.deinterleave(second).0,
                            None => token.load_at(units, 0),
                        };
                        room.push_units::<1>(low.to_bytes(), len);
                    }
                    at += two.len();
                    continue;
                }
                not_ascii = at + two.len() - units.len() + 1;
            }
            let Some(done) = constants.units(token, source, units, four_bytes, &mut room) else { break };
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
    minus_one: V,
    last_of_latin1: V,
    // Of lanes of two bytes:
    /// The bits of units of three bytes.
    above_two: V,
    not_ascii: V,
    last_six: V,
    lead_and_last: V,
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
            minus_one: token.splat(0xFF),
            last_of_latin1: token.splat(0xBF),
            above_two: token.table(&repeated([0, 0xF8])),
            not_ascii: token.table(&repeated([0x80, 0])),
            last_six: token.table(&repeated([0, 0x3F])),
            lead_and_last: token.table(&repeated([0xC0, 0x80])),
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
        if S::UNIT == 4 && any_bits(token, bytes, S::ABOVE_PLANE) {
            return self.wide_units(token, source, bytes, room);
        }
        let Some(lanes) = S::lanes(token, bytes) else {
            self.put_latin1(token.load_at(bytes, 0), room);
            return Some(V::LEN);
        };
        self.lanes::<S>(lanes, four_bytes, room)
    }

    /// The same of lanes of two bytes.
    #[inline(always)]
    fn lanes<S: Source>(
        &self,
        [first, second]: [V; 2],
        four_bytes: bool,
        room: &mut Room<'_>,
    ) -> Option<usize> {
        if !first.or(second).and(self.above_two).any() {
            self.put_below_800([first, second], room);
            return Some(V::LEN);
        }
        let (low, high) = first.deinterleave(second);
        let six = low.and(self.low_six);
        // Of the unit's bits 6 to 11: hhhhll.
        let next_six = high.shift_left::<2>().or(low.shift_right::<6>()).and(self.low_six);
        let short = high.saturating_sub(self.short).equal(self.zero);
        let ascii = low.and(self.bit_7).or(high).equal(self.zero);
        let mut sequences = Sequences {
            high,
            middle: next_six.or(self.bit_7).or(short.and(self.bit_6)),
            last: select(ascii, low, six.or(self.bit_7)),
            ascii,
            short,
        };
        let mut cut_off = false;
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
            cut_off = first_bits >> (V::LEN - 1) == 1;
        }
        self.put(&sequences, room);
        if cut_off {
            room.take_back(if four_bytes { 2 } else { 3 });
        }
        Some(V::LEN - usize::from(cut_off))
    }

    /// Writes units below 800.
    #[inline(always)]
    fn put_below_800(&self, [first, second]: [V; 2], room: &mut Room<'_>) {
        let ascii = [self.not_ascii.greater_signed_16(first), self.not_ascii.greater_signed_16(second)];
        let sequences = [self.two(first, ascii[0]), self.two(second, ascii[1])];
        self.put_two(sequences, ascii[0].deinterleave(ascii[1]).0.high_bits(), room);
    }

    /// Writes bytes of Latin-1.
    #[inline(always)]
    fn put_latin1(&self, bytes: V, room: &mut Room<'_>) {
        let ascii = bytes.greater_signed(self.minus_one);
        let lead = clear(ascii, bytes.shift_right::<6>().or(self.lead_of_two));
        let last = bytes.and(ascii.or(self.last_of_latin1));
        self.put_two(lead.interleave(last), ascii.high_bits(), room);
    }

    /// Writes two vectors of [lead, last], or [0, ASCII].
    #[inline(always)]
    fn put_two(&self, sequences: [V; 2], ascii: u64, room: &mut Room<'_>) {
        if self.zero.compressible().is_some() {
            for sequences in sequences {
                put_nonzero(sequences, 0xAAAA_AAAA_AAAA_AAAA, room);
            }
            return;
        }
        for eight in 0..V::LEN / 8 {
            let sequences = sequences[eight / (V::LEN / 16)].sixteen(eight % (V::LEN / 16));
            put_eight(sequences, (ascii >> (8 * eight)) as usize & 0xFF, room);
        }
    }

    /// Units below 800 as [lead, last], or [0, ASCII].
    #[inline(always)]
    fn two(&self, lanes: V, ascii: V) -> V {
        let above = lanes.shift_left_16::<8>();
        let two = lanes.shift_right_16::<6>().or(above.and(self.last_six)).or(self.lead_and_last);
        select(ascii, above, two)
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
            let [high, low] = surrogates(value);
            let (first, count) = if value < 0x1_0000 { (value, 1) } else { (high, 2) };
            let pair = first | low << 16;
            units[len..len + 4].copy_from_slice(&pair.to_le_bytes());
            len += 2 * count;
        }
        units[len..len + 2].fill(0);
        let mut at = 0;
        while at < len {
            at += 2 * self.lanes::<Utf16Le>(Utf16Le::lanes(token, &units[at..])?, true, room)?;
        }
        room.take_back((at - len) / 2);
        Some(V::LEN)
    }

    /// Writes the bytes that there are.
    #[inline(always)]
    fn put(&self, all: &Sequences<V>, room: &mut Room<'_>) {
        let lead = self.lead_of_three.or(all.high.shift_right::<4>());
        if self.zero.compressible().is_some() {
            let pairs = clear(all.ascii, all.middle).interleave(all.last);
            let leads = self.zero.interleave(clear(all.short, lead));
            for (leads, pairs) in leads.into_iter().zip(pairs) {
                for sequences in leads.interleave_16(pairs) {
                    put_nonzero(sequences, 0x8888_8888_8888_8888, room);
                }
            }
            return;
        }
        let ascii = all.ascii.high_bits();
        // By turns four bits each of those that have no lead, and neither.
        let [first, second] = all.short.interleave_32(all.ascii);
        let missing = first.high_bits() | second.high_bits() << (V::LEN % 64);
        for part in 0..V::LEN / 16 {
            let planes = [lead.sixteen(part), all.middle.sixteen(part), all.last.sixteen(part)];
            let ascii = (ascii >> (16 * part)) as usize & 0xFFFF;
            put_sixteen(planes, self.zero.sixteen(part), ascii, (missing >> (32 * part)) as u32, room);
        }
    }
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

/// The bytes that there are of eight [lead, last]; a bit each of those that have no lead.
#[inline(always)]
fn put_eight<S: Sixteen>(sequences: S, ascii: usize, room: &mut Room<'_>) {
    room.push_units::<1>(sequences.shuffle(&TWO[ascii]).to_bytes(), 16 - ascii.count_ones() as usize);
}

/// The bytes that there are of sixteen sequences in planes. Of those that have one byte there is a bit in `ascii`; of
/// those that have no lead, and of those that have neither, four in `missing`, and so on.
#[inline(always)]
fn put_sixteen<S: Sixteen>(
    [lead, middle, last]: [S; 3],
    zero: S,
    ascii: usize,
    missing: u32,
    room: &mut Room<'_>,
) {
    if missing == 0 {
        for [leads, middles, lasts] in &THREE_PLANES {
            let bytes = lead.shuffle(leads).or(middle.shuffle(middles)).or(last.shuffle(lasts));
            room.push_units::<1>(bytes.to_bytes(), 16);
        }
        return;
    }
    let pairs = middle.interleave(last);
    if missing & 0x0F0F_0F0F == 0x0F0F_0F0F {
        put_eight(pairs[0], ascii & 0xFF, room);
        return put_eight(pairs[1], ascii >> 8, room);
    }
    let leads = zero.interleave(lead);
    for (half, (leads, pairs)) in leads.into_iter().zip(pairs).enumerate() {
        for (quarter, sequences) in leads.interleave_16(pairs).into_iter().enumerate() {
            let missing = (missing >> (16 * half + 8 * quarter)) as usize & 0xFF;
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
