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

use core::ops::{ControlFlow, Range};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, vec::Vec};

use super::{Counts, LayoutError, Validity};
use crate::dispatch;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::grammar::is_continuation;
use crate::kernel::views::INLINE;
use crate::layout::check_validity;
use crate::validate::first_error;
#[cfg(feature = "alloc")]
use crate::{column::Values, policy::Policy, repair::repair_in};

/// A view.
pub type View = [u8; 16];

/// Number of views that are judged together: where one value is suspect, all of them are examined one by one.
const VIEWS: usize = 256;

/// A repaired column: see [`repair`].
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairedViews {
    /// The new views.
    pub views: Vec<View>,
    /// Buffers to append to those of the column, which stay in use. The views refer to these by the indices that
    /// follow.
    pub buffers: Vec<Vec<u8>>,
    /// Number of slots whose bytes changed.
    pub changed: usize,
}

/// Reports whether every value is well formed. Stops at the first that is not.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before the first ill-formed value. `Ok(true)` means that all of it is valid.
pub fn is_valid<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<bool, LayoutError> {
    first_bad(views, buffers, validity).map(|bad| bad.is_none())
}

/// Returns the index of the first ill-formed value, and its first error, with an offset from the value's first byte.
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

/// Calls `f` with the index of every ill-formed value, in order, and its first error, with an offset from the value's
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

/// Counts values, null slots, ill-formed values and the errors in them.
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

/// Repairs every ill-formed value by a policy: returns new views, and buffers with only the repaired values. `None` if
/// nothing needs a repair.
///
/// Null slots whose view is broken or contains ill-formed text become empty in the repaired column, and alone are a
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
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
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
            } else if !null
                && (broken || values == Values::All)
                && let Cow::Owned(value) = repair(value)
            {
                repaired.put(views, buffers.len(), index, &value)?;
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

#[cfg(feature = "alloc")]
impl RepairedViews {
    /// Replaces a value.
    fn put(&mut self, views: &[View], buffers: usize, index: usize, value: &[u8]) -> Result<(), LayoutError> {
        if self.changed == 0 {
            self.views = views.to_vec();
        }
        self.changed += 1;
        let number =
            |number: usize| i32::try_from(number).map(i32::to_ne_bytes).map_err(|_| LayoutError::TooLong);
        let view = &mut self.views[index];
        *view = [0; 16];
        view[..4].copy_from_slice(&number(value.len())?);
        if value.len() <= INLINE {
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
fn value<'c, B: AsRef<[u8]>>(
    views: &'c [View],
    buffers: &'c [B],
    index: usize,
) -> Result<&'c [u8], LayoutError> {
    let view = &views[index];
    let Ok(len) = usize::try_from(field(view, 0)) else {
        return Err(LayoutError::NegativeViewLength { index });
    };
    if len <= INLINE {
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

/// Calls `bad` with every ill-formed value that is not null: its index, its bytes and its first error.
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

/// Calls `suspect` with the index of every slot whose value may be ill-formed or whose view may be broken, in order,
/// until it breaks.
fn visit_suspects<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    suspect: &mut impl FnMut(usize) -> ControlFlow<()>,
) {
    let mut long =
        LongValues { buffers, views: [[0; 16]; VIEWS], known: KnownText { buffer: 0, start: 0, end: 0 } };
    for (i, some) in views.chunks(VIEWS).enumerate() {
        let clean = dispatch::inline_values(some)
            .is_some_and(|judged| judged.clean && (!judged.long || long.are_clean(some)));
        if !clean && (0..some.len()).try_for_each(|slot| suspect(i * VIEWS + slot)).is_break() {
            return;
        }
    }
}

/// The values of a block of views that are stored in buffers.
struct LongValues<'c, B> {
    buffers: &'c [B],
    /// Their views.
    views: [View; VIEWS],
    known: KnownText,
}

impl<B: AsRef<[u8]>> LongValues<'_, B> {
    /// Reports whether the long values of at most [`VIEWS`] views are certainly well formed, and in one part of one
    /// buffer.
    fn are_clean(&mut self, views: &[View]) -> bool {
        let (mut count, mut total) = (0, 0);
        for view in views {
            // Without a branch.
            let len = field(view, 0) as u32;
            self.views[count % VIEWS] = *view;
            count += usize::from(len as usize > INLINE);
            total += u64::from(len);
        }
        let long = &self.views[..count];
        let (Some(first), Some(last)) = (long.first(), long.last()) else { return true };
        let buffer = field(first, 2);
        let data = usize::try_from(buffer).ok().and_then(|buffer| self.buffers.get(buffer));
        let Some(data) = data.map(AsRef::as_ref) else { return false };
        // What lies between the values is validated as well, so it must not be much.
        let most = total + size_of_val(views) as u64;
        let known = &mut self.known;
        if !known.extend(buffer, data, place(first).start, place(last).end, most) {
            return false;
        }
        let (start, end) = (known.start as u64, known.end as u64);
        let is_inside = |at: u64| {
            usize::try_from(at).is_ok_and(|at| data.get(at).is_some_and(|&byte| is_continuation(byte)))
        };
        let (mut inside, mut beyond, mut others) = (false, false, 0);
        for view in long {
            let place = place(view);
            inside |= is_inside(place.start) | is_inside(place.end);
            beyond |= (place.start < start) | (place.end > end);
            others |= field(view, 2) ^ buffer;
        }
        !inside && !beyond && others == 0
    }
}

/// Returns the place of a long value in its buffer. A negative number becomes one that exceeds [`KnownText::MAX`].
fn place(view: &View) -> Range<u64> {
    let start = u64::from(field(view, 3) as u32);
    start..start + u64::from(field(view, 0) as u32)
}

/// A part of a buffer that is known to be well-formed text. Usually, values follow one another there, so that each
/// buffer is validated once, as one text.
struct KnownText {
    buffer: i32,
    start: usize,
    end: usize,
}

impl KnownText {
    /// The largest end: no place of a view with a negative number is before it.
    const MAX: u64 = i32::MAX as u64;

    /// Reports whether a range of a buffer is certainly well-formed text, or part of such text, for which at most
    /// `most` bytes are validated.
    fn extend(&mut self, buffer: i32, data: &[u8], start: u64, end: u64, most: u64) -> bool {
        if end > Self::MAX.min(data.len() as u64) {
            return false;
        }
        let (start, end) = (start as usize, end as usize);
        if self.buffer != buffer || !(self.start..=self.end).contains(&start) {
            *self = KnownText { buffer, start, end: start };
        }
        let Some(more) = data.get(self.end..end) else { return true };
        let clean = more.len() as u64 <= most && dispatch::clean_prefix_in(Utf8, more) == more.len();
        if clean {
            self.end = end;
        }
        clean
    }
}
