//! Judges the values that are stored in views, a vector of views at a time.
//!
//! # Algorithm
//! A view is 16 bytes: the length of its value, and the value, if that has at most 12 bytes. So a vector of 64 bytes
//! holds four views. All bytes that are no text are cleared; the four zeros before each value then end the one before
//! it, and the vector is validated as any text.
//!
//! ```text
//! len     = the first byte of each sixteen, in all of them; at least 80 where the value is longer than 12 bytes
//! text    = view where place < len, else 0               place: 0 to 11 in the bytes after the length
//! suspect if text is suspect after the vector before it
//! ```
//!
//! Longer values are in buffers: `column/views.rs` validates the part of a buffer that a block of views refers to,
//! once, and tests the byte at each end of a value.
//!
//! # Measured
//! 64 KiB of text in many scripts, Zen 4, 2026-11-23, old and new in turns on a busy machine, minima. Nanoseconds per
//! byte for values of 10, 30, 100 and 1000 bytes, and the speed of the same bytes as one text, which is the upper
//! limit:
//!
//! ```text
//!          10      30      100     1000    one text
//! avx512   0.205   0.107   0.051   0.030   0.026
//! avx2     0.229   0.119   0.063   0.041   0.037
//! sse4     0.345   0.171   0.101   0.074   0.070
//! swar     0.607   0.322   0.260   0.235   0.231
//! ```
//!
//! Gathered into a text by scalar code, which was then validated, each long value by its run of adjacent ones: 0.41,
//! 0.18, 0.073 and 0.032 on avx512.
//!
//! Of the 5 cycles per view on avx512 with values of at most 12 bytes, the vectors take 3 (22 instructions for four
//! views, eight of them shuffles of 64 bytes); a view with a long value takes 8 more, for two passes over its numbers.
//!
//! # Tried
//! - Slots of long values collected, and three passes over them: 0.24, 0.16, 0.066, 0.032 on avx512. Their views
//!   collected instead: 0.21, 0.12, 0.054, 0.030; two passes, without minimum and maximum: as above.
//! - Blocks of views that begin at a cache line: 1.0.

use super::validate::Tables;
use super::{lanes_of, repeated};
use crate::arch::{Kernel, Token, Vector};
use crate::grammar::Grammar;

/// Judges the values that are stored in their views.
pub(crate) struct InlineValues<'v> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) views: &'v [[u8; 16]],
}

/// What [`InlineValues`] finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// All values that are stored in their views are well formed.
    pub(crate) clean: bool,
    /// There may be values that are not.
    pub(crate) long: bool,
}

/// How many vectors are tested for ASCII together.
const AT_ONCE: usize = 4;

/// The length of the longest value that is stored in its view.
pub(crate) const INLINE: usize = 12;

/// What is added to lengths, so that those of longer values become negative.
const BIAS: u8 = 0x7F - INLINE as u8;

/// The upper two bytes of a view's length.
const UPPER: [u8; 16] = [0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The places of a view's bytes in its value, biased; no length exceeds those of the length itself.
const PLACES: [u8; 16] = {
    let mut places = repeated([0x7F]);
    let mut at = 4;
    while at < 16 {
        places[at] = at as u8 - 4 + BIAS;
        at += 1;
    }
    places
};

impl Kernel for InlineValues<'_> {
    type Output = Option<Judged>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<Judged> {
        let tables = Tables::new(token, self.grammar);
        let (bytes, group) = (self.views.as_flattened(), AT_ONCE * T::Vector::LEN);
        let texts = Texts::new(token);
        let zero = token.splat(0);
        let (mut before, mut suspects, mut long, mut large) = (zero, zero, zero, zero);
        for some in bytes.chunks(group) {
            let mut vectors = [zero; AT_ONCE];
            let mut any = zero;
            for (part, vector) in vectors.iter_mut().enumerate() {
                let at = part * T::Vector::LEN;
                let views = if some.len() == group {
                    token.load_at(some, at)
                } else {
                    token.load_front(some.get(at..).unwrap_or_default(), 0)
                };
                *vector = texts.of(views, &mut long, &mut large);
                any = any.or(*vector);
            }
            if any.any_high() {
                for vector in vectors {
                    suspects = suspects.or(tables.judge_after(vector, before));
                    before = vector;
                }
            } else {
                suspects = suspects.or(tables.incomplete_at_end(before));
                before = zero;
            }
        }
        suspects = suspects.or(tables.incomplete_at_end(before));
        Some(Judged { clean: !suspects.any(), long: long.any_high() || large.any() })
    }
}

/// Constants in registers.
struct Texts<V> {
    max_len: V,
    bias: V,
    places: V,
    upper: V,
}

impl<V: Vector> Texts<V> {
    #[inline(always)]
    fn new<T: Token<Vector = V>>(token: T) -> Self {
        Texts {
            max_len: lanes_of(token, 0x80, 0),
            bias: token.splat(BIAS.wrapping_neg()),
            places: token.table(&PLACES),
            upper: token.table(&UPPER),
        }
    }

    /// Clears what is no text. If a value is longer, `long` gets bit 7 somewhere, or `large` any bit.
    #[inline(always)]
    fn of(&self, views: V, long: &mut V, large: &mut V) -> V {
        let len = views.min_16(self.max_len).first_of_sixteen().sub(self.bias);
        *long = long.or(len);
        *large = large.or(views.and(self.upper));
        views.and(len.greater_signed(self.places))
    }
}
