//! Columns in Arrow's view layout (`BinaryView`, `Utf8View`): a value of at most 12 bytes is stored in its view, a
//! longer one in one of the buffers.
//!
//! A view is 16 bytes in this machine's byte order, as the format requires: the length; then the value and zeros, or
//! its first four bytes, the buffer's index and the offset in it. `bytes.as_chunks().0` makes views of a buffer of
//! them. The first four bytes of a long value are not checked.
//!
//! ```
//! use utf8kit::column::views;
//! let short = *b"\x04\0\0\0caf\xE9\0\0\0\0\0\0\0\0";
//! let mut bad: Vec<(usize, u64)> = Vec::new();
//! # #[cfg(target_endian = "little")] {
//! views::for_each_bad(&[short], &[b""], None, |index, error| bad.push((index, error.offset)))?;
//! assert_eq!(bad, [(0, 3)]);
//! # }
//! # Ok::<(), utf8kit::column::LayoutError>(())
//! ```

use core::mem::MaybeUninit;
use core::ops::{ControlFlow, Range};

use alloc::{borrow::Cow, vec::Vec};

use super::{Counts, LayoutError, Validity};
use crate::dispatch;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::grammar::is_continuation;
use crate::kernels::views::{Extent, MARGIN_BYTES, MAX_INLINE_BYTES, fields};
use crate::layout::check_validity;
use crate::out::Out;
use crate::validate::first_error;
use crate::{column::Values, policy::Policy, repair::repair_in};

/// The most views classified together, and the number near a suspect value, where all of them are examined one by one.
const MAX_VIEWS_TOGETHER: usize = 1024;
const MIN_VIEWS_TOGETHER: usize = 64;

/// The fewest views classified together when the values of later views are in another buffer.
const MIN_VIEWS_BEFORE_OTHER_BUFFER: usize = 4;

/// How many unreferenced bytes per view are validated along with the values: this is faster than examining values
/// singly.
const MAX_BYTES_BETWEEN_VIEWS: usize = 128;

/// A view.
pub type View = [u8; 16];

/// A repaired column: see [`repair`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairedViews {
    /// The new views.
    pub views: Vec<View>,
    /// Buffers to append to the buffers of the column, which stay in use. Their indices continue after those buffers.
    pub buffers: Vec<Vec<u8>>,
    /// Number of slots whose bytes changed.
    pub changed: usize,
}

/// Reports whether every value is well formed. Stops at the first that is not.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before the first invalid value. `Ok(true)` means that all of it is valid.
pub fn is_valid<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<bool, LayoutError> {
    first_bad(views, buffers, validity).map(|bad| bad.is_none())
}

/// Returns the index of the first invalid value, and its first error, with an offset from the value's first byte.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before that value.
pub fn first_bad<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<Option<(usize, Error)>, LayoutError> {
    let mut first = None;
    visit_bad(views, buffers, validity, |index, _, error| {
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
pub fn for_each_bad<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    mut f: impl FnMut(usize, Error),
) -> Result<(), LayoutError> {
    visit_bad(views, buffers, validity, |index, _, error| {
        f(index, error);
        ControlFlow::Continue(())
    })
}

/// Counts values, null slots, invalid values and the errors in them.
///
/// # Errors
/// [`LayoutError`] if the layout is broken.
pub fn count<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<Counts, LayoutError> {
    let mut counts = Counts { values: views.len(), ..Counts::default() };
    visit_bad(views, buffers, validity, |_, value, _| {
        counts.add(value);
        ControlFlow::Continue(())
    })?;
    counts.nulls = validity.map_or(0, |validity| validity.nulls(views.len()));
    Ok(counts)
}

/// Repairs every invalid value by a policy: returns new views, and buffers with only the repaired values. `None` if
/// nothing needs a repair.
///
/// Null slots whose view is broken or contains invalid text become empty in the repaired column, and alone are a
/// reason to make one.
///
/// # Errors
/// [`LayoutError`] if the layout is broken, or if a repaired value is too long for a view.
///
/// ```
/// use utf8kit::{Policy, column::views};
/// # #[cfg(target_endian = "little")] {
/// let long = *b"\x0D\0\0\0thir\0\0\0\0\x01\0\0\0";
/// let repaired = views::repair(&[long], &[b"-thirteen byt\xE9"], None, Policy::REPLACE)?.unwrap();
/// assert_eq!(repaired.buffers, ["thirteen byt\u{FFFD}".as_bytes()]);
/// assert_eq!(repaired.views, [*b"\x0F\0\0\0thir\x01\0\0\0\0\0\0\0"]);
/// # }
/// # Ok::<(), utf8kit::column::LayoutError>(())
/// ```
pub fn repair<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    policy: Policy<'_>,
) -> Result<Option<RepairedViews>, LayoutError> {
    // Well-formed values may contain what looks like an escape.
    let values = if policy == Policy::Escape { Values::All } else { Values::Bad };
    repair_with(views, buffers, validity, values, |value| repair_in(Utf8, value, policy))
}

/// Repairs values by any function: see [`super::repair_with`].
///
/// # Errors
/// As [`repair`].
pub fn repair_with<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    values: Values,
    mut repair: impl FnMut(&[u8]) -> Cow<'_, [u8]>,
) -> Result<Option<RepairedViews>, LayoutError> {
    check_validity(validity, views.len())?;
    let mut repaired = RepairedViews::default();
    let mut outcome = Ok(());
    let mut visit = |index: usize| {
        let null = validity.is_some_and(|validity| validity.is_null(index));
        outcome = value(views, buffers, index).and_then(|value| {
            let broken = first_error(Utf8, value).is_some();
            if null && broken {
                repaired.put(views, buffers.len(), index, &[])?;
            } else if !null && (broken || values == Values::All) {
                let new = repair(value);
                if *new != *value {
                    repaired.put(views, buffers.len(), index, &new)?;
                }
            }
            Ok(())
        });
        if null && outcome.is_err() {
            outcome = repaired.put(views, buffers.len(), index, &[]);
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    match values {
        Values::Bad => visit_suspects(views, buffers, &mut visit),
        Values::All => {
            let _ = (0..views.len()).try_for_each(&mut visit);
        }
    }
    outcome?;
    Ok((repaired.changed > 0).then_some(repaired))
}

impl RepairedViews {
    /// Replaces a value.
    fn put(&mut self, views: &[View], buffers: usize, index: usize, value: &[u8]) -> Result<(), LayoutError> {
        if self.changed == 0 {
            self.views = views.to_vec();
        }
        self.changed += 1;
        let number = |number: usize| i32::try_from(number).map(i32::to_ne_bytes).map_err(|_| LayoutError::TooLong);
        let view = &mut self.views[index];
        *view = [0; 16];
        view[..4].copy_from_slice(&number(value.len())?);
        if value.len() <= MAX_INLINE_BYTES {
            view[4..][..value.len()].copy_from_slice(value);
            return Ok(());
        }
        let full = |buffer: &Vec<u8>| buffer.len() + value.len() > i32::MAX as usize;
        if self.buffers.last().is_none_or(full) {
            self.buffers.push(Vec::new());
        }
        let buffer_index = number(buffers + self.buffers.len() - 1)?;
        if let Some(buffer) = self.buffers.last_mut() {
            view[4..8].copy_from_slice(&value[..4]);
            view[8..12].copy_from_slice(&buffer_index);
            view[12..].copy_from_slice(&number(buffer.len())?);
            buffer.extend_from_slice(value);
        }
        Ok(())
    }
}

/// Returns the bytes of a value.
fn value<'c, B: AsRef<[u8]>>(views: &'c [View], buffers: &'c [B], index: usize) -> Result<&'c [u8], LayoutError> {
    let view = &views[index];
    let Ok(len) = usize::try_from(field(view, 0)) else {
        return Err(LayoutError::NegativeViewLength { index });
    };
    if len <= MAX_INLINE_BYTES {
        return Ok(&view[4..4 + len]);
    }
    let buffer = usize::try_from(field(view, 2)).ok().and_then(|buffer| buffers.get(buffer));
    let buffer = buffer.ok_or(LayoutError::NoSuchBuffer { index })?.as_ref();
    let start = usize::try_from(field(view, 3)).ok();
    let value = start.and_then(|start| buffer.get(start..start.checked_add(len)?));
    value.ok_or(LayoutError::ViewBeyondBuffer { index })
}

/// Returns the `n`-th four bytes of a view.
#[inline(always)]
fn field(view: &View, n: usize) -> i32 {
    i32::from_ne_bytes(view.as_chunks().0[n])
}

/// Calls `bad` with every invalid value that is not null: its index, its bytes and its first error.
fn visit_bad<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    mut bad: impl FnMut(usize, &[u8], Error) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    check_validity(validity, views.len())?;
    let mut outcome = Ok(());
    visit_suspects(views, buffers, &mut |index| {
        if validity.is_some_and(|validity| validity.is_null(index)) {
            return ControlFlow::Continue(());
        }
        let value = match value(views, buffers, index) {
            Ok(value) => value,
            Err(error) => {
                outcome = Err(error);
                return ControlFlow::Break(());
            }
        };
        first_error(Utf8, value).map_or(ControlFlow::Continue(()), |error| bad(index, value, error))
    });
    outcome
}

/// Calls `suspect` with the index of every slot whose value may be invalid or whose view may be broken, in order,
/// until it breaks.
fn visit_suspects<B: AsRef<[u8]>>(views: &[View], buffers: &[B], suspect: &mut impl FnMut(usize) -> ControlFlow<()>) {
    let mut known = KnownText::default();
    let (mut done, mut window) = (0, MAX_VIEWS_TOGETHER);
    while done < views.len() {
        let some = &views[done..views.len().min(done + window)];
        if known.covers(some, buffers) {
            window = (2 * window).min(MAX_VIEWS_TOGETHER);
            done += some.len();
            continue;
        }
        // A buffer may end here.
        let first = &some[..of_one_buffer(some)];
        if (MIN_VIEWS_BEFORE_OTHER_BUFFER..some.len()).contains(&first.len()) && known.covers(first, buffers) {
            window = (2 * first.len()).clamp(MIN_VIEWS_TOGETHER, MAX_VIEWS_TOGETHER);
            done += first.len();
            continue;
        }
        let singly = match first.len() {
            in_this_buffer @ ..MIN_VIEWS_BEFORE_OTHER_BUFFER if window > MIN_VIEWS_TOGETHER => in_this_buffer,
            _ if window > MIN_VIEWS_TOGETHER => 0,
            _ => some.len(),
        };
        if (done..done + singly).try_for_each(&mut *suspect).is_break() {
            return;
        }
        window = MIN_VIEWS_TOGETHER;
        done += singly;
    }
}

/// Returns the number of leading views whose values are stored in the views themselves or all in the same buffer.
fn of_one_buffer(views: &[View]) -> usize {
    let is_long = |view: &&View| fields(view)[0] as usize > MAX_INLINE_BYTES;
    let buffer = |view: &View| fields(view)[2];
    let first = views.iter().find(is_long).map(buffer);
    views.iter().position(|view| is_long(&view) && Some(buffer(view)) != first).unwrap_or(views.len())
}

/// A part of a buffer that is known to be well-formed text. Values are usually adjacent, so each buffer is validated
/// once, as one text.
#[derive(Default)]
struct KnownText {
    buffer: u32,
    start: usize,
    end: usize,
    /// Whether it is not ASCII. In ASCII, every byte is a boundary.
    wide: bool,
    /// Bytes that may be validated beyond the worth of the next values, saved up when earlier values were too far
    /// apart. So a buffer is validated as a whole once enough scattered values have been examined one by one.
    credit: u64,
}

impl KnownText {
    /// Reports whether the values of at most [`MAX_VIEWS_TOGETHER`] views are certainly well formed, and the views
    /// sound.
    fn covers<B: AsRef<[u8]>>(&mut self, views: &[View], buffers: &[B]) -> bool {
        let mut memory = [const { MaybeUninit::<u8>::uninit() }; MAX_VIEWS_TOGETHER * size_of::<View>() + MARGIN_BYTES];
        let Some(classified) = dispatch::column::classify_views(views, Out::in_buffer(&mut memory)) else {
            return false;
        };
        let long = classified.long.views();
        if !classified.clean || long.is_empty() {
            return classified.clean;
        }
        let Extent { buffers: (buffer, last), start, end, bits, total, gaps, .. } = classified.extent;
        let Some(data) = buffers.get(buffer as usize).map(AsRef::as_ref) else { return false };
        let budget = total + (MAX_BYTES_BETWEEN_VIEWS * views.len()) as u64;
        // No number is negative, so that no end is too large for 32 bits.
        let sound = buffer == last && bits <= i32::MAX as u32;
        sound
            && self.extend(buffer, data, start as usize..end as usize, budget)
            && (!self.wide || are_boundaries(data, long, (gaps == 0).then_some(end)))
    }

    /// Reports whether a range of a buffer is certainly well-formed text or part of such text. Validates at most
    /// `budget` bytes, plus the credit, to find out.
    fn extend(&mut self, buffer: u32, data: &[u8], range: Range<usize>, budget: u64) -> bool {
        if range.end > data.len() {
            return false;
        }
        if self.buffer != buffer || range.end < self.start || self.end < range.start {
            (self.buffer, self.start, self.end, self.wide) = (buffer, range.start, range.start, false);
        }
        let (start, end) = (self.start.min(range.start), self.end.max(range.end));
        let (before, after) = (&data[start..self.start], &data[self.end..end]);
        if (before.len() + after.len()) as u64 > budget + self.credit {
            self.credit += budget;
            return false;
        }
        if before.len() + after.len() > 0 {
            self.credit = 0;
        }
        for text in [before, after] {
            let rest = &text[dispatch::ascii_prefix(text)..];
            if !rest.is_empty() {
                self.wide = true;
                if dispatch::clean_prefix_in(Utf8, rest) < rest.len() {
                    return false;
                }
            }
        }
        (self.start, self.end) = (start, end);
        true
    }
}

/// Reports whether long values begin and end at boundaries of a well-formed buffer. If they are adjacent, only their
/// starts and the end of the last one, `adjacent`, are tested.
fn are_boundaries(data: &[u8], long: &[View], adjacent: Option<u32>) -> bool {
    let is_inside = |at: u32| data.get(at as usize).is_some_and(|&byte| is_continuation(byte));
    if let Some(end) = adjacent {
        return !is_inside(end) && !long.iter().any(|view| is_inside(fields(view)[3]));
    }
    !long.iter().any(|view| {
        let [len, _, _, start] = fields(view);
        is_inside(start) || is_inside(start.wrapping_add(len))
    })
}
