//! Counts bytes of a class: code points are the bytes that are not continuations, lines are the line feeds, UTF-16
//! units are the code points plus the leads of four-byte sequences.
//!
//! # Algorithm
//! A compare gives 255 = -1 in each lane that counts; subtracting accumulates up to 255 of them per lane before the
//! lanes are summed (Wojciech Muła's population counts, as in `bytecount`). On avx512 a compare gives a lane mask, and
//! `popcnt` counts its ones, so no lane can overflow and no sum is needed.
//!
//! UTF-16 units are looked up by the high nibble of each byte: 1 for the first byte of a sequence, 0 for a
//! continuation, 2 for the lead of a four-byte sequence.
//!
//! # Decisions
//! - UTF-16 units take one pass with a weight per byte, because a second pass over the input halves the speed.
//! - Two accumulators, because each addition waits for the previous one; four are slower on SSE4.
//! - Short inputs take whole vectors and a last one that ends with the input, because the loop for long inputs is
//!   several times slower for them.
//!
//! `bench/record/kernels/count.md` has the measurements.

use super::rest_from;
use crate::simd::{BLOCK_BYTES, Kernel, Lines, MAX_SHORT_BYTES, PerVariant, Short, Token, Variants, Vector};

/// A class of bytes to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// All bytes below 80.
    Ascii,
    /// All bytes except 80..BF, each of which begins a sequence if the text is well formed.
    Starts,
    /// One value.
    Byte(u8),
    /// The first bytes of sequences, with leads of four-byte sequences counted twice.
    Utf16Units,
}

impl Class {
    #[inline(always)]
    pub(crate) fn holds(self, byte: u8) -> bool {
        match self {
            Class::Ascii => byte.is_ascii(),
            Class::Starts | Class::Utf16Units => (byte as i8) > CONTINUATION_MAX,
            Class::Byte(value) => byte == value,
        }
    }

    /// Returns the weight of a byte.
    #[inline(always)]
    pub(crate) fn count(self, byte: u8) -> usize {
        usize::from(self.holds(byte)) + usize::from(self == Class::Utf16Units && byte >= 0xF0)
    }
}

/// BF, the largest continuation byte, as a signed number: continuations are at most this.
pub(super) const CONTINUATION_MAX: i8 = 0xBF_u8 as i8;

/// How many blocks to count.
trait Reach {
    /// The number of blocks, whatever the input's length; `None` for the whole input.
    const BLOCKS: Option<usize>;
}

/// The whole input.
struct Whole;

/// `N` blocks.
struct Blocks<const N: usize>;

impl Reach for Whole {
    const BLOCKS: Option<usize> = None;
}

impl<const N: usize> Reach for Blocks<N> {
    const BLOCKS: Option<usize> = Some(N);
}

/// Counts the bytes of a class.
pub(crate) struct Count<'b, C> {
    pub(crate) bytes: &'b [u8],
    pub(crate) class: C,
}

impl<C: AnyClass> Kernel for Count<'_, C> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        count_class::<_, Whole>(token, self.bytes, self.class.class())
    }
}

/// [`Count`] for a short input: whole vectors, and one that ends with the bytes. On levels with masked loads, one block
/// or all of [`MAX_SHORT_BYTES`] are processed whatever the length, without a branch.
pub(crate) struct CountShort<'b, C> {
    pub(crate) bytes: &'b [u8],
    pub(crate) class: C,
}

/// Up to this length, levels without masked loads count by SWAR, without a vector.
pub(crate) const MAX_BYTES_BY_SWAR: usize = 16;

impl<C: AnyClass> Short for CountShort<'_, C> {
    #[inline(always)]
    fn is_for<T: Token>(&self, token: T) -> bool {
        let min = token.by_variant(PerVariant { tables: MAX_BYTES_BY_SWAR + 1, compress: 0 });
        C::HAS_SHORT_KERNEL && (min..=MAX_SHORT_BYTES).contains(&self.bytes.len())
    }
}

impl<C: AnyClass> Kernel for CountShort<'_, C> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        token.by_variant(self)
    }
}

impl<C: AnyClass, T: Token> Variants<T> for CountShort<'_, C> {
    type Output = usize;

    #[inline(always)]
    fn by_compress(self, token: T) -> usize {
        let CountShort { bytes, class } = self;
        if bytes.len() <= BLOCK_BYTES {
            count_class::<_, Blocks<1>>(token, bytes, class.class())
        } else {
            count_class::<_, Blocks<{ MAX_SHORT_BYTES / BLOCK_BYTES }>>(token, bytes, class.class())
        }
    }

    #[inline(always)]
    fn by_tables(self, token: T) -> usize {
        let CountShort { bytes, class } = self;
        if T::Vector::LEN > 16 && bytes.len() < T::Vector::LEN {
            return CountShort { bytes, class }.call(token.half());
        }
        match class.class() {
            Class::Utf16Units => {
                let weights = token.table(&UTF16_WEIGHTS);
                count_short(token, bytes, |lanes| lanes.lookup_high(weights))
            }
            class => {
                let limit = token.splat(if class == Class::Ascii { 0xFF } else { CONTINUATION_MAX as u8 });
                count_short(token, bytes, |lanes| lanes.greater_signed(limit))
            }
        }
    }
}

/// Sums what `minus` subtracts: at most 2 per lane, for at least a vector and at most 127.
#[inline(always)]
fn count_short<T: Token>(token: T, bytes: &[u8], minus: impl Fn(T::Vector) -> T::Vector) -> usize {
    let mut lanes = token.splat(0);
    let rest = bytes.len() % T::Vector::LEN;
    for at in (0..bytes.len() - rest).step_by(T::Vector::LEN) {
        lanes = lanes.sub(minus(token.load_at(bytes, at)));
    }
    if let Some(at) = bytes.len().checked_sub(T::Vector::LEN) {
        let last = minus(token.load_at(bytes, at));
        lanes = lanes.sub(last.and(token.load_at(&LAST_LANES, BLOCK_BYTES - T::Vector::LEN + rest)));
    }
    lanes.sum() as usize
}

/// A vector loaded at `BLOCK_BYTES - LEN + n` has ones in its last `n` lanes, and zeros before them.
static LAST_LANES: [u8; 2 * BLOCK_BYTES] = {
    let mut all = [0; 2 * BLOCK_BYTES];
    let mut i = BLOCK_BYTES;
    while i < 2 * BLOCK_BYTES {
        all[i] = 0xFF;
        i += 1;
    }
    all
};

/// A class known at run time or, through a zero-sized type, at compile time. For short inputs the run-time match would
/// double the cost.
pub(crate) trait AnyClass: Copy {
    /// Whether short inputs have a path of their own.
    const HAS_SHORT_KERNEL: bool;

    fn class(self) -> Class;
}

impl AnyClass for Class {
    const HAS_SHORT_KERNEL: bool = false;

    #[inline(always)]
    fn class(self) -> Class {
        self
    }
}

macro_rules! static_classes {
    ($($name:ident)*) => {$(
        /// The class.
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        impl AnyClass for $name {
            const HAS_SHORT_KERNEL: bool = true;

            #[inline(always)]
            fn class(self) -> Class {
                Class::$name
            }
        }
    )*};
}

static_classes! { Ascii Starts Utf16Units }

#[inline(always)]
fn count_class<T: Token, R: Reach>(token: T, bytes: &[u8], class: Class) -> usize {
    match class {
        Class::Ascii => {
            let limit = token.splat(0xFF);
            count::<_, R>(bytes, token, 0x80, |lanes| lanes.greater_signed(limit))
        }
        Class::Starts => {
            let limit = token.splat(CONTINUATION_MAX as u8);
            count::<_, R>(bytes, token, 0x80, |lanes| lanes.greater_signed(limit))
        }
        Class::Byte(value) => {
            let same = token.splat(value);
            count::<_, R>(bytes, token, !value, |lanes| lanes.equal(same))
        }
        Class::Utf16Units => {
            let weights = token.table(&UTF16_WEIGHTS);
            add_lanes::<_, R>(bytes, token, 0x80, |lanes| lanes.lookup_high(weights))
        }
    }
}

/// Minus the number of UTF-16 units that a byte counts for, by its high nibble.
const UTF16_WEIGHTS: [u8; 16] = {
    let mut weights = [0; 16];
    let mut high = 0;
    while high < 16 {
        weights[high] = match high {
            0x8..0xC => 0,
            0xF => 0xFE,
            _ => 0xFF,
        };
        high += 1;
    }
    weights
};

/// Counts the lanes for which `counts` gives 255. It gives 0 for all others, including `filler`.
#[inline(always)]
fn count<T: Token, R: Reach>(bytes: &[u8], token: T, filler: u8, counts: impl Fn(T::Vector) -> T::Vector) -> usize {
    if token.by_variant(PerVariant { tables: true, compress: false }) {
        return add_lanes::<_, R>(bytes, token, filler, counts);
    }
    let ones = |lanes: T::Vector| counts(lanes).high_bits().count_ones() as usize;
    if let Some(blocks) = R::BLOCKS {
        return (0..blocks).map(|block| ones(token.load_front(rest_from(bytes, block * BLOCK_BYTES), filler))).sum();
    }
    let Lines { head, blocks, tail } = Lines::new(token, bytes, 1);
    let (fours, rest) = blocks.as_chunks::<4>();
    let mut total = [0; 4];
    for four in fours {
        for (total, block) in total.iter_mut().zip(four) {
            *total += ones(token.load(block, 0));
        }
    }
    let others = rest.iter().map(|block| ones(token.load(block, 0))).sum::<usize>();
    total.iter().sum::<usize>() + others + ones(token.load_front(head, filler)) + ones(token.load_front(tail, filler))
}

/// Sums what `minus` subtracts: at most 2 per lane, and nothing for `filler`.
#[inline(always)]
fn add_lanes<T: Token, R: Reach>(bytes: &[u8], token: T, filler: u8, minus: impl Fn(T::Vector) -> T::Vector) -> usize {
    let parts = BLOCK_BYTES / T::Vector::LEN;
    if let Some(blocks) = R::BLOCKS {
        let mut lanes = token.splat(0);
        for part in 0..blocks * parts {
            lanes = lanes.sub(minus(token.load_front(rest_from(bytes, part * T::Vector::LEN), filler)));
        }
        return lanes.sum() as usize;
    }
    let Lines { head, blocks, tail } = Lines::new(token, bytes, 1);
    let mut total = 0;
    // Two accumulators, alternately, because each addition waits for the previous one.
    let mut lanes = [token.splat(0).sub(minus(token.load_front(head, filler))), token.splat(0)];
    for some in blocks.chunks(MAX_SUM_IN_LANE / 2 / parts) {
        for block in some {
            for part in 0..parts {
                lanes[part % 2] = lanes[part % 2].sub(minus(token.load(block, part)));
            }
        }
        total += (lanes[0].sum() + lanes[1].sum()) as usize;
        lanes = [token.splat(0); 2];
    }
    for some in tail.chunks(T::Vector::LEN) {
        lanes[0] = lanes[0].sub(minus(token.load_front(some, filler)));
    }
    total + lanes[0].sum() as usize
}

/// The most that a lane can hold, less the amount that may be added before the first block.
const MAX_SUM_IN_LANE: usize = u8::MAX as usize - 2;

/// Finds the first occurrence of a byte; returns the length if there is none.
pub(crate) struct Find<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) byte: u8,
}

impl Kernel for Find<'_> {
    type Output = usize;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> usize {
        let wanted = token.splat(self.byte);
        let mut rest = self.bytes;
        while let Some((block, after)) = rest.split_first_chunk::<BLOCK_BYTES>() {
            let mut found = token.splat(0);
            for part in 0..BLOCK_BYTES / T::Vector::LEN {
                found = found.or(token.load(block, part).equal(wanted));
            }
            if found.any_high() {
                break;
            }
            rest = after;
        }
        let at = rest.iter().position(|&byte| byte == self.byte).unwrap_or(rest.len());
        self.bytes.len() - rest.len() + at
    }
}
