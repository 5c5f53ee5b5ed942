//! Finds how many values of a column are certainly valid: whether its offsets ascend, and whether each is a boundary
//! of its text.
//!
//! # Algorithm
//! A column is one text with cuts. Where the text is valid, a value between two cuts is valid exactly if neither cut
//! lies inside a sequence, and a cut lies inside a sequence exactly if the byte after it is a continuation. So a column
//! costs one validation, and one test of the byte after each cut.
//!
//! ```text
//! for each chunk of 16 KiB, which stays in the L1 cache
//!     validate the chunk; remember whether it is ASCII
//!     for each cut in it, unless it is ASCII
//!         suspect if text[cut] is 80..BF
//!     suspect if the offsets do not ascend
//! ```
//!
//! Values are examined one by one only around a suspect place.
//!
//! # Decisions
//! - The chunk is an array, and positions in it are taken modulo its length, because this avoids a bounds check per
//!   cut.
//! - With lane masks, and values of less than 16 bytes on average, sixteen cuts at once are looked up among the 256
//!   bytes after the first. Gathers are slower.
//!
//! `bench/record/kernels/column.md` has the measurements.

use super::ascii::AsciiPrefix;
use super::rest_from;
use super::tables::{LOOKBEHIND_BYTES, Tables};
use crate::grammar::{Grammar, is_continuation};
use crate::layout::Offset;
use crate::simd::{BLOCK_BYTES, Kernel, Masked, MaskedToken, PerVariant, Token, Variants, Vector};

/// Reports whether the offsets ascend; equal neighbours are allowed.
pub(crate) struct Ascending<'o, O> {
    pub(crate) offsets: &'o [O],
}

impl<O: Offset> Kernel for Ascending<'_, O> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, _: T) -> bool {
        self.by_reference()
    }
}

impl<O: Offset> Ascending<'_, O> {
    #[inline(always)]
    pub(crate) fn by_reference(&self) -> bool {
        let Some((_, next_offsets)) = self.offsets.split_first() else { return true };
        let mut ascending = true;
        for (&this, &next) in self.offsets.iter().zip(next_offsets) {
            ascending &= this <= next;
        }
        ascending
    }
}

/// Moves offsets so that they are as far after `to` as they were after `from`.
pub(crate) struct Move<'o, O> {
    pub(crate) offsets: &'o mut [O],
    pub(crate) from: O,
    pub(crate) to: O,
}

impl<O: Offset> Kernel for Move<'_, O> {
    type Output = ();

    #[inline(always)]
    fn call<T: Token>(self, _: T) {
        self.by_reference();
    }
}

impl<O: Offset> Move<'_, O> {
    #[inline(always)]
    pub(crate) fn by_reference(self) {
        for offset in self.offsets {
            *offset = offset.moved(self.from, self.to);
        }
    }
}

/// Finds the first cut that is not a boundary of a well-formed text, by the byte after each cut. The cuts must ascend,
/// from `base`, where the text begins, to at most its end.
#[inline]
pub(crate) fn bad_cut<O: Offset>(text: &[u8], base: usize, cuts: &[O]) -> Option<usize> {
    cuts.iter().position(|&cut| is_inside(text, place(cut, base)))
}

/// Returns the position of a cut in the text that begins at the offset `base`; any number if the cut is before it.
#[inline(always)]
fn place<O: Offset>(cut: O, base: usize) -> usize {
    cut.to_index().wrapping_sub(base)
}

/// Reports whether a byte of well-formed text continues a sequence.
#[inline(always)]
fn is_inside(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|&byte| is_continuation(byte))
}

/// Returns the number of leading values of a column that are certainly well formed, with sound offsets. Later values
/// may also be well formed.
pub(crate) struct CleanValues<'c, O> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) data: &'c [u8],
    pub(crate) offsets: &'c [O],
}

/// How many bytes are validated before the cuts in them are tested: few enough to still be in the L1 cache.
const BYTES_PER_STEP: usize = 16 << 10;

/// How many cuts are tested together.
const CUTS_PER_TEST: usize = 16;

/// The number of bytes in which cuts can be looked up together.
const BYTES_PER_LOOKUP: usize = 256;

/// The first byte of each lane of four.
const FIRST_OF_FOUR: u64 = 0x1111_1111_1111_1111;

impl<O: Offset> Kernel for CleanValues<'_, O> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<usize> {
        Some(self.count(token))
    }
}

impl<O: Offset> CleanValues<'_, O> {
    #[inline(always)]
    fn count<T: Token>(&self, token: T) -> usize {
        let &CleanValues { grammar, data, offsets } = self;
        let (Some((first, cuts)), Some(last)) = (offsets.split_first(), offsets.last()) else { return 0 };
        let (Some(base), Some(end)) = (first.to_usize(), last.to_usize()) else { return 0 };
        let Some(text) = data.get(base..end) else { return 0 };
        let tables = Tables::new(token, grammar);
        let Some(mut at) = clean_start(token, &tables, text) else { return 0 };
        let looks_up = token.by_variant(PerVariant { tables: false, compress: true });
        let dense = looks_up && text.len() < cuts.len() * (BYTES_PER_LOOKUP / CUTS_PER_TEST);
        let mut done = 0;
        loop {
            let start = at;
            let ascii = self.ascii_from(token, text, start);
            let goal = if ascii > 0 { start + ascii } else { text.len().min(start + BYTES_PER_STEP) };
            // In ASCII, only the end of a sequence that began before it can be missing.
            let tested = if ascii > 0 { goal.min(start + BLOCK_BYTES) } else { goal };
            at = match tables.first_suspect_from(token, &text[..tested], start) {
                // A sequence is cut off at the end.
                Some(suspect) if suspect == text.len() => suspect - LOOKBEHIND_BYTES,
                Some(suspect) if suspect < tested => suspect,
                _ => goal,
            };
            let chunk = Chunk { text: &text[..at], base, start, is_end: at == text.len() };
            let ahead = &cuts[done..];
            let passed = if ascii > 0 {
                chunk.pass_ascii(ahead)
            } else if dense {
                chunk.pass::<T, O, true>(token, ahead)
            } else {
                chunk.pass::<T, O, false>(token, ahead)
            };
            let (Ok(count) | Err(count)) = passed;
            if !(Ascending { offsets: &offsets[done..=done + count] }).by_reference() {
                return done;
            }
            done += count;
            if passed.is_err() || at < goal || at == text.len() {
                return done;
            }
        }
    }

    /// Returns the number of ASCII bytes starting at `start`, or 0 if there are few and other bytes follow.
    #[inline(always)]
    fn ascii_from<T: Token>(&self, token: T, text: &[u8], start: usize) -> usize {
        let ahead = &text[start..text.len().min(start + 4 * BYTES_PER_STEP)];
        let ascii = AsciiPrefix { bytes: ahead }.call(token);
        if ascii == ahead.len() || ascii >= BYTES_PER_STEP { ascii } else { 0 }
    }
}

/// A well-formed part of a column's text.
struct Chunk<'c> {
    /// The text up to the end of the chunk.
    text: &'c [u8],
    /// The offset at which the text begins.
    base: usize,
    /// The position at which the chunk begins.
    start: usize,
    /// Whether it is also the end of the column's text.
    is_end: bool,
}

impl Chunk<'_> {
    /// Returns how many cuts lie in the text, if all of these are boundaries; otherwise an error with the number of
    /// cuts before the first bad one. The cuts must ascend.
    #[inline(always)]
    fn pass<T: Token, O: Offset, const DENSE: bool>(&self, token: T, cuts: &[O]) -> Result<usize, usize> {
        let &Chunk { text, base, .. } = self;
        let window = text.last_chunk::<BYTES_PER_STEP>().map(|window| (window, text.len() - BYTES_PER_STEP));
        let mut rest = cuts;
        'groups: while let Some(group) = rest.first_chunk::<CUTS_PER_TEST>()
            && let (first, last) = (place(group[0], base), place(group[CUTS_PER_TEST - 1], base))
            && last < text.len()
        {
            if DENSE && let Some(found) = token.by_variant(LookUp { chunk: self, group, first, last }) {
                if found {
                    break;
                }
            } else if let Some((window, from)) = window
                && first >= from
            {
                let zero = base + from;
                for &cut in group {
                    // The remainder needs no bounds check.
                    if is_continuation(window[place(cut, zero) % BYTES_PER_STEP]) {
                        break 'groups;
                    }
                }
            } else {
                for &cut in group {
                    if is_inside(text, place(cut, base)) {
                        break 'groups;
                    }
                }
            }
            rest = &rest[CUTS_PER_TEST..];
        }
        self.pass_each(cuts, rest)
    }

    /// [`Chunk::pass`] for a chunk of ASCII, where no cut needs a test.
    #[inline(always)]
    fn pass_ascii<O: Offset>(&self, cuts: &[O]) -> Result<usize, usize> {
        let mut passed = 0;
        loop {
            let some = &cuts[passed..];
            let some = &some[..some.len().min(BYTES_PER_STEP / 4)];
            let count = some.partition_point(|&cut| place(cut, self.base) <= self.limit());
            passed += count;
            if count < some.len() || passed == cuts.len() {
                return Ok(passed);
            }
        }
    }

    /// Tests the cuts of `rest`, the last of `cuts`, one by one.
    #[inline(always)]
    fn pass_each<O: Offset>(&self, cuts: &[O], rest: &[O]) -> Result<usize, usize> {
        let passed = cuts.len() - rest.len();
        for (i, &cut) in rest.iter().enumerate() {
            let at = place(cut, self.base);
            if at > self.limit() {
                return Ok(passed + i);
            }
            if is_inside(self.text, at) {
                return Err(passed + i);
            }
        }
        Ok(cuts.len())
    }

    /// Returns the position of the last cut that can be tested in this chunk. A cut at the chunk's end depends on the
    /// next byte.
    #[inline(always)]
    fn limit(&self) -> usize {
        if self.is_end { self.text.len() } else { self.text.len() - 1 }
    }
}

/// Validates the first vector of a block or more. Returns where groups of blocks begin, or `None` if a byte is
/// suspect.
#[inline(always)]
fn clean_start<T: Token>(token: T, tables: &Tables<T::Vector>, bytes: &[u8]) -> Option<usize> {
    let suspects = tables.classify_after(token.load(bytes.first_chunk()?, 0), token.splat(0));
    (!suspects.any()).then(|| tables.second(token, bytes))
}

/// Reports whether any cut of a group is inside a sequence, if the level can look up all of them at once.
struct LookUp<'a, 'c, O> {
    chunk: &'a Chunk<'c>,
    group: &'a [O; CUTS_PER_TEST],
    /// The positions of the first and the last cut.
    first: usize,
    last: usize,
}

impl<T: Token, O: Offset> Variants<T> for LookUp<'_, '_, O> {
    type Output = Option<bool>;

    #[inline(always)]
    fn by_tables(self, _: T) -> Option<bool> {
        None
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> Option<bool>
    where
        T: MaskedToken,
    {
        let LookUp { chunk, group, first, last } = self;
        let lead = token.splat(0xC0);
        // Starting at a cache line.
        let line = first - first.checked_sub(chunk.start)? % BLOCK_BYTES;
        if last.wrapping_sub(line) >= BYTES_PER_LOOKUP {
            return None;
        }
        let table = rest_from(chunk.text, line).first_chunk::<BYTES_PER_LOOKUP>()?;
        let mut words = [0; CUTS_PER_TEST];
        let numbers = O::low_words(group, &mut words);
        let bytes = lead.differences(numbers, (chunk.base + line) as i32).lookup_eight_bits(table);
        Some(lead.greater_signed(bytes).high_bits() & FIRST_OF_FOUR != 0)
    }
}
