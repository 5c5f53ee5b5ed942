//! Validates the values that are stored in views, a vector of views at a time, and collects the others.
//!
//! # Algorithm
//! A view is 16 bytes: the length of its value, and the value, if that has at most 12 bytes. So a vector of 64 bytes
//! holds four views. All bytes that are not text are cleared, including the length. The four zeros before a value
//! separate it from the others; and if each 16-byte view is treated as following a copy of itself, its own leading
//! zeros terminate the value. So a vector is validated like any text, independent of the vector before it.
//!
//! ```text
//! len     = the first byte of each sixteen, in all of them; at least 80 where the value is longer than 12 bytes
//! text    = view where place < len, else 0               place: 0 to 11 in the bytes after the length
//! suspect if text is suspect, where byte 0 of each sixteen follows their byte 15
//! collect the views whose value is longer
//! ```
//!
//! Longer values are in buffers. `column/views.rs` validates the part of a buffer that a block of views refers to,
//! once, and tests the byte at each end of a value; only at one end, if each value begins where the one before it ends,
//! as all builders of columns write them; and at neither, if that part is ASCII.
//!
//! # Decisions
//! - A block whose first and last values are long is usually all long. One scalar pass confirms that and computes the
//!   extent, and the vector loop is skipped.
//! - Scalar loads test the ends of values, because gathers take twice as long.
//!
//! `bench/record/kernels/views.md` has the measurements, and what limits the speed.

use super::tables::Tables;
use super::{repeated, rest_from};
use crate::grammar::Grammar;
use crate::out::Out;
use crate::simd::{BLOCK_BYTES, Kernel, Masked, MaskedToken, Token, Variants, Vector};

/// Classifies the values that are stored in their views, and collects the views of the others.
pub(crate) struct ClassifyViews<'v, 'o> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) views: &'v [[u8; 16]],
    /// Must have capacity for all views and [`MARGIN_BYTES`] bytes more.
    pub(crate) long: Out<'o>,
}

/// How many bytes may be written after the last long view.
pub(crate) const MARGIN_BYTES: usize = (VECTORS_PER_TEST + 1) * BLOCK_BYTES;

/// The result of [`ClassifyViews`].
pub(crate) struct Classified<'v, 'o> {
    /// Whether all values that are stored in their views are well formed.
    pub(crate) clean: bool,
    /// The views of the others.
    pub(crate) long: Long<'v, 'o>,
    /// Where the other values are.
    pub(crate) extent: Extent,
}

/// The views of values that are in the buffers.
pub(crate) enum Long<'v, 'o> {
    /// All views, because all values are long.
    All(&'v [[u8; 16]]),
    /// The views that were collected.
    Some(Out<'o>),
}

impl Long<'_, '_> {
    #[inline]
    pub(crate) fn views(&self) -> &[[u8; 16]] {
        match self {
            Long::All(views) => views,
            Long::Some(views) => views.since(0).as_chunks().0,
        }
    }
}

/// Where values are in the buffers. Meaningless if there are no such values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The smallest and the largest index of a buffer.
    pub(crate) buffers: (u32, u32),
    /// The smallest start and the largest end of a value in the buffer.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Bits that are set in any length or start.
    pub(crate) bits: u32,
    /// The length of the shortest value.
    pub(crate) least: u32,
    /// The total length of the values in bytes.
    pub(crate) total: u64,
    /// Nonzero if any value does not begin where the one before it ends.
    pub(crate) gaps: u32,
}

impl Extent {
    /// Returns the extent of long values.
    #[inline(always)]
    pub(crate) fn of(views: &[[u8; 16]]) -> Extent {
        let mut before = views.first().map_or(0, |first| fields(first)[3]);
        let mut extent =
            Extent { buffers: (u32::MAX, 0), start: u32::MAX, end: 0, bits: 0, least: u32::MAX, total: 0, gaps: 0 };
        for view in views {
            let [len, _, buffer, start] = fields(view);
            let end = start.wrapping_add(len);
            extent.buffers = (extent.buffers.0.min(buffer), extent.buffers.1.max(buffer));
            extent.start = extent.start.min(start);
            extent.end = extent.end.max(end);
            extent.bits |= start | len;
            extent.least = extent.least.min(len);
            extent.total += u64::from(len);
            extent.gaps |= start ^ before;
            before = end;
        }
        extent
    }
}

/// Returns the four numbers of a view: the length, the first four bytes, the buffer and the offset in it.
#[inline(always)]
pub(crate) fn fields(view: &[u8; 16]) -> [u32; 4] {
    let fields = view.as_chunks().0;
    [0, 1, 2, 3].map(|i| u32::from_ne_bytes(fields[i]))
}

/// How many vectors are tested together: for ASCII, and for long values.
const VECTORS_PER_TEST: usize = 4;

/// The length of the longest value that is stored in its view.
pub(crate) const MAX_INLINE_BYTES: usize = 12;

/// Added to lengths, so that the lengths of longer values become negative.
const LENGTH_BIAS: u8 = 0x7F - MAX_INLINE_BYTES as u8;

/// The upper limit applied to lengths, so that their first byte is enough.
const LENGTH_LIMITS: [u8; 16] = repeated([0x80, 0, 0, 0]);

/// The biased positions of a view's bytes in its value. The bytes of the length itself are beyond any length.
const BIASED_POSITIONS: [u8; 16] = {
    let mut places = repeated([0x7F]);
    let mut at = 4;
    while at < 16 {
        places[at] = at as u8 - 4 + LENGTH_BIAS;
        at += 1;
    }
    places
};

impl<'v> ClassifyViews<'v, '_> {
    /// Returns the extent of all values if none is stored in its view, so that there is nothing to classify or to
    /// collect.
    #[inline(always)]
    fn all_long<'o>(&self) -> Option<Classified<'v, 'o>> {
        let is_long = |view: &[u8; 16]| fields(view)[0] as usize > MAX_INLINE_BYTES;
        if !(self.views.first().is_some_and(is_long) && self.views.last().is_some_and(is_long)) {
            return None;
        }
        let extent = Extent::of(self.views);
        let all = extent.least as usize > MAX_INLINE_BYTES;
        all.then_some(Classified { clean: true, long: Long::All(self.views), extent })
    }
}

impl<'v, 'o> Kernel for ClassifyViews<'v, 'o> {
    type Output = Option<Classified<'v, 'o>>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<Classified<'v, 'o>> {
        if let Some(classified) = self.all_long() {
            return Some(classified);
        }
        let (tables, zero) = (Tables::new(token, self.grammar), token.splat(0));
        let (max_len, bias) = (token.table(&LENGTH_LIMITS), token.splat(LENGTH_BIAS.wrapping_neg()));
        let places = token.table(&BIASED_POSITIONS);
        let (mut suspects, mut long) = (zero, self.long);
        for views in self.views.chunks(VECTORS_PER_TEST * T::Vector::LEN / size_of::<[u8; 16]>()) {
            let bytes = views.as_flattened();
            let is_whole = bytes.len() == VECTORS_PER_TEST * T::Vector::LEN;
            let [mut vectors, mut lens, mut texts] = [[zero; VECTORS_PER_TEST]; 3];
            for part in 0..VECTORS_PER_TEST {
                let at = part * T::Vector::LEN;
                let this = if is_whole { token.load_at(bytes, at) } else { token.load_front(rest_from(bytes, at), 0) };
                let len = this.min_32(max_len).first_of_sixteen().sub(bias);
                (vectors[part], lens[part], texts[part]) = (this, len, len.kept_where_greater(places, this));
            }
            if texts.into_iter().fold(zero, T::Vector::or).any_high() {
                for text in texts {
                    suspects = suspects.or(tables.classify(text, text.prev_in_sixteen()));
                }
            }
            if lens.into_iter().fold(zero, T::Vector::or).any_high() {
                let all = lens.into_iter().fold(token.splat(0x80), T::Vector::and).high_bits();
                long = if all == u64::MAX >> (BLOCK_BYTES - T::Vector::LEN) {
                    all_of(vectors, long)
                } else {
                    token.by_variant(Collect { views, vectors, lens, long })
                };
            }
        }
        let extent = Extent::of(long.since(0).as_chunks().0);
        Some(Classified { clean: !suspects.any(), long: Long::Some(long), extent })
    }
}

/// Collects a group of views, all of whose values are long.
#[inline(always)]
fn all_of<V: Vector>(vectors: [V; VECTORS_PER_TEST], mut long: Out<'_>) -> Out<'_> {
    if let Some(mut place) = long.reserve(VECTORS_PER_TEST * V::LEN) {
        for views in vectors {
            place.push_units::<1>(views.to_bytes(), V::LEN);
        }
    }
    long
}

/// Collects the views of long values in a group.
struct Collect<'v, 'o, V> {
    views: &'v [[u8; 16]],
    /// The same bytes.
    vectors: [V; VECTORS_PER_TEST],
    /// Their lengths, negative if they are long.
    lens: [V; VECTORS_PER_TEST],
    long: Out<'o>,
}

impl<'o, T: Token> Variants<T> for Collect<'_, 'o, T::Vector> {
    type Output = Out<'o>;

    #[inline(always)]
    fn by_tables(mut self, _: T) -> Out<'o> {
        if let Some(mut place) = self.long.reserve(MARGIN_BYTES) {
            for view in self.views {
                // Branchless.
                let is_long = usize::from(fields(view)[0] as usize > MAX_INLINE_BYTES);
                place.push_front_of(view, is_long * size_of_val(view));
            }
        }
        self.long
    }

    #[inline(always)]
    fn by_compress(mut self, _: T) -> Out<'o>
    where
        T: MaskedToken,
    {
        if let Some(mut place) = self.long.reserve(MARGIN_BYTES) {
            for (views, lens) in self.vectors.into_iter().zip(self.lens) {
                let is_long = lens.high_bits();
                place.push_units::<1>(views.compress(is_long).to_bytes(), is_long.count_ones() as usize);
            }
        }
        self.long
    }
}
