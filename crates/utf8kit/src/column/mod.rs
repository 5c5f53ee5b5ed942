//! Columns of strings in the layouts of [Apache Arrow](https://arrow.apache.org/docs/format/Columnar.html): finds
//! values that are invalid UTF-8, and repairs columns.
//!
//! The functions of this module take the *variable-size binary layout* (`Binary` and `Utf8` with offsets of 32 bits,
//! `LargeBinary` and `LargeUtf8` with 64): value `i` is `data[offsets[i]..offsets[i + 1]]`. The functions of [`views`]
//! take the *view layout* (`BinaryView`, `Utf8View`). To pass a slice of an array, slice its offsets or views, and
//! start the [`Validity`] that many bits later; `data` and buffers stay whole.
//!
//! Adjacent values are validated as one text, and then the boundaries between them are checked. A short value costs a
//! few nanoseconds less than a call of [`crate::validate`]. Values are validated one by one only near a suspect place.
//!
//! Null slots are skipped, whatever bytes they contain. All input is checked: offsets that are negative, descending or
//! beyond the data, views outside of their buffer, and a validity bitmap that is too short give a [`LayoutError`].
//!
//! ```
//! use utf8kit::{ErrorKind, Policy, column};
//! let data = b"caf\xC3\xA9caf\xE9tea";
//! let offsets = [0, 5, 9, 12];
//! assert_eq!(column::is_valid(data, &offsets, None), Ok(false));
//!
//! let mut bad = Vec::new();
//! column::for_each_bad(data, &offsets, None, |index, error| bad.push((index, error.offset, error.kind)))?;
//! assert_eq!(bad, [(1, 3, ErrorKind::Truncated)]);
//!
//! let repaired = column::repair(data, &offsets, None, Policy::REPLACE)?.unwrap();
//! assert_eq!(repaired.data, "cafécaf\u{FFFD}tea".as_bytes());
//! assert_eq!(repaired.offsets, [0, 5, 11, 14]);
//! # Ok::<(), column::LayoutError>(())
//! ```

pub mod views;

use core::ops::{ControlFlow, Range};

use crate::dispatch;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::kernels::column::bad_cut;
use crate::layout;
pub use crate::layout::{LayoutError, Offset, Validity};
use crate::validate::{errors, first_error};
use crate::{
    encoding::Codec,
    out::guess,
    policy::Policy,
    repair::{append_repaired, repair_in},
};

use alloc::{borrow::Cow, vec::Vec};

/// Number of bytes validated as one text, few enough to stay in the L1 cache while the boundaries are checked.
const MAX_BYTES_OF_TEXT: usize = 32 << 10;

/// [`MAX_BYTES_OF_TEXT`] if a kernel skips the clean values first: a block then begins close to a suspect value.
const MAX_BYTES_OF_SUSPECT_TEXT: usize = 2 << 10;

/// Maximum number of values per block, so that their offsets stay in the cache as well.
const MAX_VALUES_PER_BLOCK: usize = 4096;

/// The counts of [`count`] and [`views::count`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Counts {
    /// Number of values, including null slots.
    pub values: usize,
    /// Number of null slots.
    pub nulls: usize,
    /// Number of invalid values.
    pub bad: usize,
    /// Number of errors in them, one per maximal subpart.
    pub errors: u64,
}

/// A repaired column: see [`repair`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired<O> {
    /// The new data.
    pub data: Vec<u8>,
    /// The new offsets, one more than there are values. The first is zero.
    pub offsets: Vec<O>,
    /// Number of slots whose bytes changed.
    pub changed: usize,
}

/// Reports whether every value is well formed. Stops at the first that is not.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before the first invalid value. `Ok(true)` means that all of it is valid.
///
/// ```
/// use utf8kit::column::{Validity, is_valid};
/// // A sequence over a cut is two errors: neither value is text.
/// assert_eq!(is_valid("€".as_bytes(), &[0_i64, 1, 3], None), Ok(false));
/// // The second of three slots is null.
/// assert_eq!(is_valid(b"a\xFFb", &[0, 1, 2, 3], Some(Validity::new(&[0b101], 0))), Ok(true));
/// ```
pub fn is_valid<O: Offset>(data: &[u8], offsets: &[O], validity: Option<Validity<'_>>) -> Result<bool, LayoutError> {
    first_bad(data, offsets, validity).map(|bad| bad.is_none())
}

/// Returns the index of the first invalid value, and its first error, with an offset from the value's first byte.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before that value.
///
/// ```
/// use utf8kit::{Error, ErrorKind, column::first_bad};
/// let bad = first_bad(b"ab\xFF\xFE", &[0, 1, 3, 4], None);
/// assert_eq!(bad, Ok(Some((1, Error::new(1, 1, ErrorKind::InvalidByte)))));
/// ```
pub fn first_bad<O: Offset>(
    data: &[u8],
    offsets: &[O],
    validity: Option<Validity<'_>>,
) -> Result<Option<(usize, Error)>, LayoutError> {
    let mut first = None;
    visit_bad(data, offsets, validity, |index, _, error| {
        first = Some((index, error));
        ControlFlow::Break(())
    })?;
    Ok(first)
}

/// Calls `f` with the index of every invalid value, in order, and its first error, with an offset from the value's
/// first byte.
///
/// # Errors
/// [`LayoutError`] if the layout is broken; `f` has then been called for the bad values before that place.
///
/// ```
/// use utf8kit::column::{LayoutError, for_each_bad};
/// let mut bad = Vec::new();
/// for_each_bad(b"\xFFok\xFF", &[0, 1, 3, 3, 4], None, |index, _| bad.push(index))?;
/// assert_eq!(bad, [0, 3]);
/// let beyond = for_each_bad(b"ok", &[0, 3], None, |_, _| {});
/// assert_eq!(beyond, Err(LayoutError::OffsetBeyondData { index: 1 }));
/// # Ok::<(), LayoutError>(())
/// ```
pub fn for_each_bad<O: Offset>(
    data: &[u8],
    offsets: &[O],
    validity: Option<Validity<'_>>,
    mut f: impl FnMut(usize, Error),
) -> Result<(), LayoutError> {
    visit_bad(data, offsets, validity, |index, _, error| {
        f(index, error);
        ControlFlow::Continue(())
    })
}

/// Counts values, null slots, invalid values and the errors in them.
///
/// # Errors
/// [`LayoutError`] if the layout is broken.
///
/// ```
/// let counts = utf8kit::column::count(b"a\xFF\xFFb", &[0, 1, 3, 4], None)?;
/// assert_eq!((counts.values, counts.nulls, counts.bad, counts.errors), (3, 0, 1, 2));
/// # Ok::<(), utf8kit::column::LayoutError>(())
/// ```
pub fn count<O: Offset>(data: &[u8], offsets: &[O], validity: Option<Validity<'_>>) -> Result<Counts, LayoutError> {
    let mut counts = Counts { values: offsets.len().saturating_sub(1), ..Counts::default() };
    visit_bad(data, offsets, validity, |_, value, _| {
        counts.add(value);
        ControlFlow::Continue(())
    })?;
    counts.nulls = validity.map_or(0, |validity| validity.nulls(counts.values));
    Ok(counts)
}

/// Repairs every invalid value by a policy. Returns `None` if nothing needs a repair: the column can then be used
/// unchanged, and nothing was allocated.
///
/// The repaired column has the validity bitmap of the original. Null slots that contain invalid text become empty in
/// the repaired column, and alone are a reason to make one. So all of its data is well-formed text and every offset is
/// a boundary, as required by readers that also check null slots.
///
/// # Errors
/// [`LayoutError`] if the layout is broken, or if the repaired data is too long for offsets of this width.
///
/// ```
/// use utf8kit::{Policy, column::repair};
/// assert_eq!(repair(b"fine", &[0, 2, 4], None, Policy::REPLACE), Ok(None));
/// let repaired = repair(b"ab\xFFcd", &[0_i64, 1, 4, 5], None, Policy::Remove)?.unwrap();
/// assert_eq!((&repaired.data[..], &repaired.offsets[..], repaired.changed), (&b"abcd"[..], &[0, 1, 3, 4][..], 1));
/// # Ok::<(), utf8kit::column::LayoutError>(())
/// ```
pub fn repair<O: Offset>(
    data: &[u8],
    offsets: &[O],
    validity: Option<Validity<'_>>,
    policy: Policy<'_>,
) -> Result<Option<Repaired<O>>, LayoutError> {
    if policy == Policy::Escape {
        // Well-formed values may contain text that looks like an escape.
        return repair_with(data, offsets, validity, Values::All, |value| repair_in(Utf8, value, policy));
    }
    layout::check_validity(validity, offsets.len().saturating_sub(1))?;
    let mut rewriter = Rewriter { data, offsets, repaired: Repaired::default(), done: 0 };
    let mut outcome = Ok(());
    visit_suspects(data, offsets, &mut |index, value| {
        let null = validity.is_some_and(|validity| validity.is_null(index));
        outcome = match first_error(Utf8, value) {
            Some(_) if null => rewriter.put(index, |_| ()),
            Some(error) => {
                rewriter.put(index, |data| append_repaired(Utf8, value, error.valid_up_to(), policy, data, &mut None))
            }
            None => Ok(()),
        };
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    outcome?;
    rewriter.finish()
}

/// Which values of a column [`repair_with`] and [`views::repair_with`] pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Values {
    /// The invalid ones.
    Bad,
    /// All of them.
    All,
}

/// Repairs values by any function: `repair` returns the new bytes of a value, or the old ones borrowed. Null slots are
/// treated as by [`repair`]; the function does not see them.
///
/// # Errors
/// As [`repair`].
///
/// ```
/// use std::borrow::Cow;
/// use utf8kit::column::{Values, repair_with};
///
/// let repaired = repair_with(b"caf\xE9tea", &[0, 4, 7], None, Values::Bad, |value| {
///     Cow::Owned(value.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes())
/// })?;
/// let repaired = repaired.unwrap();
/// assert_eq!((repaired.data, repaired.offsets), ("cafétea".into(), vec![0, 5, 8]));
/// # Ok::<(), utf8kit::column::LayoutError>(())
/// ```
pub fn repair_with<O: Offset>(
    data: &[u8],
    offsets: &[O],
    validity: Option<Validity<'_>>,
    values: Values,
    mut repair: impl FnMut(&[u8]) -> Cow<'_, [u8]>,
) -> Result<Option<Repaired<O>>, LayoutError> {
    layout::check_validity(validity, offsets.len().saturating_sub(1))?;
    let mut rewriter = Rewriter { data, offsets, repaired: Repaired::default(), done: 0 };
    let mut outcome = Ok(());
    let mut visit = |index: usize, value: &[u8]| {
        let null = validity.is_some_and(|validity| validity.is_null(index));
        let due = (values == Values::All && !null) || first_error(Utf8, value).is_some();
        outcome = match due {
            false => Ok(()),
            true if null => rewriter.put(index, |_| ()),
            true => match repair(value) {
                new if *new == *value => Ok(()),
                new => rewriter.put(index, |data| data.extend_from_slice(&new)),
            },
        };
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    match values {
        Values::Bad => visit_suspects(data, offsets, &mut visit)?,
        Values::All => each_value(data, offsets, &mut visit)?,
    }
    outcome?;
    rewriter.finish()
}

/// A repaired column under construction.
struct Rewriter<'c, O> {
    data: &'c [u8],
    offsets: &'c [O],
    repaired: Repaired<O>,
    /// Number of values copied so far.
    done: usize,
}

impl<O: Offset> Rewriter<'_, O> {
    /// Copies all values before `index`, then appends the new value with `append`.
    fn put(&mut self, index: usize, append: impl FnOnce(&mut Vec<u8>)) -> Result<(), LayoutError> {
        if self.repaired.changed == 0 {
            let all = self.offsets[0].to_index()..self.offsets[self.offsets.len() - 1].to_index();
            // Reserves space for a little growth, because a `Vec` that outgrows its capacity doubles.
            self.repaired.data = Vec::with_capacity(guess(Utf8.erase(), Utf8.erase(), all.len()));
            self.repaired.offsets = self.offsets.to_vec();
            self.repaired.offsets[0] = O::default();
        }
        self.copy_to(index)?;
        append(&mut self.repaired.data);
        self.repaired.offsets[index + 1] = self.end()?;
        self.repaired.changed += 1;
        self.done = index + 1;
        Ok(())
    }

    /// Copies the values before `index`, in one piece. Their offsets have been copied already, and are adjusted.
    fn copy_to(&mut self, index: usize) -> Result<(), LayoutError> {
        let (first, last) = (self.offsets[self.done], self.offsets[index]);
        let start = self.end()?;
        self.repaired.data.extend_from_slice(&self.data[first.to_index()..last.to_index()]);
        self.end()?;
        if start != first {
            dispatch::column::move_offsets(&mut self.repaired.offsets[self.done + 1..=index], first, start);
        }
        Ok(())
    }

    /// Returns the offset of the end of the data.
    fn end(&self) -> Result<O, LayoutError> {
        O::from_usize(self.repaired.data.len()).ok_or(LayoutError::TooLong)
    }

    fn finish(mut self) -> Result<Option<Repaired<O>>, LayoutError> {
        if self.repaired.changed == 0 {
            return Ok(None);
        }
        self.copy_to(self.offsets.len() - 1)?;
        Ok(Some(self.repaired))
    }
}

impl Counts {
    fn add(&mut self, bad: &[u8]) {
        self.bad += 1;
        self.errors += errors(bad).count() as u64;
    }
}

/// Calls `bad` with every invalid value that is not null: its index, its bytes and its first error.
fn visit_bad<O: Offset>(
    data: &[u8],
    offsets: &[O],
    validity: Option<Validity<'_>>,
    mut bad: impl FnMut(usize, &[u8], Error) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    layout::check_validity(validity, offsets.len().saturating_sub(1))?;
    visit_suspects(data, offsets, &mut |index, value| {
        if validity.is_some_and(|validity| validity.is_null(index)) {
            return ControlFlow::Continue(());
        }
        match first_error(Utf8, value) {
            Some(error) => bad(index, value, error),
            None => ControlFlow::Continue(()),
        }
    })
}

/// Calls `suspect` with the index and the bytes of every value that may be invalid, in order, until it breaks.
fn visit_suspects<O: Offset>(
    data: &[u8],
    offsets: &[O],
    suspect: &mut impl FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    each_block(data, offsets, dispatch::column::clean_values, |base, block| {
        suspects_of_block(data, base, block, suspect)
    })
}

/// Calls `visit` with the index and the bytes of every value, in order, until it breaks.
fn each_value<O: Offset>(
    data: &[u8],
    offsets: &[O],
    visit: &mut impl FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    let none_first = |_: &[u8], _: &[O]| None;
    each_block(data, offsets, none_first, |base, block| {
        (0..block.len() - 1).try_for_each(|i| visit(base + i, &data[range(&block[i..=i + 1])]))
    })
}

/// Calls `visit` with the checked offsets of every block and the index of its first value, until it breaks. Values that
/// `skip` counts before a block are not visited; `None` if it never counts any.
fn each_block<O: Offset>(
    data: &[u8],
    offsets: &[O],
    skip: impl Fn(&[u8], &[O]) -> Option<usize>,
    mut visit: impl FnMut(usize, &[O]) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    let Some(&first) = offsets.first() else { return Ok(()) };
    layout::check_offset(data, 0, None, first)?;
    let mut at = 0;
    while at + 1 < offsets.len() {
        let skipped = skip(data, &offsets[at..]);
        at += skipped.unwrap_or_default();
        let rest = &offsets[at..];
        let ends = &rest[1..rest.len().min(MAX_VALUES_PER_BLOCK + 1)];
        if ends.is_empty() {
            break;
        }
        let limit = rest[0].to_index() + if skipped.is_some() { MAX_BYTES_OF_SUSPECT_TEXT } else { MAX_BYTES_OF_TEXT };
        // For offsets that do not ascend, this finds an arbitrary value; they are detected below.
        let values = ends.partition_point(|offset| offset.to_index() <= limit).max(1);
        let block = &rest[..=values];
        let sound = block[values].to_usize().is_some_and(|end| end <= data.len());
        if !(dispatch::column::ascending(block) && sound) {
            return layout::explain(data, at, block);
        }
        if visit(at, block).is_break() {
            break;
        }
        at += values;
    }
    Ok(())
}

/// [`visit_suspects`] for one block, whose first value has the index `base`.
fn suspects_of_block<O: Offset>(
    data: &[u8],
    base: usize,
    block: &[O],
    suspect: &mut impl FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let end = block.len() - 1;
    // All values before `at` have been checked.
    let mut at = 0;
    while at < end {
        if end - at > 1 {
            // ASCII contains no sequence that could be split.
            let text = &data[block[at].to_index()..block[end].to_index()];
            let ascii = dispatch::ascii_prefix(text);
            if ascii == text.len() {
                break;
            }
            at += block[at + 1..].partition_point(|offset| offset.to_index() - block[at].to_index() <= ascii);
        }
        let start = block[at].to_index();
        let text = &data[start..block[end].to_index()];
        let clean = first_error(Utf8, text).map_or(text.len(), |error| error.offset as usize);
        // The values before `dirty` are within the clean prefix. Only their boundaries need a check, including the end
        // of the last one: a sequence across that boundary is an error in both the last value and the dirty one.
        let dirty = if clean == text.len() {
            end
        } else {
            at + block[at + 1..].partition_point(|offset| offset.to_index() - start <= clean)
        };
        let (mut cut, last) = (at + 1, (dirty + 1).min(end));
        let text = &text[..clean];
        // After the first bad value, check a few at a time, because otherwise the kernel would start over on all the
        // rest each time.
        let mut limit = block.len();
        while cut < last {
            let cuts = &block[cut..last];
            let cuts = &cuts[..cuts.len().min(limit)];
            let Some(steps) = bad_cut(text, start, cuts) else {
                cut += cuts.len();
                continue;
            };
            cut += steps;
            for value in [cut - 1, cut] {
                if value >= at {
                    suspect(base + value, &data[range(&block[value..=value + 1])])?;
                    at = value + 1;
                }
            }
            cut += 1;
            limit = 64;
        }
        if at <= dirty && dirty < end {
            suspect(base + dirty, &data[range(&block[dirty..=dirty + 1])])?;
        }
        at = dirty + 1;
    }
    ControlFlow::Continue(())
}

/// Returns the range between two checked offsets.
fn range<O: Offset>(offsets: &[O]) -> Range<usize> {
    offsets[0].to_index()..offsets[1].to_index()
}
