//! Finds clean prefixes of UTF-16 and UTF-32, and repairs UTF-16.
//!
//! # Algorithm
//! Only surrogates can be invalid among 16-bit units: D800 to DFFF, which are below 800 once D800 is subtracted.
//! Several blocks at a time are tested by whether the minimum of all units is that small. If so, they are classified 64
//! units at a time by their high bytes, with masks of one bit per unit. The second unit of a pair must directly follow
//! the first:
//!
//! ```text
//! low = high << 1 | the last one of the 64 before
//! ```
//!
//! Most scripts are below 8000, where one operation per vector, the OR of all units, shows that none is a surrogate.
//! After that test has failed, it is skipped for a while, because units from 8000, as in Chinese, come in runs.
//!
//! 32-bit units are tested by a plain loop over blocks. It is compiled inside the level's token, so the compiler
//! vectorizes it for each level.
//!
//! Where units are invalid, the two masks show which are unpaired: a high surrogate where no low one follows, a low one
//! where none was due. The repair in place writes U+FFFD with one store for each; no replaced unit makes another one
//! valid or invalid. The repair into another buffer copies units while it tests them; where there are surrogates, it
//! writes 64 units again with the unpaired ones replaced: on AVX-512 under the masks, branchless, and to whole cache
//! lines.
//!
//! # Decisions
//! - The masks have one bit per unit, after the high bytes are taken out; one bit per byte is slower.
//! - Vectors are not compared with the vectors one unit before and after (arXiv:2601.06349), because in place each load
//!   would wait for the store before it.
//! - SWAR has an implementation of its own, `swar::utf16`, because masks are slow there.
//!
//! `bench/record/kernels/utf16.md` has the measurements.

use super::ascii::any_bits;
use super::lanes_of;
use crate::out::{Out, as_bytes};
use crate::simd::{BLOCK_BYTES, Kernel, Lines, Masked, MaskedToken, Token, Variants, Vector};

/// Finds how far 16-bit units are well formed, with every surrogate in a pair, in bytes.
pub(crate) struct PairedUnits<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

/// How many bytes are classified with masks of one bit per unit.
const BYTES_PER_MASK: usize = 128;

/// How many chunks of [`BYTES_PER_MASK`] bytes are tested for surrogates at once.
const CHUNKS_PER_TEST: usize = 4;

impl Kernel for PairedUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let head = Lines::new(token, self.bytes, 2).head;
        let (mut chunks, tail) = self.bytes[head.len()..].as_chunks::<BYTES_PER_MASK>();
        let mut carry = 0; // 1 if the last unit was a high surrogate
        if !head.is_empty() {
            // The head is shorter than a vector, and ends the classified bytes.
            let last = BYTES_PER_MASK / T::Vector::LEN - 1;
            let in_front = |part| if part < last { token.splat(0) } else { token.load_back(head, 0) };
            match check(surrogates.masks(in_front), carry) {
                Ok(next) => carry = next,
                Err(place) => return self.without_half(head.len() + place - BYTES_PER_MASK),
            }
        }
        let (mut at, mut lately, mut untried) = (head.len(), 0, 0_u32);
        while !chunks.is_empty() {
            if let Some(some) = chunks.first_chunk::<CHUNKS_PER_TEST>()
                && worth_a_test::<T>(lately, carry)
                && (untried == 0 && !surrogates.any_above_7fff(token, some) || {
                    untried = if untried == 0 { CHUNKS_WITHOUT_QUICK_TEST } else { untried - 1 };
                    !surrogates.any(token, some, None)
                })
            {
                at += CHUNKS_PER_TEST * BYTES_PER_MASK;
                chunks = &chunks[CHUNKS_PER_TEST..];
                continue;
            }
            lately = 0;
            let (some, remaining) = chunks.split_at(chunks.len().min(CHUNKS_PER_TEST));
            for chunk in some {
                let masks = surrogates.masks_of(token, chunk);
                match check(masks, carry) {
                    Ok(next) => carry = next,
                    Err(place) => return self.without_half(at + place),
                }
                lately |= masks.0 | masks.1;
                at += BYTES_PER_MASK;
            }
            chunks = remaining;
        }
        let units = &tail[..tail.len() & !1];
        match check(surrogates.masks_of_part(token, units), carry) {
            Ok(_) => self.without_half(at + units.len()),
            Err(place) => self.without_half(at + place),
        }
    }
}

/// How many times the quick test is skipped after it failed, because units from 8000, as in Chinese, come in runs.
const CHUNKS_WITHOUT_QUICK_TEST: u32 = 31;

/// Returns whether testing the next chunks for surrogates pays off, given the surrogates in the previous chunks and the
/// carry. With short vectors, the test takes as long as the masks, and surrogates tend to come in groups.
#[inline(always)]
fn worth_a_test<T: Token>(lately: u64, carry: u64) -> bool {
    let before = if T::Vector::LEN == 16 { lately } else { 0 };
    before | carry == 0
}

/// Checks that low surrogates stand exactly where they are due. Returns the carry into what follows, or the first
/// wrong place.
#[inline(always)]
fn check((high, low): (u64, u64), carry: u64) -> Result<u64, usize> {
    let expected = high << 1 | carry;
    if low == expected {
        Ok(high >> (BYTES_PER_MASK / 2 - 1))
    } else {
        Err(2 * (low ^ expected).trailing_zeros() as usize)
    }
}

impl PairedUnits<'_> {
    /// Returns `end`, or the position of a high surrogate just before it, which lacks its low one.
    #[inline(always)]
    pub(crate) fn without_half(&self, end: usize) -> usize {
        match self.bytes[..end].last_chunk() {
            Some(&unit) if self.is_high(unit) => end - 2,
            _ => end,
        }
    }

    #[inline(always)]
    fn top_six(&self, unit: [u8; 2]) -> u8 {
        unit[usize::from(!self.big_endian)] & 0xFC
    }

    #[inline(always)]
    fn is_high(&self, unit: [u8; 2]) -> bool {
        self.top_six(unit) == 0xD8
    }
}

/// Replaces every lone surrogate with U+FFFD, in place, and counts them.
pub(crate) struct RepairUnits<'u> {
    pub(crate) units: &'u mut [u16],
}

impl Kernel for RepairUnits<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<usize> {
        let units = self.units;
        let surrogates = Surrogates::new(token, cfg!(target_endian = "big"));
        let (mut at, mut carry, mut lately, mut repaired) = (0, 0, 0, 0);
        while let chunks = as_bytes(&units[at..]).as_chunks().0
            && !chunks.is_empty()
        {
            if worth_a_test::<T>(lately, carry)
                && chunks.first_chunk().is_some_and(|some| !surrogates.any(token, some, None))
            {
                at += CHUNKS_PER_TEST * BYTES_PER_MASK / 2;
                continue;
            }
            lately = 0;
            for _ in 0..chunks.len().min(CHUNKS_PER_TEST) {
                let Some(chunk) = as_bytes(&units[at..]).first_chunk() else { break };
                let masks = surrogates.masks_of(token, chunk);
                repaired += replace_lone(units, at, masks, carry);
                carry = masks.0 >> (BYTES_PER_MASK / 2 - 1);
                lately |= masks.0 | masks.1;
                at += BYTES_PER_MASK / 2;
            }
        }
        let masks = surrogates.masks_of_part(token, as_bytes(&units[at..]));
        Some(repaired + replace_lone(units, at, masks, carry))
    }
}

/// Replaces the lone surrogates in the [`BYTES_PER_MASK`] bytes at unit `at` with U+FFFD, and a lone one just before
/// them, which `carry` indicates. A high one at the end is left to the next call. Returns how many it replaced.
#[inline(always)]
fn replace_lone(units: &mut [u16], at: usize, (high, low): (u64, u64), carry: u64) -> usize {
    let (lone, before) = lone((high, low), carry);
    if lone == 0 && !before {
        return 0;
    }
    let mut replace = |unit: Option<usize>| {
        if let Some(unit) = unit.and_then(|unit| units.get_mut(unit)) {
            *unit = 0xFFFD;
        }
    };
    if before {
        replace(at.checked_sub(1));
    }
    let mut rest = lone;
    while rest != 0 {
        replace(Some(at + rest.trailing_zeros() as usize));
        rest &= rest - 1;
    }
    lone.count_ones() as usize + usize::from(before)
}

/// Copies units, except for the last ones, with every lone surrogate replaced.
pub(crate) struct RepairUnitsInto<'b, 'o> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
    /// The replacement, in the byte order of the units.
    pub(crate) replacement: [u8; 2],
    pub(crate) out: Out<'o>,
}

impl<'o> Kernel for RepairUnitsInto<'_, 'o> {
    /// How many bytes were read, which is how many were written.
    type Output = (usize, Out<'o>);

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> (usize, Out<'o>) {
        let RepairUnitsInto { bytes, big_endian, replacement, mut out } = self;
        let bytes = &bytes[..bytes.len().min(out.remaining())];
        let surrogates = Surrogates::new(token, big_endian);
        let lanes = lanes_of(token, replacement[0], replacement[1]);
        let (mut at, mut carry, mut lately) = (0, 0, 0);
        let line = out.to_line();
        if T::Vector::LEN == BLOCK_BYTES
            && bytes.len() >= Lines::MIN_BYTES_TO_ALIGN
            && (2..BLOCK_BYTES).contains(&line)
            && line.is_multiple_of(2)
            && let Some(chunk) = bytes.first_chunk()
        {
            // The whole first chunk is written; the bytes after the cache line are then written again.
            let masks = surrogates.masks_of(token, chunk);
            let (lone, _) = lone(masks, 0);
            out = token.by_variant(PutUnits { chunk, lone, replacement, lanes, out });
            out.take_back(BYTES_PER_MASK - line);
            (at, carry) = (line, masks.0 >> (line / 2 - 1) & 1);
        }
        let mut chunks = bytes[at..].as_chunks().0;
        while !chunks.is_empty() {
            if lately | carry == 0
                && let Some(some) = chunks.first_chunk::<CHUNKS_PER_TEST>()
            {
                if !surrogates.any(token, some, Some(&mut out)) {
                    (at, chunks) = (at + CHUNKS_PER_TEST * BYTES_PER_MASK, &chunks[CHUNKS_PER_TEST..]);
                    continue;
                }
                out.take_back(CHUNKS_PER_TEST * BYTES_PER_MASK);
            }
            lately = 0;
            let (some, remaining) = chunks.split_at(chunks.len().min(CHUNKS_PER_TEST));
            for chunk in some {
                let masks = surrogates.masks_of(token, chunk);
                let (lone, before) = lone(masks, carry);
                if before {
                    out.change_last(replacement);
                }
                out = token.by_variant(PutUnits { chunk, lone, replacement, lanes, out });
                carry = masks.0 >> (BYTES_PER_MASK / 2 - 1);
                lately |= masks.0 | masks.1;
                at += BYTES_PER_MASK;
            }
            chunks = remaining;
        }
        // The next unit decides whether it is alone.
        let open = if carry == 0 { 0 } else { 2 };
        out.take_back(open);
        (at - open, out)
    }
}

/// Returns the lone surrogates of [`BYTES_PER_MASK`] bytes, and whether there is one just before them, which `carry`
/// indicates. A high one at the end is not included, because it depends on the next unit.
#[inline(always)]
fn lone((high, low): (u64, u64), carry: u64) -> (u64, bool) {
    let expected = high << 1 | carry;
    let missing = expected & !low;
    (low & !expected | missing >> 1, missing & carry != 0)
}

/// Copies a chunk of units, and replaces some of them.
struct PutUnits<'b, 'o, V> {
    chunk: &'b [u8; BYTES_PER_MASK],
    /// The units to replace.
    lone: u64,
    replacement: [u8; 2],
    /// The replacement in all lanes of two bytes.
    lanes: V,
    out: Out<'o>,
}

impl<'o, T: Token> Variants<T> for PutUnits<'_, 'o, T::Vector> {
    type Output = Out<'o>;

    #[inline(always)]
    fn by_tables(mut self, _: T) -> Out<'o> {
        if let Some(mut place) = self.out.reserve(BYTES_PER_MASK) {
            place.push_front_of(self.chunk, BYTES_PER_MASK);
            let mut rest = self.lone;
            while rest != 0 {
                place.change(2 * rest.trailing_zeros() as usize, self.replacement);
                rest &= rest - 1;
            }
        }
        self.out
    }

    #[inline(always)]
    fn by_compress(mut self, token: T) -> Out<'o>
    where
        T: MaskedToken,
    {
        if let Some(mut place) = self.out.reserve(BYTES_PER_MASK) {
            for part in 0..BYTES_PER_MASK / BLOCK_BYTES {
                let units = token.load_at(self.chunk, part * BLOCK_BYTES);
                let replaced = units.blend_16(self.lone >> (part * BLOCK_BYTES / 2), self.lanes);
                place.push_units::<1>(replaced.to_bytes(), BLOCK_BYTES);
            }
        }
        self.out
    }
}

/// Counts the code points of well-formed 16-bit units.
pub(crate) struct CountUnits<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for CountUnits<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let surrogates = Surrogates::new(token, self.big_endian);
        let (chunks, rest) = self.bytes.as_chunks();
        let mut pairs = 0;
        for chunk in chunks {
            pairs += surrogates.masks_of(token, chunk).1.count_ones() as usize;
        }
        pairs += surrogates.masks_of_part(token, &rest[..rest.len() & !1]).1.count_ones() as usize;
        self.bytes.len() / 2 - pairs
    }
}

/// Constants in registers.
struct Surrogates<V> {
    top_six: V,
    high: V,
    low: V,
    big_endian: bool,
    /// D800 and 1 in lanes of two bytes.
    first: V,
    one: V,
}

impl<V: Vector> Surrogates<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T, big_endian: bool) -> Self {
        Surrogates {
            top_six: token.splat(0xFC),
            high: token.splat(0xD8),
            low: token.splat(0xDC),
            big_endian,
            first: lanes_of(token, 0, 0xD8),
            one: lanes_of(token, 1, 0),
        }
    }

    /// Reports whether there is a surrogate in the chunks, and copies them if there is an output.
    #[inline(always)]
    fn any<T: Token<Vector = V>>(
        &self,
        token: T,
        chunks: &[[u8; BYTES_PER_MASK]; CHUNKS_PER_TEST],
        mut out: Option<&mut Out<'_>>,
    ) -> bool {
        let mut least = token.splat(0xFF);
        for chunk in chunks {
            let mut place = out.as_mut().and_then(|out| out.reserve(BYTES_PER_MASK));
            for part in 0..BYTES_PER_MASK / V::LEN {
                let units = token.load_at(chunk, part * V::LEN);
                if let Some(place) = &mut place {
                    place.push_units::<1>(units.to_bytes(), V::LEN);
                }
                let units = if self.big_endian { units.shift_left_16::<8>() } else { units };
                // Each byte is subtracted separately, because the upper one alone shows whether the difference is
                // small.
                least = least.min_16(units.sub(self.first));
            }
        }
        self.one.greater_signed_16(least.shift_right_16::<11>()).any_high()
    }

    /// Reports whether a unit in the chunks is above 7FFF: one operation for each vector instead of two.
    #[inline(always)]
    fn any_above_7fff<T: Token<Vector = V>>(&self, token: T, chunks: &[[u8; BYTES_PER_MASK]; CHUNKS_PER_TEST]) -> bool {
        let top = if self.big_endian { lanes_of(token, 0x80, 0) } else { lanes_of(token, 0, 0x80) };
        any_bits(token, chunks.as_flattened()).and(top).any_high()
    }

    /// Returns the high and the low surrogates in [`BYTES_PER_MASK`] bytes, given their vectors.
    #[inline(always)]
    fn masks(&self, vector: impl Fn(usize) -> V) -> (u64, u64) {
        let (mut high, mut low) = (0, 0);
        for part in 0..BYTES_PER_MASK / (2 * V::LEN) {
            let (even, odd) = vector(2 * part).deinterleave(vector(2 * part + 1));
            let top = if self.big_endian { even } else { odd }.and(self.top_six);
            high |= top.equal(self.high).high_bits() << (part * V::LEN);
            low |= top.equal(self.low).high_bits() << (part * V::LEN);
        }
        (high, low)
    }

    /// [`Surrogates::masks`] of units.
    #[inline(always)]
    fn masks_of<T: Token<Vector = V>>(&self, token: T, units: &[u8; BYTES_PER_MASK]) -> (u64, u64) {
        self.masks(|part| token.load_at(units, part * V::LEN))
    }

    /// [`Surrogates::masks`] of fewer units.
    #[inline(always)]
    fn masks_of_part<T: Token<Vector = V>>(&self, token: T, units: &[u8]) -> (u64, u64) {
        if V::LEN == BLOCK_BYTES {
            return self.masks(|part| token.load_front(&units[units.len().min(part * V::LEN)..], 0));
        }
        let mut all = [0; BYTES_PER_MASK];
        all[..units.len()].copy_from_slice(units);
        self.masks_of(token, &all)
    }
}

/// Finds how far 32-bit units are scalar values, in bytes.
pub(crate) struct ScalarValues<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) big_endian: bool,
}

impl Kernel for ScalarValues<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, _: T) -> usize {
        self.clean_prefix()
    }
}

impl ScalarValues<'_> {
    #[inline(always)]
    pub(crate) fn clean_prefix(self) -> usize {
        let bad = |unit: &[u8; 4]| {
            let value = if self.big_endian { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
            // Surrogates become 0..7FF; exactly the scalar values stay in 800..10FFFF.
            value.wrapping_sub(0xD800) < 0x800 || value > 0x10_FFFF
        };
        let (blocks, rest) = self.bytes.as_chunks::<BLOCK_BYTES>();
        for (i, block) in blocks.iter().enumerate() {
            let units = block.as_chunks::<4>().0;
            if units.iter().fold(false, |any, unit| any | bad(unit)) {
                let clean = units.iter().take_while(|unit| !bad(unit)).count();
                return i * BLOCK_BYTES + 4 * clean;
            }
        }
        let clean = rest.as_chunks::<4>().0.iter().take_while(|unit| !bad(unit)).count();
        blocks.len() * BLOCK_BYTES + 4 * clean
    }
}
